"""Radau on chains in space goes down to the smallest tolerance: rounding of rows is no failure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso


def chain(*masses: float) -> Any:
    """Bodies on balls, the first one on a hinge, that fall from the level."""
    mech, last = iso.Mechanism(gravity=(0, 0, -9.81)), "ground"
    for k, mass in enumerate(masses):
        mech.add_body(f"body {k}", mass, (0.01 * mass, 0.02 * mass, 0.03 * mass), (k + 0.5, 0, 0))
        if k == 0:
            mech.add_joint(iso.Hinge("pin", last, "body 0", point=(0, 0, 0), axis=(0, 1, 0)))
        else:
            mech.add_joint(iso.Spherical(f"ball {k}", last, f"body {k}", point=(k, 0, 0)))
        last = f"body {k}"
    return mech


@pytest.mark.parametrize("masses", [(1.0, 1.0), (1.0, 0.01, 1.0)])
@pytest.mark.parametrize("rtol", [1e-12, 1e-13])
def test_small_components_beside_large_ones(masses: tuple[float, ...], rtol: float) -> None:
    """The second body hardly leaves the plane, so that errors far below rounding of the rows were
    asked of some velocities: "did not converge, also with steps as small as rounding of t"."""
    times = np.linspace(0.0, 1.1, 12)
    sol = iso.integrate(chain(*masses), iso.Radau(rtol), t_end=1.1, save=times)
    exact = iso.integrate(chain(*masses), iso.DOP853(1e-13), t_end=1.1, save=times)
    for name, bound in (("q", 1e-12), ("v", 1e-11), ("a", 1e-9), ("lam", 1e-9)):
        x, y = getattr(sol, name), getattr(exact, name)
        assert np.abs(x - y).max() < bound * np.abs(y).max(), name
    assert max(sol.drift().largest[:2]) < 1e-13

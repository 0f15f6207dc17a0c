"""Kepler's problem: the formula against tabulated values, and runs against the formula."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.errors import InputError
from isodyn.problems.kepler import build, motion, tabulated


@pytest.mark.parametrize("e", [0.6, 0.9])
def test_formula_gives_the_tabulated_values(e: float) -> None:
    """Position and velocity at five times up to 100, to 14 digits."""
    reference = tabulated(e)
    assert reference.t.size == 5
    exact = motion(reference.t, e)
    assert np.abs(exact.q - reference.q).max() < 2e-14
    assert np.abs(exact.v - reference.v).max() < 2e-14


@pytest.mark.parametrize("e", [0.0, 0.6, 0.9, 0.99])
def test_formula_solves_the_equation_of_motion(e: float) -> None:
    """a = −q/|q|³, and v and a are the derivatives of q and v."""
    t, h = np.linspace(0.05, 9.0, 400), 1e-5
    before, now, after = (motion(t + s, e) for s in (-h, 0.0, h))
    r = np.hypot(*now.q.T)[:, None]
    assert np.allclose(now.a, -now.q / r**3, rtol=1e-12)
    assert np.allclose((after.q - before.q) / (2 * h), now.v, rtol=1e-4, atol=1e-7)
    assert np.allclose((after.v - before.v) / (2 * h), now.a, rtol=1e-4, atol=1e-5 * np.abs(now.a).max())


@pytest.mark.parametrize(("e", "dt", "bound"), [(0.6, 1e-3, 2e-2), (0.9, 4e-4, 5e-2)])
def test_run_reaches_the_tabulated_values(e: float, dt: float, bound: float) -> None:
    """At t = 50 within a stated error, four times smaller with half the step."""
    reference = tabulated(e)
    (k,) = np.flatnonzero(reference.t == 50.0)
    errors = []
    for step in (dt, dt / 2):
        sol = iso.integrate(
            problems.get("kepler").system(e=e), iso.Scheme.V0(1, 1, 0), dt=step, t_end=50.0, save_every=10**6
        )
        errors.append(np.abs(sol.q[-1] - reference.q[k]).max())
    assert errors[0] < bound
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_an_open_orbit_is_refused() -> None:
    """e = 1 is no ellipse."""
    with pytest.raises(InputError, match=r"eccentricity e must lie in \[0, 1\)"):
        build(1.0)

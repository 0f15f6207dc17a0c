"""Rods in motion: second order in q, v, a and λ; energy and momenta of a free flight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso


def section(damping: float = 0.0) -> iso.Section:
    return iso.Section(
        EA=400.0,
        GAy=150.0,
        GAz=180.0,
        GJ=3.0,
        EIy=5.0,
        EIz=4.0,
        rhoA=0.7,
        rhoIy=0.02,
        rhoIz=0.03,
        damping=damping,
    )


def arc(s: float) -> tuple[float, float, float]:
    return np.sin(s), 1 - np.cos(s), 0.2 * s


def swinging(model: Any) -> Any:
    """A curved, damped rod on a ball joint with a body at its end."""
    mech = iso.Mechanism()
    spin = (0.5, -1.0, 2.0)
    mech.add_beam("rod", curve=arc, elements=2, section=section(0.02), model=model, angular_velocity=spin)
    tip = np.array(arc(1.0))
    mech.add_body("bob", 0.5, (0.02, 0.03, 0.04), tip, velocity=np.cross(spin, tip), angular_velocity=spin)
    mech.add_joint(iso.Spherical("ball", "ground", "rod.start", point=(0, 0, 0)))
    mech.add_joint(iso.Fixed("weld", "rod.end", "bob"))
    return mech.compile()


@pytest.mark.parametrize("scheme", [iso.Scheme.default(), iso.Scheme.optimal(0.6)], ids=["default", "optimal"])
@pytest.mark.parametrize("model", ["exact", "absolute-nodal"])
@pytest.mark.slow
def test_second_order_in_all_variables(scheme: iso.Scheme, model: str) -> None:
    system = swinging(model)
    runs = [iso.integrate(system, scheme, dt=0.02 / 2**k, t_end=0.4, save_every=2**k) for k in (0, 1, 2, 5)]
    for name in ("q", "v", "a", "lam"):
        reference = getattr(runs[-1], name)
        errors = [np.abs(getattr(run, name) - reference).max() for run in runs[:3]]
        # the reference has an error of its own: 1/1024 of the first
        slopes = np.log2([errors[0] / errors[1], errors[1] / errors[2]])
        assert slopes[-1] > 1.9, (name, errors, slopes)


def test_free_flight_keeps_momenta_and_nearly_keeps_its_energy() -> None:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_beam(
        "rod", curve=arc, elements=3, section=section(), model="exact", velocity=(1, 2, 3), angular_velocity=(1, 2, 4)
    )
    sol = iso.integrate(mech.compile(), iso.Scheme.midpoint_epa(), dt=0.005, t_end=1.0)
    total = sum(sol.energy())
    assert np.ptp(total) < 2e-4 * np.abs(total).max()
    masses = np.array([body.mass for body in sol.system.bodies])
    momentum = sum(m * sol.v[:, 6 * k : 6 * k + 3] for k, m in enumerate(masses))
    assert np.abs(momentum - momentum[0]).max() < 1e-11

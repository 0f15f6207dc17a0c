"""Cables in space with rigid bodies: like planar beams in a plane, second order in general motion,
momentum of free flight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso

SECTION = iso.Section(EA=100.0, EI=0.1, rhoA=1.0)


def flat() -> Any:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_beam("rod", (0, 0), (1, 0), elements=3, section=SECTION)
    mech.add_body("bob", 0.5, 0.01, (1.1, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start"))
    mech.add_joint(iso.Fixed("tip", "rod.end", "bob"))
    return mech.compile()


def space(velocity: float = 0.0) -> Any:
    """The same in space, clamped by a hinge about the tangent; or thrown across the plane as
    well."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    spin = (0.0, velocity, 0.0)
    mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=3, section=SECTION, angular_velocity=spin)
    mech.add_body(
        "bob", 0.5, (0.008, 0.009, 0.01), (1.1, 0, 0), velocity=(0, 0, -1.1 * velocity), angular_velocity=spin
    )
    mech.add_joint(iso.Spherical("pin", "ground", "rod.start"))
    mech.add_joint(iso.Hinge("tip", "rod.end", "bob", axis=(1, 0, 0)))
    return mech.compile()


def run(system: Any, dt: float, t_end: float = 0.4) -> iso.Solution:
    return iso.integrate(system, iso.Scheme.optimal(0.5), dt=dt, t_end=t_end)


def test_cable_and_body_in_a_plane() -> None:
    """Positions, and the torque at the clamp, as in the plane."""
    one, other = run(flat(), 1e-3), run(space(), 1e-3)
    for place in ("rod[1]", "rod.end", "bob"):
        assert np.abs(one.body(place).position - other.body(place).position).max() < 1e-8
    assert np.abs(one.reaction("tip").force - other.reaction("tip").force).max() < 1e-4
    assert np.abs(one.reaction("tip").torque - other.reaction("tip").torque).max() < 1e-4
    assert np.abs(one.reaction("tip").torque[:, 2]).max() > 0.1


def test_order_two_in_space() -> None:
    """q, v, a and multipliers of a cable with a body thrown out of the plane."""
    system, steps, finer = space(2.0), (1e-3, 5e-4), 8
    finest = steps[-1] / finer
    reference = run(system, finest)
    solutions = [run(system, dt) for dt in steps]
    assert np.abs(reference.body("bob").position[:, 2]).max() > 0.2
    for name in ("q", "v", "a", "lam"):
        errors = [
            np.abs(getattr(sol, name) - getattr(reference, name)[:: round(dt / finest)]).max()
            for dt, sol in zip(steps, solutions, strict=True)
        ]
        # the reference has an error of its own
        expected = np.log2((4 * finer**2 - 1) / (finer**2 - 1))
        assert abs(np.log2(errors[0] / errors[1]) - expected) < 0.1, name
    assert max(solutions[0].drift().largest[:2]) < 1e-13


def test_free_flight_keeps_momenta() -> None:
    """A cable clamped to a body, without gravity: linear momentum to rounding, angular momentum by
    the error of the step."""
    deviations = []
    for dt in (2e-3, 1e-3):
        mech = iso.Mechanism(gravity=(0, 0, 0), cayley=True)
        mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=3, section=SECTION, velocity=(0, 0.3, 0))
        mech.add_body("bob", 0.5, (0.008, 0.009, 0.01), (1.1, 0, 0), velocity=(0, 0.3, 0.7))
        mech.add_joint(iso.Spherical("tip", "rod.end", "bob"))
        system = mech.assemble(hold=()).system
        sol = iso.integrate(system, iso.Scheme.midpoint_mpa(), dt=dt, t_end=0.5)
        linear, angular = sol.momentum()
        assert np.abs(linear - linear[0]).max() < 1e-10
        deviations.append(np.abs(angular - angular[0]).max())
        assert np.abs(angular[0]).max() > 0.1
    assert deviations[1] < 0.3 * deviations[0] or deviations[1] < 1e-10


@pytest.mark.parametrize(
    "formulation", [iso.VelocityLevel(), iso.GGL(), iso.Projection()], ids=lambda f: type(f).__name__
)
def test_formulations_agree_in_space(formulation: Any) -> None:
    """With the default, to a part of the step's error."""
    system = space(2.0)
    runs = [iso.integrate(system, iso.Scheme.optimal(0.5), f, dt=1e-3, t_end=0.1) for f in (None, formulation)]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-5

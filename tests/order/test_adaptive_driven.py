"""Mechanisms whose constraints leave no freedom, or little beside what is driven: errors of adaptive
steps are those of accelerations and multipliers, and follow rtol."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso

TIMES = np.linspace(0.0, 1.5, 61)


def driven_arm() -> Any:
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("arm", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_joint(iso.Drive("drive", "pin", iso.Sine(1.0, 2.0)))
    return mech


def beside_one_that_hangs() -> Any:
    """Nothing of the free body shows the error of the driven one."""
    mech = driven_arm()
    mech.add_body("bob", mass=0.1, inertia=(1e-3, 1e-3, 1e-3), position=(1.0, 5.0, -1.0))
    mech.add_joint(iso.Hinge("hook", "ground", "bob", point=(1.0, 5.0, 0.0), axis=(0, 1, 0)))
    return mech


def driven_four_bar() -> Any:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("crank", mass=0.4, inertia=4e-4, position=(0, 0.05), kind="planar")
    mech.add_body("coupler", mass=0.8, inertia=6e-3, position=(0.15, 0.175), kind="planar")
    mech.add_body("rocker", mass=0.7, inertia=4e-3, position=(0.3, 0.125), kind="planar")
    for name, first, second, point in (
        ("A", "ground", "crank", (0, 0)),
        ("B", "crank", "coupler", (0, 0.1)),
        ("C", "coupler", "rocker", (0.3, 0.25)),
        ("D", "ground", "rocker", (0.3, 0)),
    ):
        mech.add_joint(iso.Hinge(name, first, second, point=point))
    mech.add_joint(iso.Drive("drive", "A", iso.Polynomial(0, 3.0)))
    return mech


def late_ramp() -> Any:
    """Rest, a drive of 0.2 s, and rest: a step over all of it ends with the right v and λ."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("arm", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_joint(iso.Drive("drive", "pin", iso.Ramp(0.0, 0.4, 0.7, 0.9)))
    return mech


def run(make: Any, scheme: Any, rtol: float) -> iso.Solution:
    formulation = scheme if not isinstance(scheme, iso.Scheme | None) else None
    member = None if formulation is not None else scheme
    steps = iso.Adaptive(rtol)
    return iso.integrate(make(), member, formulation, dt=steps, t_end=1.5, assemble=True, save=TIMES)


def errors_over_rtol(sol: iso.Solution, exact: iso.Solution, rtol: float) -> list[float]:
    pairs = [(getattr(sol, name), getattr(exact, name)) for name in ("q", "v", "a", "lam")]
    return [float(np.abs(x - y).max() / np.abs(y).max() / rtol) for x, y in pairs]


@pytest.mark.slow
@pytest.mark.parametrize("make", [driven_arm, beside_one_that_hangs, driven_four_bar])
@pytest.mark.parametrize(
    "scheme",
    [
        None,
        iso.Scheme.optimal(0.8),
        iso.Scheme.V0(0.5, 1, 0.5),
        iso.GGL(),
        iso.VelocityLevel(),
        iso.AccelerationLevel(),
        iso.Projection(),
        iso.NullSpace(),
        iso.UdwadiaKalaba(),
    ],
    ids=lambda scheme: "default" if scheme is None else getattr(scheme, "name", None) or repr(scheme),
)
def test_accelerations_and_multipliers_follow_the_tolerance(make: Any, scheme: Any) -> None:
    """Off by 100 to 10,000 rtol, without a word, when errors of freedoms alone were looked at; with
    `NullSpace` q and v were, too."""
    exact = iso.integrate(make(), iso.Radau(1e-9), t_end=1.5, assemble=True, save=TIMES)
    found = np.array([errors_over_rtol(run(make, scheme, rtol), exact, rtol) for rtol in (1e-2, 1e-3, 1e-4)])
    assert found.max() < 25.0
    a_and_multipliers = found[:, 2:]
    assert (a_and_multipliers.max(axis=0) < 5.0 * a_and_multipliers.min(axis=0)).all()


@pytest.mark.parametrize(
    "scheme", [None, iso.Scheme.V0(0.5, 1, 0.5), iso.Projection()], ids=["default", "V0", "projection"]
)
def test_drives_that_begin_and_end_in_a_quiet_run_are_seen(scheme: Any) -> None:
    """Five steps, one over all of the drive, and a wrong by all of itself, with any rtol."""
    exact = iso.integrate(late_ramp(), iso.Radau(1e-9), t_end=1.5, save=TIMES)
    for rtol in (1e-1, 1e-2, 1e-3):
        assert max(errors_over_rtol(run(late_ramp, scheme, rtol), exact, rtol)) < 15.0


def test_a_table_that_begins_to_move_moves_what_lies_on_it() -> None:
    """Seven steps, one over all of the ramp, and the ball pressed as it does at rest, with any rtol."""

    def make() -> Any:
        mech = iso.Mechanism(gravity=(0, 0, -9.81))
        mech.add_body("table", mass=5.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0))
        mech.add_joint(iso.Prismatic("guide", "ground", "table", point=(0, 0, 0), axis=(0, 0, 1)))
        mech.add_joint(iso.Drive("lift", "guide", iso.Ramp(0.0, 0.05, 0.7, 0.9)))
        mech.add_body("ball", mass=1.0, inertia=(0.004, 0.004, 0.004), position=(0, 0, 0.1))
        mech.add_contact(iso.SpherePlane("floor", "ball", "table", radius=0.1, mu=0.3))
        return mech

    for rtol in (1e-2, 1e-3):
        sol = run(make, None, rtol)
        s = np.clip((sol.t - 0.7) / 0.2, 0.0, 1.0)
        lifted = 0.05 * (60.0 * s - 180.0 * s**2 + 120.0 * s**3) / 0.2**2
        assert np.abs(sol.contact("floor").normal - 9.81 - lifted).max() < 20.0 * rtol * 7.2


@pytest.mark.parametrize("rtol", [1e-1, 1e-2])
def test_a_floor_that_begins_to_rise_under_a_mass_is_seen(rtol: float) -> None:
    """Its gap moves q alone, as a drive does: the mass stayed at its old force, and its rows were inside
    the floor."""

    def height(t: float) -> float:
        x = min(max((t - 0.7) / 0.2, 0.0), 1.0)
        return 0.05 * x**3 * (10.0 - 15.0 * x + 6.0 * x * x)

    mass = iso.MechanicalSystem(
        M=1.0,
        Q=lambda q, v, t: np.array([-9.81]),
        gap=lambda q, t: np.array([q[0] - height(t)]),
        q0=[0.0],
        v0=[0.0],
        restitution=0.0,
    )
    sol = iso.integrate(mass, dt=iso.Adaptive(rtol, atol=0.05 * rtol), t_end=1.5, save=301)
    assert sol.q[:, 0] == pytest.approx([height(t) for t in sol.t], abs=1e-5)
    x = np.clip((sol.t - 0.7) / 0.2, 0.0, 1.0)
    exact = 0.05 / 0.2**2 * (60.0 * x - 180.0 * x**2 + 120.0 * x**3)
    assert np.abs(sol.a[:, 0] - exact).max() < 0.1 * np.abs(exact).max()

"""Counted angles are the same in the plane and in space, in other coordinates, with adaptive steps,
in ensembles, after a resume."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from turning_joints import geared, gimbal, nut_on_an_arm, wheel

SPRING = iso.JointSpring("s", "pin", 4.0, damping=0.1)
LIMIT = iso.JointLimit("l", "pin", -9.0, 14.0, 30.0, 0.2)


@pytest.mark.parametrize("load", [SPRING, LIMIT, iso.FormulaMotor("m", "pin", "sin(pin.angle/5) - 2*pin.angle")])
def test_planar_and_spatial(load: Any) -> None:
    """The same motion to rounding."""
    both = [iso.integrate(wheel(load, speed=30.0, planar=planar), dt=0.02, t_end=4.0) for planar in (True, False)]
    assert both[1].joint("pin").angle == pytest.approx(both[0].joint("pin").angle, abs=1e-10)
    assert both[1].energy()[1] == pytest.approx(both[0].energy()[1], abs=1e-9)


def test_planar_and_spatial_gear() -> None:
    both = [
        iso.integrate(geared(np.e, 20.0, iso.JointSpring("s", "second", 0.1), planar=planar), dt=0.02, t_end=10.0)
        for planar in (True, False)
    ]
    for name in ("first", "second"):
        assert both[1].joint(name).angle == pytest.approx(both[0].joint(name).angle, abs=1e-9)


@pytest.mark.parametrize("choice", ["euler-parameters", "cardan-321"])
def test_other_coordinates(choice: Any) -> None:
    """Read by a spring the angle is carried along; read by nothing it is counted when the solution
    is lifted."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", 1.0, (1, 1, 1), angular_velocity=(0, 0, 30.0))
    mech.add_joint(iso.Hinge("pin", "ground", "wheel", axis=(0, 0, 1)))
    system = mech.compile(choice)
    sol = system.lift(iso.integrate(system, dt=2e-3, t_end=1.0, save_every=20))
    assert sol.joint("pin").angle == pytest.approx(30.0 * sol.t, abs=0.02)
    mech.add_load(SPRING)
    known = iso.integrate(mech.compile(), dt=2e-3, t_end=1.0, save_every=50)
    system = mech.compile(choice)
    sol = system.lift(iso.integrate(system, dt=2e-3, t_end=1.0, save_every=50))
    assert sol.joint("pin").angle == pytest.approx(known.joint("pin").angle, abs=0.01)


def test_fixed_and_adaptive_steps() -> None:
    """A rotor in a frame, with springs on both angles; few rows."""
    loads = iso.JointSpring("a", "turn", 2.0), iso.JointSpring("b", "spin", 3.0)
    fixed = iso.integrate(gimbal(12.0, 20.0, *loads), dt=5e-4, t_end=2.0, save_every=500)
    sol = iso.integrate_adaptive(gimbal(12.0, 20.0, *loads), t_end=2.0, save=fixed.t)
    for name in ("turn", "spin"):
        assert np.abs(sol.joint(name).angle).max() > 6.0
        assert fixed.joint(name).angle == pytest.approx(sol.joint(name).angle, abs=2e-3)


def test_dense_output_of_moving_axes() -> None:
    """q between rows, its counted angles too, from rows that are up to two turns apart."""
    every = iso.integrate(gimbal(3.0, 25.0), dt=1e-3, t_end=1.0)
    sol = iso.integrate(gimbal(3.0, 25.0), dt=1e-3, t_end=1.0, save_every=20)
    there = sol.at(every.t)
    assert there.q[:, -2:] == pytest.approx(every.q[:, -2:], abs=1e-4)
    sol = iso.integrate(gimbal(0.0, 25.0), dt=1e-3, t_end=1.0, save_every=500)
    assert sol.at(every.t).q[:, -1] == pytest.approx(25.0 * every.t, abs=1e-8)


def test_ensembles() -> None:
    """Members of an ensemble turn as they do alone, bit for bit, with starts whole turns apart."""
    system = wheel(SPRING, speed=25.0, axis=(1, 2, 3))
    starts = np.repeat(system.q0[None], 3, axis=0)
    starts[:, -1] += (0.0, 4 * np.pi, -6 * np.pi)
    many = iso.ensemble(system, q0=starts, dt=0.02, t_end=2.0)
    for i, start in enumerate(starts):
        alone = iso.integrate(replace(system, q0=start), dt=0.02, t_end=2.0)
        assert np.array_equal(many.q[i], alone.q)
    assert many.q[1, 0, -1] == pytest.approx(4 * np.pi)
    assert np.abs(many.q[0, -1, -1] - many.q[2, -1, -1]) > 1.0


def test_resumed_bit_for_bit(tmp_path: Any) -> None:
    """A run that goes on from its checkpoint has the same bits, counted angles included."""
    system = geared(np.sqrt(2.0), 30.0, iso.JointSpring("s", "first", 0.3))
    whole = iso.integrate(system, dt=0.02, t_end=4.0, checkpoint=iso.results.Checkpoint(tmp_path / "whole", every=50))

    def stop(sample: Any) -> bool:
        return bool(sample.t > 2.5)

    kept = iso.results.Checkpoint(tmp_path / "part", every=50)
    iso.integrate(system, dt=0.02, t_end=4.0, checkpoint=kept, observe=stop)
    rest = iso.resume(tmp_path / "part", system=system)
    assert np.array_equal(whole.q, rest.q)
    assert np.abs(whole.q[:, -2:]).max() > 40.0


def test_formulations() -> None:
    """The nut on its arm, whichever way positions are kept."""
    known = iso.integrate(nut_on_an_arm(0.005, 0.4, 20.0), dt=2e-3, t_end=0.5).joint("thread").displacement
    for formulation in (iso.GGL(), iso.Projection(), iso.Overdetermined()):
        sol = iso.integrate(nut_on_an_arm(0.005, 0.4, 20.0), formulation=formulation, dt=2e-3, t_end=0.5)
        assert sol.joint("thread").displacement == pytest.approx(known, abs=1e-5)


def test_with_a_users_load() -> None:
    """Beside a load in Python the compiled part counts as it does alone."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", 1.0, (1, 1, 1), angular_velocity=(0, 0, 40.0))
    mech.add_joint(iso.Hinge("pin", "ground", "wheel", axis=(0, 0, 1)))
    mech.add_load(iso.JointSpring("s", "pin", 4.0))
    alone = iso.integrate(mech.compile(), dt=0.01, t_end=1.0, save_every=20)
    mech.add_load(iso.UserLoad("nothing", "wheel", lambda t, pose: np.zeros(3)))
    sol = iso.integrate(mech.compile(), dt=0.01, t_end=1.0, save_every=20)
    assert sol.joint("pin").angle == pytest.approx(alone.joint("pin").angle, abs=1e-9)


def test_composed_steps() -> None:
    """Steps of fourth order go forwards and backwards; the angle goes with them."""
    sol = iso.integrate(
        wheel(iso.JointSpring("s", "pin", 4.0), speed=40.0),
        iso.Composition(iso.Scheme.central_difference()),
        dt=0.02,
        t_end=2.0,
        save_every=25,
    )
    assert sol.joint("pin").angle == pytest.approx(20 * np.sin(2 * sol.t), abs=1e-3)

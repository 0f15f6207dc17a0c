"""Files keep what happened in a run: states before and after events that acted, between few rows too."""

from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError


@pytest.mark.parametrize("named", [True, False])
def test_loaded_runs_know_their_events(tmp_path: Path, named: bool) -> None:
    """A ball that bounces, with three rows: between them it is where it was before it was saved."""
    ball = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: np.array([-9.81]), q0=[1.0], v0=[0.0])
    bounce = iso.Event(lambda t, q, v: q[0], direction=-1, action=lambda s: s._replace(v=-0.8 * s.v), name="bounce")
    sol = iso.integrate(ball, dt=0.01, t_end=1.2, save=3, events=[bounce])
    found = iso.load(sol.save(tmp_path / "ball.nc"), ball if named else None)
    assert [one.name for one in found.events] == [one.name for one in sol.events] == ["bounce", "bounce"]
    for one, other in zip(found.events, sol.events, strict=True):
        assert (one.t, one.index) == (other.t, other.index)
        for side in ("before", "after"):
            for x, y in zip(getattr(one, side)[1:], getattr(other, side)[1:], strict=True):
                assert np.array_equal(x, y)
    times = np.linspace(0.0, 1.2, 50)
    if named:
        assert np.array_equal(found.at(times).q, sol.at(times).q)
        assert found.at(0.5).q[0] >= 0.0


def test_events_without_actions(tmp_path: Path) -> None:
    """Of an event that changed nothing, the state after it is None."""
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    sol = iso.integrate(system, iso.DOP853(), t_end=5.0, events=[iso.Event(lambda t, q, v: q[0], name="zero")])
    found = iso.load(sol.save(tmp_path / "zero.nc"), system)
    assert [(one.name, one.after) for one in found.events] == [("zero", None)] * 2
    for name in ("event_times", "event_q", "event_v"):
        assert np.array_equal(found.aux[name], sol.aux[name])
    quiet = iso.integrate(system, dt=0.1, t_end=0.2)
    assert iso.load(quiet.save(tmp_path / "quiet.nc"), system).events == []


def test_a_mechanism_stands_for_its_system(tmp_path: Path) -> None:
    """As in every function that takes a system; it was called a damaged file."""
    mech = iso.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    sol = iso.integrate(mech, dt=0.01, t_end=0.1, events=[iso.Event("pin.angle - 0.01", name="down")])
    found = iso.load(sol.save(tmp_path / "rod.nc"), mech)
    assert [one.name for one in found.events] == ["down"]
    assert np.array_equal(found.joint("pin").angle, sol.joint("pin").angle)
    with pytest.raises(InputError, match="load takes the system of the run, received int"):
        iso.load(tmp_path / "rod.nc", 3)  # type: ignore[arg-type]


def test_what_controllers_and_events_set_is_read_again(tmp_path: Path) -> None:
    """Loaded with the mechanism, loads that an event had set to other numbers showed those of the
    model, without a word; with a controller it was "another system"."""
    for controlled in (False, True):
        mech = iso.Mechanism(gravity=(0, 0, 0))
        mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
        mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
        mech.add_load(iso.Motor("motor", "pin", torque=1.0))
        mech.add_load(iso.Force("push", "rod", (0.0, 0.0, 0.5)))
        events = [
            iso.Event("t - 0.3", action=iso.SetInput("push", (0.1, 0.0, -2.0))),
            *([] if controlled else [iso.Event("t - 0.5", action=iso.SetInput("motor", -4.0))]),
        ]
        if controlled:
            mech.add_controller("pd", every=0.05, writes="motor", law="-3*pin.angle")
        sol = iso.integrate(mech, dt=0.01, t_end=0.8, events=events)
        assert np.abs(sol.energy_balance()).max() < 1e-3
        sol.save(tmp_path / "rod.nc")
        for system in (mech, sol.system):
            found = iso.load(tmp_path / "rod.nc", system)
            for name in ("motor.power", "push.power", "motor.torque"):
                assert np.array_equal(found.quantity(name).values, sol.quantity(name).values)
            assert np.array_equal(found.energy_balance(), sol.energy_balance())
        iso.load(found.save(tmp_path / "again.nc"), mech)
        mech.loads["motor"] = iso.Motor("motor", "pin", torque=2.0)
        with pytest.raises(InputError, match="belongs to another system"):
            iso.load(tmp_path / "rod.nc", mech)

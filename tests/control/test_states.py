"""Continuous states of first order in mechanisms, against SciPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import isodyn as iso
from isodyn.errors import InputError
from isodyn.models import to_toml

INERTIA, MASS, ARM = 0.1, 1.0, 0.3


def driven() -> iso.Mechanism:
    """A rod on a hinge, turned by a torque that follows with a delay, is damped by the rate of the
    hinge, and is held back by a slow level."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("rod", mass=MASS, inertia=(0.1, INERTIA, 0.1), position=(ARM, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_state("torque", rate="(k*sin(3*t) - torque)/0.1 - 3*pin.angle_rate", initial=0.5, parameters={"k": 2.0})
    mech.add_state("level", rate="100*torque.value*pin.angle - level + 5*torque.integral", initial=200.0)
    mech.add_load(iso.FormulaMotor("motor", "pin", torque="torque.value - 0.01*level.value"))
    return mech


def rates(t: float, y: Any) -> list[float]:
    angle, speed, torque, level, total = y
    # the angle about y turns x towards −z, where gravity pulls
    moment = torque - 0.01 * level + 9.81 * MASS * ARM * np.cos(angle)
    return [
        speed,
        moment / (INERTIA + MASS * ARM**2),
        (2.0 * np.sin(3.0 * t) - torque) / 0.1 - 3.0 * speed,
        100.0 * torque * angle - level + 5.0 * total,
        torque,
    ]


def exact(t: Any) -> Any:
    found = solve_ivp(rates, (0.0, t[-1]), [0.0, 0.0, 0.5, 200.0, 0.0], "DOP853", t, rtol=1e-12, atol=1e-12)
    y = found.y
    rate = np.array([rates(s, x) for s, x in zip(t, y.T, strict=True)])
    return y, rate


def errors(sol: iso.Solution) -> list[float]:
    """Largest errors over all of time: angle, its rate and acceleration, values and rates of
    states."""
    y, rate = exact(sol.t)
    joint, torque, level = sol.joint("pin"), sol.state("torque"), sol.state("level")
    pairs = [(joint.angle, y[0]), (joint.angle_rate, y[1]), (joint.acceleration, rate[:, 1]), (torque.value, y[2])]
    pairs += [(torque.rate, rate[:, 2]), (level.value, y[3]), (level.rate, rate[:, 3]), (torque.integral, y[4])]
    return [float(np.abs(one - two).max() / np.abs(two).max()) for one, two in pairs]


@pytest.mark.parametrize("scheme", [None, iso.Scheme.optimal(0.8), iso.Scheme.V0(0.9, 0.9, 0.5)])
def test_second_order_in_values_and_rates(scheme: Any) -> None:
    found = [errors(iso.integrate(driven(), scheme, dt=dt, t_end=1.0)) for dt in (0.01, 0.005, 0.0025)]
    slopes = np.log2(np.array(found[:-1]) / found[1:])
    assert (slopes > 1.85).all(), slopes


def test_adaptive_steps_and_other_methods() -> None:
    found = np.array([errors(iso.integrate(driven(), dt=iso.Adaptive(rtol), t_end=1.0)) for rtol in (1e-3, 1e-5)])
    assert (np.log10(found[0] / found[1]) > 1.8).all(), found
    assert (found[1] < 2e-4).all()
    for method in (iso.Radau(1e-8), iso.DOP853(1e-10), iso.Auto(1e-8)):
        assert max(errors(iso.integrate(driven(), method, t_end=1.0))) < 1e-6


def test_integral_action_holds_an_arm() -> None:
    """A motor that is led by the integral of its error leaves none; the state is part of events and
    of controllers' reads."""
    mech = iso.Mechanism()
    mech.add_body("arm", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_state("missing", rate="0.2 - pin.angle")
    mech.add_load(
        iso.FormulaMotor("motor", "pin", torque="60*(0.2 - pin.angle) + 60*missing.value - 12*pin.angle_rate")
    )
    event = iso.Event("missing.value + 0.04", direction=-1)
    sol = iso.integrate(mech, dt=iso.Adaptive(1e-5), t_end=12.0, events=[event])
    assert sol.joint("pin").angle[-1] == pytest.approx(0.2, abs=1e-4)
    assert sol.state("missing").value[-1] == pytest.approx(-9.81 * 0.5 * np.cos(0.2) / 60.0, rel=1e-3)
    assert len(sol.events) == 1
    assert sol.at(sol.events[0].t).v[-1] == pytest.approx(-0.04, abs=1e-9)
    assert sol.quantity("missing.value").values[-1] == sol.state("missing").value[-1]


def test_states_have_no_mass_and_no_freedom() -> None:
    with_states, without = driven(), driven()
    without.states.clear()
    without.loads.clear()
    one, two = with_states.mobility(), without.mobility()
    assert (one.freedoms, one.nv, one.kutzbach) == (two.freedoms, two.nv, two.kutzbach) == (1, 6, 1)
    sol = iso.integrate(with_states, dt=0.01, t_end=0.1)
    kinetic, potential = sol.system.energy(sol.q[0], sol.v[0], 0.0)
    assert (kinetic, potential) == without.compile().energy(without.compile().q0, without.compile().v0, 0.0)
    assert [body.name for body in sol.system.bodies] == ["rod"]
    assert sol.drift().largest[0] < 1e-13


def test_a_state_has_no_force() -> None:
    """Its value, rate and integral are all that tables hold of it; no lengths and forces of a load."""
    sol = iso.integrate(driven(), dt=0.01, t_end=0.05)
    of_state = [name for name in sol.quantities() if name.startswith("torque.")]
    assert of_state == ["torque.value", "torque.rate", "torque.integral"]
    with pytest.raises(InputError, match="no quantity named 'torque'") as caught:
        iso.integrate(driven(), dt=0.01, t_end=0.05, events=iso.Event("torque - 0.1"))
    assert caught.value.hint == "'torque' has value, rate, integral: torque.value"


def test_model_files(tmp_path: Path) -> None:
    mech = driven()
    text = to_toml(mech, dt=0.01, t_end=0.3)
    (tmp_path / "model.toml").write_text(text)
    again = iso.load_model(tmp_path / "model.toml")
    one, two = iso.integrate(mech, dt=0.01, t_end=0.3), iso.integrate(again.system(), dt=0.01, t_end=0.3)
    np.testing.assert_array_equal(one.v, two.v)
    assert text == to_toml(again.mechanism(), dt=0.01, t_end=0.3)


def test_bad_states_are_refused() -> None:
    mech = driven()
    with pytest.raises(InputError, match="there is already a state named 'level'"):
        mech.add_state("level", rate="1")
    with pytest.raises(InputError, match="a name without dots and blanks"):
        mech.add_state("my level", rate="1")
    with pytest.raises(InputError, match="initial must be a finite number"):
        mech.add_state("other", rate="1", initial=np.inf)
    with pytest.raises(InputError, match="size must be positive"):
        mech.add_state("other", rate="1", size=0.0)
    with pytest.raises(
        InputError, match="equilibrium knows positions, not states of first order; this mechanism has 2"
    ):
        iso.equilibrium(mech)
    with pytest.raises(
        InputError, match="state 'torque' needs the coordinates 'rotation', received 'euler-parameters'"
    ):
        mech.compile("euler-parameters")
    with pytest.raises(InputError, match="there is no state named 'torqu'"):
        iso.integrate(mech, dt=0.01, t_end=0.01).state("torqu")
    mech.add_state("wrong", rate="level.valu")
    with pytest.raises(InputError, match=r"state 'wrong': formula 'level.valu': state 'level' has no 'valu'"):
        mech.compile()


def test_energy_balance_closes_beside_states() -> None:
    """What changes a state was counted as work."""
    runs = [iso.integrate(driven(), dt=h, t_end=0.4) for h in (4e-3, 2e-3)]
    coarse, fine = (np.abs(sol.energy_balance()).max() for sol in runs)
    assert coarse / fine == pytest.approx(4.0, rel=0.1)
    assert runs[1].quality().good
    work = runs[1].load("motor").work
    assert np.allclose(np.diff(sum(runs[1].energy())), np.diff(work), atol=1e-4 * np.abs(work).max())


def test_states_stay_in_reduced_mechanisms() -> None:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("mass", mass=1.0, position=(1, 0, 0), kind="particle")
    mech.add_load(iso.Spring("spring", "ground", "mass", stiffness=50.0, rest=1.0))
    mech.add_state("pressure", rate="3*sin(5*t) - 2*pressure.value - mass.vx", initial=0.3)
    mech.add_load(iso.FormulaForce("jack", "mass", ("4*pressure.value", 0, 0)))
    sol = iso.integrate(mech, dt=2e-3, t_end=0.4)
    basis = iso.pod(sol, rank=2, columns=[0, 1, 2])
    reduced = iso.integrate(iso.reduce(mech, basis), dt=2e-3, t_end=0.4)
    assert reduced.system.states == 1
    assert np.allclose(reduced.energy_balance(), sol.energy_balance(), atol=1e-9)
    with pytest.raises(InputError, match=r"the basis mixes pressure.value with coordinates"):
        iso.reduce(mech, iso.pod(sol, rank=2))


@pytest.mark.parametrize("find", [iso.periodic_orbit, iso.floquet])
def test_integrals_of_states_need_not_return(find: Any) -> None:
    """There was said to be no orbit; where the integral returns, it had a multiplier of 1 too many."""
    with pytest.raises(InputError, match=r"a periodic motion is one of positions, not of states .* mechanism has 2"):
        find(driven(), period=2.0 * np.pi / 3.0, dt=0.01)

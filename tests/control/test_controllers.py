"""Sampled controllers in runs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numba import njit

import isodyn as iso
from control_systems import arm, two_links
from isodyn.errors import CallableError, InputError, NonFiniteError

DT = 2.0**-8
EVERY = 8 * DT
READS = ["pin.angle", "pin.angle_rate"]


def pd(t: float, angle: float, rate: float) -> float:
    """A stiff PD law with a target."""
    return -30.0 * (angle - 0.4) - 4.0 * rate


def controlled(law: Any = pd, reads: Any = READS, **options: Any) -> iso.Mechanism:
    """The arm with a controller."""
    mech = arm()
    given = {"every": EVERY, "reads": reads, "writes": "motor", "law": law} | options
    mech.add_controller("pd", **given)
    return mech


@pytest.mark.parametrize("scheme", [None, iso.Scheme.V0(0.9, 0.9, 0.5)])
def test_loads_hold_what_the_law_returned_at_the_last_sample(scheme: iso.Scheme | None) -> None:
    sol = iso.integrate(controlled(), scheme, dt=DT, t_end=64 * DT)
    angle, rate = sol.joint("pin").angle, sol.quantity("pin.angle_rate").values
    torque = sol.quantity("motor.tension").values
    for k in range(64):
        n = k // 8 * 8
        assert abs(torque[k]) == pytest.approx(abs(pd(0.0, angle[n], rate[n])), rel=1e-10)
    assert len(set(np.round(torque, 9))) >= 8


def test_a_run_with_a_controller_is_a_run_with_jumps_at_breakpoints() -> None:
    """The same torques as a function of time, with breakpoints: another way through the code."""
    sol = iso.integrate(controlled(), dt=DT, t_end=64 * DT)
    torque = sol.system.description.parts.loads["motor"].torque
    other = iso.integrate(arm(torque), dt=DT, t_end=64 * DT, breakpoints=torque.times[1:])
    np.testing.assert_allclose(sol.q, other.q, atol=1e-13)
    np.testing.assert_allclose(sol.v, other.v, atol=1e-12)
    np.testing.assert_allclose(sol.a, other.a, atol=1e-9)
    np.testing.assert_allclose(sol.lam, other.lam, atol=1e-9)
    np.testing.assert_array_equal(sol.aux["breakpoint_rows"], np.arange(8, 64, 8))
    np.testing.assert_allclose(sol.aux["a_left"], other.aux["a_left"], atol=1e-9)


@pytest.mark.parametrize("scheme", [None, iso.Scheme.U0(0.5, 1.0, 0.5), iso.Scheme.V0(0.9, 0.9, 0.5)])
def test_second_order_between_samples_in_q_v_a_and_lam(scheme: iso.Scheme | None) -> None:
    """A controller of 20 Hz; steps from 1/4 to 1/16 of a sample, against 1/128."""
    every = 0.05
    errors = []
    law = "-30*(pin.angle - 0.4) - 4*pin.angle_rate"
    runs = [iso.integrate(controlled(law, (), every=every), scheme, dt=every / n, t_end=0.5) for n in (4, 8, 16, 128)]
    fine = runs[-1]
    for sol, n in zip(runs, (4, 8, 16), strict=False):
        rows = slice(None, None, 128 // n)
        errors.append([np.abs(getattr(sol, x) - getattr(fine, x)[rows]).max() for x in ("q", "v", "a", "lam")])
    slopes = [np.log2(np.array(a) / np.array(b)) for a, b in pairwise(errors)]
    assert np.min(slopes) > 1.95, (slopes, errors)


def test_formulas_python_and_compiled_laws_agree_bit_for_bit() -> None:
    compiled = njit(pd)
    by_formula = iso.integrate(controlled("-30*(pin.angle - 0.4) - 4*pin.angle_rate", ()), dt=DT, t_end=32 * DT)
    plain, fast = (iso.integrate(controlled(law), dt=DT, t_end=32 * DT) for law in (pd, compiled))
    np.testing.assert_array_equal(plain.q, fast.q)
    np.testing.assert_allclose(plain.q, by_formula.q, atol=1e-13)


def test_a_stepper_takes_the_same_steps() -> None:
    """Bit for bit between samples; at samples rows have what comes after."""
    mech = controlled()
    sol = iso.integrate(mech, dt=DT, t_end=1000 * DT)
    stepper = iso.Stepper(mech, dt=DT)
    for k in range(1, 101):
        stepper.step()
        if k % 8:
            np.testing.assert_array_equal(stepper.state.q, sol.q[k])
            np.testing.assert_array_equal(stepper.state.v, sol.v[k])
            np.testing.assert_array_equal(stepper.state.lam, sol.lam[k])


def test_steppers_remember_what_controllers_remember() -> None:
    law = iso.PID(kp=30.0, ki=20.0, kd=4.0, target=0.4)
    stepper = iso.Stepper(controlled(law, delay=2), dt=DT)
    stepper.run_until(20 * DT)
    saved = stepper.save()
    stepper.run_until(50 * DT)
    first = stepper.state.q
    stepper.restore(saved)
    stepper.run_until(50 * DT)
    np.testing.assert_array_equal(stepper.state.q, first)


def test_values_arrive_after_whole_samples() -> None:
    seen: list[float] = []

    def law(t: float) -> float:
        seen.append(t)
        return 1.0 + t

    sol = iso.integrate(controlled(law, (), delay=2), dt=DT, t_end=40 * DT)
    np.testing.assert_allclose(seen, [k * EVERY for k in range(5)], atol=1e-14)
    torque = sol.system.description.parts.loads["motor"].torque
    np.testing.assert_allclose(torque.times, [0.0, *(k * EVERY for k in (2, 3, 4))])
    np.testing.assert_allclose(torque.values, [0.0, 1.0, 1.0 + EVERY, 1.0 + 2 * EVERY])


def test_limits_hold() -> None:
    sol = iso.integrate(controlled(low=-2.0, high=1.5), dt=DT, t_end=64 * DT)
    values = sol.system.description.parts.loads["motor"].torque.values
    assert values.max() <= 1.5
    assert values.min() >= -2.0
    assert np.any(np.isin(values, (-2.0, 1.5)))


def test_an_input_that_stays_needs_no_start() -> None:
    """A constant law gives the run of a constant torque, bit for bit."""
    one = iso.integrate(controlled(lambda t: 1.25, ()), dt=DT, t_end=64 * DT)
    two = iso.integrate(arm(1.25), dt=DT, t_end=64 * DT)
    np.testing.assert_array_equal(one.q, two.q)
    np.testing.assert_array_equal(one.lam, two.lam)


def test_rows_need_not_be_samples() -> None:
    whole = iso.integrate(controlled(), dt=DT, t_end=64 * DT)
    some = iso.integrate(controlled(), dt=DT, t_end=64 * DT, save_every=5)
    assert len(some.t) == 14
    np.testing.assert_array_equal(some.q[:-1], whole.q[:64:5])
    np.testing.assert_array_equal(some.q[-1], whole.q[-1])


def test_two_controllers_with_rates_of_their_own_and_events() -> None:
    mech = two_links()
    for k, n in ((0, 2), (1, 3)):
        mech.add_controller(
            f"pd{k}",
            every=n * DT,
            reads=[f"joint{k}.angle", f"joint{k}.angle_rate"],
            writes=f"motor{k}",
            law=lambda t, angle, rate: -80.0 * angle - 8.0 * rate,
        )
    event = iso.Event("joint0.angle - 0.02", direction=1, action=lambda s: None)
    sol = iso.integrate(mech, dt=DT, t_end=60 * DT, events=[event])
    plain = iso.integrate(mech, dt=DT, t_end=60 * DT)
    assert len(sol.events) >= 1
    times = [sol.system.description.parts.loads[f"motor{k}"].torque.times for k in (0, 1)]
    np.testing.assert_allclose(times[0], np.arange(0, 60, 2) * DT, atol=1e-14)
    np.testing.assert_allclose(times[1], np.arange(0, 60, 3) * DT, atol=1e-14)
    np.testing.assert_allclose(sol.q[-1], plain.q[-1], atol=2e-4)


def test_a_pid_holds_the_arm_against_gravity() -> None:
    law = iso.PID(kp=60.0, ki=60.0, kd=8.0, target=0.3)
    mech = controlled(law)
    sol = iso.integrate(mech, dt=DT, t_end=8.0)
    assert sol.joint("pin").angle[-1] == pytest.approx(0.3, abs=2e-3)
    again = iso.integrate(mech, dt=DT, t_end=1.0)  # the law forgets what it did
    np.testing.assert_array_equal(again.q[:100], sol.q[:100])


def test_the_integral_waits_at_limits() -> None:
    law = iso.PID(ki=1.0, target=1.0, low=-0.5, high=0.5)
    found = [law(float(t), 0.0) for t in range(20)]
    assert max(found) == 0.5
    assert law(20.0, 2.0) < 0.0


def test_work_and_the_balance_of_energy_see_jumps_from_both_sides() -> None:
    """A torque that is held does the work u Δθ between two samples."""
    sol = iso.integrate(controlled(every=0.05), dt=0.05 / 64, t_end=0.5)
    angle, torque = sol.joint("pin").angle[::64], -sol.quantity("motor.tension").values[::64]
    work = sol.quantity("motor.work").values[-1]
    assert abs(work) > 1.0
    assert work == pytest.approx(float(np.sum(torque[:-1] * np.diff(angle))), abs=1e-4)
    assert np.abs(sol.energy_balance()).max() < 1e-4


# ---- what goes wrong


def test_a_law_that_raises_is_named_and_what_was_done_is_kept() -> None:
    def law(t: float, angle: float, rate: float) -> float:
        return 1.0 / (0.0 if t > 0.1 else 1.0)

    with pytest.raises(CallableError, match=r"controller 'pd' raised ZeroDivisionError at t = 0\.125") as raised:
        iso.integrate(controlled(law), dt=DT, t_end=1.0)
    assert raised.value.partial.t[-1] == pytest.approx(0.125)


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (np.nan, NonFiniteError, "returned"),
        ((1.0, 2.0), CallableError, "as many numbers"),
        ("much", CallableError, "numbers"),
        (None, (CallableError, NonFiniteError), "pd"),
    ],
)
def test_what_is_no_number_is_refused(value: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        iso.integrate(controlled(lambda t, angle, rate: value), dt=DT, t_end=1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"every": 0.0}, "positive"),
        ({"every": -1.0}, "positive"),
        ({"writes": "moter"}, "did you mean 'motor'"),
        ({"writes": ()}, "writes nothing"),
        ({"delay": 0.5}, "whole samples"),
        ({"low": 1.0, "high": 0.0}, "low must lie below high"),
        ({"law": 3.0}, "function"),
        ({"law": lambda t, y: 0.0}, r"'pd': law is called as law\(t, pin_angle, pin_angle_rate\), .* of \(t, y\)"),
        ({"law": "pin.angle"}, "reads must be left out"),
    ],
)
def test_bad_controllers_are_refused(options: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        controlled(**options)


def test_other_bad_requests_are_refused() -> None:
    with pytest.raises(InputError, match=r"controller 'pd'.*\n.*angle_rate"):
        iso.integrate(controlled(reads=["pin.angle", "pin.rate"]), dt=DT, t_end=1.0)
    with pytest.raises(InputError, match="no whole multiple of dt"):
        iso.integrate(controlled(), dt=0.01, t_end=1.0)
    with pytest.raises(InputError, match="no whole multiple of dt"):
        iso.Stepper(controlled(), dt=2 * EVERY)
    with pytest.raises(InputError, match="acts between steps"):
        iso.integrate(controlled(), formulation=iso.Hamiltonian(), dt=DT, t_end=1.0)
    with pytest.raises(InputError, match="acts between steps"):
        iso.ensemble(controlled(), dt=DT, t_end=1.0)
    basis = iso.pod(iso.integrate(arm(1.0), dt=DT, t_end=8 * DT), rank=1)
    with pytest.raises(InputError, match="acts between steps"):
        iso.reduce(controlled(), basis)
    with pytest.raises(InputError, match="cannot act"):
        controlled().compile("euler-parameters")
    mech = controlled()
    with pytest.raises(InputError, match="already"):
        mech.add_controller("other", every=1.0, writes="motor", law="1")
    mech.add_load(iso.JointSpring("spring", "pin", 1.0))
    with pytest.raises(InputError, match="takes no input"):
        mech.add_controller("other", every=1.0, writes="spring", law="1")


def test_sparse_models_loops_and_switched_loads_hold_inputs_too() -> None:
    """A chain of five links, in a loop with redundant rows; a spring is switched off on the way."""
    mech = iso.Mechanism()
    for k in range(5):
        mech.add_body(f"link{k}", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(k + 0.5, 0, 0))
        mech.add_joint(
            iso.Hinge(f"pin{k}", f"link{k - 1}" if k else "ground", f"link{k}", point=(k, 0, 0), axis=(0, 1, 0))
        )
    mech.add_joint(iso.Coupling("parallel", {"pin1": 1.0, "pin3": 1.0}))
    mech.add_joint(iso.Coupling("once more", {"pin1": 2.0, "pin3": 2.0}))
    mech.add_load(iso.JointSpring("spring", "pin0", stiffness=20.0))
    mech.add_load(iso.Motor("motor", "pin0", torque=0.0))
    mech.add_load(iso.Torque("twist", "link4", torque=(0, 1, 0)))
    for name in ("motor", "twist"):
        mech.add_controller(name + " law", every=4 * DT, reads="link4.wy", writes=name, law=lambda t, w: 3.0 - 0.3 * w)
    off = iso.Event(lambda t, q, v: t - 20.3 * DT, action=iso.SwitchLoad("spring", on=False))
    sol = iso.integrate(mech, dt=DT, t_end=40 * DT, events=[off])
    loads = sol.system.description.parts.loads
    other = iso.Mechanism()
    other.bodies, other.joints, other.loads = mech.bodies, mech.joints, loads
    times = np.unique(np.concatenate([loads["motor"].torque.times, loads["twist"].torque[1].times]))
    again = iso.integrate(other, dt=DT, t_end=40 * DT, events=[off], breakpoints=times[1:])
    assert times.size > 8
    np.testing.assert_allclose(sol.q[-1], again.q[-1], atol=1e-12)
    np.testing.assert_allclose(sol.v[-1], again.v[-1], atol=1e-11)


ANGLE_LAW = "-30*(pin.angle - 0.4) - 4*pin.angle_rate"


@pytest.mark.parametrize(
    ("method", "rtols", "every", "weaker"),
    [
        (None, (1e-3, 1e-4, 1e-5, 1e-6), 0.05, 1.0),
        (iso.Radau, (1e-4, 1e-6), 0.05, 1.0),
        (iso.DOP853, (1e-4, 1e-6, 1e-8, 1e-10), 0.5, 0.1),  # errors scatter by 3: over six decades
    ],
    ids=["Adaptive", "Radau", "DOP853"],
)
def test_steps_that_choose_themselves_end_at_samples(method: Any, rtols: Any, every: float, weaker: float) -> None:
    """Beside order 8 at 1e-12 errors of q, v, a and λ go with the tolerance over all of time, and
    another controller, whose samples fall between, joins in. 20 Hz; 2 Hz for order 8, which takes
    one step from sample to sample at 20 Hz and is at rounding there."""
    t_end = 10.4 * every if weaker == 1.0 else 4.7 * every

    def mech() -> iso.Mechanism:
        law = f"-{30 * weaker}*(pin.angle - 0.4) - {4 * weaker}*pin.angle_rate"
        made = controlled(law, (), every=every)
        made.add_load(iso.Torque("push", "rod", (0, 1, 0)))
        made.add_controller("slow", every=1.6 * every, writes="push", law=f"-{2 * weaker}*pin.angle_rate")
        return made

    def run(rtol: float) -> iso.Solution:
        if method is not None:
            return iso.integrate(mech(), method(rtol), t_end=t_end)
        return iso.integrate(mech(), dt=iso.Adaptive(rtol), t_end=t_end)

    exact = iso.integrate(mech(), iso.DOP853(1e-12), t_end=t_end)
    samples = np.arange(0.0, t_end + 1e-9, every)
    times = np.unique(np.round(np.concatenate([samples, np.arange(0.0, t_end + 1e-9, 1.6 * every)]), 12))
    found = []
    for sol in map(run, rtols):
        rows, others = ([np.abs(x.t - t).argmin() for t in times] for x in (sol, exact))
        np.testing.assert_allclose(sol.t[rows], times, rtol=1e-12)
        inside = [row for row, t in zip(rows, times, strict=True) if 0.0 < t < t_end - 1e-9]
        np.testing.assert_array_equal(sol.aux["breakpoint_rows"], inside)
        found.append([np.abs(getattr(sol, x)[rows] - getattr(exact, x)[others]).max() for x in ("q", "v", "a", "lam")])
        torque = sol.quantity("motor.tension").values
        assert len(set(np.round(torque, 9))) == samples.size
    slopes = np.polyfit(np.log10(rtols), np.log10(found), 1)[0]
    assert (slopes >= 0.95).all(), (slopes, found)


@pytest.mark.parametrize("dt", [0.0125, iso.Adaptive(1e-6)])
def test_a_load_that_jumps_at_a_sample(dt: Any) -> None:
    """Forces after both jumps count, whichever of the two starts the run anew."""
    mech = controlled(ANGLE_LAW, (), every=0.05)
    mech.add_load(iso.Torque("push", "rod", (0, 1, 0), time=lambda t: np.where(t <= 0.1, 0.0, 3.0)))
    sol = iso.integrate(mech, dt=dt, t_end=0.2, breakpoints=[0.1])
    k = np.flatnonzero(np.isclose(sol.t, 0.1))[0]
    inertia = 0.1 + 0.25
    torque = -float(sol.quantity("motor.tension").values[k])
    angle = sol.joint("pin").angle[k]
    expected = (torque + 3.0 + 9.81 * 0.5 * np.cos(angle)) / inertia
    assert sol.joint("pin").acceleration[k] == pytest.approx(expected, rel=1e-9)


def test_position_level_begins_a_transient_at_every_sample() -> None:
    """Multipliers are of first order after every start, as the warning says, and so after every
    sample: halving dt halves the error."""
    scheme, every = iso.Scheme.U0(0.5, 0.5, 0.5), 0.05
    fine = iso.integrate(controlled(ANGLE_LAW, (), every=every), dt=every / 256, t_end=0.5)
    errors = []
    for n in (16, 32, 64):
        with pytest.warns(iso.errors.AccuracyWarning, match="first order in the transient after every start"):
            sol = iso.integrate(
                controlled(ANGLE_LAW, (), every=every), scheme, iso.PositionLevel(), dt=every / n, t_end=0.5
            )
        errors.append([np.abs(getattr(sol, x) - getattr(fine, x)[:: 256 // n]).max() for x in ("q", "v", "lam")])
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (slopes[:, :2] > 1.85).all()
    assert slopes[:, 2] == pytest.approx([1.0, 1.0], abs=0.05)


def test_steps_to_given_times_do_not_go_with_controllers() -> None:
    with pytest.raises(InputError, match="samples at equal distances in time; steps to given times need not end there"):
        iso.integrate(controlled(), dt=iso.StepTimes(np.linspace(0.01, 0.1, 10)), t_end=0.1)
    with pytest.raises(InputError, match="acts between steps of a run; NullSpace"):
        iso.integrate(controlled(), iso.DOP853(1e-8), iso.NullSpace(), t_end=0.1)


@pytest.mark.parametrize("method", [None, iso.Radau(1e-6), iso.DOP853(1e-8)], ids=["GS4", "Radau", "order 8"])
def test_rows_at_named_times_are_those(method: Any) -> None:
    """Samples are no rows that somebody asked for; Radau and order 8 gave all of them."""
    given = {"dt": 0.0125} if method is None else {}
    law = "-30*(pin.angle - 0.4) - 4*pin.angle_rate"
    times = [0.0, 0.05, 0.333, 0.725]
    whole = iso.integrate(controlled(law, (), every=0.05), method, t_end=1.0, **given)
    sol = iso.integrate(controlled(law, (), every=0.05), method, t_end=1.0, save=times, breakpoints=[0.6], **given)
    np.testing.assert_array_equal(sol.t, times)
    row = np.abs(whole.t - 0.05).argmin()
    np.testing.assert_allclose(sol.q[1], whole.q[row], atol=1e-12)
    np.testing.assert_allclose(sol.a[1], whole.a[row], atol=1e-7)
    np.testing.assert_allclose(sol.aux["a_left"][0], whole.aux["a_left"][0], atol=1e-7)
    assert sol.aux["breakpoint_rows"].tolist() == [1]


@pytest.mark.parametrize("dt", [1 / 300, iso.Adaptive(1e-6)], ids=["fixed", "adaptive"])
def test_rows_at_samples_are_those_after_them(dt: Any) -> None:
    """Times of samples, of grids and of users are sums that differ in the last digit: a row there
    has the accelerations after the jump, and was interpolated from both sides before."""
    law, times = "-30*(pin.angle - 0.4) - 4*pin.angle_rate", np.linspace(0.0, 0.7, 15)
    exact, sol = (
        iso.integrate(controlled(law, (), every=0.01), method, t_end=0.7, save=times, **given)
        for method, given in ((iso.DOP853(1e-9), {}), (None, {"dt": dt}))
    )
    assert np.abs(sol.q - exact.q).max() < 1e-4
    assert np.abs(sol.a - exact.a).max() < 1e-2 * np.abs(exact.a).max()
    assert sol.aux["breakpoint_rows"].size == 13


@pytest.mark.parametrize(
    ("every", "dt", "hint"),
    [
        ((0.1, 0.07), 0.1, "dt = 0.01 fits"),
        ((1 / 3, 1 / 7), 0.1, "dt = 0.047619047619 fits"),
        ((0.1, np.pi / 30), 0.01, "a common divisor, or dt=iso.Adaptive"),
    ],
)
def test_steps_that_are_said_to_fit_fit_all_controllers(every: tuple[float, float], dt: float, hint: str) -> None:
    """For 0.1 and 0.07 it said that 0.07 fits, and then that 0.05 does."""
    mech = two_links()
    for k, one in enumerate(every):
        mech.add_controller(f"pd{k}", every=one, writes=f"motor{k}", law=f"-joint{k}.angle")
    with pytest.raises(InputError, match=hint):
        iso.integrate(mech, dt=dt, t_end=1.0)

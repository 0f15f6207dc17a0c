"""Controllers of unusual rates, delays and readings: right, or refused by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import isodyn as iso
from control_systems import arm
from isodyn.errors import CallableError, InputError, NonFiniteError

CHOSEN = [{"dt": iso.Adaptive(1e-3)}, {"scheme": iso.Radau(rtol=1e-6)}, {"scheme": iso.DOP853(rtol=1e-6)}]


def controlled(**options: Any) -> iso.Mechanism:
    mech = arm()
    given: dict[str, Any] = {"every": 0.02, "reads": ["pin.angle"], "writes": "motor", "law": lambda t, angle: 0.1}
    mech.add_controller("own", **given | options)
    return mech


def two_rates() -> iso.Mechanism:
    """Two samplers whose times meet every 0.21 s, both late, one limited."""
    mech = iso.Mechanism()
    mech.add_body("arm", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    for name in ("one", "two"):
        mech.add_load(iso.Motor(name, "pin", torque=0.0))
    mech.add_controller(
        "fast",
        every=0.03,
        reads=["pin.angle", "pin.angle_rate"],
        writes="one",
        law=lambda t, angle, rate: -60.0 * (angle - 0.2) - 6.0 * rate,
        low=-8.0,
        high=8.0,
        delay=1,
    )
    mech.add_controller(
        "slow", every=0.07, reads=["pin.angle"], writes="two", law=lambda t, x: math.sin(5.0 * t) - 3.0 * x, delay=2
    )
    return mech


def by_hand() -> tuple[float, float]:
    """The same, sample by sample."""
    y, held, waiting = np.zeros(2), [0.0, 0.0], ([0.0], [0.0, 0.0])
    times = sorted({*range(0, 100, 3), *range(0, 100, 7)})  # hundredths of a second
    for now, later in zip(times, [*times[1:], 100], strict=True):
        t, (angle, rate) = now / 100, y
        laws = np.clip(-60.0 * (angle - 0.2) - 6.0 * rate, -8.0, 8.0), math.sin(5.0 * t) - 3.0 * angle
        for k, every in enumerate((3, 7)):
            if now % every == 0:
                waiting[k].append(float(laws[k]))
                held[k] = waiting[k].pop(0)
        torque = sum(held)
        y = solve_ivp(
            lambda _, y, u=torque: [y[1], (u + 0.5 * 9.81 * math.cos(y[0])) / 0.34],
            (t, later / 100),
            y,
            "DOP853",
            rtol=1e-11,
            atol=1e-12,
        ).y[:, -1]
    return float(y[0]), float(y[1])


@pytest.mark.parametrize(
    ("given", "near"),
    [({"scheme": iso.DOP853(rtol=1e-9)}, 1e-8), ({"dt": iso.Adaptive(1e-4)}, 1e-4), ({"dt": 2.5e-3}, 1e-4)],
)
def test_rates_that_do_not_divide_each_other(given: Any, near: float) -> None:
    pin = iso.integrate(two_rates(), t_end=1.0, **given).joint("pin")
    angle, rate = by_hand()
    assert abs(pin.angle[-1] - angle) < near
    assert abs(pin.angle_rate[-1] - rate) < 10.0 * near


def test_delays_longer_than_the_run_cost_nothing() -> None:
    late, never = (iso.integrate(mech, dt=0.01, t_end=0.1) for mech in (controlled(delay=10**12), arm()))
    np.testing.assert_array_equal(late.q, never.q)


@pytest.mark.parametrize("given", CHOSEN)
@pytest.mark.parametrize("every", [1e-300, 1e-12])
def test_samples_that_no_run_can_stop_at_are_refused(given: Any, every: float) -> None:
    with pytest.raises(InputError, match=r"controller 'own' samples every 1e-\d+, .* at most at 1e\+07"):
        iso.integrate(controlled(every=every), t_end=0.1, **given)


@pytest.mark.parametrize(("read", "value"), [("1/(pin.angle*0)", "nan|inf"), ("log(pin.angle - 5)", "nan")])
def test_readings_that_are_no_numbers_are_named(read: str, value: str) -> None:
    """A law may compare them with something, and would go on."""
    with pytest.raises(NonFiniteError, match=rf"controller 'own' reads ({value}) from .* at t = 0"):
        iso.integrate(controlled(reads=[read]), dt=0.01, t_end=0.1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reads": None}, "reads must be a name or several, received None"),
        ({"reads": 3}, "reads must be a name or several, received 3"),
        ({"writes": None}, "writes must be a name or several, received None"),
        ({"writes": ["motor", "motor"]}, "writes an input twice"),
    ],
)
def test_names_that_are_none_are_refused(options: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        controlled(**options)


def test_a_stepper_goes_back_into_the_middle_of_a_delay() -> None:
    """What a law has decided and loads do not know yet is saved, too; a reset forgets it."""
    stepper = iso.Stepper(two_rates(), dt=2.5e-3)
    stepper.run_until(0.1)
    saved, ways = stepper.save(), []
    for _ in range(2):
        stepper.run_until(0.4)
        ways.append(stepper.state)
        stepper.restore(saved)
    stepper.reset()
    stepper.run_until(0.4)
    for state in (ways[1], stepper.state):
        for one, other in zip(ways[0], state, strict=True):
            np.testing.assert_array_equal(one, other)
    sol = iso.integrate(two_rates(), dt=2.5e-3, t_end=0.4)
    np.testing.assert_allclose(ways[0].q, sol.q[-1], atol=1e-13)


def test_a_sample_that_failed_can_be_taken_again() -> None:
    """Once a controller beside the one that raised had taken its sample twice, so that what waits
    for its delay came a sample too early (3e-3 after 0.2 s)."""

    def run(fails_at: int) -> np.ndarray:
        mech, calls = arm(), [0]
        mech.add_load(iso.Motor("second", "pin", torque=0.0))

        def sensor(t: float) -> float:
            calls[0] += 1
            if calls[0] == fails_at:
                raise OSError("no answer")
            return t

        mech.add_controller("late", every=0.02, writes="motor", law=lambda t: 10.0 * t + 1.0, delay=2)
        mech.add_controller("sensor", every=0.02, writes="second", law=sensor)
        stepper = iso.Stepper(mech, dt=0.01)
        while stepper.t < 0.195:
            try:
                stepper.step()
            except CallableError:
                assert fails_at
        return np.array(stepper.state.q)

    np.testing.assert_array_equal(run(3), run(0))


def test_infinite_limits_are_none() -> None:
    free, bounded = (
        iso.integrate(controlled(low=low, high=high), dt=0.01, t_end=0.1)
        for low, high in ((None, 0.05), (-np.inf, 0.05))
    )
    np.testing.assert_array_equal(free.q, bounded.q)
    for low, high in ((np.inf, None), (None, -np.inf), (1.0, 1.0)):
        with pytest.raises(InputError, match=r"'own': (low|high) must"):
            controlled(low=low, high=high)
    with pytest.raises(InputError, match="PID: high must be a finite number, received None"):
        iso.PID(1.0, high=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", None, ["a"], "ground", 3])
def test_names_of_parts_are_texts(name: Any) -> None:
    """An empty name, or a number, went through; a list ended in a TypeError."""
    mech = arm()
    with pytest.raises(InputError, match="a part needs a name other than 'ground'"):
        mech.add_controller(name, every=0.02, writes="motor", law="1")
    with pytest.raises(InputError, match=r"a part needs a name|a name without dots"):
        mech.add_state(name, rate="1")
    with pytest.raises(InputError, match="name"):
        mech.add_load(iso.Motor("other", name, torque=1.0))
    with pytest.raises(InputError, match=r"no input named|is needed"):
        iso.Stepper(arm(), dt=0.01).inputs[name] = 1.0
    with pytest.raises(InputError, match=r"no quantity named|is needed|formula"):
        iso.Stepper(arm(), dt=0.01).read(name)


def test_other_wrong_arguments_are_told() -> None:
    with pytest.raises(InputError, match=r"state 'p': parameters must be a dict, received 3.0"):
        arm().add_state("p", rate="k", parameters=3.0)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="newton must be a Newton"):
        iso.Stepper(arm(), dt=0.01, newton=1e-9)  # type: ignore[arg-type]
    mech = arm()
    mech.add_load(iso.GearMotor("gear", "pin", [0, 1], [1, 0], command=None))
    with pytest.raises(InputError, match="motor 'gear': command is missing"):
        mech.compile()
    with pytest.raises(CallableError, match="must return numbers"):
        iso.integrate(controlled(law=lambda t, x: 10**400), dt=0.01, t_end=0.1)
    with pytest.raises(InputError, match=r"law must be a function, received the class PID\n.*PID\(…\)"):
        controlled(law=iso.PID)  # a TypeError when the run began


@pytest.mark.parametrize("value", ["1.0", np.ma.masked, [None], 1j])
def test_what_only_looks_like_a_number_is_refused(value: object) -> None:
    """Texts became numbers, and masked ones zero."""
    with pytest.raises(CallableError, match=r"controller 'own' must return numbers, received .* at t = 0\.04"):
        iso.integrate(controlled(law=lambda t, x: value if t > 0.03 else 0.0), dt=0.01, t_end=0.1)


def test_a_wrong_count_is_told_with_its_time() -> None:
    def law(t: float, x: float) -> object:
        return [0.0, 1.0] if t > 0.03 else 0.0

    with pytest.raises(CallableError, match=r"must return as many numbers, received \[0.0, 1.0\] at t = 0\.04"):
        iso.integrate(controlled(law=law), dt=0.01, t_end=0.1)

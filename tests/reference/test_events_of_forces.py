"""Events that look at accelerations and multipliers: what starts correct of these, and jumps at
breakpoints, count as they should; what is read beside events that no row was saved of; and what
actions and functions may not return."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import CallableError, InputError

STEPS: dict[str, dict[str, Any]] = {
    "fixed": {"dt": 0.05},
    "adaptive": {"dt": iso.Adaptive(1e-2)},
    "Radau": {"scheme": iso.Radau(1e-6)},
    "order 8": {"scheme": iso.DOP853(1e-8)},
    "Auto": {"scheme": iso.Auto(1e-6)},
}


def nothing(sample: iso.results.Sample) -> None:
    """An action that only makes the run start again."""


@pytest.mark.parametrize("how", ["fixed", "adaptive", "Radau"])
def test_a_force_passes_a_value_once(how: str) -> None:
    """The multiplier at the end of a GS4 step and the one that a start solves for differ by the error of
    the step: an action that did nothing was called up to five times at one passage."""
    found = []
    for action in (None, nothing):
        rope = iso.Event(lambda s: s.lam[0] - 8.0, action=action)
        sol = iso.integrate(iso.problems.get("pendulum").system(), t_end=3.0, events=[rope], **STEPS[how])
        found.append([event.t for event in sol.events])
    assert len(found[0]) == len(found[1]) >= 2
    assert found[0] == pytest.approx(found[1], abs=0.05)


@pytest.mark.parametrize("how", STEPS)
def test_forces_that_are_weighed_with_velocities(how: str) -> None:
    """a + v/2 changes at its zeros the other way than v/2 does alone, which was taken for its slope at
    starts: "events accumulate", at the first action that did nothing."""
    swing = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[0.0], v0=[0.5])
    phase = np.arctan(0.5)  # (a + v/2)/0.5 = −sin t + cos(t)/2 = √1.25 sin(phase − t)
    known = phase + np.array([-np.arcsin(0.6 / 1.25**0.5), np.pi + np.arcsin(0.6 / 1.25**0.5)]) + [2 * np.pi, 0]
    for action in (None, nothing):
        both = iso.Event(lambda s: s.a[0] + 0.5 * s.v[0] - 0.3, action=action)
        sol = iso.integrate(swing, t_end=7.0, events=[both], **STEPS[how])
        assert [event.t for event in sol.events] == pytest.approx(sorted(known), abs=0.02)


@pytest.mark.parametrize("scheme", [None, iso.Scheme.V0(1.0, 1.0, 0.0), iso.Radau(1e-8), iso.DOP853(1e-8)], ids=str)
def test_forces_that_come_back_within_a_step(scheme: Any) -> None:
    """q = sin(t)/2 just passes 0.4993, is slowed down there, and returns 0.06 s later: the return was
    lost, and the passage counted twice where a grid time follows."""
    swing = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[0.0], v0=[0.5])
    mark = iso.Event(lambda s: s.a[0] + 0.49935828, action=lambda s: s._replace(v=0.6 * s.v))
    method = {} if isinstance(scheme, iso.Radau | iso.DOP853) else {"dt": 0.02}
    sol = iso.integrate(swing, scheme, t_end=3.0, events=[mark], **method)
    assert [event.t for event in sol.events] == pytest.approx([1.5201, 1.5810], abs=2e-3)
    assert [event.after.v[0] / event.before.v[0] for event in sol.events] == pytest.approx([0.6, 0.6])


@pytest.mark.parametrize("action", [None, nothing])
@pytest.mark.parametrize("how", ["fixed", "adaptive", "order 8"])
def test_forces_that_jump_at_breakpoints_pass_a_value_there(how: str, action: Any) -> None:
    """a = 2 between 0.5 and 0.8, and t/10 else. Events that fell into the jumps were lost."""
    push = iso.MechanicalSystem(1.0, lambda q, v, t: [2.0 if 0.5 <= t < 0.8 else 0.1 * t], [0.0], [2.0])
    for direction, times in ((0, [0.5, 0.8]), (1, [0.5]), (-1, [0.8])):
        one = iso.Event(lambda t, q, v, a, lam: a[0] - 1.0, direction=direction, action=action)
        sol = iso.integrate(push, t_end=1.0, breakpoints=[0.5, 0.8], events=[one, one], **STEPS[how])
        assert [event.t for event in sol.events] == [t for t in times for _ in range(2)]
    ended = iso.Event(lambda t, q, v, a, lam: a[0] - 1.0, terminal=2)
    assert iso.integrate(push, t_end=1.0, breakpoints=[0.5, 0.8], events=[ended], **STEPS[how]).t[-1] == 0.8


@pytest.mark.parametrize("how", ["fixed", "order 8"])
@pytest.mark.parametrize("save", [3, [0.0, 0.9, 1.1, 2.8], [0.0, 1.0, 2.0, 2.8]])
def test_between_few_rows_the_motion_is_in_pieces(how: str, save: Any) -> None:
    """A bouncing ball with few rows: `at` had gone smoothly over the bounces, off by 1 m, and the
    balance of energy had missed what they took."""
    ball = iso.MechanicalSystem(
        M=1.0, Q=lambda q, v, t: [-10.0], q0=[5.0], v0=[0.0], energy=lambda q, v, t: (0.5 * v @ v, 10.0 * q[0])
    )
    floor = iso.Event(lambda t, q, v: q[0], direction=-1, action=lambda s: s._replace(v=-0.5 * s.v))
    sol = iso.integrate(ball, t_end=2.8, events=[floor], save=save, **STEPS[how])
    t = np.array([0.4, 0.95, 0.999, 1.001, 1.5, 1.99, 2.01, 2.3, 2.7])
    start = np.select([t < 1, t < 2, t < 2.5], [0.0, 1.0, 2.0], 2.5)
    speed = np.select([t < 1, t < 2, t < 2.5], [0.0, 5.0, 2.5], 1.25)
    known = np.where(t < 1, 5.0, speed * (t - start)) - 5.0 * (t - start) ** 2
    assert sol.at(t).q[:, 0] == pytest.approx(known, abs=1e-12)
    assert sol.at(t).v[:, 0] == pytest.approx(speed - 10.0 * (t - start), abs=1e-11)
    assert np.abs(sol.energy_balance()).max() < 1e-7


@pytest.mark.parametrize("how", STEPS)
def test_grazing_is_what_the_computed_motion_does(how: str) -> None:
    """q = cos t just reaches −1. With any steps the events are the changes of sign of the motion that was
    computed, in pairs; they agree where the margin is larger than the error; and the turn itself is a
    zero of the velocity, once."""
    swing = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    margins = (0.0, 1e-2, -1e-2)
    touch = [iso.Event(lambda t, q, v, x=x: q[0] + 1.0 + x) for x in margins]
    turn = iso.Event(lambda t, q, v: v[0], direction=1)
    sol = iso.integrate(swing, t_end=6.0, events=[*touch, turn], **STEPS[how])
    counts = [sum(event.index == k for event in sol.events) for k in range(4)]
    g = sol.at(np.linspace(3.0, 3.3, 3001)).q[:, 0] + 1.0
    assert counts == [2 if g.min() < 0.0 else 0, 0, 2, 1]
    assert abs(g.min()) < 2e-3
    assert [event.t for event in sol.events if event.index == 3] == pytest.approx([np.pi], abs=1e-2)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda s: s.v.fill(0.0), "has changed q or v of its sample in place"),
        (lambda s: {"v": 1j * s.v}, "must return real numbers"),
        (lambda s: {"v": "fast"}, "must return real numbers"),
        (lambda s: {"q": [[1.0], [2.0, 3.0]]}, "must return real numbers"),
    ],
)
def test_actions_whose_wish_was_lost(action: Any, words: str) -> None:
    """A velocity set in place was left as it was, without a word."""
    ball = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: [-10.0], q0=[5.0], v0=[0.0])
    with pytest.raises(InputError, match=words) as raised:
        iso.integrate(ball, dt=0.1, t_end=2.0, events=[iso.Event(lambda t, q, v: q[0], action=action)])
    assert raised.value.partial.t[-1] == pytest.approx(1.0)


def test_functions_and_actions_of_the_wrong_kind() -> None:
    """t > 0.2 goes from 0 to 1 and passes nothing: no event was found."""
    ball = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: [-10.0], q0=[5.0], v0=[0.0])
    with pytest.raises(CallableError, match="event 0 returned False, which has no sign"):
        iso.integrate(ball, dt=0.1, t_end=1.0, events=[lambda t, q, v: t > 0.2])
    with pytest.raises(InputError, match="takes one argument, a sample"):
        iso.Event(lambda t, q, v: q[0], action=lambda: None)


def test_subdomains_refuse_events() -> None:
    halves = {name: iso.LinearSystem(1.0, None, k, None, [1.0], [0.0]) for name, k in (("1", 5.0), ("2", 45.0))}
    tied = iso.Subdomains(halves, ties=[("1", [0], "2", [0])])
    with pytest.raises(InputError, match="events are not for subdomains"):
        iso.integrate(tied, dt=0.01, t_end=0.1, events=[lambda t, q, v: q[0]])


@pytest.mark.parametrize("t0", [0.0, 1e8])
def test_what_turns_round_at_its_zero_far_from_t_0(t0: float) -> None:
    """s₁² has the same value after s is turned round: what rounding of t made of it had counted as a
    jump of forces, and the action was called twice at a time until "events accumulate"."""
    turned: list[float] = []

    def turn(s: iso.results.Sample) -> iso.results.Sample:
        turned.append(float(s.t))
        return s._replace(v=-s.v)

    def rates(s: Any, t: float) -> Any:
        return 1e-3 * np.array([s[1], -s[0]])

    for size in np.linspace(0.1, 0.9, 5):
        system = iso.FirstOrderSystem(rates, s0=[0.0, 1.0])
        event = iso.Event(lambda s, size=size: s.v[0] ** 2 - size**2, action=turn)
        # others, so that steps are looked into
        others = iso.Event(lambda t, q, v: np.sin(0.02 * (t - t0)), name="others")
        sol = iso.integrate(system, iso.Auto(1e-8), t0=t0, t_end=t0 + 3000.0, events=[event, others])
        known = [x for x in (np.arcsin(size), np.pi - np.arcsin(size)) if x < 3.0]
        found = [event.t for event in sol.events if event.index == 0]
        assert [(t - t0) / 1000 for t in found] == pytest.approx(known, abs=1e-6)
        assert turned[-len(known) :] == found


@pytest.mark.parametrize("how", STEPS)
@pytest.mark.parametrize("compiled", [False, True])
def test_functions_that_write_into_what_they_are_given(how: str, compiled: bool) -> None:
    """The run went on from there, without a word."""

    def whole(t: float, q: Any, v: Any, a: Any, lam: Any) -> float:
        q[0] = v[0] = a[0] = 9.0
        return 1.0

    def of_sample(s: Any) -> float:
        s.q[0] = s.v[0] = s.a[0] = 9.0
        return 1.0

    events = [iso.Event(numba.njit(whole))] if compiled else [iso.Event(whole), iso.Event(of_sample)]
    swing = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    plain, watched = (iso.integrate(swing, t_end=1.0, events=given, **STEPS[how]) for given in ((), events))
    assert np.array_equal(plain.q, watched.q)
    assert np.array_equal(plain.a, watched.a)


def test_complex_values_are_none() -> None:
    swing = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    with pytest.raises(CallableError, match=r"event 0 must return a number: received .* which is complex"):
        iso.integrate(swing, dt=0.1, t_end=1.0, events=[lambda t, q, v: q[0] + 0j])

"""Events that are hard to tell apart: each happens once, however near the next one is."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import isodyn as iso


@numba.njit
def force(q: Any, v: Any, t: float) -> Any:
    return -np.sin(q) - 0.3 * v * np.abs(v)


SWING = iso.MechanicalSystem(M=1.0, Q=force, q0=[2.5], v0=[0.0])
STEPS: dict[str, dict[str, Any]] = {
    "fixed": {"dt": 0.4},
    "adaptive": {"dt": iso.Adaptive(0.05)},
    "Radau": {"scheme": iso.Radau(1e-3)},
    "order 8": {"scheme": iso.DOP853(1e-4)},
}


@pytest.mark.parametrize("how", STEPS)
def test_each_of_two_neighbours_happens_once(how: str) -> None:
    """A step that is repeated to end at an event differs from its interpolant, by 4e-4 s here. An
    event between the two times was lost, or counted twice, without a word."""

    def passes(event: Any = None) -> iso.Solution:
        zero = iso.Event(lambda t, q, v: q[0], action=event)
        return iso.integrate(SWING, t_end=3.0, events=[zero], **STEPS[how])

    inside, ended = passes().events[0].t, passes(lambda s: None).events[0].t
    assert inside != ended
    offsets = [
        *(np.array([-0.4, 0.3, 0.6, 1.3]) * (ended - inside)),
        *(ended - inside + np.array([-1e-9, -1e-12, 0.0, 1e-11])),
    ]
    for offset in offsets:
        for action in (None, lambda s: None):
            at = iso.Event(lambda t, q, v, offset=offset: t - inside - offset, action=action)
            zero = iso.Event(lambda t, q, v: q[0], action=lambda s: None)
            sol = iso.integrate(SWING, t_end=3.0, events=[zero, at], **STEPS[how])
            assert sorted(event.index for event in sol.events) == [0, 1], offset
            assert [event.t for event in sol.events if event.index == 1] == pytest.approx([inside + offset], abs=1e-11)
            assert (np.diff([event.t for event in sol.events]) >= 0.0).all()


@pytest.mark.parametrize("how", STEPS)
def test_actions_at_one_instant_follow_the_list(how: str) -> None:
    """Zeros of three functions at t = 1 differ by rounding, which once decided."""
    ball = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: [-10.0], q0=[5.0], v0=[0.0])
    functions = [lambda t, q, v: q[0], lambda t, q, v: t - 1.0, lambda t, q, v: 0.3 * v[0] + 3.0]
    for order in ((0, 1, 2), (1, 2, 0), (2, 1, 0)):
        log: list[int] = []
        events = [iso.Event(functions[k], action=lambda s, k=k, log=log: log.append(k)) for k in order]
        sol = iso.integrate(ball, t_end=1.3, events=events, **STEPS[how])
        assert log == [*order]
        assert len({event.t for event in sol.events}) == 1


def test_a_turn_near_the_end_of_a_step_is_seen() -> None:
    """A ball passes its height of 5 − 1 mm twice within the last eighth of a step of 0.69 s, which
    ends nearer to it than any of the places that were compared."""
    ball = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: [-10.0], q0=[0.0], v0=[10.0])
    sol = iso.integrate(ball, dt=iso.Adaptive(0.1), t_end=1.7, events=[iso.Event(lambda t, q, v: q[0] - 4.999)])
    assert np.diff(sol.t).max() > 0.6
    assert [event.t for event in sol.events] == pytest.approx([1 - 0.0002**0.5, 1 + 0.0002**0.5], abs=1e-12)


@pytest.mark.parametrize("how", STEPS)
def test_a_jump_is_one_event(how: str) -> None:
    """Steps were repeated twelve times and ended before the jump: it acted up to seven times."""
    log: list[int] = []
    events = [
        iso.Event(lambda t, q, v, size=size: -size if t < 0.4321 else 1.0, action=lambda s, size=size: log.append(size))
        for size in (1, 2)
    ]
    sol = iso.integrate(SWING, t_end=1.0, events=events, **STEPS[how])
    assert log == [1, 2]
    assert [event.t for event in sol.events] == pytest.approx([0.4321, 0.4321], abs=1e-14)


@pytest.mark.parametrize("how", STEPS)
def test_what_an_event_holds_at_zero_is_no_event_of_later_ones(how: str) -> None:
    """x is stopped where its event is and stays there, up to rounding; y passes a mark twice after
    that. Rounding inside those steps had counted as further events of x."""
    push = np.array([0.3, -1.0])
    system = iso.MechanicalSystem(np.eye(2), lambda q, v, t: push * [v[0] != 0.0, 1.0], [0.1, 0.3], [1.0, 1.0])
    stop = iso.Event(lambda t, q, v: q[0] - 1 / 3, action=lambda s: {"v": s.v * [0.0, 1.0]})
    mark = iso.Event(lambda t, q, v: q[1] - 0.7, action=lambda s: None)
    sol = iso.integrate(system, t_end=2.0, events=[stop, mark], **STEPS[how])
    assert [event.index for event in sol.events] == [0, 1, 1]
    stopped = (-1.0 + np.sqrt(1.0 + 0.6 * (1 / 3 - 0.1))) / 0.3
    assert [event.t for event in sol.events] == pytest.approx([stopped, 1 - 0.2**0.5, 1 + 0.2**0.5], abs=1e-9)

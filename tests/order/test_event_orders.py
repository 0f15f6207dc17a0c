"""Events keep the order: times, and q, v, a, λ before and after jumps of forces, resets, releases and
locks, in the maximum norm over all rows."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import isodyn as iso

SCHEMES = [iso.Scheme.default(), iso.Scheme.U0(0.5, 1.0, 0.5), iso.Scheme.V0(1.0, 1.0, 0.0)]
ACCURATE = iso.DOP853(1e-12, 1e-14, max_step=0.05)
STEPS = (0.02, 0.01, 0.005)
T_END = 1.0


def pendulum(push: Any) -> iso.MechanicalSystem:
    """A point on a circle, from the side; `push[0]` scales a force that may be switched on."""

    def Q(q: Any, v: Any, t: float) -> Any:
        return np.array([6.0 * push[0], -9.81 - 4.0 * push[0]])

    return iso.MechanicalSystem(
        1.0,
        Q,
        [1.0, 0.0],
        [0.0, 0.0],
        phi=lambda q, t: np.array([0.5 * (q @ q - 1.0)]),
        G=lambda q, t: q[None, :],
        b=lambda q, v, t: np.array([-v @ v]),
        row_names=["rope"],
    )


def below(t: float, q: Any, v: Any) -> float:
    return q[1] + 0.6  # falls through zero on the way down


def run(case: str, method: Any, **options: Any) -> iso.Solution:
    push = np.zeros(1)

    def switch_on(sample: Any) -> None:
        push[0] = 1.0

    action = {
        "force jump": switch_on,
        "reset": lambda s: s._replace(v=0.5 * s.v),
        "release": iso.Release("rope"),
        "lock": iso.Lock("rope"),
    }[case]
    system, released = pendulum(push), ()
    if case == "lock":  # thrown inwards, it flies until the rope is tight
        system = pendulum(push)
        system.q0[:], system.v0[:], released = [0.5, 0.5], [1.0, 1.0], ("rope",)

        def tight(t: float, q: Any, v: Any) -> float:
            return float(q @ q - 1.0)

        event = iso.Event(tight, direction=1, action=action)
    else:
        event = iso.Event(below, direction=-1, action=action)
    return iso.integrate(system, method, t_end=T_END, events=[event], released=released, **options)


@pytest.fixture(scope="module", params=["force jump", "reset", "release", "lock"])
def accurate(request: pytest.FixtureRequest) -> tuple[str, iso.Solution]:
    return request.param, run(request.param, ACCURATE)


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_order_two_on_both_sides(accurate: tuple[str, iso.Solution], scheme: iso.Scheme) -> None:
    case, exact = accurate
    t_x, errors = exact.events[0].t, []
    for dt in STEPS:
        sol = run(case, scheme, dt=dt)
        assert len(sol.events) == len(exact.events) == 1
        event, row = sol.events[0], sol.t.tolist().index(sol.events[0].t)
        found, known = [abs(event.t - t_x)], exact.events[0]
        same = run(case, ACCURATE, save=np.delete(sol.t, row))
        for name in ("q", "v", "a", "lam"):
            # both sides at the event itself, and at rows that lie on the same side in both runs
            at_event = max(
                np.abs(getattr(event.before, name) - getattr(known.before, name)).max(),
                np.abs(getattr(event.after, name) - getattr(known.after, name)).max(),
            )
            rows = [k for k in range(sol.t.size) if k != row and (sol.t[k] - event.t) * (sol.t[k] - t_x) > 0]
            there = getattr(same, name)[np.isin(same.t, sol.t[rows])]
            found.append(max(at_event, np.abs(getattr(sol, name)[rows] - there).max()))
        errors.append(found)
    slopes = np.log2(np.array(errors[:-1]) / np.maximum(np.array(errors[1:]), 1e-15))
    finest = np.array(errors[-1])
    exact_already = finest < 1e-8  # what the accurate run itself knows
    # over five halvings every slope is 1.92 to 2.02; single ones fall to 1.81, since the part of a step before the
    # event is another part at every dt
    assert (slopes[-1][~exact_already] > 1.8).all(), (slopes, finest)


def test_order_eight_finds_events_to_its_tolerance() -> None:
    """A ball thrown up: parabolas between bounces."""
    ball = iso.MechanicalSystem(1.0, lambda q, v, t: np.array([-10.0]), [5.0], [0.0])
    floor = iso.Event(lambda t, q, v: q[0], -1, action=lambda s: s._replace(v=-0.5 * s.v))
    for method, options in ((iso.DOP853(), {}), (iso.Scheme.default(), {"dt": 0.07})):
        sol = iso.integrate(ball, method, t_end=2.7, events=[floor], **options)
        assert [event.t for event in sol.events] == pytest.approx([1.0, 2.0, 2.5], abs=1e-12)
        assert [event.after.v[0] for event in sol.events] == pytest.approx([5.0, 2.5, 1.25], abs=1e-11)


def test_times_are_second_order_with_fixed_steps() -> None:
    osc = iso.MechanicalSystem(1.0, numba.njit(lambda q, v, t: -q), [1.0], [0.0])
    zero = numba.njit(lambda t, q, v: q[0])
    errors = []
    for dt in (0.1, 0.05, 0.025):
        sol = iso.integrate(osc, SCHEMES[0], dt=dt, t_end=10.0, events=[iso.Event(zero)])
        errors.append(np.abs(np.array([event.t for event in sol.events]) - np.pi * np.array([0.5, 1.5, 2.5])).max())
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx([2.0, 2.0], abs=0.1)

"""Events where they are hard to see: at the start, at the end, grazing, two in a step, one after the
other; and what is said when they cannot be followed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import CallableError, ConflictError, ConvergenceError, InputError, NonFiniteError
from isodyn.results import Checkpoint

FIXED = {"dt": 0.1}
ROUTES = [(iso.Scheme.default(), FIXED), (iso.DOP853(max_step=0.5), {})]


@numba.njit
def nothing(q: Any, v: Any, t: float) -> Any:
    return 0.0 * q


def ramp(speed: float = 1.0) -> iso.MechanicalSystem:
    """q = speed · t: exact by every route, so that events can be put anywhere."""
    return iso.MechanicalSystem(1.0, nothing, [0.0], [speed])


def run(events: Any, route: int = 0, system: Any = None, t_end: float = 1.0, **options: Any) -> iso.Solution:
    method, given = ROUTES[route]
    return iso.integrate(system or ramp(), method, t_end=t_end, events=events, **{**given, **options})


def times(sol: iso.Solution) -> list[float]:
    return [event.t for event in sol.events]


@pytest.mark.parametrize("route", [0, 1], ids=["GS4", "order 8"])
class TestWhere:
    def test_two_zeros_within_a_step(self, route: int) -> None:
        """g = (q − 0.53)² − 1e-4 is positive at both ends of the step from 0.5 to 0.6."""
        dip = iso.Event(lambda t, q, v: (q[0] - 0.53) ** 2 - 1e-4)
        sol = run([dip], route)
        assert times(sol) == pytest.approx([0.52, 0.54], abs=1e-12)
        assert times(run([iso.Event(dip.g, direction=1)], route)) == pytest.approx([0.54], abs=1e-12)

    @pytest.mark.parametrize("power", [3, 5])
    def test_a_zero_of_high_order(self, route: int, power: int) -> None:
        """Brent's method nears it slowly; it had given up after a hundred iterations."""
        found = times(run([iso.Event(lambda t, q, v: (q[0] - 0.53) ** power)], route))
        assert found == pytest.approx([0.53], abs=1e-3 if power == 5 else 1e-5)

    def test_grazing(self, route: int) -> None:
        """A zero that is touched is none; one that is missed by little is none either."""
        for above in (0.0, 1e-6, 1e-3):
            assert times(run([iso.Event(lambda t, q, v, above=above: (q[0] - 0.53) ** 2 + above)], route)) == []

    def test_zero_at_the_start(self, route: int) -> None:
        """It does not count there, whichever way g leaves zero; the next one does."""
        assert times(run([iso.Event(lambda t, q, v: q[0])], route)) == []
        sol = run([iso.Event(lambda t, q, v: q[0] * (0.45 - q[0]))], route)
        assert times(sol) == pytest.approx([0.45], abs=1e-12)

    def test_zero_at_the_end(self, route: int) -> None:
        sol = run([iso.Event(lambda t, q, v: t - 1.0)], route)
        assert times(sol) == [1.0]
        ended = run([iso.Event(lambda t, q, v: t - 1.0, terminal=True)], route)
        assert ended.t[-1] == 1.0
        assert (np.diff(ended.t) > 0).all()

    def test_zero_at_the_end_of_a_step(self, route: int) -> None:
        """Once, not at the end of one step and at the start of the next."""
        sol = run([iso.Event(lambda t, q, v: t - 0.5)], route, t_end=1.0, **({"dt": 0.125} if route == 0 else {}))
        assert times(sol) == [0.5]

    def test_a_noted_event_changes_nothing(self, route: int) -> None:
        plain, noted = run((), route), run([iso.Event(lambda s: s.q[0] - 0.37)], route)
        assert np.array_equal(plain.t, noted.t)
        assert np.array_equal(plain.q, noted.q)
        assert noted.events[0].after is None
        assert noted.events[0].q[0] == pytest.approx(0.37, abs=1e-12)

    def test_events_one_after_the_other(self, route: int) -> None:
        """Three that act within a step, in the order of time, and two at once."""
        log: list[str] = []

        def named(name: str) -> Any:
            return lambda s: log.append(name)

        g = {"b": 0.54, "a": 0.52, "c": 0.56, "d": 0.56}
        events = [iso.Event(lambda t, q, v, x=x: q[0] - x, action=named(name), name=name) for name, x in g.items()]
        sol = run(events, route)
        assert log == ["a", "b", "c", "d"]
        assert [event.name for event in sol.events] == log
        assert [event.index for event in sol.events] == [1, 0, 2, 3]
        assert sol.q[-1, 0] == pytest.approx(1.0, abs=1e-13)

    def test_terminal_after_some(self, route: int) -> None:
        wave = iso.Event(lambda t, q, v: np.sin(20.0 * t), terminal=3, name="wave")
        method = iso.DOP853(max_step=0.1) if route else iso.Scheme.default()
        sol = iso.integrate(ramp(), method, t_end=1.0, events=[wave], **({} if route else FIXED))
        assert times(sol) == pytest.approx(np.pi * np.array([1, 2, 3]) / 20, abs=1e-9)
        assert sol.t[-1] == sol.events[-1].t
        assert sol.stats.stopped.startswith("stopped by wave at t = 0.471")

    def test_compiled_functions(self, route: int) -> None:
        short = numba.njit(lambda t, q, v: q[0] - 0.33)
        whole = numba.njit(lambda t, q, v, a, lam: q[0] + a[0] - 0.66)
        sol = run([iso.Event(short), iso.Event(whole), iso.Event(lambda s: s.q[0] - 0.99)], route)
        assert times(sol) == pytest.approx([0.33, 0.66, 0.99], abs=1e-12)

    def test_accumulating_events(self, route: int) -> None:
        """Zeno: a ball that loses half of its speed bounces infinitely often before t = 3."""
        ball = iso.MechanicalSystem(1.0, lambda q, v, t: np.array([-10.0]), [5.0], [0.0])
        floor = iso.Event(lambda t, q, v: q[0], -1, action=lambda s: s._replace(v=-0.5 * s.v))
        with pytest.raises(ConvergenceError, match=r"events accumulate at t = (2\.99999|3)") as caught:
            run([floor], route, ball, t_end=4.0)
        partial = caught.value.partial
        assert partial.t[-1] == pytest.approx(3.0, abs=1e-4)
        assert len(partial.events) > 15
        assert np.abs(partial.events[1].t - 2.0) < 1e-11

    def test_functions_that_are_no_numbers(self, route: int) -> None:
        with pytest.raises(NonFiniteError, match=r"gap returned nan at t = 0\.[6-9]") as caught:
            run([iso.Event(lambda t, q, v: 1.0 if t < 0.55 else np.nan, name="gap")], route)
        assert caught.value.partial.t[-1] >= 0.5
        with pytest.raises(CallableError, match="event 0 must return a number"):
            run([iso.Event(lambda t, q, v: "x")], route)

    def test_breakpoints_and_events(self, route: int) -> None:
        sol = run([iso.Event(lambda t, q, v: q[0] - 0.44, action=lambda s: None)], route, breakpoints=[0.37])
        assert 0.37 in sol.t
        assert sol.aux["breakpoint_rows"].size == 2
        assert times(sol) == pytest.approx([0.44], abs=1e-12)

    def test_interpolation_beside_a_jump(self, route: int) -> None:
        """`sol.at` takes left-hand limits before a reset, and right-hand ones after."""
        sol = run([iso.Event(lambda t, q, v: q[0] - 0.44, action=lambda s: s._replace(v=-s.v))], route)
        assert sol.at(0.43).v[0] == pytest.approx(1.0, abs=1e-12)
        assert sol.at(0.45).v[0] == pytest.approx(-1.0, abs=1e-12)
        assert sol.at(0.5).q[0] == pytest.approx(0.38, abs=1e-12)


@pytest.mark.parametrize("route", [0, 1], ids=["GS4", "order 8"])
def test_resumed_bit_for_bit(route: int, tmp_path: Path) -> None:
    ball = iso.MechanicalSystem(1.0, numba.njit(lambda q, v, t: -10.0 * np.exp(-0.1 * q)), [5.0], [0.0])
    floor = iso.Event(lambda t, q, v: q[0], -1, action=lambda s: s._replace(v=-0.8 * s.v))
    kept = Checkpoint(tmp_path / "whole", every=3)
    whole = run([floor], route, ball, t_end=4.0, checkpoint=kept)
    assert len(whole.events) >= 2
    part = run(
        [floor], route, ball, t_end=4.0, checkpoint=Checkpoint(tmp_path / "part", every=3), observe=lambda s: s.t > 2.1
    )
    assert part.t[-1] < 4.0
    again = iso.resume(tmp_path / "part", ball, events=[floor])
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(again, name), getattr(whole, name)), name
    assert times(again) == times(whole)
    with pytest.raises(InputError, match="events"):
        iso.resume(tmp_path / "whole", ball)


@dataclass(frozen=True)
class Growing(iso.StepPolicy):
    """Steps that grow."""

    first_step: float = 0.01

    def accept(self, step: Any) -> float:
        return 1.2


def test_sized_by_a_policy() -> None:
    half = iso.Event(lambda t, q, v: q[0] - 0.44, terminal=True)
    sol = iso.integrate(ramp(), dt=Growing(), t_end=1.0, events=[half])
    assert sol.t[-1] == pytest.approx(0.44, abs=1e-12)


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="direction of an event"):
        iso.Event(lambda t, q, v: 0.0, direction=2)
    with pytest.raises(InputError, match="events must be functions"):
        iso.Event(3)
    with pytest.raises(InputError, match="terminal of an event"):
        iso.Event(lambda t, q, v: 0.0, terminal=-1)
    with pytest.raises(InputError, match="action of an event"):
        iso.Event(lambda t, q, v: 0.0, action=3)
    with pytest.raises(InputError, match="a function of 2 arguments"):
        iso.Event(lambda t, q: 0.0)
    half = iso.Event(lambda t, q, v: q[0] - 0.44, action=lambda s: 3)
    with pytest.raises(InputError, match="an action returns a sample"):
        run([half])
    wrong = iso.Event(half.g, action=lambda s: {"v": np.zeros(2)})
    with pytest.raises(InputError, match="an action must return 1 coordinates and 1 velocities"):
        run([wrong])
    lost = iso.Event(half.g, action=lambda s: {"v": np.full(1, np.nan)})
    with pytest.raises(InputError, match=r"an action must return finite numbers, received v = \[nan\] at t = "):
        run([lost])
    with pytest.raises(InputError, match="no joint and no row named 'hook'"):
        run([iso.Event(half.g, action=iso.Release("hook"))])
    with pytest.raises(InputError, match="loads are switched in mechanisms"):
        run([iso.Event(half.g, action=iso.SwitchLoad("motor"))])
    with pytest.raises(InputError, match="no quantity named 'hook'"):
        run([iso.Event("hook - 1")])
    with pytest.raises(InputError, match="dt is missing"):
        iso.integrate(ramp(), t_end=1.0)
    with pytest.raises(InputError, match="DOP853 chooses its steps by their error, and takes no dt"):
        iso.integrate(ramp(), iso.DOP853(), dt=0.1, t_end=1.0)
    assert iso.integrate(ramp(), dt=0.1, t_end=1.0, save=3).t.tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda s: s._replace(t=0.9), "has changed t"),
        (lambda s: s._replace(a=2.0 * s.a + 1.0), "has changed a"),
        (lambda s: s._replace(lam=s.lam + 1.0), "has changed lam"),
        (lambda s: {"v": s.v, "w": 1.0}, "an action changes q and v, received w"),
        (lambda s: s._replace(q=s.q + 0.1), "an action has moved positions off constraint 'rod' by"),
    ],
)
@pytest.mark.parametrize("route", [0, 1], ids=["GS4", "order 8"])
def test_actions_that_ask_for_what_they_do_not_get(action: Any, words: str, route: int) -> None:
    """Once they were left aside, or positions moved elsewhere, without a word."""
    pendulum = iso.problems.get("pendulum").system()
    with pytest.raises(InputError, match=words) as raised:
        run([iso.Event(lambda t, q, v: t - 0.44, action=action)], route, pendulum)
    assert raised.value.partial.t[-1] == pytest.approx(0.44)


@pytest.mark.parametrize("dt", [0.01, iso.Adaptive(1e-3)], ids=["fixed", "adaptive"])
def test_rows_between_steps_know_what_is_held_and_what_acts(dt: Any) -> None:
    """Rows at given times after a release and a switch: the motion of the steps, the constraints
    that are left, and no power of a motor that is off. Once they were moved onto all constraints,
    and the motor went on."""
    mech = iso.Mechanism()
    for k in range(2):
        mech.add_body(f"link{k}", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(k + 0.5, 0, 0))
        mech.add_joint(
            iso.Hinge(f"pin{k}", f"link{k - 1}" if k else "ground", f"link{k}", point=(k, 0, 0), axis=(0, 1, 0))
        )
    mech.add_load(iso.Motor("motor", "pin0", torque=2.0))
    events = [
        iso.Event(lambda t, q, v: t - 0.203, action=iso.Release("pin1")),
        iso.Event(lambda t, q, v: t - 0.307, action=iso.SwitchLoad("motor", on=False)),
    ]
    at = np.array([0.0, 0.1004, 0.2504, 0.4004, 0.5])
    steps, some = (iso.integrate(mech, dt=dt, t_end=0.5, events=events, save=save) for save in (None, at))
    np.testing.assert_allclose(some.q, steps.at(at).q, atol=1e-5)
    assert max(some.drift().largest[:2]) < 1e-13
    assert np.abs(some.quantity("motor.power").values[[1, 2]]).min() > 0.1
    assert np.abs(some.quantity("motor.power").values[[3, 4]]).max() == 0.0
    assert [event.t for event in some.events] == pytest.approx([0.203, 0.307], abs=1e-9)
    assert some.aux["held"].all(axis=1).tolist() == [True, True, False, False, False]


@pytest.mark.parametrize("method", [{"dt": 0.01}, {"scheme": iso.Radau(1e-8)}], ids=["GS4", "Radau"])
def test_events_of_first_order_systems(method: Any) -> None:
    """s' = −z with z = s³, halved at s = 0.8; there are no coordinates to tell."""
    system = iso.FirstOrderSystem(lambda s, z, t: -z, s0=[1.0], z0=[0.5], c=lambda s, z, t: z - s**3)
    half = iso.Event(lambda t, q, v: v[0] - 0.8, action=lambda s: s._replace(v=0.5 * s.v))
    sol = iso.integrate(system, t_end=1.0, events=[half], **method)
    t = 0.5 * (0.8**-2 - 1.0)
    assert times(sol) == pytest.approx([t], abs=1e-4)
    assert sol.v[-1, 0] == pytest.approx((0.4**-2 + 2.0 * (1.0 - t)) ** -0.5, abs=1e-4)
    assert sol.lam[-1] == pytest.approx(sol.v[-1] ** 3, abs=1e-10)
    assert sol.aux["event_q"][0].shape == (1, 0)


def test_a_lock_that_does_not_fit() -> None:
    system = iso.problems.get("pendulum").system()
    row = system.row_names[0]
    release = iso.Event(lambda t, q, v: t - 0.2, action=iso.Release(row))
    lock = iso.Event(lambda t, q, v: t - 0.5, action=iso.Lock(row))
    with pytest.raises(ConflictError, match=r"cannot be locked at t = 0\.5: row .* is off by"):
        iso.integrate(system, dt=0.02, t_end=1.0, events=[release, lock])

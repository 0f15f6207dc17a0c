"""Events in runs with derivatives: when they happen depends on parameters, and so does all that
follows (saltation).

An event g(t, q, v; θ) = 0 at t_e, with x = (q, v), its rate x' before and x'₊ after it, and an
action x₊ = h(t, x):

    δt_e = −(g_x δx + ∂g/∂θ)/ġ          ġ = g_x x' + ∂g/∂t ≠ 0
    δx₊ = h_x (δx + x' δt_e) + h_t δt_e − x'₊ δt_e        at the fixed time t_e, just after the event

δx are derivatives at fixed times. The steps before and after an event change their sizes with it;
the rates (v, a) of the run stand for the derivatives of these steps by their sizes, which differ by
the error of the scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from isodyn.errors import SensitivityError
from isodyn.kernels.compiled import FloatArray
from isodyn.marching.event_actions import changed
from isodyn.marching.switches import Lock, Release, SystemSwitch
from isodyn.results.events import Happened
from isodyn.results.solution import Sample
from isodyn.sensitivities.start import along
from isodyn.stepping.events import Event, name_of, value_of
from isodyn.stepping.expression_guards import expression_guard

if TYPE_CHECKING:
    from isodyn.sensitivities.run import SensitiveRun
    from isodyn.systems.base import System

GRAZES = 1e-6  # of what g could do at typical velocities: slower than this, it does not pass through zero


def refuse_switches(events: Sequence[Event]) -> None:
    """SensitivityError for events that change the system."""
    for k, event in enumerate(events):
        if isinstance(event.action, SystemSwitch):
            rows = isinstance(event.action, Lock | Release)
            what = "the rows of the constraints" if rows else "what loads do"
            raise SensitivityError(
                f"{name_of(event, k)} changes {what}, which is not differentiated", hint="end the run there"
            )


class Differs(Protocol):
    """What ∂/∂θ is taken of."""

    def difference(self, function: Callable[..., FloatArray], itself: System) -> Any: ...


class Guard:
    """The function of an event, and its derivatives."""

    def __init__(self, event: Event, number: int, system: System) -> None:
        self.event, self.number, self.system = event, number, system
        self.readers: dict[int, Any] = {}

    def value(self, sample: Sample, system: System | None = None) -> float:
        """At a state, of the system itself or of another one."""
        system = self.system if system is None else system
        if isinstance(self.event.g, str) and id(system) not in self.readers:
            self.readers[id(system)] = expression_guard(system, self.event.g), system
        known = self.readers.get(id(system))
        return value_of(self.event, self.number, sample, None if known is None else known[0])

    def slope(self, sample: Sample) -> float:
        """ġ along the motion; SensitivityError where g does not pass through zero, or depends on
        more than t, q and v."""
        sizes = self.system.scales.v
        other = sample._replace(a=sample.a + sizes, lam=sample.lam + 1.0)
        if self.value(other) != self.value(sample):
            raise SensitivityError(
                f"{self.name} depends on accelerations or multipliers, whose rates are not known", hint="use q and v"
            )
        fast = max(1e-9, float(np.abs(sample.v / sizes).max(initial=0.0)))
        found = float(along(lambda e: np.array(self.value(moved(self.system, sample, e, e))), fast))
        most = abs(float(along(lambda e: np.array(self.value(moved(self.system, sample, 0.0, e))), fast)))
        for k in range(self.system.nv):
            unit = np.zeros(self.system.nv)
            unit[k] = sizes[k]
            here = sample._replace(v=unit, a=0.0 * unit)

            def moving(e: float, way: Sample = here) -> FloatArray:
                return np.array(self.along(sample, way, e))

            most = max(most, abs(float(along(moving, 1.0))) * fast)
        if not abs(found) > GRAZES * most:
            raise SensitivityError(
                f"{self.name} touches zero at t = {sample.t:.6g} without passing through it: there is no derivative",
                hint="end the run before",
            )
        return found

    def along(self, sample: Sample, way: Sample, e: float) -> float:
        """The value at a state that is moved along another one's v (in q) and a (in v)."""
        system = self.system
        q = place(system, sample.q, e * way.v)
        return self.value(sample._replace(q=q, v=sample.v + e * way.a))

    @property
    def name(self) -> str:
        """In messages."""
        return name_of(self.event, self.number)

    def time(self, sample: Sample, dq: FloatArray, dv: FloatArray, one: Differs, slope: float) -> float:
        """δt_e."""
        size = max(
            float(np.abs(dq / self.system.scales.v).max(initial=0.0)),
            float(np.abs(dv).max(initial=0.0)) / max(1e-2, float(np.abs(sample.v).max(initial=0.0))),
        )
        way = sample._replace(v=dq, a=dv)
        total = float(along(lambda e: np.array(self.along(sample, way, e)), size)) if size > 0.0 else 0.0
        if isinstance(self.event.g, str):
            total += float(one.difference(lambda other: np.array(self.value(sample, other)), self.system))
        return -total / slope


def place(system: System, q: FloatArray, d: FloatArray) -> FloatArray:
    """q ⊕ d."""
    if not q.size:
        return q
    return q + d if system.retract is None else np.asarray(system.retract(q.copy(), np.ascontiguousarray(d)))


def moved(system: System, sample: Sample, e: float, later: float) -> Sample:
    """The state a moment later along the motion, with time alone moved by `later`."""
    q = place(system, sample.q, e * sample.v)
    return sample._replace(t=sample.t + later, q=q, v=sample.v + e * sample.a)


class Happens(Protocol):
    """What happens at one time."""

    t: float

    def together(self) -> str: ...


def refuse_apart(jump: Happens, times: Sequence[float]) -> None:
    """SensitivityError if δt of all that happens together do not agree."""
    if max(times) - min(times) > 1e-6 * max(map(abs, times)):
        raise SensitivityError(
            f"{jump.together()} close together at t = {jump.t:.6g}, but one after the other for other values of"
            " parameters: there is no derivative",
            hint="let them close at different times",
        )


class Jump:
    """What events do to a state at one time."""

    def __init__(self, system: System, events: Sequence[Event], happened: Sequence[Happened]) -> None:
        self.system, self.happened, self.t = system, list(happened), happened[0].t
        self.guard = Guard(events[happened[0].index], happened[0].index, system)
        self.actions = [action for one in happened if (action := events[one.index].action) is not None]

    def act(self, sample: Sample) -> Sample:
        """The state after it."""
        for action in self.actions:
            sample = changed(action, sample)
        return sample

    def begin(self, sample: Sample) -> Sample:
        """Take the state before it; the one after it."""
        self.before, self.slope = sample, self.guard.slope(sample)
        self.after = self.act(sample)
        return self.after

    def times(self, dq: FloatArray, dv: FloatArray, one: Differs) -> list[float]:
        """δt_e."""
        return [self.guard.time(self.before, dq, dv, one, self.slope)]

    def together(self) -> str:
        """What happens at this time, in words."""
        return self.guard.name

    def tangent(self, dq: FloatArray, dv: FloatArray, one: Differs) -> tuple[FloatArray, FloatArray, float]:
        """δq and δv after it, along with the event, and δt_e."""
        (at,) = self.times(dq, dv, one)
        system, before, after = self.system, self.before, self.after
        dq, dv = dq + at * before.v * bool(before.q.size), dv + at * before.a
        size = max(
            float(np.abs(dq / system.scales.v).max(initial=0.0)),
            float(np.abs(dv).max(initial=0.0)) / max(1e-2, float(np.abs(before.v).max(initial=0.0))),
        )
        if not self.actions or size == 0.0:
            return dq, dv, at

        def result(e: float) -> FloatArray:
            given = before._replace(t=before.t + e * at, q=place(system, before.q, e * dq), v=before.v + e * dv)
            made = self.act(given)
            q = made.q - after.q if system.difference is None else system.difference(after.q.copy(), np.array(made.q))
            return np.concatenate([np.asarray(q) if before.q.size else np.zeros(system.nv), made.v])

        both = along(result, size)
        return both[: system.nv], both[system.nv :], at


def jumps_of(system: System, events: Sequence[Event], happened: Sequence[Happened]) -> list[Jump]:
    """The events that act, those at one time together."""
    found: dict[float, list[Happened]] = {}
    for one in happened:
        if events[one.index].acts:
            found.setdefault(one.t, []).append(one)
    return [Jump(system, events, group) for _, group in sorted(found.items())]


def event_times(run: SensitiveRun, events: Sequence[Event], happened: Sequence[Happened]) -> list[list[float]]:
    """Derivatives of the times of all events, by each parameter: those that acted tell them, others
    lie on the derivatives of the rows before and after them."""
    rows, k_rows = run.rows, int(run.counters.rows)
    t, known = rows.t[:k_rows], {jump.t: times for jump, times in run.jump_times}
    found: list[list[float]] = [[] for _ in run.variations]
    for one in happened:
        if one.t in known:
            for j, times in enumerate(found):
                times.append(known[one.t][j])
            continue
        guard = Guard(events[one.index], one.index, run.system)
        slope = guard.slope(one.before)
        k = int(np.clip(np.searchsorted(t, one.t, side="left"), 1, k_rows - 1))
        h = float(t[k] - t[k - 1])
        s = float(one.t - t[k - 1]) / h
        for j, variation in enumerate(run.variations):
            d = run.derivatives
            dq = hermite(s, h, d.q[k - 1, j], d.v[k - 1, j], d.q[k, j], d.v[k, j])
            dv = hermite(s, h, d.v[k - 1, j], d.a[k - 1, j], d.v[k, j], d.a[k, j])
            found[j].append(guard.time(one.before, dq if run.system.nq else 0.0 * dq, dv, variation, slope))
    return found


def hermite(s: float, h: float, y: FloatArray, dy: FloatArray, y_1: FloatArray, dy_1: FloatArray) -> FloatArray:
    """The cubic through two values and slopes, at the part s of the way."""
    u = 1.0 - s
    return np.asarray(
        u * u * (1 + 2 * s) * y + s * s * (3 - 2 * s) * y_1 + h * s * u * (u * np.asarray(dy) - s * np.asarray(dy_1))
    )

"""Events of a run: where they are inside a step, and what becomes of the run there.

The march says that something may have happened in its last step. The zeros are located on the
interpolant of the step: the dense output of a method, or the quintic of (q, v, a). An event that
only is noted leaves the run as it is. Where one acts, or ends the run, the step is repeated so that
it ends there: the end of a shorter step differs from the interpolant, so its own zero is found by a
secant, to rounding of t. Then the action follows, and a start.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from isodyn.kernels.calls import CalledBack, address_of_kernel
from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.struct_types import number_of
from isodyn.kernels.weak_methods import held_weakly
from isodyn.marching.at_balance import shown
from isodyn.marching.event_actions import (
    changed,
    functions_read_once,
    memory_of,
    recall_all,
    refuse_other_functions,
)
from isodyn.marching.event_ends import NOTHING, RE_STEPS, SAME_TIME, end_step_at, slope_of
from isodyn.marching.event_leads import forget_leads, leave_out_corrections, leaves_constraints, led, looks_at_forces
from isodyn.marching.event_sizes import size_of_terms
from isodyn.marching.event_values import in_python, value_at_sample
from isodyn.marching.event_zeros import (
    CROWD,
    Zero,
    accumulation,
    after_zero,
    refuse_crowd,
    turning_points,
    zero_between,
)
from isodyn.marching.readings import Loads, slow_reading
from isodyn.marching.switches import SystemSwitch
from isodyn.results.event_log import as_arrays, by_event, from_arrays
from isodyn.results.events import Happened
from isodyn.results.solution import Sample
from isodyn.stepping.events import Event, compiled_guard, name_of
from isodyn.stepping.expression_guards import expression_guard
from isodyn.stepping.guards import MOMENT, NOISE, VALUES, Guards

if TYPE_CHECKING:
    from isodyn.marching.last_step import LastStep
    from isodyn.open_types import BoolArray

PIECES = 8  # of a step in which signs are compared
SAME = 1e-6  # of a step: two zeros of one function are the same one


class EventWatch:
    """The events of a run."""

    def __init__(self, run: LastStep, events: tuple[Event, ...]) -> None:
        system = run.system
        for event in events:
            if isinstance(event.action, SystemSwitch):
                event.action.check(system)
        found = {k: compiled_guard(event, system) for k, event in enumerate(events)}
        # compiled ones first
        self.order = sorted(range(len(events)), key=lambda k: found[k] is None)
        self.compiled = compiled = [one for one in (found[k] for k in self.order) if one is not None]
        self._run, self.events = ref(run), [events[k] for k in self.order]
        self.functions = [
            self.expression(event.g) if found[k] is None and isinstance(event.g, str) else None
            for k, event in zip(self.order, self.events, strict=True)
        ]
        self.guards = Guards(compiled=len(compiled), guards=len(events), nq=system.nq, nv=system.nv, m=system.m)
        self.guards.compiled = [address_of_kernel(one.kernel) for one in compiled]
        self.guards.number = [one.number for one in compiled]
        self.guards.tables = [number_of(one.tables) for one in compiled]
        self.guards.scratch = [number_of(one.scratch) for one in compiled]
        self.guards.directions = [event.direction for event in self.events]
        self.called: CalledBack | None = None
        self.let_python_answer(len(self.compiled) < len(events))
        self.read_once = functions_read_once(system, events)
        self.happened: list[Happened] = []
        self.counts = [0] * len(events)
        self.acted: list[float] = []  # when events acted last
        run.plan.guards = number_of(self.guards)

    @property
    def run(self) -> LastStep:
        """The run, which keeps its watch."""
        found = self._run()
        assert found is not None
        return found

    def expression(self, text: str) -> Callable[[Sample], float]:
        """An expression that is not compiled, of loads as they are at the time."""
        expression_guard(self.run.system, text)  # names are looked up before the run
        return slow_reading(self.run.system, text, held_weakly(self.loads))

    def loads(self) -> Loads:
        """The inputs that loads hold, and which loads are off."""
        return self.run.inputs, self.run.loads_off

    # ---- values

    def let_python_answer(self, needed: bool) -> None:
        """Let the march call `evaluate` from now on, where that is needed."""
        if needed and self.called is None:
            self.called = CalledBack(held_weakly(self.evaluate))
            self.guards.in_python = self.called.address

    def evaluate(self) -> float:
        """Values of the functions in Python at the end of a step; or slopes of those that are near
        zero."""
        run, guards = self.run, self.guards
        state, h = run.state, float(run.state.t - run.memory.before.t)
        python = in_python(self)
        if guards.asked == VALUES:
            now = Sample(guards.t, state.q, state.v, guards.a, state.lam)
            for k in python:
                guards.ends[k] = self.led_value(k, now)
            return 0.0
        later = Sample(guards.t_later, guards.q_later, guards.v_later, guards.a_later, guards.lam_later)
        for k in python:
            if guards.near[k] == 1:
                guards.end_slopes[k] = (self.led_value(k, later) - guards.ends[k]) / (MOMENT * h)
        return 0.0

    def value(self, k: int, sample: Sample) -> float:
        """Function k at a state."""
        return value_at_sample(self, k, sample)

    def led_value(self, k: int, sample: Sample) -> float:
        """Function k at a state, without what a start has corrected of it a moment ago."""
        return self.value(k, sample) - led(self, k, float(sample.t))

    def begin(
        self, zeros: tuple[int, ...] = (), sizes: Sequence[float] | FloatArray = (), *, jumps: bool = False
    ) -> None:
        """Values and slopes at a start; those of `zeros` are zero up to rounding, and that is what
        they are taken to be if they are small beside these sizes. Where `jumps` of forces make the
        start, a function that they carry past zero keeps its old side: the next step finds that."""
        run, guards = self.run, self.guards
        self.let_python_answer(bool(in_python(self)))
        state = run.state
        now = Sample(float(state.t), state.q, state.v, state.a, state.lam)
        span = float(run.stretches[-1].t_stop - run.stretches[0].t_start)
        h = MOMENT * min(run.typical_dt, span)
        # along the velocity alone: after a small bounce the acceleration would bend it back at once
        q = run.moved(state.q, h * state.v) if state.q.size else state.q
        later = Sample(float(state.t) + h, q, state.v + h * state.a, state.a, state.lam)
        for k in range(len(self.events)):
            g = self.led_value(k, now)
            known = not looks_at_forces(self, k, now)
            guards.start_slopes[k] = (self.led_value(k, later) - g) / h if known else np.nan
            terms = 0.0 if jumps else size_of_terms(self, k, now)
            guards.largest[k] = max(guards.largest[k], abs(g), terms)
            noise = max(NOTHING * sizes[k] if k in zeros else 0.0, NOISE * float(guards.largest[k]))
            if not (jumps and abs(g) > noise and g * guards.starts[k] < 0.0):
                guards.starts[k] = 0.0 if abs(g) <= noise else g

    # ---- what happened in a step

    def look(self) -> str | None:
        """Look into the last step; what ended the run there, or None."""
        run, guards = self.run, self.guards
        path, t_1 = run.path(), float(run.state.t)
        for k, g in enumerate(guards.ends):
            if not np.isfinite(g):
                self.value(k, path(t_1))  # raises
        zeros = self.all_zeros(path)
        first = self.first_that_acts(zeros)
        if first is not None:
            return self.act(first, zeros, run.on_constraints(path(first.t)))
        for zero in zeros:
            self.note(zero, run.on_constraints(path(zero.t)))
        moved = (guards.starts != 0.0) | (guards.ends != 0.0)
        guards.starts[moved], guards.start_slopes[moved] = guards.ends[moved], guards.end_slopes[moved]
        return None

    def all_zeros(self, path: Callable[[float], Sample]) -> list[Zero]:
        """Zeros of all functions in the last step, one after the other."""
        return sorted((zero for k in range(len(self.events)) for zero in self.zeros(k, path)), key=lambda zero: zero.t)

    def first_that_acts(self, zeros: list[Zero]) -> Zero | None:
        """The first of these zeros that changes the course of the run."""
        counts = [*self.counts]
        for zero in zeros:
            event, k = self.events[zero.number], zero.number
            counts[k] += 1
            if event.acts or (event.terminal and counts[k] >= event.terminal):
                return zero
        return None

    def zeros(self, k: int, path: Callable[[float], Sample]) -> list[Zero]:
        """Zeros of function k in the last step, in directions that count."""
        guards, direction = self.guards, self.events[k].direction
        t_0, t_1 = float(self.run.memory.before.t), float(self.run.state.t)
        known = {t_0: float(guards.starts[k]), t_1: float(guards.ends[k])}

        def g(t: float) -> float:
            return known[t] if t in known else self.led_value(k, path(t))

        times = list(np.linspace(t_0, t_1, PIECES + 1))
        times[-1] = t_1
        values, noise = [g(t) for t in times], NOISE * float(guards.largest[k])
        pieces, found, right = times, [], self.led_value(k, path(t_0))
        if values[0] == 0.0:  # the sign of a moment later
            moment, slope = MOMENT * (t_1 - t_0), float(guards.start_slopes[k])
            unknown = np.isnan(slope)
            soon, least = (g(t_0 + moment), max(2.0 * abs(right), noise)) if unknown else (slope * moment, 0.0)
            if unknown and not abs(soon) > least:  # as soon as it is more than rounding
                clear = next((i for i, x in enumerate(values) if abs(x) > noise), PIECES)
                times, values = [t_0, *times[clear:]], [0.0, *values[clear:]]
            values[0] = soon if abs(soon) > least else values[1]
        elif values[0] * right < 0.0 and abs(right) > noise:  # forces jumped there
            found = [Zero(t_0, k, right > 0.0)] if direction * right >= 0.0 else []
            known[t_0] = values[0] = right
        times, values = turning_points(g, times, values, noise)
        for (t_a, g_a), (t_b, g_b) in zip(
            zip(times, values, strict=True), list(zip(times, values, strict=True))[1:], strict=False
        ):
            if g_a == 0.0 or g_a * g_b > 0.0 or direction * g_a > 0.0:
                continue
            if g_b == 0.0:
                found.append(Zero(t_b, k, g_a < 0.0))
                continue
            first = after_zero(g, t_a, t_b)
            if g(first) * g_b < 0.0:
                found.append(Zero(zero_between(g, first, t_b), k, g_a < 0.0))
            elif self.events[k].acts and self.acted and not np.isnan(guards.start_slopes[k]):
                if self.is_held(k, path, pieces):
                    return []
                # an event has turned g round, and it is back before rounding could tell
                self.run.take_back()
                raise accumulation(t_a, "the next follows within rounding of t")
        return [] if found and self.is_held(k, path, pieces) else found

    def is_held(self, k: int, path: Callable[[float], Sample], times: list[float]) -> bool:
        """Whether function k is zero at these times on the constraints: its values are rounding,
        beside terms that were nothing at the start, and what a formulation leaves constraints open
        by."""
        run, last = self.run, path(times[-1])
        there = run.nearest_consistent if leaves_constraints(run, last) else run.on_constraints
        noise = NOISE * max(float(self.guards.largest[k]), size_of_terms(self, k, last))
        return all(abs(self.value(k, there(path(t)))) <= noise for t in reversed(times))

    def note(self, zero: Zero, before: Sample, after: Sample | None = None) -> None:
        """Keep an event."""
        k, number = zero.number, self.order[zero.number]
        self.counts[k] += 1
        before, after = shown(self.run, before), None if after is None else shown(self.run, after)
        self.happened.append(Happened(zero.t, name_of(self.events[k], number), number, before, after))

    # ---- events that change the course of the run

    def act(self, first: Zero, seen: list[Zero], located: Sample) -> str | None:
        """End the last step at this zero, of those that were seen in it, and do there what it and
        those at the same time ask for; `located` is the state there on the interpolant. The shorter
        step differs from the interpolant: an event that it brings before this one acts first."""
        run, t_0, t_1 = self.run, float(self.run.memory.before.t), float(self.run.state.t)
        sizes = np.maximum(np.abs(self.guards.starts), np.abs(self.guards.ends))  # in the whole step
        t, is_step = end_step_at(self, first, t_0, t_1, located)
        for _ in range(RE_STEPS):
            if not is_step:  # what the interpolant of the whole step shows
                zeros = [replace(x, t=t) for x in seen if x is not first and x.t >= t and self.is_now(t, x.t)]
                break
            zeros = self.zeros_so_far(first, t) if t != t_0 else [x for x in seen if x is not first and x.t == t_0]
            earlier = self.first_that_acts([zero for zero in zeros if zero.t < t])
            if earlier is None:
                break
            first, located = earlier, run.on_constraints(run.path()(earlier.t))
            t, is_step = end_step_at(self, first, t_0, t_1, located)
        inside, path = [zero for zero in zeros if zero.t < t], run.path()
        for zero in inside:
            self.note(zero, run.on_constraints(path(zero.t)))
        if t != t_1:
            run.count_part()
        run.fill_rows()
        before = shown(run, run.sample())
        # as the user has named them
        now = {x.number: x for x in [*(x for x in zeros if x.t >= t), replace(first, t=t)]}  # each once
        return self.do(sorted(now.values(), key=lambda one: self.order[one.number]), before, sizes, t_1 - t_0)

    def do(self, zeros: list[Zero], before: Sample, sizes: FloatArray, span: float) -> str | None:
        """What these zeros ask for, all of them at the state of the run, in a step of that size."""
        run, t = self.run, zeros[0].t
        ends = [zero for zero in zeros if self.ends_run(zero.number)]
        after, actions = before, [self.events[zero.number].action for zero in zeros]
        corrected: dict[int, float] = {}
        moved = before
        if any(action is not None for action in actions):
            corrected, moved = leave_out_corrections(self, zeros, before, NOTHING * sizes, span)
        for action in actions:
            if action is not None and not isinstance(action, SystemSwitch):
                after = changed(action, after)
        refuse_other_functions(run.system, self.read_once, t)
        if any(action is not None for action in actions):
            # rows that are released held until now: the state was on them, too
            start = moved if after is before else after
            run.restart(start, [action for action in actions if isinstance(action, SystemSwitch)])
            after = run.sample()
            forget_leads(self, corrected, after)
            self.begin(tuple(zero.number for zero in zeros), sizes)
            self.forget_slopes(sizes == 0.0, before, after)
            self.acted = [*self.acted[-CROWD:], t]
            refuse_crowd(self.acted, float(run.stretches[-1].t_stop - run.stretches[0].t_start))
        else:
            run.keep_row()
        for zero in zeros:
            self.note(zero, before, None if after is before else after)
        if ends:
            name = name_of(self.events[ends[0].number], self.order[ends[0].number])
            return f"stopped by {name} at t = {t:g} after {int(run.counters.steps)} steps"
        return None

    def forget_slopes(self, held: BoolArray, before: Sample, after: Sample) -> None:
        """Functions that were nothing in the step before, as what is locked, have slopes that are
        rounding, unless the velocities have changed."""
        if np.abs(after.v - before.v).max(initial=0.0) <= NOTHING * np.abs(before.v).max(initial=0.0):
            self.guards.start_slopes[held & (self.guards.starts == 0.0)] = np.nan

    def is_now(self, zero: float, t: float) -> bool:
        """Whether a zero is at the end of the step, at t, up to rounding."""
        return t - zero <= SAME_TIME * (t - float(self.run.memory.before.t)) + 2.0 * float(np.spacing(abs(t)))

    def zeros_so_far(self, first: Zero, t: float) -> list[Zero]:
        """Zeros of the other functions in the step to t as it was repeated, and earlier ones of the
        first; those that are as good as at its end have its time."""
        run, guards = self.run, self.guards
        now, span = run.sample(), t - float(run.memory.before.t)
        for k in range(len(self.events)):
            g = self.led_value(k, now)
            guards.ends[k] = 0.0 if abs(g) <= NOISE * guards.largest[k] else g
        found = [zero for zero in self.all_zeros(run.path()) if zero.number != first.number or zero.t < t - SAME * span]
        found = [replace(zero, t=t) if self.is_now(zero.t, t) else zero for zero in found]
        known = {first.number, *(zero.number for zero in found if zero.t == t)}
        for k in {*range(len(self.events))} - known:
            before, g = float(guards.starts[k] or guards.start_slopes[k]), self.led_value(k, now)
            slope = slope_of(self, k)
            rising = slope > 0.0
            if guards.starts[k] == 0.0 and abs(g) <= NOISE * guards.largest[k]:  # it has not left zero
                continue
            counts = before * slope < 0.0 and before * g > 0.0 and self.events[k].direction * (1 if rising else -1) >= 0
            if counts and self.is_now(t - abs(g / slope), t):  # it has not passed zero yet, and would at once
                found.append(Zero(t, k, rising))
        return found

    def ends_run(self, k: int) -> bool:
        """Whether the next zero of function k ends the run."""
        terminal = self.events[k].terminal
        return bool(terminal and self.counts[k] + 1 >= terminal)

    # ---- checkpoints and results

    def carried(self) -> dict[str, Any]:
        """What a run that is resumed needs to know of its events."""
        return {
            "event_values": self.guards.starts.copy(),
            "event_slopes": self.guards.start_slopes.copy(),
            "event_largest": self.guards.largest.copy(),
            "event_counts": np.array(self.counts, dtype=np.int64),
            "event_acted": np.array(self.acted),
            "event_lead": np.append(self.guards.lead, (self.guards.lead_t, self.guards.lead_over)),
            "event_memory": json.dumps(memory_of(self.events)),
            **as_arrays(self.happened, self.run.system),
        }

    def put_back(self, found: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.guards.starts, self.guards.start_slopes = found["event_values"], found["event_slopes"]
        self.guards.largest = found["event_largest"]
        self.counts = [int(count) for count in found["event_counts"]]
        self.acted = [float(t) for t in found["event_acted"]]
        *lead, self.guards.lead_t, self.guards.lead_over = map(float, found["event_lead"])
        self.guards.lead = lead
        self.let_python_answer(bool(in_python(self)))
        recall_all(self.events, json.loads(str(found["event_memory"])))
        names = {number: name_of(event, number) for number, event in zip(self.order, self.events, strict=True)}
        self.happened = from_arrays(found, names)

    def by_event(self) -> dict[str, list[FloatArray]]:
        """Times and states of each event, for `sol.aux`."""
        return by_event(self.happened, len(self.events), self.run.system)

"""A run with contacts: steps with closed contacts in them, cut only where a gap closes or slip turns
round; impacts there, and a start after every change of what is closed.

The step that ends where a gap closes is found on its own size: g(step(x)) = 0 is solved for x, so that
the state there is the end of a step as any other. Source: docs/derivations/contact.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import ACCELERATION, OK, FloatArray, IntArray
from isodyn.marching import contact_march
from isodyn.marching.contact_march import CHANGED, CLOSED, TURNED
from isodyn.marching.contact_steps import TAKEN, TOUCHES, ContactSteps
from isodyn.stepping import contact_jump
from isodyn.stepping.contact_jump import NEWTON, POISSON
from isodyn.stepping.contact_memory import NO_PUSH, OPEN
from isodyn.stepping.impacts import Impacts
from isodyn.systems.base import System

EPS = float(np.finfo(np.float64).eps)
ITERATIONS = 80  # of the location of an event
INSIDE = 1e-3  # of a step: where a gap that begins at zero is looked at first
MOST_IN_SEQUENCE = 10_000  # impacts of a sequence
REST = 1e-13  # of the speeds: a sequence ends when contacts approach no faster


class ContactRun(ContactSteps):
    """A run with contacts."""

    # ---- the course of a run

    def march(self, upto: int) -> int:
        """Take steps; what happens in them is seen to on the way."""
        model = self.other or self.model
        for leg in self.plan.legs:
            leg.traits = model.traits
        while self.state.step < upto:
            self.make_room(int(self.counters.rows) + upto - int(self.state.step) + 2)
            self.contacts.upto = upto
            tables: tuple[Any, ...] = self.plan, self.state, self.memory, self.columns, self.rows, self.counters
            given = (*self.physics_with, *tables, *self.touching, self.kept)
            status = int(contact_march.march_with_contacts(*given))
            if status == CHANGED:
                self.start_from_here()
            elif status in (CLOSED, TURNED):
                self.see_to(status)
            else:
                return status
        return OK

    def initial_values(self, t: float, first: bool) -> None:
        """Accelerations, multipliers and forces of contacts at a start."""
        super().initial_values(t, first)
        state, contacts = self.state, self.contacts
        if first:
            self.refuse_below(t)
            self.close_and_open(state)
            n = len(self.known.names)
            hit = contacts.gap <= TOUCHES * contacts.size
            if (hit & (contacts.rate[:n] < -NO_PUSH * contacts.fastest)).any():  # an impact at the start
                after, impulse, lost = self.jumped(state.copy(), hit, self.known.restitution)
                self.note(impulse, lost)
                state.v[:] = after.v
                self.close_and_open(state)
        if contacts.closed.any():
            self.accelerate(state)
        self.look_at(state)

    # ---- what happens in a step

    def see_to(self, status: int) -> None:
        """Cut the last step where something happened first, and do what is to be done there."""
        t_0, t_1 = float(self.memory.before.t), float(self.state.t)
        if self.located_in != self.state.step:
            self.located, self.located_in = 0, int(self.state.step)
        many = not self.impacts.locate or self.located >= self.impacts.max_located
        if status == CLOSED and many:
            self.take_whole_step()
            return
        found: float | None = None
        if status == CLOSED:
            found = self.closing(t_0, t_1)
            status = CLOSED if found is None else self.step_to(found)
        if found is None and status == CLOSED:  # it came near, and did not close
            self.step_to(t_1)
            status = OK
        t_stop = t_1 if found is None else found
        if status == TURNED:
            self.turn(t_0, t_stop)
        elif found is None:
            self.go_past()
        else:
            self.located += 1
            self.impact()

    def solved(self, f: Callable[[float], float], low: float, f_low: float, high: float, f_high: float) -> float:
        """The time at which f, above zero at `low` and below at `high`, is zero (Illinois)."""
        side, ulp = 0, float(np.spacing(max(abs(low), abs(high))))
        t = high
        for _ in range(ITERATIONS):
            t = (low * f_high - high * f_low) / (f_high - f_low)
            t = min(max(t, low), high)
            if high - low <= ulp or t in (low, high):
                t = 0.5 * (low + high) if high - low > 2.0 * ulp else high
            value = f(t)
            if value == 0.0 or high - low <= ulp:
                break
            if value < 0.0:
                high, f_high = t, value
                f_low *= 0.5 if side < 0 else 1.0
                side = -1
            else:
                low, f_low = t, value
                f_high *= 0.5 if side > 0 else 1.0
                side = 1
            if abs(value) <= EPS:
                break
        return t

    def closing(self, t_0: float, t_1: float) -> float | None:
        """When the first of the open gaps closes; None where none does."""
        contacts = self.contacts
        candidates = (contacts.closed_before == 0) & (contacts.mode == OPEN)
        through = candidates & (contacts.gap < -contact_march.DEEP * contacts.size)
        if not through.any():
            t_1, through = self.deepest(t_0, t_1, np.flatnonzero(candidates))
            if t_1 == t_0:
                return None
        sizes = contacts.size[through]

        def lowest(t: float) -> float:
            self.step_to(t)
            return float((contacts.gap[through] / sizes).min())

        high = float((contacts.gap[through] / sizes).min())
        low, value = t_0, float((contacts.gap_before[through] / sizes).min())
        if value <= contact_march.DEEP:  # it begins at zero, and leaves first
            low = t_0 + INSIDE * (t_1 - t_0)
            value = lowest(low)
            while value <= 0.0 and low - t_0 > 1e-9 * (t_1 - t_0):
                low = t_0 + 0.1 * (low - t_0)
                value = lowest(low)
            if value <= 0.0:
                return max(low, t_0)
        return self.solved(lowest, low, value, t_1, high)

    def deepest(self, t_0: float, t_1: float, candidates: IntArray) -> tuple[float, Any]:
        """A time inside the step at which a gap that is open at both ends is closed; t_0 where there
        is none."""
        contacts, dt = self.contacts, t_1 - t_0
        before, after = contacts.gap_before.copy(), contacts.gap.copy()
        slope, end = contacts.rate_before.copy(), contacts.rate.copy()
        x = np.linspace(0.0, 1.0, 65)[1:-1]
        none = np.zeros(after.size, dtype=bool)
        for k in candidates:
            if not slope[k] < 0.0 < end[k]:
                continue
            c = 3.0 * (after[k] - before[k]) - (2.0 * slope[k] + end[k]) * dt
            d = (slope[k] + end[k]) * dt - 2.0 * (after[k] - before[k])
            values = before[k] + x * (slope[k] * dt + x * (c + x * d))
            t = t_0 + float(x[values.argmin()]) * dt
            if values.min() < 0.0 and self.step_to(t) in TAKEN:
                none[k] = contacts.gap[k] < -contact_march.DEEP * contacts.size[k]
                if none[k]:
                    return t, none
        return t_0, none

    def turn(self, t_0: float, t_1: float) -> None:
        """End the last step where slip comes to rest; what follows is decided by a start."""
        contacts, k = self.contacts, int(self.contacts.culprit)
        row, way = int(contacts.tangent[k]), float(np.sign(contacts.slip[k]))
        contacts.enforced[k], contacts.direction[row] = 1, way

        def slides(t: float) -> float:
            self.step_to(t)
            return way * float(contacts.rate[row])

        try:
            high, low = slides(t_1), way * float(contacts.slip[k])
            t = self.solved(slides, t_0, low, t_1, high) if high < 0.0 else t_1
            if t != t_1:
                self.step_to(t)
        finally:
            contacts.enforced[k] = 0
        if t == t_1 and t_1 == self.next_time():
            self.go_past()
        else:
            self.count_part()
        self.start_from_here()

    def go_past(self) -> None:
        """Count the last step, which was looked into."""
        closed = int(self.contacts.closed.sum()), int(self.contacts.closed_before.sum())
        step = int(self.state.step)
        self.state.step += 1
        self.counters.steps += 1
        if self.is_saved(step):
            self.keep_row()
        if closed[0] != closed[1]:
            self.start_from_here()

    def is_saved(self, step: int) -> bool:
        """Whether a step becomes a row."""
        plan = self.plan
        return bool(step + 1 == plan.end or (plan.grid + step - plan.begin) % plan.save_every == 0)

    # ---- impacts

    def impact(self) -> None:
        """The jump at the end of the last step, and a start from there."""
        contacts, state = self.contacts, self.state
        hit = (contacts.gap <= TOUCHES * contacts.size) | (contacts.closed == 1)
        self.count_part()
        self.jump_of(hit, state.v.copy(), self.typical_dt)

    def jump_of(self, hit: Any, v: FloatArray, dt: float) -> None:
        """The jump of these contacts from the velocities v, which come to rest if their bounces
        would all end within dt."""
        state, known = self.state, self.known
        before = state.copy()
        before.v[:] = v
        after, impulse, lost = self.jumped(before, hit, known.restitution)
        resting = self.come_to_rest(after, hit, dt)
        if resting.any():
            e = np.where(resting, 0.0, known.restitution)
            after, impulse, lost = self.jumped(before, hit, e)
        self.note(impulse, lost)
        self.close_and_open(after)
        self.restart(self.sample()._replace(v=after.v.copy()), [])

    def jumped(self, before: Any, hit: Any, e: FloatArray) -> tuple[Any, FloatArray, FloatArray]:
        """The state after an impact, impulses, and the energy that each contact took."""
        after, lost = before.copy(), np.zeros(hit.size)
        self.contacts.impulse = 0.0
        if self.impacts.order == "simultaneous":
            self.jump_once(after, hit, e, lost)
            return after, self.contacts.impulse.copy(), lost
        for _ in range(MOST_IN_SEQUENCE):
            self.look_at(after)
            speed = self.see_speeds(before)
            u = np.where(hit, self.contacts.rate[: hit.size] / np.maximum(speed, 1e-300), np.inf)
            first = int(u.argmin())
            if u[first] >= -REST:
                return after, self.contacts.impulse.copy(), lost
            self.jump_once(after, np.arange(hit.size) == first, e, lost)
        self.jump_once(after, hit, e, lost)
        return after, self.contacts.impulse.copy(), lost

    def jump_once(self, state: Any, hit: Any, e: FloatArray, lost: FloatArray) -> None:
        """One jump of state.v."""
        contacts = self.contacts
        contacts.law = POISSON if self.impacts.law == "poisson" else NEWTON
        contacts.hit, contacts.bounce, contacts.lost = np.asarray(hit, dtype=np.int64), e, 0.0
        leg = self.physics(self.closure)[3]
        tables: tuple[Any, ...] = leg, float(state.t), state, self.memory, self.counters, *self.touching
        self.check(int(contact_jump.jump(*self.physics_with, *tables)), float(state.t), float(state.t))
        lost += contacts.lost

    def come_to_rest(self, after: Any, hit: Any, dt: float) -> Any:
        """Contacts whose further bounces, 2u/|a_N|/(1 − e) in all, last less than a step."""
        contacts, known = self.contacts, self.known
        self.look_at(after)
        n = hit.size
        u, e = contacts.rate[:n].copy(), known.restitution
        if not (hit & (u > 0.0) & (e < 1.0)).any():
            return np.zeros(n, dtype=bool)
        closed, mode = contacts.closed.copy(), contacts.mode.copy()
        contacts.closed = np.where(hit, 0, closed)
        free = after.copy()
        self.accelerate(free)
        rates = self.accelerations_of(free)
        contacts.closed, contacts.mode = closed, mode
        with np.errstate(divide="ignore", invalid="ignore"):
            left = 2.0 * u / np.abs(rates) / (1.0 - e)
        return hit & (u > 0.0) & (rates < 0.0) & (e < 1.0) & (left < dt)

    def accelerations_of(self, state: Any) -> FloatArray:
        """g̈ of all contacts at a state."""
        twin, n = self.known.twin, len(self.known.names)
        out, c = np.zeros(self.known.rows), np.array([1.0, 0.0, 0.0, 1.0])
        given = state.q.copy(), state.v.copy(), state.a.copy(), np.zeros(twin.m), c
        self.twin.function(ACCELERATION, float(state.t), *given, self.twin.tables, self.twin.scratch, out)
        return out[:n]

    def take_whole_step(self) -> None:
        """The last step to its end without location: out of the obstacles, and a jump there from the
        velocities at its beginning."""
        contacts, state = self.contacts, self.state
        leg = self.physics(self.closure)[3]
        tables: tuple[Any, ...] = leg, float(state.t), state, self.memory, self.counters, *self.touching
        self.check(int(contact_jump.push_out(*self.physics_with, *tables)), float(state.t), float(state.t))
        self.look_at(state)
        n = len(self.known.names)
        hit = contacts.gap <= TOUCHES * contacts.size
        u = contacts.rate[:n].copy()
        e = self.known.restitution
        before = state.copy()
        # restitution of what approached at the beginning of the step
        rates_0 = contacts.rate_before[:n]
        slow = 2.0 * e * np.abs(rates_0) <= (1.0 - e) * np.abs(u - rates_0)
        e = np.where(slow | (rates_0 >= 0.0), 0.0, e)
        after, impulse, lost = self.jumped(before, hit, e)
        self.note(impulse, lost)
        self.state.step += 1
        self.counters.steps += 1
        self.close_and_open(after)
        self.restart(self.sample()._replace(v=after.v.copy()), [])


def run_with(system: System, impacts: Impacts | None) -> Any:
    """A run of a system with gaps."""
    if system.contacts is None:
        raise InputError("impacts are for systems with gaps", hint="gap= of a system, or mech.add_contact")
    if impacts is not None and not isinstance(impacts, Impacts):
        raise InputError(f"impacts must be an Impacts, received {impacts!r}", hint="iso.Impacts(law='newton')")
    return partial(ContactRun, impacts=impacts or Impacts())

"""A run with contacts: steps with closed contacts in them, cut only where a gap closes or slip
turns round; impacts there, and a start after every change of what is closed.

Steps end there as any other (isodyn.marching.contact_location). Source:
docs/derivations/contact.md.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import ACCELERATION, OK, FloatArray
from isodyn.linear_solvers.shortest import SMALL
from isodyn.marching import contact_march
from isodyn.marching.contact_location import ContactLocation
from isodyn.marching.contact_march import CHANGED, CLOSED, LOOSE, MOVED, TURNED
from isodyn.marching.contact_steps import TOUCHES
from isodyn.marching.march import HAPPENED
from isodyn.stepping import contact_jump
from isodyn.stepping.contact_jump import NEWTON, POISSON
from isodyn.stepping.contact_memory import NO_PUSH, OPEN
from isodyn.stepping.contact_push import into_joints, push_out
from isodyn.stepping.contact_step import NO_SOLUTION
from isodyn.stepping.impacts import Impacts
from isodyn.systems.base import System
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from collections.abc import Callable

    from isodyn.open_types import BoolArray
    from isodyn.results.solution import Sample
    from isodyn.stepping.memory import State

MOST_IN_SEQUENCE = 10_000  # impacts of a sequence
FLAT = 1e-9  # of the size of a gap: lower bounces are none
REST = 1e-13  # of the speeds: a sequence ends when contacts approach no faster
SEEN_TO = (CLOSED, TURNED, LOOSE)  # statuses of a march that stopped before its last step was counted


class ContactRun(ContactLocation):
    """A run with contacts."""

    restarted = False  # whether an event has changed the state
    moved_at = -np.inf  # when bodies had last moved so far that other contacts may be near

    # ---- the course of a run

    def march(self, upto: int) -> int:
        """Take steps; what happens in them is seen to on the way."""
        model = self.other or self.model
        for leg in self.plan.legs:
            leg.traits = model.traits
        self.choose_near()
        self.meet(self.state, first=True)
        while self.state.step < upto and self.ended is None and not self.at_stop:
            if not self.sized:
                more = (upto - int(self.state.step)) // max(int(self.plan.save_every), 1)
                self.make_room(int(self.counters.rows) + more + 2)
            self.contacts.upto = upto if self.twin.meet is None else int(self.state.step) + 1
            tables: tuple[Any, ...] = self.plan, self.state, self.memory, self.columns, self.rows, self.counters
            given = (*self.physics_with, *tables, *self.touching, self.kept)
            status = int(contact_march.march_with_contacts(*given))
            if status == CHANGED:
                if not self.events_acted(int(self.contacts.seen)):
                    self.start_from_here()
            elif status == MOVED:
                self.choose_near(wider=self.state.t == self.moved_at)
                self.moved_at = float(self.state.t)
            elif status in SEEN_TO:
                self.see_to(status)
            elif status == NO_SOLUTION and self.are_many:
                self.let_go()
            elif status != OK:
                return status
            if self.twin.meet is not None and self.ended is None:
                self.meet_after_step()
        return OK

    def meet_after_step(self) -> None:
        """Choose where meshes touch in the next step; a start, if that is elsewhere. A step in
        which bodies turned so far that others of their corners are in each other is cut."""
        met = self.meet(self.state)
        if met.missed:
            self.cut_before_missed()
            met = self.meet(self.state)
        if met.moved.size == 0:
            return
        self.close_and_open(self.state)
        hit = self.approaching()
        if hit.any():
            self.jump_of(hit, self.state.v.copy(), self.typical_dt)
        else:
            self.start_from_here()

    def events_acted(self, status: int | None = None) -> bool:
        """Look for events in the last step, which is counted; whether one changed its end, or ended
        the run."""
        if self.watch is None:
            return False
        if status is None:
            given: tuple[Any, ...] = self.plan, self.state, self.memory
            status = int(contact_march.look_after(*self.physics_with, *given))
        if status != HAPPENED:
            self.check(status, float(self.state.t), float(self.state.t))
            return False
        t, self.restarted = float(self.state.t), False
        self.ended = self.watch.look()
        return self.ended is not None or self.restarted or t != self.state.t

    def initial_values(self, t: float, first: bool) -> None:
        """Accelerations, multipliers and forces of contacts at a start."""
        super().initial_values(t, first)
        state, contacts = self.state, self.contacts
        if first:
            self.refuse_below(t)
            self.close_and_open(state)
            hit = self.approaching()
            if hit.any():  # an impact at the start
                after, impulse, lost = self.jumped(state.copy(), hit, self.known.restitution)
                self.note(impulse, lost)
                state.v[:] = after.v
                self.close_and_open(state)
        if contacts.closed.any():
            self.accelerate(state)
        self.look_at(state)

    def approaching(self) -> BoolArray:
        """Contacts that touch, if one of them approaches; none otherwise."""
        contacts, n = self.contacts, len(self.known.names)
        hit = contacts.gap <= TOUCHES * contacts.size
        fast = (hit & (contacts.rate[:n] < -NO_PUSH * contacts.fastest)).any()
        return hit if fast else np.zeros(n, dtype=bool)

    def restart(self, after: Sample, switches: list[Any]) -> None:
        """A start from another state, which an event made: contacts that it closes take part in an
        impact."""
        self.restarted = True
        state = self.state.copy()
        state.q[:], state.v[:] = after.q, after.v
        self.close_and_open(state)
        hit = self.approaching()
        if hit.any():
            state, impulse, lost = self.jumped(state, hit, self.known.restitution)
            self.note(impulse, lost)
            self.close_and_open(state)
        super().restart(after._replace(v=state.v.copy()), switches)

    # ---- what happens in a step

    @property
    def are_many(self) -> bool:
        """Whether so many contacts are closed that no solution may only mean that none was
        found."""
        closed = (self.contacts.closed == 1) & ~self.two_sided
        return int((1 + np.diff(self.contacts.tangent))[closed].sum()) > SMALL

    def let_go(self) -> None:
        """The forces of a step were not found: its contacts are let go, and hit each other at its
        end."""
        contacts = self.contacts
        self.released += 1
        contacts.closed = np.where(self.two_sided, contacts.closed, 0)
        contacts.mode = np.where(self.two_sided, contacts.mode, OPEN)
        contacts.force, contacts.balance = 0.0, 0.0
        self.located, self.located_in = self.impacts.max_located, int(self.state.step)
        self.start_from_here(show=False)

    def see_to(self, status: int) -> None:
        """Cut the last step where something happened first, and do what is to be done there."""
        t_0, t_1 = float(self.memory.before.t), float(self.state.t)
        if self.located_in != self.state.step:
            self.located, self.located_in = 0, int(self.state.step)
        if status == CLOSED and self.takes_whole_steps:
            if self.take_whole_step(whole=True, made=self.made_by_friction(t_1 - t_0)):
                return
            self.step_to(t_1)
            t = self.before_friction_made_energy(t_0, t_1)
            if t == t_1 or self.step_to(t) == CLOSED:
                self.take_whole_step(whole=t == t_1)
            else:
                self.go_on_from(t, whole=False)
            return
        found: float | None = None
        if status == CLOSED:
            found = self.closing(t_0, t_1)
            status = self.step_to(t_1 if found is None else found)
            status = OK if status == CLOSED else status
        t_stop = t_1 if found is None else found
        if status in (TURNED, LOOSE):
            t = (self.turn if status == TURNED else self.tear)(t_0, t_stop)
            self.go_on_from(t, whole=t == t_1)
            return
        self.count_to(t_stop, whole=found is None or found == t_1)
        if self.events_acted():
            return
        if found is not None:
            self.located += 1
            contacts = self.contacts
            if self.meet(self.state).moved.size:
                self.look_at(self.state)
            hit = (contacts.gap <= TOUCHES * contacts.size) | (contacts.closed == 1)
            self.jump_of(hit, self.state.v.copy(), self.typical_dt)
        elif self.contacts.closed.sum() != self.contacts.closed_before.sum():
            self.start_from_here()

    def go_on_from(self, t: float, *, whole: bool) -> None:
        """Count the last step, to where slip came to rest or a contact was torn loose, and start
        there."""
        self.count_to(t, whole=whole)
        if not self.events_acted():
            self.start_from_here()
        self.contacts.loose = 0

    # ---- impacts

    def jump_of(self, hit: BoolArray, v: FloatArray, dt: float) -> None:
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
            self.settle_together(after, hit, resting, impulse, lost)
        self.go_on_after(after, impulse, lost)

    def settle_together(
        self, after: State, hit: BoolArray, resting: BoolArray, impulse: FloatArray, lost: FloatArray
    ) -> None:
        """Bring contacts to rest that others throw off so slowly that they would be back within the
        step, and throw off others in turn."""
        contacts, n = self.contacts, hit.size
        self.look_at(after)
        hit, still = hit & ~self.two_sided, contacts.rate[:n] <= NO_PUSH * contacts.fastest
        if not (resting & ~still).any():
            return
        contacts.hit, contacts.lost = (resting | (hit & still)).astype(np.int64), 0.0
        leg = self.physics(self.closure)[3]
        tables: tuple[Any, ...] = leg, float(after.t), after, self.memory, self.counters, *self.touching
        self.check(int(contact_jump.bring_to_rest(*self.physics_with, *tables)), float(after.t), float(after.t))
        lost[int(impulse[:n].argmax())] += contacts.lost.sum()

    def go_on_after(self, after: State, impulse: FloatArray, lost: FloatArray) -> None:
        """A start after an impact."""
        self.note(impulse, lost)
        self.close_and_open(after)
        super().restart(self.sample()._replace(v=after.v.copy()), [])
        if self.watch is not None:
            self.watch.begin()

    def jumped(self, before: State, hit: BoolArray, e: FloatArray) -> tuple[State, FloatArray, FloatArray]:
        """The state after an impact, impulses, and the energy that each contact took."""
        after, lost = before.copy(), np.zeros(hit.size)
        self.look_at(before)
        self.see_speeds(before)  # how fast they come says which rates are none afterwards
        self.contacts.impulse = 0.0
        if self.impacts.order == "simultaneous":
            self.jump_once(after, hit | self.two_sided, e, lost)
            return after, self.contacts.impulse.copy(), lost
        for _ in range(MOST_IN_SEQUENCE):
            self.look_at(after)
            speed = self.see_speeds(before)
            u = np.where(hit & ~self.two_sided, self.contacts.rate[: hit.size] / np.maximum(speed, 1e-300), np.inf)
            first = int(u.argmin())
            if u[first] >= -REST:
                return after, self.contacts.impulse.copy(), lost
            self.jump_once(after, (np.arange(hit.size) == first) | self.two_sided, e, lost)
        self.jump_once(after, hit | self.two_sided, e, lost)
        return after, self.contacts.impulse.copy(), lost

    def jump_once(self, state: State, hit: BoolArray, e: FloatArray, lost: FloatArray) -> None:
        """One jump of state.v."""
        contacts = self.contacts
        contacts.law = POISSON if self.impacts.law == "poisson" else NEWTON
        contacts.hit, contacts.bounce, contacts.lost = np.asarray(hit, dtype=np.int64), e, 0.0
        leg = self.physics(self.closure)[3]
        tables: tuple[Any, ...] = leg, float(state.t), state, self.memory, self.counters, *self.touching
        self.check(int(contact_jump.jump(*self.physics_with, *tables)), float(state.t), float(state.t))
        lost += contacts.lost

    def come_to_rest(self, after: State, hit: BoolArray, dt: float) -> BoolArray:
        """Contacts whose further bounces, 2u/|a_N|/(1 − e) in all, last less than a step."""
        contacts, known = self.contacts, self.known
        self.look_at(after)
        n = hit.size
        u, e = contacts.rate[:n].copy(), known.restitution
        if not (hit & (u > 0.0) & (e < 1.0)).any():
            return np.zeros(n, dtype=bool)
        closed, mode = contacts.closed.copy(), contacts.mode.copy()
        contacts.closed = np.where(hit, u <= NO_PUSH * contacts.fastest, closed)
        free = after.copy()
        self.accelerate(free)
        rates = self.accelerations_of(free)
        contacts.closed, contacts.mode = closed, mode
        with np.errstate(divide="ignore", invalid="ignore"):
            left = 2.0 * u / np.abs(rates) / (1.0 - e)
        # steps that choose themselves may be as long as many bounces: there the tolerance counts
        few = u < self.sizes.policy.rtol * contacts.fastest if self.sizes is not None else left < dt
        few |= u * u <= 2.0 * FLAT * contacts.size * np.abs(rates)
        return hit & (u > 0.0) & (rates < 0.0) & (e < 1.0) & few

    def accelerations_of(self, state: State) -> FloatArray:
        """g̈ of all contacts at a state."""
        twin, n = self.known.twin, len(self.known.names)
        out, c = np.zeros(self.known.rows), np.array([1.0, 0.0, 0.0, 1.0])
        given = state.q.copy(), state.v.copy(), state.a.copy(), np.zeros(twin.m), c
        self.twin.function(ACCELERATION, float(state.t), *given, self.twin.tables, self.twin.scratch, out)
        return out[:n]

    def take_whole_step(self, *, whole: bool, made: float = 0.0) -> bool:
        """The last step, or a part of it, to its end without location: out of the obstacles, and a
        jump there from the velocities at its beginning. False, and nothing counted, where the jump
        takes less energy than friction made in the step."""
        contacts, state = self.contacts, self.state
        self.look_at(state)
        hit = contacts.gap <= TOUCHES * contacts.size
        leg, inside = self.physics(self.closure)[3], state.q.copy()
        tables: tuple[Any, ...] = leg, float(state.t), state, self.memory, self.counters, *self.touching
        self.check(int(push_out(*self.physics_with, *tables)), float(state.t), float(state.t))
        left = self.pay_for_push(inside, np.array(self.memory.x))
        self.check(int(into_joints(*self.physics_with, *tables)), float(state.t), float(state.t))
        self.look_at(state)
        n = len(self.known.names)
        hit |= contacts.gap <= TOUCHES * contacts.size
        u = contacts.rate[:n].copy()
        e = self.known.restitution
        before = state.copy()
        # restitution of what approached at the beginning of the step
        rates_0 = contacts.rate_before[:n]
        slow = 2.0 * e * np.abs(rates_0) <= (1.0 - e) * np.abs(u - rates_0)
        e = np.where(slow | (rates_0 >= 0.0), 0.0, e)
        after, impulse, lost = self.jumped(before, hit, e)
        if made > max(float(lost.sum()), 0.0):
            return False
        self.unlocated += 1
        self.unpaid = max(self.unpaid, left - float(lost.sum()) if left > 0.0 else 0.0)
        if whole:
            self.state.step += 1
            self.counters.steps += 1
        else:
            self.count_part()
        if not self.events_acted():
            self.go_on_after(after, impulse, lost)
        return True

    def pay_for_push(self, inside: FloatArray, way: FloatArray) -> float:
        """Slow bodies down along the way on which they were moved out of obstacles, until their
        kinetic energy has paid for the work −∫Q dq that this took, or they are as fast as what
        they got back makes them; where that is not enough, in all that they do, unless joints
        would be torn. What is left to be paid."""
        state, ask = self.state, Questions(self.system, self.other or self.model)
        t, rest = float(state.t), np.zeros(self.system.nv)
        here = ask.balance(t, np.array(state.q), rest, rest)
        left = 0.5 * float(way @ (here + ask.balance(t, inside, rest, rest)))
        moved = np.where(way != 0.0, state.v, 0.0)
        for direction in (way, moved if self.system.m == 0 and left > 0.0 else rest):
            size = float(np.abs(direction).max(initial=0.0))
            if left == 0.0 or size == 0.0:
                continue
            heavy = size * (ask.balance(t, np.array(state.q), rest, direction / size) - here)  # not of rounding
            along = float(state.v @ heavy)
            if left > 0.0 or along < 0.0:
                part, left = slower(left, float(direction @ heavy), along)
                state.v[:] += part * direction
        return max(left, 0.0)


def slower(work: float, size: float, along: float) -> tuple[float, float]:
    """The β that is nearest to zero with ½size β² + along β = −work: how far to go so that kinetic
    energy falls by that, or grows; and what is left of it where it can not fall so far."""
    spare = along * along - 2.0 * size * work
    if spare >= 0.0 and along != 0.0:
        return -2.0 * work / (along + np.copysign(np.sqrt(spare), along)), 0.0
    return (-along / size, work - 0.5 * along * along / size) if size > 0.0 else (0.0, work)


def run_with(system: System, impacts: Impacts | None) -> Callable[..., ContactRun]:
    """A run of a system with gaps."""
    if system.contacts is None:
        raise InputError("impacts are for systems with gaps", hint="gap= of a system, or mech.add_contact")
    if impacts is not None and not isinstance(impacts, Impacts):
        raise InputError(f"impacts must be an Impacts, received {impacts!r}", hint="iso.Impacts(law='newton')")
    return partial(ContactRun, impacts=impacts or Impacts())

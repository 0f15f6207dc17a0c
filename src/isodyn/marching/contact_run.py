"""A run with contacts: steps with closed contacts in them, cut only where a gap closes or slip
turns round; impacts there, and a start after every change of what is closed.

Steps end there as any other (isodyn.marching.contact_location). Source:
docs/derivations/contact.md.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import ConvergenceError, InputError
from isodyn.kernels.compiled import NOT_CONVERGED, NOT_FINITE, OK, FloatArray
from isodyn.linear_solvers.shortest import SMALL
from isodyn.marching import contact_march
from isodyn.marching.contact_impacts import ContactImpacts
from isodyn.marching.contact_march import CHANGED, CLOSED, LOOSE, MOVED, TURNED
from isodyn.marching.contact_steps import TOUCHES
from isodyn.marching.march import HAPPENED
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

UNSOLVED = (NOT_CONVERGED, NOT_FINITE)  # statuses of steps that are taken in parts
SEEN_TO = (CLOSED, TURNED, LOOSE)  # statuses of a march that stopped before its last step was counted


class ContactRun(ContactImpacts):
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
                self.see_to_all(status)
            elif status in UNSOLVED and not self.sized and self.take_parts(self.next_time()):
                pass
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

    def see_to_all(self, status: int) -> None:
        """See to what happened in the last step; where that is not found because the iterations of
        shorter steps do not end, it is taken in parts."""
        t_1 = float(self.state.t)
        try:
            self.see_to(status)
        except ConvergenceError:
            if self.state.t != self.memory.before.t or not self.take_parts(t_1):
                raise

    def take_parts(self, t: float) -> bool:
        """Take a half, a quarter, … of a step to t whose iteration did not end, and see to what
        happens there; whether that was possible. Where redundant contacts slide, iterations of long
        steps may go round between two sets of them that push."""
        t_0, self.cut = float(self.memory.before.t), True
        try:
            for _ in range(self.newton.max_halvings):
                t = 0.5 * (t_0 + t)
                try:
                    status = self.step_to(t)
                    if status == OK:
                        self.go_on_from(t, whole=False)
                    else:
                        self.see_to(status)
                    return True
                except ConvergenceError:
                    if self.state.t != t_0:  # it is counted already
                        raise
            return False
        finally:
            self.cut = False

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

    # ---- steps that are taken to their ends

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
        if whole and not self.cut:
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

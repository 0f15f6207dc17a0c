"""Impacts of a run with contacts: jumps of velocities, bounces that come to rest, and the start
after them.

Source: docs/derivations/contact.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.kernels.compiled import ACCELERATION, FloatArray
from isodyn.marching.contact_location import ContactLocation
from isodyn.stepping import contact_jump
from isodyn.stepping.contact_jump import NEWTON, POISSON
from isodyn.stepping.contact_memory import NO_PUSH

if TYPE_CHECKING:
    from isodyn.open_types import BoolArray
    from isodyn.stepping.memory import State

MOST_IN_SEQUENCE = 10_000  # impacts of a sequence
FLAT = 1e-9  # of the size of a gap: lower bounces are none
REST = 1e-13  # of the speeds: a sequence ends when contacts approach no faster


class ContactImpacts(ContactLocation):
    """A run with contacts whose velocities jump where gaps close."""

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
        rtol = None if self.sizes is None else self.sizes.rtol
        few = left < dt if rtol is None else u < rtol * contacts.fastest
        few |= u * u <= 2.0 * FLAT * contacts.size * np.abs(rates)
        return hit & (u > 0.0) & (rates < 0.0) & (e < 1.0) & few

    def accelerations_of(self, state: State) -> FloatArray:
        """g̈ of all contacts at a state."""
        twin, n = self.known.twin, len(self.known.names)
        out, c = np.zeros(self.known.rows), np.array([1.0, 0.0, 0.0, 1.0])
        given = state.q.copy(), state.v.copy(), state.a.copy(), np.zeros(twin.m), c
        self.twin.function(ACCELERATION, float(state.t), *given, self.twin.tables, self.twin.scratch, out)
        return out[:n]

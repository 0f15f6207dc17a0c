"""Impacts in runs with derivatives, and slip that ends: saltation at times that contacts set.

A gap closes where g(t, q; θ) = 0, slip ends where s·u_T(t, q, v; θ) = 0. The velocities after an
impact solve, at the same q,

    M (v⁺ − v) + GᵀΛ = JᵀP,  G v⁺ + φ_t = 0
    Newton    u_N⁺ = −e min(0, u_N), or P_N = 0
    Poisson   compression: u_N = 0, or P_N = 0;  expansion: u_N⁺ = 0, or P_N = e times that of compression
    friction  u_T⁺ = 0, or P_T = −μ P_N u_T⁺/|u_T⁺|, in each phase

Which of the two holds in each contact is known from the run; where both do, there is no derivative.
v⁺ is then a function of (t, q, v; θ) that can be differenced.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isodyn.errors import SensitivityError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.rows import choose
from isodyn.results.solution import Sample
from isodyn.sensitivities.saltation import GRAZES, Differs, place
from isodyn.sensitivities.start import of_forces
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.open_types import BoolArray
    from isodyn.sensitivities.closed_rows import ClosedSystem
    from isodyn.sensitivities.contact_course import Blow, Happening
    from isodyn.systems.base import System

NOTHING = 1e-9  # of the largest impulse, or speed: less is none
OPEN, STICK, SLIP = range(3)


class Acting(NamedTuple):
    """What contacts that take part in a blow do in one phase of it: which normals are closed, and
    whether tangents stick or slide."""

    closed: BoolArray
    mode: IntArray


class Asked:
    """Answers for one system at one time and place: mass, rows of constraints and of contacts."""

    def __init__(
        self,
        inner: System,
        ask: Questions,
        of_contacts: Questions,
        t: float,
        q: FloatArray,
        v: FloatArray,
        rows: IntArray,
    ) -> None:
        self.M = full(ask.mass(t, q, v))
        self.G = full(ask.G(t, q, v))[rows] if rows.size else np.zeros((0, inner.nv))
        self.open = ask.velocity(t, q, v)[rows] if rows.size else np.zeros(0)
        self.J, self.rates = full(of_contacts.G(t, q, v)), of_contacts.velocity(t, q, v)
        self.v, self.known = v, inner.contacts

    def after(self, P: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Velocities and rates of contacts after impulses P of all contact rows."""
        n, m = self.v.size, self.G.shape[0]
        matrix = np.block([[self.M, self.G.T], [self.G, np.zeros((m, m))]])
        jump = np.linalg.solve(matrix, np.concatenate([self.J.T @ P, -self.open]))[:n]
        return self.v + jump, self.rates + self.J @ jump


def acting(of: Asked, blow: Blow, P: FloatArray, least: FloatArray, rates: FloatArray, speed: float) -> Acting:
    """What contacts do in one phase, from its impulses, those that come back at least, and the
    rates after it."""
    known, size = of.known, float(np.abs(blow.impulse).max(initial=0.0))
    n = known.mu.size
    more = P[:n] - least
    closed = blow.hit & (more > NOTHING * size)
    mode = np.zeros(n, dtype=np.int64)
    for k in np.flatnonzero(blow.hit & (P[:n] > NOTHING * size)):
        tangents = slice(int(known.tangent[k]), int(known.tangent[k + 1]))
        if tangents.start == tangents.stop:
            continue
        slips, most = np.abs(rates[tangents]).max(), known.mu[k] * P[k]
        rub = float(np.sqrt(P[tangents] @ P[tangents]))
        sticks, slides = rub < (1.0 - 1e-7) * most, slips > 1e-7 * speed
        if sticks == slides:
            raise SensitivityError(
                f"contact {known.names[k]!r} is between sticking and sliding in an impact: it has no derivative there",
                hint="another value of mu",
            )
        mode[k] = STICK if sticks else SLIP
    return Acting(closed, mode)


class ContactJump:
    """What contacts do to a state at one time (isodyn.sensitivities.saltation.Jump for events)."""

    def __init__(self, system: ClosedSystem, happening: Happening) -> None:
        self.system, self.happening, self.t = system, happening, happening.t
        self.rows = np.zeros(0, dtype=np.int64)  # of constraints, none of which follows from others
        self.known, self.asked = system.inner.contacts, dict[int, tuple[Any, ...]]()

    def questions(self, system: ClosedSystem) -> tuple[Questions, Questions]:
        """Who answers for a system and for its contacts."""
        if id(system) not in self.asked:
            self.asked[id(system)] = Questions(system.inner), Questions(system.inner.contacts.twin), system
        return self.asked[id(system)][:2]

    def at(self, system: ClosedSystem, t: float, q: FloatArray, v: FloatArray) -> Asked:
        """A system at one time and place."""
        return Asked(system.inner, *self.questions(system), t, q, v, self.rows)

    # ---- the time

    def begin(self, sample: Sample) -> Sample:
        """Take the state before it; the one after it."""
        self.before, one = sample, self.happening
        self.guards = one.closing or (one.turning,)
        ask, contacts = self.questions(self.system)
        if self.system.inner.m:
            self.rows = choose(full(ask.G(sample.t, sample.q, sample.v)) * self.system.scales.v).chosen
        J = full(contacts.G(sample.t, sample.q, sample.v))
        u = contacts.velocity(sample.t, sample.q, sample.v)
        self.speed = max(float((np.abs(J) @ np.abs(sample.v)).max()), float(np.abs(u).max()), 1e-300)
        self.slopes = [self.slope(k) for k in self.guards]
        after = sample
        if one.blows:
            self.plans = [self.planned(blow) for blow in one.blows]
            after = sample._replace(v=self.after(self.system, sample.t, sample.q, sample.v))
        return after

    def slope(self, k: int) -> float:
        """ġ, or the rate of the slip along its direction; SensitivityError where it does not pass
        through zero."""
        s, contacts = self.before, self.questions(self.system)[1]
        if self.happening.closing:
            found = float(contacts.velocity(s.t, s.q, s.v)[k])
            passes = abs(found) > GRAZES * self.speed
        else:
            found = float(self.happening.slip @ contacts.acceleration(s.t, s.q, s.v, s.a)[self.tangents(k)])
            passes = abs(found) > GRAZES * float(np.abs(s.a).max(initial=0.0))
        if not passes:
            raise SensitivityError(
                f"contact {self.known.names[k]!r} grazes at t = {s.t:.6g}: what follows has no derivative",
                hint="end the run before",
            )
        return found

    def tangents(self, k: int) -> slice:
        """Rows of slip of a contact."""
        return slice(int(self.known.tangent[k]), int(self.known.tangent[k + 1]))

    def guard(self, system: ClosedSystem, k: int, t: float, q: FloatArray, v: FloatArray) -> float:
        """g, or the slip along its direction."""
        contacts = self.questions(system)[1]
        if self.happening.closing:
            return float(contacts.position(t, q, v)[k])
        return float(self.happening.slip @ contacts.velocity(t, q, v)[self.tangents(k)])

    def times(self, dq: FloatArray, dv: FloatArray, one: Differs) -> list[float]:
        """δt of it, by each of the contacts that close."""
        s, times = self.before, []
        size = self.size(dq, dv)
        for k, slope in zip(self.guards, self.slopes, strict=True):
            total = 0.0
            if size > 0.0:
                total = float(of_forces(partial(self.guard_beside, k, dq, dv), size))
            by = one.difference(lambda other, k=k: np.array(self.guard(other, k, s.t, s.q, s.v)), self.system)
            total += float(by)
            times.append(-total / slope)
        return times

    def guard_beside(self, k: int, dq: FloatArray, dv: FloatArray, e: float) -> FloatArray:
        """`guard` at a state beside the one before it."""
        return np.array(self.guard(self.system, k, *self.moved(e, dq, dv)))

    def together(self) -> str:
        """The contacts that close at this time, in words."""
        return ", ".join(repr(self.known.names[k]) for k in self.guards)

    def size(self, dq: FloatArray, dv: FloatArray) -> float:
        """How large a derivative is beside typical changes."""
        return max(
            float(np.abs(dq / self.system.scales.v).max(initial=0.0)),
            float(np.abs(dv).max(initial=0.0)) / max(1e-2, float(np.abs(self.before.v).max(initial=0.0))),
        )

    def moved(self, e: float, dq: FloatArray, dv: FloatArray, at: float = 0.0) -> tuple[float, FloatArray, FloatArray]:
        """A state beside the one before it."""
        s = self.before
        return s.t + e * at, place(self.system, s.q, e * dq), s.v + e * dv

    # ---- the jump

    def planned(self, blow: Blow) -> list[Acting]:
        """What contacts do in the phases of a blow; SensitivityError where that is not clear."""
        n = self.known.mu.size
        of = self.at(self.system, self.before.t, self.before.q, blow.v)
        none = np.zeros(n)
        if blow.law == "newton":
            rates = of.after(blow.impulse)[1]
            found = [acting(of, blow, blow.impulse, none, rates, self.speed)]
            target = -blow.restitution * np.minimum(0.0, of.rates[:n])
            self.refuse_unclear(of, blow, found[0], blow.impulse[:n], rates[:n] - target)
            return found
        rates = of.after(blow.compression)[1]
        first = acting(of, blow, blow.compression, none, rates, self.speed)
        self.refuse_unclear(of, blow, first, blow.compression[:n], rates[:n])
        second, last = blow.impulse - blow.compression, of.after(blow.impulse)[1]
        if not np.abs(second).max(initial=0.0) > NOTHING * float(np.abs(blow.impulse).max(initial=0.0)):
            return [first]  # nothing comes back
        back = blow.restitution * blow.compression[:n]
        then = acting(of, blow, second, back, last, self.speed)
        self.refuse_unclear(of, blow, then, second[:n] - back, last[:n])
        return [first, then]

    def refuse_unclear(self, of: Asked, blow: Blow, plan: Acting, P: FloatArray, u: FloatArray) -> None:
        """SensitivityError for a contact that neither pushes nor separates, where others move it;
        one that nobody moves stays closed."""
        Y = np.linalg.solve(of.M, of.J.T)
        coupled = np.abs(of.J @ Y)
        if self.rows.size:
            held = of.G @ Y
            coupled = np.abs(of.J @ Y - held.T @ np.linalg.solve(of.G @ np.linalg.solve(of.M, of.G.T), held))
        for k in np.flatnonzero(blow.hit & ~plan.closed & (np.abs(u) <= NOTHING * self.speed)):
            others = np.flatnonzero(np.abs(blow.impulse) > 0.0)
            if (coupled[k, others] <= 1e-12 * coupled[k, k]).all():
                continue
            raise SensitivityError(
                f"contact {self.known.names[k]!r} neither pushes nor separates in the impact at t = {self.t:.6g}: which of"
                " the two it does depends on parameters, and there is no derivative",
                hint="start elsewhere",
            )

    def after(self, system: ClosedSystem, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """v⁺ of a state beside the one before it."""
        for blow, plan in zip(self.happening.blows, self.plans, strict=True):
            of = self.at(system, t, q, v)
            P = blow.compression if len(plan) > 1 else blow.impulse
            e = self.restitution(system, blow)
            if len(plan) == 1:
                target = -e * np.minimum(0.0, of.rates[: e.size]) * (blow.law == "newton")
                P = solved(of, plan[0], P, target, np.zeros_like(e))
            else:
                first = solved(of, plan[0], P, np.zeros_like(e), np.zeros_like(e))
                second = blow.impulse - blow.compression
                P = first + solved(of, plan[1], second, np.zeros_like(e), e * first[: e.size], first)
            v = of.after(P)[0]
        return v

    def restitution(self, system: ClosedSystem, blow: Blow) -> FloatArray:
        """Restitution in a blow, of a system with other numbers."""
        given, other = self.known.restitution, system.inner.contacts.restitution
        if (blow.hit & (given == 0.0) & (other != 0.0)).any():
            raise SensitivityError(
                "a restitution of zero has no derivative: contacts open with any other, and stay closed with this one",
                hint="another parameter, or a restitution above zero",
            )
        return np.where(blow.restitution == given, other, blow.restitution)

    def tangent(self, dq: FloatArray, dv: FloatArray, one: Differs) -> tuple[FloatArray, FloatArray, float]:
        """δq and δv after it, along with it, and δt."""
        before = self.before
        at = self.times(dq, dv, one)[0]
        dq, dv = dq + at * before.v, dv + at * before.a
        if not self.happening.blows:
            return dq, dv, at
        size, change = self.size(dq, dv), np.zeros_like(dv)
        if size > 0.0:
            change = of_forces(lambda e: self.after(self.system, *self.moved(e, dq, dv, at)), size)
        by = one.difference(lambda other: self.after(other, before.t, before.q, before.v), self.system)
        return dq, change + by, at


def solved(
    of: Asked, plan: Acting, P: FloatArray, target: FloatArray, least: FloatArray, done: FloatArray | None = None
) -> FloatArray:
    """Impulses of one phase by Newton's iteration from P; `done` are those of the phase before."""
    known, n, m = of.known, of.known.mu.size, of.G.shape[0]
    matrix = np.block([[of.M, of.G.T], [of.G, np.zeros((m, m))]])
    W = of.J @ np.linalg.solve(matrix, np.vstack([of.J.T, np.zeros((m, P.size))]))[: of.v.size]
    b = of.after(np.zeros_like(P) if done is None else done)[1]
    P = P.copy()
    for _ in range(30):
        u = b + W @ P
        F, D = P.copy(), np.eye(P.size)
        F[:n] = np.where(plan.closed, u[:n] - target, P[:n] - least)
        D[:n] = np.where(plan.closed[:, None], W[:n], np.eye(P.size)[:n])
        for k in np.flatnonzero(plan.mode):
            rows = np.arange(known.tangent[k], known.tangent[k + 1])
            if plan.mode[k] == STICK:
                F[rows], D[rows] = u[rows], W[rows]
                continue
            size = float(np.sqrt(u[rows] @ u[rows]))
            s = u[rows] / size
            F[rows] = P[rows] + known.mu[k] * P[k] * s
            D[rows, k] += known.mu[k] * s
            D[rows] += known.mu[k] * P[k] / size * (np.eye(rows.size) - np.outer(s, s)) @ W[rows]
        step = np.linalg.lstsq(D, F, rcond=1e-13)[0]
        P -= step
        if np.abs(step).max(initial=0.0) <= 1e-15 * np.abs(P).max(initial=0.0):
            break
    return P

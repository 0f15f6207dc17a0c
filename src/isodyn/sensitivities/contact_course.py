"""The course of a run with contacts: which of them hold in which steps, and what happens where that
changes.

It is found by a run that looks after every step. Contacts that open and begin to slide leave forces
and accelerations as they are, so that derivatives go through; what makes them jump has a time that
depends on parameters (isodyn.sensitivities.impacts). Refused with the reason: contacts that come to
rest after more and more impacts, and what the run itself does not locate.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import SensitivityError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.marching.contact_run import ContactRun
from isodyn.stepping.contact_memory import NO_PUSH, SLIP, STICK
from isodyn.stepping.memory import State

if TYPE_CHECKING:
    from isodyn.open_types import BoolArray

NEAR = 1e-3  # of a step: times nearer to each other than this are one


@dataclass(frozen=True, eq=False)
class Blow:
    """One jump of velocities: contacts that take part, their restitution, the law, and impulses of
    all contact rows, of compression alone and in all."""

    hit: BoolArray
    restitution: FloatArray
    law: str
    v: FloatArray
    v_1: FloatArray
    compression: FloatArray
    impulse: FloatArray


@dataclass(frozen=True, eq=False)
class Happening:
    """What happened at one time: impacts of contacts that closed, or slip that ended."""

    t: float
    closing: tuple[int, ...] = ()
    blows: tuple[Blow, ...] = ()
    turning: int = -1
    slip: FloatArray = field(default_factory=lambda: np.zeros(0))  # before it


@dataclass(frozen=True, eq=False)
class Taken:
    """A step: its end, and what contacts did in it."""

    t_start: float
    t: float
    mode: IntArray  # of each contact: 0 where it had no force
    direction: FloatArray  # of slip, by rows of contacts
    force: FloatArray  # at its end
    q: FloatArray  # at its beginning
    v: FloatArray


@dataclass(frozen=True, eq=False)
class Phase:
    """A time from which on contacts do this; what happened there, and the state then."""

    t_start: float
    mode: IntArray
    direction: FloatArray
    begins_with: Happening | None = None
    state: tuple[FloatArray, FloatArray] | None = None


class RecordedRun(ContactRun):
    """A run with contacts that writes down what they do."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.taken: list[Taken] = []
        self.happenings: list[Happening] = []
        self.blows: list[Blow] = []
        if self.two_sided.any():
            names = ", ".join(repr(self.known.names[k]) for k in np.flatnonzero(self.two_sided))
            raise SensitivityError(f"the friction of joints, {names}, is not differentiated", hint="set it to zero")
        if not self.impacts.locate:
            raise SensitivityError(
                "impacts that are not located have no derivative: they happen at the ends of steps",
                hint="iso.Impacts(locate=True)",
            )

    def march(self, upto: int) -> int:
        """One step after the other."""
        status = 0
        while self.state.step < upto and self.ended is None and not self.at_stop and status == 0:
            status = super().march(int(self.state.step) + 1)
            self.write_down()
        return status

    def write_down(self) -> None:
        """What contacts did in the last step, once."""
        contacts, before, state = self.contacts, self.memory.before, self.state
        t, t_1 = float(before.t), float(state.t)
        if not t_1 > t or (self.taken and self.taken[-1].t >= t_1):
            return
        n = len(self.known.names)
        held = (contacts.closed_before == 1) & (contacts.balance[:n] > 0.0)
        mode = np.where(held, np.maximum(contacts.mode, STICK), 0)
        direction = np.zeros(self.known.rows)
        for k in np.flatnonzero(mode == SLIP):
            tangents = slice(int(contacts.tangent[k]), int(contacts.tangent[k + 1]))
            force = contacts.balance[tangents]
            size = float(np.sqrt(force @ force))
            direction[tangents] = -force / size if size > 0.0 else 0.0
        force = np.array(contacts.force)
        self.taken.append(Taken(t, t_1, mode, direction, force, np.array(before.q), np.array(before.v)))

    # ---- where something happens

    def start_from_here(self, *, show: bool = True) -> None:
        self.write_down()
        super().start_from_here(show=show)

    def turn(self, t_0: float, t_1: float) -> float:
        k = int(self.contacts.culprit)
        tangents = slice(int(self.contacts.tangent[k]), int(self.contacts.tangent[k + 1]))
        slip = self.contacts.slip[tangents].copy()
        t = super().turn(t_0, t_1)
        self.happenings.append(Happening(t, turning=k, slip=slip / np.sqrt(slip @ slip)))
        return t

    def tear(self, t_0: float, t_1: float) -> float:
        raise SensitivityError(
            f"contact {self.known.names[int(self.contacts.culprit)]!r} is torn loose at t = {t_1:.6g}, and its friction"
            " drops there: the time of that is not differentiated",
            hint="mu_static = mu",
        )

    def let_go(self) -> None:
        raise SensitivityError("forces of contacts were not found: such steps are not differentiated")

    def take_whole_step(self, *, whole: bool, made: float = 0.0) -> bool:
        raise SensitivityError(
            f"more than {self.impacts.max_located} impacts in the step to t = {self.state.t:.6g}: they are not located,"
            " and not differentiated",
            hint="smaller steps, or iso.Impacts(max_located=…)",
        )

    def come_to_rest(self, after: State, hit: BoolArray, dt: float) -> BoolArray:
        resting = super().come_to_rest(after, hit, dt)
        if resting.any():  # without restitution they do so at once, but for rounding
            self.look_at(after)
            still = self.contacts.rate[: hit.size] <= NO_PUSH * self.contacts.fastest
            resting &= ~(still & (self.known.restitution == 0.0))
        if resting.any():
            names = ", ".join(repr(self.known.names[k]) for k in np.flatnonzero(resting))
            raise SensitivityError(
                f"{names} bounces ever faster, and would come to rest at t = {self.state.t:.6g}: the end of infinitely many"
                " impacts has no derivative here",
                hint="end the run before, or set its restitution to zero",
            )
        return resting

    def jump_of(self, hit: BoolArray, v: FloatArray, dt: float) -> None:
        self.write_down()
        was_open = (self.contacts.closed == 0) & (self.contacts.closed_before == 0)
        closing = tuple(int(k) for k in np.flatnonzero(hit & was_open))
        self.blows = []
        super().jump_of(hit, v, dt)
        self.happenings.append(Happening(float(self.state.t), closing, tuple(self.blows)))

    def jump_once(self, state: State, hit: BoolArray, e: FloatArray, lost: FloatArray) -> None:
        before, done = state.copy(), self.contacts.impulse.copy()
        compression = np.zeros_like(done)
        if self.impacts.law == "poisson":
            super().jump_once(state.copy(), hit, np.zeros_like(e), lost.copy())
            compression = self.contacts.impulse - done
            self.contacts.impulse = done
        super().jump_once(state, hit, e, lost)
        impulse = self.contacts.impulse - done
        law, v_1 = self.impacts.law, np.array(state.v)
        self.blows.append(Blow(np.array(hit), e.copy(), law, np.array(before.v), v_1, compression, impulse))

    def initial_values(self, t: float, first: bool) -> None:
        super().initial_values(t, first)
        if first and self.blows:
            raise SensitivityError(
                f"contacts hit each other at the start, t = {t:.6g}: whether they do depends on parameters",
                hint="start a little apart",
            )

    # ---- phases

    def phases(self) -> list[Phase]:
        """From when on which contacts hold."""
        self.slide_to_turns()
        first = self.taken[0]
        found = [Phase(first.t_start, first.mode, first.direction, state=(first.q, first.v))]
        for k, step in enumerate(self.taken):
            here = [one for one in self.happenings if one.t == step.t_start] if k else []
            if len(here) > 1:
                raise SensitivityError(
                    f"several impacts follow each other at t = {step.t_start:.6g}: what they do together has no derivative",
                    hint="start elsewhere",
                )
            if here:
                found.append(Phase(step.t_start, step.mode, step.direction, here[0], (step.q, step.v)))
            elif k:
                found += self.changes(k)
        return found

    def slide_to_turns(self) -> None:
        """Contacts slide in the steps at whose ends their slip ends, whatever the law of the step
        says of its last moment."""
        turns = {one.t: one for one in self.happenings if one.turning >= 0}
        for k, step in enumerate(self.taken):
            if step.t in turns:
                one, mode, direction = turns[step.t], step.mode.copy(), step.direction.copy()
                rows = slice(int(self.known.tangent[one.turning]), int(self.known.tangent[one.turning + 1]))
                mode[one.turning], direction[rows] = SLIP, one.slip
                self.taken[k] = replace(step, mode=mode, direction=direction)

    def changes(self, k: int) -> list[Phase]:
        """Contacts that do something else in step k than before, though nothing happened: when
        forces pass through zero, or through the border of the cone."""
        before, step = self.taken[k - 1], self.taken[k]
        others = [i for i in range(step.mode.size) if self.differs(i, before, step)]
        mode, direction = before.mode.copy(), before.direction.copy()
        found: list[Phase] = []
        for t, i in sorted((self.passed(i, k), i) for i in others):
            rows = slice(int(self.known.tangent[i]), int(self.known.tangent[i + 1]))
            mode[i], direction[rows] = step.mode[i], step.direction[rows]
            if found and t - found[-1].t_start < NEAR * (step.t - step.t_start):
                t = found.pop().t_start
            found.append(Phase(t, mode.copy(), direction.copy()))
        return found

    def differs(self, i: int, before: Taken, step: Taken) -> bool:
        """Whether contact i does something else in a step than before, or slides another way."""
        rows = slice(int(self.known.tangent[i]), int(self.known.tangent[i + 1]))
        return bool(before.mode[i] != step.mode[i] or before.direction[rows] @ step.direction[rows] < 0.0)

    def passed(self, i: int, k: int) -> float:
        """When contact i changed what it does, about the beginning of step k: by the straight line
        through what it had left at the ends of the two steps before."""
        step, left = self.taken[k], []
        rows = slice(int(self.known.tangent[i]), int(self.known.tangent[i + 1]))
        if k < 2 or self.taken[k - 2].mode[i] != self.taken[k - 1].mode[i] or not self.taken[k - 1].mode[i]:
            return step.t_start
        for one in (self.taken[k - 2], self.taken[k - 1]):
            rub, push = one.force[rows], float(one.force[i])
            left.append(push if step.mode[i] == 0 else self.known.mu[i] * push - float(np.sqrt(rub @ rub)))
        if not left[0] > left[1]:
            return step.t_start
        t = step.t_start + left[1] * (step.t_start - self.taken[k - 1].t_start) / (left[0] - left[1])
        size = step.t - step.t_start
        t = min(max(t, self.taken[k - 1].t_start + NEAR * size), step.t - NEAR * size)
        return step.t_start if abs(t - step.t_start) < NEAR * size else t

    def times(self, phases: list[Phase]) -> FloatArray:
        """Ends of steps, with those at which phases begin."""
        ends = np.array([one.t for one in self.taken])
        return np.unique(np.append(ends, [one.t_start for one in phases[1:]]))

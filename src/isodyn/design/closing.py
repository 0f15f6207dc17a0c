"""The search for a start that a motion returns to (isodyn.design.orbits).

gap(x₀, T) = x(T; x₀) − x₀ = 0                       by Newton's iteration with Φ − 1
unknown period        the column x'(T)
time stands nowhere   x'(0)·δx₀ = 0: a shift in time changes nothing

Equations that keep an energy have a family of orbits, and with a free period the matrix of the
iteration is then singular. Directions with small singular values are left out first, so that the
orbit nearest to the start is found. They belong to a family if these values are zero within the
error of the steps, which half the step tells. A scheme that dissipates leaves a part of the gap
that no start takes away. It is the error of the steps if half the step makes it smaller by their
order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.api import integrate
from isodyn.design.starts import apart, consistent, with_start
from isodyn.design.turns import Turn, steps_of, turned
from isodyn.errors import ConvergenceError
from isodyn.kernels.compiled import FloatArray
from isodyn.results.solution import Solution

if TYPE_CHECKING:
    from isodyn.systems.base import System

DONE = 1e-9  # of typical sizes: a gap at which a search ends
STILL = 1e-8  # … and a move that changes nothing, …
LITTLE = 1e-3  # … if it takes away less of the gap than this part
CLOSED = 1e-6  # a motion whose end is nearer to its start than this, in typical sizes, is periodic
NEAR = 0.1  # of the largest, at least 1: singular values below are looked at with half the step
BLURRED = 2.0  # times the error of the steps: smaller singular values may be zero
FALLS = 2.5  # times smaller with half the step, at least: what the steps alone leave (4 by their order)
FURTHEST = 0.3  # of a period, by which one move changes it
STRETCHED = 1.05  # times dt: steps of a period that was found longer are made anew
LOST = 1e-12  # of the largest: singular values below are rounding
TINY = 1e-300
WORSE = 10.0  # times the gap before: a move that leads to more is too long
SMALLEST = 1e-2  # part of a move that is tried
LONGER = 1.5  # times the guess of a free period: so far the first return is looked for
OTHER = 4.0  # times longer or shorter than the guess: other periods are not looked for


def gap_between(system: System, sol: Solution, first: int, last: int) -> tuple[FloatArray, FloatArray, float]:
    """How far q and v of two rows are apart, and how far that is in typical sizes."""
    dq, dv = apart(system, sol.q[first], sol.q[last]), sol.v[last] - sol.v[first]
    fast = max(1.0, float(np.abs(sol.v / system.scales.v).max(initial=0.0)))
    size = max(
        float(np.abs(dq / system.scales.v).max(initial=0.0)),
        float(np.abs(dv / system.scales.v).max(initial=0.0)) / fast,
    )
    return dq, dv, size


def gap_of(turn: Turn) -> tuple[FloatArray, float]:
    """How far the end is from the start, in coordinates and in typical sizes."""
    dq, dv, size = gap_between(turn.starts.system, turn.solution, 0, -1)
    return turn.starts.chart.coordinates(dq, dv), size


def rests(turn: Turn) -> bool:
    """Whether a motion leaves its start by no more than rounding and the end of the search."""
    sol, system = turn.solution, turn.starts.system
    away = [np.abs(apart(system, sol.q[0], q) / system.scales.v).max(initial=0.0) for q in sol.q]
    fast = np.abs((sol.v - sol.v[0]) / system.scales.v).max(initial=0.0)
    return bool(max(float(fast), *map(float, away)) <= CLOSED)


@dataclass(frozen=True, eq=False)
class Closed:
    """Where a search ended: the last turn, its period and steps, and what is left of the gap. If
    the steps are to blame for it: what half the step leaves, how many directions belong to a
    family, and the error of the matrix by the steps."""

    turn: Turn
    period: float
    steps: int
    gap: float
    finer: float | None = None
    unknown: int = 0
    blur: float = 0.0


@dataclass
class Closing:
    """Newton's iteration for one period."""

    t0: float
    free: bool
    autonomous: bool
    most: int
    options: dict[str, Any]
    runs: int = 0

    def found(self, here: System, T: float, dt: float) -> Closed:
        """An orbit near the start: one of a family, or one alone."""
        T = self._return(here, T, dt) if self.free else T
        first = self._turn(here, T, steps_of(T, dt))
        unknown = self._unknown(first, T) if self.autonomous else 0
        if unknown:
            try:
                return self._of_family(self._newton(first, T, dt, unknown), dt, unknown)
            except ConvergenceError:  # what half the step does not tell from zero may still be a number
                if self.runs >= self.most:
                    raise
        end = self._newton(first, T, dt, 0)
        return end if end.gap <= DONE else self._of_family(end, dt, 0)

    def _return(self, here: System, T: float, dt: float) -> float:
        """When the motion comes nearest to its start, half a period about the guess."""
        self.runs += 1
        here, options = consistent(here, self.t0, T), {"assemble": True, **self.options}
        sol = integrate(here, dt=T / steps_of(T, dt), t0=self.t0, t_end=self.t0 + LONGER * T, **options)
        late = np.flatnonzero(sol.t - self.t0 >= (2.0 - LONGER) * T)
        sizes = [gap_between(here, sol, 0, int(k))[2] for k in late]
        k = int(np.argmin(sizes))
        return float(sol.t[late[k]]) - self.t0 if 0 < k < late.size - 1 else T

    def _turn(self, here: System, T: float, steps: int) -> Turn:
        self.runs += 1
        return turned(here, self.t0, T, steps, {"assemble": True, **self.options})

    def _unknown(self, turn: Turn, T: float) -> int:
        """How many directions may belong to a family: where singular values are small, one, or
        those that are zero within the error of the steps."""
        sizes = np.linalg.svd(self._equations(turn, T)[0], compute_uv=False)
        if sizes.min(initial=np.inf) > NEAR * sizes.max(initial=1.0):
            return 0
        finer = self._turn(turn.starts.system, T, 2 * (turn.solution.t.size - 1))
        return max(1, self._blurred(turn, finer, T))

    def _blurred(self, turn: Turn, finer: Turn, T: float) -> int:
        """How many singular values are zero within the error of the steps."""
        sizes = np.linalg.svd(self._equations(turn, T)[0], compute_uv=False)
        return int((sizes <= BLURRED * self._error(turn, finer, T)).sum())

    def _error(self, turn: Turn, finer: Turn, T: float) -> float:
        """Of the matrix, by the steps."""
        A, other = (self._equations(one, T)[0] for one in (turn, finer))
        return 4.0 / 3.0 * float(np.linalg.norm(A - other, 2))  # of second order

    def _of_family(self, end: Closed, dt: float, unknown: int) -> Closed:
        """The same orbit, if directions that were left out are zero, and the steps alone are to
        blame for its gap; ConvergenceError if not."""
        first = self._turn(end.turn.starts.system, end.period, 2 * end.steps)
        finer = self._newton(first, end.period, 0.5 * dt, unknown)
        alone = self._blurred(end.turn, first, end.period) < unknown
        if alone or finer.gap > max(end.gap / FALLS, DONE):
            raise ConvergenceError(
                f"no periodic motion of period {end.period:g} was found: the nearest one misses its start by "
                f"{end.gap:.2g} typical sizes, with half the step by {finer.gap:.2g}",
                hint="start nearer to it, or give another period; a motion that is damped has none",
            )
        return replace(end, finer=finer.gap, unknown=unknown, blur=self._error(end.turn, first, end.period))

    def _equations(self, turn: Turn, T: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """A, b and P of A z = b, where P z are changes of the start that constraints allow, and of
        the period last; time is not shifted where it stands nowhere."""
        sol, starts = turn.solution, turn.starts
        scales = starts.system.scales.v
        fast = max(1.0, float(np.abs(sol.v / scales).max(initial=0.0)))
        sizes = starts.chart.coordinates(scales, scales * fast)
        free = np.eye(sizes.size) if turn.basis is None else np.linalg.qr(turn.basis / sizes[:, None])[0]
        first, last = (free.T @ (starts.chart.coordinates(sol.v[i], sol.a[i]) / sizes) for i in (0, -1))
        A = free.T @ (turn.matrix / sizes[:, None] * sizes) @ free - np.eye(free.shape[1])
        b, P = -free.T @ (gap_of(turn)[0] / sizes), sizes[:, None] * free
        if self.autonomous and first.any():
            across = np.linalg.svd(first[None])[2][1:].T
            A, P = A @ across, P @ across
        if self.free:
            long = max(float(np.linalg.norm(last)), TINY / T)
            A = np.column_stack([A, last / long])
            P = np.block([[P, np.zeros((P.shape[0], 1))], [np.zeros((1, P.shape[1])), np.full((1, 1), 1.0 / long)]])
        return A, b, P

    def _newton(self, turn: Turn, T: float, dt: float, unknown: int) -> Closed:
        """The iteration, without `unknown` directions. It ends where the gap is zero, or where no
        move makes it smaller; ConvergenceError at rest, and elsewhere."""
        least, steps, size = T / OTHER, turn.solution.t.size - 1, gap_of(turn)[1]
        while True:
            move, stays = self._move(turn, T, unknown)
            if size <= DONE or (self.autonomous and stays):
                if self.autonomous and rests(turn):
                    raise ConvergenceError(
                        "the search ended at rest, where every period fits", hint="start nearer to the motion"
                    )
                if STRETCHED * steps * dt >= T:
                    return Closed(turn, T, steps, size)
                steps = steps_of(T, dt)
            went = self._moved(turn, T, steps, move, size)
            if went is None or not least < went[1] < OTHER * OTHER * least:
                break
            turn, T = went
            size = gap_of(turn)[1]
        raise ConvergenceError(
            f"no periodic motion of period {T:g} was found: the end still misses the start by {size:.2g} typical sizes",
            hint="start nearer to it, or give another period",
        )

    def _move(self, turn: Turn, T: float, unknown: int) -> tuple[FloatArray, bool]:
        """Changes of the start, and of the period last; and whether they are small and leave the
        gap as it is."""
        A, b, P = self._equations(turn, T)
        U, S, Vt = np.linalg.svd(A, full_matrices=False)
        kept = (LOST * S.max(initial=0.0) < S) & (np.arange(S.size) < S.size - unknown)
        z = Vt[kept].T @ ((U[:, kept].T @ b) / S[kept])
        if unknown:  # of all these moves the one that changes the start least
            along, many = Vt[~kept].T, z.size - int(self.free)
            z = z - along @ np.linalg.lstsq(along[:many], z[:many], rcond=LOST)[0]
        stays = np.linalg.norm(A @ z) <= LITTLE * np.linalg.norm(b) and np.abs(z).max(initial=0.0) <= STILL
        move = P @ z
        if self.free:
            move *= min(1.0, FURTHEST * T / max(abs(float(move[-1])), TINY))
        return move, bool(stays)

    def _moved(self, turn: Turn, T: float, steps: int, move: FloatArray, size: float) -> tuple[Turn, float] | None:
        """The next turn and its period; a part of the move where all of it leads away. None where
        that does not help."""
        part = 1.0
        while self.runs < self.most and part >= SMALLEST:
            period = T + part * float(move[-1]) if self.free else T
            x = part * (move[:-1] if self.free else move)
            try:
                made = self._turn(with_start(turn.starts.system, *turn.starts.chart.start(x)), period, steps)
            except ConvergenceError:  # there is no run from there
                part *= 0.25
                continue
            if gap_of(made)[1] <= WORSE * max(size, DONE):
                return made, period
            part *= 0.25
        return None

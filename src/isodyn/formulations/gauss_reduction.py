"""The accelerations of Gauss' principle at one state after the other, with the rank of G decided
again at each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from isodyn.errors import ConflictError
from isodyn.formulations.closure import Closure, Elimination, Where
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.rank import RCOND, Rank, decide
from isodyn.systems.questions import Questions
from isodyn.systems.scales import natural_pace, pace, sizes_of_rows

methods = Later("isodyn.gauss.methods")  # a large package, needed by the forms in Python alone

if TYPE_CHECKING:
    from isodyn.gauss.methods import Method

COARSEST = 1e-2  # the largest tolerance of a rank, where the state is far off the constraints
# of the accelerations asked for: rows that follow from others and differ by more contradict them
CONFLICT = 1e-6


class EliminatesMultipliers(Protocol):
    """What `UdwadiaKalaba` and `NullSpace` tell about themselves."""

    @property
    def method(self) -> Method:
        """Name of the method in `isodyn.gauss`."""

    @property
    def alpha(self) -> float:
        """Gain of φ̇."""

    @property
    def beta(self) -> float:
        """Gain of φ."""


def closure_at_balance(formulation: EliminatesMultipliers, eliminate: Elimination = Elimination.NONE) -> Closure:
    """φ̈ + 2αφ̇ + β²φ = 0 at the balance [Pennestri2008 (90)]."""
    alpha, beta = float(formulation.alpha), float(formulation.beta)
    return Closure(beta * beta, 2.0 * alpha, 1.0, eliminate=eliminate, where=Where.BALANCE)


class Reduction:
    """The acceleration problem of a system at one state after the other.

    Redundant rows are left out. Those that were enforced before are enforced again while they are
    independent and as many as the rank: another choice would give another F where rows depend on
    each other on the constraints only and the state has drifted.
    """

    def __init__(self, formulation: EliminatesMultipliers, ask: Questions) -> None:
        self.formulation, self.ask, self.weights = formulation, ask, closure_at_balance(formulation)
        self.rows: IntArray | None = None
        self.most = 0  # the largest rank so far
        self.closest = (1.0, 0.0)  # to a loss of rank: the smallest pivot, and when

    def solve(
        self, t: float, q: FloatArray, v: FloatArray, rcond: float = RCOND, *, strict: bool = True
    ) -> tuple[FloatArray, FloatArray, Rank]:
        """a, λ of least norm, and the rank of G; `rcond` is the least tolerance of that rank,
        `strict` refuses rows in conflict."""
        ask = self.ask
        apply = methods.formula(self.formulation.method)
        M, G = ask.mass(t, q, v), ask.G(t, q, v)
        Q, b = -ask.balance(t, q, v, np.zeros(ask.system.nv)), wanted(ask, t, q, v, self.weights)
        tolerance = tolerance_of_rank(ask, t, q, v, G, rcond)
        rank = decide(G, M.diagonal(), tolerance)
        self._watch(rank, t)
        if rank.full:
            return *methods.on_rank(apply, M, Q, G, b, rank), rank
        if self.rows is not None and self.rows.size == rank.rank:
            part = decide(G[self.rows], M.diagonal(), tolerance)
        if self.rows is None or self.rows.size != rank.rank or not part.full:
            self.rows = rank.chosen
            part = decide(G[self.rows], M.diagonal(), tolerance)
        if strict:
            refuse_conflict(ask, rank, self.rows, b, t, q, v)
        lam = np.zeros(b.size)
        a, lam[self.rows] = methods.on_rank(apply, M, Q, G[self.rows], b[self.rows], part)
        return a, rank.least_norm(lam), rank

    def _watch(self, rank: Rank, t: float) -> None:
        """Note how close the independent rows come to losing rank; one that is gained started from
        a loss."""
        if rank.rank > self.most > 0:
            self.closest = (0.0, t)
        self.most = max(self.most, rank.rank)
        if self.most:
            pivot = rank.diagonal[self.most - 1] / rank.diagonal[0] if rank.rank == self.most else 0.0
            self.closest = min(self.closest, (float(pivot), t))


def wanted(ask: Questions, t: float, q: FloatArray, v: FloatArray, weights: Closure) -> FloatArray:
    """b̂, what the rows ask of the accelerations."""
    b = -ask.acceleration(t, q, v, np.zeros(ask.system.nv))
    if weights.position or weights.velocity:
        phi = ask.position(t, q, v)
        b -= weights.velocity * ask.velocity(t, q, v)  # [Pennestri2008 (90)]
        b[: phi.size] -= weights.position * phi
    return b


def tolerance_of_rank(
    ask: Questions, t: float, q: FloatArray, v: FloatArray, G: FloatArray, least: float = RCOND
) -> float:
    """Relative size of a pivot at which a row depends on others: ten times the distance from φ = 0,
    within limits."""
    return max(least, min(10.0 * _distance(ask, ask.position(t, q, v), G, 1.0), COARSEST))


def _distance(ask: Questions, gap: FloatArray, G: FloatArray, size: float, rows: IntArray | None = None) -> float:
    """How far a state is from where the gaps, of some rows or all, vanish, in typical sizes times
    the given one."""
    G = G * ask.system.scales.v
    if rows is not None:
        rows = rows[rows < gap.size]
        gap, G = gap[rows], G[rows]
    if not gap.size:
        return 0.0
    length = np.linalg.norm(G[: gap.size], axis=1)
    return float(np.abs(gap / np.where(length > 0.0, length, 1.0)).max()) / size


def refuse_conflict(
    ask: Questions, rank: Rank, enforced: IntArray, b: FloatArray, t: float, q: FloatArray, v: FloatArray
) -> None:
    """ConflictError for rows that follow from others and ask for another acceleration, beyond what
    the drift can do.

    Only the drift of enforced rows excuses the others: what those are off by themselves is the
    conflict.
    """
    if rank.mixture is None:
        return
    names, G = ask.system.row_names, full(ask.G(t, q, v))
    fast = pace(ask.system, v) or 1.0
    off = _distance(ask, ask.position(t, q, v), G, 1.0, enforced)
    off += _distance(ask, ask.velocity(t, q, v), G, fast, enforced)
    follows = rank.mixture @ b[rank.chosen]
    size = np.abs(b[rank.dropped]) + np.abs(rank.mixture) @ np.abs(b[rank.chosen])
    defect = np.abs(b[rank.dropped] - follows)
    beat = natural_pace(ask, t, q, v)
    excess = defect - (CONFLICT + 100.0 * off) * np.maximum(sizes_of_rows(ask.system, G)[rank.dropped] * beat**2, size)
    if (excess > 0.0).any():
        k = int(excess.argmax())
        row = int(rank.dropped[k])
        others = ", ".join(repr(names[i]) for i in rank.partners(row)) or "no other row"
        raise ConflictError(
            f"constraints conflict at t = {t:.6g}: {names[row]!r} asks for {b[row]:.6g} at acceleration level where {others} give"
            f" {follows[k]:.6g}",
            hint=f"{names[row]!r} depends on {others}; remove one of them, or make them agree",
        )

"""A consistent start: positions and velocities on the constraints, then accelerations and
multipliers.

A start that misses the constraints by little is moved to the nearest consistent one (mass norm);
one that misses them by much is refused with the rows and the amounts, unless assembly is asked for.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import ConflictError, InputError, NonFiniteError, SingularError
from isodyn.kernels.compiled import COUNTS_TURNS, NONIDEAL, RETRACTS, FloatArray, IntArray
from isodyn.linear_solvers.blocks import full, lengths_of_rows
from isodyn.linear_solvers.rows import Rows, partners
from isodyn.stepping.memory import ROUNDING
from isodyn.systems.manifold import CONFLICT, close, moving, refuse_open
from isodyn.systems.questions import Questions
from isodyn.systems.scales import Weights, pace, reach, sizes_of_rows

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

SMALL = 1e-6  # violations below this, relative to the size of the state, are rounding of the input
ASIDE = 1e-3  # how far aside gradients are compared, against the size of q
STATIONARY = 1e-7  # a gradient smaller than this part of one a little aside is rounding
# of the size of v: more than rounding of the input can ask for in a position that is not singular
TURNED = 1e-2


class RowsAt:
    """Constraints at one state, each asked for once: φ, [φ̇; ψ], and G, in full where it has few
    entries."""

    def __init__(self, ask: Questions, t: float, q: FloatArray, v: FloatArray) -> None:
        self.ask, self.t, self.q, self.v = ask, t, q.copy(), v.copy()

    @cached_property
    def phi(self) -> FloatArray:
        return self.ask.position(self.t, self.q, self.v)

    @cached_property
    def rate(self) -> FloatArray:
        return self.ask.velocity(self.t, self.q, self.v)

    @cached_property
    def G(self) -> Matrix:
        return self.ask.rows(self.t, self.q, self.v)

    def are_of(self, q: FloatArray, v: FloatArray) -> bool:
        """Whether this is their state."""
        return np.array_equal(self.q, q) and np.array_equal(self.v, v)


def near_manifold(ask: Questions, t: float, q: FloatArray) -> FloatArray:
    """Positions on φ = 0 by Newton steps over all rows; refused if the rows cannot be closed.

    Off the manifold more rows are independent than on it. If they were enforced, the matrix would
    become singular on the way. So rows are chosen after this, where they will be used.
    """
    closed = close(Questions(ask.system), t, q)  # full matrices
    refuse_open(ask, t, closed)
    return closed.q


def still_open(ask: Questions, rows: Rows, t: float, q: FloatArray) -> bool:
    """Whether enforced rows are still violated after a projection that should have closed them."""
    still = np.zeros(ask.system.nv)
    phi = ask.position(t, q, still)
    off = np.abs(phi) / sizes_of_rows(ask.system, ask.G(t, q, still))[: phi.size]
    return bool(off[rows.chosen[rows.chosen < phi.size]].max(initial=0.0) > CONFLICT * reach(ask.system, q))


def is_consistent(there: RowsAt, rows: Rows, weights: Weights, slowest: float) -> bool:
    """Whether the enforced rows hold to rounding, for positions and velocities, so that no
    projection is needed. Models whose increments are not added to q are never consistent in this
    sense, because their q may have to be normalised."""
    if there.ask.model.traits & (RETRACTS | COUNTS_TURNS):
        return False
    far = max(1.0, float((np.abs(there.q) * weights.q).max(initial=0.0)))
    fast = max(slowest, float((np.abs(there.v) * weights.v).max(initial=0.0)))
    for gap, size in ((there.phi, far), (there.rate, fast)):
        chosen = rows.chosen[rows.chosen < gap.size]
        if not np.abs(gap[chosen] / weights.rows[chosen]).max(initial=0.0) <= ROUNDING * size:
            return False
    return True


def near_velocity(ask: Questions, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
    """Velocities on φ̇ = 0, ψ = 0, by two Newton steps of least norm over all rows."""
    for _ in range(2):
        G = full(ask.G(t, q, v))
        sizes = sizes_of_rows(ask.system, G)
        G = G / sizes[:, None]
        eased = np.linalg.solve(full(ask.mass(t, q, v)), G.T)
        v = v - eased @ np.linalg.lstsq(G @ eased, ask.velocity(t, q, v) / sizes, rcond=1e-8)[0]
    return v


def finite_rows(there: RowsAt) -> None:
    """Raise `NonFiniteError`, with the name of the row, if constraints are not finite at the
    start."""
    for values in (there.phi, there.rate, there.G @ np.ones(there.v.size)):
        good = np.isfinite(values)
        if not good.all():
            row = there.ask.system.row_names[int(np.argmin(good))]
            raise NonFiniteError(
                f"constraint {row!r} gives a NaN or an infinity at the start, t = {there.t:.6g}",
                hint="check what the constraint functions return for q0 and v0",
            )


@lru_cache(maxsize=16)
def _somewhere(n: int) -> FloatArray:
    """A direction, the same in every run."""
    return np.random.default_rng(1).uniform(-ASIDE, ASIDE, n)


def refuse_stationary(at: RowsAt, rows: Rows) -> None:
    """Raise `SingularError` for an enforced row whose gradient is rounding at the start: its
    direction would be arbitrary."""
    ask, t, v = at.ask, at.t, at.v
    sizes = ask.system.scales.v
    there = moving(ask.system)(at.q, sizes * _somewhere(v.size))
    here, beside = (lengths_of_rows(G, sizes) for G in (at.G, ask.rows(t, there, v)))
    lost = rows.chosen[here[rows.chosen] < STATIONARY * beside[rows.chosen]]
    if lost.size:
        raise SingularError(
            f"constraint {ask.system.row_names[int(lost[0])]!r} is stationary at the start, t = {t:.6g}:"
            f" its gradient is {here[lost[0]]:.1e} there and {beside[lost[0]]:.1e} a little aside",
            hint="start elsewhere; where branches of motion cross, a G that is exact there lets them be found",
        )


def refuse_turned(ask: Questions, t: float, q: FloatArray, given: FloatArray, v: FloatArray) -> None:
    """Raise `SingularError` if velocities violated the constraints by rounding only, but the
    projection changed them by far more."""
    size, far = pace(ask.system, given), pace(ask.system, v - given)
    if not far > TURNED * size > 0.0:
        return
    open_rates = ask.velocity(t, q, given) / sizes_of_rows(ask.system, ask.G(t, q, given))
    if np.abs(open_rates).max() < SMALL * size:
        raise SingularError(
            f"the start at t = {t:.6g} lies beside a singular position: its velocities keep the constraints to rounding, but the nearest"
            f" that do so exactly differ by {far / size:.2g} of their size",
            hint="start in the singular position itself or farther from it; integrate(..., assemble=True) takes the nearest velocities",
        )


def gaps(
    ask: Questions, t: float, q: FloatArray, v: FloatArray, slowest: float, G: Matrix | None = None
) -> list[tuple[str, FloatArray, FloatArray]]:
    """Violations of the constraints by level, relative to the sizes of rows and of the state
    (isodyn.systems.scales), and as they are.

    Velocities count beside those that move typical sizes in the time of the run: `slowest` is one
    over that. G is asked for if it is not given.
    """
    there = RowsAt(ask, t, q, v)
    if G is not None:
        there.G = G
    return gaps_at(there, slowest)


def gaps_at(there: RowsAt, slowest: float) -> list[tuple[str, FloatArray, FloatArray]]:
    """`gaps`, where the constraints may be known already."""
    system, phi, rate = there.ask.system, there.phi, there.rate
    sizes = sizes_of_rows(system, there.G)
    return [
        ("position", phi / (sizes[: phi.size] * reach(system, there.q)), phi),
        ("velocity", rate / (sizes * max(slowest, pace(system, there.v))), rate),
    ]


def refuse_if_far(given: RowsAt, slowest: float, held: IntArray | None = None) -> None:
    """InputError for a start off the constraints by more than rounding of the input, naming the
    worst row; of those that are held, if not all are."""
    ask = given.ask
    for level, gap, raw in gaps_at(given, slowest):
        if held is not None:
            gap[np.setdiff1d(np.arange(gap.size), held)] = 0.0
        if gap.size and np.abs(gap).max() > SMALL:
            worst = int(np.abs(gap).argmax())
            others = int((np.abs(gap) > SMALL).sum()) - 1
            also = f" (and {others} more row{'s' * (others != 1)})" if others else ""
            raise InputError(
                f"the start violates constraint {ask.system.row_names[worst]!r} at {level} level by {raw[worst]:.3g}{also}",
                hint="correct q0 and v0, or let integrate(..., assemble=True) find the nearest consistent start",
            )


def refuse_shared(ask: Questions, rows: Rows) -> None:
    """SingularError for redundant rows where forces depend on their multipliers."""
    if rows.dropped.size and ask.model.traits & NONIDEAL:
        names = ", ".join(repr(ask.system.row_names[i]) for i in rows.dropped)
        raise SingularError(
            f"forces depend on multipliers, which are not unique: {names} follow from other constraints",
            hint="remove redundant rows, or say by a compliant model how they share the load",
        )


def refuse_conflicts(
    ask: Questions, rows: Rows, t: float, q: FloatArray, v: FloatArray, slowest: float, G: Matrix | None = None
) -> None:
    """Raise `ConflictError`, with the names of both, if rows that depend on others do not hold
    where the others do."""
    names = ask.system.row_names
    if not rows.dropped.size:
        return
    for level, gap, raw in gaps(ask, t, q, v, slowest, G):
        dropped = rows.dropped[rows.dropped < gap.size]
        # by the formulation
        let_go = float(np.abs(gap[rows.chosen[rows.chosen < gap.size]]).max(initial=0.0))
        if dropped.size and np.abs(gap[dropped]).max() > CONFLICT + 10.0 * let_go:
            row = int(dropped[np.abs(gap[dropped]).argmax()])
            found = partners(ask.G(t, q, v) * ask.system.scales.v, rows, row)
            if not found:
                raise ConflictError(
                    f"constraint {names[row]!r} is off by {raw[row]:.3g} at {level} level at t = {t:.6g}, and no motion changes it there",
                    hint="a stationary value; start elsewhere",
                )
            others, hold = ", ".join(repr(names[i]) for i in found), "holds" if len(found) == 1 else "hold"
            raise ConflictError(
                f"constraints conflict at t = {t:.6g}: {names[row]!r} is off by {raw[row]:.3g} at {level} level where {others} {hold}",
                hint=f"{names[row]!r} depends on {others}; remove one of them, or make them agree",
            )

"""A march with redundant rows, which looks at every row that it saves.

A run enforces an independent set of constraint rows, c, and lets the others, d, follow from them.
With B = G in typical sizes and pivots P chosen along the rows,

    B_cᵀ = P L U,    B_dᵀ = P L Y + rest     what is left of a dropped row tells whether it still depends
    b_d = w B_c,     U wᵀ = y                what a dropped row is made of

A pivot that fades, beside the length of its row, tells that enforced rows come to depend on each
other. A large w does too: to enforce row d in the place of row i multiplies the volume that the rows
span by |w_i|, both in unit length, so that no exchange is worth much where all of them are small.
The multipliers of least norm with the same force Bᵀλ are the projection of λ onto the range of B.
With W the matrix of all w,

    u = λ_c + Wᵀλ_d,    (I + W Wᵀ) λ_d' = W u,    λ_c' = u − Wᵀλ_d'

The march ends at a row in which a dropped row is off, or no longer depends, or in which the enforced
rows have come much closer to depending on each other than where they were last looked at with care:
there it is time for that (isodyn.marching.run, `watch_rows`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from isodyn.kernels.compiled import (
    CONSTRAINT,
    KNOWS_LEVELS,
    LEVELS,
    MODEL_TYPE,
    OK,
    POSITION,
    VELOCITY,
    F,
    FloatArray,
    i8,
    kernel,
)
from isodyn.kernels.struct import Struct, integer, integers, real, reals
from isodyn.kernels.struct_types import ADDRESS, StructType
from isodyn.linear_solvers.rows import TOLERANCE, WORN, Rows
from isodyn.marching.march import COLUMNS, ROWS_TYPE, march
from isodyn.stepping.closure import copy_to
from isodyn.stepping.memory import COUNTERS, MEMORY, PLAN, STATE
from isodyn.systems.manifold import CONFLICT
from isodyn.systems.scales import sizes_of_rows

if TYPE_CHECKING:
    from isodyn.marching.run import Run

BLOCK = 256  # steps after which a state is looked at even if it is not saved
MOST = 40_000  # entries of G up to which rows are looked at in this way
DOUBTFUL = 0.5  # of a bound of isodyn.marching.start: rows beyond it are looked at with care
DOUBT = 104  # a status: the state is to be looked at with care
FADED = 0.5  # of the independence at the last look with care


class Sharing(Struct):
    """Which rows are enforced, typical sizes, and memory for one row of a solution."""

    holonomic = integer
    slowest, reference = real, real
    chosen, dropped = integers("rank"), integers("left")
    units, gap_sizes = reals("m"), reals("m")  # of multipliers and of gaps
    size_q, size_v = reals("nq"), reals("nv")
    starts, columns = integers("starts"), integers("columns")  # of a sparse G
    answer, gap, rate, c = reals("entries"), reals("m"), reals("m"), reals(4)
    lam = reals("m")  # of a state that is not saved
    levels = reals("levels")  # where a model tells gaps and rates at once
    B, squares = reals("m", "nv"), reals("m")  # rows, and their squared lengths before elimination
    pivots, inverse, U = integers("rank"), reals("rank"), reals("rank", "rank")  # Uᵀ, 1/U_ii apart
    W, S = reals("left", "rank"), reals("left", "left")
    u, right = reals("rank"), reals("left")


SHARING = StructType(Sharing)


@kernel()
def scale_rows(work: Sharing) -> None:
    """B: G with typical sizes, from what the model answered."""
    n = work.size_v.size
    for k in range(work.units.size):
        B, square = work.B[k], 0.0
        if work.starts.size > 0:
            for j in range(n):
                B[j] = 0.0
            for e in range(work.starts[k], work.starts[k + 1]):
                j = work.columns[e]
                B[j] = work.answer[e] * work.size_v[j] / work.units[k]
                square += B[j] * B[j]
        else:
            for j in range(n):
                B[j] = work.answer[k * n + j] * work.size_v[j] / work.units[k]
                square += B[j] * B[j]
        work.squares[k] = square


@kernel()
def take_out(B: FloatArray, work: Sharing, count: int, found: FloatArray) -> None:
    """Take the first enforced rows out of a row of B, so that it vanishes at their pivots; how much
    of each it contained, into `found`."""
    for k in range(count):
        x, other = B[work.pivots[k]], work.B[work.chosen[k]]
        found[k] = x
        if x != 0.0:
            for j in range(B.size):
                B[j] -= x * other[j]


@kernel()
def eliminate(work: Sharing) -> float:
    """L, in the place of the enforced rows, and U; the least pivot beside the length of its row."""
    least = 1.0
    for i in range(work.chosen.size):
        B, largest, pivot = work.B[work.chosen[i]], 0.0, 0
        take_out(B, work, i, work.U[i])
        for j in range(B.size):
            if abs(B[j]) > largest:
                largest, pivot = abs(B[j]), j
        square = work.squares[work.chosen[i]]
        if not largest * largest > (DOUBTFUL * TOLERANCE) ** 2 * square:
            return 0.0
        least = min(least, largest / np.sqrt(square))
        work.pivots[i], work.inverse[i] = pivot, 1.0 / B[pivot]
        for j in range(B.size):
            B[j] *= work.inverse[i]
        B[pivot] = 1.0
    return least


@kernel()
def express_dropped(work: Sharing) -> float:
    """W: the dropped rows by the enforced ones; the largest part of one, all rows in unit length, or
    −1 if one of them no longer depends on these."""
    largest = 0.0
    for d in range(work.dropped.size):
        B, w, rest, square = work.B[work.dropped[d]], work.W[d], 0.0, work.squares[work.dropped[d]]
        take_out(B, work, work.chosen.size, w)
        for j in range(B.size):
            rest += B[j] * B[j]
        if not rest <= DOUBTFUL * TOLERANCE * square:
            return -1.0
        for i in range(work.chosen.size - 1, -1, -1):
            w[i] *= work.inverse[i]
            for k in range(i):
                w[k] -= w[i] * work.U[i, k]
            if square > 0.0:
                largest = max(largest, w[i] * w[i] * work.squares[work.chosen[i]] / square)
    return np.sqrt(largest)


@kernel()
def gather(work: Sharing, lam: FloatArray) -> None:
    """u = λ_c + Wᵀλ_d, W u, and I + W Wᵀ."""
    r, left, W, u = work.chosen.size, work.dropped.size, work.W, work.u
    for i in range(r):
        u[i] = work.units[work.chosen[i]] * lam[work.chosen[i]]
        for d in range(left):
            u[i] += W[d, i] * work.units[work.dropped[d]] * lam[work.dropped[d]]
    for d in range(left):
        work.right[d] = 0.0
        for i in range(r):
            work.right[d] += W[d, i] * u[i]
        for e in range(d + 1):
            work.S[d, e] = 0.0
            for i in range(r):
                work.S[d, e] += W[d, i] * W[e, i]
        work.S[d, d] += 1.0


@kernel()
def solve_left(work: Sharing) -> None:
    """S⁻¹ of the right-hand side, in its place, by Cholesky's factors; S ≥ I."""
    left, S, s = work.dropped.size, work.S, work.right
    for d in range(left):
        for e in range(d):
            for k in range(e):
                S[d, e] -= S[d, k] * S[e, k]
            S[d, e] /= S[e, e]
            S[d, d] -= S[d, e] * S[d, e]
            s[d] -= S[d, e] * s[e]
        S[d, d] = np.sqrt(S[d, d])
        s[d] /= S[d, d]
    for d in range(left - 1, -1, -1):
        for k in range(d + 1, left):
            s[d] -= S[k, d] * s[k]
        s[d] /= S[d, d]


@kernel()
def share(work: Sharing, lam: FloatArray) -> None:
    """λ of least norm with the same force."""
    gather(work, lam)
    solve_left(work)
    for i in range(work.chosen.size):
        x = work.u[i]
        for d in range(work.dropped.size):
            x -= work.W[d, i] * work.right[d]
        lam[work.chosen[i]] = x / work.units[work.chosen[i]]
    for d in range(work.dropped.size):
        lam[work.dropped[d]] = work.right[d] / work.units[work.dropped[d]]


@kernel()
def holds(work: Sharing, gap: FloatArray, m: int, size: float) -> bool:
    """Whether the dropped rows among the first m hold as well as the enforced ones."""
    let_go, off = 0.0, 0.0
    for i in range(work.chosen.size):
        if work.chosen[i] < m:
            let_go = max(let_go, abs(gap[work.chosen[i]]) / work.gap_sizes[work.chosen[i]])
    for d in range(work.dropped.size):
        if work.dropped[d] < m:
            off = max(off, abs(gap[work.dropped[d]]) / work.gap_sizes[work.dropped[d]])
    return off <= DOUBTFUL * CONFLICT * size + 10.0 * let_go


@kernel()
def largest_part(x: FloatArray, sizes: FloatArray, least: float) -> float:
    """The largest |x|/size, at least `least`."""
    found = least
    for i in range(sizes.size):
        found = max(found, abs(x[i]) / sizes[i])
    return found


@kernel(types.f8(SHARING, F))
def look(work: Sharing, lam: FloatArray) -> float:
    """Share the multipliers of one row, G being in work.answer; how independent the enforced rows
    are, or −1 where the row needs care."""
    scale_rows(work)
    now = eliminate(work)
    if not now > 0.0:
        return -1.0
    part = express_dropped(work)
    now = min(now, 1.0 / max(part, 1.0))
    if part < 0.0 or (now < WORN and now < FADED * work.reference):
        return -1.0
    share(work, lam)
    return now


@kernel()
def share_row(
    model: Any, tables: Any, scratch: Any, work: Sharing, t: float, q: FloatArray, v: FloatArray, lam: FloatArray
) -> bool:
    """Share the multipliers of a state; False: it needs care."""
    m = work.gap.size
    if work.levels.size > 0:
        status = model(LEVELS, t, q, v, v, lam, work.c, tables, scratch, work.levels)
        for i in range(m):
            work.gap[i], work.rate[i] = work.levels[i], work.levels[m + i]
    else:
        status = model(POSITION, t, q, v, v, lam, work.c, tables, scratch, work.gap)
        if status == OK:
            status = model(VELOCITY, t, q, v, v, lam, work.c, tables, scratch, work.rate)
    if status != OK or not holds(work, work.gap, work.holonomic, largest_part(q, work.size_q, 1.0)):
        return False
    if not holds(work, work.rate, m, largest_part(v, work.size_v, work.slowest)):
        return False
    status = model(CONSTRAINT, t, q, v, v, lam, work.c, tables, scratch, work.answer)
    return status == OK and look(work, lam) >= 0.0


@kernel()
def is_clear(model: Any, tables: Any, scratch: Any, work: Sharing, state: Any) -> bool:
    """Whether a state that is not saved needs no care."""
    copy_to(state.lam, work.lam)
    return bool(share_row(model, tables, scratch, work, state.t, state.q, state.v, work.lam))


@kernel(
    i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, i8, STATE, MEMORY, COLUMNS, ROWS_TYPE, COUNTERS, SHARING),
    apart=True,
    nogil=True,
)
def march_sharing(
    model: Any,
    tables: Any,
    scratch: Any,
    plan: Any,
    upto: int,
    state: Any,
    memory: Any,
    columns: Any,
    rows: Any,
    counters: Any,
    work: Sharing,
) -> int:
    """`march`, with the multipliers of each row shared; DOUBT at a state that needs care."""
    while state.step < upto:
        k = counters.rows
        status = march(model, tables, scratch, plan, state.step + 1, state, memory, columns, rows, counters)
        if status != OK:
            return status
        if counters.rows > k:
            if not share_row(model, tables, scratch, work, state.t, state.q, state.v, rows.lam[k]):
                return DOUBT
        elif state.step % BLOCK == 0 and not is_clear(model, tables, scratch, work, state):
            return DOUBT
    return OK


def march_to_doubt(run: Run, upto: int) -> int:
    """Let a run march to a step; with redundant rows at most to the first state that must be looked
    at with care. Returns the status of the march; `run.doubt` says whether to look."""
    run.doubt = True
    if not (run.independent.dropped.size and can_share(run)):
        return run.march(upto)
    status = run.march(upto, work_of(run))
    run.doubt = status != OK
    return OK if status == DOUBT else status


def can_share(run: Run) -> bool:
    """Whether the march can look at the rows of this run: all of q, v and λ saved, at times that are
    known before, and nobody else who looks at single rows."""
    system, kept = run.system, run.columns
    if run.observe is not None or run.watch is not None or run.sized or run.drifts or run.held is not None:
        return False
    if run.closure.compliance > 0.0 or system.first_order or system.m * system.nv > MOST:
        return False
    return (kept.q.size, kept.v.size, kept.lam.size) == (system.nq, system.nv, system.m)


def work_of(run: Run) -> Sharing:
    """What a pass needs, for the rows that the run enforces now; made again after a look with
    care."""
    found = run.sharing
    if found is None or found[0] is not run.independent:
        found = run.sharing = (run.independent, sharing(run))
        run.independence = found[1].reference
    return found[1]


def sharing(run: Run) -> Sharing:
    """What a pass needs, for the rows that the run enforces now."""
    system = run.system
    G = run.ask.G(float(run.state.t), run.state.q, run.state.v)
    known = system.scales.rows is not None and system.scales.rows.size == system.m
    work = sharing_for(run, run.independent)
    work.units = system.scales.rows if known else np.ones(system.m)
    work.gap_sizes = sizes_of_rows(system, G)
    work.size_q, work.size_v = system.scales.q, system.scales.v
    work.answer = G.data if run.ask.model.sparsity is not None else np.ascontiguousarray(G).reshape(-1)
    work.reference = run.independence or look(work, np.zeros(system.m))
    return work


def sharing_for(run: Run, rows: Rows) -> Sharing:
    """What a pass needs for these rows, still without sizes and values."""
    system, pattern = run.system, run.ask.model.sparsity
    starts, columns = (pattern.G_starts, pattern.G_columns) if pattern is not None else (np.zeros(0), np.zeros(0))
    work = Sharing(
        rank=rows.chosen.size,
        left=rows.dropped.size,
        m=system.m,
        nq=system.scales.q.size,
        nv=system.nv,
        starts=starts.size,
        columns=columns.size,
        entries=columns.size if pattern is not None else system.m * system.nv,
        levels=2 * system.m if run.ask.model.traits & KNOWS_LEVELS else 0,
    )
    work.holonomic, work.slowest = system.m_phi, run.slowest
    work.chosen, work.dropped = rows.chosen, rows.dropped
    work.starts, work.columns, work.c = starts, columns, np.array([1.0, 0.0, 0.0, 1.0])
    return work

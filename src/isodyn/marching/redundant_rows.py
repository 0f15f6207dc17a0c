"""Redundant rows along a block of steps, in one compiled pass over the rows that were saved.

A run enforces an independent set of constraint rows, c, and lets the others, d, follow from them.
With B = G in typical sizes and B_cᵀ = Q R (rows orthogonalised one after the other, twice),

    b_d = w B_c,   R wᵀ = Qᵀ b_d            what a dropped row is made of; what is left of it tells whether it still depends
    |R̂⁻¹|⁻¹ ≤ σ of the unit rows ≤ √r |R̂⁻¹|⁻¹    how independent the enforced rows are (Frobenius)

The multipliers of least norm with the same force Bᵀλ are the projection of λ onto the range of B.
With W the matrix of all w,

    u = λ_c + Wᵀλ_d,    (I + W Wᵀ) λ_d' = W u,    λ_c' = u − Wᵀλ_d'

A row in which a dropped row is off, no longer depends, or in which the enforced rows have come much
closer to depending on each other than where they were last looked at, is named. Then the run goes
back to the beginning of the block, comes to that row again, and looks at it with more care
(isodyn.marching.run, `watch_rows`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from isodyn.kernels.compiled import (
    CONSTRAINT,
    F2,
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
from isodyn.systems.manifold import CONFLICT
from isodyn.systems.scales import sizes_of_rows

if TYPE_CHECKING:
    from isodyn.marching.run import Run

BLOCK = 256  # steps between looks at redundant rows: the same ones in every run, however fast it is
MOST = 40_000  # entries of G up to which a block is looked at in this way
DOUBTFUL = 0.5  # of a bound of isodyn.marching.start: rows beyond it are looked at with care
FADED = 0.5  # of the independence at the last look


class Sharing(Struct):
    """Which rows are enforced, typical sizes, and memory for one row of a solution."""

    holonomic = integer
    slowest, reference = real, real
    chosen, dropped = integers("rank"), integers("left")
    units, gap_sizes = reals("m"), reals("m")  # of multipliers and of gaps
    size_q, size_v = reals("nq"), reals("nv")
    starts, columns = integers("starts"), integers("columns")  # of a sparse G
    answer, gap, rate, c = reals("entries"), reals("m"), reals("m"), reals(4)
    levels = reals("levels")  # where a model tells gaps and rates at once
    lengths = reals("rank")  # of the columns of R
    B, Q, R = reals("m", "nv"), reals("rank", "nv"), reals("rank", "rank")
    W, S = reals("left", "rank"), reals("left", "left")
    u, right, inverse = reals("rank"), reals("left"), reals("rank")


SHARING = StructType(Sharing)


@kernel()
def scale_rows(work: Sharing) -> None:
    """B: G with typical sizes, from what the model answered."""
    m, n = work.units.size, work.size_v.size
    for k in range(m):
        if work.starts.size > 0:
            for j in range(n):
                work.B[k, j] = 0.0
            for e in range(work.starts[k], work.starts[k + 1]):
                j = work.columns[e]
                work.B[k, j] = work.answer[e] * work.size_v[j] / work.units[k]
        else:
            for j in range(n):
                work.B[k, j] = work.answer[k * n + j] * work.size_v[j] / work.units[k]


@kernel()
def product(A: FloatArray, i: int, B: FloatArray, k: int, n: int) -> float:
    """A[i]·B[k], in four sums that do not wait for each other."""
    a = b = c = d = 0.0
    whole = n - n % 4
    for j in range(0, whole, 4):
        a += A[i, j] * B[k, j]
        b += A[i, j + 1] * B[k, j + 1]
        c += A[i, j + 2] * B[k, j + 2]
        d += A[i, j + 3] * B[k, j + 3]
    for j in range(whole, n):
        a += A[i, j] * B[k, j]
    return (a + b) + (c + d)


@kernel()
def take_out(i: int, work: Sharing) -> None:
    """Take the rows before out of row i of Q."""
    n, Q, R = work.size_v.size, work.Q, work.R
    for k in range(i):
        x = product(Q, k, Q, i, n)
        R[k, i] += x
        for j in range(n):
            Q[i, j] -= x * Q[k, j]


@kernel()
def orthogonalise(work: Sharing) -> bool:
    """Q and R of the enforced rows; False if one of them is nothing."""
    n, B, Q, R = work.size_v.size, work.B, work.Q, work.R
    for i in range(work.chosen.size):
        for j in range(n):
            Q[i, j] = B[work.chosen[i], j]
        for k in range(i):
            R[k, i] = 0.0
        before = product(Q, i, Q, i, n)
        take_out(i, work)
        left = product(Q, i, Q, i, n)
        if left < 0.5 * before:  # once is not enough where rows are nearly dependent
            take_out(i, work)
            left = product(Q, i, Q, i, n)
        if not left > 0.0:
            return False
        R[i, i] = np.sqrt(left)
        for j in range(n):
            Q[i, j] /= R[i, i]
    return True


@kernel()
def independence_of_rows(work: Sharing) -> float:
    """1/|R̂⁻¹| for rows of unit length."""
    R, x, total = work.R, work.inverse, 0.0
    for i in range(work.chosen.size):
        work.lengths[i] = 0.0
        for k in range(i + 1):
            work.lengths[i] += R[k, i] * R[k, i]
    for column in range(work.chosen.size):  # R x = e_column
        for i in range(column, -1, -1):
            right = 1.0 if i == column else 0.0
            for k in range(i + 1, column + 1):
                right -= R[i, k] * x[k]
            x[i] = right / R[i, i]
            total += x[i] * x[i] * work.lengths[i]
    return 1.0 / np.sqrt(total)


@kernel()
def express_dropped(work: Sharing) -> bool:
    """W: the dropped rows by the enforced ones; False if one of them no longer depends on these."""
    n, B, Q, R, W = work.size_v.size, work.B, work.Q, work.R, work.W
    for d in range(work.dropped.size):
        row, size = work.dropped[d], 0.0
        for j in range(n):
            size += B[row, j] * B[row, j]
        for i in range(work.chosen.size):
            W[d, i] = product(Q, i, B, row, n)
        rest = size
        for i in range(work.chosen.size):
            rest -= W[d, i] * W[d, i]
        if not rest <= DOUBTFUL * TOLERANCE * size:  # of squares, whose rounding is far below
            return False
        for i in range(work.chosen.size - 1, -1, -1):
            for k in range(i + 1, work.chosen.size):
                W[d, i] -= R[i, k] * W[d, k]
            W[d, i] /= R[i, i]
    return True


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
            work.S[d, e] = product(W, d, W, e, r)
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
    if not orthogonalise(work):
        return -1.0
    now = independence_of_rows(work)
    if (now < WORN and now < FADED * work.reference) or not express_dropped(work):
        return -1.0
    share(work, lam)
    return now


@kernel(types.i8(MODEL_TYPE, ADDRESS, ADDRESS, SHARING, F, F2, F2, F2, i8, i8))
def share_block(
    model: Any,
    tables: Any,
    scratch: Any,
    work: Sharing,
    t: FloatArray,
    q: FloatArray,
    v: FloatArray,
    lam: FloatArray,
    first: int,
    last: int,
) -> int:
    """Share the multipliers of the rows from `first` to before `last`; the number of the first row
    that needs care, or −1."""
    m = work.gap.size
    for k in range(first, last):
        if work.levels.size > 0:
            status = model(LEVELS, t[k], q[k], v[k], v[k], lam[k], work.c, tables, scratch, work.levels)
            for i in range(m):
                work.gap[i], work.rate[i] = work.levels[i], work.levels[m + i]
        else:
            status = model(POSITION, t[k], q[k], v[k], v[k], lam[k], work.c, tables, scratch, work.gap)
            if status == OK:
                status = model(VELOCITY, t[k], q[k], v[k], v[k], lam[k], work.c, tables, scratch, work.rate)
        if status != OK or not holds(work, work.gap, work.holonomic, largest_part(q[k], work.size_q, 1.0)):
            return k
        if not holds(work, work.rate, m, largest_part(v[k], work.size_v, work.slowest)):
            return k
        status = model(CONSTRAINT, t[k], q[k], v[k], v[k], lam[k], work.c, tables, scratch, work.answer)
        if status != OK or look(work, lam[k]) < 0.0:
            return k
    return -1


def march_to_doubt(run: Run, upto: int) -> int:
    """Let a run march to a step; with redundant rows at most to the first saved row that must be
    looked at with care. Returns the status of the march; `run.doubt` says whether to look."""
    run.doubt = True
    if not (run.independent.dropped.size and can_share(run)):
        return run.march(upto)
    state, counters, written = run.state.copy(), run.counters.copy(), int(run.counters.rows)
    work = work_of(run)
    status = run.march(upto)
    doubtful = share_rows(run, work, written)
    if doubtful < 0:
        run.doubt = status != OK or not shared_state(run, work)
        return status
    if status == OK and run.rows.t[doubtful] == run.state.t:
        return status
    run.state.copy_from(state)
    run.counters.copy_from(counters)
    run.memory.factors_good = 0
    step = int(run.state.step)
    for _ in range(doubtful - written + 1):
        step = run.next_row(step)
    status = run.march(step)
    share_rows(run, work, written)
    return status


def share_rows(run: Run, work: Sharing, written: int) -> int:
    """Share the multipliers of the rows from `written` on; the first row that needs care, or −1."""
    model, rows = run.ask.model, run.rows
    shared = rows.t, rows.q, rows.v, rows.lam, written, int(run.counters.rows)
    return int(share_block(model.function, model.tables, model.scratch, work, *shared))


def shared_state(run: Run, work: Sharing) -> bool:
    """Whether the state itself, which may lie between saved rows, needs no care."""
    state, model = run.state, run.ask.model
    if run.counters.rows and run.rows.t[int(run.counters.rows) - 1] == state.t:
        return True
    t, q, v, lam = np.array([state.t]), state.q[None].copy(), state.v[None].copy(), state.lam[None].copy()
    return int(share_block(model.function, model.tables, model.scratch, work, t, q, v, lam, 0, 1)) < 0


def can_share(run: Run) -> bool:
    """Whether blocks of this run can be looked at in one pass: all of q, v and λ saved, at times
    that are known before, and nobody who looks at single rows."""
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

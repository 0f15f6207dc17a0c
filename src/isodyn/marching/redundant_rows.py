"""A march with redundant rows, which looks at every row that it saves.

A run enforces an independent set of constraint rows, c, and lets the others, d, follow from them.
With B = G in typical sizes and pivots P chosen along the rows,

    B_cᵀ = P L U,    B_dᵀ = P L Y + rest     what is left of a dropped row tells whether it still depends
    b_d = w B_c,     U wᵀ = y                what a dropped row is made of

A large w tells that enforced rows come to depend on each other where others would not: to enforce
row d in the place of row i multiplies the volume that the rows span by |w_i|, both in unit length.
A pivot that vanishes beside the length of its row tells that they do depend. The multipliers of
least norm with the same force Bᵀλ are the projection of λ onto the range of B. With W the matrix of
all w,

    u = λ_c + Wᵀλ_d,    (I + W Wᵀ) λ_d' = W u,    λ_c' = u − Wᵀλ_d'

The march ends at a row in which others should be enforced, and goes on with these. It also ends
where a dropped row is off, or no longer depends: there it is time for a look with care
(isodyn.marching.run, `watch_rows`).
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.kernels.compiled import (
    CONSTRAINT,
    LEVELS,
    MODEL_TYPE,
    OK,
    POSITION,
    VELOCITY,
    F,
    FloatArray,
    ModelFunction,
    i8,
    kernel,
)
from isodyn.kernels.lowering import natural
from isodyn.kernels.struct import Struct, StructAddress, integer, integers, real, reals
from isodyn.kernels.struct_types import ADDRESS, StructType
from isodyn.linear_solvers.rows import TOLERANCE, WORN
from isodyn.marching.march import COLUMNS, ROWS_TYPE, Columns, SavedRows, march
from isodyn.stepping.closure import copy_to
from isodyn.stepping.memory import COUNTERS, MEMORY, PLAN, STATE, Counters, Memory, Plan, State
from isodyn.systems.manifold import CONFLICT

BLOCK = 256  # steps after which a state is looked at even if it is not saved
DOUBTFUL = 0.5  # of a bound of isodyn.marching.start: rows beyond it are looked at with care
# statuses: the state is to be looked at with care; other rows should be enforced from there on
DOUBT, EXCHANGE = 104, 105
FADED = 0.5  # of the independence at the last look with care


class Sharing(Struct):
    """Which rows are enforced, typical sizes, and memory for one row of a solution."""

    holonomic = integer
    slowest, reference = real, real
    chosen, dropped = integers("rank"), integers("left")
    units, gap_sizes = reals("m"), reals("m")  # of multipliers and of gaps
    scales = reals("entries")  # that entries of G are multiplied by
    size_q, size_v = reals("nq"), reals("nv")
    starts, columns = integers("starts"), integers("columns")  # of a sparse G
    answer, gap, rate, c = reals("entries"), reals("m"), reals("m"), reals(4)
    lam = reals("m")  # of a state that is not saved
    levels = reals("levels")  # where a model tells gaps and rates at once
    B, squares = reals("m", "nv"), reals("m")  # rows, and their squared lengths before elimination
    pivots, inverse, U = integers("rank"), reals("rank"), reals("rank", "rank")  # Uᵀ, 1/U_ii apart
    W, S = reals("left", "rank"), reals("left", "left")
    u, right = reals("rank"), reals("left")
    # rows in the order in which they are chosen, how many of them, and what is left of each
    order, found, remainders = integers("m"), integer, reals("m")


SHARING = StructType(Sharing)


@kernel(fused=True)
def scale_rows(work: Sharing) -> None:
    """B: G with typical sizes, from what the model answered."""
    n, starts, columns, squares = natural(work.B.shape[1]), work.starts, work.columns, work.squares
    answer, scales, rows = work.answer, work.scales, work.B
    for k in range(squares.size):
        B, square = rows[k], 0.0
        if starts.size > 0:
            for j in range(n):
                B[j] = 0.0
            for e in range(natural(starts[k]), natural(starts[k + 1])):
                x = answer[e] * scales[e]
                B[natural(columns[e])] = x
                square += x * x
        else:
            for j in range(n):
                x = answer[k * n + j] * scales[k * n + j]
                B[j] = x
                square += x * x
        squares[k] = square


@kernel()
def nothing_left(square: float) -> float:
    """What others leave of a row of this squared length if it depends on them, at most: by the
    tolerance of the choice (isodyn.linear_solvers.rows), with a margin."""
    return (DOUBTFUL * TOLERANCE) ** 2 * square


@kernel(fused=True)
def take_out(B: FloatArray, work: Sharing, count: int, found: FloatArray) -> None:
    """Take the first enforced rows out of a row of B, so that it vanishes at their pivots; how much
    of each it contained, into `found`."""
    pivots, chosen, rows = work.pivots, work.chosen, work.B
    for k in range(count):
        x = B[natural(pivots[k])]
        found[k] = x
        if x != 0.0:
            other = rows[natural(chosen[k])]
            for j in range(B.size):
                B[j] -= x * other[j]


@kernel(fused=True)
def eliminate(work: Sharing) -> bool:
    """L, in the place of the enforced rows, and U; False if a row depends on those before."""
    for i in range(work.chosen.size):
        row, largest, pivot = natural(work.chosen[i]), 0.0, 0
        B = work.B[row]
        take_out(B, work, i, work.U[i])
        for j in range(B.size):
            if abs(B[j]) > largest:
                largest, pivot = abs(B[j]), j
        if not largest * largest > nothing_left(work.squares[row]):
            return False
        inverse = 1.0 / B[pivot]
        work.pivots[i], work.inverse[i] = pivot, inverse
        for j in range(B.size):
            B[j] *= inverse
        B[pivot] = 1.0
    return True


@kernel(fused=True)
def express_dropped(work: Sharing) -> float:
    """W: the dropped rows by the enforced ones; the largest part of one, all rows in unit length,
    or −1 if one of them no longer depends on these."""
    largest, chosen, squares, inverse, U = 0.0, work.chosen, work.squares, work.inverse, work.U
    for d in range(work.dropped.size):
        row, rest, part = natural(work.dropped[d]), 0.0, 0.0
        B, w, square = work.B[row], work.W[d], squares[row]
        take_out(B, work, chosen.size, w)
        for j in range(B.size):
            rest += B[j] * B[j]
        if not rest <= nothing_left(square):
            return -1.0
        for i in range(chosen.size - 1, -1, -1):
            if w[i] != 0.0:
                x = w[i] * inverse[i]
                w[i], of_row = x, U[i]
                for k in range(i):
                    w[k] -= x * of_row[k]
                part = max(part, x * x * squares[natural(chosen[i])])
        largest = max(largest, part / square)
    return np.sqrt(largest)


@kernel(fused=True)
def gather(work: Sharing, lam: FloatArray) -> None:
    """u = λ_c + Wᵀλ_d, W u, and I + W Wᵀ."""
    r, left, W, u = work.chosen.size, work.dropped.size, work.W, work.u
    chosen, dropped, units, S, right = work.chosen, work.dropped, work.units, work.S, work.right
    for i in range(r):
        k = natural(chosen[i])
        total = units[k] * lam[k]
        for d in range(left):
            k = natural(dropped[d])
            total += W[d, i] * units[k] * lam[k]
        u[i] = total
    for d in range(left):
        total = 0.0
        for i in range(r):
            total += W[d, i] * u[i]
        right[d] = total
        for e in range(d + 1):
            total = 0.0
            for i in range(r):
                total += W[d, i] * W[e, i]
            S[d, e] = total
        S[d, d] += 1.0


@kernel(fused=True)
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


@kernel(fused=True)
def share(work: Sharing, lam: FloatArray) -> None:
    """λ of least norm with the same force."""
    gather(work, lam)
    solve_left(work)
    chosen, dropped, units, u, W, right = work.chosen, work.dropped, work.units, work.u, work.W, work.right
    for i in range(chosen.size):
        x, k = u[i], natural(chosen[i])
        for d in range(dropped.size):
            x -= W[d, i] * right[d]
        lam[k] = x / units[k]
    for d in range(dropped.size):
        k = natural(dropped[d])
        lam[k] = right[d] / units[k]


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


@kernel()
def is_worn(work: Sharing, now: float) -> bool:
    """Whether rows that are as independent as this should be exchanged."""
    return now < WORN and now < FADED * work.reference


@kernel(types.f8(SHARING, F))
def look(work: Sharing, lam: FloatArray) -> float:
    """Share the multipliers of one row, G being in work.answer; how independent the enforced rows
    are, or −1 where the row needs care. Where they were far more so at the last choice, nothing is
    shared."""
    scale_rows(work)
    part = express_dropped(work) if eliminate(work) else -1.0
    if part < 0.0:
        return -1.0
    now = 1.0 / max(part, 1.0)
    if not is_worn(work, now):
        share(work, lam)
    return now


@kernel()
def share_row(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    work: Sharing,
    t: float,
    q: FloatArray,
    v: FloatArray,
    lam: FloatArray,
) -> int:
    """Share the multipliers of a state; a status."""
    if model(CONSTRAINT, t, q, v, v, lam, work.c, tables, scratch, work.answer) != OK:
        return DOUBT
    now = look(work, lam)
    if now < 0.0:
        return DOUBT
    return EXCHANGE if is_worn(work, now) else OK


@kernel()
def gaps_hold(work: Sharing, q: FloatArray, v: FloatArray) -> bool:
    """Whether the dropped rows hold as well as the enforced ones, by work.gap and work.rate."""
    if not holds(work, work.gap, work.holonomic, largest_part(q, work.size_q, 1.0)):
        return False
    return holds(work, work.rate, work.rate.size, largest_part(v, work.size_v, work.slowest))


@kernel()
def levels_hold(work: Sharing, levels: FloatArray, q: FloatArray, v: FloatArray) -> bool:
    """The same, by gaps and rates one after the other."""
    m = work.gap.size
    for i in range(m):
        work.gap[i], work.rate[i] = levels[i], levels[m + i]
    return gaps_hold(work, q, v)


@kernel()
def dropped_hold(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    work: Sharing,
    t: float,
    q: FloatArray,
    v: FloatArray,
    lam: FloatArray,
) -> bool:
    """Whether the dropped rows hold at a state as well as the enforced ones."""
    if work.levels.size > 0:
        status = model(LEVELS, t, q, v, v, lam, work.c, tables, scratch, work.levels)
        return status == OK and levels_hold(work, work.levels, q, v)
    status = model(POSITION, t, q, v, v, lam, work.c, tables, scratch, work.gap)
    if status == OK:
        status = model(VELOCITY, t, q, v, v, lam, work.c, tables, scratch, work.rate)
    return status == OK and gaps_hold(work, q, v)


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, SHARING, STATE, F))
def share_state(
    model: ModelFunction, tables: StructAddress, scratch: StructAddress, work: Sharing, state: State, lam: FloatArray
) -> int:
    """Share multipliers of a state where dropped rows hold; a status."""
    if not dropped_hold(model, tables, scratch, work, state.t, state.q, state.v, lam):
        return DOUBT
    return share_row(model, tables, scratch, work, state.t, state.q, state.v, lam)


@kernel()
def look_at(model: ModelFunction, tables: StructAddress, scratch: StructAddress, work: Sharing, state: State) -> int:
    """The status of a state that is not saved."""
    copy_to(state.lam, work.lam)
    return share_state(model, tables, scratch, work, state, work.lam)


@kernel(
    i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, i8, STATE, MEMORY, COLUMNS, ROWS_TYPE, COUNTERS, SHARING),
    apart=True,
    nogil=True,
)
def march_sharing(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    upto: int,
    state: State,
    memory: Memory,
    columns: Columns,
    rows: SavedRows,
    counters: Counters,
    work: Sharing,
) -> int:
    """`march`, with the multipliers of each row shared; ends at a state that needs care, or other
    rows."""
    while state.step < upto:
        k, q, v = counters.rows, state.q, state.v
        if memory.levels.size > 0:
            memory.levels[0] = np.nan  # until the step asks for them
        status = march(model, tables, scratch, plan, state.step + 1, state, memory, columns, rows, counters)
        if status == OK and counters.rows > k:
            lam = rows.lam[k]
            status = share_row(model, tables, scratch, work, state.t, q, v, lam)
            if status == OK:
                # before its end was put onto the enforced rows, a way as long as the iteration leaves open
                if work.levels.size > 0 and memory.levels.size > 0 and not np.isnan(memory.levels[0]):
                    good = levels_hold(work, memory.levels, q, v)
                else:
                    good = dropped_hold(model, tables, scratch, work, state.t, q, v, lam)
                status = OK if good else DOUBT
        elif status == OK and state.step % BLOCK == 0:
            status = look_at(model, tables, scratch, work, state)
        if status != OK:
            return status
    return OK

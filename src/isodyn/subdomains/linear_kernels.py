"""Compiled steps of linear subdomains: τ sub-steps of one, and system steps of all that are tied.

With the guess x = −a/W₁Λ₆, for which ã = 0, a sub-step of M a + C v + K q = f − Gᵀλ costs the
products with C and K and one solve:

    (W₁Λ₆ M + h W₂Λ₅ C + h² W₃Λ₃ K) r = f(t̃) − Gᵀλ(t̃) − C ṽ − K q̃,     Δa = x + r,     t̃ = t_n + (m + W₁)h       [Shimada2014 (4.4)]

Subdomains lie one after the other in flat arrays: states, sparse rows of C and K, banded factors
in LAPACK's form (columns contiguous, the diagonal of U inverted), ties. A `LinearPart` tells where
each begins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from isodyn.kernels.compiled import F2, NOT_FINITE, OK, F, FloatArray, I, IntArray, f8, i8, kernel
from isodyn.kernels.struct import Struct, integer, integers, many, real, reals
from isodyn.kernels.struct_types import StructType

# ---- rows of `motion` and of `answers`
Q, V, A, DA = range(4)


class LinearPart(Struct):
    """A subdomain: its unknowns, sub-steps and coefficients, and where what belongs to it
    begins."""

    first, size, sub_steps = integer, integer, integer
    lower, upper = integer, integer  # bands below and above the diagonal
    has_C, has_K, has_q, permuted = integer, integer, integer, integer
    lu, load = integer, integer  # first entry of its factors, and of its loads in a system step
    has_load = integer  # whether there is a load beside the constant one
    first_tie, ties = integer, integer
    first_row, rows = integer, integer  # rows of the interface that it has a part in
    W1, W2L2, W3L3, W2L5, W1L6, l3, l5, phi = (real,) * 8  # as in `Coefficients`
    h = real  # the sub-step


class Linear(Struct):
    """Matrices, factors, constant loads and ties of linear subdomains."""

    parts = many(LinearPart, "parts")
    C_ptr, C_ind, C_val = integers("starts"), integers("C_values"), reals("C_values")
    K_ptr, K_ind, K_val = integers("starts"), integers("K_values"), reals("K_values")
    lu, pivot, order = reals("lu"), integers("unknowns"), integers("unknowns")
    constant = reals("unknowns")
    tie_row, tie_col, tie_sign = integers("ties"), integers("ties"), reals("ties")
    row = integers("rows")


class LinearWork(Struct):
    """Memory for a sub-step: residual, q and v at the balance."""

    r, q, v = reals("unknowns"), reals("unknowns"), reals("unknowns")


LINEAR, WORK = StructType(Linear), StructType(LinearWork)


@kernel()
def solve_banded(n: int, lower: int, upper: int, lu: FloatArray, pivot: IntArray, b: FloatArray) -> None:
    """b ← A⁻¹ b with the factors of dgbtrf."""
    if lower == 0 and upper == 0:
        for j in range(n):
            b[j] *= lu[j]
        return
    height, middle = 2 * lower + upper + 1, lower + upper
    for j in range(n):
        p = pivot[j]
        if p != j:
            b[j], b[p] = b[p], b[j]
        for i in range(1, min(lower, n - 1 - j) + 1):
            b[j + i] -= lu[j * height + middle + i] * b[j]
    for j in range(n - 1, -1, -1):
        b[j] *= lu[j * height + middle]
        for i in range(1, min(middle, j) + 1):
            b[j - i] -= lu[j * height + middle - i] * b[j]


@kernel()
def subtract_product(
    lo: int, n: int, ptr: IntArray, ind: IntArray, val: FloatArray, x: FloatArray, b: FloatArray, at: int, r: FloatArray
) -> None:
    """r = b − A x for the rows lo … lo + n − 1 of the flat sparse matrix; r begins at 0, b at
    `at`."""
    k = ptr[lo]
    for i in range(n):
        total = b[at + i]
        end = ptr[lo + i + 1]
        while k < end:
            total -= val[k] * x[ind[k]]
            k += 1
        r[i] = total


@kernel()
def solve_part(k: Linear, part: LinearPart, permuted: FloatArray, r: FloatArray) -> None:
    """r ← A⁻¹ r of a subdomain; `permuted` is memory."""
    lu, pivot, order, n = k.lu[part.lu :], k.pivot[part.first :], k.order[part.first :], part.size
    if not part.permuted:
        solve_banded(n, part.lower, part.upper, lu, pivot, r)
        return
    for i in range(n):
        permuted[i] = r[order[i]]
    solve_banded(n, part.lower, part.upper, lu, pivot, permuted)
    for i in range(n):
        r[order[i]] = permuted[i]


@kernel()
def pull(k: Linear, part: LinearPart, theta: float, lam_0: FloatArray, lam_1: FloatArray, r: FloatArray) -> None:
    """r −= Gᵀλ of a subdomain, at the part θ of the system step."""
    for e in range(part.first_tie, part.first_tie + part.ties):
        row = k.tie_row[e]
        lam = lam_0[row] + theta * (lam_1[row] - lam_0[row])  # [Shimada2014 (4.4d)]
        r[k.tie_col[e] - part.first] -= k.tie_sign[e] * lam


@kernel()
def sub_steps(
    k: Linear,
    part: LinearPart,
    work: LinearWork,
    begin: int,
    end: int,
    theta: FloatArray,
    lam_0: FloatArray,
    lam_1: FloatArray,
    load: FloatArray,
    motion: FloatArray,
) -> None:
    """Sub-steps begin … end − 1 of a subdomain; λ at sub-step m is λ₀ + θ_m (λ₁ − λ₀), loads in
    `load` are those of these sub-steps."""
    lo, n, h = part.first, part.size, part.h
    q, v, a, da = motion[Q], motion[V], motion[A], motion[DA]
    r, q_w, v_w = work.r, work.q, work.v
    back = 1.0 / part.W1L6  # x = −back a
    q_v, q_a, v_a = part.W1 * h, h * h * (part.W2L2 - part.W3L3 * back), h * (part.W1 - part.W2L5 * back)
    half, full = h * h * (0.5 - part.l3 * back), h * (1.0 - part.l5 * back)
    for m in range(begin, end):
        if part.has_C:
            for j in range(lo, lo + n):
                v_w[j] = v[j] + v_a * a[j]  # [Shimada2014 (2.5c)]
            subtract_product(lo, n, k.C_ptr, k.C_ind, k.C_val, v_w, k.constant, lo, r)
        if part.has_K:
            for j in range(lo, lo + n):
                q_w[j] = q[j] + q_v * v[j] + q_a * a[j]  # [Shimada2014 (2.5b)]
            if part.has_C:
                subtract_product(lo, n, k.K_ptr, k.K_ind, k.K_val, q_w, r, 0, r)
            else:
                subtract_product(lo, n, k.K_ptr, k.K_ind, k.K_val, q_w, k.constant, lo, r)
        if part.has_load:
            for i in range(n):
                r[i] += load[(m - begin) * n + i]
        pull(k, part, theta[m], lam_0, lam_1, r)
        solve_part(k, part, q_w, r)
        if part.has_q:
            for i in range(n):
                # [Shimada2014 (3.131g) adapted]
                q[lo + i] += h * v[lo + i] + half * a[lo + i] + h * h * part.l3 * r[i]
        for i in range(n):
            x = r[i] - back * a[lo + i]
            v[lo + i] += full * a[lo + i] + h * part.l5 * r[i]
            a[lo + i] += x
            da[lo + i] = x


@kernel()
def finite(motion: FloatArray) -> bool:
    """No infinity, and no NaN."""
    total = 0.0
    for j in range(motion.shape[1]):
        total += abs(motion[V, j]) + abs(motion[A, j]) + abs(motion[Q, j])
    return bool(np.isfinite(total))


@kernel(i8(LINEAR, WORK, i8, i8, F, F, F, F, F2), nogil=True)
def advance(
    k: Linear,
    work: LinearWork,
    begin: int,
    end: int,
    theta: FloatArray,
    lam_0: FloatArray,
    lam_1: FloatArray,
    load: FloatArray,
    motion: FloatArray,
) -> int:
    """Sub-steps of the one subdomain in k."""
    sub_steps(k, k.parts[0], work, begin, end, theta, lam_0, lam_1, load, motion)
    return OK if finite(motion) else NOT_FINITE


class Interface(NamedTuple):
    """θ of every sub-step (subdomain by subdomain); H⁻¹ and W of this kind of step: where those of
    a subdomain begin among the unknowns that λ moves, and in the answers; the same for positions
    (empty: not closed); λ and its rate; memory."""

    theta: FloatArray
    inverse: FloatArray
    at_moved: IntArray
    at_W: IntArray
    moved: IntArray
    answers: FloatArray
    inverse_q: FloatArray
    basis: FloatArray
    lam: FloatArray
    rate: FloatArray
    lam_1: FloatArray
    gap: FloatArray
    delta: FloatArray


INTERFACE = types.NamedTuple((F2, F2, I, I, I, F2, F2, F, F, F, F, F, F), Interface)


class Saved(NamedTuple):
    """Rows, the unknowns in their columns, and φ for each column of a."""

    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    at_q: IntArray
    at_v: IntArray
    at_a: IntArray
    phi: FloatArray


SAVED = types.NamedTuple((F2, F2, F2, F2, I, I, I, F), Saved)


class StepCounts(Struct):
    """System steps, corrections of λ, rows."""

    steps, corrections, rows = integer, integer, integer


COUNTS = StructType(StepCounts)
ROUNDING = 1e-13  # relative gap of velocities that needs no further correction
CORRECTIONS = 6


@kernel()
def gap_of(k: Linear, x: FloatArray, gap: FloatArray) -> float:
    """Σ G x into gap; the largest entry."""
    for i in range(gap.size):
        gap[i] = 0.0
    for e in range(k.tie_row.size):
        gap[k.tie_row[e]] += k.tie_sign[e] * x[k.tie_col[e]]
    largest = 0.0
    for i in range(gap.size):
        if not abs(gap[i]) <= largest:
            largest = abs(gap[i])
    return largest


@kernel()
def scale_of(k: Linear, dt: float, motion: FloatArray) -> float:
    """What gaps of velocity are compared with: |v| + Δt (|a| + |Δa|), the largest of a
    subdomain."""
    largest = 0.0
    for p in range(len(k.parts)):
        part = k.parts[p]
        v = a = d = 0.0
        for j in range(part.first, part.first + part.size):
            v = max(v, abs(motion[V, j]))
            a = max(a, abs(motion[A, j]))
            d = max(d, abs(motion[DA, j]))
        largest = max(largest, v + dt * (a + d))
    return max(largest, 1e-300)


@kernel()
def speed_at_ties(k: Linear, motion: FloatArray) -> float:
    """The largest |v| at the interface, which is enough in most steps."""
    largest = 0.0
    for e in range(k.tie_col.size):
        largest = max(largest, abs(motion[V, k.tie_col[e]]))
    return largest


@kernel()
def add_answer(k: Linear, f: Interface, y: FloatArray, p: int, W: FloatArray, sign: float, x: FloatArray) -> None:
    """x += sign W δ for subdomain p, column by column over the unknowns that λ moves; y is
    memory."""
    part, first, moved = k.parts[p], f.at_moved[p], f.at_moved[p + 1] - f.at_moved[p]
    for i in range(moved):
        y[i] = 0.0
    for e in range(part.rows):
        d, at = sign * f.delta[k.row[part.first_row + e]], f.at_W[p] + e * moved
        for i in range(moved):
            y[i] += d * W[at + i]
    for i in range(moved):
        x[f.moved[first + i]] += y[i]


@kernel()
def solve_interface(f: Interface, inverse: FloatArray) -> None:
    """δ = H⁻¹ gap."""
    for i in range(f.gap.size):
        f.delta[i] = 0.0
        for j in range(f.gap.size):
            f.delta[i] += inverse[i, j] * f.gap[j]


@kernel()
def close_velocities(
    k: Linear, f: Interface, work: LinearWork, dt: float, motion: FloatArray, counts: StepCounts
) -> int:
    """λ_{n+1} that makes velocities continuous; the sub-steps are corrected by W δ."""
    before = np.inf
    for number in range(CORRECTIONS):
        size = gap_of(k, motion[V], f.gap)
        if not np.isfinite(size):
            return NOT_FINITE
        if number > 0 and (size <= ROUNDING * speed_at_ties(k, motion) or size > 0.5 * before):
            return OK
        if number > 0 and size <= ROUNDING * scale_of(k, dt, motion):
            return OK
        before = size
        solve_interface(f, f.inverse)
        for i in range(f.lam.size):
            f.lam_1[i] += f.delta[i]
        for p in range(len(k.parts)):
            for x in range(4):
                add_answer(k, f, work.r, p, f.answers[x], 1.0, motion[x])
        counts.corrections += 1
    return OK


@kernel()
def close_positions(k: Linear, f: Interface, work: LinearWork, motion: FloatArray) -> None:
    """q_ℓ ← q_ℓ − S_ℓ⁻¹G_ℓᵀμ with Σ G_ℓ q_ℓ = 0."""
    gap_of(k, motion[Q], f.gap)
    solve_interface(f, f.inverse_q)
    for p in range(len(k.parts)):
        add_answer(k, f, work.r, p, f.basis, -1.0, motion[Q])


@kernel()
def write(f: Interface, motion: FloatArray, rows: Saved, at: int) -> None:
    """Row `at`: states, accelerations brought to t_n, multipliers."""
    for i in range(rows.at_q.size):
        rows.q[at, i] = motion[Q, rows.at_q[i]]
    for i in range(rows.at_v.size):
        rows.v[at, i] = motion[V, rows.at_v[i]]
    for i in range(rows.at_a.size):
        j = rows.at_a[i]
        rows.a[at, i] = motion[A, j] + rows.phi[i] * motion[DA, j]  # [Shimada2014 (2.75)]
    for i in range(f.lam.size):
        rows.lam[at, i] = f.lam[i]


@kernel(i8(LINEAR, INTERFACE, WORK, f8, F2, F2, types.Array(types.boolean, 1, "C"), SAVED, COUNTS), nogil=True)
def system_steps(
    k: Linear,
    f: Interface,
    work: LinearWork,
    dt: float,
    loads: FloatArray,
    motion: FloatArray,
    save: FloatArray,
    rows: Saved,
    counts: StepCounts,
) -> int:
    """As many system steps as `save` has entries; saved ones become rows."""
    m = f.lam.size
    for step in range(save.size):
        for i in range(m):
            f.lam_1[i] = f.lam[i] + dt * f.rate[i]
        for p in range(len(k.parts)):
            part = k.parts[p]
            load = loads[step, part.load :]
            sub_steps(k, part, work, 0, part.sub_steps, f.theta[p], f.lam, f.lam_1, load, motion)
        if m > 0:
            status = close_velocities(k, f, work, dt, motion, counts)
            if status != OK:
                return status
        if (save[step] or step == save.size - 1) and not finite(motion):
            return NOT_FINITE
        for i in range(m):
            f.rate[i] = (f.lam_1[i] - f.lam[i]) / dt
            f.lam[i] = f.lam_1[i]
        if f.inverse_q.size > 0:
            close_positions(k, f, work, motion)
        counts.steps += 1
        if save[step]:
            write(f, motion, rows, counts.rows)
            counts.rows += 1
    return OK

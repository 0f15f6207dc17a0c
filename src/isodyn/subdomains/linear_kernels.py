"""Compiled steps of linear subdomains: τ sub-steps of one, and system steps of all that are tied.

With the guess x = −a/W₁Λ₆, for which ã = 0, a sub-step of M a + C v + K q = f − Gᵀλ costs the
products with C and K and one solve:

    (W₁Λ₆ M + h W₂Λ₅ C + h² W₃Λ₃ K) r = f(t̃) − Gᵀλ(t̃) − C ṽ − K q̃,     Δa = x + r,     t̃ = t_n + (m + W₁)h       [Shimada2014 (4.4)]

Subdomains lie one behind the other in flat arrays: states, sparse rows of C and K, banded factors
in LAPACK's form (columns contiguous, the diagonal of U inverted), ties. `place` holds where each
begins, see `PLACES`.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from numba import types

from isodyn.kernels.compiled import F2, NOT_FINITE, OK, F, FloatArray, I, IntArray, f8, i8, kernel

# ---- columns of `place`: first unknown, size, sub-steps, bands below and above, whether there are
# C, K, a permutation, q
FIRST, SIZE, TAU, LOWER, UPPER, HAS_C, HAS_K, PERMUTED, HAS_Q = range(9)
# ---- … first entry of the factors, of the ties and how many, of the rows it has a part in and how
# many, of the load of one system step, and whether there is such a load beside the constant one
AT_LU, AT_TIE, TIES, AT_ROW, ROWS, AT_LOAD, LOADS = range(9, 16)
PLACES = 16
# ---- rows of `motion` and of `answers`
Q, V, A, DA = range(4)
# ---- columns of `numbers`: coefficients of the step as in `Coefficients`, and the sub-step
W1, W2L2, W3L3, W2L5, W1L6, L3, L5, PHI, H = range(9)

Linear = namedtuple(
    "Linear",
    "place numbers C_ptr C_ind C_val K_ptr K_ind K_val lu pivot order constant tie_row tie_col tie_sign row work",
)
"""Matrices, factors, constant loads and ties of linear subdomains, and memory for a sub-step (three
rows)."""
LINEAR = types.NamedTuple((types.Array(i8, 2, "C"), F2, I, I, F, I, I, F, F, I, I, F, I, I, F, I, F2), Linear)


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
def sub_steps(
    k: Any,
    p: int,
    begin: int,
    end: int,
    theta: FloatArray,
    lam_0: FloatArray,
    lam_1: FloatArray,
    load: FloatArray,
    motion: FloatArray,
) -> None:
    """Sub-steps begin … end − 1 of subdomain p; λ at sub-step m is λ₀ + θ_m (λ₁ − λ₀), loads in
    `load` are those of these sub-steps."""
    place, s, work = k.place[p], k.numbers[p], k.work
    lo, n, h = place[FIRST], place[SIZE], s[H]
    q, v, a, da = motion[Q], motion[V], motion[A], motion[DA]
    r, q_w, v_w = work[0], work[1], work[2]
    lu, pivot = k.lu[place[AT_LU] :], k.pivot[lo:]
    back = 1.0 / s[W1L6]  # x = −back a
    q_v, q_a, v_a = s[W1] * h, h * h * (s[W2L2] - s[W3L3] * back), h * (s[W1] - s[W2L5] * back)
    half, full = h * h * (0.5 - s[L3] * back), h * (1.0 - s[L5] * back)
    for m in range(begin, end):
        if place[HAS_C]:
            for j in range(lo, lo + n):
                v_w[j] = v[j] + v_a * a[j]  # [Shimada2014 (2.5c)]
            subtract_product(lo, n, k.C_ptr, k.C_ind, k.C_val, v_w, k.constant, lo, r)
        if place[HAS_K]:
            for j in range(lo, lo + n):
                q_w[j] = q[j] + q_v * v[j] + q_a * a[j]  # [Shimada2014 (2.5b)]
            if place[HAS_C]:
                subtract_product(lo, n, k.K_ptr, k.K_ind, k.K_val, q_w, r, 0, r)
            else:
                subtract_product(lo, n, k.K_ptr, k.K_ind, k.K_val, q_w, k.constant, lo, r)
        if place[LOADS] > 0:
            for i in range(n):
                r[i] += load[(m - begin) * n + i]
        for e in range(place[AT_TIE], place[AT_TIE] + place[TIES]):
            row = k.tie_row[e]
            lam = lam_0[row] + theta[m] * (lam_1[row] - lam_0[row])  # [Shimada2014 (4.4d)]
            r[k.tie_col[e] - lo] -= k.tie_sign[e] * lam
        if place[PERMUTED]:
            for i in range(n):
                q_w[i] = r[k.order[lo + i]]
            solve_banded(n, place[LOWER], place[UPPER], lu, pivot, q_w)
            for i in range(n):
                r[k.order[lo + i]] = q_w[i]
        else:
            solve_banded(n, place[LOWER], place[UPPER], lu, pivot, r)
        if place[HAS_Q]:
            for i in range(n):
                # [Shimada2014 (3.131g) adapted]
                q[lo + i] += h * v[lo + i] + half * a[lo + i] + h * h * s[L3] * r[i]
        for i in range(n):
            x = r[i] - back * a[lo + i]
            v[lo + i] += full * a[lo + i] + h * s[L5] * r[i]
            a[lo + i] += x
            da[lo + i] = x


@kernel()
def finite(motion: FloatArray) -> bool:
    """No infinity, and no NaN."""
    total = 0.0
    for j in range(motion.shape[1]):
        total += abs(motion[V, j]) + abs(motion[A, j]) + abs(motion[Q, j])
    return bool(np.isfinite(total))


@kernel(i8(LINEAR, i8, i8, F, F, F, F, F2), nogil=True)
def advance(
    k: Any,
    begin: int,
    end: int,
    theta: FloatArray,
    lam_0: FloatArray,
    lam_1: FloatArray,
    load: FloatArray,
    motion: FloatArray,
) -> int:
    """Sub-steps of the one subdomain in k."""
    sub_steps(k, 0, begin, end, theta, lam_0, lam_1, load, motion)
    return OK if finite(motion) else NOT_FINITE


Interface = namedtuple("Interface", "theta inverse at_W moved answers inverse_q basis lam rate lam_1 gap delta")
"""θ of every sub-step (subdomain by subdomain); H⁻¹ and W of this kind of step: where those of a
subdomain begin among the unknowns that λ moves, and in the answers; the same for positions (empty:
not closed); λ and its rate; memory."""
INTERFACE = types.NamedTuple((F2, F2, types.Array(i8, 2, "C"), I, F2, F2, F, F, F, F, F, F), Interface)

Saved = namedtuple("Saved", "q v a lam at_q at_v at_a phi")
"""Rows, the unknowns in their columns, and φ for each column of a."""
SAVED = types.NamedTuple((F2, F2, F2, F2, I, I, I, F), Saved)
ROUNDING = 1e-13  # relative gap of velocities that needs no further correction
CORRECTIONS = 6


@kernel()
def gap_of(k: Any, x: FloatArray, gap: FloatArray) -> float:
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
def scale_of(k: Any, dt: float, motion: FloatArray) -> float:
    """What gaps of velocity are compared with: |v| + Δt (|a| + |Δa|), the largest of a
    subdomain."""
    largest = 0.0
    for p in range(k.place.shape[0]):
        v = a = d = 0.0
        for j in range(k.place[p, FIRST], k.place[p, FIRST] + k.place[p, SIZE]):
            v = max(v, abs(motion[V, j]))
            a = max(a, abs(motion[A, j]))
            d = max(d, abs(motion[DA, j]))
        largest = max(largest, v + dt * (a + d))
    return max(largest, 1e-300)


@kernel()
def speed_at_ties(k: Any, motion: FloatArray) -> float:
    """The largest |v| at the interface, which is enough in most steps."""
    largest = 0.0
    for e in range(k.tie_col.size):
        largest = max(largest, abs(motion[V, k.tie_col[e]]))
    return largest


@kernel()
def add_answer(k: Any, f: Any, p: int, W: FloatArray, sign: float, x: FloatArray) -> None:
    """x += sign W δ for subdomain p, column by column over the unknowns that λ moves."""
    first, moved = f.at_W[p, 0], f.at_W[p + 1, 0] - f.at_W[p, 0]
    y = k.work[0]
    for i in range(moved):
        y[i] = 0.0
    for e in range(k.place[p, ROWS]):
        d, at = sign * f.delta[k.row[k.place[p, AT_ROW] + e]], f.at_W[p, 1] + e * moved
        for i in range(moved):
            y[i] += d * W[at + i]
    for i in range(moved):
        x[f.moved[first + i]] += y[i]


@kernel()
def solve_interface(f: Any, inverse: FloatArray) -> None:
    """δ = H⁻¹ gap."""
    for i in range(f.gap.size):
        f.delta[i] = 0.0
        for j in range(f.gap.size):
            f.delta[i] += inverse[i, j] * f.gap[j]


@kernel()
def close_velocities(k: Any, f: Any, dt: float, motion: FloatArray, count: IntArray) -> int:
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
        for p in range(k.place.shape[0]):
            for x in range(4):
                add_answer(k, f, p, f.answers[x], 1.0, motion[x])
        count[1] += 1
    return OK


@kernel()
def close_positions(k: Any, f: Any, motion: FloatArray) -> None:
    """q_ℓ ← q_ℓ − S_ℓ⁻¹G_ℓᵀμ with Σ G_ℓ q_ℓ = 0."""
    gap_of(k, motion[Q], f.gap)
    solve_interface(f, f.inverse_q)
    for p in range(k.place.shape[0]):
        add_answer(k, f, p, f.basis, -1.0, motion[Q])


@kernel()
def write(f: Any, motion: FloatArray, rows: Any, at: int) -> None:
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


@kernel(i8(LINEAR, INTERFACE, f8, F2, F2, types.Array(types.boolean, 1, "C"), SAVED, I), nogil=True)
def system_steps(
    k: Any, f: Any, dt: float, loads: FloatArray, motion: FloatArray, save: Any, rows: Any, count: IntArray
) -> int:
    """As many system steps as `save` has entries; saved ones become rows. count: steps,
    corrections, rows."""
    m = f.lam.size
    for step in range(save.size):
        for i in range(m):
            f.lam_1[i] = f.lam[i] + dt * f.rate[i]
        for p in range(k.place.shape[0]):
            load = loads[step, k.place[p, AT_LOAD] :]
            sub_steps(k, p, 0, k.place[p, TAU], f.theta[p], f.lam, f.lam_1, load, motion)
        if m > 0:
            status = close_velocities(k, f, dt, motion, count)
            if status != OK:
                return status
        if (save[step] or step == save.size - 1) and not finite(motion):
            return NOT_FINITE
        for i in range(m):
            f.rate[i] = (f.lam_1[i] - f.lam[i]) / dt
            f.lam[i] = f.lam_1[i]
        if f.inverse_q.size > 0:
            close_positions(k, f, motion)
        count[0] += 1
        if save[step]:
            write(f, motion, rows, count[2])
            count[2] += 1
    return OK

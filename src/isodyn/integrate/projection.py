"""Onto the constraints: the nearest consistent state, and the last digits of a step.

    M (q̌ − q) + Gᵀμ = 0,  φ(q̌) = 0          M (v̌ − v) + Gᵀς = 0,  φ̇(q̌, v̌) = 0          M (ǎ − a) + Gᵀι = 0,  φ̈ = 0

each the least change in the mass norm [Shimada2014 (3.187)], [Shimada2014 (3.190)], [Shimada2014 (3.213) adapted].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import (
    ACCELERATION,
    CONSTRAINT,
    JACOBIAN,
    NOT_FINITE,
    OK,
    POSITION,
    RETRACTS,
    SPARSE,
    VELOCITY,
    F,
    FloatArray,
    I,
    f8,
    i8,
    kernel,
)
from isodyn.integrate.closure import add_to, ask_levels, copy_to, measure, retract, size_of_gaps, size_q, size_s, size_v
from isodyn.integrate.corrections import solve
from isodyn.integrate.matrix import assemble, decompose
from isodyn.integrate.signatures import PHYSICS_REF, SCHEME_REF, WORK_REF
from isodyn.integrate.work import A_1, DP, DX, EPS, GAP, GAP_A, GAP_Q, GAP_V, LAM_1, Q_1, V_1, A, D, Q, X
from isodyn.linear_solvers.block_lu import subtract_product
from isodyn.lowering import natural

PROJECTIONS = 20  # most iterations onto φ = 0
NEAR = 1e-7  # of the size of q: over this distance a matrix is kept, and the way is the shortest to rounding
CLOSE = 1e-12  # constraints off by more than this, relative to q and v, are polished twice


@kernel(i8(PHYSICS_REF, SCHEME_REF, f8, F, WORK_REF, I), inner=True, apart=True)
def polish(p: Any, s: Any, t: float, c: FloatArray, w: Any, pivots: Any) -> int:
    """Take what the iteration left of the constraints that this formulation keeps, from rtol down to rounding.

    One solve with the step's own factors, or two; the state moves by less than the iteration's tolerance.
    """
    k, n = p.closure, w.n[X].size
    pure = k.g1 * k.g2 == 0.0 and k.g2 * k.g3 == 0.0 and k.g1 * k.g3 == 0.0
    status = OK
    position = p.holonomic > 0 and (k.correct_q == 1 or (pure and k.g1 != 0.0))
    velocity = k.correct_v == 1 or (pure and k.g2 != 0.0)
    rates = velocity or w.m[GAP].size > p.holonomic
    for _ in range(2 if position or rates else 0):
        far = False
        status = ask_levels(p, t, c, w, position, rates)
        if position:
            fill(p, w.m[GAP_Q], p.holonomic, w, w.s[DP])
            far = size_of_gaps(w, GAP_Q, p.holonomic) > CLOSE * size_q(w, Q_1)
        if status == OK and rates:
            if not velocity:
                for i in range(p.holonomic):
                    w.m[GAP_V, i] = 0.0
            fill(p, w.m[GAP_V], w.m[GAP_V].size, w, w.s[DX])
            far = far or size_of_gaps(w, GAP_V, w.m[GAP_V].size) > CLOSE * size_v(w, V_1)
            solve(p, t, c, w, pivots, w.s[DX], w.s[DP], position)
            add_to(w.s[DX], w.n[V_1])
        elif status == OK:
            solve(p, t, c, w, pivots, w.s[DP], w.s[DX], False)
        if status == OK and position and p.traits & RETRACTS:
            copy_to(w.s[DP], w.n[D])
            copy_to(w.q[Q_1], w.q[Q])
            status = retract(p, w.q[Q], w.n[D], c, w.q[Q_1])
        elif status == OK and position:
            add_to(w.s[DP], w.q[Q_1])
        if status != OK or not far:
            break
    if status == OK and p.holonomic > 0 and pure and k.g3 != 0.0:
        for i in range(n):
            w.n[A, i] = w.n[A_1, i] + s.phi * w.n[X, i]
        status = p.model(ACCELERATION, t, w.q[Q_1], w.n[V_1], w.n[A], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_A])
        fill(p, w.m[GAP_A], p.holonomic, w, w.s[DP])
        solve(p, t, c, w, pivots, w.s[DP], w.s[DX], False)
        add_to(w.s[DP], w.n[A_1])
    return status


@kernel()
def mass_matrix(
    p: Any, t: float, q: FloatArray, v: FloatArray, a: FloatArray, c: FloatArray, w: Any, pivots: Any
) -> int:
    """Factors of [M Gᵀ; G 0] at a state, into w.J."""
    w.key[0] = 0.0
    c[0], c[1], c[2], c[3] = 1.0, 0.0, 0.0, 1.0
    status = p.model(JACOBIAN, t, q, v, a, w.m[LAM_1], c, p.pf, p.pi, w.J_11)
    if status == OK:
        status = p.model(CONSTRAINT, t, q, v, a, w.m[LAM_1], c, p.pf, p.pi, w.G)
    if status == OK:
        assemble(p, c, w, pivots)
        status = decompose(p, w, pivots)
    return status


@kernel()
def fill(p: Any, gap: FloatArray, last: int, w: Any, out: FloatArray) -> None:
    """out = (0, −gap), the right-hand side of a projection, with the gaps of the rows before `last`."""
    n = natural(w.n[X].size)
    for i in range(n):
        out[i] = 0.0
    for k in range(p.rows.size):
        i = p.rows[k]
        out[n + k] = -gap[i] if i < last else 0.0


@kernel(i8(PHYSICS_REF, f8, i8, f8, WORK_REF, I), inner=True, apart=True, allocates=True)
def project(p: Any, t: float, levels: Any, phi: float, w: Any, pivots: Any) -> int:
    """Move w.q[Q_1] to φ = 0, w.n[V_1] to φ̇ = 0, ψ = 0 and (levels = 3) â to φ̈ = 0, each by the least change in the mass norm.

    [Shimada2014 (3.187)], [Shimada2014 (3.191)], [Shimada2014 (3.213) adapted].
    """
    n = w.n[X].size
    c = np.empty(4)
    q, base, moved = w.q[Q_1].copy(), w.q[Q_1].copy(), np.zeros(n)
    before, status, change = np.inf, OK, np.inf
    for k in range(PROJECTIONS):
        near = NEAR * measure(q, w.by_q)
        if not change * max(measure(moved, w.by_v), near) <= near**2:
            status = mass_matrix(p, t, q, w.n[V_1], w.n[A_1], c, w, pivots)
        if status != OK or p.holonomic == 0:
            break
        status = p.model(POSITION, t, q, w.n[V_1], w.n[A_1], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_Q])
        fill(p, w.m[GAP_Q], p.holonomic, w, w.s[DP])
        # M (d + δ) + Gᵀμ = 0: the whole way d from where it began is the shortest in the end
        if p.traits & SPARSE:
            subtract_product(w.J_11, pivots, moved, w.s[DP])
        else:
            for i in range(n):
                for j in range(n):
                    w.s[DP, i] -= w.J_11[i * n + j] * moved[j]
        solve(p, t, c, w, pivots, w.s[DP], w.s[DX], False)
        change = size_s(w, DP)
        if not np.isfinite(change):
            return NOT_FINITE
        if k > 0 and change > 0.5 * before and change <= 1e-10 * max(1.0, measure(q, w.by_q)):
            break
        for i in range(n):
            moved[i] += w.s[DP, i]
        status = retract(p, base, moved, c, q)
        if change <= 4.0 * EPS * measure(q, w.by_q):
            break
        before = change
    copy_to(q, w.q[Q_1])
    if status == OK and measure(moved, w.by_v) > NEAR * measure(q, w.by_q):
        status = mass_matrix(p, t, q, w.n[V_1], w.n[A_1], c, w, pivots)
    for k in range(3):
        if status == OK:
            status = p.model(VELOCITY, t, q, w.n[V_1], w.n[A_1], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_V])
            fill(p, w.m[GAP_V], w.m[GAP_V].size, w, w.s[DP])
            solve(p, t, c, w, pivots, w.s[DP], w.s[DX], False)
            add_to(w.s[DP], w.n[V_1])
            if k > 0 and size_s(w, DP) <= 4.0 * EPS * size_v(w, V_1):
                break
    if status == OK and levels == 3:
        for i in range(n):
            w.n[A, i] = w.n[A_1, i] + phi * w.n[X, i]
        status = p.model(ACCELERATION, t, q, w.n[V_1], w.n[A], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_A])
        fill(p, w.m[GAP_A], w.m[GAP_A].size, w, w.s[DP])
        solve(p, t, c, w, pivots, w.s[DP], w.s[DX], False)
        add_to(w.s[DP], w.n[A_1])
    w.key[0] = 0.0
    return status

"""Newton's iteration for the balance of one step.

The unknown is one increment x (the step's Δa); the trial state is affine in it,

    q̃ = q ⊕ (d_p + c₂ x),   ṽ = v_p + c₁ x,   ã = a_p + c₀ x,        balance(t̃, q̃, ṽ, ã, λ) = 0,
    J = c₀ ∂balance/∂a + c₁ ∂balance/∂v + c₂ ∂balance/∂q,

in a-form c = (W₁Λ₆, Δt W₂Λ₅, Δt² W₃Λ₃) [Shimada2014 (Table 2.4)]; c = (1, 0, 0) gives the acceleration at a given state.

J is formed once per step at the first trial state (in every iteration with `full`, only when convergence slows with `reuse`)
and again whenever corrections stop shrinking quickly. The iteration ends when the estimated error of x,
θ/(1−θ)·|δ| with θ = |δ_k|/|δ_{k−1}| [Hairer1996 (IV.8.10) adapted], is below rtol × the size of the acceleration. Rounding of q̃ and ṽ
alone moves x by about eps·(|q̃|/c₂ + |ṽ|/c₁): corrections below that which no longer shrink are the round-off floor, and accepted.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from numba import types

from isodyn.compiled import (
    BALANCE,
    CONSTANT_MASS,
    FACTORISE,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    LINEAR,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    RETRACT,
    RETRACTS,
    SINGULAR,
    SOLVE,
    SOLVES,
    F,
    FloatArray,
    f8,
    i8,
    kernel,
)
from isodyn.linear_solvers.dense import lu_factor, lu_solve

EPS = float(np.finfo(np.float64).eps)
FLOOR = 8.0  # how many units of rounding the floor allows
SLOW = 0.3  # a contraction above this calls for a new Jacobian
SLOW_OLD = 0.1  # the same for a Jacobian from an earlier step

Work = namedtuple("Work", "d_p v_p a_p d q v a x dx r r_plus J key fault")
"""Predicted state, trial state, increment, correction, residuals, matrix or its factors, the c it was made for, last failure."""
WORK = types.NamedUniTuple(F, len(Work._fields), Work)

Controls = namedtuple("Controls", "rtol max_iterations max_halvings full reuse")
CONTROLS = types.NamedTuple((f8, i8, i8, i8, i8), Controls)

# ---- counters of a run
STEPS, ROWS, ITERATIONS, EVALUATIONS, FACTORISATIONS, HALVINGS, FLOORS = range(7)
COUNTERS = 7


def allocate_work(nq: int, nv: int, dense: bool) -> Work:
    """Arrays for systems of these sizes; no dense matrix for models that bring their own solver."""
    sizes = {"q": nq, "J": nv * nv if dense else 0, "key": 4, "fault": 2}
    return Work(*(np.zeros(sizes.get(name, nv)) for name in Work._fields))


@kernel()
def retract(p: Any, q: FloatArray, d: FloatArray, c: FloatArray, out: FloatArray) -> int:
    """out = q ⊕ d."""
    if p.traits & RETRACTS:
        return p.model(RETRACT, 0.0, q, d, d, d, c, p.pf, p.pi, out)
    for i in range(q.size):
        out[i] = q[i] + d[i]
    return OK


@kernel()
def residual(p: Any, t: float, q: FloatArray, lam: FloatArray, c: FloatArray, w: Any, r: FloatArray) -> int:
    """Put the trial state for w.x into w.q, w.v, w.a and its balance into r."""
    for i in range(w.x.size):
        w.d[i] = w.d_p[i] + c[2] * w.x[i]
        w.v[i] = w.v_p[i] + c[1] * w.x[i]
        w.a[i] = w.a_p[i] + c[0] * w.x[i]
    status = retract(p, q, w.d, c, w.q)
    if status != OK:
        return status
    return p.model(BALANCE, t, w.q, w.v, w.a, lam, c, p.pf, p.pi, r)


@kernel()
def size(x: FloatArray) -> float:
    """Largest absolute component; NaN when there is one."""
    largest = 0.0
    for i in range(x.size):
        if not abs(x[i]) <= largest:
            largest = abs(x[i])
            if np.isnan(largest):
                return largest
    return largest


@kernel()
def difference_jacobian(p: Any, t: float, q: FloatArray, lam: FloatArray, c: FloatArray, w: Any, count: Any) -> int:
    """J column by column from differences of the balance along x, into w.J; w.r holds the balance at w.x."""
    n = w.x.size
    reach = max(size(w.a), size(w.a_p)) / c[0]
    if c[1] > 0.0:
        reach = max(reach, size(w.v) / c[1])
    if c[2] > 0.0:
        reach = max(reach, size(w.q) / c[2])
    if reach == 0.0:
        reach = 1.0
    h = np.sqrt(EPS) * reach
    for j in range(n):
        x_j = w.x[j]
        w.x[j] = x_j + h
        step = w.x[j] - x_j
        status = residual(p, t, q, lam, c, w, w.r_plus)
        w.x[j] = x_j
        if status != OK:
            return status
        for i in range(n):
            w.J[i * n + j] = (w.r_plus[i] - w.r[i]) / step
    count[EVALUATIONS] += n
    return OK


@kernel()
def factorise(p: Any, t: float, q: FloatArray, lam: FloatArray, c: FloatArray, w: Any, pivots: Any, count: Any) -> int:
    """Factors of J at the trial state, in the model or in w.J."""
    w.key[0] = 0.0
    if p.traits & SOLVES:
        status = p.model(FACTORISE, t, w.q, w.v, w.a, lam, c, p.pf, p.pi, w.fault)
    else:
        mass_only = c[1] == 0.0 and c[2] == 0.0
        if p.traits & KNOWS_TANGENT or (mass_only and p.traits & KNOWS_MASS):
            status = p.model(JACOBIAN, t, w.q, w.v, w.a, lam, c, p.pf, p.pi, w.J)
        else:
            status = difference_jacobian(p, t, q, lam, c, w, count)
        if status == OK:
            status = lu_factor(w.J, pivots)
            if status == SINGULAR:
                w.fault[0] = pivots[0]
    count[FACTORISATIONS] += 1
    if status == OK:
        w.key[0] = 1.0
        w.key[1:] = c
    return status


@kernel()
def correct(p: Any, t: float, lam: FloatArray, c: FloatArray, w: Any, pivots: Any) -> int:
    """w.dx = −J⁻¹ w.r, added to w.x."""
    for i in range(w.x.size):
        w.dx[i] = -w.r[i]
    status = OK
    if p.traits & SOLVES:
        status = p.model(SOLVE, t, w.q, w.v, w.a, lam, c, p.pf, p.pi, w.dx)
    else:
        lu_solve(w.J, pivots, w.dx)
    for i in range(w.x.size):
        w.x[i] += w.dx[i]
    return status


@kernel()
def round_off_floor(c: FloatArray, w: Any) -> float:
    """How far rounding of q̃, ṽ, ã alone may move x."""
    floor = size(w.a) / c[0]
    if c[1] > 0.0:
        floor += size(w.v) / c[1]
    if c[2] > 0.0:
        floor += size(w.q) / c[2]
    return FLOOR * EPS * floor


@kernel()
def solve_balance(
    p: Any,
    t: float,
    q: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    scale: float,
    w: Any,
    pivots: Any,
    controls: Any,
    count: Any,
) -> int:
    """Find w.x with balance = 0, starting from what it holds; `scale` is the size of the acceleration before the step."""
    mass_only = c[1] == 0.0 and c[2] == 0.0
    affine = (p.traits & LINEAR) != 0 or mass_only
    permanent = (p.traits & LINEAR) != 0 or (mass_only and (p.traits & CONSTANT_MASS) != 0)
    known = w.key[0] == 1.0 and w.key[1] == c[0] and w.key[2] == c[1] and w.key[3] == c[2]
    renew = not (known and (permanent or controls.reuse == 1))
    slow = SLOW if renew else SLOW_OLD
    before = np.inf
    w.fault[1] = np.inf
    for k in range(controls.max_iterations):
        status = residual(p, t, q, lam, c, w, w.r)
        if status != OK:
            return status
        count[ITERATIONS] += 1
        count[EVALUATIONS] += 1
        if not np.isfinite(size(w.r)):
            return NOT_FINITE
        if renew:
            status = factorise(p, t, q, lam, c, w, pivots, count)
            if status != OK:
                return status
        status = correct(p, t, lam, c, w, pivots)
        if status != OK:
            return status
        correction = size(w.dx)
        if not np.isfinite(correction):
            return NOT_FINITE
        if affine:
            return OK
        w.fault[1] = correction
        theta = correction / before if k > 0 else 1.0
        goal = controls.rtol * max(scale, size(w.a))
        if correction <= goal if k == 0 else theta < 1.0 and theta * correction <= (1.0 - theta) * goal:
            return OK
        if k > 0 and theta > slow and correction <= round_off_floor(c, w):
            count[FLOORS] += 1
            return OK
        renew = controls.full == 1 or (k > 0 and theta > slow)
        if renew:
            slow = SLOW
        before = correction
    return NOT_CONVERGED

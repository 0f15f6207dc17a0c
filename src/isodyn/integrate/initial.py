"""Initial values: q and v on the constraints, then M a + Gᵀλ = Q and G a = b for a and λ [Shimada2014 (3.88)].

Where a formulation closes at the balance, G a = b is replaced by its own closure at the state, with gains or compliance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import (
    ACCELERATION,
    BALANCE,
    CLOSURE,
    CONSTANT_MASS,
    MODEL_TYPE,
    NOT_FINITE,
    OK,
    STATE,
    Coefficients,
    F,
    FloatArray,
    I,
    Physics,
    f8,
    i8,
    kernel,
)
from isodyn.integrate.closure import add_to, close_at_balance, copy_to, fill_with, finite, measure, settle, size_s
from isodyn.integrate.corrections import solve
from isodyn.integrate.matrix import factorise
from isodyn.integrate.projection import mass_matrix, project
from isodyn.integrate.signatures import CONTROLS_REF, PHYSICS_REF, STATE_REF, WORK_REF
from isodyn.integrate.work import (
    A_1,
    A_P,
    CONTROLS,
    D_P,
    DX,
    EPS,
    EVALUATIONS,
    FACTORISATIONS,
    GAP,
    ITERATIONS,
    LAM,
    LEFT,
    Q_1,
    R_PLUS,
    V_1,
    V_P,
    WORK,
    A,
    Q,
    R,
    V,
    X,
)
from isodyn.lowering import by_reference

# most solves for the first acceleration; as a literal it would compile what it is handed to once more
PATIENCE = np.int64(40)
TINY = 1e-300  # beside which every acceleration is large
SETTLED = 1e-14  # a change of it below this, relative, is none
STILL = Coefficients(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)  # no step at all


@kernel(i8(PHYSICS_REF, f8, STATE_REF, WORK_REF, I, CONTROLS_REF, I, i8), inner=True, apart=True)
def acceleration(p: Any, t: float, state: Any, w: Any, pivots: Any, controls: Any, count: Any, most: Any) -> int:
    """state.a and state.lam from M a + Gᵀλ = Q, G a = b at the state itself; no last step is known after this.

    The equations are linear [Shimada2014 (3.88)]; a second solve removes the rounding of the first. Where forces depend on λ beyond Gᵀλ
    (friction), the same matrix is used until nothing changes. After `most` solves it is enough; w.past[LEFT] tells what the second of
    them changed.
    """
    n = w.n[X].size
    c = w.c
    c[0], c[1], c[2], c[3] = 1.0, 0.0, 0.0, 1.0
    fill_with(state.a, 0.0)
    fill_with(state.lam, 0.0)
    status = OK
    copy_to(state.q, w.q[Q])
    copy_to(state.v, w.n[V])
    before = np.inf
    for k in range(most):
        copy_to(state.a, w.n[A])
        copy_to(state.lam, w.m[LAM])
        status = p.model(BALANCE, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.s[R][:n])
        count[ITERATIONS] += 1
        count[EVALUATIONS] += 1
        if status == OK and p.rows.size > 0 and p.closure.at_balance == 1:
            status = close_at_balance(p, t, c, w)
        elif status == OK and p.rows.size > 0:
            status = p.model(ACCELERATION, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.m[GAP])
        if status != OK:
            return status
        for i in range(p.rows.size):
            w.s[R, n + i] = w.m[GAP, p.rows[i]]
        if not finite(w.s[R]):
            return NOT_FINITE
        if k == 0:
            fill_with(w.n[D_P], 0.0)
            copy_to(state.v, w.n[V_P])
            fill_with(w.n[A_P], 0.0)
            fill_with(w.n[X], 0.0)
            status = initial_matrix(p, t, state, c, w, pivots, count)
            if status != OK:
                return status
        for i in range(w.s[R].size):
            w.s[DX, i] = -w.s[R, i]
        status = solve(p, t, c, w, pivots, w.s[DX], w.s[R_PLUS], False)
        add_to(w.s[DX], state.a)
        for i in range(p.rows.size):
            state.lam[p.rows[i]] += w.s[DX, n + i]
        change = size_s(w, DX)
        if k == 1:
            w.past[LEFT] = max(change / max(measure(state.a, w.by_v), TINY), EPS)
        if (
            status != OK
            or p.rows.size == 0
            or (k > 0 and (change <= SETTLED * measure(state.a, w.by_v) or change > 0.5 * before))
        ):
            break
        before = change
    fill_with(state.da, 0.0)
    state.clock[1] = 0.0
    return status


@kernel()
def initial_matrix(p: Any, t: float, state: Any, c: FloatArray, w: Any, pivots: Any, count: Any) -> int:
    """Factors of M, or of [M Gᵀ; G 0], at the state."""
    if p.rows.size > 0:
        count[FACTORISATIONS] += 1
        return mass_matrix(p, t, state.q, state.v, state.a, c, w, pivots)
    known = (p.traits & CONSTANT_MASS) != 0 and w.key[0] == 1.0
    for i in range(4):
        known = known and w.key[1 + i] == c[i]
    if known:
        return OK
    return factorise(p, by_reference(STILL), t, t, 0.0, state, c, w, pivots, 0, count)


INITIAL_ACCELERATION = i8(MODEL_TYPE, i8, i8, CLOSURE, I, F, I, f8, STATE, WORK, I, CONTROLS, I)


@kernel(INITIAL_ACCELERATION)
def initial_acceleration(
    model: Any,
    traits: int,
    holonomic: int,
    closure: Any,
    rows: Any,
    pf: Any,
    pi: Any,
    t: float,
    state: Any,
    w: Any,
    pivots: Any,
    controls: Any,
    count: Any,
) -> int:
    """`acceleration` for callers outside compiled code; loads are taken at t, which may be a right-hand limit."""
    p = by_reference(Physics(model, traits, holonomic, closure, rows, pf, pi))
    return acceleration(p, t, by_reference(state), by_reference(w), pivots, by_reference(controls), count, PATIENCE)


@kernel()
def nearest(p: Any, t: float, state: Any, w: Any, pivots: Any) -> int:
    """Move state.q and state.v onto the constraints by the least change in the mass norm."""
    copy_to(state.q, w.q[Q_1])
    copy_to(state.v, w.n[V_1])
    fill_with(w.n[A_1], 0.0)
    status = project(p, t, np.int64(2), 0.0, w, pivots)
    if status == OK:
        status = settle(p, w.c, w.q[Q_1])
    if status == OK:
        copy_to(w.q[Q_1], state.q)
        copy_to(w.n[V_1], state.v)
    return status


NEAREST_CONSISTENT = i8(MODEL_TYPE, i8, i8, CLOSURE, I, F, I, f8, STATE, WORK, I)


@kernel(NEAREST_CONSISTENT)
def nearest_consistent(
    model: Any,
    traits: int,
    holonomic: int,
    closure: Any,
    rows: Any,
    pf: Any,
    pi: Any,
    t: float,
    state: Any,
    w: Any,
    pivots: Any,
) -> int:
    """`nearest` for callers outside compiled code."""
    p = by_reference(Physics(model, traits, holonomic, closure, rows, pf, pi))
    return nearest(p, t, by_reference(state), by_reference(w), pivots)

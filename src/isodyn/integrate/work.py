"""The memory of a step, as few arrays as compiled code likes to hand around; rows have names.

w.n[X, i]      vectors of the size of v      w.q[Q, i]   of q      w.m[LAM, i]   of the multipliers      w.s[R, i]   of all unknowns
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from numba import types

from isodyn.compiled import F2, STATE, F, IntArray, State, f8, i8
from isodyn.linear_solvers import block_layout
from isodyn.linear_solvers.blocks import storage_of

DIFFERENCES = 5  # backward differences of the unknowns that are kept (isodyn.integrate.extrapolation)
# ---- rows of w.n: predicted state and trial state at the balance, unknown, corrections of q and v, state at t_{n+1}; velocity at the
# balance of the last two steps
D_P, V_P, A_P, D, V, A, X, P, U, V_1, A_1, V_B, V_BB = range(13)
# … the last change of v, and how it differed from the one before; the largest change, the largest v; the largest local errors of q
# (per Δt) and of v, and when
# (isodyn.integrate.local_error)
U_1, DU_1, U_MOST, V_MOST, E_Q, E_V, AT_Q, AT_V = range(13, 21)
JUDGED = slice(U_MOST, AT_V + 1)
# … first of the differences of the unknown and of the correction of q
X_0 = AT_V + 1
P_0 = X_0 + DIFFERENCES
# ---- rows of w.q: at the balance and at t_{n+1}; at the balance of the last two steps
Q, Q_1, Q_B, Q_BB = range(4)
# ---- rows of w.m: multipliers at the balance and at t_{n+1}; closures: of the step, and of φ, φ̇, φ̈ alone; multipliers of the
# corrections of q and v; first of the differences of the multipliers at the balance
LAM, LAM_1, GAP, GAP_Q, GAP_V, GAP_A, MU, NU, LAM_0 = range(9)
EFFECT = LAM_0 + DIFFERENCES  # what a unit of each multiplier counts beside x, where multipliers enter as they like
# ---- rows of w.s: solution of the linear system, for the unknowns and for corrections; residual, and another one; right-hand sides
# while their solutions are refined
DX, DP, R, R_PLUS, B_1, B_2 = range(6)

# ---- entries of w.past: the time up to which steps of one size followed each other, and how many; how many differences of unknowns
# are good; steps since the corrections were seen through to the last; what a second solution for the accelerations of a state changed
# last, relatively; those corrections, relative to acceleration and multipliers
UNTIL, FOLLOWED, ORDER, SINCE, LEFT, CORRECTIONS = range(6)  # … and those of the step itself behind them, from NOW on
SEEN = 4  # how many corrections are kept
NOW = CORRECTIONS + SEEN
T_B = NOW + SEEN  # … then the times of the last two balances
T_BB = T_B + 1

# ---- entries of w.near: the smallest pivot of the enforced rows so far, and when
NEAREST, WHEN = range(2)

Work = namedtuple(
    "Work",
    "n q m s G G_1 N J_11 J J_S levels key fault scale c kappa near past there by_q by_v rows sizes soft inertia",
)
"""Vectors (above); constraint matrix at the balance and at the end; null-space basis, or inverse of GGL's S; (1,1) block; whole matrix or
its factors, and those of the step's first one; φ and φ̇ of all rows; the c that the matrix was made for; what to tell about a failure;
sizes that errors are compared with, the regularisation of the matrix, where the unknowns were guessed from, nothing, whether
the balance of the guess is known; the c of the step, and numbers that go with other questions; how close the enforced rows came to a loss
of rank; what the steps before tell about the next; a state of which acceleration and multipliers are asked; what components of q and v are
multiplied by before they are compared; typical sizes of all rows; of the unknowns of the matrix, and of its equations; the −ε of its
enforced rows; the smallest entry of D M D (isodyn.systems.scales)."""
WORK = types.NamedTuple((F2, F2, F2, F2, F, F, F, F, F, F, F, F, F, F, F, F, F, F, STATE, F, F, F, F, F, F), Work)


def allocate_work(nq: int, nv: int, m: int, rows: int, dense: bool, packed: IntArray | None = None) -> Work:
    """Memory for systems of these sizes, `rows` of m constraint rows being used.

    No matrix for models that bring their own solver; values of the patterns in `packed` for sparse ones.
    """
    whole = nv + rows
    block = nv * nv if dense and m else 0
    G, factors = m * nv, whole * whole if dense else 0
    if packed is not None:
        block, G, factors = int(packed[block_layout.N_J]), int(packed[block_layout.N_G]), storage_of(packed)
    return Work(
        n=np.zeros((P_0 + DIFFERENCES, nv)),
        q=np.zeros((4, nq)),
        m=np.zeros((EFFECT + 1, m)),
        s=np.zeros((6, whole)),
        G=np.zeros(G),
        G_1=np.zeros(G),
        N=np.zeros(block if packed is None else 0),
        J_11=np.zeros(block),
        J=np.zeros(factors),
        J_S=np.zeros(factors if m else 0),
        levels=np.zeros(2 * m),
        key=np.zeros(5),
        fault=np.zeros(2),
        scale=np.zeros(6),
        c=np.zeros(4),
        kappa=np.array([0.0, 0.0, 0.0, 1.0]),
        near=np.array([1.0, 0.0]),
        past=np.zeros(T_BB + 1),
        there=State(np.zeros(2), np.zeros(nq), np.zeros(nv), np.zeros(nv), np.zeros(m), np.zeros(nv)),
        by_q=np.ones(nq),
        by_v=np.ones(nv),
        rows=np.ones(m),
        sizes=np.ones(whole),
        soft=np.zeros(rows),
        inertia=np.zeros(1),
    )


def weigh(w: Work, weights: Any, chosen: IntArray) -> None:
    """Put the weights of a system (isodyn.systems.scales) into the memory of a step with these rows."""
    n = w.by_v.size
    w.by_q[:], w.by_v[:], w.rows[:] = weights.q, weights.v, weights.rows
    w.inertia[0] = weights.inertia
    w.sizes[:n], w.sizes[n:] = weights.matrix[:n], weights.matrix[n:][chosen]


Controls = namedtuple("Controls", "rtol max_iterations max_halvings full reuse quasi form keep_balance", defaults=(0,))
"""Settings of the iteration, as numbers; whether the states at the last two balances are kept."""
CONTROLS = types.NamedTuple((f8, i8, i8, i8, i8, i8, i8, i8), Controls)

# ---- counters of a run
STEPS, ROWS, ITERATIONS, EVALUATIONS, FACTORISATIONS, HALVINGS, FLOORS, RESCUES, REPIVOTS, FALLBACKS = range(10)
COUNTERS = 10
COUNTED = {
    "steps": STEPS,
    "iterations": ITERATIONS,
    "evaluations": EVALUATIONS,
    "factorisations": FACTORISATIONS,
    "halvings": HALVINGS,
    "round_off_stops": FLOORS,
    "rescues": RESCUES,
    "repivots": REPIVOTS,
    "fallbacks": FALLBACKS,
}
"""Counters by their names in the statistics."""

UNDERFLOW = 100  # a status of adaptive steps: not good enough, also with a step as small as rounding of t

EPS = float(np.finfo(np.float64).eps)

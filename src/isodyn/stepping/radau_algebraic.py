"""Rates and algebraic unknowns of a first-order system in Radau IIA, at the end of a step and
inside it.

Radau's own z has the order of its stages, 3 where the index is 2. But s alone determines z: rows
c_i that contain z as they stand, the others by their derivative along the motion,

    [ M     B  ] [δṡ]       [ balance     ]
    [ 0     D_i] [δz]  =  − [ c_i(s, z, t)]       rows with z
    [ G_j   0  ]            [ ċ_j         ]       rows without

and then z is as accurate as s. Inside a step s is put onto the rows without z first: the same
matrix with (0, 0, −c_j), so that s moves as z would move it.

This takes rows of one kind or the other. Where combinations of rows are free of z, though the rows
are not, there are fewer unknowns that c determines than rows that contain one; z is then that of
the stages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.kernels.compiled import ACCELERATION, BALANCE, OK, VELOCITY, ModelFunction, kernel
from isodyn.kernels.lowering import by_reference, natural
from isodyn.kernels.struct_types import opened, struct_at
from isodyn.linear_solvers.dense import lu_factor, lu_solve
from isodyn.stepping.closure import add_to, copy_to, size
from isodyn.stepping.dop853 import physics_of
from isodyn.stepping.memory import EPS, Counters, Memory, Physics, Plan, State
from isodyn.stepping.radau_matrix import contains_z, general_rows
from isodyn.stepping.radau_memory import LAST, ROW_BY_ROW, Collocation
from isodyn.stepping.radau_questions import ask
from isodyn.stepping.told_step import TAKE

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

MOST = 20  # solves with one matrix
SLOW = 0.3  # contraction with which a matrix does not serve, or rounding is reached
# corrections, relative, that need no other; those that rounding may make; and beside the first one
NOTHING, ROUNDING, STALLED = 4.0 * EPS, 1e-9, 1e-2
TINY = 1e-300  # beside which every number is large
ONTO = 3  # solves for s on the rows without z


@kernel()
def factorise_rates(own: Collocation, memory: Memory) -> int:
    """Factors of the matrix for ṡ and z."""
    n, m = natural(own.v_0.size), natural(own.L.shape[1])
    whole = n + m
    for i in range(n):
        for j in range(n):
            memory.J[i * whole + j] = own.M[i * n + j]
        for j in range(m):
            memory.J[i * whole + n + j] = own.B[j * n + i]
    for i in range(m):
        first, with_z = (n + i) * whole, contains_z(own, i)
        for j in range(n):
            memory.J[first + j] = 0.0 if with_z else own.G[i * n + j]
        for j in range(m):
            memory.J[first + n + j] = own.D[i * m + j] if with_z else 0.0
    memory.factors_good = 0
    return lu_factor(memory.J, memory.pivots[:whole], memory.unknown_sizes)


@kernel()
def residual_of_rates(p: Physics, t: float, own: Collocation, trial: State, memory: Memory) -> int:
    """Balance and rows at the state, into memory.r."""
    n = natural(own.v_0.size)
    copy_to(trial.v, memory.v)
    copy_to(trial.lam, memory.lam)
    copy_to(trial.a, memory.a)
    status = ask(p, BALANCE, t, own, memory, memory.r[:n])
    if status == OK:
        status = ask(p, VELOCITY, t, own, memory, memory.gap_v)
    if status == OK and own.determined < trial.lam.size:
        status = ask(p, ACCELERATION, t, own, memory, memory.gap_a)
    for i in range(trial.lam.size):
        memory.r[n + i] = memory.gap_v[i] if contains_z(own, i) else memory.gap_a[i]
    return status


@kernel()
def correct(p: Physics, t: float, own: Collocation, trial: State, memory: Memory) -> bool:
    """Correct ṡ and z once, by −memory.r; False where the model has no answer."""
    n = natural(own.v_0.size)
    if residual_of_rates(p, t, own, trial, memory) != OK:
        return False
    lu_solve(memory.J, memory.pivots[: memory.r.size], memory.r)
    for i in range(n):
        trial.a[i] -= memory.r[i]
    for i in range(trial.lam.size):
        trial.lam[i] -= memory.r[n + i]
    return True


@kernel()
def iterate_rates(p: Physics, t: float, own: Collocation, trial: State, memory: Memory) -> bool:
    """ṡ and z of s to rounding, from those in `trial` with the factors that there are; False where
    these do not serve."""
    n = natural(own.v_0.size)
    if not correct(p, t, own, trial, memory):
        return False
    # z may vanish: the first correction has a size then, too
    first = size(memory.r[:n]), size(memory.r[n:])
    by_rate, by_z = max(size(trial.a), first[0], TINY), max(size(trial.lam), first[1], TINY)
    change = most = max(first[0] / by_rate, first[1] / by_z)
    for _ in range(MOST):
        before = change
        if before <= NOTHING:
            return True
        if not correct(p, t, own, trial, memory):
            return False
        change = max(size(memory.r[:n]) / by_rate, size(memory.r[n:]) / by_z)
        if not change <= SLOW * before:
            break
    return change <= max(ROUNDING, STALLED * most)


@kernel()
def rates_and_unknowns(p: Physics, t: float, own: Collocation, trial: State, memory: Memory, counters: Counters) -> int:
    """ṡ and z of s; those in `trial` stay where the rows do not determine others."""
    rate, z = memory.x, memory.gap
    copy_to(trial.a, rate)
    copy_to(trial.lam, z)
    if iterate_rates(p, t, own, trial, memory):
        return OK
    # derivatives of some step before do not serve here
    copy_to(rate, trial.a)
    copy_to(z, trial.lam)
    status = residual_of_rates(p, t, own, trial, memory)
    if status == OK:
        status = general_rows(p, t, own.t_1 - own.t_0, trial.sizes_z, own, memory, counters)
    if status == OK:
        status = factorise_rates(own, memory)
    if status == OK and not iterate_rates(p, t, own, trial, memory):
        copy_to(rate, trial.a)
        copy_to(z, trial.lam)
    return status


@kernel()
def onto_rows(p: Physics, t: float, own: Collocation, trial: State, memory: Memory) -> int:
    """Put s onto the rows without z."""
    n, status = natural(own.v_0.size), OK
    for _ in range(ONTO):
        copy_to(trial.v, memory.v)
        copy_to(trial.lam, memory.lam)
        status = ask(p, VELOCITY, t, own, memory, memory.gap_v)
        if status != OK:
            break
        for i in range(n):
            memory.r[i] = 0.0
        for i in range(trial.lam.size):
            memory.r[n + i] = 0.0 if contains_z(own, i) else -memory.gap_v[i]
        lu_solve(memory.J, memory.pivots[: memory.r.size], memory.r)
        add_to(memory.r, trial.v)
    return status


@kernel()
def finish_algebraic(p: Physics, t_1: float, own: Collocation, trial: State, memory: Memory, counters: Counters) -> int:
    """ṡ and z at the end of a step; z is that of the last stage, which satisfies c, where c
    determines all of it."""
    n, last = natural(own.v_0.size), LAST
    copy_to(own.L[last], trial.lam)
    copy_to(own.V_rate[last], trial.a)
    by_rows = own.algebraic == ROW_BY_ROW and own.determined < trial.lam.size
    if by_rows and factorise_rates(own, memory) == OK:
        return rates_and_unknowns(p, t_1, own, trial, memory, counters)
    copy_to(trial.v, memory.v)
    copy_to(trial.lam, memory.lam)
    copy_to(trial.a, memory.a)
    status = ask(p, BALANCE, t_1, own, memory, memory.r[:n])
    for i in range(n):
        trial.a[i] -= memory.r[i]
    return status


@kernel(TAKE, apart=True)
def complete(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    t: float,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """A state inside the last step, with s and z of polynomials: s onto the rows without z, then ṡ
    and z of it."""
    own = opened(Collocation, struct_at(plan.own))
    p = by_reference(physics_of(model, tables, scratch, plan, memory))
    if own.algebraic == ROW_BY_ROW and factorise_rates(own, memory) == OK:
        status = onto_rows(p, t, own, state, memory)
        if status == OK:
            status = rates_and_unknowns(p, t, own, state, memory, counters)
        return status
    return OK

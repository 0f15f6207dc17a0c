"""Dormand and Prince's explicit method of order 8 with error estimates of order 5 and 3, on the
accelerations of Gauss' principle.

    y = (q, v),     ẏ = (d(q ⊕ εv)/dε, a(t, q, v)),     M a + Gᵀλ = Q,   G a = b

    k_s = f(t + c_s h, y_n + h Σ_{j<s} a_sj k_j),     y* = y_n + h Σ b_j k_j,     y_{n+1} = the nearest consistent state to y*

The coefficients are those of SciPy's class [Hairer1993 Sec. II.5, Sec. II.10]: 11 evaluations per
attempt and one more at the state of an accepted step, which the projection has moved; steps with
dense output need 4 others. An attempt is accepted when

    err = h |e₅|² / √((|e₅|² + 0.01 |e₃|²) N) ≤ 1        [Hairer1993 Sec. II.10]

with every component of e₅, e₃ divided by atol + rtol max(|y_n|, |y*|); then h ← h · min(10,
max(0.2, 0.8 err^(−1/8))) (isodyn.stepping.told_step). Stages that end in a singular matrix or in a
NaN, and steps whose end cannot be put onto the constraints, are attempts that failed.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import DOP853

from isodyn.kernels.compiled import KNOWS_RATE, NOT_FINITE, OK, FloatArray, ModelFunction, kernel
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct import Struct, StructAddress, integer, real, reals
from isodyn.kernels.struct_types import opened, struct_at
from isodyn.stepping.closure import copy_to, size
from isodyn.stepping.initial import PATIENCE
from isodyn.stepping.memory import EPS, STIFF, UNDERFLOW, Counters, Leg, Memory, Physics, Plan, State
from isodyn.stepping.rate import live, onto_constraints, rate_of, velocity_of_q
from isodyn.stepping.told_step import TAKE

STAGES = DOP853.n_stages
ROWS = 16  # stages, the end of the step, and three for dense output
WEIGHTS = np.zeros((ROWS, ROWS))
WEIGHTS[:STAGES, :STAGES], WEIGHTS[STAGES, :STAGES], WEIGHTS[STAGES + 1 :] = DOP853.A, DOP853.B, DOP853.A_EXTRA
NODES = np.concatenate([DOP853.C, [1.0], DOP853.C_EXTRA])
E3, E5, D = DOP853.E3.copy(), DOP853.E5.copy(), DOP853.D.copy()
POWERS = 7  # coefficients of the dense output

FARTHEST = 100.0  # errors allowed: a projection that moves a state by more is not trusted
NEGLIGIBLE = (
    # part of the tolerance that a second solution for the accelerations of a stage may change to be
    # left out
    1e-3
)


LAST = STAGES - 1  # the last stage, which lies at the end of the step
# of h |λ|; steps in a row that make a motion stiff; others in a row that make it none
LIMIT, ENOUGH, CALM = 4.0, 15, 6

UNTOUCHED, PROJECTED, IN_PYTHON = range(3)  # how accepted steps end


class Stages(Struct):
    """Memory of the method: what it is asked for, and the rates of the last step with what its
    dense output needs."""

    rtol = real
    # accepted steps stay as they are (UNTOUCHED), are PROJECTED, or are finished by the caller with
    # their rates (IN_PYTHON)
    project = integer
    atol = reals("components")  # errors allowed of what is nearly zero
    # the step: from where, to where; and how many solves the accelerations of its stages take
    t_0, t_1, solves = real, real, integer
    start, end = reals("components"), reals("components")  # y_n, and y* before it is projected
    rates = reals(ROWS, "components")
    powers = reals(POWERS, "components")  # coefficients of the dense output
    # whether stiffness is looked for, and steps in a row that seemed stiff, and that did not
    watched, stiff_steps, calm_steps = integer, integer, integer


@kernel()
def stage(s: int, h: float, y: FloatArray, K: FloatArray, trial: State) -> None:
    """trial = y + h Σ_{j<s} a_sj k_j."""
    nq = trial.q.size
    for i in range(y.size):
        total = 0.0
        for j in range(s):
            total += WEIGHTS[s, j] * K[j, i]
        moved = y[i] + h * total
        if i < nq:
            trial.q[i] = moved
        else:
            trial.v[i - nq] = moved


@kernel()
def error_norm(h: float, y: FloatArray, end: FloatArray, K: FloatArray, rtol: float, atol: FloatArray) -> float:
    """Estimated error of an attempt, at most 1 for one that is good enough
    [Hairer1993 Sec. II.10]."""
    e3 = e5 = 0.0
    for i in range(y.size):
        scale = atol[i] + rtol * max(abs(y[i]), abs(end[i]))
        x3 = x5 = 0.0
        for j in range(STAGES):
            x3 += E3[j] * K[j, i]
            x5 += E5[j] * K[j, i]
        e3 += (x3 / scale) ** 2
        e5 += (x5 / scale) ** 2
    if e5 == 0.0:
        return 0.0
    return h * e5 / np.sqrt((e5 + 0.01 * e3) * y.size)


@kernel()
def interpolant(h: float, y: FloatArray, end: FloatArray, K: FloatArray, out: FloatArray) -> None:
    """Coefficients of the dense output of order 7 between y and the end of the step before it is
    projected."""
    for i in range(y.size):
        change = end[i] - y[i]
        out[0, i] = change
        out[1, i] = h * K[0, i] - change
        out[2, i] = 2.0 * change - h * (K[STAGES, i] + K[0, i])
        for k in range(D.shape[0]):
            total = 0.0
            for j in range(ROWS):
                total += D[k, j] * K[j, i]
            out[3 + k, i] = h * total


@kernel()
def moved_far(end: FloatArray, trial: State, rtol: float, allowed: FloatArray) -> bool:
    """Whether the way onto the constraints is far longer than the error of the step: beside a loss
    of rank errors are magnified."""
    nq = trial.q.size
    for i in range(end.size):
        x, most = (trial.q[i], size(trial.q)) if i < nq else (trial.v[i - nq], size(trial.v))
        if not abs(x - end[i]) <= FARTHEST * (allowed[i] + (rtol + EPS) * most):
            return True
    return False


@kernel()
def physics_of(
    model: ModelFunction, tables: StructAddress, scratch: StructAddress, plan: Plan, memory: Memory
) -> Physics:
    """The model with the rows that are enforced."""
    leg = plan.legs[0]
    return Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch)


@kernel()
def begin(p: Physics, own: Stages, t_1: float, state: State, memory: Memory) -> int:
    """y_n and its rate, from the state; a step that is tried again solves as often as before."""
    nq = state.q.size
    if own.t_0 != state.t:
        negligible = 0.0 < memory.second_change <= NEGLIGIBLE * own.rtol
        own.solves = 1 if negligible else PATIENCE
    own.t_0, own.t_1 = state.t, t_1
    copy_to(state.q, own.start[:nq])
    copy_to(state.v, own.start[nq:])
    copy_to(state.a, own.rates[0][nq:])
    return velocity_of_q(p, state.q, state.v, memory.by_v, own.rates[0][:nq]) if nq > 0 else OK


@kernel()
def stages(p: Physics, leg: Leg, first: int, last: int, own: Stages, memory: Memory, counters: Counters) -> int:
    """Rates of the stages first … last − 1."""
    trial, h = memory.aside, own.t_1 - own.t_0
    for s in range(first, last):
        stage(s, h, own.start, own.rates, trial)
        status = rate_of(
            p, leg, min(own.t_0 + NODES[s] * h, leg.t_limit), trial, memory, own.rates[s], counters, own.solves
        )
        if status != OK:
            return status
    return OK


@kernel()
def finish(p: Physics, leg: Leg, own: Stages, memory: Memory, counters: Counters) -> int:
    """memory.aside, the end y*, where it lives, onto the constraints, with its accelerations."""
    trial, end, nq, status = memory.aside, own.end, memory.aside.q.size, OK
    t_1 = min(own.t_1, leg.t_limit)
    if p.traits & KNOWS_RATE:
        status = live(p, end[:nq], trial.da, trial.q)
    if own.project == PROJECTED and status == OK:
        status = onto_constraints(p, t_1, trial, memory)
        if status == OK and moved_far(end, trial, own.rtol, own.atol):
            status = UNDERFLOW
    if status == OK:
        status = rate_of(p, leg, t_1, trial, memory, own.rates[STAGES], counters, PATIENCE)
    return status


@kernel()
def seems_stiff(h: float, own: Stages, trial: State) -> bool:
    """Whether h |λ| lies at the limit of stability, as the change of the rate from the last stage
    of the step before (in `trial`) to the state says [Hairer1996 Sec. IV.2]."""
    nq, last, change, way = trial.q.size, LAST, 0.0, 0.0
    for i in range(own.start.size):
        scale = own.atol[i] + own.rtol * abs(own.start[i])
        x = trial.q[i] if i < nq else trial.v[i - nq]
        change += ((own.rates[0, i] - own.rates[last, i]) / scale) ** 2
        way += ((own.start[i] - x) / scale) ** 2
    return h * np.sqrt(change) > LIMIT * np.sqrt(way) if way > 0.0 else False


@kernel()
def is_stiff(h: float, own: Stages, trial: State) -> bool:
    """Whether so many steps seemed stiff that the motion is."""
    if seems_stiff(h, own, trial):
        own.calm_steps = 0
        own.stiff_steps += 1
    else:
        own.calm_steps += 1
        if own.calm_steps >= CALM:
            own.stiff_steps = 0
    return own.stiff_steps >= ENOUGH


@kernel(TAKE, apart=True)
def take(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    t_1: float,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """One step, and its error."""
    own, leg, trial = opened(Stages, struct_at(plan.own)), plan.legs[0], memory.aside
    p = by_reference(physics_of(model, tables, scratch, plan, memory))
    h, nq = t_1 - state.t, state.q.size
    before, watched = own.t_1 - own.t_0, own.watched == 1 and own.t_1 == state.t
    if watched:
        stage(LAST, before, own.start, own.rates, trial)
    status = begin(p, own, t_1, state, memory)
    if status == OK and watched and is_stiff(before, own, trial):
        return STIFF
    if status == OK:
        status = stages(p, leg, 1, STAGES, own, memory, counters)
    if status != OK:
        return status
    stage(STAGES, h, own.start, own.rates, trial)
    copy_to(trial.q, own.end[:nq])
    copy_to(trial.v, own.end[nq:])
    memory.error = error_norm(h, own.start, own.end, own.rates, own.rtol, own.atol)
    if not np.isfinite(memory.error):
        return NOT_FINITE
    if memory.error > 1.0:
        return OK
    if own.project != IN_PYTHON:
        status = finish(p, leg, own, memory, counters)
        copy_to(trial.a, state.a)
        copy_to(trial.lam, state.lam)
    copy_to(trial.q, state.q)
    copy_to(trial.v, state.v)
    state.t, state.dt = t_1, h
    return status


@kernel(TAKE, apart=True)
def prepare_dense(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    t_1: float,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """Coefficients of the dense output of the last step, which ended at t_1 and has its stages
    still."""
    own, leg, trial = opened(Stages, struct_at(plan.own)), plan.legs[0], memory.aside
    p = by_reference(physics_of(model, tables, scratch, plan, memory))
    h, nq = t_1 - own.t_0, state.q.size
    copy_to(own.end[:nq], trial.q)
    copy_to(own.end[nq:], trial.v)
    status = rate_of(p, leg, min(t_1, leg.t_limit), trial, memory, own.rates[STAGES], counters, PATIENCE)
    if status == OK:
        status = stages(p, leg, STAGES + 1, ROWS, own, memory, counters)
    interpolant(h, own.start, own.end, own.rates, own.powers)
    return status

"""Dormand and Prince's explicit method of order 8 with error estimates of order 5 and 3, on the
accelerations of Gauss' principle.

    y = (q, v),     ẏ = (d(q ⊕ εv)/dε, a(t, q, v)),     M a + Gᵀλ = Q,   G a = b

    k_s = f(t + c_s h, y_n + h Σ_{j<s} a_sj k_j),     y* = y_n + h Σ b_j k_j,     y_{n+1} = the nearest consistent state to y*

The coefficients are those of SciPy's class [Hairer1993 Sec. II.5, Sec. II.10]: 11 evaluations per
attempt and one more at the state of an accepted step, which the projection has moved; steps with
dense output need 4 others. An attempt is accepted when

    err = h |e₅|² / √((|e₅|² + 0.01 |e₃|²) N) ≤ 1        [Hairer1993 Sec. II.10]

with every component of e₅, e₃ divided by atol + rtol max(|y_n|, |y*|); then h ← h · min(10,
max(0.2, 0.9 err^(−1/8))). Stages that end in a singular matrix or in a NaN, and steps whose end
cannot be put onto the constraints, are attempts that failed.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from numba import types
from scipy.integrate import DOP853

from isodyn.kernels.compiled import (
    F2,
    JAMMED,
    KNOWS_RATE,
    MODEL_TYPE,
    NOT_FINITE,
    OK,
    SINGULAR,
    UNTOLD,
    FloatArray,
    i8,
    kernel,
)
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct import Struct, integer, real, reals
from isodyn.kernels.struct_types import ADDRESS, StructType
from isodyn.stepping.closure import copy_to, size
from isodyn.stepping.initial import PATIENCE
from isodyn.stepping.memory import COUNTERS, EPS, LEG, MEMORY, STATE, UNDERFLOW, Physics
from isodyn.stepping.rate import live, onto_constraints, rate_of

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


class Pace(Struct):
    """How far, how exactly and with which steps."""

    t_end, rtol, h_max = real, real, real
    h = real  # the size of the step to try next
    # accepted steps stay as they are (0), are projected (1) or are finished by the caller with
    # their rates (2)
    project = integer
    dense = integer  # dense output nowhere (0), where a time is asked for (1) or in all steps (2)
    atol = reals("components")  # errors allowed of what is nearly zero
    times = reals("times")  # that are asked for, ascending


PACE = StructType(Pace)

Path = namedtuple("Path", "clock start end a lam powers")
"""Accepted steps: (t_n, t_{n+1}, whether dense output is there), y_n, y_{n+1}, accelerations and
multipliers there, dense output."""
PATH = types.NamedUniTuple(F2, len(Path._fields), Path)


def allocate_path(steps: int, nq: int, nv: int, m: int, dense: bool) -> Path:
    """Memory for so many steps."""
    sizes = (3, nq + nv, nq + nv, nv, m, POWERS * (nq + nv) if dense else 0)
    return Path(*(np.zeros((steps, size)) for size in sizes))


@kernel()
def stage(s: int, h: float, y: FloatArray, K: Any, trial: Any) -> None:
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
def error_norm(h: float, y: FloatArray, end: FloatArray, K: Any, rtol: float, atol: FloatArray) -> float:
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
def interpolant(h: float, y: FloatArray, end: FloatArray, K: Any, out: FloatArray) -> None:
    """Coefficients of the dense output of order 7 between y and the end of the step before it is
    projected."""
    n = y.size
    for i in range(n):
        change = end[i] - y[i]
        out[i] = change
        out[n + i] = h * K[0, i] - change
        out[2 * n + i] = 2.0 * change - h * (K[STAGES, i] + K[0, i])
        for k in range(D.shape[0]):
            total = 0.0
            for j in range(ROWS):
                total += D[k, j] * K[j, i]
            out[(3 + k) * n + i] = h * total


@kernel()
def moved_far(end: FloatArray, trial: Any, rtol: float, atol: FloatArray) -> bool:
    """Whether the way onto the constraints is far longer than the error of the step: beside a loss
    of rank errors are magnified."""
    nq = trial.q.size
    for i in range(end.size):
        x, most = (trial.q[i], size(trial.q)) if i < nq else (trial.v[i - nq], size(trial.v))
        if not abs(x - end[i]) <= FARTHEST * (atol[i] + (rtol + EPS) * most):
            return True
    return False


@kernel()
def asked_for(times: FloatArray, t: float, t_1: float) -> bool:
    """Whether one of the ascending times lies in (t, t_1)."""
    k = np.searchsorted(times, t, side="right")
    if k >= times.size:
        return False
    return bool(times[k] < t_1)


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, LEG, PACE, STATE, STATE, MEMORY, F2, PATH, COUNTERS))
def march(
    model: Any,
    tables: Any,
    scratch: Any,
    leg: Any,
    pace: Any,
    state: Any,
    trial: Any,
    memory: Any,
    K: Any,
    path: Any,
    counters: Any,
) -> int:
    """Steps from the state, as many as `path` has room for or until t_end; counters.steps tells how
    far it came.

    K[0] holds the rate at the state, pace.h the size to try next; both are kept up.
    """
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    nq, n = state.q.size, state.q.size + state.v.size
    for number in range(path.clock.shape[0]):
        t = state.t
        if t >= pace.t_end:
            return OK
        y, end, a, lam = path.start[number], path.end[number], path.a[number], path.lam[number]
        copy_to(state.q, y[:nq])
        copy_to(state.v, y[nq:])
        failed = OK  # why the last attempt was not accepted
        most = 1 if 0.0 < memory.second_change <= NEGLIGIBLE * pace.rtol else PATIENCE
        while True:
            h, t_1 = min(pace.h, pace.h_max), pace.t_end
            if 1.01 * h < pace.t_end - t:
                t_1 = t + h
            h = t_1 - t
            if failed != OK and h <= 10.0 * EPS * max(abs(t), 1e-6 * abs(pace.t_end)):
                return failed
            error, status = np.inf, OK
            for s in range(1, STAGES):
                stage(s, h, y, K, trial)
                status = rate_of(p, leg, t + NODES[s] * h, trial, memory, K[s], counters, most)
                if status != OK:
                    break
            if status == OK:
                stage(STAGES, h, y, K, trial)
                copy_to(trial.q, end[:nq])
                copy_to(trial.v, end[nq:])
                error = error_norm(h, y, end, K, pace.rtol, pace.atol)
                status = NOT_FINITE if not np.isfinite(error) else OK if error <= 1.0 else UNDERFLOW
            dense = status == OK and (pace.dense == 2 or (pace.dense == 1 and asked_for(pace.times, t, t_1)))
            finish = pace.project == 1 or (pace.project == 0 and p.traits & KNOWS_RATE)
            if dense or (status == OK and pace.project == 0 and not finish):
                status = rate_of(p, leg, t_1, trial, memory, K[STAGES], counters, PATIENCE)
                copy_to(trial.a, a)
                copy_to(trial.lam, lam)
            if dense:
                for s in range(STAGES + 1, ROWS):
                    if status == OK:
                        stage(s, h, y, K, trial)
                        status = rate_of(p, leg, t + NODES[s] * h, trial, memory, K[s], counters, most)
                interpolant(h, y, end, K, path.powers[number])
            if status == OK and finish:
                status = live(p, end[:nq], trial.da, trial.q) if p.traits & KNOWS_RATE else OK
                if not p.traits & KNOWS_RATE:
                    copy_to(end[:nq], trial.q)
                copy_to(end[nq:], trial.v)
                if pace.project == 1 and status == OK:
                    status = onto_constraints(p, t_1, trial, memory)
                    if status == OK and moved_far(end, trial, pace.rtol, pace.atol):
                        status = UNDERFLOW
                if status == OK:
                    status = rate_of(p, leg, t_1, trial, memory, K[STAGES], counters, PATIENCE)
                copy_to(trial.q, end[:nq])
                copy_to(trial.v, end[nq:])
                copy_to(trial.a, a)
                copy_to(trial.lam, lam)
            factor = 10.0 if error == 0.0 else min(10.0, max(0.2, 0.9 * error**-0.125))
            if status == OK:
                break
            if status not in (NOT_FINITE, SINGULAR, UNDERFLOW, UNTOLD, JAMMED):
                return status
            counters.rejected += 1
            pace.h = h * (factor if error > 1.0 and np.isfinite(error) else 0.25)
            failed = status
        path.clock[number, 0], path.clock[number, 1], path.clock[number, 2] = t, t_1, 1.0 if dense else 0.0
        copy_to(end[:nq], state.q)
        copy_to(end[nq:], state.v)
        copy_to(a, state.a)
        copy_to(lam, state.lam)
        for i in range(n):
            K[0, i] = K[STAGES, i]
        state.t = t_1
        pace.h = h * (min(1.0, factor) if failed != OK else factor)
        counters.steps += 1
    return OK

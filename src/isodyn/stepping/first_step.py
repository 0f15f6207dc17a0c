"""The first step of a method that tells its errors, from the sizes of y, ẏ and ÿ [Hairer1993 Sec. II.4],
in units of the time in which the system moves.

    d₀ = |y|,  d₁ = u |f|,  h₀ = 0.01 u d₀/d₁,      d₂ = u² |f(t + h₀, y + h₀ f) − f| / h₀,      h₁ = u (0.01 / max(d₁, d₂))^exponent

with |x| the root mean square of x_i / (atol_i + rtol |y_i|), and u that unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import F2, MODEL_TYPE, OK, F, FloatArray, ModelFunction, i8, kernel
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct_types import ADDRESS
from isodyn.stepping.closure import copy_to
from isodyn.stepping.initial import PATIENCE
from isodyn.stepping.memory import COUNTERS, LEG, MEMORY, STATE, Counters, Leg, Memory, Physics, State
from isodyn.stepping.rate import rate_of, velocity_of_q

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

UNIT, RTOL, EXPONENT, LONGEST, ALGEBRAIC = range(5)  # places of what is asked
Y, RATE, THERE = range(3)  # rows of memory: y, ẏ, and ẏ a little later


@kernel()
def size_of(x: FloatArray, y: FloatArray, rtol: float, atol: FloatArray) -> float:
    """The root mean square of x in units of what errors of y may be."""
    total = 0.0
    for i in range(x.size):
        part = x[i] / (atol[i] + rtol * abs(y[i]))
        total += part * part
    return np.sqrt(total / x.size)


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, LEG, F, F, STATE, STATE, MEMORY, F2, COUNTERS), apart=True)
def first_step(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    leg: Leg,
    asked: FloatArray,
    atol: FloatArray,
    state: State,
    trial: State,
    memory: Memory,
    rows: FloatArray,
    counters: Counters,
) -> int:
    """state.next_dt, for a state whose accelerations are known; `trial` and `rows` are memory."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    y, f, there, nq = rows[Y], rows[RATE], rows[THERE], state.q.size
    unit, rtol = asked[UNIT], asked[RTOL]
    copy_to(state.q, y[:nq])
    copy_to(state.v, y[nq:])
    copy_to(state.a, f[nq:])
    if nq > 0:
        status = velocity_of_q(p, state.q, state.v, memory.by_v, f[:nq])
        if status != OK:
            return status
    d_0, d_1 = size_of(y, y, rtol, atol), unit * size_of(f, y, rtol, atol)
    h = min(unit * (1e-6 if min(d_0, d_1) < 1e-5 else 0.01 * d_0 / d_1), asked[LONGEST])
    state.next_dt = h
    if asked[ALGEBRAIC] != 0.0:
        return OK
    for i in range(y.size):
        moved = y[i] + h * f[i]
        if i < nq:
            trial.q[i] = moved
        else:
            trial.v[i - nq] = moved
    if rate_of(p, leg, state.t + h, trial, memory, there, counters, PATIENCE) != OK:
        return OK
    for i in range(y.size):
        there[i] -= f[i]
    most = max(d_1, unit**2 * size_of(there, y, rtol, atol) / h)
    second = max(1e-6 * unit, 1e-3 * h) if most <= 1e-15 else unit * (0.01 / most) ** asked[EXPONENT]
    state.next_dt = min(100.0 * h, second)
    return OK

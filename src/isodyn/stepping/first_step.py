"""The first step of a method that tells its errors, from the sizes of y, ẏ and ÿ
[Hairer1993 Sec. II.4], in units of the time in which the system moves.

    d₀ = |y|,  d₁ = u |f|,  h₀ = 0.01 u d₀/d₁,      d₂ = u² |f(t + h₀, y + h₀ f) − f| / h₀,      h₁ = u (0.01 / max(d₁, d₂))^exponent

with |x| the root mean square of x_i / (atol_i + rtol |y_i|), and u that unit.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import MODEL_TYPE, OK, FloatArray, ModelFunction, i8, kernel
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct import Struct, StructAddress, integer, real, reals
from isodyn.kernels.struct_types import ADDRESS, StructType
from isodyn.stepping.closure import copy_to
from isodyn.stepping.initial import PATIENCE
from isodyn.stepping.memory import COUNTERS, LEG, MEMORY, STATE, Counters, Leg, Memory, Physics, State
from isodyn.stepping.rate import rate_of, velocity_of_q


class FirstStep(Struct):
    """What is asked for, and memory for y, ẏ, and ẏ a little later."""

    unit, rtol, exponent = real, real, real
    longest = real  # step
    algebraic = integer  # whether there are unknowns without a rate
    atol = reals("components")
    y, rate, there = reals("components"), reals("components"), reals("components")


@kernel()
def size_of(x: FloatArray, y: FloatArray, rtol: float, atol: FloatArray) -> float:
    """The root mean square of x in units of what errors of y may be."""
    total = 0.0
    for i in range(x.size):
        part = x[i] / (atol[i] + rtol * abs(y[i]))
        total += part * part
    return np.sqrt(total / x.size)


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, LEG, StructType(FirstStep), STATE, STATE, MEMORY, COUNTERS), apart=True)
def first_step(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    leg: Leg,
    asked: FirstStep,
    state: State,
    trial: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """state.next_dt, for a state whose accelerations are known; `trial` is memory."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    y, f, there, nq = asked.y, asked.rate, asked.there, state.q.size
    unit, rtol, atol = asked.unit, asked.rtol, asked.atol
    copy_to(state.q, y[:nq])
    copy_to(state.v, y[nq:])
    copy_to(state.a, f[nq:])
    if nq > 0:
        status = velocity_of_q(p, state.q, state.v, memory.by_v, f[:nq])
        if status != OK:
            return status
    d_0, d_1 = size_of(y, y, rtol, atol), unit * size_of(f, y, rtol, atol)
    h = min(unit * (1e-6 if min(d_0, d_1) < 1e-5 else 0.01 * d_0 / d_1), asked.longest)
    state.next_dt = h
    if asked.algebraic == 1:
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
    second = max(1e-6 * unit, 1e-3 * h) if most <= 1e-15 else unit * (0.01 / most) ** asked.exponent
    state.next_dt = min(100.0 * h, second)
    return OK

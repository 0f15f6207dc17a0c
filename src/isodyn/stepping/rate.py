"""The equations of motion as a system of first order, and the way back onto the constraints, for
methods that take steps of y = (q, v).

    ẏ = (d(q ⊕ εv)/dε, a(t, q, v)),     M a + Gᵀλ = Q,   G a = b

Where q is not a vector space and the model does not know q̇, it comes from a central difference of
order 8 of the retraction, with increments up to 0.05 in the largest component of v. Its error is
rounding: about 2e-14 of the size of q times that component, for coordinates in which 0.05 is a
small angle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import (
    KNOWS_RATE,
    MODEL_TYPE,
    NOT_FINITE,
    OK,
    POSITION,
    RATE,
    RETRACTS,
    F,
    FloatArray,
    ModelFunction,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct_types import ADDRESS
from isodyn.stepping.closure import copy_to, finite, measure, retract, settle
from isodyn.stepping.initial import PATIENCE, acceleration, nearest
from isodyn.stepping.memory import COUNTERS, LEG, MEMORY, STATE, UNDERFLOW, Counters, Leg, Memory, Physics, State

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

# central difference of order 8
SLOPE = np.array([4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0])
REACH = 0.05  # largest component of its increments
LEFT_OPEN = 1e-10  # of the size of q: what a projection may leave of φ


@kernel(allocates=True)
def velocity_of_q(p: Physics, q: FloatArray, v: FloatArray, by: FloatArray, out: FloatArray) -> int:
    """out = d(q ⊕ εv)/dε at ε = 0."""
    if not p.traits & RETRACTS:
        copy_to(v, out)
        return OK
    c, moved, d = np.zeros(4), np.empty(q.size), np.empty(v.size)
    if p.traits & KNOWS_RATE:
        return p.model(RATE, 0.0, q, v, v, v, c, p.tables, p.scratch, out)
    for i in range(q.size):
        out[i] = 0.0
    largest = measure(v, by)
    if not largest > 0.0:
        return OK if largest == 0.0 else NOT_FINITE
    epsilon = REACH / largest
    for k in range(SLOPE.size):
        for sign in (1.0, -1.0):
            for i in range(v.size):
                d[i] = sign * (k + 1) / SLOPE.size * epsilon * v[i]
            status = retract(p, q, d, c, moved)
            if status != OK:
                return status
            for i in range(q.size):
                out[i] += sign * SLOPE[k] * moved[i] / (epsilon / SLOPE.size)
    return OK


@kernel(allocates=True)
def live(p: Physics, q: FloatArray, d: FloatArray, out: FloatArray) -> int:
    """out = q, brought back to where it lives; d is memory."""
    for i in range(d.size):
        d[i] = 0.0
    c = np.zeros(4)
    status = retract(p, q, d, c, out)
    return settle(p, c, out) if status == OK else status


@kernel()
def rate_of(
    p: Physics,
    leg: Leg,
    t: float,
    state: State,
    memory: Memory,
    out: FloatArray,
    counters: Counters,
    most: int | np.int64,
) -> int:
    """out = (q̇, v̇) at the state, whose a and lam are set too, by `most` solves at most."""
    status = acceleration(p, leg, t, state, memory, counters, most)
    nq = state.q.size
    copy_to(state.a, out[nq:])
    if status == OK and nq > 0:
        status = velocity_of_q(p, state.q, state.v, memory.by_v, out[:nq])
    if status == OK and not finite(out):
        status = NOT_FINITE
    return status


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, LEG, f8, STATE, MEMORY, F, COUNTERS))
def rate(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    leg: Leg,
    t: float,
    state: State,
    memory: Memory,
    out: FloatArray,
    counters: Counters,
) -> int:
    """`rate_of` for callers outside compiled code."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    return rate_of(p, leg, t, state, memory, out, counters, PATIENCE)


@kernel(allocates=True)
def onto_constraints(p: Physics, t: float, state: State, memory: Memory) -> int:
    """Move the state to the nearest consistent one; UNDERFLOW where the iteration leaves some of
    φ."""
    status = nearest(p, t, state, memory)
    if status == OK and p.holonomic > 0:
        c = np.zeros(4)
        status = p.model(POSITION, t, state.q, state.v, state.a, state.lam, c, p.tables, p.scratch, memory.gap_q)
        worst = 0.0
        for k in range(p.rows.size):
            if p.rows[k] < p.holonomic:
                worst = max(worst, abs(memory.gap_q[p.rows[k]]) / memory.row_sizes[p.rows[k]])
        if status == OK and not worst <= LEFT_OPEN * max(1.0, measure(state.q, memory.by_q)):
            status = UNDERFLOW
    return status

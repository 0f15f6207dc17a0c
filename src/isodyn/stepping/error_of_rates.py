"""Errors of accelerations that constraints hide.

Constraints close q_{n+1} and v_{n+1}, and with them take the part of e_v off the constraints: v is
right there, but a = v̇ is not. With δλ, the lower rows of the solution that takes it
(isodyn.stepping.step_error),

    W₁Λ₆ M e_v = J e_v' + Gᵀδλ,        Gᵀδλ = W₁Λ₆ M λ₅Δt δa,

a and λ miss what a change δλ/(λ₅Δt) does in the balance. That is of second order and unseen in
e_v', which is nothing at all where no freedom is left, as in mechanisms that are driven. Its part
of the largest a so far is held to tol^(2/3). Rates far below those of motions with such steps count
as rest.

How far q_{n+1} had to be moved onto φ = 0 is the same for q, and the only thing that tells of a
drive which begins and ends inside a step. It counts beside what the largest v would move.

The change of the balance costs a balance or two. Without stiff parts it takes all of e_v that is
gone, and never more: where that is too little to count, nothing is asked. DAEs of first order whose
constraints leave out z (index 2) close v_{n+1} alone, and are asked always.
"""

from __future__ import annotations

from isodyn.kernels.compiled import BALANCE, GENERAL, OK, FloatArray, kernel
from isodyn.stepping.closure import copy_to, measure, measure_forces
from isodyn.stepping.memory import Counters, Leg, Memory, Physics, State

# rates that are compared with no less than this, in units of tol^(1/3)|v|/Δt: what a motion has whose
# steps are as long as its error allows; slower ones are rest
OF_REST = 0.1
ALONG_Z = 1e-6  # of the multipliers: how far the balance is followed along them
PART = 0.1  # of what constraints of mechanical systems hide: held to the tolerance
FAINT = 0.1  # of the tolerance: errors of rates below that change no step


@kernel()
def as_error_of_v(rate: float, tolerance: float, state: State, memory: Memory) -> float:
    """What an error of rates counts beside errors of v: its part of the largest rate so far, to the
    power of 3/2."""
    far = max(measure(state.size_v, memory.by_v), measure(state.least_v, memory.by_v))
    fast = max(state.size_a, OF_REST * tolerance ** (1.0 / 3.0) * far / state.dt)
    return float((rate / fast) ** 1.5) if rate > 0.0 else 0.0


@kernel()
def note_way_back(p: Physics, state: State, memory: Memory) -> None:
    """memory.brought_back of the step that was taken; projections and contacts have noted
    theirs."""
    if p.rows.size > 0:
        memory.brought_back += state.dt * state.dt * measure(memory.p, memory.by_v)


@kernel()
def way_as_error_of_v(state: State, memory: Memory) -> float:
    """What memory.brought_back counts beside errors of v: its part of what the largest v would move
    in the step, to the power of 3/2."""
    far = max(measure(state.size_v, memory.by_v), measure(state.least_v, memory.by_v))
    way = PART * memory.brought_back
    return float((way / (far * state.dt)) ** 1.5) if way > 0.0 else 0.0


@kernel()
def rate_that_is_gone(leg: Leg, state: State, memory: Memory) -> float:
    """What constraints and stiff parts took of memory.error_v, all that memory.dx has not of it, as
    an error of rates."""
    n = memory.x.size
    for i in range(n):
        memory.r_plus[i] = memory.error_v[i] - memory.dx[i]
    return PART * measure(memory.r_plus[:n], memory.by_v) / (leg.l5 * state.dt)


@kernel()
def may_count(p: Physics, leg: Leg, left: float, tolerance: float, state: State, memory: Memory) -> bool:
    """Whether constraints may have taken so much of memory.error_v that it counts as an error of
    rates, beside `left`, the error of v that memory.dx has still."""
    if p.rows.size == 0 or p.traits & GENERAL:
        return p.rows.size > 0
    if tolerance == 0.0:  # whoever judges the step sees errors of q and v
        return False
    gone = rate_that_is_gone(leg, state, memory)
    return as_error_of_v(gone, tolerance, state, memory) > max(FAINT * tolerance, left)


@kernel()
def change_along(p: Physics, t: float, state: State, phi: float, change: FloatArray, memory: Memory) -> int:
    """memory.r_plus[:n] = what a change of the multipliers, those that are enforced, does in the
    balance; memory.r is the balance without it."""
    far, unit, n = 0.0, 1.0, memory.x.size
    for k in range(p.rows.size):
        far = max(far, abs(change[k]) * memory.row_sizes[p.rows[k]])
        size_z = state.sizes_z[p.rows[k]]
        unit = min(unit, size_z) if size_z > 0.0 else unit
    step = ALONG_Z * max(unit, measure(state.lam, memory.row_sizes)) / far if far > 0.0 else 1.0
    copy_to(state.lam, memory.lam_1)
    for k in range(p.rows.size):
        memory.lam_1[p.rows[k]] += step * change[k]
    for i in range(n):
        memory.a[i] = state.a[i] + phi * state.da[i]
    status = p.model(
        BALANCE, t, state.q, state.v, memory.a, memory.lam_1, memory.c, p.tables, p.scratch, memory.r_plus[:n]
    )
    for i in range(n):
        memory.r_plus[i] = (memory.r_plus[i] - memory.r[i]) / step
    return status


@kernel()
def error_of_rates(
    p: Physics, leg: Leg, t: float, push: float, state: State, memory: Memory, counters: Counters
) -> int:
    """memory.error_a from memory.dx, the errors of v and of multipliers; memory.error_v is the
    error of v before its part off the constraints was taken from it, `push` the forces that take
    all of it, by their measure, and memory.r the balance."""
    if memory.eliminate == 1:  # steps have no multipliers; nothing tells what of it stiff parts took
        memory.error_a = max(memory.error_a, rate_that_is_gone(leg, state, memory))
        return OK
    status = change_along(p, t, state, leg.phi, memory.dx[memory.x.size :], memory)
    counters.evaluations += 1
    share = measure_forces(memory.r_plus, memory.by_v) / push if push > 0.0 else 0.0
    part = 1.0 if p.traits & GENERAL else PART
    found = part * min(share, 1.0) * measure(memory.error_v, memory.by_v) / (leg.l5 * state.dt)
    if not found <= memory.error_a:
        memory.error_a = found
    return status

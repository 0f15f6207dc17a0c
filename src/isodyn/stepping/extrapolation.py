"""What the steps before tell about the next one: first unknowns by extrapolation.

Over steps of equal size the unknowns of a smooth motion (Δa, the multipliers at the balance, the
correction of q) are samples of smooth functions. From their backward differences,

    x_{n+1} ≈ x_n + ∇x_n + ∇²x_n + …,        ∇ʲx_n = ∇ʲ⁻¹x_n − ∇ʲ⁻¹x_{n−1},

an iteration starts closer by a factor of Δt per difference. With j of them the last step would have
been missed by ∇ʲx_n: as many are taken as make that least. After a pause or a jump it begins anew.

Before a step that is r times as long, the polynomial through the samples is asked where samples of
such steps would have been, s_k = o − kr in units of the old size behind the last one:

    P(s) = Σⱼ ∇ʲx_n s(s+1)…(s+j−1)/j!,        ∇ⁱx ← Σₖ (−1)ᵏ (i over k) P(s_k).

Where the balance holds at t_{n+1}, λ̃ belongs there, and o = 0; Δa grows with r and belongs to the
middle of the way between two accelerations, t_n + (½ − φ)Δt, and o = (½ + φ)(1 − r). Where it holds
elsewhere, and before a far longer or shorter step, it begins anew, too. The polynomial takes one
difference more than would have met the last step best: those beyond are noise of the iteration, and
P goes where no samples are, so that in steps that grow one after the other it grew by a factor of
eight in each, until the first trial state, whose G corrections of q belong to, was anywhere.

The equations of a step stay what they are; their solution depends on the guess only as far as the
range of the corrections of q is that of the first matrix.

The correction of q is guessed so only where that would have met the last one better than zero.
Where it is rounding it alternates from step to step, and its differences would grow without end,
unseen by the iteration, which looks at Δa and λ.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import GENERAL, SOLVES, FloatArray, kernel
from isodyn.stepping.closure import measure
from isodyn.stepping.memory import DIFFERENCES, Leg, Memory, Physics, State

# where the last difference that is kept is smaller than this part of the one before, it is taken
# too
SHRINKS = 0.3
# how much shorter or longer a step may be than the one before for samples to be carried over
SHORTEST, LONGEST = 0.6, 1.7


@kernel()
def respace(
    ratio: float, offset: float, factor: float, samples: int, weights: FloatArray, differences: FloatArray
) -> None:
    """Turn differences of samples into those of samples that are `ratio` times as far apart, the
    last one by `offset` later, each times `factor`. The weights are memory."""
    for i in range(samples):
        for j in range(i, samples):  # lower powers have no i-th difference
            found, binomial = 0.0, factor
            for k in range(i + 1):
                place, basis = offset - k * ratio, 1.0
                for power in range(j):
                    basis *= (place + power) / (power + 1)
                found += binomial * basis
                binomial *= -(i - k) / (k + 1)
            weights[i, j] = found
    for x in range(differences.shape[1]):
        for i in range(samples):
            value = 0.0
            for j in range(i, samples):
                value += weights[i, j] * differences[j, x]
            differences[i, x] = value


@kernel()
def best_order(state: State, memory: Memory) -> int:
    """How many differences would have met the last step best."""
    steps = min(state.samples, DIFFERENCES)
    order, least, last = min(1, steps), np.inf, np.inf
    for j in range(1, steps):
        miss = measure(state.x_differences[j], memory.by_v)  # of j differences in the last step
        if miss < least:
            order, least = j, miss
            if j == DIFFERENCES - 1 and miss <= SHRINKS * last:
                order = DIFFERENCES
        last = miss
    return order


@kernel()
def carry_over(leg: Leg, dt: float, state: State, memory: Memory) -> None:
    """Bring the samples to steps of size dt, or forget them."""
    ratio = dt / state.spacing
    if leg.W1 != 1.0 or not SHORTEST <= ratio <= LONGEST:
        state.samples = 0
        return
    count = min(state.samples, DIFFERENCES, best_order(state, memory) + 1)
    state.samples = count
    respace(ratio, (0.5 + leg.phi) * (1.0 - ratio), ratio, count, memory.respacing, state.x_differences)
    respace(ratio, 0.0, 1.0, count, memory.respacing, state.lam_differences)
    for i in range(memory.p.size):  # of a high power of dt, and not worth a guess
        for j in range(count):
            state.p_differences[j, i] = 0.0
    state.spacing = dt


@kernel()
def recall(leg: Leg, dt: float, state: State, memory: Memory) -> None:
    """Set state.smooth_steps, the number of steps of this size since the last restart,
    state.samples, how many tell about the next one, and memory.order, the number of differences to
    extrapolate with."""
    if not (state.until == state.t and memory.remedy == 0.0):
        state.smooth_steps = state.samples = 0
    elif state.dt != dt:
        state.smooth_steps = 0
    memory.order = 0
    if state.lam.size == 0:  # nothing is guessed from them
        return
    if state.samples > 0 and state.spacing != dt:
        carry_over(leg, dt, state, memory)
    memory.order = best_order(state, memory)


@kernel()
def extrapolated(differences: FloatArray, order: int, i: int) -> float:
    """Component i of x_{n+1} by `order` backward differences."""
    value = 0.0
    for j in range(order):
        value += differences[j, i]
    return value


@kernel()
def extrapolate(p: Physics, state: State, memory: Memory) -> None:
    """First multipliers and, where q_{n+1} has a correction that does not count at the balance, a
    first one."""
    k, order = p.closure, memory.order
    if order == 0:
        return
    for i in range(memory.lam.size):
        memory.lam[i] = extrapolated(state.lam_differences, order, i)
    wanted = k.keep_position == 1 and k.in_balance == 0 and memory.eliminate == 0 and not p.traits & (GENERAL | SOLVES)
    last = min(order, DIFFERENCES - 1)
    if wanted and measure(state.p_differences[last], memory.by_v) < measure(state.p_differences[0], memory.by_v):
        for i in range(memory.p.size):
            memory.p[i] = extrapolated(state.p_differences, order, i)


@kernel()
def take_in(new: FloatArray, differences: FloatArray) -> None:
    """Update the backward differences with a new x."""
    for i in range(new.size):
        value = new[i]
        for j in range(DIFFERENCES):
            value, differences[j, i] = value - differences[j, i], value


@kernel()
def remember(leg: Leg, t_1: float, dt: float, state: State, memory: Memory) -> None:
    """Update the differences with the unknowns of a step that succeeded."""
    if state.lam.size > 0:
        take_in(memory.x, state.x_differences)
        take_in(memory.p, state.p_differences)
        take_in(memory.lam, state.lam_differences)
        if leg.reuse > 0:
            memory.mu_steps = memory.mu_steps + 1 if state.smooth_steps > 0 else 1
            take_in(memory.mu, memory.mu_differences)
    state.until, state.spacing = t_1, dt
    state.smooth_steps += 1
    state.samples += 1

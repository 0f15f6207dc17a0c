"""What the steps before tell about the next one: first unknowns by extrapolation.

Over steps of equal size the unknowns of a smooth motion (Δa, the multipliers at the balance, the
correction of q) are samples of smooth functions. From their backward differences,

    x_{n+1} ≈ x_n + ∇x_n + ∇²x_n + …,        ∇ʲx_n = ∇ʲ⁻¹x_n − ∇ʲ⁻¹x_{n−1},

an iteration starts closer by a factor of Δt per difference. With j of them the last step would have
been missed by ∇ʲx_n: as many are taken as make that least. After a pause, a jump or a step of
another size it begins anew. The equations of a step stay what they are; their solution depends on
the guess only as far as the range of the corrections of q is that of the first matrix.

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


@kernel()
def recall(dt: float, state: State, memory: Memory) -> None:
    """Set state.smooth_steps, the number of steps of this size since the last restart, and
    memory.order, the number of differences to extrapolate with."""
    if not (state.until == state.t and state.dt == dt and memory.remedy == 0.0):
        state.smooth_steps = 0
    memory.order = 0
    if state.lam.size == 0:  # nothing is guessed from them
        return
    steps = min(state.smooth_steps, DIFFERENCES)
    order, least, last = min(1, steps), np.inf, np.inf
    for j in range(1, steps):
        miss = measure(state.x_differences[j], memory.by_v)  # of j differences in the last step
        if miss < least:
            order, least = j, miss
            if j == DIFFERENCES - 1 and miss <= SHRINKS * last:
                order = DIFFERENCES
        last = miss
    memory.order = order


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
def remember(leg: Leg, t_1: float, state: State, memory: Memory) -> None:
    """Update the differences with the unknowns of a step that succeeded."""
    if state.lam.size > 0:
        take_in(memory.x, state.x_differences)
        take_in(memory.p, state.p_differences)
        take_in(memory.lam, state.lam_differences)
        if leg.reuse > 0:
            memory.mu_steps = memory.mu_steps + 1 if state.smooth_steps > 0 else 1
            take_in(memory.mu, memory.mu_differences)
    state.until = t_1
    state.smooth_steps += 1

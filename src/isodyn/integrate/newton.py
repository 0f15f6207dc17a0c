"""Newton's iteration for the equations of one step (isodyn.integrate.equations).

The matrix is formed once per step at the first trial state (in every iteration with `full`, only when convergence slows with
`reuse`, without ∂/∂q and ∂/∂v with `quasi`) and again whenever corrections stop shrinking quickly. Where a formulation corrects q_{n+1}
or v_{n+1}, the range of these corrections is part of the discretisation and comes from the matrix of the step itself: an earlier one would
lead to another motion, however far the iteration goes, so that `reuse` forms one per step there too. The iteration ends when the
estimated error of x, θ/(1−θ)·|δ| with θ = |δ_k|/|δ_{k−1}| [Hairer1996 (IV.8.10) adapted], is below rtol × the size of the acceleration.
Rounding of q̃ and ṽ alone moves x by about eps·(|q̃|/c₂ + |ṽ|/c₁), and rounding of closures by eps·(|q|/Δt² + |v|/Δt): corrections
below that which no longer shrink are the round-off floor, and accepted; so are small ones that do not shrink for long, which are noise
of the system's functions (derivatives from differences, for instance).

How corrections shrink changes little from step to step. A step that ends by these rules was seen through, and its corrections are kept;
the steps after it end as soon as the correction that came next there would be below rtol, in x and in λ̃. At the latest after TRUSTED of
them one is seen through again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import (
    CONSTANT_MASS,
    GENERAL,
    KNOWS_MASS,
    KNOWS_TANGENT,
    LINEAR,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    SOLVES,
    FloatArray,
    kernel,
)
from isodyn.integrate.closure import copy_to, end_state, finite, measure
from isodyn.integrate.corrections import correct
from isodyn.integrate.equations import gaps, residual, trial
from isodyn.integrate.extrapolation import extrapolated
from isodyn.integrate.matrix import factorise, keep_first
from isodyn.integrate.memory import EPS, SEEN
from isodyn.integrate.null_space import eliminate

FLOOR = 8.0  # how many units of rounding the floor allows
SLOW = 0.3  # a contraction above this calls for a new Jacobian
SLOW_OLD = 0.1  # the same for a Jacobian from an earlier step
FIRST = 0.03  # contraction to reckon with after the first correction, which takes all that is linear and tells little …
FASTEST = 3e-5  # … and later on, at best
STAGNANT = 0.6  # corrections that shrink less than this do not shrink
NOISE = 1e-7  # relative size of corrections that may be noise of the system's functions …
AMPLIFIED = (
    1e-3  # … and next to a loss of rank, where rounding of φ̇ reaches x divided by the smallest singular value, …
)
PATIENCE = 6  # … when they do not shrink after so many iterations
AS_BEFORE = 10.0  # corrections up to so many times those of the last step that was seen through converge as those did …
SAFETY = 5.0  # … give or take this, …
TRUSTED = 8  # … for so many steps
TINY = 1e-300  # beside which everything is large
FADES = 0.1  # larger corrections that were seen before fade by this factor: a small one may just change its sign
# guesses of a step, in memory.guess; as literals they would compile what they are handed to once more
FROM_REST, FROM_LAST, STEADY = np.int64(0), np.int64(1), np.int64(2)


@kernel()
def guessed(kind: Any, state: Any, c: FloatArray, memory: Any, i: int) -> float:
    """Component i of a first Δa: that of ã = 0, the one that the last ones lead to, or nothing."""
    if kind == FROM_REST:
        return -memory.a_p[i] / c[0]
    if kind == STEADY:
        return 0.0
    return extrapolated(state.x_differences, memory.order, i) if memory.order > 0 else state.da[i]


@kernel(inline=True)
def round_off_floor(p: Any, dt: float, c: FloatArray, memory: Any) -> float:
    """How far rounding alone may move x: of q̃, ṽ, ã in the balance, of q and v in the closure."""
    floor = measure(memory.a, memory.by_v) / c[0]
    if c[1] != 0.0:
        floor += measure(memory.v, memory.by_v) / abs(c[1])
    if c[2] > 0.0:
        floor += measure(memory.q, memory.by_q) / c[2]
    if p.rows.size > 0 and dt != 0.0:
        floor += measure(memory.v, memory.by_v) / abs(dt) + measure(memory.q, memory.by_q) / (dt * dt)
    return FLOOR * EPS * floor


@kernel()
def moved_multipliers(p: Any, memory: Any) -> float:
    """The size of the correction of λ̃, in units of work."""
    n, found = memory.x.size, 0.0
    for k in range(p.rows.size):
        found = max(found, abs(memory.dx[n + k]) * memory.row_sizes[p.rows[k]])
    return found


@kernel(inline=True)
def factorise_at_reference(
    p: Any,
    leg: Any,
    t: float,
    t_1: float,
    dt: float,
    state: Any,
    c: FloatArray,
    memory: Any,
    form: int,
    quasi: int,
    counters: Any,
) -> int:
    """`factorise` at the guess of the default form, whatever the form: the range of the corrections of q and v must not depend on it.

    memory.r still holds the residual of the guess afterwards.
    """
    if form == 0:
        return factorise(p, leg, t, t_1, dt, state, c, memory, quasi, counters)
    mass_only = (c[1] == 0.0 and c[2] == 0.0) or quasi == 1
    known = (p.traits & (SOLVES | KNOWS_TANGENT)) != 0 or (mass_only and (p.traits & KNOWS_MASS) != 0)
    known = known and not (p.traits & GENERAL and p.rows.size > 0)
    for i in range(memory.x.size):
        memory.dx[i] = memory.x[i]
        memory.x[i] = guessed(memory.guess, state, c, memory, i)
    if known:
        status = trial(p, leg, dt, state, c, memory)
        if status == OK and p.rows.size > 0:
            status = end_state(p, leg, dt, state, c, memory)
    else:
        status = residual(p, leg, t, t_1, dt, state, c, memory, memory.r)
    if status == OK:
        status = factorise(p, leg, t, t_1, dt, state, c, memory, quasi, counters)
    copy_to(memory.dx, memory.x)
    if status == OK and not known:
        status = residual(p, leg, t, t_1, dt, state, c, memory, memory.r)
    return status


@kernel()
def learn(state: Any, memory: Any, k: int, following: float) -> None:
    """Keep the corrections 0 … k of a step that was seen through, and what would have followed them."""
    state.since_seen = 1
    for i in range(min(k + 2, SEEN)):
        now = memory.seen[i] if i <= k else following
        state.corrections[i] = max(now, FADES * state.corrections[i])


@kernel()
def effect_of_multipliers(p: Any, memory: Any) -> float:
    """What the corrections of multipliers do, on the scale of x: the size of one that vanishes tells nothing."""
    effect = 0.0
    for k in range(p.rows.size):
        change = abs(memory.dx[memory.x.size + k])
        if change > 0.0:
            effect = max(effect, memory.effect[p.rows[k]] * change)
    return effect


@kernel(inline=True)
def solve_step(
    p: Any,
    leg: Any,
    t: float,
    t_1: float,
    dt: float,
    state: Any,
    c: FloatArray,
    memory: Any,
    counters: Any,
) -> int:
    """Find memory.x and memory.lam (and memory.p, memory.u) that satisfy balance and closure, starting from what they hold."""
    m = p.rows.size
    mass_only = c[1] == 0.0 and c[2] == 0.0
    affine = m == 0 and ((p.traits & LINEAR) != 0 or mass_only)
    permanent = m == 0 and ((p.traits & LINEAR) != 0 or (mass_only and (p.traits & CONSTANT_MASS) != 0))
    known = memory.factors_good == 1
    for i in range(4):
        known = known and memory.factors_c[i] == c[i]
    corrected = (
        p.closure.keep_position + p.closure.keep_velocity > 0
    )  # in the range of the step's own matrix, not of an earlier one
    renew = not (known and (permanent or (leg.reuse == 1 and not corrected)))
    slow = SLOW if renew else SLOW_OLD
    before = earlier = np.inf
    polished, kept = False, False
    memory.correction = np.inf
    trusted = (
        memory.guess == FROM_LAST
        and state.smooth_steps > 2
        and 0 < state.since_seen <= TRUSTED
        and renew
        and leg.full + leg.form + memory.eliminate == 0
    )
    state.since_seen += 1
    for k in range(leg.max_iterations):
        if k == 0 and memory.balance_known == 1:
            status = gaps(p, leg, t, t_1, dt, state, c, memory, memory.r)
        else:
            status = residual(p, leg, t, t_1, dt, state, c, memory, memory.r)
        if status != OK:
            return status
        counters.iterations += 1
        counters.evaluations += 1
        if not finite(memory.r):
            return NOT_FINITE
        if renew and k == 0:
            status = factorise_at_reference(p, leg, t, t_1, dt, state, c, memory, leg.form, leg.quasi, counters)
            if status != OK:
                return status
        elif renew:
            if k > 0 and not kept and m > 0 and memory.J_S.size > 0 and not p.traits & SOLVES:
                keep_first(p, memory)
                kept = True
            quasi = leg.quasi if leg.full == 1 else 0
            status = factorise(p, leg, t, t_1, dt, state, c, memory, quasi, counters)
            if status != OK:
                return status
        if memory.eliminate > 0:
            status = eliminate(p, t, c, memory)
            if status != OK:
                return status
        status = correct(p, leg, dt, t, c, memory, kept, k == 0)
        if status != OK:
            return status
        correction = measure(memory.dx, memory.by_v)
        if not np.isfinite(correction):
            return NOT_FINITE
        if affine:
            return OK
        memory.correction = correction
        scale = max(memory.size_a, measure(memory.a, memory.by_v))
        if p.traits & GENERAL and m > 0:  # multipliers with a life of their own count too, on the scale of x
            own = (
                moved_multipliers(p, memory) * scale / max(memory.size_lam, measure(memory.lam, memory.row_sizes), TINY)
            )
            correction = max(correction, min(own, effect_of_multipliers(p, memory)))
        theta = max(correction / before, FIRST if k == 1 else FASTEST) if k > 0 else 1.0
        goal = leg.rtol * scale
        relative = correction / scale if scale > 0.0 else np.inf
        if m > 0 and not p.traits & GENERAL:
            relative = max(
                relative,
                moved_multipliers(p, memory) / max(memory.size_lam, measure(memory.lam, memory.row_sizes), TINY),
            )
        if k < SEEN:
            memory.seen[k] = relative
        trusted = trusted and k < SEEN - 1 and 0.0 < relative <= AS_BEFORE * state.corrections[k] < np.inf
        if trusted:
            next_one = state.corrections[k + 1] * max(1.0, relative / state.corrections[k])
            if SAFETY * next_one <= leg.rtol:
                if relative <= leg.rtol:
                    learn(state, memory, k, FIRST * relative)
                return OK
        if correction <= goal if k == 0 else theta < 1.0 and theta * correction <= (1.0 - theta) * goal:
            if not p.traits & GENERAL or m == 0:
                learn(state, memory, k, max(relative / earlier, FIRST) * relative)
                return OK
            if polished or correction == 0.0:
                return OK
            polished = True  # once more, from rtol down to rounding
        strict = memory.remedy == 0.0 or p.closure.at_balance == 1
        noisy = k >= PATIENCE and correction <= (NOISE if strict else AMPLIFIED) * scale
        if k > 0 and theta > STAGNANT and (noisy or correction <= round_off_floor(p, dt, c, memory)):
            counters.round_off_stops += 1
            learn(state, memory, k - 1, 0.0)  # the last one was rounding, and not worth another look for some steps
            return OK
        renew = leg.full == 1 or (k > 0 and theta > slow)
        if renew:
            slow = SLOW
        before, earlier = correction, relative
    return NOT_CONVERGED

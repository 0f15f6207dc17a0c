"""Newton's iteration for the equations of one step (isodyn.stepping.equations).

The matrix is formed once per step at the first trial state (in every iteration with `full`, only
when convergence slows with `reuse`, without ∂/∂q and ∂/∂v with `quasi`) and again whenever
corrections stop shrinking quickly. Where a formulation corrects q_{n+1} or v_{n+1}, the range of
these corrections is part of the discretisation and comes from the matrix of the step itself: an
earlier one would lead to another motion, however far the iteration goes, so that `reuse` forms one
per step there too. The iteration ends when the estimated error of x, θ/(1−θ)·|δ| with
θ = |δ_k|/|δ_{k−1}| [Hairer1996 (IV.8.10) adapted], is below rtol × the size of the acceleration.
Corrections that are rounding end it, too (isodyn.stepping.rounding).

How corrections shrink changes little from step to step. A step that ends by these rules was seen
through, and its corrections are kept; the steps after it end as soon as the correction that came
next there would be below rtol, in x and in λ̃. At the latest after TRUSTED of them one is seen
through again.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import (
    CONSTANT_MASS,
    GENERAL,
    KNOWS_MASS,
    KNOWS_TANGENT,
    LINEAR,
    NONIDEAL,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    SOLVES,
    FloatArray,
    f8,
    i8,
    kernel,
)
from isodyn.stepping.closure import copy_to, end_state, finite, measure
from isodyn.stepping.corrections import correct
from isodyn.stepping.equations import gaps, residual, trial
from isodyn.stepping.extrapolation import extrapolated
from isodyn.stepping.kept_matrix import WHERE_IT_PAYS, ask_range, count_corrections, is_corrected, may_keep
from isodyn.stepping.mass_range import keep_range
from isodyn.stepping.matrix import factorise, factorise_ideal, keep_first
from isodyn.stepping.memory import (
    COUNTERS,
    LEG,
    MEMORY,
    PHYSICS_REF,
    SEEN,
    STATE,
    Counters,
    Leg,
    Memory,
    Physics,
    State,
)
from isodyn.stepping.null_space import eliminate
from isodyn.stepping.rounding import is_rounding, round_off_floor

SLOW = 0.3  # a contraction above this calls for a new Jacobian
SLOW_OLD = 0.1  # the same for a Jacobian from an earlier step
# contraction to reckon with after the first correction, which takes all that is linear and tells
# little …
FIRST = 0.03
FASTEST = 3e-5  # … and later on, at best
# corrections up to so many times those of the last step that was seen through converge as those did
# …
AS_BEFORE = 10.0
SAFETY = 5.0  # … give or take this, …
TRUSTED = 8  # … for so many steps
OLD = 0.2  # part of rtol that an iteration with an old matrix may leave
TINY = 1e-300  # beside which everything is large
# larger corrections that were seen before fade by this factor: a small one may just change its sign
FADES = 0.1
GO_ON = -1  # a status of an iteration that is not the last, …
STALE = -2  # … and of a step that wants a matrix of its own
# guesses of a step, in memory.guess; as literals they would compile what they are handed to once
# more
FROM_REST, FROM_LAST, STEADY = np.int64(0), np.int64(1), np.int64(2)


@kernel()
def guessed(kind: int | np.int64, state: State, c: FloatArray, memory: Memory, i: int) -> float:
    """Component i of the first Δa: from ã = 0, extrapolated from the steps before, or zero."""
    if kind == FROM_REST:
        return -memory.a_p[i] / c[0]
    if kind == STEADY:
        return 0.0
    return extrapolated(state.x_differences, memory.order, i) if memory.order > 0 else state.da[i]


@kernel()
def moved_multipliers(p: Physics, memory: Memory) -> float:
    """The size of the correction of λ̃, in units of work."""
    n, found = memory.x.size, 0.0
    for k in range(p.rows.size):
        found = max(found, abs(memory.dx[n + k]) * memory.row_sizes[p.rows[k]])
    return found


@kernel()
def factorise_at_reference(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory, counters: Counters
) -> int:
    """`factorise` at the guess of the default form, whatever the form: the range of the corrections
    of q and v must not depend on it.

    memory.r still holds the residual of the guess afterwards.
    """
    c, quasi = memory.c, leg.quasi
    if leg.form == 0:
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
def learn(state: State, memory: Memory, k: int, following: float) -> None:
    """Keep the corrections 0 … k of a step that was iterated to the end, and what would have
    followed them."""
    state.since_seen = 1
    for i in range(min(k + 2, SEEN)):
        now = memory.seen[i] if i <= k else following
        state.corrections[i] = max(now, FADES * state.corrections[i])


@kernel()
def effect_of_multipliers(p: Physics, memory: Memory) -> float:
    """The effect of the corrections of multipliers, in units of x; a multiplier that vanishes has
    no size of its own to compare with."""
    effect = 0.0
    for k in range(p.rows.size):
        change = abs(memory.dx[memory.x.size + k])
        if change > 0.0:
            effect = max(effect, memory.effect[p.rows[k]] * change)
    return effect


@kernel()
def factors_known(memory: Memory) -> bool:
    """Whether there are factors of a matrix with the present c."""
    known = memory.factors_good == 1
    for i in range(4):
        known = known and memory.factors_c[i] == memory.c[i]
    return known


@kernel()
def begin_iteration(p: Physics, leg: Leg, state: State, memory: Memory) -> None:
    """Decide whether the step needs a new matrix, and whether it may trust the steps before."""
    c, iteration = memory.c, memory.iteration
    free, linear = p.rows.size == 0, (p.traits & LINEAR) != 0
    mass_only = c[1] == 0.0 and c[2] == 0.0
    permanent = free and (linear or (mass_only and (p.traits & CONSTANT_MASS) != 0))
    renew = not (factors_known(memory) and (permanent or may_keep(p, leg, memory)))
    memory.age = 0 if renew else memory.age + 1
    # one correction with a matrix of the step itself is all; with an earlier M(q) it is not
    iteration.affine = free and (linear or mass_only) and (renew or permanent)
    iteration.renew = renew
    iteration.old = not renew and not free and (is_corrected(p) or leg.reuse == WHERE_IT_PAYS)
    iteration.slow = SLOW_OLD if not renew and iteration.old == 0 else SLOW
    iteration.before = iteration.earlier = memory.correction = np.inf
    iteration.polished = iteration.kept = 0
    iteration.trusted = (
        memory.guess == FROM_LAST
        and state.samples > 2
        and 0 < state.since_seen <= TRUSTED
        and (renew or (iteration.old == 1 and 2 * state.since_seen <= memory.age))
        and leg.full + leg.form + memory.eliminate == 0
    )
    state.since_seen += 1


@kernel()
def evaluate(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory, first: bool, counters: Counters
) -> int:
    """The equations at the trial state, into memory.r."""
    if first and memory.balance_known == 1:
        status = gaps(p, leg, t, t_1, dt, state, memory.c, memory, memory.r)
    else:
        status = residual(p, leg, t, t_1, dt, state, memory.c, memory, memory.r)
    if status != OK:
        return status
    counters.iterations += 1
    counters.evaluations += 1
    return OK if finite(memory.r) else NOT_FINITE


@kernel()
def renew_matrix(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory, first: bool, counters: Counters
) -> int:
    """Factors of the matrix at the trial state; those of the first one are kept where corrections
    of q and v need them."""
    iteration = memory.iteration
    if first:
        status = keep_range(p, t_1, state, memory)
        if status == OK:
            status = factorise_at_reference(p, leg, t, t_1, dt, state, memory, counters)
        if status == OK and p.traits & NONIDEAL and p.closure.at_balance == 0 and iteration.kept == 0:
            iteration.kept = 1
            status = factorise_ideal(p, memory.c, memory)
        return status
    if iteration.kept == 0 and p.rows.size > 0 and memory.J_S.size > 0 and not p.traits & SOLVES:
        keep_first(p, memory)
        iteration.kept = 1
    quasi = leg.quasi if leg.full == 1 else 0
    return factorise(p, leg, t, t_1, dt, state, memory.c, memory, quasi, counters)


@kernel()
def compare(p: Physics, memory: Memory, k: int) -> None:
    """How large correction k is beside acceleration and multipliers, and how much smaller than the
    one before."""
    iteration, correction = memory.iteration, memory.correction
    scale = max(memory.size_a, measure(memory.a, memory.by_v))
    general = (p.traits & GENERAL) != 0
    # multipliers with a life of their own count too, on the scale of x
    if general and p.rows.size > 0:
        size_lam = max(memory.size_lam, measure(memory.lam, memory.row_sizes), TINY)
        own = moved_multipliers(p, memory) * scale / size_lam
        correction = max(correction, min(own, effect_of_multipliers(p, memory)))
    relative = correction / scale if scale > 0.0 else np.inf
    if not general and p.rows.size > 0:
        size_lam = max(memory.size_lam, measure(memory.lam, memory.row_sizes), TINY)
        relative = max(relative, moved_multipliers(p, memory) / size_lam)
    if iteration.old == 1:  # an error of λ̃ becomes one of x in the next correction
        correction = relative * scale
    iteration.theta = max(correction / iteration.before, FIRST if k == 1 else FASTEST) if k > 0 else 1.0
    if k < SEEN:
        memory.seen[k] = relative
    iteration.change, iteration.relative, iteration.scale = correction, relative, scale


@kernel()
def tolerance(leg: Leg, memory: Memory) -> float:
    """Relative error that an iteration may leave: with an old matrix, whose errors have the same
    sign in many steps, less."""
    return leg.rtol * OLD if memory.iteration.old == 1 else leg.rtol


@kernel()
def next_is_small(leg: Leg, state: State, memory: Memory, k: int) -> bool:
    """Whether the next correction would be below the tolerance, judged by how corrections shrank in
    the last step that was iterated to the end."""
    iteration, relative = memory.iteration, memory.iteration.relative
    if iteration.trusted == 0 or k >= SEEN - 1 or not 0.0 < relative <= AS_BEFORE * state.corrections[k] < np.inf:
        iteration.trusted = 0
        return False
    next_one = state.corrections[k + 1] * max(1.0, relative / state.corrections[k])
    if not SAFETY * next_one <= tolerance(leg, memory):
        return False
    if relative <= leg.rtol:
        learn(state, memory, k, FIRST * relative)
    return True


@kernel()
def is_small(leg: Leg, memory: Memory, k: int) -> bool:
    """Whether the estimated error of x is below the tolerance [Hairer1996 (IV.8.10) adapted]."""
    iteration = memory.iteration
    goal, theta = tolerance(leg, memory) * iteration.scale, iteration.theta
    if k == 0:
        return iteration.change <= goal
    return theta < 1.0 and theta * iteration.change <= (1.0 - theta) * goal


@kernel()
def converged(p: Physics, leg: Leg, dt: float, state: State, memory: Memory, k: int, counters: Counters) -> bool:
    """Whether correction k was the last."""
    iteration = memory.iteration
    if next_is_small(leg, state, memory, k):
        return True
    if is_small(leg, memory, k):
        if not p.traits & GENERAL or p.rows.size == 0:
            learn(state, memory, k, max(iteration.relative / iteration.earlier, FIRST) * iteration.relative)
            return True
        if iteration.polished == 1 or iteration.change == 0.0:
            return True
        iteration.polished = 1  # once more, from rtol down to rounding
    if is_rounding(p, leg, dt, memory, k):
        counters.round_off_stops += 1
        if k > 0:  # the last one was rounding, and not worth another look for some steps
            learn(state, memory, k - 1, 0.0)
        return True
    return False


@kernel()
def count_range(p: Physics, dt: float, memory: Memory) -> None:
    """Corrections of q and v that are more than rounding count, too, while they have a way to go to
    the range of the step's own matrix."""
    moved = memory.iteration.moved
    if moved > memory.correction and moved > round_off_floor(p, dt, memory.c, memory):
        memory.correction = moved


@kernel()
def iterate(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory, k: int, counters: Counters
) -> int:
    """Iteration k: OK if it was the last, GO_ON if it was not."""
    iteration = memory.iteration
    status = evaluate(p, leg, t, t_1, dt, state, memory, k == 0, counters)
    if status == OK and iteration.renew == 1:
        status = renew_matrix(p, leg, t, t_1, dt, state, memory, k == 0, counters)
    elif status == OK and iteration.old == 1 and k == 0 and is_corrected(p):
        status = ask_range(p, leg, t, t_1, dt, state, memory, counters)
    if status == OK and memory.eliminate > 0:
        status = eliminate(p, t, memory.c, memory)
    if status == OK:
        status = correct(p, leg, t, memory.c, memory, k == 0)
    if status != OK:
        return status
    memory.correction = measure(memory.dx, memory.by_v)
    if not np.isfinite(memory.correction):
        return NOT_FINITE
    if iteration.affine == 1:
        return OK
    if iteration.old == 1:
        count_range(p, dt, memory)
    compare(p, memory, k)
    if converged(p, leg, dt, state, memory, k, counters):
        return OK
    iteration.renew = leg.full == 1 or (k > 0 and iteration.theta > iteration.slow)
    if iteration.renew == 1 and iteration.old == 1:
        return STALE
    if iteration.renew == 1:
        iteration.slow = SLOW
    iteration.before, iteration.earlier = iteration.change, iteration.relative
    return GO_ON


@kernel(i8(PHYSICS_REF, LEG, f8, f8, f8, STATE, MEMORY, COUNTERS), inner=True, apart=True)
def solve_step(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory, counters: Counters
) -> int:
    """Find memory.x and memory.lam (and memory.p, memory.u) that satisfy balance and closure,
    starting from what they hold."""
    begin_iteration(p, leg, state, memory)
    for k in range(leg.max_iterations):
        status = iterate(p, leg, t, t_1, dt, state, memory, k, counters)
        if status == OK and leg.reuse == WHERE_IT_PAYS:
            count_corrections(memory, k + 1)
        if status != GO_ON:
            return status
    return NOT_CONVERGED

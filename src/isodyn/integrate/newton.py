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
    F,
    FloatArray,
    I,
    f8,
    i8,
    kernel,
)
from isodyn.integrate.closure import copy_to, end_state, finite, size_m, size_q, size_s, size_v
from isodyn.integrate.corrections import correct
from isodyn.integrate.equations import gaps, residual, trial
from isodyn.integrate.extrapolation import extrapolated
from isodyn.integrate.matrix import factorise, keep_first
from isodyn.integrate.null_space import eliminate
from isodyn.integrate.signatures import CONTROLS_REF, PHYSICS_REF, SCHEME_REF, STATE_REF, WORK_REF
from isodyn.integrate.work import (
    A_P,
    CORRECTIONS,
    DX,
    EFFECT,
    EPS,
    EVALUATIONS,
    FLOORS,
    FOLLOWED,
    ITERATIONS,
    LAM,
    NOW,
    ORDER,
    SEEN,
    SINCE,
    X_0,
    A,
    Q,
    R,
    V,
    X,
)

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
FROM_REST, FROM_LAST, STEADY = 0.0, 1.0, 2.0  # in w.scale[3]: guesses of a step


@kernel()
def guessed(kind: float, state: Any, c: FloatArray, w: Any, i: int) -> float:
    """Component i of a first Δa: that of ã = 0, the one that the last ones lead to, or nothing."""
    if kind == FROM_REST:
        return -w.n[A_P, i] / c[0]
    if kind == STEADY:
        return 0.0
    return extrapolated(w.n, X_0, w.past[ORDER], i) if w.past[ORDER] > 0.0 else state.da[i]


@kernel()
def round_off_floor(p: Any, dt: float, c: FloatArray, w: Any) -> float:
    """How far rounding alone may move x: of q̃, ṽ, ã in the balance, of q and v in the closure."""
    floor = size_v(w, A) / c[0]
    if c[1] != 0.0:
        floor += size_v(w, V) / abs(c[1])
    if c[2] > 0.0:
        floor += size_q(w, Q) / c[2]
    if p.rows.size > 0 and dt != 0.0:
        floor += size_v(w, V) / abs(dt) + size_q(w, Q) / (dt * dt)
    return FLOOR * EPS * floor


@kernel()
def moved_multipliers(p: Any, w: Any) -> float:
    """The size of the correction of λ̃, in units of work."""
    n, found = w.n[X].size, 0.0
    for k in range(p.rows.size):
        found = max(found, abs(w.s[DX, n + k]) * w.rows[p.rows[k]])
    return found


@kernel()
def factorise_at_reference(
    p: Any,
    s: Any,
    t: float,
    t_1: float,
    dt: float,
    state: Any,
    c: FloatArray,
    w: Any,
    pivots: Any,
    form: int,
    quasi: int,
    count: Any,
) -> int:
    """`factorise` at the guess of the default form, whatever the form: the range of the corrections of q and v must not depend on it.

    w.s[R] still holds the residual of the guess afterwards.
    """
    if form == 0:
        return factorise(p, s, t, t_1, dt, state, c, w, pivots, quasi, count)
    mass_only = (c[1] == 0.0 and c[2] == 0.0) or quasi == 1
    known = (p.traits & (SOLVES | KNOWS_TANGENT)) != 0 or (mass_only and (p.traits & KNOWS_MASS) != 0)
    known = known and not (p.traits & GENERAL and p.rows.size > 0)
    for i in range(w.n[X].size):
        w.s[DX, i] = w.n[X, i]
        w.n[X, i] = guessed(w.scale[3], state, c, w, i)
    if known:
        status = trial(p, s, dt, state, c, w)
        if status == OK and p.rows.size > 0:
            status = end_state(p, s, dt, state, c, w)
    else:
        status = residual(p, s, t, t_1, dt, state, c, w, w.s[R])
    if status == OK:
        status = factorise(p, s, t, t_1, dt, state, c, w, pivots, quasi, count)
    copy_to(w.s[DX], w.n[X])
    if status == OK and not known:
        status = residual(p, s, t, t_1, dt, state, c, w, w.s[R])
    return status


@kernel()
def learn(w: Any, k: int, following: float) -> None:
    """Keep the corrections 0 … k of a step that was seen through, and what would have followed them."""
    w.past[SINCE] = 1.0
    for i in range(min(k + 2, SEEN)):
        now = w.past[NOW + i] if i <= k else following
        w.past[CORRECTIONS + i] = max(now, FADES * w.past[CORRECTIONS + i])


@kernel()
def effect_of_multipliers(p: Any, w: Any) -> float:
    """What the corrections of multipliers do, on the scale of x: the size of one that vanishes tells nothing."""
    effect = 0.0
    for k in range(p.rows.size):
        change = abs(w.s[DX, w.n[X].size + k])
        if change > 0.0:
            effect = max(effect, w.m[EFFECT, p.rows[k]] * change)
    return effect


@kernel(i8(PHYSICS_REF, SCHEME_REF, f8, f8, f8, STATE_REF, F, WORK_REF, I, CONTROLS_REF, I), inner=True, apart=True)
def solve_step(
    p: Any,
    s: Any,
    t: float,
    t_1: float,
    dt: float,
    state: Any,
    c: FloatArray,
    w: Any,
    pivots: Any,
    controls: Any,
    count: Any,
) -> int:
    """Find w.n[X] and w.m[LAM] (and w.n[P], w.n[U]) that satisfy balance and closure, starting from what they hold."""
    m = p.rows.size
    mass_only = c[1] == 0.0 and c[2] == 0.0
    affine = m == 0 and ((p.traits & LINEAR) != 0 or mass_only)
    permanent = m == 0 and ((p.traits & LINEAR) != 0 or (mass_only and (p.traits & CONSTANT_MASS) != 0))
    known = w.key[0] == 1.0
    for i in range(4):
        known = known and w.key[1 + i] == c[i]
    corrected = (
        p.closure.correct_q + p.closure.correct_v > 0
    )  # in the range of the step's own matrix, not of an earlier one
    renew = not (known and (permanent or (controls.reuse == 1 and not corrected)))
    slow = SLOW if renew else SLOW_OLD
    before = earlier = np.inf
    polished, kept = False, False
    w.fault[1] = np.inf
    trusted = (
        w.scale[3] == FROM_LAST
        and w.past[FOLLOWED] > 2.0
        and 0.0 < w.past[SINCE] <= TRUSTED
        and renew
        and controls.full + controls.form + p.closure.null_space == 0
    )
    w.past[SINCE] += 1.0
    for k in range(controls.max_iterations):
        if k == 0 and w.scale[5] == 1.0:
            status = gaps(p, s, t, t_1, dt, state, c, w, w.s[R])
        else:
            status = residual(p, s, t, t_1, dt, state, c, w, w.s[R])
        if status != OK:
            return status
        count[ITERATIONS] += 1
        count[EVALUATIONS] += 1
        if not finite(w.s[R]):
            return NOT_FINITE
        if renew and k == 0:
            status = factorise_at_reference(p, s, t, t_1, dt, state, c, w, pivots, controls.form, controls.quasi, count)
            if status != OK:
                return status
        elif renew:
            if k > 0 and not kept and m > 0 and w.J_S.size > 0 and not p.traits & SOLVES:
                keep_first(p, w, pivots)
                kept = True
            quasi = controls.quasi if controls.full == 1 else 0
            status = factorise(p, s, t, t_1, dt, state, c, w, pivots, quasi, count)
            if status != OK:
                return status
        if p.closure.null_space > 0:
            status = eliminate(p, t, c, w)
            if status != OK:
                return status
        status = correct(p, s, dt, t, c, w, pivots, kept, k == 0)
        if status != OK:
            return status
        correction = size_s(w, DX)
        if not np.isfinite(correction):
            return NOT_FINITE
        if affine:
            return OK
        w.fault[1] = correction
        scale = max(w.scale[0], size_v(w, A))
        if p.traits & GENERAL and m > 0:  # multipliers with a life of their own count too, on the scale of x
            own = moved_multipliers(p, w) * scale / max(w.scale[1], size_m(w, LAM), TINY)
            correction = max(correction, min(own, effect_of_multipliers(p, w)))
        theta = max(correction / before, FIRST if k == 1 else FASTEST) if k > 0 else 1.0
        goal = controls.rtol * scale
        relative = correction / scale if scale > 0.0 else np.inf
        if m > 0 and not p.traits & GENERAL:
            relative = max(relative, moved_multipliers(p, w) / max(w.scale[1], size_m(w, LAM), TINY))
        if k < SEEN:
            w.past[NOW + k] = relative
        trusted = trusted and k < SEEN - 1 and 0.0 < relative <= AS_BEFORE * w.past[CORRECTIONS + k] < np.inf
        if trusted:
            next_one = w.past[CORRECTIONS + k + 1] * max(1.0, relative / w.past[CORRECTIONS + k])
            if SAFETY * next_one <= controls.rtol:
                if relative <= controls.rtol:
                    learn(w, k, FIRST * relative)
                return OK
        if correction <= goal if k == 0 else theta < 1.0 and theta * correction <= (1.0 - theta) * goal:
            if not p.traits & GENERAL or m == 0:
                learn(w, k, max(relative / earlier, FIRST) * relative)
                return OK
            if polished or correction == 0.0:
                return OK
            polished = True  # once more, from rtol down to rounding
        strict = w.scale[2] == 0.0 or p.closure.at_balance == 1
        noisy = k >= PATIENCE and correction <= (NOISE if strict else AMPLIFIED) * scale
        if k > 0 and theta > STAGNANT and (noisy or correction <= round_off_floor(p, dt, c, w)):
            count[FLOORS] += 1
            learn(w, k - 1, 0.0)  # the last one was rounding, and not worth another look for some steps
            return OK
        renew = controls.full == 1 or (k > 0 and theta > slow)
        if renew:
            slow = SLOW
        before, earlier = correction, relative
    return NOT_CONVERGED

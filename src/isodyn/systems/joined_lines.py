"""Derivatives of a user's `@njit` functions along lines, compiled: what
isodyn.systems.line_differences does for functions in Python."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from isodyn.kernels.compiled import OK, WRONG_SHAPE, FloatArray, closure, kernel
from isodyn.kernels.struct import Struct, integer, real, reals
from isodyn.open_types import Compiled
from isodyn.systems.differences import H1
from isodyn.systems.line_differences import (
    AGREE_1,
    AGREE_2,
    FAR,
    FIRST_4,
    FIRST_6,
    LONGER,
    SECOND_4,
    SECOND_6,
    SHORTER,
    WORSE,
)
from isodyn.systems.line_differences import levels_of as _levels_of

levels_of = kernel()(_levels_of)


class Steps(Struct):
    """Steps of differences, and the sizes that they refer to."""

    q, v, t = reals("nv"), reals("nv"), real  # steps along components of q and v, and in time
    size_q, size_v = reals("nq"), reals("nv")  # typical ones
    rows = reals("m")  # what rows change by over one step


class LineWork(Struct):
    """Memory for differences; G at the last (q, t) for which it was found."""

    direction, still = reals("nv"), reals("nv")
    # where rows are sampled: two places, for what functions return may be a view of one
    places, parts = reals(2, "nq"), reals(2, "nv")
    fine, coarse, best, value = reals("m"), reals("m"), reals("m"), reals("m")
    force, shifted = reals("nv"), reals("nv")
    G, G_q, G_t, G_known = reals("m", "nv"), reals("nq"), real, integer


@closure()
def add_part(q: FloatArray, d: FloatArray, e: float, part: FloatArray, out: FloatArray) -> None:
    """out = q + ed."""
    for i in range(q.size):
        out[i] = q[i] + e * d[i]


@lru_cache(maxsize=256)
def retract_part(retract: Compiled) -> Compiled:
    """The same on coordinates that are not a vector space."""

    @closure()
    def move(q: FloatArray, d: FloatArray, e: float, part: FloatArray, out: FloatArray) -> None:
        """out = q ⊕ ed."""
        for i in range(d.size):
            part[i] = e * d[i]
        moved = retract(q, part)
        for i in range(q.size):
            out[i] = moved[i]

    return move


@kernel()
def far_from_start(q: FloatArray, t: float, tau: float, steps: Steps) -> float:
    """How much longer steps have to be because q or t is so large that rounding hides them."""
    far = 1.0
    for i in range(q.size):
        far = max(far, FAR * abs(q[i]) / steps.size_q[i])
    return max(far, FAR * abs(t) / steps.t) if tau != 0.0 else far


@kernel()
def speed_along(d: FloatArray, tau: float, sizes: FloatArray, step_t: float) -> float:
    """How many steps of differences a line passes per unit of ε."""
    speed = abs(tau) / step_t
    for j in range(d.size):
        speed = max(speed, abs(d[j]) / sizes[j])
    return speed


@kernel()
def disagreement(fine: FloatArray, coarse: FloatArray, sizes: FloatArray, unit: float, m: int) -> float:
    """How much two formulas differ, relative; ∞ where something is not a number."""
    worst = 0.0
    for i in range(m):
        miss = abs(fine[i] - coarse[i]) / max(abs(fine[i]), sizes[i] * unit)
        if not miss <= worst:
            worst = miss if np.isfinite(miss) else np.inf
    return worst


@kernel()
def clear(work: LineWork, m: int, out: FloatArray) -> None:
    """Zeros to begin with."""
    for i in range(m):
        work.fine[i] = work.coarse[i] = out[i] = 0.0


@kernel()
def add_change(k: int, ahead: FloatArray, behind: FloatArray, h: float, work: LineWork) -> None:
    """The part of samples ±kh in first derivatives."""
    for i in range(ahead.size):
        change = (ahead[i] - behind[i]) / h
        work.fine[i] += FIRST_6[k] * change
        work.coarse[i] += FIRST_4[k] * change


@kernel()
def add_bend(k: int, ahead: FloatArray, behind: FloatArray, here: FloatArray, h: float, work: LineWork) -> None:
    """The part of samples ±kh in second derivatives."""
    for i in range(ahead.size):
        bend = ((ahead[i] - here[i]) + (behind[i] - here[i])) / (h * h)
        work.fine[i] += SECOND_6[k] * bend
        work.coarse[i] += SECOND_4[k] * bend


@kernel()
def is_last(
    level: int, miss: float, least: float, agree: float, far: float, m: int, work: LineWork, out: FloatArray
) -> bool:
    """Takes what was found into `out` where it is the best so far; whether no other step is
    needed."""
    if level > 0 and not miss < least:
        for i in range(m):
            work.fine[i] = work.coarse[i] = 0.0
        return least < np.inf and miss >= (1.0 if far <= 1.0 else WORSE) * least
    for i in range(m):
        out[i] = work.fine[i]
        work.fine[i] = work.coarse[i] = 0.0
    return miss <= agree


@lru_cache(maxsize=256)
def _sampler(f: Compiled, move: Compiled) -> Compiled:
    """f(q ⊕ εd, v, t + ετ), or f(q, v + εd, t)."""

    @closure()
    def sample(
        q: FloatArray,
        v: FloatArray,
        t: float,
        d: FloatArray,
        tau: float,
        e: float,
        in_v: bool,
        side: int,
        work: LineWork,
    ) -> FloatArray:
        place, part = work.places[side], work.parts[side]
        if in_v:
            for j in range(v.size):
                part[j] = v[j] + e * d[j]
            return f(q, part, t)
        move(q, d, e, part, place)
        return f(place, v, t + e * tau)

    return sample


@lru_cache(maxsize=256)
def first_along(f: Compiled, move: Compiled) -> Compiled:
    """d/dε of f(q ⊕ εd, v, t + ετ), or of f(q, v + εd, t) with `in_v`, at ε = 0, compiled: m rows
    into `out`, of which the first is `first_row` of all."""
    sample = _sampler(f, move)

    @closure()
    def first(
        q: FloatArray,
        v: FloatArray,
        t: float,
        d: FloatArray,
        tau: float,
        in_v: bool,
        m: int,
        first_row: int,
        steps: Steps,
        work: LineWork,
        out: FloatArray,
    ) -> int:
        speed = speed_along(d, tau, steps.v if in_v else steps.q, steps.t)
        clear(work, m, out)
        if speed == 0.0:
            return OK
        h, least, far = 1.0 / speed, np.inf, far_from_start(q, t, tau, steps)
        for level in range(levels_of(far)):
            for k in range(3):
                e = (k + 1) * h
                ahead = sample(q, v, t, d, tau, e, in_v, 0, work)
                behind = sample(q, v, t, d, tau, -e, in_v, 1, work)
                if ahead.size != m or behind.size != m:
                    return WRONG_SHAPE
                add_change(k, ahead, behind, h, work)
            miss = disagreement(work.fine, work.coarse, steps.rows[first_row:], speed, m)
            if is_last(level, miss, least, AGREE_1, far, m, work, out):
                break
            least, h = min(least, miss), h * (SHORTER if far <= 1.0 else 1.0 / SHORTER)
        return OK

    return first


@lru_cache(maxsize=256)
def second_along(f: Compiled, move: Compiled) -> Compiled:
    """d²/dε² of f(q ⊕ εd, v, t + ετ) at ε = 0, likewise."""
    sample = _sampler(f, move)

    @closure()
    def second(
        q: FloatArray,
        v: FloatArray,
        t: float,
        d: FloatArray,
        tau: float,
        m: int,
        first_row: int,
        steps: Steps,
        work: LineWork,
        out: FloatArray,
    ) -> int:
        speed = speed_along(d, tau, steps.q, steps.t)
        clear(work, m, out)
        if speed == 0.0:
            return OK
        h, least, far = LONGER / speed, np.inf, far_from_start(q, t, tau, steps)
        here = f(q, v, t)
        for level in range(levels_of(far)):
            for k in range(3):
                e = (k + 1) * h
                ahead = sample(q, v, t, d, tau, e, False, 0, work)
                behind = sample(q, v, t, d, tau, -e, False, 1, work)
                if ahead.size != m or behind.size != m or here.size != m:
                    return WRONG_SHAPE
                add_bend(k, ahead, behind, here, h, work)
            miss = disagreement(work.fine, work.coarse, steps.rows[first_row:], H1 * speed * speed, m)
            if is_last(level, miss, least, AGREE_2, far, m, work, out):
                break
            least, h = min(least, miss), h * (SHORTER if far <= 1.0 else 1.0 / SHORTER)
        return OK

    return second

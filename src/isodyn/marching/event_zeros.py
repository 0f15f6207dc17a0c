"""Zeros of a function on the interpolant of a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isodyn.errors import ConvergenceError
from isodyn.later import Later

optimize = Later("scipy.optimize")  # takes a while to load

EPS = float(np.finfo(np.float64).eps)
PATIENCE = 1000  # iterations to a zero; one of high order, such as that of x⁵, is neared slowly
# so many events that act, each nearer to the one before than this part of the run, mean that they
# accumulate
CROWD, CLOSE = 8, 1e-9
HALVINGS = 48  # of a piece, to find how g leaves a zero
INSIDE = 1e-3  # of a piece: so far inside its end, g is compared with its value there


@dataclass
class Zero:
    """A zero of one of the functions."""

    t: float
    number: int
    rising: bool


def after_zero(g: Callable[[float], float], t_a: float, t_b: float) -> float:
    """t_a where g has another sign there than at t_b; else, if g is zero there, a time soon
    after at which it has, or t_a if none is found."""
    g_b, reach = g(t_b), t_b - t_a
    if g(t_a) * g_b < 0.0:
        return t_a
    for _ in range(HALVINGS):
        reach *= 0.5
        if g(t_a + reach) * g_b < 0.0:
            return t_a + reach
    return t_a


def zero_between(g: Callable[[float], float], t_a: float, t_b: float) -> float:
    """The zero of a function that has other signs at both times, to rounding."""
    within = [g]  # emptied afterwards: SciPy leaves its function in a cycle of references
    try:
        reach = EPS * max(abs(t_b), t_b - t_a)
        return float(optimize.brentq(lambda t: within[0](t), t_a, t_b, xtol=reach, rtol=4 * EPS, maxiter=PATIENCE))
    finally:
        within.clear()


def accumulation(t: float, why: str) -> ConvergenceError:
    """The error for events that follow each other faster and faster."""
    return ConvergenceError(
        f"events accumulate at t = {t:.6g}: {why}",
        hint="let an action end such a sequence: hold what has nearly come to rest, or make the event terminal",
    )


def refuse_crowd(acted: list[float], span: float) -> None:
    """ConvergenceError where the last of these events accumulate, in a run of this length."""
    if len(acted) > CROWD and acted[-1] - acted[0] <= CLOSE * CROWD * span:
        raise accumulation(acted[-1], f"{CROWD} of them within {acted[-1] - acted[0]:.3g} s")


def turning_points(
    g: Callable[[float], float], times: list[float], values: list[float], nothing: float
) -> tuple[list[float], list[float]]:
    """Times and values with the places added at which g turns round towards zero and passes it, by
    more than nothing: where it only touches zero, no event is."""
    more = []
    for i, value in enumerate(values):
        sign, a, b = np.sign(value), max(i - 1, 0), min(i + 1, len(times) - 1)  # the ends may be the nearest to zero
        same = values[a] * sign > 0.0 and values[b] * sign > 0.0
        if same and abs(value) <= min(abs(values[a]), abs(values[b])):
            beside = a + b - i  # of an end: g leaves zero from there, and does not turn
            if beside != i and sign * g(times[i] + INSIDE * (times[beside] - times[i])) >= abs(value):
                continue
            found = optimize.minimize_scalar(
                lambda t, sign=sign: sign * g(float(t)), bounds=(times[a], times[b]), method="bounded",
                options={"xatol": 1e-12 * (times[-1] - times[0])},
            )  # fmt: skip
            if sign * g(float(found.x)) < -nothing:
                more.append((float(found.x), g(float(found.x))))
    pairs = sorted([*zip(times, values, strict=True), *more])
    return [t for t, _ in pairs], [value for _, value in pairs]

"""Runs the programs of formulas (isodyn.expressions.program) with first and second derivatives
along one direction.

    f(u)      f' u̇                              f'' u̇² + f' ü
    f(u, w)   f_u u̇ + f_w ẇ                     f_uu u̇² + 2 f_uw u̇ẇ + f_ww ẇ² + f_u ü + f_w ẅ

A derivative of a part that does not change is not asked for, so that √ and | | stand where their
slope is infinite.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.expressions import program as op
from isodyn.kernels.compiled import F, FloatArray, f8, i8, kernel


@kernel()
def chained(A: FloatArray, s: int, f: float, d: float, dd: float) -> None:
    """The top of the stack becomes f of it, from f, f', f''."""
    A[s] = f
    A[s + 2] = d * A[s + 2] if A[s + 2] != 0.0 else 0.0
    if A[s + 1] != 0.0:
        A[s + 2] += dd * A[s + 1] * A[s + 1]
        A[s + 1] = d * A[s + 1]


@kernel()
def joined(A: FloatArray, s: int, f: float, f_u: float, f_w: float, f_uu: float, f_uw: float, f_ww: float) -> None:
    """The two entries at s become f of both; derivatives along entries that do not change are left
    out."""
    u, w = A[s + 1], A[s + 4]
    first, second = 0.0, 0.0
    if u != 0.0 or A[s + 2] != 0.0:
        first += f_u * u
        second += f_uu * u * u + f_u * A[s + 2]
    if w != 0.0 or A[s + 5] != 0.0:
        first += f_w * w
        second += f_ww * w * w + f_w * A[s + 5]
    if u != 0.0 and w != 0.0:
        second += 2.0 * f_uw * u * w
    A[s], A[s + 1], A[s + 2] = f, first, second


@kernel()
def power(A: FloatArray, s: int) -> None:
    """u^w; where the exponent is constant without logarithms, so that u may be negative or zero."""
    u, w = A[s], A[s + 3]
    f = u**w
    if A[s + 4] == 0.0 and A[s + 5] == 0.0:
        slope = 0.0 if w == 0.0 else w * u ** (w - 1.0)
        curve = 0.0 if w in (0.0, 1.0) else w * (w - 1.0) * u ** (w - 2.0)
        chained(A, s, f, slope, curve)
        return
    log = np.log(u)
    under = w * u ** (w - 1.0)
    joined(A, s, f, under, f * log, under * (w - 1.0) / u, u ** (w - 1.0) * (1.0 + w * log), f * log * log)


@kernel()
def two(k: int, A: FloatArray, s: int) -> None:
    """An operation on the two entries at s."""
    u, w = A[s], A[s + 3]
    if k == op.ADD or k == op.SUBTRACT:
        sign = 1.0 if k == op.ADD else -1.0
        for i in range(3):
            A[s + i] += sign * A[s + 3 + i]
    elif k == op.MULTIPLY:
        A[s + 2] = A[s + 2] * w + 2.0 * A[s + 1] * A[s + 4] + u * A[s + 5]
        A[s + 1] = A[s + 1] * w + u * A[s + 4]
        A[s] = u * w
    elif k == op.DIVIDE:
        f = u / w
        first = (A[s + 1] - f * A[s + 4]) / w
        A[s + 2] = (A[s + 2] - 2.0 * first * A[s + 4] - f * A[s + 5]) / w
        A[s], A[s + 1] = f, first
    elif k == op.POWER:
        power(A, s)
    elif k == op.MINIMUM or k == op.MAXIMUM:
        if (w < u) == (k == op.MINIMUM) and u != w:
            for i in range(3):
                A[s + i] = A[s + 3 + i]
    elif k == op.ATAN2 or k == op.HYPOT:
        square = u * u + w * w
        if k == op.ATAN2:
            turn, cross = 2.0 * u * w / (square * square), (u * u - w * w) / (square * square)
            joined(A, s, np.arctan2(u, w), w / square, -u / square, -turn, cross, turn)
        else:
            r = np.sqrt(square)
            if r == 0.0:  # no slope there; none is the one in the middle of all
                joined(A, s, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
                return
            joined(A, s, r, u / r, w / r, w * w / (r * square), -u * w / (r * square), u * u / (r * square))
    else:
        holds = (
            (k == op.LESS and u < w)
            or (k == op.LESS_EQUAL and u <= w)
            or (k == op.GREATER and u > w)
            or (k == op.GREATER_EQUAL and u >= w)
        )
        A[s], A[s + 1], A[s + 2] = (1.0 if holds else 0.0), 0.0, 0.0


@kernel()
def one(k: int, A: FloatArray, s: int) -> None:
    """A function of the entry at s."""
    u = A[s]
    if k == op.NEGATE:
        for i in range(3):
            A[s + i] = -A[s + i]
    elif k == op.SIN:
        chained(A, s, np.sin(u), np.cos(u), -np.sin(u))
    elif k == op.COS:
        chained(A, s, np.cos(u), -np.sin(u), -np.cos(u))
    elif k == op.TAN:
        f = np.tan(u)
        chained(A, s, f, 1.0 + f * f, 2.0 * f * (1.0 + f * f))
    elif k == op.ASIN or k == op.ACOS:
        sign, rest = (1.0 if k == op.ASIN else -1.0), 1.0 - u * u
        slope = sign / np.sqrt(rest)
        chained(A, s, np.arcsin(u) if k == op.ASIN else np.arccos(u), slope, slope * u / rest)
    elif k == op.ATAN:
        rest = 1.0 + u * u
        chained(A, s, np.arctan(u), 1.0 / rest, -2.0 * u / (rest * rest))
    elif k == op.SINH:
        chained(A, s, np.sinh(u), np.cosh(u), np.sinh(u))
    elif k == op.COSH:
        chained(A, s, np.cosh(u), np.sinh(u), np.cosh(u))
    elif k == op.TANH:
        f = np.tanh(u)
        chained(A, s, f, 1.0 - f * f, -2.0 * f * (1.0 - f * f))
    elif k == op.EXP:
        f = np.exp(u)
        chained(A, s, f, f, f)
    elif k == op.LOG:
        chained(A, s, np.log(u), 1.0 / u, -1.0 / (u * u))
    elif k == op.LOG10:
        chained(A, s, np.log10(u), 1.0 / (u * np.log(10.0)), -1.0 / (u * u * np.log(10.0)))
    elif k == op.SQRT:
        f = np.sqrt(u)
        chained(A, s, f, 0.5 / f, -0.25 / (f * u))
    elif k == op.ABS:
        chained(A, s, np.abs(u), np.sign(u), 0.0)
    elif k == op.SIGN:
        A[s], A[s + 1], A[s + 2] = np.sign(u), 0.0, 0.0
    else:
        A[s], A[s + 1], A[s + 2] = (1.0 if u >= 0.0 else 0.0), 0.0, 0.0


@kernel(types.UniTuple(f8, 3)(F, i8), apart=True)
def run_program(A: FloatArray, o: int) -> tuple[float, float, float]:
    """f, f', f'' of the program at A[o:], for the values and slopes of its names that stand
    there."""
    names, many = int(A[o]), int(A[o + 1])
    code = o + 2 + 2 * names
    stack = code + 2 * many
    s = stack - 3  # the top
    for i in range(many):
        k = int(A[code + 2 * i])
        if k == op.NUMBER or k == op.NAME:
            s += 3
            if k == op.NUMBER:
                A[s], A[s + 1] = A[code + 2 * i + 1], 0.0
            else:
                at = o + 2 + int(A[code + 2 * i + 1])
                A[s], A[s + 1] = A[at], A[at + names]
            A[s + 2] = 0.0
        elif k == op.SELECT:
            s -= 6
            chosen = s + 3 if A[s] != 0.0 else s + 6
            for j in range(3):
                A[s + j] = A[chosen + j]
        elif k < op.SELECT:
            s -= 3
            two(k, A, s)
        else:
            one(k, A, s)
    return A[stack], A[stack + 1], A[stack + 2]

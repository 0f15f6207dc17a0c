"""Functions of time inside compiled code, with their first two derivatives.

POLYNOMIAL   Σ c_k tᵏ
HARMONIC     offset + amplitude sin(ω t + phase)
RAMP         from one value to another between t₀ and t₁, by the polynomial of degree five that is smooth to the second derivative
PULSE        a value from t₀ on until just before t₁, zero elsewhere
FORMULA      a program of isodyn.expressions with the name t, or with none
SPLINE       cubic pieces between given times; constant continuation of the end pieces is up to whoever makes them
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray, kernel
from isodyn.parts.formulas import run_program
from isodyn.parts.layout import F_TIME, FORMULA, HARMONIC, I_TIME, POLYNOMIAL, PULSE, RAMP, TIME


@kernel()
def at_time(k: int, t: float, pf: FloatArray, pi: IntArray) -> tuple[float, float, float]:
    """f, ḟ, f̈ of function k; −1 is zero."""
    if k < 0:
        return 0.0, 0.0, 0.0
    o = pi[I_TIME] + TIME * k
    kind, n = pi[o], pi[o + 2]
    if kind == FORMULA:
        p = pi[F_TIME] + pi[o + 1]
        if pf[p] > 0.0:
            pf[p + 2], pf[p + 3] = t, 1.0
        return run_program(pf, p)
    c = pf[pi[F_TIME] + pi[o + 1] :]
    if kind == POLYNOMIAL:
        f, d, dd = 0.0, 0.0, 0.0
        for i in range(n - 1, -1, -1):
            dd = dd * t + 2.0 * d
            d = d * t + f
            f = f * t + c[i]
        return f, d, dd
    if kind == HARMONIC:
        s = c[1] * np.sin(c[2] * t + c[3])
        return c[0] + s, c[1] * c[2] * np.cos(c[2] * t + c[3]), -c[2] * c[2] * s
    if kind == RAMP:
        span = c[3] - c[2]
        x = min(max((t - c[2]) / span, 0.0), 1.0)
        f = x * x * x * (10.0 + x * (-15.0 + 6.0 * x))
        d = 30.0 * x * x * (1.0 - x) * (1.0 - x) / span
        dd = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (span * span)
        rise = c[1] - c[0]
        return c[0] + rise * f, rise * d, rise * dd
    if kind == PULSE:
        return (c[0] if c[1] <= t < c[2] else 0.0), 0.0, 0.0
    pieces = n // 5  # five numbers each: beginning, then the coefficients of ascending powers
    low, high = 0, pieces - 1
    while low < high:
        middle = (low + high + 1) // 2
        if c[5 * middle] <= t:
            low = middle
        else:
            high = middle - 1
    o = 5 * low
    x = t - c[o]
    f = c[o + 1] + x * (c[o + 2] + x * (c[o + 3] + x * c[o + 4]))
    d = c[o + 2] + x * (2.0 * c[o + 3] + 3.0 * x * c[o + 4])
    return f, d, 2.0 * c[o + 3] + 6.0 * x * c[o + 4]

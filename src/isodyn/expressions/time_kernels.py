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

from isodyn.expressions.formula_kernels import FormulaScratch, FormulaTables, run_formula
from isodyn.kernels.compiled import kernel
from isodyn.kernels.struct import Struct, integer, many, one, real, reals

POLYNOMIAL, HARMONIC, RAMP, SPLINE, PULSE, FORMULA = range(6)


class FunctionData(Struct):
    """Kind of a function of time, the first of what it consists of, and how many there are."""

    kind, first, count = integer, integer, integer


class HarmonicData(Struct):
    """offset + amplitude sin(omega t + phase)."""

    offset, amplitude, omega, phase = real, real, real, real


class RampData(Struct):
    """From start to end between t0 and t1."""

    start, end, t0, t1 = real, real, real, real


class PulseData(Struct):
    """A value from t0 on until just before t1."""

    value, t0, t1 = real, real, real


class PieceData(Struct):
    """value + slope x + second x² + third x³, x = t − start."""

    start, value, slope, second, third = real, real, real, real, real


class TimeTables(Struct):
    """All functions of time and all formulas of a model."""

    functions = many(FunctionData, "functions")
    coefficients = reals("coefficients")
    harmonics = many(HarmonicData, "harmonics")
    ramps = many(RampData, "ramps")
    pulses = many(PulseData, "pulses")
    pieces = many(PieceData, "pieces")
    formulas = one(FormulaTables)


@kernel()
def at_time(k: int, t: float, time: TimeTables, scratch: FormulaScratch) -> tuple[float, float, float]:
    """f, ḟ, f̈ of function k; −1 is zero."""
    if k < 0:
        return 0.0, 0.0, 0.0
    function = time.functions[k]
    kind, first = function.kind, function.first
    if kind == FORMULA:
        formula = time.formulas.formulas[first]
        if formula.names > 0:
            scratch.given[formula.first_name], scratch.slopes[formula.first_name] = t, 1.0
        return run_formula(first, time.formulas, scratch)
    if kind == POLYNOMIAL:
        f, d, dd = 0.0, 0.0, 0.0
        for i in range(first + function.count - 1, first - 1, -1):
            dd = dd * t + 2.0 * d
            d = d * t + f
            f = f * t + time.coefficients[i]
        return f, d, dd
    if kind == HARMONIC:
        wave = time.harmonics[first]
        angle = wave.omega * t + wave.phase
        s = wave.amplitude * np.sin(angle)
        return wave.offset + s, wave.amplitude * wave.omega * np.cos(angle), -wave.omega * wave.omega * s
    if kind == RAMP:
        return on_ramp(time.ramps[first], t)
    if kind == PULSE:
        pulse = time.pulses[first]
        return (pulse.value if pulse.t0 <= t < pulse.t1 else 0.0), 0.0, 0.0
    return on_spline(first, function.count, t, time)


@kernel()
def on_ramp(ramp: RampData, t: float) -> tuple[float, float, float]:
    """10x³ − 15x⁴ + 6x⁵ between start and end, x from 0 to 1."""
    span = ramp.t1 - ramp.t0
    x = min(max((t - ramp.t0) / span, 0.0), 1.0)
    f = x * x * x * (10.0 + x * (-15.0 + 6.0 * x))
    d = 30.0 * x * x * (1.0 - x) * (1.0 - x) / span
    dd = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (span * span)
    rise = ramp.end - ramp.start
    return ramp.start + rise * f, rise * d, rise * dd


@kernel()
def on_spline(first: int, count: int, t: float, time: TimeTables) -> tuple[float, float, float]:
    """The piece that t lies in, found by halving."""
    low, high = first, first + count - 1
    while low < high:
        middle = (low + high + 1) // 2
        if time.pieces[middle].start <= t:
            low = middle
        else:
            high = middle - 1
    piece = time.pieces[low]
    x = t - piece.start
    f = piece.value + x * (piece.slope + x * (piece.second + x * piece.third))
    d = piece.slope + x * (2.0 * piece.second + 3.0 * x * piece.third)
    return f, d, 2.0 * piece.second + 6.0 * x * piece.third

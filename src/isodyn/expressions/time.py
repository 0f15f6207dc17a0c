"""Functions of time for drives and loads that run inside compiled code
(isodyn.expressions.time_kernels).

`numbers` are their parameters, checked, in the order of the declared structs there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.expressions.program import compile_formula
from isodyn.expressions.time_kernels import FORMULA, HARMONIC, POLYNOMIAL, PULSE, RAMP, SPLINE
from isodyn.expressions.tracing import formula_of
from isodyn.kernels.compiled import FloatArray
from isodyn.real_numbers import real_array, real_number


class Polynomial:
    """c₀ + c₁ t + c₂ t² + …; Polynomial(0, 2) turns with two radians per second.

    The coefficients are numbers, or one sequence of them: Polynomial([0, 2]) is the same.
    """

    kind = POLYNOMIAL

    def __init__(self, *coefficients: Any) -> None:
        given = coefficients[0] if len(coefficients) == 1 and np.ndim(coefficients[0]) == 1 else coefficients
        self.numbers = _finite("coefficients", given if len(given) else (0.0,), "Polynomial(0, 10) is 10 t")

    def __repr__(self) -> str:
        return f"Polynomial({', '.join(f'{c:g}' for c in self.numbers)})"


@dataclass(frozen=True)
class Sine:
    """offset + amplitude sin(omega t + phase)."""

    amplitude: float
    omega: float
    phase: float = 0.0
    offset: float = 0.0

    kind = HARMONIC

    @property
    def numbers(self) -> FloatArray:
        return _finite("amplitude, omega, phase, offset", (self.offset, self.amplitude, self.omega, self.phase))


@dataclass(frozen=True)
class Ramp:
    """From `start` to `end` between t0 and t1, smooth to the second derivative."""

    start: float
    end: float
    t0: float
    t1: float

    kind = RAMP

    @property
    def numbers(self) -> FloatArray:
        if not self.t1 > self.t0:
            raise InputError(f"a ramp needs t1 > t0, received {self.t0:g} and {self.t1:g}", argument="t1")
        return _finite("start, end, t0, t1", (self.start, self.end, self.t0, self.t1))


@dataclass(frozen=True)
class Pulse:
    """`value` from t0 on until just before t1, zero elsewhere. Give the jumps to `breakpoints=` of
    the run."""

    value: float
    t0: float
    t1: float

    kind = PULSE

    @property
    def numbers(self) -> FloatArray:
        if not self.t1 > self.t0:
            raise InputError(f"a pulse needs t1 > t0, received {self.t0:g} and {self.t1:g}", argument="t1")
        return _finite("value, t0, t1", (self.value, self.t0, self.t1))


class Table:
    """Values at times, joined by a cubic spline; constant before the first and after the last.

    Table(times, values), or one array with a row (time, value) for each: Table(np.loadtxt(…)).
    """

    kind = SPLINE

    def __init__(self, t: Any, x: Any = None) -> None:
        from scipy.interpolate import CubicSpline

        if x is None:
            rows = real_array("the table", t, "rows (time, value)")
            if rows.ndim != 2 or rows.shape[1] != 2:
                raise InputError(
                    f"one argument of a table must have rows (time, value), received shape {rows.shape}",
                    hint="Table([0, 1, 2], [0, 5, 0]), or Table([(0, 0), (1, 5), (2, 0)])",
                )
            t, x = rows.T
        times, values = _finite("times", t), _finite("values", x)
        if times.size != values.size or times.size < 2 or not (np.diff(times) > 0).all():
            raise InputError(
                f"a table needs ascending times and as many values, at least two; received {times.size} and {values.size}"
            )
        spline = CubicSpline(times, values, bc_type="clamped")
        pieces = [[t0, *c[::-1]] for t0, c in zip(times[:-1], spline.c.T, strict=True)]
        before, after = [-1e300, values[0], 0.0, 0.0, 0.0], [times[-1], values[-1], 0.0, 0.0, 0.0]
        self.numbers = np.array([before, *pieces, after]).ravel()


class Formula:
    """A formula of t and of numbers given by name: Formula("a*sin(2*pi*f*t)", a=0.1, f=5). No
    Python is evaluated."""

    kind = FORMULA

    def __init__(self, text: str, **parameters: float) -> None:
        self.text, self.parameters = text, parameters
        hint = "a function of time knows t and the numbers given to it"
        self.program = compile_formula(text, ("t",), parameters, refused=hint)

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        return f"Formula({self.text!r}{given})"


_HOW = (
    "a Python function such as lambda t: 2*np.sin(t), or Polynomial(0, 10) for 10 t, Sine, Ramp, Pulse,"
    " Table(times, values), Formula; for anything else write a UserLoad"
)

TimeFunction = Polynomial | Sine | Ramp | Pulse | Table | Formula


def as_time_function(what: str, value: Any) -> TimeFunction:
    """A number is a constant; a function of time stays what it is; a Python function of t becomes a
    formula."""
    if isinstance(value, TimeFunction):
        return value
    if callable(value):
        return _of_python(what, value)
    try:
        return Polynomial(real_number(what, value))
    except InputError:
        raise InputError(
            f"{what} must be a number or one of isodyn's functions of time, received {value!r}",
            hint=_HOW,
        ) from None


def _of_python(what: str, function: Any) -> Formula:
    """A class of this module that was not called is no function of t."""
    if isinstance(function, type):
        raise InputError(f"{what}: {function.__name__} is a class, not a function of t", hint=_HOW)
    try:
        return Formula(formula_of(function))
    except InputError as error:
        raise InputError(f"{what}: {error.message}", hint=error.hint) from error


def _finite(what: str, values: Any, hint: str | None = None) -> FloatArray:
    array = np.atleast_1d(real_array(what, values, "finite numbers"))
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(f"{what} must be finite numbers, received {values!r}", hint=hint)
    return array

"""Functions of time for drives and loads that run inside compiled code
(isodyn.expressions.time_kernels).

`numbers` are their parameters, checked, in the order of the declared structs there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.expressions.program import compile_formula
from isodyn.expressions.time_kernels import FORMULA, HARMONIC, POLYNOMIAL, PULSE, RAMP, SPLINE
from isodyn.expressions.tracing import formula_of, formulas_of
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.notebook_views import ShownInNotebooks, Told
from isodyn.real_numbers import real_array, real_number

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

interpolate = Later("scipy.interpolate")


class Polynomial(ShownInNotebooks):
    """A polynomial c₀ + c₁ t + c₂ t² and so on.

    Polynomial(0, 2) turns with two radians per second.

    Parameters
    ----------
    *coefficients
        Numbers, or one sequence of them: Polynomial([0, 2]) is the same.

    Raises
    ------
    InputError
        If a number is not finite, or the text is no formula.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.Polynomial(0, 2)
    Polynomial(0, 2)
    """

    kind = POLYNOMIAL

    def __init__(self, *coefficients: Any) -> None:
        given = coefficients[0] if len(coefficients) == 1 and np.ndim(coefficients[0]) == 1 else coefficients
        self.numbers = _finite("coefficients", given if len(given) else (0.0,), "Polynomial(0, 10) is 10 t")

    def __repr__(self) -> str:
        return f"Polynomial({', '.join(f'{c:g}' for c in self.numbers)})"


@dataclass(frozen=True)
class Sine(Told):
    """A function offset + amplitude sin(omega t + phase).

    Parameters
    ----------
    amplitude
        Amplitude.
    omega
        Angular frequency.
    phase
        Phase.
    offset
        Mean.

    Raises
    ------
    InputError
        If a number is not finite, or the text is no formula.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.Sine(2.0, omega=1.0, offset=3.0)
    Sine(2, 1, offset=3)
    """

    amplitude: float
    omega: float
    phase: float = 0.0
    offset: float = 0.0

    kind = HARMONIC

    @property
    def numbers(self) -> FloatArray:
        """Numbers of the function of time, for compiled code."""
        return _finite("amplitude, omega, phase, offset", (self.offset, self.amplitude, self.omega, self.phase))


@dataclass(frozen=True)
class Ramp(Told):
    """A smooth way from one value to another, to the second derivative.

    Parameters
    ----------
    start, end
        The values.
    t0, t1
        Times between which it changes.

    Raises
    ------
    InputError
        If a number is not finite, or the text is no formula.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.Ramp(0.0, 1.0, t0=0.0, t1=2.0)
    Ramp(0, 1, 0, 2)
    """

    start: float
    end: float
    t0: float
    t1: float

    kind = RAMP

    @property
    def numbers(self) -> FloatArray:
        """Numbers of the function of time, for compiled code."""
        if not self.t1 > self.t0:
            raise InputError(f"a ramp needs t1 > t0, received {self.t0:g} and {self.t1:g}", argument="t1")
        return _finite("start, end, t0, t1", (self.start, self.end, self.t0, self.t1))


@dataclass(frozen=True)
class Pulse(Told):
    """A value from t0 until just before t1, zero elsewhere.

    Give the jumps to `breakpoints=` of the run.

    Parameters
    ----------
    value
        The value.
    t0, t1
        The two times.

    Raises
    ------
    InputError
        If a number is not finite, or the text is no formula.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.Pulse(2.0, t0=0.0, t1=1.0)
    Pulse(2, 0, 1)
    """

    value: float
    t0: float
    t1: float

    kind = PULSE

    @property
    def numbers(self) -> FloatArray:
        """Numbers of the function of time, for compiled code."""
        if not self.t1 > self.t0:
            raise InputError(f"a pulse needs t1 > t0, received {self.t0:g} and {self.t1:g}", argument="t1")
        return _finite("value, t0, t1", (self.value, self.t0, self.t1))


class Table(ShownInNotebooks):
    """Values at times, joined by a cubic spline.

    It is constant before the first and after the last time.

    Parameters
    ----------
    t
        Ascending times, or an array with a row (time, value) for each, such as `np.loadtxt(…)`.
    x
        Values.

    Raises
    ------
    InputError
        If a number is not finite, or the text is no formula.

    Examples
    --------
    >>> import isodyn as iso
    >>> profile = iso.Table([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])
    >>> drive = iso.Drive("drive", "slide", profile)
    """

    kind = SPLINE

    def __init__(self, t: ArrayLike, x: Numbers | None = None) -> None:
        if x is None:
            rows = real_array("the table", t, "rows (time, value)")
            if rows.ndim != 2 or rows.shape[1] != 2:
                raise InputError(
                    f"one argument of a table must have rows (time, value), received shape {rows.shape}",
                    hint="Table([0, 1, 2], [0, 5, 0]), or Table([(0, 0), (1, 5), (2, 0)])",
                )
            t, x = rows.T
        times, values = _finite("times", t), _finite("values", x)
        _refuse_rows("a table", times, values, 2)
        spline = interpolate.CubicSpline(times, values, bc_type="clamped")
        pieces = [[t0, *c[::-1]] for t0, c in zip(times[:-1], spline.c.T, strict=True)]
        before, after = [-1e300, values[0], 0.0, 0.0, 0.0], [times[-1], values[-1], 0.0, 0.0, 0.0]
        self.numbers = np.array([before, *pieces, after]).ravel()
        self._range = times[0], times[-1], times.size

    def __repr__(self) -> str:
        begin, end, many = self._range
        return f"<Table: {many} values from t = {begin:g} to {end:g}>"


class Staircase(ShownInNotebooks):
    """Values from given times on, each until the next.

    It is constant before the first time and after the last.
    Give the times to `breakpoints=` of the run: the function jumps there.

    Parameters
    ----------
    t
        Ascending times.
    x
        Values.

    Raises
    ------
    InputError
        If a number is not finite, or there are not as many values as times.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.Staircase([0.0, 0.5], [1.0, 3.0])
    <Staircase: 2 values from t = 0 to 0.5>
    """

    kind = SPLINE

    def __init__(self, t: Numbers, x: Numbers) -> None:
        self.times, self.values = _finite("times", t), _finite("values", x)
        _refuse_rows("a staircase", self.times, self.values, 1)
        pieces = np.zeros((self.times.size, 5))
        pieces[:, 0], pieces[:, 1] = self.times, self.values
        pieces[0, 0] = -1e300
        self.numbers = pieces.ravel()

    def __repr__(self) -> str:
        begin, end = self.times[0], self.times[-1]
        return f"<Staircase: {self.times.size} values from t = {begin:g} to {end:g}>"


class Formula(ShownInNotebooks):
    """A formula of t and of numbers given by name.

    No Python is evaluated.

    Parameters
    ----------
    text
        The formula.
    **parameters
        Values of its names.

    Raises
    ------
    InputError
        If a number is not finite, or the text is no formula.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.Formula("a*t", a=2.0)
    Formula('a*t', a=2.0)
    """

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

TimeFunction = Polynomial | Sine | Ramp | Pulse | Table | Staircase | Formula


def as_time_function(what: str, value: object) -> TimeFunction:
    """A number is a constant; a function of time stays what it is; text is a formula of t, and a
    Python function of t becomes one."""
    if isinstance(value, TimeFunction):
        return value
    if isinstance(value, str):
        return _of_text(what, value)
    if callable(value):
        return _of_python(what, value)
    try:
        return Polynomial(real_number(what, value))
    except InputError:
        raise InputError(
            f"{what} must be a number or one of isodyn's functions of time, received {value!r}",
            hint=_HOW,
        ) from None


def components(what: str, value: object) -> list[float | TimeFunction] | None:
    """The components of a vector of which some are functions of time, or all of them one Python
    function; a single one where the function returns a number. None where nothing varies.

    >>> components("a force", (0, lambda t: 3 * t, 0))
    [0.0, Formula('3.0*t'), 0.0]
    """
    if isinstance(value, TimeFunction):
        return [value]
    if callable(value):
        texts = _traced(what, value, formulas_of)
        return [_plainest(text) for text in ([texts] if isinstance(texts, str) else texts)]
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
        return None
    varies = [isinstance(x, TimeFunction) or callable(x) for x in value]
    if not any(varies):
        return None
    return [as_time_function(what, x) if free else real_number(what, x) for x, free in zip(value, varies, strict=True)]


def _plainest(text: str) -> float | Formula:
    """The number that a formula is, if it is one."""
    try:
        return float(text.strip("()"))
    except ValueError:
        return Formula(text)


def _of_text(what: str, text: str) -> Formula:
    try:
        return Formula(text)
    except InputError as error:
        hint = f"{error.hint or 'here it knows t alone'}; FormulaMotor, FormulaForce and FormulaTorque know joints and bodies"
        raise InputError(f"{what}: {error.message}", hint=hint) from None


def _of_python(what: str, function: Callable[..., Any]) -> Formula:
    return Formula(_traced(what, function, formula_of))


def _traced(what: str, function: Any, trace: Any) -> Any:
    """What a function does to its argument, as text; a class of this module that was not called is
    no function of t."""
    if isinstance(function, type):
        raise InputError(f"{what}: {function.__name__} is a class, not a function of t", hint=_HOW)
    try:
        return trace(function)
    except InputError as error:
        raise InputError(f"{what}: {error.message}", hint=error.hint) from error


def _refuse_rows(what: str, times: FloatArray, values: FloatArray, least: int) -> None:
    """InputError for times and values that do not belong together."""
    if times.size != values.size or times.size < least:
        raise InputError(
            f"{what} needs as many values as times, at least {least}; received {values.size} values and {times.size} times"
        )
    back = np.flatnonzero(np.diff(times) <= 0)
    if back.size:
        k = int(back[0])
        raise InputError(
            f"times of {what} must ascend, but {times[k + 1]:g} follows {times[k]:g} (row {k + 2})",
            hint="sort the rows, and leave one of those that share a time",
        )


def _finite(what: str, values: ArrayLike, hint: str | None = None) -> FloatArray:
    array = np.atleast_1d(real_array(what, values, "finite numbers"))
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(f"{what} must be finite numbers, received {values!r}", hint=hint)
    return array

"""Functions of time for drives and loads that run inside compiled code
(isodyn.expressions.time_kernels).

`numbers` are their parameters, checked, in the order of the declared structs there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.expressions.program import NAME, Program, compile_formula
from isodyn.expressions.time_kernels import (
    FORMULA,
    HARMONIC,
    POLYNOMIAL,
    PULSE,
    RAMP,
    SPLINE,
    HarmonicData,
    PieceData,
    PulseData,
    RampData,
    TimeTables,
)
from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.struct import Struct
from isodyn.real_numbers import real_array, real_number


class Polynomial:
    """c₀ + c₁ t + c₂ t² + …; Polynomial(0, 2) turns with two radians per second."""

    kind = POLYNOMIAL

    def __init__(self, *coefficients: float) -> None:
        self.numbers = _finite("coefficients", coefficients or (0.0,))


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
    """Values at times, joined by a cubic spline; constant before the first and after the last."""

    kind = SPLINE

    def __init__(self, t: Any, x: Any) -> None:
        from scipy.interpolate import CubicSpline

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


TimeFunction = Polynomial | Sine | Ramp | Pulse | Table | Formula


def as_time_function(what: str, value: Any) -> TimeFunction:
    """A number is a constant; a function of time stays what it is."""
    if isinstance(value, TimeFunction):
        return value
    try:
        return Polynomial(real_number(what, value))
    except InputError:
        raise InputError(
            f"{what} must be a number or one of isodyn's functions of time, received {value!r}",
            hint="Polynomial, Sine, Ramp, Pulse, Table, Formula; for anything else tabulate it, or write a UserLoad",
        ) from None


def _finite(what: str, values: Any) -> FloatArray:
    array = np.atleast_1d(real_array(what, values, "finite numbers"))
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(f"{what} must be finite numbers, received {values!r}")
    return array


class TimeWriter:
    """Collects functions of time and formulas by number, and writes them into the tables of a
    model."""

    def __init__(self) -> None:
        self.functions: list[tuple[int, int, int]] = []
        self.programs: list[Program] = []
        # by kind: rows of parameters
        self.parts: dict[int, list[FloatArray]] = {POLYNOMIAL: [], HARMONIC: [], RAMP: [], PULSE: [], SPLINE: []}

    def function(self, what: str, value: Any) -> int:
        """Number of a function of time, −1 for none; `what` it is, in words."""
        if value is None:
            return -1
        f = as_time_function(what, value)
        if isinstance(f, Formula):
            self.functions.append((f.kind, self.formula(f.program), 1))
        else:
            own = self.parts[f.kind]
            rows = f.numbers.reshape(-1, _WIDTH[f.kind])
            self.functions.append((f.kind, len(own), len(rows)))
            own += list(rows)
        return len(self.functions) - 1

    def formula(self, program: Program) -> int:
        """Number of a formula."""
        self.programs.append(program)
        return len(self.programs) - 1

    def sizes(self) -> dict[str, int]:
        """Sizes of the tables."""
        found = {name: len(self.parts[kind]) for kind, name in _PARTS.items()}
        instructions = sum(len(program.code) for program in self.programs)
        return found | {
            "functions": len(self.functions),
            "coefficients": len(self.parts[POLYNOMIAL]),
            "formulas": len(self.programs),
            "instructions": instructions,
        }

    def scratch_sizes(self) -> dict[str, int]:
        """Sizes of the memory in which formulas run."""
        return {
            "names": sum(len(program.names) for program in self.programs),
            "depth": max((program.depth for program in self.programs), default=0),
        }

    def write(self, tables: TimeTables) -> None:
        """All of it into tables of these sizes."""
        kinds, first, count = np.array(self.functions, dtype=np.int64).reshape(-1, 3).T
        tables.functions.fill(kind=kinds, first=first, count=count)
        tables.coefficients = np.array(self.parts[POLYNOMIAL], dtype=np.float64).ravel()
        for kind, name in _PARTS.items():
            rows = np.array(self.parts[kind], dtype=np.float64).reshape(-1, _WIDTH[kind])
            getattr(tables, name).fill(**dict(zip(_STRUCTS[kind]._fields, rows.T, strict=True)))
        code = [step for program in self.programs for step in program.code]
        tables.formulas.instructions.fill(
            operation=[operation for operation, _ in code],
            name=[int(x) if operation == NAME else 0 for operation, x in code],
            number=[0.0 if operation == NAME else x for operation, x in code],
        )
        counts, names = ([len(x) for x in (getattr(p, what) for p in self.programs)] for what in ("code", "names"))
        starts, first_names = (np.cumsum([0, *many])[:-1] for many in (counts, names))
        tables.formulas.formulas.fill(first=starts, count=counts, first_name=first_names, names=names)


_PARTS = {HARMONIC: "harmonics", RAMP: "ramps", PULSE: "pulses", SPLINE: "pieces"}
_STRUCTS: dict[int, type[Struct]] = {HARMONIC: HarmonicData, RAMP: RampData, PULSE: PulseData, SPLINE: PieceData}
_WIDTH = {POLYNOMIAL: 1} | {kind: len(of._fields) for kind, of in _STRUCTS.items()}

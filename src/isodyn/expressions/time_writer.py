"""Writes functions of time and formulas into the tables of a model
(isodyn.expressions.time_kernels)."""

from __future__ import annotations

import numpy as np

from isodyn.expressions.program import NAME, Program
from isodyn.expressions.time import Formula, as_time_function
from isodyn.expressions.time_kernels import (
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

_PARTS = {HARMONIC: "harmonics", RAMP: "ramps", PULSE: "pulses", SPLINE: "pieces"}
_STRUCTS: dict[int, type[Struct]] = {HARMONIC: HarmonicData, RAMP: RampData, PULSE: PulseData, SPLINE: PieceData}
_WIDTH = {POLYNOMIAL: 1} | {kind: len(of._fields) for kind, of in _STRUCTS.items()}


class TimeWriter:
    """Collects functions of time and formulas by number, and writes them into the tables of a
    model."""

    def __init__(self) -> None:
        self.functions: list[tuple[int, int, int]] = []
        self.programs: list[Program] = []
        # by kind: rows of parameters
        self.parts: dict[int, list[FloatArray]] = {POLYNOMIAL: [], HARMONIC: [], RAMP: [], PULSE: [], SPLINE: []}

    def function(self, what: str, value: object) -> int:
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
            # with one of its own for every function, in which it can be held
            "coefficients": len(self.parts[POLYNOMIAL]) + len(self.functions),
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
        coefficients = np.array(self.parts[POLYNOMIAL], dtype=np.float64).ravel()
        tables.coefficients = np.append(coefficients, np.zeros(len(self.functions)))
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


def hold(tables: TimeTables, number: int, value: float) -> None:
    """Let a function of time be a constant from now on. Tables are shared by all models of a
    system: give this a copy."""
    function, coefficients = tables.functions[number], tables.coefficients
    place = coefficients.size - len(tables.functions) + number
    coefficients[place] = value
    function.kind, function.first, function.count = POLYNOMIAL, place, 1


def let_go(tables: TimeTables, number: int, shared: TimeTables) -> None:
    """Let a function of time be again what it is in other tables."""
    function, other = tables.functions[number], shared.functions[number]
    function.kind, function.first, function.count = other.kind, other.first, other.count

"""Runs of a design: what is asked of them, numbers that are judged, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isodyn.api import integrate
from isodyn.api.sensitive import gradient
from isodyn.design.families import moved
from isodyn.errors import ConvergenceError, InputError, IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.notebook_views import Told
from isodyn.results.sensitivity import reader_of
from isodyn.results.solution import Solution
from isodyn.sensitivities.gradient import Objective, Output, Weighted
from isodyn.sensitivities.parameters import Family
from isodyn.sensitivities.variations import CENTRAL

MANY = 12  # more parameters than this for every number: adjoints
ADJOINT = {
    "scheme",
    "formulation",
    "dt",
    "t_end",
    "t0",
    "breakpoints",
    "newton",
    "assemble",
    "progress",
}  # options that they take
PART = 1e-3  # of a parameter: points of differences of functions of parameters


class TooManyRunsError(ConvergenceError):
    """The search took all runs that it may take."""


@dataclass(frozen=True, eq=False)
class Constraint(Told):
    """A condition that a design has to meet: low ≤ output ≤ high, or output = equals.

    Parameters
    ----------
    output
        Name of a quantity, a function of a solution that returns one number for each row, an
        `Objective`; or, with `of_parameters`, a function of a mapping from names to values.
    low, high, equals
        What it is compared with.
    always
        Whether it is meant in every row; otherwise at the end of the run.
    of_parameters
        Whether the output is a function of the parameters alone.

    Raises
    ------
    InputError
        If nothing is asked of the output.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.Constraint("pin.angle", equals=1.0).low
    1.0
    """

    output: Output | Objective | Callable[[Mapping[str, float]], float]
    low: float | None = None
    high: float | None = None
    equals: float | None = None
    always: bool = False
    of_parameters: bool = False

    def __post_init__(self) -> None:
        if self.equals is not None:
            if self.low is not None or self.high is not None:
                raise InputError(
                    "a constraint takes equals=, or low= and high=, not both", hint="leave low= and high= out"
                )
            object.__setattr__(self, "low", float(self.equals))
            object.__setattr__(self, "high", float(self.equals))
        if self.low is None and self.high is None:
            raise InputError("a constraint needs low=, high= or equals=", hint="such as high=1.0")
        if self.always and (isinstance(self.output, Objective) or self.of_parameters):
            raise InputError(
                "a constraint that holds always needs an output of rows",
                hint="give a name of a quantity or a function of a solution, or leave always= out",
            )

    @property
    def span(self) -> tuple[float, float]:
        """Lower and upper end."""
        return -np.inf if self.low is None else self.low, np.inf if self.high is None else self.high

    @property
    def typical(self) -> float:
        """A size that is known beforehand; that of the values, where it is zero."""
        return 0.0

    @property
    def ends(self) -> list[float]:
        """The ends that are given."""
        return [end for end in self.span if np.isfinite(end)]


def as_objective(output: Any) -> Objective:
    """The value at the end, where an output is given."""
    return output if isinstance(output, Objective) else Objective(end=output)


@dataclass
class Trial:
    """Runs of a model: numbers that are judged, and their derivatives."""

    family: Family
    names: tuple[str, ...]
    objective: Objective | None
    constraints: tuple[Constraint, ...]
    options: dict[str, Any]
    most: int
    runs: int = 0
    found: dict[bytes, Any] = field(default_factory=dict)
    solution: Solution | None = None

    @property
    def numbers(self) -> list[Objective]:
        """What is one number of a run."""
        goals = [as_objective(c.output) for c in self.constraints if not (c.always or c.of_parameters)]
        return ([] if self.objective is None else [self.objective]) + goals

    @property
    def by_adjoint(self) -> bool:
        """Whether adjoints are cheaper than tangents, and take the options of the run."""
        if any(c.always for c in self.constraints) or not ADJOINT.issuperset(self.options):
            return False
        return bool(self.numbers) and len(self.names) > MANY * len(self.numbers)

    def at(self, values: FloatArray) -> tuple[float, FloatArray, list[FloatArray], list[FloatArray]]:
        """Objective and its gradient; values of constraints and their derivatives."""
        key = values.tobytes()
        if key not in self.found:
            named = dict(zip(self.names, map(float, values), strict=True))
            if self.runs >= self.most:
                raise TooManyRunsError(f"the search did not end after {self.runs} runs", hint="raise max_runs")
            try:
                scalars = self.adjoints(named) if self.by_adjoint else self.tangents(named)
                self.found[key] = self.sorted(named, values, scalars)
            except IsodynError as error:
                self.found[key] = error
        if isinstance(self.found[key], IsodynError):
            raise self.found[key]
        found: tuple[float, FloatArray, list[FloatArray], list[FloatArray]] = self.found[key]
        return found

    def adjoints(self, named: dict[str, float]) -> list[tuple[Any, Any]]:
        """Every number with its gradient, by one adjoint each."""
        found = []
        for one in self.numbers:
            self.runs += 1
            made = gradient(moved(self.family, named), objective=one, parameters=list(self.names), **self.options)
            self.solution = made.solution
            found.append((made.value, made.gradient))
        return found

    def tangents(self, named: dict[str, float]) -> list[tuple[Any, Any]]:
        """All numbers, then all outputs of rows, from one run with tangents."""
        self.runs += 1
        sol = integrate(moved(self.family, named), sensitivities=list(self.names), **self.options)
        self.solution = sol
        found: list[tuple[Any, Any]] = []
        by = [sol.sensitivity(name) for name in self.names]
        for one in self.numbers:
            weighted = Weighted(one, sol.t)
            plain = float(weighted.rows(sol).sum())
            found.append((plain, np.array([each.of(weighted.rows).sum() for each in by])))
        for c in self.constraints:
            if c.always:
                output: Any = c.output
                read = reader_of(output, sol)
                found.append((np.asarray(read(sol)), np.column_stack([each.of(read) for each in by])))
        return found

    def sorted(
        self, named: dict[str, float], values: FloatArray, found: list[tuple[Any, Any]]
    ) -> tuple[float, FloatArray, list[FloatArray], list[FloatArray]]:
        """In the order of objective and constraints."""
        numbers, rows = iter(found[: len(self.numbers)]), iter(found[len(self.numbers) :])
        f, df = (0.0, np.zeros(values.size)) if self.objective is None else next(numbers)
        g: list[FloatArray] = []
        dg: list[FloatArray] = []
        for c in self.constraints:
            value, by = self.of_parameters(c, named) if c.of_parameters else next(rows if c.always else numbers)
            g.append(np.atleast_1d(np.asarray(value, dtype=np.float64)))
            dg.append(np.atleast_2d(np.asarray(by, dtype=np.float64)))
        return float(f), np.asarray(df), g, dg

    def of_parameters(self, c: Constraint, named: dict[str, float]) -> tuple[float, FloatArray]:
        """A function of parameters, by differences."""
        function: Any = c.output
        by = []
        for name, x in named.items():
            h = PART * max(abs(x), 1e-2)
            terms = (w / h * float(function({**named, name: x + k * h})) for k, w in zip(*CENTRAL[:2], strict=True))
            by.append(sum(terms))
        return float(function(named)), np.array(by)

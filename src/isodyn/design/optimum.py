"""Designs: the best values of parameters under constraints, and boundary values by shooting.

    minimise f(θ)   with   low ≤ g(θ) ≤ high,   θ within its bounds

f and g are outputs of one run: at its end, integrated, at given times, or in every row. Their
derivatives are exact: tangents for few parameters, one adjoint for each number where there are many.
Without f, conditions g(θ) = value are solved by least squares: shooting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isodyn.api import integrate
from isodyn.api.sensitive import checked_names, gradient
from isodyn.design.families import checked_bounds, checked_values, model_family, moved
from isodyn.errors import ConvergenceError, InputError, IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.results.sensitivity import reader_of
from isodyn.results.solution import Solution
from isodyn.sensitivities.gradient import Objective, Output, Weighted
from isodyn.sensitivities.parameters import CENTRAL, Family

optimize = Later("scipy.optimize")

MANY = 12  # more parameters than this for every number: adjoints
MET = 1e-6  # of its typical size: what a condition may be missed by
PART = 1e-3  # of a parameter: points of differences of functions of parameters


@dataclass(frozen=True, eq=False)
class Constraint:
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
                raise InputError("a constraint takes equals=, or low= and high=, not both")
            object.__setattr__(self, "low", float(self.equals))
            object.__setattr__(self, "high", float(self.equals))
        if self.low is None and self.high is None:
            raise InputError("a constraint needs low=, high= or equals=")
        if self.always and (isinstance(self.output, Objective) or self.of_parameters):
            raise InputError("a constraint that holds always needs an output of rows")

    @property
    def span(self) -> tuple[float, float]:
        """Lower and upper end."""
        return -np.inf if self.low is None else self.low, np.inf if self.high is None else self.high


@dataclass(frozen=True, eq=False)
class Optimum:
    """What `optimise` found.

    Parameters
    ----------
    parameters
        Names of the parameters.
    values, start
        Their values, and those that the search began with.
    value
        The objective; zero where there is none.
    constraints
        Values of the constraints, one after the other.
    violation
        By how much constraints are missed, the largest.
    runs
        Number of runs.
    message
        Why the search ended.
    solution
        The run with the values found.
    model
        The model with the values found, as `integrate` takes it.

    Examples
    --------
    >>> import isodyn as iso
    >>> def throw(vx, vz):
    ...     return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: [0.0, -10.0], q0=[0, 0], v0=[vx, vz], names=["x", "z"])
    >>> goals = [iso.Constraint("x", equals=3.0), iso.Constraint("z", equals=0.0)]
    >>> found = iso.optimise(iso.Parametrised(throw, vx=1.0, vz=1.0), ["vx", "vz"], constraints=goals, dt=0.1, t_end=1.0)
    >>> round(found["vx"], 6), round(found["vz"], 6)
    (3.0, 5.0)
    """

    parameters: tuple[str, ...]
    values: FloatArray
    start: FloatArray
    value: float
    constraints: tuple[FloatArray, ...]
    violation: float
    runs: int
    message: str
    solution: Solution
    model: Any

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.parameters, self.values, strict=True))
        return f"<Optimum {self.value:.6g}: {found}>"

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.parameters.index(name)])


def _as_objective(output: Any) -> Objective:
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
        goals = [_as_objective(c.output) for c in self.constraints if not (c.always or c.of_parameters)]
        return ([] if self.objective is None else [self.objective]) + goals

    @property
    def by_adjoint(self) -> bool:
        """Whether adjoints are cheaper than tangents."""
        rows = any(c.always for c in self.constraints)
        return not rows and bool(self.numbers) and len(self.names) > MANY * len(self.numbers)

    def at(self, values: FloatArray) -> tuple[float, FloatArray, list[FloatArray], list[FloatArray]]:
        """Objective and its gradient; values of constraints and their derivatives."""
        key = values.tobytes()
        if key not in self.found:
            named = dict(zip(self.names, map(float, values), strict=True))
            if self.runs >= self.most:
                raise ConvergenceError(f"the search did not end after {self.runs} runs", hint="raise max_runs")
            scalars = self.adjoints(named) if self.by_adjoint else self.tangents(named)
            self.found[key] = self.sorted(named, values, scalars)
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

    def sorted(self, named: dict[str, float], values: FloatArray, found: list[tuple[Any, Any]]) -> Any:
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


def optimise(
    model: Any,
    parameters: Sequence[str],
    *,
    objective: Objective | Output | None = None,
    constraints: Sequence[Constraint] = (),
    maximise: bool = False,
    start: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    method: str | None = None,
    max_runs: int = 300,
    **options: Any,
) -> Optimum:
    """Find the values of parameters that make an objective small, under constraints.

    Without an objective the conditions are solved: boundary values by shooting.

    Parameters
    ----------
    model
        A mechanism, a `Parametrised` system, a model file or its path, or a ready problem.
    parameters
        Names of the numbers to be found.
    objective
        An `Objective`; a name of a quantity or a function of a solution means its value at the end.
    constraints
        Conditions.
    maximise
        Whether the objective shall be large.
    start
        Values to begin with, where they are others than those of the model.
    bounds
        (low, high) by name; None means that there is no bound.
    method
        A method of `scipy.optimize.minimize` that takes gradients; SLSQP with constraints, L-BFGS-B
        without if left out.
    max_runs
        Most runs that are taken.
    **options
        For `integrate`: dt, t_end, scheme, formulation, t0, newton, assemble.

    Returns
    -------
    optimum
        Values, and the run with them.

    Raises
    ------
    InputError
        If an argument is not admissible.
    ConvergenceError
        If the search does not end, or conditions cannot be met.

    Examples
    --------
    >>> import isodyn as iso
    >>> def spring(k):
    ...     return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -k * q, q0=[1.0], v0=[0.0], names=["x"])
    >>> found = iso.optimise(iso.Parametrised(spring, k=5.0), ["k"], objective="x", dt=0.01, t_end=1.0)
    >>> abs(found["k"] - 9.87) < 0.01
    True
    """
    names = tuple(checked_names(parameters, "parameters"))
    family, said = model_family(model, names)
    chosen = {**{k: x for k, x in said.items() if k not in ("save_every", "events", "breakpoints")}, **options}
    if objective is None and not constraints:
        raise InputError("optimise needs an objective, or constraints to be met")
    if objective is None and any(c.low != c.high for c in constraints):
        raise InputError("without an objective every constraint takes equals=")
    goal = None if objective is None else _as_objective(objective)
    values = np.array([checked_values(start, names, "start").get(n, family.value(n)) for n in names])
    low, high = (np.array(x) for x in checked_bounds(bounds, names))
    if not ((low <= values) & (values <= high)).all():
        raise InputError("the start is outside the bounds", hint="give start=")
    trial = Trial(family, names, goal, tuple(constraints), chosen, max_runs)
    scale = np.where(values != 0.0, np.abs(values), np.where(np.isfinite(high - low), high - low, 1.0))
    search = Search(trial, values, scale, (low, high), -1.0 if maximise else 1.0)
    x, message = search.conditions() if goal is None else search.minimum(method)
    f, _, g, _ = trial.at(scale * x)
    missed = max(
        (float(np.maximum(c.span[0] - y, y - c.span[1]).max()) for c, y in zip(constraints, g, strict=True)),
        default=0.0,
    )
    allowed = MET * max([1.0, *(float(np.abs(y).max()) for y in g)])
    if missed > allowed:
        raise ConvergenceError(
            f"the constraints are missed by {missed:.3g}: {message}", hint="start nearer, or ask for less"
        )
    at = dict(zip(names, map(float, scale * x), strict=True))
    sol = integrate(moved(family, at), sensitivities=[names[0]], **chosen)
    return Optimum(
        names, scale * x, values, f, tuple(g), max(missed, 0.0), trial.runs + 1, message, sol, moved(family, at)
    )


@dataclass
class Search:
    """The search, in scaled parameters θ = scale·x."""

    trial: Trial
    start: FloatArray
    scale: FloatArray
    bounds: tuple[FloatArray, FloatArray]
    sign: float

    def conditions(self) -> tuple[FloatArray, str]:
        """Conditions by least squares."""
        trial, scale = self.trial, self.scale
        wanted = [np.full(y.size, c.span[0]) for c, y in zip(trial.constraints, trial.at(self.start)[2], strict=True)]

        def gap(x: FloatArray) -> FloatArray:
            try:
                return np.concatenate(trial.at(scale * x)[2]) - np.concatenate(wanted)
            except IsodynError as error:
                if isinstance(error, ConvergenceError) and "did not end" in str(error):
                    raise
                return np.full(sum(y.size for y in wanted), np.nan)

        found = optimize.least_squares(
            gap,
            self.start / scale,
            jac=lambda x: np.vstack(trial.at(scale * x)[3]) * scale,
            bounds=(self.bounds[0] / scale, self.bounds[1] / scale),
            xtol=1e-14,
            ftol=1e-14,
            gtol=1e-14,
        )
        return found.x, str(found.message)

    def minimum(self, method: str | None) -> tuple[FloatArray, str]:
        """The smallest value."""
        trial, scale = self.trial, self.scale
        first = trial.at(self.start)
        size = self.sign / max(float(np.abs(first[1] * scale).max()), 1e-12 * abs(first[0]), 1e-300)
        worst = 1e6 * (1.0 + abs(first[0]))  # what a run that the model refuses is worth

        def value(x: FloatArray) -> float:
            try:
                return size * trial.at(scale * x)[0]
            except InputError:
                return abs(size) * worst

        given: dict[str, Any] = {"bounds": list(zip(*(b / scale for b in self.bounds), strict=True))}
        if trial.constraints:
            spans = [
                (np.full(y.size, c.span[0]), np.full(y.size, c.span[1]))
                for c, y in zip(trial.constraints, first[2], strict=True)
            ]
            low, high = (np.concatenate([s[k] for s in spans]) for k in (0, 1))
            given["constraints"] = optimize.NonlinearConstraint(
                lambda x: np.concatenate(trial.at(scale * x)[2]),
                low,
                high,
                jac=lambda x: np.vstack(trial.at(scale * x)[3]) * scale,
            )
        found = optimize.minimize(
            value,
            self.start / scale,
            jac=lambda x: size * trial.at(scale * x)[1] * scale,
            method=method or ("SLSQP" if trial.constraints else "L-BFGS-B"),
            tol=1e-8,
            **given,
        )
        return np.asarray(found.x), str(found.message)

"""Designs: the best values of parameters under constraints, and boundary values by shooting.

    minimise f(θ)   with   low ≤ g(θ) ≤ high,   θ within its bounds

f and g are outputs of one run: at its end, integrated, at given times, or in every row. Their
derivatives are exact: tangents for few parameters, one adjoint for each number where there are
many. Without f, conditions g(θ) = value are solved by least squares: shooting.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.api import integrate
from isodyn.api.sensitive import checked_names
from isodyn.design.families import breaks_within, checked_bounds, checked_values, model_family, moved
from isodyn.design.multiple_shooting import in_parts
from isodyn.design.trials import Constraint, TooManyRunsError, Trial, as_objective
from isodyn.errors import AccuracyWarning, ConvergenceError, InputError, IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.solution import Solution
from isodyn.sensitivities.gradient import Objective, Output

if TYPE_CHECKING:
    import numpy.typing as npt

optimize = Later("scipy.optimize")

MET = 1e-6  # of its typical size: what a condition may be missed by
ROUND = 1e-10  # of the parameters: rounding, which moves conditions as well
STEEP = 10.0  # the slope on designs that cannot be run, beside that of the last one that can
BESIDE = 1e-4  # of the parameters: a design that is as near to one that cannot be run lies on the border


@dataclass(frozen=True, eq=False)
class Optimum(ShownInNotebooks):
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
    model: object

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.parameters, self.values, strict=True))
        return f"<Optimum {self.value:.6g}: {found}>"

    def __getitem__(self, name: str) -> float:
        if name not in self.parameters:
            raise InputError(f"{name!r} was not searched", hint=f"parameters: {', '.join(self.parameters)}")
        return float(self.values[self.parameters.index(name)])


def optimise(
    model: object,
    parameters: Sequence[str],
    *,
    objective: Objective | Output | None = None,
    constraints: Sequence[Constraint] = (),
    maximise: bool = False,
    start: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    method: str | None = None,
    max_runs: int = 300,
    nodes: Sequence[float] = (),
    guess: Callable[[float], tuple[Any, Any]] | None = None,
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
    nodes
        Times at which the run is taken apart (multiple shooting): states there are unknowns of the
        search, and continuity is a condition. Motions that do not stay near to each other are found
        in this way.
    guess
        Function of time that returns guesses of q and v at the nodes; the run with the values at
        the start gives them if left out.
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

    Warns
    -----
    AccuracyWarning
        If the search stopped before it converged, or beside designs that cannot be run.

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
    chosen = {**said, **options}
    if "breakpoints" not in options:
        chosen |= breaks_within(said, chosen.get("t0", 0.0), chosen.get("t_end", np.inf))
    chosen = {key: x for key, x in chosen.items() if key != "breakpoints" or len(x)}
    if objective is None and not constraints:
        raise InputError("optimise needs an objective, or constraints to be met", hint="give objective=")
    if objective is None and any(c.low != c.high for c in constraints):
        raise InputError("without an objective every constraint takes equals=", hint="give equals=, or objective=")
    goal = None if objective is None else as_objective(objective)
    values = np.array([checked_values(start, names, "start").get(n, family.value(n)) for n in names])
    low, high = (np.array(x) for x in checked_bounds(bounds, names))
    if not ((low <= values) & (values <= high)).all():
        raise InputError("the start is outside the bounds", hint="give start=")
    trial = Trial(family, names, goal, tuple(constraints), chosen, max_runs)
    start_values = values
    if len(nodes):
        trial = in_parts(trial, values, nodes, guess)
        more = len(trial.names) - len(names)
        values, low, high = (np.append(x, np.full(more, y)) for x, y in ((values, 0.0), (low, -np.inf), (high, np.inf)))
    elif guess is not None:
        raise InputError("guess= needs nodes=", hint="leave it out, or give nodes=")
    scale = np.where(values != 0.0, np.abs(values), np.where(np.isfinite(high - low), high - low, 1.0))
    search = Search(trial, values, scale, (low, high), -1.0 if maximise else 1.0)
    x, message = search.conditions() if goal is None else search.minimum(method)
    f, _, g, _ = trial.at(scale * x)
    missed = search.missed(x, message)
    best = (scale * x)[: len(names)]
    at = dict(zip(names, map(float, best), strict=True))
    sol = integrate(moved(family, at), sensitivities=[names[0]], **chosen)
    return Optimum(
        names,
        best,
        start_values,
        f,
        tuple(g[: len(constraints)]),
        missed,
        trial.runs + 1,
        message,
        sol,
        moved(family, at),
    )


@dataclass
class Search:
    """The search, in scaled parameters θ = scale·x, with constraints in parts of their sizes."""

    trial: Trial
    start: FloatArray
    scale: FloatArray
    bounds: tuple[FloatArray, FloatArray]
    sign: float

    def __post_init__(self) -> None:
        f, df, g, dg = self.trial.at(self.start)
        self.at_start, self.refused = g, list[FloatArray]()
        self.size = self.sign / max(float(np.abs(df * self.scale).max()), 1e-12 * abs(f), 1e-300)
        sizes = [
            np.full(y.size, largest(y, *c.ends, by * self.scale) or 1.0)
            for c, y, by in zip(self.trial.constraints, g, dg, strict=True)
        ]
        self.sizes = np.concatenate([np.empty(0), *sizes])
        self.last = self.start / self.scale, self.scaled(f, df, g, dg)

    def scaled(
        self, f: float, df: FloatArray, g: list[FloatArray], dg: list[FloatArray]
    ) -> tuple[float, FloatArray, Any, Any]:
        """Objective, its gradient, constraints and their derivatives, as the search takes them."""
        by = np.vstack([np.empty((0, self.scale.size)), *dg]) * self.scale
        return (
            self.size * f,
            self.size * df * self.scale,
            np.concatenate([np.empty(0), *g]) / self.sizes,
            by / self.sizes[:, None],
        )

    def judged(self, x: FloatArray) -> Any:
        """A design. One that cannot be run lies on a slope that rises from the last good one."""
        try:
            found = self.scaled(*self.trial.at(self.scale * x))
        except TooManyRunsError:
            raise
        except IsodynError:
            self.refused.append(x.copy())
            good, (f, df, g, dg) = self.last
            way, steep = x - good, STEEP * max(1.0, float(np.abs(df).max()))
            far = max(float(np.linalg.norm(way)), 1e-300)
            return f + steep * far, steep * way / far, g, dg
        self.last = x.copy(), found
        return found

    def ends(self, k: int) -> FloatArray:
        """Lower or upper ends of all constraints."""
        pairs = zip(self.trial.constraints, self.at_start, strict=True)
        return np.concatenate([np.full(y.size, c.span[k]) for c, y in pairs]) / self.sizes

    def conditions(self) -> tuple[FloatArray, str]:
        """Conditions by least squares."""
        wanted = self.ends(0)

        def gap(x: FloatArray) -> FloatArray:
            try:
                return np.asarray(self.scaled(*self.trial.at(self.scale * x))[2] - wanted)
            except TooManyRunsError:
                raise
            except IsodynError:
                return np.full(wanted.size, np.nan)

        found = optimize.least_squares(
            gap,
            self.start / self.scale,
            jac=lambda x: self.scaled(*self.trial.at(self.scale * x))[3],
            bounds=(self.bounds[0] / self.scale, self.bounds[1] / self.scale),
            xtol=1e-14,
            ftol=1e-14,
            gtol=1e-14,
        )
        return found.x, str(found.message)

    def minimum(self, method: str | None) -> tuple[FloatArray, str]:
        """The smallest value."""
        given: dict[str, Any] = {}
        if np.isfinite(self.bounds).any():
            given["bounds"] = list(zip(*(b / self.scale for b in self.bounds), strict=True))
        if self.trial.constraints:
            given["constraints"] = optimize.NonlinearConstraint(
                lambda x: self.judged(x)[2], self.ends(0), self.ends(1), jac=lambda x: self.judged(x)[3]
            )
        if method is None:  # the number of runs ends these searches
            method, given["options"] = "SLSQP" if self.trial.constraints else "L-BFGS-B", {"maxiter": self.trial.most}
        found = optimize.minimize(
            lambda x: self.judged(x)[0],
            self.start / self.scale,
            jac=lambda x: self.judged(x)[1],
            method=method,
            tol=1e-8,
            **given,
        )
        told = "" if found.success else str(found.message)
        if any(float(np.abs(x - found.x).max()) < BESIDE for x in self.refused):
            text = "the search ended beside designs that cannot be run: there may be better ones along their border"
            warnings.warn(AccuracyWarning(f"{text} ({told})" if told else text), stacklevel=3)
        elif told:
            text = f"the search may have stopped before the best design: {told}"
            warnings.warn(AccuracyWarning(text), stacklevel=3)
        return np.asarray(found.x), str(found.message)

    def missed(self, x: FloatArray, message: str) -> float:
        """By how much constraints are missed, the largest; ConvergenceError if that is much for one
        of them, by its own size."""
        _, _, g, dg = self.trial.at(self.scale * x)
        worst = 0.0
        for k, (c, y, first, by) in enumerate(zip(self.trial.constraints, g, self.at_start, dg, strict=True)):
            for end, gap in ((c.span[0], c.span[0] - y), (c.span[1], y - c.span[1])):
                miss = float(gap.max())
                if not np.isfinite(end) or miss <= 0.0:
                    continue
                worst = max(worst, miss)
                if miss > MET * largest(y, first, end, c.typical) + ROUND * largest(by * self.scale):
                    raise ConvergenceError(
                        f"the constraints are missed by {miss:.3g} (constraints[{k}]): {message}",
                        hint="start nearer, or ask for less",
                    )
        return worst


def largest(*numbers: npt.ArrayLike) -> float:
    """The largest size among numbers."""
    return max(float(np.abs(x).max(initial=0.0)) for x in numbers)

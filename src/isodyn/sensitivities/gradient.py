"""The gradient of one objective by many parameters, from one run and its adjoint.

    objective = end(t_end) + ∫ integral dt + Σ at(t_i)

The states at some steps are kept; the steps after them are taken again, written onto a tape and
gone back over (isodyn.sensitivities.taped_run). Repeated steps are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.errors import InputError, IsodynError, SensitivityError
from isodyn.kernels.compiled import FloatArray
from isodyn.marching.progress import Progress
from isodyn.notebook_views import ShownInNotebooks, Told
from isodyn.results.sensitivity import reader_of
from isodyn.results.solution import Solution
from isodyn.sensitivities.memory import Adjoint
from isodyn.sensitivities.taped_run import TapedRun
from isodyn.sensitivities.variations import CENTRAL, PART, Variation
from isodyn.systems.base import System

Output = str | tuple[str, str] | Callable[[Solution], Any]
ROUNDING = 1e-14  # of the largest value of an output: what changes by less does not depend on what was moved
SAME_TIME = 1e-9  # of a step: times nearer to the end of a step than this are there


@dataclass(frozen=True, eq=False)
class Objective(Told):
    """A number that a run is judged by: end(t_end) + ∫ integral dt + Σ at(t_i).

    Outputs are names of quantities (`sol.quantities()`), or functions of a solution that return one
    number for each of its rows and look at no other rows. The integral is taken by the trapezoidal
    rule over all steps.

    Parameters
    ----------
    end
        Output at the end of the run.
    integral
        Output that is integrated over time.
    at
        Pairs (t, output) with times of ends of steps.

    Raises
    ------
    InputError
        If there is nothing in it.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.Objective(end="pin.angle", integral=lambda sol: sol.v[:, 0] ** 2).end
    'pin.angle'
    """

    end: Output | None = None
    integral: Output | None = None
    at: Sequence[tuple[float, Output]] = ()

    def __post_init__(self) -> None:
        if self.end is None and self.integral is None and not self.at:
            raise InputError("an objective needs end=, integral= or at=")

    @property
    def along(self) -> bool:
        """Whether it looks at more than the end of the run."""
        return self.integral is not None or bool(self.at)


@dataclass(frozen=True, eq=False)
class Gradient(ShownInNotebooks):
    """The derivatives of an objective by parameters.

    Parameters
    ----------
    value
        The objective.
    gradient
        Its derivatives, in the order of the parameters.
    parameters
        Their names.
    solution
        The run, with the rows that the objective looks at.

    Examples
    --------
    >>> import isodyn as iso
    >>> def oscillator(k):
    ...     return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -k * q, q0=[1.0], v0=[0.0])
    >>> family = iso.Parametrised(oscillator, k=4.0)
    >>> found = iso.gradient(family, dt=0.01, t_end=1.0, objective=lambda sol: sol.q[:, 0], parameters=["k"])
    >>> round(found["k"], 3)
    -0.227
    """

    value: float
    gradient: FloatArray
    parameters: tuple[str, ...]
    solution: Solution

    def __repr__(self) -> str:
        by = ", ".join(f"{x:.6g} by {name!r}" for name, x in zip(self.parameters, self.gradient, strict=True))
        return f"<Gradient of {self.value:.6g}: {by}>"

    def __getitem__(self, name: str) -> float:
        if name not in self.parameters:
            raise InputError(f"there is no derivative by {name!r}", hint=f"there are: {', '.join(self.parameters)}")
        return float(self.gradient[self.parameters.index(name)])


def reader(output: Output) -> Callable[[Solution], FloatArray]:
    """The function that reads an output, one number for each row."""
    known: list[Callable[[Solution], Any]] = []

    def read(sol: Solution) -> FloatArray:
        if not known:
            known.append(reader_of(output, sol))
        values = np.asarray(known[0](sol), dtype=np.float64)
        if values.shape != sol.t.shape:
            raise InputError(
                f"an objective needs one number for each row; {output!r} gives the shape {values.shape} for {sol.t.size} rows",
                hint="choose a component",
            )
        if not np.isfinite(values).all():
            raise SensitivityError(f"{output!r} is not finite along the run, so it has no derivative")
        return values

    return read


class Weighted:
    """Outputs with the weights that rows have in an objective."""

    def __init__(self, objective: Objective, t: FloatArray) -> None:
        self.parts: list[tuple[Callable[[Solution], FloatArray], FloatArray]] = []
        last = np.zeros(t.size)
        last[-1] = 1.0
        if objective.end is not None:
            self.parts.append((reader(objective.end), last))
        if objective.integral is not None:
            weights = np.zeros(t.size)
            weights[:-1] += 0.5 * np.diff(t)
            weights[1:] += 0.5 * np.diff(t)
            self.parts.append((reader(objective.integral), weights))
        for time, output in objective.at:
            k = int(np.abs(t - time).argmin())
            typical = float(np.diff(t).max(initial=1.0))
            if abs(t[k] - time) > SAME_TIME * typical:
                raise InputError(
                    f"at = {time:g} is not the end of a step; the nearest is {t[k]:.9g}", hint="choose dt to suit"
                )
            weights = np.zeros(t.size)
            weights[k] = 1.0
            self.parts.append((reader(output), weights))

    def rows(self, sol: Solution) -> FloatArray:
        """What each row adds to the objective."""
        total = np.zeros(sol.t.size)
        for read, weights in self.parts:
            total = total + weights * read(sol)
        return total


def row_derivatives(run: TapedRun, sol: Solution, weighted: Weighted) -> tuple[FloatArray, ...]:
    """Derivatives of what rows add to the objective by their own q (as increments), v, a and
    lam."""
    system, sizes = run.system, run.system.scales.v
    fast = max(1e-2, float(np.abs(sol.v / sizes).max(initial=0.0)))
    strong = max(1e-2, float(np.abs(sol.a / sizes).max(initial=0.0)))
    heavy = max(1e-2, float(np.abs(sol.lam).max(initial=0.0)))
    steps = {"q": sizes, "v": fast * sizes, "a": strong * sizes, "lam": np.full(system.m, heavy)}
    found = []
    for name, typical in steps.items():
        out = np.zeros((sol.t.size, typical.size))
        if name == "q" and system.nq == 0:
            found.append(out)
            continue
        for i in relevant(sol, name, typical, weighted):
            h = PART * typical[i]
            d = np.zeros(typical.size)
            for k, weight in zip(CENTRAL[0], CENTRAL[1], strict=True):
                d[i] = k * h
                out[:, i] += weight / h * weighted.rows(_moved(sol, name, d))
        found.append(out)
    return tuple(found)


def relevant(sol: Solution, name: str, typical: FloatArray, weighted: Weighted) -> list[int]:
    """Components that the objective depends on: groups that change nothing when they are moved by
    random steps are left out as a whole."""
    plain, rng = weighted.rows(_moved(sol, name, np.zeros(typical.size))), np.random.default_rng(7)
    found, groups = list[int](), [np.arange(typical.size)]
    while groups:
        group = groups.pop()
        d = np.zeros(typical.size)
        d[group] = PART * typical[group] * rng.uniform(0.5, 1.5, group.size)
        if group.size == 0 or np.array_equal(weighted.rows(_moved(sol, name, d)), plain):
            continue
        if group.size == 1:
            found.append(int(group[0]))
        else:
            groups += np.array_split(group, 2)
    return found


def _moved(sol: Solution, name: str, d: FloatArray) -> Solution:
    """The solution with all rows moved by the same increments."""
    other, system = copy(sol), sol.system
    other.aux = {}
    if name != "q" or system.retract is None:
        values = getattr(sol, name) + d[: getattr(sol, name).shape[1]]
    else:
        values = np.array([system.retract(q.copy(), d.copy()) for q in sol.q])
    setattr(other, name, values)
    return other


def gradient_of(run: TapedRun, objective: Objective, checkpoints: int | None, progress: bool) -> Gradient:
    """Run, and go back."""
    run.prepare(checkpoints)
    with Progress(run.whole, progress) as bar:
        sol = run.execute(bar)
    weighted = Weighted(objective, sol.t)
    plain = copy(sol)
    plain.aux = {}
    value = float(weighted.rows(plain).sum())
    rows = row_derivatives(run, sol, weighted)
    if run.independent.dropped.size and np.any(rows[3]):
        raise SensitivityError(
            "multipliers of redundant rows are shared after the run: gradients do not go back over that",
            hint="use integrate(..., sensitivities=[...]), or remove redundant rows",
        )
    system = run.system
    unknowns = system.nv + run.independent.chosen.size
    adjoint = Adjoint(
        nv=system.nv,
        m=system.m,
        parameters=len(run.variations),
        unknowns=unknowns,
        rows=sol.t.size,
    )
    adjoint.row_q, adjoint.row_v, adjoint.row_a, adjoint.row_lam = rows
    run.go_back(adjoint)
    for name, first in zip(("q", "v", "a", "lam"), rows, strict=True):
        getattr(adjoint, name)[:] += first[0]
    by = adjoint.by + run.by_start(adjoint) + by_outputs(run.variations, sol, weighted)
    return Gradient(value, by, tuple(one.name for one in run.variations), sol)


def _with(sol: Solution, system: System) -> Solution:
    other = copy(sol)
    other.system, other.aux = system, {}
    return other


def by_outputs(variations: Sequence[Variation], sol: Solution, weighted: Weighted) -> FloatArray:
    """What parameters change in the objective while the motion stays."""
    found, plain = np.zeros(len(variations)), weighted.rows(_with(sol, sol.system))
    if not looks_at_system(sol, weighted):
        return found
    least = ROUNDING * float(np.abs(plain).max(initial=0.0))
    groups = [list(range(len(variations)))]
    while groups:
        group = groups.pop()
        one: Variation = variations[group[0]]
        if len(group) == 1:
            found[group[0]] = float(one.difference(lambda other: weighted.rows(_with(sol, other)).sum(), sol.system))
            continue
        moved = {
            x.name: x.value + x.points[0] * x.h * (1.0 + 0.1 * k) for k, x in enumerate(variations[i] for i in group)
        }
        try:
            changed = np.abs(weighted.rows(_with(sol, one.family.at(moved))) - plain)
        except IsodynError:  # values that do not go together
            changed = np.array([np.inf])
        if not changed.max(initial=0.0) <= least:
            groups += [group[: len(group) // 2], group[len(group) // 2 :]]
    return found


def looks_at_system(sol: Solution, weighted: Weighted) -> bool:
    """Whether outputs look at more than the numbers of a solution."""
    seen: list[bool] = []

    class Watched(type(sol)):  # type: ignore[misc]
        @property
        def system(self) -> Any:
            seen.append(True)
            return sol.system

    watched = copy(sol)
    watched.__class__, watched.aux = Watched, {}
    weighted.rows(watched)
    return bool(seen)

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

from isodyn.errors import InputError, SensitivityError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.marching.progress import Progress
from isodyn.notebook_views import ShownInNotebooks, Told
from isodyn.results.balance import as_steps_end, jumps_of
from isodyn.results.contacts_beside import contacts_beside
from isodyn.results.sensitivity import fresh, reader_of
from isodyn.results.solution import Solution
from isodyn.sensitivities.by_outputs import by_outputs, coordinates_of_joints, looks_at_system
from isodyn.sensitivities.closed_rows import ClosedSystem
from isodyn.sensitivities.differentiable import without_contacts
from isodyn.sensitivities.memory import Adjoint
from isodyn.sensitivities.taped_run import TapedRun
from isodyn.sensitivities.variations import CENTRAL, PART
from isodyn.systems.base import System

Output = str | tuple[str, str] | Callable[[Solution], Any]
TOUCH = "forces of contacts"
NO_ROWS = np.zeros(0, dtype=np.int64)
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
    def outputs(self) -> list[Output]:
        """All outputs in it."""
        return [x for x in (self.end, self.integral, *(output for _, output in self.at)) if x is not None]

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


Weights = list[tuple[Callable[[Solution], FloatArray], FloatArray]]


class Weighted:
    """Outputs with the weights that rows have in an objective: those of a solution, and left-hand
    limits where forces or states jump, as the ends of steps see them."""

    def __init__(self, objective: Objective, t: FloatArray, jumps: IntArray = NO_ROWS) -> None:
        self.jumps = jumps
        self.parts: Weights = []
        self.left_parts: Weights = []
        self.integrand = None if objective.integral is None else reader(objective.integral)
        last = np.zeros(t.size)
        last[-1] = 1.0
        if objective.end is not None:
            self.parts.append((reader(objective.end), last))
        if self.integrand is not None:
            weights, left = np.zeros(t.size), np.zeros(t.size)
            weights[:-1] += 0.5 * np.diff(t)
            weights[1:] += 0.5 * np.diff(t)
            left[self.jumps] = 0.5 * np.diff(t)[self.jumps - 1]
            self.parts.append((self.integrand, weights - left))
            self.left_parts.append((self.integrand, left))
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
        return weighted_sum(self.parts, sol)

    def left(self, sol: Solution) -> FloatArray:
        """What left-hand limits add to it, of a solution that has them in its rows."""
        return weighted_sum(self.left_parts, sol)

    def both(self, sol: Solution, limits: Solution) -> FloatArray:
        """What rows and left-hand limits add to it."""
        return self.rows(sol) + (self.left(limits) if self.looks_left else 0.0)

    @property
    def looks_left(self) -> bool:
        """Whether it looks at left-hand limits."""
        return self.jumps.size > 0 and bool(self.left_parts)

    def gains(self, sol: Solution, limits: Solution) -> FloatArray:
        """What an integral gains while a jump happens later, in the order of the jumps."""
        if self.integrand is None or not self.jumps.size:
            return np.zeros(self.jumps.size)
        return self.integrand(limits)[self.jumps] - self.integrand(sol)[self.jumps]


def weighted_sum(parts: Weights, sol: Solution) -> FloatArray:
    """What each row of a solution adds."""
    total = np.zeros(sol.t.size)
    for read, weights in parts:
        total = total + weights * read(sol)
    return total


Added = Callable[[Solution], FloatArray]
"""What each row of a solution adds to an objective."""


def row_derivatives(sol: Solution, added: Added) -> tuple[FloatArray, ...]:
    """Derivatives of what rows add to the objective by their own q (as increments), v, a, lam, and
    forces of contacts."""
    system, sizes = sol.system, sol.system.scales.v
    fast = max(1e-2, float(np.abs(sol.v / sizes).max(initial=0.0)))
    strong = max(1e-2, float(np.abs(sol.a / sizes).max(initial=0.0)))
    heavy = max(1e-2, float(np.abs(sol.lam).max(initial=0.0)))
    steps = {"q": sizes, "v": fast * sizes, "a": strong * sizes, "lam": np.full(system.m, heavy)}
    forces = sol.aux.get("contact_force", np.zeros((0, 0)))
    steps[TOUCH] = np.full(forces.shape[1], max(1e-2, float(np.abs(forces).max(initial=0.0))))
    found = []
    for name, typical in steps.items():
        out = np.zeros((sol.t.size, typical.size))
        if name == "q" and system.nq == 0:
            found.append(out)
            continue
        for i in relevant(sol, name, typical, added):
            h = PART * typical[i]
            d = np.zeros(typical.size)
            for k, weight in zip(CENTRAL[0], CENTRAL[1], strict=True):
                d[i] = k * h
                out[:, i] += weight / h * added(_moved(sol, name, d))
        found.append(out)
    return tuple(found)


def relevant(sol: Solution, name: str, typical: FloatArray, added: Added) -> list[int]:
    """Components that the objective depends on: groups that change nothing when they are moved by
    random steps are left out as a whole."""
    plain, rng = added(_moved(sol, name, np.zeros(typical.size))), np.random.default_rng(7)
    found, groups = list[int](), [np.arange(typical.size)]
    while groups:
        group = groups.pop()
        d = np.zeros(typical.size)
        d[group] = PART * typical[group] * rng.uniform(0.5, 1.5, group.size)
        if group.size == 0 or np.array_equal(added(_moved(sol, name, d)), plain):
            continue
        if group.size == 1:
            found.append(int(group[0]))
        else:
            groups += np.array_split(group, 2)
    return found


def _moved(sol: Solution, name: str, d: FloatArray) -> Solution:
    """The solution with all rows moved by the same increments."""
    other, system = fresh(copy(sol)), sol.system
    if name == TOUCH:
        other.aux = contacts_beside(sol, other, d)
        return other
    if name != "q" or system.retract is None:
        values = getattr(sol, name) + d[: getattr(sol, name).shape[1]]
    else:
        values = np.array([system.retract(q.copy(), d.copy()) for q in sol.q])
    setattr(other, name, values)
    other.aux = contacts_beside(sol, other)
    return other


class Shown:
    """The solution that an objective looks at, of a run whose own rows may be others: which of
    those they are, and where its multipliers are among those of the run."""

    def __init__(self, run: TapedRun, found: Solution, sol: Solution | None) -> None:
        self.run, self.sol = run, found if sol is None else sol
        self.system = self.sol.system
        self.limits = as_steps_end(self.sol)
        self.rows = np.searchsorted(found.t, self.sol.t)
        if not np.array_equal(found.t[np.minimum(self.rows, found.t.size - 1)], self.sol.t):
            raise SensitivityError("rows of the run and of its derivatives are at different times")
        system = run.system
        self.places, self.touching = np.arange(system.m), NO_ROWS
        if isinstance(system, ClosedSystem):
            self.places, self.touching = system.places, system.contact_places
        self.starts = {restart.row: k for k, restart in enumerate(run.restarts)}
        self.many = found.t.size

    def put(self, weighted: Weighted, adjoint: Adjoint) -> None:
        """The derivatives of an objective by the states in rows, and by the times of jumps."""
        of_rows = row_derivatives(self.sol, weighted.rows)
        self.refuse_shared(of_rows[3])
        self.spread(of_rows, self.rows, adjoint)
        if not weighted.looks_left:
            return
        jumps = weighted.jumps
        left = tuple(x[jumps] for x in row_derivatives(self.limits, weighted.left))
        self.refuse_shared(left[3])
        numbers = [self.starts.get(int(row)) for row in self.rows[jumps]]
        places = [row if k is None else self.many + k for row, k in zip(self.rows[jumps], numbers, strict=True)]
        self.spread(left, np.array(places, dtype=np.int64), adjoint)
        for k, gain in zip(numbers, weighted.gains(self.sol, self.limits), strict=True):
            if k is not None:
                self.run.restarts[k].gain = float(gain)

    def spread(self, derivatives: tuple[FloatArray, ...], rows: IntArray, adjoint: Adjoint) -> None:
        """Add derivatives to these rows of an adjoint."""
        dq, dv, da, dlam, push = derivatives
        for k, row in enumerate(rows):
            adjoint.row_q[row] += dq[k]
            adjoint.row_v[row] += dv[k]
            adjoint.row_a[row] += da[k]
            adjoint.row_lam[row][self.places] += dlam[k]
            adjoint.row_lam[row][self.touching] -= push[k]

    def refuse_shared(self, dlam: FloatArray) -> None:
        """SensitivityError where multipliers of redundant rows are looked at."""
        if any(one.rows.dropped.size for one in self.run.settings) and np.any(dlam):
            raise SensitivityError(
                "multipliers of redundant rows are shared after the run: gradients do not go back over that",
                hint="use integrate(..., sensitivities=[...]), or remove redundant rows",
            )


def gradient_of(
    run: TapedRun, objective: Objective, checkpoints: int | None, progress: bool, kept: Solution | None = None
) -> Gradient:
    """Run, and go back; the objective looks at `kept`, if that is given."""
    run.prepare(checkpoints)
    with Progress(run.whole, progress) as bar:
        found = run.execute(bar)
    shown = Shown(run, found, kept)
    sol, limits = (_with(one, shown.system) for one in (shown.sol, shown.limits))
    weighted, system = Weighted(objective, shown.sol.t, jumps_of(shown.sol)), run.system
    value = float(weighted.both(sol, limits).sum())
    adjoint = Adjoint(
        nv=system.nv,
        m=system.m,
        parameters=len(run.variations),
        unknowns=system.nv + max(one.rows.chosen.size for one in run.settings),
        rows=found.t.size + len(run.restarts),
    )
    shown.put(weighted, adjoint)
    run.go_back(adjoint)
    for name in ("q", "v", "a", "lam"):
        getattr(adjoint, name)[:] += getattr(adjoint, f"row_{name}")[0]
    by = adjoint.by + run.by_start(adjoint)
    if looks_at_system(sol, weighted.rows):
        named = coordinates_of_joints(objective.outputs, sol)

        def outputs(other: System) -> FloatArray:
            return weighted.both(_with(sol, other), _with(limits, other))

        by += by_outputs(run.variations, sol.system, outputs, named)
    return Gradient(value, by, tuple(one.name for one in run.variations), shown.sol)


def _with(sol: Solution, system: System) -> Solution:
    other = fresh(copy(sol))
    other.system = without_contacts(system)
    other.aux = contacts_beside(sol, other)
    return other

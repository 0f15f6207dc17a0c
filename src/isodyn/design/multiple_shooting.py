"""Multiple shooting: a run in several parts, whose starts are unknowns as well.

    minimise f(θ, x₁, …)   with   end of part k = start of part k + 1,  and all other constraints

x are coordinates of the states at the nodes, beside a first guess of them, along the directions
that constraints allow. A motion that runs away from small changes of its start, so that the
derivatives of one long run are large and crooked, is made of parts that do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.api import integrate
from isodyn.design.families import moved
from isodyn.design.starts import Chart, Starts, apart, consistent, with_start
from isodyn.design.starts import moved as beside
from isodyn.design.trials import Constraint, Trial
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.results.sensitivity import reader_of
from isodyn.results.solution import Solution
from isodyn.sensitivities.gradient import Objective, Weighted
from isodyn.sensitivities.parameters import Family
from isodyn.sensitivities.start import along
from isodyn.systems import as_system
from isodyn.systems.compiled_system import settled
from isodyn.systems.description import Description

if TYPE_CHECKING:
    from isodyn.systems.base import System

ALLOWED = 0.5  # singular values of a projection are near to zero or one
Guess = Callable[[float], tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class Node:
    """A time at which a part begins, a guess of the state there, and a basis of its changes."""

    t: float
    chart: Chart
    basis: FloatArray
    names: tuple[str, ...]

    @property
    def size(self) -> float:
        """The largest number in the guess."""
        return float(np.abs(np.concatenate([self.chart.q, self.chart.v])).max())

    def start(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """q and v at these coordinates."""
        return self.chart.start(self.basis @ x)


def node_at(system: System, number: int, t: float, q: FloatArray, v: FloatArray, options: dict[str, Any]) -> Node:
    """A node near a state, which is moved onto the constraints."""
    dt = float(options["dt"])
    starts = Starts(consistent(with_start(system, np.array(q, dtype=float), np.array(v, dtype=float)), t, dt))
    basis = np.eye(starts.chart.size)
    if starts.system.m:
        sol = integrate(starts, sensitivities=list(starts.names), **{**options, "t0": t, "t_end": t + dt})
        by = [sol.sensitivity(name) for name in starts.names]
        first = np.array([starts.chart.coordinates(one.dq[0], one.v[0]) for one in by]).T
        U, sizes, _ = np.linalg.svd(first)  # a projection onto what the constraints allow
        basis = U[:, sizes > ALLOWED]
    names = tuple(f"node{number}.{k}" for k in range(basis.shape[1]))
    return Node(t, starts.chart, basis, names)


class Part(Description):
    """The system of one part: parameters, and the coordinates of the node that it starts from."""

    def __init__(self, family: Family, node: Node | None, values: Mapping[str, float]) -> None:
        self.family, self.node, self.values = family, node, dict(values)

    def compile(self) -> System:
        """The system with the present values."""
        return self.at({})

    def value(self, name: str) -> float:
        """The value of a parameter or coordinate."""
        return self.values[name]

    def at(self, changes: Mapping[str, float]) -> System:
        """The system with other values of some of them."""
        now = {**self.values, **changes}
        names = () if self.node is None else self.node.names
        system = as_system(moved(self.family, {name: x for name, x in now.items() if name not in names}))
        if self.node is None:
            return system
        q, v = self.node.start(np.array([now[name] for name in names]))
        return with_start(system, settled(system, q), v)


@dataclass
class ShootingTrial(Trial):
    """Trials of a run in parts: the parameters come first, then the coordinates of all nodes."""

    nodes: list[Node] = field(default_factory=list)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names without those of nodes."""
        return self.names[: len(self.names) - sum(len(node.names) for node in self.nodes)]

    @property
    def by_adjoint(self) -> bool:
        """Parts have many outputs: all that is continuous."""
        return False

    def tangents(self, named: dict[str, float]) -> list[tuple[Any, Any]]:
        """All numbers, then what is meant always, then the gaps between parts."""
        self.runs += 1
        times = [float(self.options.get("t0", 0.0)), *(node.t for node in self.nodes), float(self.options["t_end"])]
        parts = [self.run(named, k, times[k], times[k + 1]) for k in range(len(times) - 1)]
        self.solution = parts[-1]
        found: list[tuple[Any, Any]] = [self.summed(one, parts) for one in self.numbers]
        for c in self.constraints:
            if c.always and not isinstance(c, Gap):
                output: Any = c.output
                read = reader_of(output, parts[0])
                rows = [self.derivative(sol, read) for sol in parts]
                found.append((np.concatenate([x for x, _ in rows]), np.vstack([by for _, by in rows])))
            elif isinstance(c, Gap):
                found.append(self.gap(parts[c.node], parts[c.node + 1], self.nodes[c.node]))
        return found

    def run(self, named: dict[str, float], k: int, t0: float, t_end: float) -> Solution:
        """Part k."""
        node = None if k == 0 else self.nodes[k - 1]
        names = [*self.parameters, *(() if node is None else node.names)]
        part = Part(self.family, node, {name: named[name] for name in names})
        options = {**self.options, "t0": t0, "t_end": t_end, "assemble": True}
        breaks = [t for t in options.pop("breakpoints", ()) if t0 < t < t_end]
        return integrate(part, sensitivities=names, **options, breakpoints=breaks)

    def derivative(self, sol: Solution, read: Callable[[Solution], Any]) -> tuple[FloatArray, FloatArray]:
        """An output of rows and its derivatives by all unknowns."""
        values = np.asarray(read(sol), dtype=np.float64)
        by = np.zeros((values.size, len(self.names)))
        for name, one in sol.sensitivities.items():
            by[:, self.names.index(name)] = one.of(read)
        return values, by

    def summed(self, one: Objective, parts: Sequence[Solution]) -> tuple[float, FloatArray]:
        """One number of the whole run, from all parts."""
        total, by = 0.0, np.zeros(len(self.names))
        for k, sol in enumerate(parts):
            last = k == len(parts) - 1
            at = [x for x in one.at if sol.t[0] < x[0] <= sol.t[-1] or (k == 0 and x[0] <= sol.t[0])]
            if one.integral is None and not at and not (last and one.end is not None):
                continue
            here = replace(one, end=one.end if last else None, at=at)
            value, rows = self.derivative(sol, Weighted(here, sol.t).rows)
            total, by = total + float(value.sum()), by + rows.sum(axis=0)
        return total, by

    def gap(self, before: Solution, after: Solution, node: Node) -> tuple[FloatArray, FloatArray]:
        """How far the end of a part is from the start of the next, along the basis of the node."""
        system, chart = after.system, node.chart

        def distance(q: FloatArray, v: FloatArray, q_end: FloatArray, v_end: FloatArray) -> FloatArray:
            return node.basis.T @ chart.coordinates(apart(system, q, q_end), v_end - v)

        first, last = (after.q[0], after.v[0]), (before.q[-1], before.v[-1])
        by = np.zeros((node.basis.shape[1], len(self.names)))
        for j, name in enumerate(self.names):
            one, other = before.sensitivities.get(name), after.sensitivities.get(name)
            moves = [np.zeros(system.nv) for _ in range(4)]
            if other is not None:
                moves[:2] = other.dq[0], other.v[0]
            if one is not None:
                moves[2:] = one.dq[-1], one.v[-1]
            size = max(float(np.abs(x / system.scales.v).max(initial=0.0)) for x in moves)
            if size == 0.0:
                continue

            def moved_by(e: float, moves: Any = moves) -> FloatArray:
                ends = (beside(system, first[0], e * moves[0]), first[1] + e * moves[1])
                return distance(*ends, beside(system, last[0], e * moves[2]), last[1] + e * moves[3])

            by[:, j] = along(moved_by, size)
        return distance(*first, *last), by


@dataclass(frozen=True, eq=False)
class Gap(Constraint):
    """The condition that a part begins where the one before it ends; gaps are small beside the
    state at the node, not beside themselves."""

    node: int = 0
    size: float = 0.0  # of that state

    @property
    def typical(self) -> float:
        return self.size


def in_parts(trial: Trial, values: FloatArray, nodes: Sequence[float], guess: Guess | None) -> ShootingTrial:
    """The trial with unknown states at some times; their first guesses from the run with the values
    that the search begins with, or from a function of time."""
    options = trial.options
    t0, t_end = float(options.get("t0", 0.0)), float(options["t_end"])
    times = [float(t) for t in nodes]
    if not isinstance(options.get("dt"), int | float) or not all(
        a < b for a, b in zip([t0, *times], [*times, t_end], strict=True)
    ):
        raise InputError(
            f"nodes are times in order between {t0:g} and {t_end:g}, with a number for dt; received {list(nodes)!r}",
            hint="such as nodes=(0.5, 1.0)",
        )
    named = dict(zip(trial.names, map(float, values), strict=True))
    model = moved(trial.family, named)
    system = as_system(model)
    if guess is None:
        sol = integrate(model, sensitivities=[trial.names[0]], **options)
        states = [(sol.at(t).q, sol.at(t).v) for t in times]
    else:
        states = [guess(t) for t in times]
    kept: dict[str, Any] = {key: options[key] for key in ("scheme", "formulation", "dt", "newton") if key in options}
    found = [node_at(system, k + 1, t, *states[k], kept) for k, t in enumerate(times)]
    gaps = tuple(Gap("", equals=0.0, always=True, node=k, size=node.size) for k, node in enumerate(found))
    names = (*trial.names, *(name for node in found for name in node.names))
    return ShootingTrial(
        trial.family, names, trial.objective, (*trial.constraints, *gaps), options, trial.most, nodes=found
    )

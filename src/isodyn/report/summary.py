"""What a run did, as numbers for machines and as lines for readers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.problems import Problem
from isodyn.report.names import velocity_names
from isodyn.results import Solution
from isodyn.results.quality import step_sizes
from isodyn.results.statistics import cost_of
from isodyn.studies.errors import errors_of, relative_error, scale_of


def run_summary(problem: Problem, parameters: dict[str, float], dt: float | None, sol: Solution) -> dict[str, Any]:
    """Plain numbers and strings: the run, ranges of motion, drift of invariants, errors, cost."""
    first = sol.system.first_order
    quantities = {"s": sol.v, "s'": sol.a} if first else {"q": sol.q, "v": sol.v, "a": sol.a}
    stats = sol.stats
    summary: dict[str, Any] = {
        "problem": problem.name,
        "title": problem.title,
        "source": problem.source,
        "parameters": problem.complete(parameters),
        "scheme": str(sol.scheme),
        "dt": dt,
        "step_sizes": step_sizes(sol),
        "t_start": float(sol.t[0]),
        "t_end": float(sol.t[-1]),
        "steps": stats.steps,
        "rows": int(sol.t.size),
        "motion": _motion(sol, quantities),
        "invariants": _invariants(problem, sol),
        "constraints": _constraints(sol),
        "errors": _errors(problem, parameters, sol),
        "cost": cost_of(stats),
    }
    if stats.methods:
        summary["methods"] = stats.methods
    if stats.index is not None:
        summary["index"] = stats.index
    if stats.stopped is not None:
        summary["stopped"] = stats.stopped
    return summary


def _motion(sol: Solution, quantities: dict[str, FloatArray]) -> dict[str, dict[str, dict[str, float]]]:
    """Ranges by the name of the variable; coordinates and velocities apart where they have names of
    their own."""
    rates = velocity_names(sol.system)
    if rates is None:
        return {
            name: {symbol: _range(values[:, i]) for symbol, values in quantities.items()}
            for i, name in enumerate(sol.system.names)
        }
    motion = {name: {"q": _range(sol.q[:, i])} for i, name in enumerate(sol.system.names)}
    return motion | {name: {"v": _range(sol.v[:, i]), "a": _range(sol.a[:, i])} for i, name in enumerate(rates)}


def _range(values: FloatArray) -> dict[str, float]:
    return {"min": float(values.min()), "max": float(values.max()), "final": float(values[-1])}


def _constraints(sol: Solution) -> dict[str, Any] | None:
    """Ranges of the multipliers, drift by level, rows that follow from others."""
    if sol.system.m == 0 or sol.t.size == 0:
        return None
    position, velocity, acceleration = sol.drift().largest
    return {
        "multipliers": {name: _range(sol.lam[:, i]) for i, name in enumerate(sol.system.row_names)},
        "drift": {"position": position, "velocity": velocity, "acceleration": acceleration},
        "redundant": list(sol.redundant),
    }


def _invariants(problem: Problem, sol: Solution) -> dict[str, dict[str, float]]:
    kept = problem.invariants(sol) or {}
    return {
        name: {
            "start": float(history[0]),
            "final": float(history[-1]),
            "largest_deviation": float(np.max(np.abs(history - history[0]))),
        }
        for name, history in kept.items()
    }


def _errors(problem: Problem, parameters: dict[str, float], sol: Solution) -> dict[str, Any] | None:
    """Against the exact motion over all of time, or against reference numbers at the last of their
    times that was reached."""
    complete = problem.complete(parameters)
    exact = problem.exact(sol.t, **parameters)
    if exact is not None and sol.t.size > 1:
        e = errors_of(sol, *exact)
        found = {"s": e.v, "s'": e.a} if sol.system.first_order else {"q": e.q, "v": e.v, "a": e.a}
        if exact.lam is not None:
            found["z" if sol.system.first_order else "lam"] = e.lam
        return {"against": "exact solution", "measure": "maximum over time, relative", **found}
    reference = problem.reference
    if reference is None or complete != dict(problem.parameters) or sol.t.size < 2:
        return None
    reached = np.flatnonzero(reference.t <= sol.t[-1] * (1 + 1e-12))
    if reached.size == 0:
        return None
    k = int(reached[-1])
    sample = sol.at(reference.t[k])
    return {
        "against": f"reference numbers: {reference.source}",
        "measure": f"at t = {reference.t[k]:g}, relative",
        "q": relative_error(sample.q, reference.q[k], scale_of(reference.q[k])),
        "v": relative_error(sample.v, reference.v[k], scale_of(reference.v[k])),
    }


def finite(value: object) -> Any:
    """The same with None in place of numbers that JSON cannot write."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if isinstance(value, np.generic):
        return finite(value.item())
    if isinstance(value, np.ndarray):
        return finite(value.tolist())
    if isinstance(value, complex):
        return {"re": finite(value.real), "im": finite(value.imag)}
    return None if isinstance(value, float) and not math.isfinite(value) else value

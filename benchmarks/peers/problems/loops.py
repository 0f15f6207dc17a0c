"""Closed loops in space (loop_models): a four-bar and Bricard's loop with rows too many, a Stewart
platform near rest, a hexapod; cost of a step at h = 1e-3.

The gate: places of all bodies after the steps of `GATE_STEPS` against isodyn with a tenth of the step
size, over the largest way that one of them went. Exudyn solves loops with rows too many by
full-pivot factors that leave singular ones out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from benchmarks.peers.claims import Claim, at_least
from benchmarks.peers.measure import Bench, Row, Way, best, ratio
from benchmarks.peers.problems.loop_models import DT, PACKAGES, TOLD, reference

__all__ = ["DT", "NAME", "PACKAGES", "TITLE", "claims", "measure"]

NAME, TITLE = "loops", "Closed loops in space: four-bar, Bricard, Stewart platform, hexapod"
GATE_STEPS = {"four-bar": 200, "Bricard": 200, "Stewart": 100, "hexapod": 60}
STEPS = {"four-bar": (200, 2200), "Bricard": (200, 1200), "Stewart": (100, 600), "hexapod": (20, 60)}
REDUNDANT = ("four-bar", "Bricard")
GATE = 5e-3
TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def ways(name: str) -> list[Way]:
    own: dict[str, Any] = {"name": name}
    found = [
        Way("isodyn", "V0(1, 1, 0)", {**own, "family": "V0", "radii": [1.0, 1.0, 0.0]}),
        Way("isodyn", "V0(1, 1, 0), Newton to 1e-8", {**own, "family": "V0", "radii": [1.0, 1.0, 0.0], "rtol": 1e-8}),
        Way("isodyn", "U0(0.8, 0.8, 0.8)", {**own, "radii": [0.8, 0.8, 0.8]}),
    ]
    solvers: list[dict[str, Any]] = [{"linear": "EigenDense", "singular": True}]
    if name == "Stewart":
        solvers += [{"linear": "EXUdense"}, {"linear": "EigenSparse", "reuse": True}]
    for solver in solvers:
        label = ", ".join(str(x) for x in solver.values() if isinstance(x, str))
        for node in ("rotation vector", "angles", "euler parameters"):
            found += [
                Way("exudyn", f"{node}, generalised-α, {label}", {**own, "node": node, **solver}),
                Way("exudyn", f"{node}, generalised-α, {label}, 1e-10", {**own, "node": node, **solver, **TIGHT}),
            ]
        index2 = {**own, "node": "euler parameters", **solver, "solver": "TrapezoidalIndex2"}
        found.append(Way("exudyn", f"euler parameters, trapezoidal index 2, {label}", index2))
    return found


def measure(bench: Bench) -> None:
    for name in TOLD:
        steps = 20 if bench.quick else GATE_STEPS[name]
        start, exact = reference(name, steps)
        way = float(np.abs(exact - start).max())

        def errors(
            answer: dict[str, Any], exact: np.ndarray = exact, way: float = way
        ) -> tuple[dict[str, float], bool]:
            found = {"place": float(np.abs(np.asarray(answer["places"]) - exact).max() / way)}
            if "drift" in answer:
                found |= {"phi": answer["drift"][0], "phi_dot": answer["drift"][1]}
            return found, found["place"] <= GATE

        bench.say(f"{name}, {len(exact)} bodies")
        before = len(bench.rows)
        ready = bench.prepare(NAME, ways(name), len(exact))
        for row in bench.rows[before:]:
            row.problem = name
        ready = bench.check(ready, steps, errors)
        bench.per_step(ready, *((10, 30) if bench.quick else STEPS[name]))
        for case, _ in ready:
            case.drop()


def claims(rows: list[Row]) -> list[Claim]:
    out: list[Claim] = []
    for name in TOLD:
        mine = [row for row in rows if row.problem == name]
        size = mine[0].size if mine else None
        own, other = best(mine, "isodyn", size), best(mine, "exudyn", size)
        if own is None or other is None:
            continue
        told = [
            f"{row.median * 1e6:.3g} µs ({row.way}; {row.counts.get('factorisations', math.nan):.2f} factorisations)"
            for row in (own, other)
        ]
        errors = f"error {own.errors['place']:.0e} against {other.errors['place']:.0e}"
        text = (
            f"{name}, {size} bodies{', rows too many' if name in REDUNDANT else ''}: times faster than Exudyn per step"
        )
        out.append(at_least(text, ratio(other, own), None, own.gate, f"{told[0]} against {told[1]}; {errors}"))
    return out

"""Nets of n × n parts (net_models): a cloth of particles and rods, a grid of bodies on balls; cost over
n at h = 1e-3.

The gate: places of all parts after the steps of `GATE_STEPS` against a run of isodyn with a tenth of
the step size and a tight tolerance, over the distance that a free part would have fallen. Exudyn
keeps its Jacobian over many steps where that is faster; factorisations per step of both are
reported.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from benchmarks.peers.claims import Claim, at_least, at_most
from benchmarks.peers.measure import Bench, Ratio, Row, Way, best, ratio, slope
from benchmarks.peers.problems.net_models import DT, GRAVITY, PACKAGES, reference

__all__ = ["NAME", "PACKAGES", "TITLE", "claims", "measure", "measure_nets"]

NAME, TITLE = "nets", "Cloth of particles and rods, grid of bodies on balls"
SIZES = {"cloth": (8, 16, 24, 32), "grid": (8, 16, 32)}
STEPS = {8: (40, 240), 16: (20, 120), 24: (20, 80), 32: (20, 80)}  # long beside what starts vary by
GATE_STEPS, GATE = 30, 2e-3
TIGHT = {"rtol": 1e-10, "atol": 1e-12}
NAMES = {"cloth": "cloth, n × n particles", "grid": "grid, n × n bodies", "tree": "tree, n × n bodies"}
LIMITS = {("cloth", 16): 1.5, ("cloth", 24): 1.5, ("grid", 16): 2.0, ("grid", 32): 2.0}  # others are reported


def ways(net: str, n: int) -> list[Way]:
    """What every package is tried with; the fastest that is accurate enough is kept."""
    own: dict[str, Any] = {"net": net, "n": n}
    found = [
        Way("isodyn", "V0(1, 1, 0)", {**own, "family": "V0", "radii": [1.0, 1.0, 0.0]}),
        Way("isodyn", "V0(1, 1, 0), Newton to 1e-8", {**own, "family": "V0", "radii": [1.0, 1.0, 0.0], "rtol": 1e-8}),
        Way("isodyn", "U0(0.8, 0.8, 0.8)", {**own, "radii": [0.8, 0.8, 0.8]}),
    ]
    nodes = ["point"] if net == "cloth" else ["euler parameters", "angles", "rotation vector"]
    for node in nodes:
        sparse = {**own, "node": node, "linear": "EigenSparse", "reuse": True, **TIGHT}
        label = "" if net == "cloth" else f"{node}, "
        found += [
            Way("exudyn", f"{label}generalised-α, Jacobian kept", {**sparse, "solver": "GeneralizedAlpha"}),
            Way("exudyn", f"{label}trapezoidal index 2, Jacobian kept", {**sparse, "solver": "TrapezoidalIndex2"}),
        ]
    sparse = {**own, "node": nodes[0], "linear": "EigenSparse", "reuse": True, **TIGHT}
    found.append(Way("exudyn", "generalised-α, a Jacobian per step", {**sparse, "each_step": True}))
    return found


def measure(bench: Bench) -> None:
    measure_nets(bench, NAME, SIZES)


def measure_nets(bench: Bench, problem: str, nets: Mapping[str, Sequence[int]]) -> None:
    """All sizes of these nets, as the cases of a problem."""
    for net, sizes in nets.items():
        for n in (4,) if bench.quick else sizes:
            steps = 10 if bench.quick else GATE_STEPS
            exact, fallen = reference(net, n, steps), 0.5 * GRAVITY * (steps * DT) ** 2

            def errors(
                answer: dict[str, Any], exact: np.ndarray = exact, fallen: float = fallen
            ) -> tuple[dict[str, float], bool]:
                found = {"place": float(np.abs(np.asarray(answer["places"]) - exact).max() / fallen)}
                if "drift" in answer:
                    found |= {"phi": answer["drift"][0], "phi_dot": answer["drift"][1]}
                return found, found["place"] <= GATE

            bench.say(f"{NAMES[net]}, n = {n}")
            before = len(bench.rows)
            ready = bench.prepare(problem, ways(net, n), n)
            for row in bench.rows[before:]:
                row.problem = NAMES[net]
            ready = bench.check(ready, steps, errors)
            bench.per_step(ready, *((3, 9) if bench.quick else STEPS[n]))
            for case, _ in ready:
                case.drop()


def claims(rows: list[Row]) -> list[Claim]:
    out: list[Claim] = []
    for net, name in NAMES.items():
        mine = [row for row in rows if row.problem == name]
        fastest = []
        for n in sorted({row.size for row in mine if row.size is not None}):
            own, other = best(mine, "isodyn", n), best(mine, "exudyn", n)
            if own is None:
                continue
            fastest.append(own)
            if other is not None:
                text = f"{name}, n = {n}: times faster than Exudyn per step"
                accurate = own.gate and own.errors["place"] <= 2 * other.errors["place"]
                out.append(at_least(text, ratio(other, own), LIMITS.get((net, n)), accurate, _note(own, other)))
        ends = [row for row in fastest if row.size in (8, 32)]
        if len(ends) == 2:
            out.append(_growth(name, ends))
    return out


def _growth(name: str, rows: list[Row]) -> Claim:
    """Exponent of the cost of a step in the number of parts."""
    parts = [row.size**2 for row in rows if row.size]
    rounds = [slope(parts, times) for times in zip(*(row.samples for row in rows), strict=False) if min(times) > 0]
    low, high = np.percentile(rounds or [math.nan], [25, 75])
    found = Ratio(slope(parts, [row.median for row in rows]), float(low), float(high))
    note = "; ".join(f"n = {row.size}: {row.median * 1e3:.3g} ms" for row in rows)
    return at_most(f"{name}: growth of cost, exponent of the number of parts", found, 1.35, note)


def _note(own: Row, other: Row) -> str:
    """Times, ways, factorisations per step and errors of both."""
    told = [
        f"{row.median * 1e3:.3g} ms ({row.way}; {row.counts.get('factorisations', math.nan):.2f} factorisations)"
        for row in (own, other)
    ]
    return f"{told[0]} against {told[1]}; error {own.errors['place']:.0e} against {other.errors['place']:.0e}"

"""Chains of N links, planar with revolute joints and spatial with ball joints (chain_models): cost
and memory over N at h = 1e-3.

The gate: places of all mass centres after the steps of `GATE_STEPS` against the reference, over the
distance that a free body would have fallen. isodyn works in the coordinates of bodies with
constraints and, in rows of their own, in those of joints. MuJoCo and Pinocchio work in joint coordinates with
explicit or semi-implicit steps, of first order except RK4; MuJoCo takes part to N = 300 (its ball
chain of 1000 links does not compile in minutes), Pinocchio to 100 (its memory grows as N³).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from benchmarks.peers.claims import Claim, at_least, at_most
from benchmarks.peers.measure import Bench, Case, Ratio, Row, Way, best, ratio, slope
from benchmarks.peers.problems.chain_models import DT, GRAVITY, PACKAGES, reference
from benchmarks.peers.workers import Worker, WorkerError

__all__ = ["NAME", "PACKAGES", "TITLE", "claims", "measure"]

NAME, TITLE = "chains", "Planar and spatial chains of N links"
SIZES = (10, 100, 300, 1000, 5000)
STEPS = {10: (100, 900), 100: (50, 450), 300: (20, 80), 1000: (10, 60), 5000: (10, 40)}
GATE_STEPS = {10: 400, 100: 300, 300: 100, 1000: 50, 5000: 20}
GATE = 2e-3  # largest error of a place over ½gt²
TIGHT = {"rtol": 1e-10, "atol": 1e-12}
WINDOW, WINDOW_NAME = (10, 50), "steps 10 to 50"
GROWTH_WAY = "V0(1, 1, 0), Newton to 1e-8"
PLANAR, SPATIAL = "planar chain", "spatial chain"
TREE, JOINTS = "exudyn, kinematic tree", "isodyn, joint coordinates"


def ways(spatial: bool, n: int) -> list[Way]:
    """What every package is tried with; the fastest that is accurate enough is kept."""
    own: dict[str, Any] = {"links": n, "spatial": spatial}
    found = [
        Way("isodyn", "V0(1, 1, 0)", {**own, "family": "V0", "radii": [1.0, 1.0, 0.0]}),
        Way("isodyn", "U0(0.8, 0.8, 0.8)", {**own, "radii": [0.8, 0.8, 0.8]}),
        Way("isodyn", "V0(1, 1, 0), Newton to 1e-8", {**own, "family": "V0", "radii": [1.0, 1.0, 0.0], "rtol": 1e-8}),
        Way("isodyn", "U0(0.8, 0.8, 0.8), Jacobian kept", {**own, "radii": [0.8, 0.8, 0.8], "reuse": True}),
    ]
    if n <= 300:
        tree = {**own, "joints": True}
        found += [
            Way("isodyn", "joints, U0(0.8, 0.8, 0.8)", {**tree, "radii": [0.8, 0.8, 0.8]}, JOINTS),
            Way("isodyn", "joints, explicit U0(1, 1, 1)", {**tree, "radii": [1.0] * 3, "explicit": True}, JOINTS),
        ]
    sparse = {"links": n, "linear": "EigenSparse", "reuse": True}
    alpha, trapezoidal = {"solver": "GeneralizedAlpha"}, {"solver": "TrapezoidalIndex2"}
    if spatial:
        found += [
            Way(
                "exudyn",
                "rotation vector (Lie group), generalised-α",
                {**sparse, "node": "rotation vector", **alpha, **TIGHT},
            ),
            Way(
                "exudyn",
                "rotation vector (Lie group), full Newton",
                {**sparse, "node": "rotation vector", **alpha, **TIGHT, "modified": False},
            ),
            Way("exudyn", "angles, trapezoidal index 2", {**sparse, "node": "angles", **trapezoidal, **TIGHT}),
            Way(
                "exudyn",
                "angles, trapezoidal, full Newton",
                {**sparse, "node": "angles", **trapezoidal, **TIGHT, "modified": False},
            ),
            Way("exudyn", "Euler parameters, generalised-α", {**sparse, "node": "euler parameters", **alpha, **TIGHT}),
            Way(
                "exudyn",
                "rotation vector (Lie group), default tolerance",
                {**sparse, "node": "rotation vector", **alpha},
            ),
        ]
    else:
        found += [
            Way("exudyn", "generalised-α", {**sparse, **alpha, **TIGHT}),
            Way("exudyn", "generalised-α, full Newton", {**sparse, **alpha, **TIGHT, "modified": False}),
            Way("exudyn", "trapezoidal index 2", {**sparse, **trapezoidal, **TIGHT}),
            Way("exudyn", "trapezoidal index 2, pattern not kept", {**sparse, "reuse": False, **trapezoidal, **TIGHT}),
            Way("exudyn", "generalised-α, default tolerance", {**sparse, **alpha}),
        ]
        if n <= 10:
            found.append(Way("exudyn", "generalised-α, dense", {**sparse, "linear": "EXUdense", **alpha, **TIGHT}))
    if not spatial and n <= 300:  # another task: joint coordinates
        tree = {"links": n, "tree": True, "linear": "EXUdense"}
        found += [
            Way("exudyn", "kinematic tree, generalised-α", {**tree, **alpha}, TREE),
            Way("exudyn", "kinematic tree, explicit RK44", {**tree, "solver": "RK44"}, TREE),
        ]
    joint = "ball" if spatial else "hinge"
    if n <= 300:
        found.append(
            Way("mujoco", f"{joint}, semi-implicit Euler", {"links": n, "joint": joint, "integrator": "Euler"})
        )
    if n <= 100:
        found.append(Way("mujoco", f"{joint}, RK4", {"links": n, "joint": joint, "integrator": "RK4"}))
    if n <= 100:
        found.append(Way("pinocchio", f"{joint}, articulated bodies, Euler in Python", {"links": n, "joint": joint}))
    return found


def measure(bench: Bench) -> None:
    sizes = (3, 10) if bench.quick else bench.among(SIZES)
    for n in sizes:
        short, long = (5, 15) if bench.quick else STEPS[n]
        steps = 50 if bench.quick else GATE_STEPS[n]
        exact = reference(n, steps * DT)
        fallen = 0.5 * GRAVITY * (steps * DT) ** 2

        def errors(
            answer: dict[str, Any], exact: np.ndarray = exact, fallen: float = fallen
        ) -> tuple[dict[str, float], bool]:
            places = np.stack([answer["x"], answer["y"]], axis=1)
            found = {"place": float(np.abs(places - exact).max() / fallen)}
            if "drift" in answer:
                found |= {"phi": answer["drift"][0], "phi_dot": answer["drift"][1]}
                found["storage"] = answer["storage"] or math.nan
            return found, found["place"] <= GATE

        for spatial in (False, True):
            name = SPATIAL if spatial else PLANAR
            bench.say(f"{name}, N = {n}")
            before = len(bench.rows)
            ready = bench.prepare(NAME, ways(spatial, n)[:: 3 if bench.quick else 1], n)
            for row in bench.rows[before:]:
                row.problem = name
            ready = bench.check(ready, steps, errors)
            bench.per_step(ready, short, long)
            if n >= 100:
                _growth_window(bench, name, ready)
            for case, _ in ready:
                case.drop()
            if bench.has("isodyn") and not (bench.quick and (spatial or n == sizes[0])):
                _memory(bench, name, spatial, n)


def _growth_window(bench: Bench, name: str, ready: list[tuple[Case, Row]]) -> None:
    """isodyn over the same steps for every N: later ones take more iterations, which is no growth
    with N."""
    for case, row in ready:
        if row.package == "isodyn" and row.way == GROWTH_WAY and row.failed is None:
            again = Row(f"{name}, {WINDOW_NAME}", "isodyn", row.way, row.size, "growth", errors=dict(row.errors))
            bench.rows.append(again)
            bench.per_step([(case, again)], *WINDOW)


def _memory(bench: Bench, name: str, spatial: bool, n: int) -> None:
    """Peak of a fresh process that builds and runs this chain, less what it held after a small
    one."""
    row = best([row for row in bench.rows if row.problem == name and row.kind != JOINTS], "isodyn", n)
    if row is None:
        return
    worker = Worker("isodyn", bench.workers.core)
    try:
        settings = {"spatial": spatial, "radii": [0.8, 0.8, 0.8]}
        for links in (10, n):
            base = worker.ask("memory", reset=True)["now"]
            case = worker.ask("prepare", problem=NAME, package="isodyn", settings={**settings, "links": links})["case"]
            worker.ask("time", case=case, amount=3)
        row.counts["megabytes"] = worker.ask("memory")["peak"] - base
        row.counts["whole megabytes"] = base + row.counts["megabytes"]
    except WorkerError as error:
        bench.say(f"memory of {name}, N = {n}: {error}")
    finally:
        worker.end()


# ---- what is to be shown


def claims(rows: list[Row]) -> list[Claim]:
    out: list[Claim] = []
    for name, limit in ((PLANAR, 4.0), (SPATIAL, 3.0)):
        mine = [row for row in rows if row.problem == name]
        for n in sorted({row.size for row in mine if row.size is not None}):
            out += _at_size(mine, name, n, limit)
        out += _growth(rows, name)
    return out


def _at_size(rows: list[Row], name: str, n: int, limit: float) -> list[Claim]:
    own = best([row for row in rows if row.kind != JOINTS], "isodyn", n)
    if own is None:
        return []
    out = []
    exudyn, tree, mujoco, pinocchio = (
        best([row for row in rows if row.kind != TREE], "exudyn", n),
        best([row for row in rows if row.kind == TREE], "exudyn", n),
        best(rows, "mujoco", n, accurate=False),
        best(rows, "pinocchio", n),
    )
    if exudyn is not None:
        accurate = own.gate and exudyn.gate and own.errors["place"] <= 2 * exudyn.errors["place"]
        out.append(
            at_least(
                f"{name}, N = {n}: times faster than Exudyn per step",
                ratio(exudyn, own),
                limit,
                accurate,
                _note(own, exudyn),
            )
        )
    others = ((tree, "Exudyn's kinematic tree"), (mujoco, "MuJoCo"), (pinocchio, "Pinocchio"))
    for other, package in others:
        if other is not None:
            must = 1.0 if package == "MuJoCo" and name == SPATIAL and n >= 100 else None
            out.append(
                at_least(
                    f"{name}, N = {n}: times faster than {package} per step",
                    ratio(other, own),
                    must,
                    own.gate,
                    _note(own, other),
                )
            )
    return out + _in_joints(rows, name, n, others)


def _in_joints(rows: list[Row], name: str, n: int, others: tuple[tuple[Row | None, str], ...]) -> list[Claim]:
    """Joint coordinates against joint coordinates, per step; errors stand in the notes."""
    own = best([row for row in rows if row.kind == JOINTS], "isodyn", n)
    if own is None:
        return []
    must = {(PLANAR, "MuJoCo", 10): 1.0, (SPATIAL, "MuJoCo", 10): 0.5, (SPATIAL, "Pinocchio", 10): 0.5}
    return [
        at_least(
            f"{name}, N = {n}, joint coordinates: times faster than {package} per step",
            ratio(other, own),
            must.get((name, package, n)),
            own.gate,
            _note(own, other),
        )
        for other, package in others
        if other is not None
    ]


def _note(own: Row, other: Row) -> str:
    return (
        f"{own.median * 1e3:.3g} ms ({own.way}) against {other.median * 1e3:.3g} ms ({other.way}); error"
        f" {own.errors['place']:.0e} against {other.errors['place']:.0e}"
    )


def _growth(rows: list[Row], name: str) -> list[Claim]:
    own = [row for row in rows if row.problem == f"{name}, {WINDOW_NAME}" and row.median > 0]
    if len(own) < 2:
        return []
    sizes = [row.size for row in own]
    rounds = [slope(sizes, times) for times in zip(*(row.samples for row in own), strict=False) if min(times) > 0]
    # a long run may have been faster than a short one
    low, high = np.percentile(rounds or [math.nan], [25, 75])
    cost = Ratio(slope(sizes, [row.median for row in own]), float(low), float(high))
    counted = "; ".join(
        f"N = {row.size}: {row.counts['iterations']:.2f} iterations, {row.counts['factorisations']:.2f} factorisations,"
        f" {row.errors['storage']:.3g} numbers in factors"
        for row in own
    )
    out = [at_most(f"{name}: growth of cost, exponent of N", cost, 1.1, counted)]
    held = [row for row in rows if row.problem == name and row.size and row.counts.get("megabytes", 0.0) > 0]
    held = [row for row in held if row.size >= 100]
    if len(held) > 1:
        grown = slope([row.size for row in held], [row.counts["megabytes"] for row in held])
        note = "; ".join(f"N = {row.size}: {row.counts['megabytes']:.1f} MB" for row in held)
        out.append(at_most(f"{name}: growth of memory, exponent of N", Ratio(grown, grown, grown), 1.1, note))
    return out

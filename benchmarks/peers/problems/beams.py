"""A swinging strip of N elements in absolute nodal coordinates (beam_models): cost per step at
h = 1e-3, Newton at default tolerance.

Errors are the largest distances of the tip over samples every 0.05 s: `beam` from the continuous
beam, what the mesh does and what the steps do; `steps` from the same elements of the same package
with steps an eighth as long. The strain energies of the packages are two discretisations of one
beam, so that on coarse meshes their tips differ; the gate asks both for the beam.

isodyn runs at its default tolerance throughout, rtol = 1e-10. Exudyn's is rtol = 1e-8 with
atol = 1e-10, tried as well; where its iteration stalls above that, looser ones are what is timed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.peers.claims import Claim, at_least, fact
from benchmarks.peers.measure import Bench, Case, Row, Way, best, ratio
from benchmarks.peers.problems.beam_models import DT, LENGTH, PACKAGES, reference
from benchmarks.peers.workers import WorkerError

__all__ = ["NAME", "PACKAGES", "TITLE", "claims", "measure"]

NAME, TITLE = "beams", "Swinging strip of N beam elements"
SIZES = (8, 64, 512)
STEPS = {8: (100, 1000), 64: (100, 1000), 512: (100, 600)}
GATE = {8: 1e-3, 64: 2e-4, 512: 2e-4}  # of `beam`, over the length
GATE_STEPS = 1e-4  # of `steps`: converged iterations leave 6e-5 to 8e-5 in either package
FINE, KEEP = 8, 4
LIMIT = 3.0

MIDDLE, LOOSE = {"rtol": 1e-6, "atol": 1e-6}, {"rtol": 1e-4, "atol": 1e-6}
ALPHA, TRAPEZOIDAL = {"solver": "GeneralizedAlpha"}, {"solver": "TrapezoidalIndex2"}
SPARSE = {"linear": "EigenSparse", "reuse": True}
FINE_SETTINGS = {
    "isodyn": {"family": "generalised_alpha", "radii": [0.9]},
    "exudyn": {**SPARSE, **TRAPEZOIDAL, **MIDDLE},
}
DEFAULT = "default tolerance"


def ways(n: int) -> list[Way]:
    """What both packages are tried with; the fastest that is accurate enough is kept."""
    found = [
        Way("isodyn", label, {"elements": n, "family": family, "radii": radii})
        for label, family, radii in (
            ("generalised-α 0.9", "generalised_alpha", [0.9]),
            ("U0(0.8, 0.8, 0.8)", "U0", [0.8, 0.8, 0.8]),
            ("V0(1, 1, 0)", "V0", [1.0, 1.0, 0.0]),
        )
    ]
    for name, solver in (("generalised-α 0.9", ALPHA), ("trapezoidal index 2", TRAPEZOIDAL)):
        settings = {"elements": n, **SPARSE, **solver}
        coarse = {**settings, "quadrature": 1}
        found += [
            Way("exudyn", f"{name}, {DEFAULT}", settings),
            Way("exudyn", f"{name}, full Newton, {DEFAULT}", {**settings, "modified": False}),
            Way("exudyn", f"{name}, 1e-6", {**settings, **MIDDLE}),
            Way("exudyn", f"{name}, 1e-6, fewer points", {**coarse, **MIDDLE}),
            Way("exudyn", f"{name}, 1e-6, Jacobian each step", {**coarse, **MIDDLE, "each_step": True}),
            Way("exudyn", f"{name}, 1e-6, full Newton", {**coarse, **MIDDLE, "modified": False}),
            Way("exudyn", f"{name}, 1e-4, fewer points", {**coarse, **LOOSE}),
            Way("exudyn", f"{name}, 1e-4, Jacobian each step", {**coarse, **LOOSE, "each_step": True}),
        ]
        if n == 8:
            dense = {**coarse, "linear": "EXUdense", "reuse": False}
            found += [
                Way("exudyn", f"{name}, 1e-6, dense", {**dense, **MIDDLE}),
                Way("exudyn", f"{name}, 1e-4, dense", {**dense, **LOOSE}),
            ]
    return found


def measure(bench: Bench) -> None:
    steps = 100 if bench.quick else round(1.0 / DT)
    exact = reference(steps * DT)
    for n in (4, 8) if bench.quick else bench.among(SIZES):
        bench.say(f"strip, N = {n}")
        ready = bench.prepare(NAME, ways(n)[:: 3 if bench.quick else 1], n)
        good: list[tuple[Case, Row]] = []
        for package in PACKAGES:
            mine = [pair for pair in ready if pair[1].package == package]
            if mine:
                good += _check(bench, mine, package, n, steps, exact)
        bench.per_step(good, *((20, 60) if bench.quick else STEPS[n]), keep=KEEP)
        for case, _ in ready:
            case.drop()


def _check(
    bench: Bench, ready: list[tuple[Case, Row]], package: str, n: int, steps: int, exact: np.ndarray
) -> list[tuple[Case, Row]]:
    """Against the continuous beam, and against the same elements with finer steps."""
    try:
        fine = _finer(bench, package, n, steps)
    except WorkerError as error:
        for _, row in ready:
            bench.fail(row, error)
        return []

    def errors(answer: dict[str, Any]) -> tuple[dict[str, float], bool]:
        found = {"beam": distance(answer["tip"], exact), "steps": distance(answer["tip"], fine)}
        if "halvings" in answer:
            found["halvings"] = float(answer["halvings"])
        return found, found["beam"] <= GATE.get(n, 1e-2) * LENGTH and found["steps"] <= GATE_STEPS * LENGTH

    return bench.check(ready, steps, errors)


def _finer(bench: Bench, package: str, n: int, steps: int) -> np.ndarray:
    case = Case(bench, NAME, Way(package, "fine", {**FINE_SETTINGS[package], "elements": n, "dt": DT / FINE}))
    found = np.array(case.answer(FINE * steps)["tip"])
    case.drop()
    return found


def distance(places: Any, exact: np.ndarray) -> float:
    """The largest, of places (times, 2)."""
    return float(np.linalg.norm(np.array(places) - exact, axis=1).max())


# ---- what is to be shown


def claims(rows: list[Row]) -> list[Claim]:
    out: list[Claim] = []
    for n in sorted({row.size for row in rows if row.size is not None}):
        out += _at_size([row for row in rows if row.size == n], n)
    return out


def _at_size(rows: list[Row], n: int) -> list[Claim]:
    text = f"strip, N = {n}"
    out = [_converges(rows, text)]
    own, other = best(rows, "isodyn", n), best(rows, "exudyn", n)
    if own is None or other is None:
        return out
    accurate = own.gate and other.gate and own.errors["steps"] <= 1.5 * other.errors["steps"]
    out.append(
        at_least(f"{text}: times faster than Exudyn per step", ratio(other, own), LIMIT, accurate, _note(own, other))
    )
    return out


def _converges(rows: list[Row], text: str) -> Claim:
    """isodyn at its default tolerance, all ways; and what became of Exudyn at its own."""
    own = [row for row in rows if row.package == "isodyn"]
    met = all(row.failed is None and row.errors["halvings"] == 0 for row in own)
    note = "; ".join(f"{row.way}: {row.counts['iterations']:.2f} iterations" for row in own if row.counts)
    theirs = [row for row in rows if row.package == "exudyn" and row.way.endswith(DEFAULT)]
    if theirs:
        failed = [row.way.removesuffix(f", {DEFAULT}") for row in theirs if row.failed is not None]
        note += f"; Exudyn at its own fails in {len(failed)} of {len(theirs)} ways ({'; '.join(failed) or 'none'})"
    return fact(f"{text}: Newton converges at its default tolerance, no step halved", met, note)


def _note(own: Row, other: Row) -> str:
    return (
        f"{own.median * 1e6:.0f} µs ({own.way}, {own.counts['iterations']:.2f} iterations) against {other.median * 1e6:.0f} µs"
        f" ({other.way}, {other.counts['iterations']:.2f}); tip from the continuous beam {own.errors['beam']:.1e} against"
        f" {other.errors['beam']:.1e} m, from the same elements with finer steps {own.errors['steps']:.1e} against"
        f" {other.errors['steps']:.1e} m"
    )

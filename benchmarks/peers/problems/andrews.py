"""Andrews' squeezing mechanism to t = 0.03: time to a relative error of 3e-6 in q at the end.

The error is the largest over the seven angles over the largest angle, against the reference in
extended precision. Exudyn and isodyn's mechanism have 21 coordinates of seven bodies, everything
else the seven angles of the test set. Solvers of ordinary differential equations are given the
accelerations of the Gauss principle; nothing holds their constraints, `phi` and `phi_dot` say how
far they are off at the end (relative; isodyn's along all saved steps).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from benchmarks.peers.claims import Claim, at_least, at_most
from benchmarks.peers.measure import Bench, Ratio, Row, Way, best, fastest, ratio
from benchmarks.peers.problems.andrews_models import PACKAGES

__all__ = ["NAME", "PACKAGES", "TITLE", "claims", "measure"]

NAME, TITLE = "andrews", "Andrews' squeezing mechanism"
TARGET, LEVEL = 3e-6, 1e-12
V0, U0 = ("V0", [1.0, 1.0, 0.0]), ("U0", [0.8, 0.8, 0.8])
MEDIUM = {"rtol": 1e-10, "atol": 1e-12}
LIMITS = {"diffrax": 1.3, "scipy": 1.5}
GS4, HIGH, BODIES = "isodyn, GS4", "isodyn, high order", "isodyn, GS4, bodies and hinges"

TRAPEZOIDAL, ALPHA = {"solver": "TrapezoidalIndex2"}, {"solver": "GeneralizedAlpha"}
SPARSE = {"linear": "EigenSparse", "reuse": True}
FIXED = (
    Way("isodyn", "GS4 V0(1, 1, 0), angles", {"scheme": V0}, GS4),
    Way("isodyn", "GS4 U0(0.8, 0.8, 0.8), angles", {"scheme": U0}, GS4),
    Way("isodyn", "GS4 V0(1, 1, 0), angles, Newton to 1e-8", {"scheme": V0, "rtol": 1e-8}, GS4),
    Way("isodyn", "GS4 V0(1, 1, 0), bodies and hinges", {"scheme": V0, "model": "andrews_mechanism"}, BODIES),
    Way("exudyn", "trapezoidal index 2", TRAPEZOIDAL),
    Way("exudyn", "trapezoidal index 2, 1e-10", {**TRAPEZOIDAL, **MEDIUM}),
    Way("exudyn", "trapezoidal index 2, 1e-10, sparse", {**TRAPEZOIDAL, **MEDIUM, **SPARSE}),
    Way("exudyn", "trapezoidal index 2, full Newton", {**TRAPEZOIDAL, **MEDIUM, "modified": False}),
    Way("exudyn", "trapezoidal index 2, full Newton, sparse", {**TRAPEZOIDAL, **MEDIUM, **SPARSE, "modified": False}),
    Way("exudyn", "generalised-α 0.9", {**ALPHA, **MEDIUM}),
)
ADAPTIVE = (
    Way("isodyn", "adaptive, order 8, projected", {}, HIGH),
    Way("scipy", "DOP853", {"method": "DOP853"}),
    Way("scipy", "RK45", {"method": "RK45"}),
    Way("scipy", "LSODA (odeint)", {"method": "odeint"}),
    Way("sundae", "CVODE Adams", {"method": "Adams"}),
    Way("casadi", "IDAS, index 1", {"method": "idas"}),
    Way("casadi", "CVODES", {"method": "cvodes"}),
    Way("casadi", "IDAS, index 1, compiled", {"method": "idas", "compiled": True}),
    Way("casadi", "CVODES, compiled", {"method": "cvodes", "compiled": True}),
    Way("diffrax", "Dopri8", {"method": "Dopri8"}),
    Way("diffrax", "Tsit5", {"method": "Tsit5"}),
)
STEPS, TOLERANCES = (500, 1000, 2000, 4000, 8000, 16000), tuple(10.0**-k for k in range(4, 12))


def reference() -> np.ndarray:
    """(q, v) at the end."""
    from isodyn import problems

    known = problems.get("andrews").reference
    assert known is not None
    row = int(np.flatnonzero(np.isclose(known.t, 0.03))[0])
    return np.concatenate([known.q[row], known.v[row]])


def error(answer: dict[str, Any]) -> float:
    exact = reference()[:7]
    size = float(np.abs(np.array(answer["y"][:7]) - exact).max() / np.abs(exact).max())
    return size if np.isfinite(size) else np.inf


def levels(answer: dict[str, Any]) -> dict[str, float]:
    """φ and φ̇, relative."""
    from isodyn.problems import andrews

    if "drift" in answer:
        return {"phi": answer["drift"][0], "phi_dot": answer["drift"][1]}
    q, v = np.split(np.array(answer["y"]), 2)
    G = andrews.plain_G(q, 0.0)
    speed = max(1.0, float(np.linalg.norm(v) * np.linalg.norm(G)))
    return {
        "phi": float(np.linalg.norm(andrews.plain_phi(q, 0.0)) / max(1.0, float(np.linalg.norm(q)))),
        "phi_dot": float(np.linalg.norm(G @ v) / speed),
    }


def measure(bench: Bench) -> None:
    finalists = []
    for group, steps in ((FIXED, True), (ADAPTIVE, False)):
        chosen = group[:1] if bench.quick else group
        amounts = ((2000, 4000, 8000) if steps else (1e-5, 1e-7)) if bench.quick else STEPS if steps else TOLERANCES
        bench.say(f"{TITLE}, {'fixed' if steps else 'adaptive'} steps")
        ready = bench.prepare(NAME, chosen, None)
        bench.curve(ready, dict.fromkeys((row.way for _, row in ready), amounts), error)
        reached = []
        for case, row in ready:
            if bench.calibrate(case, row, TARGET, error, steps):
                row.errors |= levels(case.answer(row.amount))
                reached.append((case, row))
            else:
                bench.say(f"{row.package} {row.way}: {TARGET:g} was not reached")
        finalists += reached
    bench.whole(finalists, key=lambda row: row.kind)


def claims(rows: list[Row]) -> list[Claim]:
    rows = [row for row in rows if row.problem == NAME]
    own_best = {kind: fastest([row for row in rows if row.kind == kind]) for kind in (GS4, BODIES, HIGH)}
    exudyn, out = best(rows, "exudyn"), []
    for kind, limit in ((GS4, 5.0), (BODIES, None)):
        own = own_best[kind]
        if own is not None and exudyn is not None:
            text = f"Andrews to {TARGET:g}: times faster than Exudyn with {kind.removeprefix('isodyn, ')}"
            out.append(at_least(text, ratio(exudyn, own), limit, own.gate and exudyn.gate, _note(own, exudyn)))
    own = own_best[HIGH]
    if own is None:
        return out
    text = f"Andrews to {TARGET:g}: high-order route, times faster than"
    others = [other for name in PACKAGES if name != "isodyn" and (other := best(rows, name)) is not None]
    out += [
        at_least(
            f"{text} {other.package}", ratio(other, own), LIMITS.get(other.package, 1.0), own.gate, _note(own, other)
        )
        for other in others
    ]
    for key, name in (("phi", "position"), ("phi_dot", "velocity")):
        size = max(row.errors[key] for row in own_best.values() if row is not None)
        out.append(
            at_most(
                f"Andrews: constraints at {name} level, relative", Ratio(size, size, size), LEVEL, "GS4 and high order"
            )
        )
    return out


def _note(own: Row, other: Row) -> str:
    off = f", off its constraints by {other.errors['phi']:.0e} and {other.errors['phi_dot']:.0e}"
    return f"{own.median * 1e3:.3g} ms ({own.way}) against {other.median * 1e3:.3g} ms ({other.way}{off})"

"""A point on a rod whose constraint and force are a user's functions: what a step costs when they are
compiled, when only the constraint itself is given, and when they are plain Python; beside them other
packages with the same functions.

    isodyn     phi and the force; with all derivatives or with none; @njit or plain
    Exudyn     its own rod, the force as a user function in Python
    SUNDIALS   IDA on the index-1 equations (λ from φ̈ = 0), the residual compiled by Numba, called
               through Python: adaptive steps, so that the whole run counts

The gate: the place after `T_END` against DOP853 at 1e-12 on the angle.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from benchmarks.peers.claims import Claim, at_least, at_most
from benchmarks.peers.measure import Bench, Row, Way, best, fastest, ratio

NAME, TITLE = "users", "Functions of users: a point on a rod in a wind"
DT, T_END, GRAVITY, DRAG = 1e-3, 2.0, 9.81, 0.3
GATE, GATE_IDA = 2e-4, 2e-4
DERIVATIVES, PHI, PLAIN = "@njit, all derivatives", "@njit, phi and Q alone", "plain, phi and Q alone"
STEPS = (200, 1200)


def force(q: Any, v: Any, t: float) -> Any:
    return np.array([-DRAG * v[0] + 0.5 * math.sin(3.0 * t), -GRAVITY - DRAG * v[1]])


def force_q(q: Any, v: Any, t: float) -> Any:
    return np.zeros((2, 2))


def force_v(q: Any, v: Any, t: float) -> Any:
    return np.array([[-DRAG, 0.0], [0.0, -DRAG]])


def rod(q: Any, t: float) -> Any:
    return np.array([q[0] ** 2 + q[1] ** 2 - 1.0])


def slope(q: Any, t: float) -> Any:
    return np.array([[2.0 * q[0], 2.0 * q[1]]])


def right(q: Any, v: Any, t: float) -> Any:
    return np.array([-2.0 * (v[0] ** 2 + v[1] ** 2)])


def still(q: Any, t: float) -> Any:
    return np.zeros(1)


class Isodyn:
    """A MechanicalSystem from these functions."""

    def __init__(self, way: str) -> None:
        from numba import njit

        import isodyn as iso

        wrap = (lambda f: f) if way == PLAIN else njit
        more = {}
        if way == DERIVATIVES:
            more = {"G": slope, "b": right, "phi_t": still, "Q_q": force_q, "Q_v": force_v}
        functions = {name: wrap(f) for name, f in {**more, "phi": rod}.items()}
        self.iso = iso
        self.system = iso.MechanicalSystem(np.eye(2), wrap(force), [1.0, 0.0], [0.0, 0.0], **functions)

    def run(self, steps: float) -> dict[str, float]:
        k = int(steps)
        self.sol = self.iso.integrate(self.system, dt=DT, t_end=k * DT, save_every=k)
        return {"iterations": self.sol.stats.iterations}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        return {"q": self.sol.q[-1], "drift": self.sol.drift().largest}


class Exudyn:
    """A mass point on a distance connector; the force is called in Python."""

    def __init__(self, **settings: Any) -> None:
        from benchmarks.peers import with_exudyn

        items = with_exudyn.items
        self.container, mbs = with_exudyn.new_system()
        ground = mbs.AddObject(items.ObjectGround())
        node = mbs.AddNode(items.NodePoint2D(referenceCoordinates=[1.0, 0.0]))
        point = mbs.AddObject(items.ObjectMassPoint2D(physicsMass=1.0, nodeNumber=node))
        ends = [mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=body)) for body in (ground, point)]
        mbs.AddObject(items.ObjectConnectorDistance(markerNumbers=ends, distance=1.0))

        def pull(system: Any, t: float, load: Any) -> list[float]:
            v = system.GetNodeOutput(node, velocity)
            return [-DRAG * v[0] + 0.5 * math.sin(3.0 * t), -GRAVITY - DRAG * v[1], 0.0]

        velocity = with_exudyn.exu.OutputVariableType.Velocity
        mbs.AddLoad(items.LoadForceVector(markerNumber=ends[1], loadVectorUserFunction=pull))
        mbs.Assemble()
        self.timed = with_exudyn.Run(mbs, dt=DT, **settings)

    def run(self, steps: float) -> dict[str, float]:
        return self.timed.go(int(steps))

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        return {"q": self.timed.coordinates()}


class Ida:
    """IDA on (q, v, λ) with the constraint of the accelerations."""

    def __init__(self, tolerance: float) -> None:
        from numba import njit
        from sksundae.ida import IDA

        pull, tell = njit(force), njit(right)

        @njit
        def rows(t: float, y: Any, yp: Any, out: Any) -> None:
            q, v, lam = y[:2], y[2:4], y[4]
            Q = pull(q, v, t)
            out[:2] = yp[:2] - v
            out[2:4] = yp[2:4] - Q + 2.0 * q * lam
            out[4] = 2.0 * (q[0] * (Q[0] - 2.0 * q[0] * lam) + q[1] * (Q[1] - 2.0 * q[1] * lam)) - tell(q, v, t)[0]

        def residual(t: float, y: np.ndarray, yp: np.ndarray, out: np.ndarray) -> None:
            rows(t, y, yp, out)

        self.y0 = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
        self.yp0 = np.array([0.0, 0.0, 0.0, -GRAVITY, 0.0])
        residual(0.0, self.y0, self.yp0, np.zeros(5))
        self.solver = IDA(residual, rtol=tolerance, atol=0.1 * tolerance, algebraic_idx=[4], max_num_steps=1_000_000)

    def run(self, steps: float) -> dict[str, float]:
        found = self.solver.solve(np.array([0.0, int(steps) * DT]), self.y0, self.yp0)
        self.y = found.y[-1]
        return {}

    def answer(self, steps: float) -> dict[str, Any]:
        self.run(steps)
        return {"q": self.y[:2]}


PACKAGES = {"isodyn": Isodyn, "exudyn": Exudyn, "sundae": Ida}
TIGHT = {"rtol": 1e-10, "atol": 1e-12}
WAYS = (
    *(Way("isodyn", way, {"way": way}, way) for way in (DERIVATIVES, PHI, PLAIN)),
    Way("exudyn", "its rod, force in Python, generalised-α", {}),
    Way("exudyn", "its rod, force in Python, trapezoidal index 2", {"solver": "TrapezoidalIndex2", **TIGHT}),
    Way("sundae", "IDA, index 1, 1e-5", {"tolerance": 1e-5}),
    Way("sundae", "IDA, index 1, 1e-6", {"tolerance": 1e-6}),
)


def reference(t: float) -> np.ndarray:
    """The place at t, from the angle."""
    from scipy.integrate import solve_ivp

    def rhs(t: float, y: np.ndarray) -> list[float]:
        e = np.array([-math.sin(y[0]), math.cos(y[0])])
        return [y[1], float(e @ force(None, y[1] * e, t))]

    angle = solve_ivp(rhs, (0.0, t), [0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13).y[0, -1]
    return np.array([math.cos(angle), math.sin(angle)])


def measure(bench: Bench) -> None:
    steps = 200 if bench.quick else round(T_END / DT)
    exact = reference(steps * DT)

    def errors(answer: dict[str, Any]) -> tuple[dict[str, float], bool]:
        size = float(np.abs(np.asarray(answer["q"]) - exact).max())
        return {"place": size}, size <= GATE

    ready = bench.check(bench.prepare(NAME, WAYS, None), steps, errors)
    bench.per_step([(case, row) for case, row in ready if row.package != "sundae"], *STEPS, keep=3)
    for _, row in ready:
        row.amount = steps
    bench.whole([(case, row) for case, row in ready if row.package == "sundae"])
    for _, row in ready:
        if row.package == "sundae":  # per step of the others, to compare
            row.samples = [x / steps for x in row.samples]


def claims(rows: list[Row]) -> list[Claim]:
    own = {way: fastest([row for row in rows if row.way == way]) for way in (DERIVATIVES, PHI, PLAIN)}
    out = []
    full, bare, plain = own[DERIVATIVES], own[PHI], own[PLAIN]
    if full is None or bare is None or plain is None:
        return []
    note = f"{bare.median * 1e6:.3g} µs against {full.median * 1e6:.3g} µs"
    out.append(at_most("users' functions: @njit phi and Q alone over all derivatives", ratio(bare, full), 4.0, note))
    for package, name in (("exudyn", "Exudyn with a force in Python"), ("sundae", "IDA, per step of 1e-3 s")):
        other = best(rows, package)
        if other is None:
            continue
        for row in (bare, plain):
            note = f"{row.median * 1e6:.3g} µs against {other.median * 1e6:.3g} µs ({other.way})"
            text = f"users' functions, {row.way}: times faster than {name}"
            out.append(at_least(text, ratio(other, row), None, row.gate, note))
    return out

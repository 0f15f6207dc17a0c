"""Ten thousand pendulums in x, y, θ, each started at another angle: the library's ensemble on two
threads.

Compared, in wall time and interleaved, with two processes of one thread that have half of the
members each, and with a loop in Python over a few members, scaled up: once calling `iso.integrate`,
once written in Python and NumPy throughout (the same method and tolerance). Beside them others that
run many at once, on two threads too: MuJoCo's rollout and JAX. Both have the angle as their only
coordinate, no constraint and no multipliers: another task, reported because users compare it.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from benchmarks.peers.claims import Claim, at_least, at_most
from benchmarks.peers.measure import Bench, Row, ratio
from benchmarks.peers.workers import Worker, WorkerError

NAME, TITLE = "ensemble", "Ensemble of pendulums"
DT, STEPS, LENGTH = 1e-2, 100, 0.5
MEMBERS, FEW = 10_000, 20
THREADS, PROCESSES, LOOP, PLAIN = "two threads", "two processes", "loop over integrate", "loop in Python and NumPy"


def angles(members: int) -> np.ndarray:
    return np.linspace(-1.4, 1.4, members) - 0.5 * math.pi


class Isodyn:
    """Members first … last of the ensemble, by one of the ways."""

    def __init__(self, members: int, way: str, first: int = 0, last: int | None = None) -> None:
        import isodyn as iso

        self.iso, self.way = iso, way
        if way in (THREADS, PROCESSES) and "ensemble" not in iso.__all__:
            raise NotImplementedError("isodyn has no `ensemble` yet")
        theta = angles(members)[first:last]
        self.q0 = np.stack([LENGTH * np.cos(theta), LENGTH * np.sin(theta), theta], axis=1)
        self.problem = iso.problems.get("rigid_pendulum")
        self.system, self.scheme = self.problem.system(), iso.Scheme.V0(1.0, 1.0, 0.0)

    def run(self, amount: float) -> dict[str, float]:
        q0 = self.q0[: int(amount)]
        grid: dict[str, Any] = {"dt": DT, "t_end": STEPS * DT, "save_every": STEPS}
        if self.way == PLAIN:
            self.q = np.array([by_hand(q) for q in q0])
        elif self.way == LOOP:
            systems = [self.problem.system(theta0=q[2]) for q in q0]
            self.q = np.array([self.iso.integrate(system, self.scheme, **grid).q[-1] for system in systems])
        else:
            threads = 2 if self.way == THREADS else 1
            self.q = self.iso.ensemble(self.system, self.scheme, q0=q0, threads=threads, **grid).q[:, -1]
        return {}

    def answer(self, amount: float) -> dict[str, Any]:
        self.run(amount)
        return {"theta": self.q[:, 2]}


class Mujoco:
    """The rollout of a hinge, all members in one call."""

    def __init__(self, members: int, way: str, first: int = 0, last: int | None = None) -> None:
        import mujoco
        from mujoco import rollout

        spec = mujoco.MjSpec()
        spec.option.timestep, spec.option.gravity = DT, [0.0, -9.8, 0.0]
        rule = mujoco.mjtIntegrator.mjINT_RK4 if "RK4" in way else mujoco.mjtIntegrator.mjINT_EULER
        spec.option.integrator = rule
        body = spec.worldbody.add_body(mass=10.0, ipos=[LENGTH, 0, 0], inertia=[0.1, 0.1, 0.1], explicitinertial=True)
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0])
        self.model = spec.compile()
        self.data = [mujoco.MjData(self.model) for _ in range(2)]
        self.rollout = rollout.rollout
        self.start = np.zeros((members, mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        self.start[:, 1] = angles(members)

    def run(self, amount: float) -> dict[str, float]:
        start = self.start[: int(amount)]
        self.q = self.rollout(self.model, self.data, start, nstep=STEPS, persistent_pool=True)[0][:, -1, 1]
        return {}

    def answer(self, amount: float) -> dict[str, Any]:
        self.run(amount)
        return {"theta": self.q}


class Jax:
    """The angle by the classical method of fourth order, all members as one array, compiled by XLA."""

    def __init__(self, members: int, way: str, first: int = 0, last: int | None = None) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        import jax.numpy as jnp

        pull = 10.0 * 9.8 * LENGTH / (0.1 + 10.0 * LENGTH**2)

        def rate(y: Any) -> Any:
            return jnp.stack([y[1], -pull * jnp.cos(y[0])])

        def step(_: Any, y: Any) -> Any:
            k1 = rate(y)
            k2 = rate(y + 0.5 * DT * k1)
            k3 = rate(y + 0.5 * DT * k2)
            return y + DT / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate(y + DT * k3))

        self.jax, self.start = jax, np.stack([angles(members), np.zeros(members)])
        self.solve = jax.jit(lambda y: jax.lax.fori_loop(0, STEPS, step, y))

    def run(self, amount: float) -> dict[str, float]:
        self.q = np.asarray(self.jax.block_until_ready(self.solve(self.start[:, : int(amount)])))[0]
        return {}

    def answer(self, amount: float) -> dict[str, Any]:
        self.run(amount)
        return {"theta": self.q}


PACKAGES = {"isodyn": Isodyn, "mujoco": Mujoco, "diffrax": Jax}
OTHERS = {
    "MuJoCo's rollout of a hinge, RK4": "mujoco",
    "MuJoCo's rollout of a hinge, semi-implicit Euler": "mujoco",
    "JAX, the angle by RK4": "diffrax",
}


def by_hand(q: np.ndarray) -> np.ndarray:
    """The stabilised midpoint-like step in Python and NumPy: average acceleration, q and v put onto
    the constraints by Newton's method."""
    m, J, g, tolerance = 10.0, 0.1, 9.8, 1e-10
    M, Q = np.diag([m, m, J]), np.array([0.0, -m * g, 0.0])

    def G(q: np.ndarray) -> np.ndarray:
        return np.array([[1.0, 0.0, LENGTH * math.sin(q[2])], [0.0, 1.0, -LENGTH * math.cos(q[2])]])

    def acceleration(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        A = G(q)
        b = -LENGTH * v[2] ** 2 * np.array([math.cos(q[2]), math.sin(q[2])])
        K = np.block([[M, A.T], [A, np.zeros((2, 2))]])
        return np.linalg.solve(K, np.concatenate([Q, b]))[:3]

    v, a = np.zeros(3), acceleration(q, np.zeros(3))
    for _ in range(STEPS):
        new = a
        for _ in range(20):
            before, middle = new, 0.5 * (a + new)
            new = acceleration(q + DT * v + 0.5 * DT**2 * middle, v + DT * middle)
            if np.abs(new - before).max() <= tolerance * np.abs(new).max():
                break
        middle = 0.5 * (a + new)
        q, v, a = q + DT * v + 0.5 * DT**2 * middle, v + DT * middle, new
        for _ in range(3):
            phi = np.array([q[0] - LENGTH * math.cos(q[2]), q[1] - LENGTH * math.sin(q[2])])
            A = G(q)
            q = q - A.T @ np.linalg.solve(A @ A.T, phi)
        v = v - A.T @ np.linalg.solve(A @ A.T, A @ v)
    return q


def error(theta: Any, members: int) -> float:
    """Largest over the members, against the exact motion."""
    from isodyn import problems

    t = np.array([STEPS * DT])
    exact = [problems.get("rigid_pendulum").exact(t, theta0=start).q[0, 2] for start in angles(members)[: len(theta)]]
    return float(np.abs(np.array(theta) - exact).max())


def measure(bench: Bench) -> None:
    if not bench.has("isodyn"):
        return
    members = 200 if bench.quick else MEMBERS
    few = 4 if bench.quick else FEW
    two = {"NUMBA_NUM_THREADS": "2"}
    workers = {THREADS: [Worker("isodyn", None, two)], LOOP: [Worker("isodyn", None)], PLAIN: [Worker("isodyn", None)]}
    workers[PROCESSES] = [Worker("isodyn", None), Worker("isodyn", None)]
    rows = {way: Row(NAME, "isodyn", way, members, way) for way in (THREADS, PROCESSES, LOOP, PLAIN)}
    for way, package in OTHERS.items():
        if bench.has(package):
            workers[way] = [Worker(package, None, {"XLA_FLAGS": ""})]
            rows[way] = Row(NAME, package, way, members, way)
    bench.rows += rows.values()
    cases: dict[str, list[int]] = {}
    try:
        for way, row in rows.items():
            halves = [(0, members // 2), (members // 2, members)] if way == PROCESSES else [(0, members)]
            amount = few if way in (LOOP, PLAIN) else members
            try:
                cases[way] = []
                theta: list[float] = []
                for worker, (first, last) in zip(workers[way], halves, strict=True):
                    settings = {"members": members, "way": way, "first": first, "last": last}
                    reply = worker.ask("prepare", problem=NAME, package=row.package, settings=settings)
                    cases[way].append(reply["case"])
                    theta += worker.ask("answer", case=reply["case"], amount=amount)["theta"]
                row.errors = {"theta": error(theta, members)}
                row.gate = row.errors["theta"] < 0.02
            except WorkerError as problem:
                bench.fail(row, problem)
                row.gate = True  # missing is not inaccurate
        for _ in range(bench.repeats):
            for way, row in rows.items():
                if row.failed is None:
                    amount = few if way in (LOOP, PLAIN) else members
                    # per member
                    row.samples.append(_wall(workers[way], cases[way], amount) / amount)
    finally:
        for group in workers.values():
            for worker in group:
                worker.end()


def _wall(workers: list[Worker], cases: list[int], amount: int) -> float:
    """Seconds until all have answered; they start together."""
    started = time.perf_counter()
    for worker, case in zip(workers, cases, strict=True):
        worker.send("time", case=case, amount=amount)
    for worker in workers:
        worker.receive()
    return time.perf_counter() - started


def claims(rows: list[Row]) -> list[Claim]:
    found = {row.way: row for row in rows if row.problem == NAME and row.samples}
    if THREADS not in found:
        return []
    own, out = found[THREADS], []
    if PROCESSES in found:
        other = ratio(own, found[PROCESSES])
        note = f"{own.median * MEMBERS:.3g} s against {found[PROCESSES].median * MEMBERS:.3g} s for {MEMBERS} members, wall"
        out.append(at_most("ensemble: wall time over that of two independent processes", other, 1.1, note))
    for way, limit in ((PLAIN, 50.0), (LOOP, None)):
        if way in found:
            out.append(at_least(f"ensemble: times faster than a {way}", ratio(found[way], own), limit, own.gate))
    for way in OTHERS:
        if way in found:
            errors = f"error {own.errors['theta']:.0e} against {found[way].errors['theta']:.0e}"
            out.append(at_least(f"ensemble: times faster than {way}", ratio(found[way], own), None, own.gate, errors))
    return out

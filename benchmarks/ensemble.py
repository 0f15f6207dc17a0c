"""10,000 pendulums, each with a start of its own: one ensemble against loops in Python, and against
independent processes.

    point on a rod in (x, y), average acceleration, velocity level, dt = 10 ms

The loop by hand is what one would write with NumPy: the same scheme with Newton's iteration on (a,
λ) to the same tolerance, to the same end. It keeps no statistics and checks nothing. The other loop
calls `integrate` for each member; its cost over the steps themselves is Python around a run, so the
ratio falls with the length of the runs. Both loops are timed on some of the members.

Requirements: at least 50 times the loop by hand; two threads within 10 % of two processes that
share the members; members equal single runs bit for bit.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import numpy as np
from benchmarks.common import seconds, show, summary, write

import isodyn as iso
from isodyn.problems.pendulum import GRAVITY, planar
from isodyn.results.ensemble import with_start

MEMBERS, STEPS, DT, REPEATS, RTOL = 10_000, 100, 0.01, 5, 1e-10
SAMPLE = 20  # members of the loops in Python
LENGTHS = (10, 100, 1000)
THREADS = 2
SCHEME, FORMULATION = iso.Scheme.newmark(), iso.VelocityLevel()
LEAST_RATIO, MOST_LOSS = 50.0, 1.10

PROCESS = """
import sys
from benchmarks.ensemble import share
share(int(sys.argv[1]), int(sys.argv[2]))
"""


def starts() -> tuple[Any, Any]:
    system = planar(1.5, 1.2, 0.9, 1.0)
    return system, np.outer(np.random.default_rng(1).uniform(0.0, 5.0, MEMBERS), system.v0)


def run(system: Any, v0: Any, threads: int, steps: int = STEPS) -> iso.Ensemble:
    options = {"dt": DT, "t_end": steps * DT, "save_every": steps, "newton": iso.Newton(rtol=RTOL)}
    return iso.ensemble(system, SCHEME, FORMULATION, v0=v0, threads=threads, **options)


def single(system: Any, v0: Any, steps: int) -> iso.Solution:
    options = {"dt": DT, "t_end": steps * DT, "save_every": steps, "newton": iso.Newton(rtol=RTOL)}
    return iso.integrate(with_start(system, system.q0, v0), SCHEME, FORMULATION, **options)


def by_hand(q: Any, v: Any, mass: float, steps: int) -> Any:
    """One member with NumPy."""
    Q = np.array([0.0, -mass * GRAVITY])
    matrix, rest = np.zeros((3, 3)), np.zeros(3)

    def solve(q: Any, lam: float) -> Any:
        matrix[0, 0] = matrix[1, 1] = mass + 0.25 * DT**2 * lam
        matrix[:2, 2] = matrix[2, :2] = q
        return np.linalg.solve(matrix, rest)

    rest[:2], rest[2] = Q, -(v @ v)
    matrix[0, 0] = matrix[1, 1] = mass
    matrix[:2, 2] = matrix[2, :2] = q
    found = np.linalg.solve(matrix, rest)
    a, lam = found[:2], float(found[2])
    for _ in range(steps):
        q_p, v_p = q + DT * v + 0.25 * DT**2 * a, v + 0.5 * DT * a
        new = a
        for _ in range(20):
            q_1, v_1 = q_p + 0.25 * DT**2 * new, v_p + 0.5 * DT * new
            rest[:2] = Q - mass * new - q_1 * lam
            rest[2] = -(q_1 @ v_1) / (0.5 * DT)
            change = solve(q_1, lam)
            new, lam = new + change[:2], lam + change[2]
            if np.abs(change[:2]).max() <= RTOL * np.abs(new).max():
                break
        q, v, a = q_p + 0.25 * DT**2 * new, v_p + 0.5 * DT * new, new
    return q


def share(part: int, parts: int) -> None:
    """One of several processes: its share of the members each time it is told to go."""
    system, v0 = starts()
    mine = v0[part::parts]
    run(system, mine[:10], 1)
    for _ in sys.stdin:
        started = time.perf_counter()
        run(system, mine, 1)
        print(time.perf_counter() - started, flush=True)


def main() -> bool:
    system, v0 = starts()
    run(system, v0[:10], THREADS)
    single(system, v0[0], 2)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(part), str(THREADS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for part in range(THREADS)
    ]
    names = (
        f"ensemble, {THREADS} threads",
        "ensemble, 1 thread",
        f"{THREADS} processes",
        "integrate",
        "by hand, NumPy",
    )
    samples: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(REPEATS):
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        took = [float(process.stdout.readline()) for process in processes if process.stdout is not None]
        samples[names[2]].append(max(took) / MEMBERS)
        for name, threads in zip(names[:2], (THREADS, 1), strict=True):
            started = time.perf_counter()
            ens = run(system, v0, threads)
            samples[name].append((time.perf_counter() - started) / MEMBERS)
        started = time.perf_counter()
        alone = [single(system, v0[i], STEPS) for i in range(SAMPLE)]
        samples[names[3]].append((time.perf_counter() - started) / SAMPLE)
        started = time.perf_counter()
        ends = [by_hand(system.q0, v0[i], system.tables.masses[0], STEPS) for i in range(SAMPLE)]
        samples[names[4]].append((time.perf_counter() - started) / SAMPLE)
    for process in processes:
        process.communicate()
    rows = {name: summary(x) for name, x in samples.items()}
    show(f"{MEMBERS} pendulums of {STEPS} steps, per member", rows, "µs", 1e6)
    same = all(np.array_equal(ens[i].q, alone[i].q) for i in range(SAMPLE)) and not ens.single and not ens.errors
    gap = max(float(np.abs(ens.q[i, -1] - end).max()) for i, end in enumerate(ends))

    against: dict[str, float] = {}
    for steps in LENGTHS:
        few = v0[: max(SAMPLE, MEMBERS // steps)]
        started = time.perf_counter()
        run(system, few, THREADS, steps)
        together = (time.perf_counter() - started) / len(few)
        started = time.perf_counter()
        for i in range(SAMPLE):
            single(system, v0[i], steps)
        against[str(steps)] = (time.perf_counter() - started) / SAMPLE / together
    few = v0[:SAMPLE]
    per_core = seconds(lambda: [by_hand(system.q0, v, system.tables.masses[0], STEPS) for v in few]) / SAMPLE
    started = time.process_time()
    run(system, v0[:1000], THREADS)
    per_core /= (time.process_time() - started) / 1000
    median = {name: row["median"] for name, row in rows.items()}
    ratio = median["by hand, NumPy"] / median[names[0]]
    loss = median[names[0]] / median[names[2]]
    print(
        f"\nby hand / ensemble: {ratio:.0f}; threads / processes: {loss:.2f}; largest difference to the loop by hand: {gap:.1e}"
    )
    print(
        "integrate / ensemble: "
        + ", ".join(f"{value:.1f} for runs of {steps} steps" for steps, value in against.items())
    )
    print(f"by hand / ensemble in processor time, on one core: {per_core:.1f}")
    print(f"members equal single runs bit for bit: {same}")
    write(
        "ensemble",
        {
            "members": MEMBERS,
            "steps": STEPS,
            "seconds_per_member": rows,
            "by_hand_over_ensemble": ratio,
            "by_hand_over_ensemble_in_processor_time": per_core,
            "integrate_over_ensemble": against,
            "threads_over_processes": loss,
            "difference_to_loop_by_hand": gap,
            "bit_for_bit": same,
        },
    )
    return ratio >= LEAST_RATIO and loss <= MOST_LOSS and same and gap < 1e-8

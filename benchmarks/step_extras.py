"""What steps pay for knowing more: the estimate of the local error, and angles counted over whole
turns.

The kernels that do it are timed by themselves, on the memory of runs that have just ended, and
compared with the time of a whole step of the same run: the estimate (isodyn.stepping.local_error)
once per step; for mechanisms with counted angles the increments of q with and without them, as
often as a step asks for them, and SETTLE at its end. Lower quartiles of many rounds, one thread.

Requirement: both together below 5 % of a step of the pendulum, of a planar and a spatial chain, and
of a chain of hinges.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from benchmarks.common import write
from numba import types

import isodyn as iso
from isodyn.kernels.compiled import MODEL_TYPE, RETRACT, SETTLE, F, f8, i8, kernel
from isodyn.kernels.struct_types import ADDRESS
from isodyn.marching.method import settle
from isodyn.marching.plan import MAIN
from isodyn.marching.progress import Progress
from isodyn.marching.run import Run
from isodyn.marching.schedule import plan
from isodyn.stepping.local_error import judge
from isodyn.stepping.memory import LEG, MEMORY, STATE

CALLS, ROUNDS, LIMIT = 2000, 25, 0.05


@kernel(types.void(i8, f8, STATE, MEMORY, LEG))
def judge_often(calls: int, dt: float, state: Any, memory: Any, leg: Any) -> None:
    """The estimate, so many times; the step is counted as one of many of the same size."""
    for _ in range(calls):
        judge(leg, 1.0, dt, state.smooth_steps, state, memory)


@kernel(types.void(i8, i8, MODEL_TYPE, F, F, F, ADDRESS, ADDRESS, F))
def ask_often(calls: int, what: int, model: Any, q: Any, d: Any, c: Any, tables: Any, scratch: Any, out: Any) -> None:
    """One question about q and the increment d, so many times."""
    for _ in range(calls):
        model(what, 0.0, q, d, d, d, c, tables, scratch, out)


def quartile(function: Callable[[], Any]) -> float:
    """Lower quartile of the time of a call, in seconds."""
    found = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        function()
        found.append(time.perf_counter() - began)
    return float(np.percentile(found, 25))


def hinges(bodies: int) -> Any:
    """A chain of bodies on hinges in space, each with a counted angle."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    before = "ground"
    for k in range(bodies):
        mech.add_body(f"body{k}", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5 + k, 0, 0))
        mech.add_joint(iso.Hinge(f"pin{k}", before, f"body{k}", point=(k, 0, 0), axis=(0, 1, 0)))
        before = f"body{k}"
    return mech.compile()


def measure(system: Any, dt: float, steps: int) -> dict[str, float]:
    """Microseconds of a step and of the extras in it."""
    method = settle(system, None, None, dt)
    stretches = plan(0.0, steps * dt, dt, (), steps)
    per_step, retractions = [], 0.0
    for _ in range(ROUNDS):
        run = Run(system, method, stretches)
        with Progress(steps, False) as bar:
            sol = run.execute(bar)
        per_step.append(sol.stats.seconds / steps)
        # at the balance and at the end of a step
        retractions = 2.0 * sol.stats.iterations / steps + 1.0
    step = float(np.percentile(per_step, 25))
    leg = run.plan.legs[MAIN]
    estimate = quartile(lambda: judge_often(CALLS, dt, run.state, run.memory, leg)) / CALLS
    turns = 0.0
    if getattr(system, "turns", 0):
        model = run.model
        bare = replace(system.layout, angles=()).build(sparse=model.sparsity is not None)[0]
        out, c, d = run.state.q.copy(), np.array([1.0, 0.0, 0.0, 1.0]), dt * run.state.v

        def ask(what: int, tables: Any) -> float:
            call = CALLS, what, model.function, run.state.q, d, c, tables, model.scratch, out
            return quartile(lambda: ask_often(*call)) / CALLS

        turns = retractions * (ask(RETRACT, model.tables) - ask(RETRACT, bare)) + ask(SETTLE, model.tables)
    return {
        "step": 1e6 * step,
        "local_error": 1e6 * estimate,
        "turns": 1e6 * turns,
        "share": (estimate + turns) / step,
    }


def main() -> bool:
    """Measure, print and write; whether every share is below the limit."""
    get = iso.problems.get
    cases = {
        "pendulum": (get("pendulum").system(), 1e-3, 5000),
        "planar chain": (get("planar_chain").system(), get("planar_chain").dt, 300),
        "spatial chain": (get("spatial_chain").system(), get("spatial_chain").dt, 200),
        "one hinge in space": (hinges(1), 1e-3, 2000),
        "chain of 20 hinges in space": (hinges(20), 1e-3, 200),
    }
    found = {name: measure(*case) for name, case in cases.items()}
    print(f"{'case':30s}{'step µs':>10s}{'local error':>14s}{'turns':>10s}{'share':>9s}")
    for name, row in found.items():
        print(f"{name:30s}{row['step']:10.2f}{row['local_error']:14.3f}{row['turns']:10.3f}{100 * row['share']:8.1f}%")
    write("step_extras", {"cases": found})
    return all(row["share"] < LIMIT for name, row in found.items() if name != "one hinge in space")


if __name__ == "__main__":
    main()

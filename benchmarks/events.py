"""What it costs to watch for events: functions that are looked at after every step.

The kernels are timed by themselves, on the memory of runs that have just ended, and compared with
the time of a step of the same run without events: the copy of the state before each step, and the
look at one function and at a hundred, compiled and as an expression in names of a mechanism. Lower
quartiles of many rounds, one thread.

Required: 10⁵ functions a second cost at most 5 % of the time, so that one costs at most half a
microsecond; and one function with the copy costs at most 5 % of a step of chains of bodies.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from benchmarks.common import write
from benchmarks.step_extras import hinges
from numba import types

import isodyn as iso
from isodyn.kernels.compiled import MODEL_TYPE, i8, kernel
from isodyn.kernels.struct_types import ADDRESS, copy_struct
from isodyn.marching.event_watch import EventWatch
from isodyn.marching.method import settle
from isodyn.marching.progress import Progress
from isodyn.marching.run import Run
from isodyn.marching.schedule import plan
from isodyn.stepping.guards import look_for_events
from isodyn.stepping.memory import MEMORY, PLAN, STATE

CALLS, ROUNDS, MANY = 2000, 25, 100
PER_SECOND, LIMIT = 1e5, 0.05


@numba.njit
def height(t: float, q: Any, v: Any) -> Any:
    return q[1] - 1e3


@kernel(types.void(i8, MODEL_TYPE, ADDRESS, ADDRESS, PLAN, STATE, MEMORY))
def look_often(calls: int, model: Any, tables: Any, scratch: Any, plan: Any, state: Any, memory: Any) -> None:
    """Look for events in the last step, so many times."""
    for _ in range(calls):
        look_for_events(model, tables, scratch, plan, state, memory)


@kernel(types.void(i8, STATE, MEMORY))
def copy_often(calls: int, state: Any, memory: Any) -> None:
    """Keep the state, so many times."""
    for _ in range(calls):
        copy_struct(state, memory.before)


def quartile(function: Callable[[], Any]) -> float:
    """Lower quartile of the processor time of a call, in seconds."""
    found = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        function()
        found.append(time.thread_time() - began)
    return float(np.percentile(found, 25))


def measure(system: Any, dt: float, steps: int, expression: str | None) -> dict[str, float]:
    """Microseconds of a step, of a copy, and of looking at functions."""
    method, stretches = settle(system, None, None, dt), plan(0.0, steps * dt, dt, (), steps)

    def execute() -> tuple[Run, float]:
        run = Run(system, method, stretches)
        with Progress(steps, False) as bar:
            began = time.thread_time()
            run.execute(bar)
        return run, time.thread_time() - began

    step = float(np.percentile([execute()[1] / steps for _ in range(ROUNDS)], 25))
    run, _ = execute()
    model, found = run.model, {"step": 1e6 * step}
    cases = {"one": (iso.Event(height),), "many": (iso.Event(height),) * MANY}
    if expression is not None:
        cases["expression"] = (iso.Event(expression),)
    for name, events in cases.items():
        run.memory.before.copy_from(run.state)
        run.memory.before.t -= dt
        watch = EventWatch(run, events)
        watch.begin()
        call = CALLS, model.function, model.tables, model.scratch, run.plan, run.state, run.memory
        look_often(*call)
        found[name] = 1e6 * quartile(lambda call=call: look_often(*call)) / CALLS
    found["each of many"] = found.pop("many") / MANY
    found["copy"] = 1e6 * quartile(lambda: copy_often(CALLS, run.state, run.memory)) / CALLS
    found["share of one"] = (found["one"] + found["copy"]) / found["step"]
    return found


def main() -> bool:
    """Measure, print and write; whether both limits hold."""
    get = iso.problems.get
    cases = {
        "pendulum": (get("pendulum").system(), 1e-3, 5000, None),
        "planar chain": (get("planar_chain").system(), get("planar_chain").dt, 1000, None),
        "spatial chain": (get("spatial_chain").system(), get("spatial_chain").dt, 500, None),
        "one hinge in space": (hinges(1), 1e-3, 2000, "pin0.angle - 100"),
        "chain of 20 hinges in space": (hinges(20), 1e-3, 200, "pin19.angle - 100"),
    }
    found = {name: measure(*case) for name, case in cases.items()}
    columns = ("step", "copy", "one", "each of many", "expression")
    print(f"{'µs':28s}" + "".join(f"{name:>14s}" for name in columns) + f"{'share of one':>14s}")
    for name, row in found.items():
        cells = "".join(f"{row[column]:14.3f}" if column in row else f"{'':14s}" for column in columns)
        print(f"{name:28s}{cells}{100 * row['share of one']:13.1f}%")
    write("events", {"cases": found})
    each = max(max(row["one"], row["each of many"], row.get("expression", 0.0)) for row in found.values())
    chains = [row["share of one"] for name, row in found.items() if "chain" in name]
    return 1e-6 * PER_SECOND * each <= LIMIT and max(chains) <= LIMIT


if __name__ == "__main__":
    main()

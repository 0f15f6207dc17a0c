"""What runs in the process of one package: it prepares cases, runs them and answers, by lines of
JSON.

    {"do": "prepare", "problem": "chains", "package": "exudyn", "settings": {…}}   → {"case": 0, "seconds": …}
    {"do": "time", "case": 0, "amount": 1000, "times": 3}                          → {"seconds": …, "wall": …, "counts": {…}}
    {"do": "answer", "case": 0, "amount": 1000}                                    → results to check
    {"do": "memory", "reset": true}                                                → {"now": …, "peak": …} in MB
    {"do": "drop", "case": 0}

A case is an object with `run(amount) → counts`, which is timed, and `answer(amount) → results`,
which is not. `amount` is a number of steps or a tolerance. Seconds are processor time of this
process. Whatever a package prints goes to standard error.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any, TextIO

import numpy as np

MODULES: dict[str, tuple[str, ...]] = {
    "isodyn": ("isodyn", "isodyn.problems", "isodyn.mechanism.mechanism"),
    "exudyn": ("benchmarks.peers.with_exudyn",),
    "mujoco": ("mujoco",),
    "pinocchio": ("pinocchio",),
    "scipy": ("scipy.integrate",),
    "sundae": ("sksundae",),
    "scipy_dae": ("scipy_dae.integrate",),
    "casadi": ("casadi",),
    "diffrax": ("diffrax",),
}
"""Of every package, what is imported before the clock starts."""


class Worker:
    """The cases that this process holds."""

    def __init__(self) -> None:
        self.cases: dict[int, Any] = {}
        self.made = 0

    def prepare(self, problem: str, package: str, settings: dict[str, Any]) -> dict[str, Any]:
        module = importlib.import_module(f"benchmarks.peers.problems.{problem}")
        for name in MODULES[package]:  # not part of the time
            importlib.import_module(name)
        gc.collect()
        started = time.process_time()
        self.cases[self.made] = module.PACKAGES[package](**settings)
        seconds = time.process_time() - started
        self.made += 1
        return {"case": self.made - 1, "seconds": seconds}

    def time(self, case: int, amount: float, times: int = 1) -> dict[str, Any]:
        run = self.cases[case].run
        gc.collect()
        gc.disable()
        wall, started = time.perf_counter(), time.process_time()
        for _ in range(times):
            counts = run(amount)
        seconds, wall = time.process_time() - started, time.perf_counter() - wall
        gc.enable()
        return {"seconds": seconds / times, "wall": wall / times, "counts": counts}

    def answer(self, case: int, amount: float) -> dict[str, Any]:
        return self.cases[case].answer(amount)

    def drop(self, case: int) -> dict[str, Any]:
        self.cases.pop(case, None)
        gc.collect()
        return {}

    def memory(self, reset: bool = False) -> dict[str, float]:
        """Resident memory now and at its highest since the last reset."""
        if reset:
            gc.collect()
            Path("/proc/self/clear_refs").write_text("5")
        lines = Path("/proc/self/status").read_text().splitlines()
        found = {
            line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.startswith(("VmHWM", "VmRSS"))
        }
        largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return {"now": found.get("VmRSS", largest), "peak": found.get("VmHWM", largest)}


def plain(value: Any) -> Any:
    """NumPy numbers and arrays as Python's, for JSON."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def serve(lines: TextIO, out: TextIO) -> None:
    """Answer until the lines end."""
    worker = Worker()
    for line in lines:
        request = json.loads(line)
        try:
            reply = getattr(worker, request.pop("do"))(**request)
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        out.write(json.dumps(reply, default=plain) + "\n")
        out.flush()


if __name__ == "__main__":
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what packages print, also from C, does not disturb the channel
    serve(sys.stdin, channel)

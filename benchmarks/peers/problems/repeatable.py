"""Bit for bit the same from run to run and from process to process; and compiled equal to the same
source without Numba.

The second is the test tests/agreement/test_compiled_vs_interpreted.py as CI runs it: one step from
random states of seven problems of all kinds, to 1e-12. Every problem takes more than six minutes without
Numba; `make full` runs them.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import Any

import numpy as np
from benchmarks.peers.claims import Claim, fact
from benchmarks.peers.measure import Bench, Row
from benchmarks.peers.workers import ROOT, Worker

NAME, TITLE = "repeatable", "The same again"
NAMES = ("rigid_pendulum", "andrews", "planar_chain", "spatial_chain", "spinning_top", "kepler")
TEST = "tests/agreement/test_compiled_vs_interpreted.py"


class Isodyn:
    """Some problems of the library, with fixed and with adaptive steps."""

    def __init__(self) -> None:
        import isodyn as iso

        self.iso = iso

    def run(self, amount: float) -> dict[str, float]:
        return {}

    def answer(self, amount: float) -> dict[str, Any]:
        found = {}
        for name in NAMES:
            problem = self.iso.problems.get(name)
            runs = (
                self.iso.integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=amount * problem.dt),
                self.iso.integrate_adaptive(problem.system(), t_end=amount * problem.dt),
            )
            found[name] = [np.concatenate([x[-1] for x in (r.q, r.v, r.a, r.lam)]).tobytes().hex() for r in runs]
        return found


PACKAGES = {"isodyn": Isodyn}


def measure(bench: Bench) -> None:
    if not bench.has("isodyn"):
        return
    seen = []
    for _ in range(2):
        worker = Worker("isodyn", bench.workers.core)
        case = worker.ask("prepare", problem=NAME, package="isodyn", settings={})["case"]
        seen += [worker.ask("answer", case=case, amount=50) for _ in range(2)]
        worker.end()
    row = Row(NAME, "isodyn", "four runs in two processes")
    row.errors = {"different": float(sum(found[name] != seen[0][name] for found in seen for name in NAMES))}
    row.gate = row.errors["different"] == 0
    bench.rows.append(row)
    if bench.quick or importlib.util.find_spec("pytest") is None:
        return
    test = Row(NAME, "isodyn", "compiled equals interpreted")
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not long", TEST]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    test.gate = done.returncode == 0
    test.failed = None if test.gate else done.stdout.splitlines()[-1]
    bench.rows.append(test)


def claims(rows: list[Row]) -> list[Claim]:
    texts = {
        "four runs in two processes": "results are the same bit for bit from run to run and process to process",
        "compiled equals interpreted": "compiled equals the same source without Numba, one step of seven problems to 1e-12",
    }
    return [fact(texts[row.way], row.gate, row.failed or "") for row in rows if row.problem == NAME]

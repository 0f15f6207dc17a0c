"""What checkpoints cost at their default interval, for each kind of run that has them.

Each kind runs for some seconds with checkpoints on the disk. The time inside of the code that makes
them is counted by the clock, waits for the disk included, against the rest of the same run: what
else the machine does changes both. A thousand rows are kept of each run, as of long ones; what it
costs to keep every step of small models is told beside it: those make tens of megabytes a second.

Requirement: below 3 % for every kind, a thousand rows kept.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from benchmarks.common import write

import isodyn as iso
from isodyn import problems
from isodyn.api.portions import PortionFolder
from isodyn.results import checkpoint as single_runs
from isodyn.results.checkpoint import Checkpoint
from isodyn.results.sweep_file import SweepWriter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from friction_systems import hoop
from subdomain_systems import THREE, chain
from sweep_models import OUTPUTS, swing

SECONDS, ROWS, MOST = 4.0, 1000, 0.03
MADE_BY = {
    Checkpoint: ("begin", "settle", "write", "append", "finish", "restore"),
    PortionFolder: ("__init__", "settled", "write", "found"),
    SweepWriter: ("__init__", "write", "to_disk", "close"),
}
Call = Callable[[Path, float, bool], Any]


def single(system: Any, first: float, **options: Any) -> Call:
    """A run of `integrate`; `length` times as long as the first one."""

    def run(place: Path, length: float, all_rows: bool) -> Any:
        dt, t_end = options.get("dt"), first * length
        kept: dict[str, Any] = {} if all_rows else {"save": ROWS}
        if not all_rows and isinstance(dt, float):
            kept = {"save_every": max(1, round(t_end / dt / ROWS))}
        return iso.integrate(system, **options, **kept, t_end=t_end, checkpoint=place)

    return run


def ensemble(place: Path, length: float, all_rows: bool) -> Any:
    """Pendulums on one thread."""
    system = problems.get("pendulum").system()
    v0 = np.outer(np.linspace(0.5, 2.0, max(10, int(200 * length))), system.v0)
    every = 1 if all_rows else 100
    return iso.ensemble(system, v0=v0, dt=0.01, t_end=1.0, threads=1, save_every=every, checkpoint=place)


def sweep(place: Path, length: float, all_rows: bool) -> Any:
    """Points in this process."""
    masses = {"rod.mass": np.linspace(0.5, 2.0, max(4, int(100 * length)))}
    place.mkdir()
    outputs = [*OUTPUTS, "pin.angle"] if all_rows else OUTPUTS
    return iso.sweep(swing(), masses, outputs, workers=0, out=place / "sweep.nc", dt=0.01, t_end=0.2)


def kinds() -> dict[str, Call]:
    andrews, pendulum, bennett = (problems.get(name) for name in ("andrews", "pendulum", "bennett"))
    python = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -np.sin(q), q0=[1.0], v0=[0.0])
    kepler = problems.get("kepler")
    parts = iso.partition(chain(), THREE)
    options = {"formulation": iso.Stabilised(), "substeps": {"left": 2, "middle": 1, "right": 4}}
    return {
        "fixed steps": single(andrews.system(), 100 * andrews.dt, dt=andrews.dt, scheme=andrews.scheme),
        "redundant rows": single(bennett.system(), 100 * bennett.dt, dt=bennett.dt, scheme=bennett.scheme),
        "plain Python": single(python, 2.0, dt=0.1),
        "adaptive steps": single(bennett.system(), 20 * bennett.dt, dt=iso.Adaptive(rtol=1e-4)),
        "order 8": single(kepler.system(), 20.0, scheme=iso.DOP853(rtol=1e-9)),
        "Radau": single(pendulum.system(), 1.0, scheme=iso.Radau(rtol=1e-7)),
        "subdomains": single(parts, 1.0, dt=0.02, **options),
        "friction": single(iso.with_friction(*hoop(8.0, 0.01, 1.0)), 1.0, dt=0.002),
        "ensemble": ensemble,
        "sweep": sweep,
    }


class Clock:
    """Counts the time inside of functions, once where one calls another."""

    def __init__(self) -> None:
        self.seconds, self.inside = 0.0, False

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: Any, **named: Any) -> Any:
            if self.inside:
                return function(*given, **named)
            self.inside, began = True, time.perf_counter()
            try:
                return function(*given, **named)
            finally:
                self.inside, self.seconds = False, self.seconds + time.perf_counter() - began

        return timed


def measured(run: Call, length: float, all_rows: bool) -> tuple[float, float]:
    """Seconds of a run, and those of its checkpoints."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as patched:
        for of, names in MADE_BY.items():
            for name in names:
                patched.enter_context(patch.object(of, name, clock.around(getattr(of, name))))
        began = time.perf_counter()
        run(Path(folder, "run"), length, all_rows)
        return time.perf_counter() - began, clock.seconds


def shares(run: Call) -> dict[str, float]:
    """What checkpoints add to the rest of a run, with a thousand rows kept and with all."""
    measured(run, 1.0, False), measured(run, 1.0, True)  # kernels are there
    length, taken = 1.0, 0.0
    while taken < 0.5 * SECONDS:
        taken = measured(run, length, False)[0]
        length *= min(10.0, max(1.0, SECONDS / taken))
    found = {}
    for name, all_rows in (("a thousand rows", False), ("all rows", True)):
        whole, made = measured(run, length, all_rows)
        found |= {name: made / (whole - made), f"seconds, {name}": whole}
    return found


def main() -> bool:
    found = {name: shares(run) for name, run in kinds().items()}
    print(f"  share of checkpoints, files begun {single_runs.AT_FIRST:g} s after the start")
    for name, one in found.items():
        words = (
            f"{100 * one[rows]:6.2f} % of {one[f'seconds, {rows}']:5.2f} s" for rows in ("a thousand rows", "all rows")
        )
        print(f"  {name:16s}" + ", all rows ".join(words))
    write("checkpoints", found)
    return all(one["a thousand rows"] < MOST for one in found.values())

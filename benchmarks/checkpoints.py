"""What checkpoints cost at their default interval, for each kind of run that has them.

Each kind runs for about a second, with checkpoints on the disk and without, one after the other in
turn. A sweep keeps its points in its file; it is compared with one whose records go nowhere. Lower
quartiles of the times by the clock, waits for the disk included.

Requirement: below 3 % for every kind.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from benchmarks.common import write

import isodyn as iso
from isodyn import problems
from isodyn.results.sweep_file import SweepWriter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from friction_systems import hoop  # noqa: E402
from subdomain_systems import THREE, chain  # noqa: E402
from sweep_models import OUTPUTS, swing  # noqa: E402

ROUNDS, SECONDS, MOST = 9, 0.8, 0.03
Call = Callable[[Any, float], Any]


def single(system: Any, first: float, **options: Any) -> Call:
    """A run of `integrate`; `length` times as long as the first one."""

    def run(checkpoint: Any, length: float) -> Any:
        return iso.integrate(system, **options, t_end=first * length, checkpoint=checkpoint)

    return run


def ensemble(checkpoint: Any, length: float) -> Any:
    """Pendulums on one thread."""
    system = problems.get("pendulum").system()
    v0 = np.outer(np.linspace(0.5, 2.0, max(10, int(200 * length))), system.v0)
    return iso.ensemble(system, v0=v0, dt=0.01, t_end=1.0, threads=1, checkpoint=checkpoint)


def friction(checkpoint: Any, length: float) -> Any:
    """A bead on a wire, which slides, sticks and turns."""
    bead, wire = hoop(8.0, 0.01, 1.0)
    return iso.integrate_with_friction(bead, wire, t_end=length, rtol=1e-6, checkpoint=checkpoint)


def sweep(checkpoint: Any, length: float) -> Any:
    """Points in this process, into a file or nowhere."""
    masses = {"rod.mass": np.linspace(0.5, 2.0, max(4, int(100 * length)))}
    nowhere = patch.object(SweepWriter, "write", lambda *given, **told: None) if checkpoint is None else nullcontext()
    with nowhere:
        return iso.sweep(swing(), masses, OUTPUTS, workers=0, dt=0.01, t_end=0.2)


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
        "adaptive steps": single(pendulum.system(), 1.0, dt=iso.Adaptive(rtol=1e-5)),
        "order 8": single(kepler.system(), 20.0, scheme=iso.DOP853(rtol=1e-9)),
        "Radau": single(pendulum.system(), 1.0, scheme=iso.Radau(rtol=1e-7)),
        "subdomains": single(parts, 1.0, dt=0.02, **options),
        "friction": friction,
        "ensemble": ensemble,
        "sweep": sweep,
    }


def seconds(run: Call, length: float, kept: bool) -> float:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run(Path(folder, "run") if kept else None, length)
        return time.perf_counter() - began


def measured(run: Call) -> dict[str, float]:
    """Lower quartiles with and without checkpoints, and what they add."""
    seconds(run, 1.0, True)  # kernels are there
    length = 1.0
    while (taken := seconds(run, length, False)) < 0.5 * SECONDS:
        length *= min(10.0, SECONDS / max(taken, 1e-3))
    both = np.array([[seconds(run, length, kept) for kept in (False, True)] for _ in range(ROUNDS)])
    without, kept = np.quantile(both, 0.25, axis=0)
    return {"without": float(without), "with": float(kept), "share": float(kept / without - 1.0)}


def main() -> bool:
    found = {name: measured(run) for name, run in kinds().items()}
    for name, one in found.items():
        print(f"  {name:16s}{one['without']:7.3f} s, with checkpoints {one['with']:7.3f} s: {100 * one['share']:+.2f} %")
    write("checkpoints", found)
    return all(one["share"] < MOST for one in found.values())

"""2000 four-bars: one and two local workers, one and two workers of a Dask scheduler on loopback.

    four-bar      examples/models/four_bar.toml, 500 steps; the mass of the crank and the stiffness of the spring vary
    run itself    what a worker tells as `run_seconds`: numbers into tables, `integrate`, outputs

Overhead is the time that a worker takes for a point beyond the run itself: the way there and back, the record on the disk. It
is counted from the first point that comes in, so that the start of processes is told apart. `integrate` alone, of such
systems one after the other in this process, is measured beside it.
Memory is that of the driver, looked at while points come in.

Requirement: two workers at least 1.8 times as fast as one, from the first point on; overhead at most
2 ms; memory of the driver within 5 % after the first tenth of the points.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import distributed
import numpy as np
from benchmarks.common import write

import isodyn as iso
from isodyn.results.sweep_file import SweepWriter
from isodyn.sweeps.study import described

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from dask_processes import cluster  # noqa: E402

MODEL = ROOT / "examples" / "models" / "four_bar.toml"
# processes of Dask look at themselves many times a second, which takes 3 % of a core each
QUIET = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",
    "DASK_DISTRIBUTED__WORKER__MEMORY__MONITOR_INTERVAL": "1s",
}
POINTS, FEW = 2000, 200
OUTPUTS = ["peak = max(|A.force|)", "turned = last(crank.angle)"]
LEAST, MOST, GROWTH = 1.8, 2e-3, 0.05
RUN: dict[str, Any] = {"t_end": 1.0}
PARAMETERS = {"crank.mass": np.linspace(0.3, 0.5, 40), "k": np.linspace(700.0, 900.0, POINTS // 40)}


def integrate_alone() -> float:
    """Seconds of `integrate` for one of the points, the mean of some."""
    study = described(str(MODEL), PARAMETERS, OUTPUTS, None, None, 0, False, {})
    taken = 0.0
    for values in study.design.values[:: POINTS // FEW]:
        system, options = study.task.subject.prepared(dict(zip(study.design.names, map(float, values), strict=True)))
        began = time.perf_counter()
        iso.integrate(system, **options | RUN)
        taken += time.perf_counter() - began
    return taken / FEW


def memory() -> float:
    """Of this process, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Watched:
    """Times and memory while points come in, by what the writer is told."""

    def __init__(self) -> None:
        self.came: list[float] = []
        self.sizes: list[float] = []

    def __enter__(self) -> Watched:
        self.write = SweepWriter.write

        def write(writer: Any, *given: Any, **told: Any) -> None:
            self.write(writer, *given, **told)
            self.came.append(time.perf_counter())
            if len(self.came) % (POINTS // 20) == 0:
                self.sizes.append(memory())

        SweepWriter.write = write  # type: ignore[method-assign]
        return self

    def __exit__(self, *error: object) -> None:
        SweepWriter.write = self.write  # type: ignore[method-assign]


def measured(**where: Any) -> dict[str, Any]:
    """One sweep of all points."""
    with Watched() as watched, tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        found = iso.sweep(MODEL, PARAMETERS, OUTPUTS, out=Path(folder, "sweep.nc"), **where, **RUN)
        seconds = time.perf_counter() - began
        failed, peak = int((~found.ok).sum()), found["peak"].copy()
        itself = float(found.seconds.mean())
    first = watched.came[0] - began
    return {
        "seconds": seconds,
        "until the first point": first,
        "run itself": itself,
        "a point": (watched.came[-1] - watched.came[0]) / (POINTS - 1),
        "memory": watched.sizes,
        "growth of memory": max(watched.sizes[2:]) / watched.sizes[1] - 1.0,
        "failed": failed,
        "peak": peak,
    }


def main() -> bool:
    integrate_alone()  # kernels are there
    found: dict[str, Any] = {"integrate alone": integrate_alone()}
    ways: dict[str, Any] = {}
    for workers in (1, 2):
        ways[f"{workers} local"] = measured(workers=workers)
    os.environ.update(QUIET)
    for workers in (1, 2):
        with cluster(workers) as made:
            with distributed.Client(made.address, set_as_default=False) as client:
                client.wait_for_workers(workers)
            ways[f"{workers} of Dask"] = measured(scheduler=made.address)
    same = all(np.array_equal(one["peak"], ways["1 local"]["peak"]) for one in ways.values())
    print(f"\n{POINTS} four-bars, `integrate` alone {1e3 * found['integrate alone']:.2f} ms")
    for name, one in ways.items():
        del one["peak"]
        workers = int(name[0])
        one["overhead"] = one["a point"] * workers - one["run itself"]
        print(
            f"  {name:10s}{one['seconds']:8.2f} s, first point after {one['until the first point']:.2f} s,"
            f" run itself {1e3 * one['run itself']:.2f} ms, overhead {1e3 * one['overhead']:.2f} ms,"
            f" driver grew by {100 * one['growth of memory']:.1f} %, {one['failed']} failed"
        )
    ratios = {kind: ways[f"1 {kind}"]["seconds"] / ways[f"2 {kind}"]["seconds"] for kind in ("local", "of Dask")}
    rates = {kind: ways[f"1 {kind}"]["a point"] / ways[f"2 {kind}"]["a point"] for kind in ("local", "of Dask")}
    print(f"  two workers over one, whole: {ratios}; from the first point on: {rates}; bit for bit the same: {same}")
    found |= {"two over one": ratios, "two over one from the first point on": rates, "bit_for_bit": same}
    write("sweeps", {**found, "points": POINTS, "ways": ways})
    return (
        same
        and all(ratio >= LEAST for ratio in rates.values())
        and all(ways[f"1 {kind}"]["overhead"] <= MOST for kind in ("local", "of Dask"))
        and all(one["growth of memory"] <= GROWTH and not one["failed"] for one in ways.values())
    )

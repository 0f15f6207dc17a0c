"""2000 four-bars: one and two local workers, one and two workers of a Dask scheduler on loopback.

    four-bar      examples/models/four_bar.toml as it stands, 1000 steps; the mass of the crank and the stiffness of
                  the spring vary

Speed is the time of the whole sweep, the start of processes included. Overhead is what a point takes on one
worker, from the first point to the last, less `integrate` alone: numbers into tables, outputs, the way there
and back, the record on the disk. `integrate` alone is timed in this process, for the systems of such points one after the other,
against what the runs tell of themselves (`stats.seconds`), and what runs of the sweep tell is taken
by that ratio: clocks of processors change by a tenth from minute to minute. The start by the number of points is told beside it.
Memory is that of the driver, looked at while points come in.

Requirement: two workers at least 1.8 times as fast as one of the same kind; overhead at most 2 ms;
memory of the driver within 5 % after the first tenth of the points; the same numbers everywhere.
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
OUTPUTS = ["peak = max(|A.force|)", "turned = last(crank.angle)", "took = seconds"]
LEAST, MOST, GROWTH = 1.8, 2e-3, 0.05
PARAMETERS = {"crank.mass": np.linspace(0.3, 0.5, 40), "k": np.linspace(700.0, 900.0, POINTS // 40)}


def integrate_alone() -> float:
    """Time of `integrate` for some of the points, by what the runs tell of themselves."""
    study = described(str(MODEL), PARAMETERS, OUTPUTS, None, None, 0, False, {})
    taken = told = 0.0
    for values in study.design.values[:: POINTS // FEW]:
        system, options = study.task.subject.prepared(dict(zip(study.design.names, map(float, values), strict=True)))
        began = time.perf_counter()
        sol = iso.integrate(system, **options)
        taken += time.perf_counter() - began
        told += sol.stats.seconds
    return taken / told


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
        found = iso.sweep(MODEL, PARAMETERS, OUTPUTS, out=Path(folder, "sweep.nc"), **where)
        seconds = time.perf_counter() - began
        failed, peak, told = int((~found.ok).sum()), found["peak"].copy(), float(found["took"].mean())
    return {
        "seconds": seconds,
        "until the first point": watched.came[0] - began,
        "a point after the first": (watched.came[-1] - watched.came[0]) / (POINTS - 1),
        "memory": watched.sizes,
        "growth of memory": max(watched.sizes[2:]) / watched.sizes[1] - 1.0,
        "told by runs": told,
        "failed": failed,
        "peak": peak,
    }


def warm() -> None:
    """One point of each kind: programs and kernels that processes read when they start are in memory."""
    iso.sweep(MODEL, {"k": [800.0]}, OUTPUTS, workers=1)
    with cluster(1) as made:
        iso.sweep(MODEL, {"k": [800.0]}, OUTPUTS, scheduler=made.address)


def all_ways() -> tuple[dict[str, Any], float]:
    """Sweeps of all kinds, and the mean of `integrate_alone` before and between them."""
    ways: dict[str, Any] = {}
    alone = []
    warm()
    for workers in (1, 2):
        alone.append(integrate_alone())
        ways[f"{workers} local"] = measured(workers=workers)
    os.environ.update(QUIET)
    for workers in (1, 2):
        alone.append(integrate_alone())
        with cluster(workers) as made:
            with distributed.Client(made.address, set_as_default=False) as client:
                client.wait_for_workers(workers)
            ways[f"{workers} of Dask"] = measured(scheduler=made.address)
    return ways, float(np.mean(alone))


def main() -> bool:
    integrate_alone()  # kernels are there
    ways, alone = all_ways()
    peaks = [one.pop("peak") for one in ways.values()]
    same = all(np.array_equal(peak, peaks[0]) for peak in peaks)
    print(f"\n{POINTS} four-bars; `integrate` takes {alone:.3f} of what runs tell")
    for name, one in ways.items():
        bare = alone * one["told by runs"]
        one["overhead"] = int(name[0]) * one["a point after the first"] - bare
        start = one["until the first point"]
        print(
            f"  {name:10s}{one['seconds']:8.2f} s, first point after {start:.2f} s, {1e3 * start / POINTS:.2f} ms a point;"
            f" integrate {1e3 * bare:.2f} ms, overhead {1e3 * one['overhead']:.2f} ms,"
            f" driver grew by {100 * one['growth of memory']:.1f} %, {one['failed']} failed"
        )
    kinds = ("local", "of Dask")
    ratios = {kind: ways[f"1 {kind}"]["seconds"] / ways[f"2 {kind}"]["seconds"] for kind in kinds}
    print(f"  two workers over one: {ratios}; bit for bit the same: {same}")
    found = {
        "points": POINTS,
        "integrate by what runs tell": alone,
        "two over one": ratios,
        "bit_for_bit": same,
        "ways": ways,
    }
    write("sweeps", found)
    return (
        same
        and all(ratio >= LEAST for ratio in ratios.values())
        and all(ways[f"1 {kind}"]["overhead"] <= MOST for kind in kinds)
        and all(one["growth of memory"] <= GROWTH and not one["failed"] for one in ways.values())
    )

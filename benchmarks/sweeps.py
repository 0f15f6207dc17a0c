"""2000 four-bars: one and two local workers, one and two workers of a Dask scheduler on loopback.

    four-bar      examples/models/four_bar.toml as it stands, 1000 steps; the mass of the crank and the stiffness of
                  the spring vary

Speed is the time of the whole sweep, the start of processes included; workers import the package as
bytecode, as it is after the first run of an installed one. Clocks of processors change from minute to
minute: each sweep on two workers stands beside the mean of those on one before and after it.

Overhead is what a point takes beyond `integrate`: numbers into tables and outputs, timed in this process
around the same call of `integrate`; and the way there and back and the record on the disk, which is
what a point takes on all workers less what it took inside of them, from when every worker has done one:
the first one of each loads the kernels. The start by the number of points is told beside it. Memory is that
of the driver, looked at while points come in.

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
from unittest.mock import patch

import distributed
import numpy as np
from benchmarks.common import write

import isodyn as iso
from isodyn.results.sweep_file import SweepWriter
from isodyn.sweeps import points
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
TURNS = (1, 2, 1, 2, 1)  # workers
PARAMETERS = {"crank.mass": np.linspace(0.3, 0.5, 40), "k": np.linspace(700.0, 900.0, POINTS // 40)}


def beyond_integrate() -> float:
    """What points take in a worker beyond `integrate`: the median of some of them, seconds."""
    study = described(str(MODEL), PARAMETERS, OUTPUTS, None, None, 0, False, {})
    inside = [0.0]

    def integrate(*given: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return iso.integrate(*given, **named)
        finally:
            inside[0] = time.perf_counter() - began

    found = []
    with patch.object(points, "integrate", integrate):
        for number in range(0, POINTS, POINTS // FEW):
            began = time.perf_counter()
            outcome = study.task.run((number, tuple(map(float, study.design.values[number]))))
            found.append(time.perf_counter() - began - inside[0])
            assert outcome.outputs is not None
    return float(np.median(found))


def memory() -> float:
    """Of this process, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Watched:
    """Times and memory while points come in, by what the writer is told."""

    def __init__(self) -> None:
        self.came: list[float] = []
        self.inside: list[float] = []  # seconds that points took in their workers
        self.sizes: list[float] = []

    def __enter__(self) -> Watched:
        self.write = SweepWriter.write

        def write(writer: Any, *given: Any, **told: Any) -> None:
            self.write(writer, *given, **told)
            self.came.append(time.perf_counter())
            self.inside.append(told["seconds"])
            if len(self.came) % (POINTS // 20) == 0:
                self.sizes.append(memory())

        SweepWriter.write = write  # type: ignore[method-assign]
        return self

    def __exit__(self, *error: object) -> None:
        SweepWriter.write = self.write  # type: ignore[method-assign]


def measured(many: int, **where: Any) -> dict[str, Any]:
    """One sweep of all points on so many workers."""
    with Watched() as watched, tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        found = iso.sweep(MODEL, PARAMETERS, OUTPUTS, out=Path(folder, "sweep.nc"), **where)
        seconds = time.perf_counter() - began
        failed, peak = int((~found.ok).sum()), found["peak"].copy()
    return {
        "seconds": seconds,
        "until the first point": watched.came[0] - began,
        "a point after the start": (watched.came[-1] - watched.came[many - 1]) / (POINTS - many),
        "memory": watched.sizes,
        "growth of memory": max(watched.sizes[2:]) / watched.sizes[1] - 1.0,
        "inside of workers": float(np.mean(watched.inside[many:])),
        "failed": failed,
        "peak": peak,
    }


def warm() -> None:
    """One point of each kind: programs and kernels that processes read when they start are in memory."""
    iso.sweep(MODEL, {"k": [800.0]}, OUTPUTS, workers=1)
    with cluster(1) as made:
        iso.sweep(MODEL, {"k": [800.0]}, OUTPUTS, scheduler=made.address)


def all_ways() -> dict[str, list[dict[str, Any]]]:
    """Sweeps of all kinds, on one and two workers by turns."""
    ways: dict[str, list[dict[str, Any]]] = {}
    warm()
    for workers in TURNS:
        ways.setdefault(f"{workers} local", []).append(measured(workers, workers=workers))
    for workers in TURNS:
        with cluster(workers) as made:
            with distributed.Client(made.address, set_as_default=False) as client:
                client.wait_for_workers(workers)
            ways.setdefault(f"{workers} of Dask", []).append(measured(workers, scheduler=made.address))
    return ways


def two_over_one(one: list[dict[str, Any]], two: list[dict[str, Any]]) -> list[float]:
    """Of each sweep on two workers, beside those on one before and after it."""
    return [
        0.5 * (before["seconds"] + after["seconds"]) / middle["seconds"]
        for before, middle, after in zip(one, two, one[1:], strict=False)
    ]


def main() -> bool:
    os.environ.update(QUIET, PYTHONPYCACHEPREFIX=str(ROOT / ".cache" / "bytecode"))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    beyond_integrate()  # kernels are there
    first = beyond_integrate()
    ways = all_ways()
    beyond = 0.5 * (first + beyond_integrate())
    peaks = [one.pop("peak") for runs in ways.values() for one in runs]
    same = all(np.array_equal(peak, peaks[0]) for peak in peaks)
    print(f"\n{POINTS} four-bars; a point takes {1e3 * beyond:.2f} ms in a worker beyond `integrate`")
    for name, runs in ways.items():
        for one in runs:
            way = int(name[0]) * one["a point after the start"] - one["inside of workers"]
            one["overhead"] = beyond + way
            start = one["until the first point"]
            print(
                f"  {name:10s}{one['seconds']:8.2f} s, first point after {start:.2f} s, {1e3 * start / POINTS:.2f} ms a point;"
                f" there and back {1e3 * way:.2f} ms, overhead {1e3 * one['overhead']:.2f} ms,"
                f" driver grew by {100 * one['growth of memory']:.1f} %, {one['failed']} failed"
            )
    kinds = ("local", "of Dask")
    each = {kind: two_over_one(ways[f"1 {kind}"], ways[f"2 {kind}"]) for kind in kinds}
    ratios = {kind: float(np.mean(found)) for kind, found in each.items()}
    for kind, found in each.items():
        print(f"  two workers over one, {kind}: {ratios[kind]:.2f} ({', '.join(f'{x:.2f}' for x in found)})")
    print(f"  bit for bit the same: {same}")
    found = {
        "points": POINTS,
        "beyond integrate": beyond,
        "two over one": ratios,
        "of turns": each,
        "bit_for_bit": same,
        "ways": ways,
    }
    write("sweeps", found)
    every = [one for runs in ways.values() for one in runs]
    return (
        same
        and all(ratio >= LEAST for ratio in ratios.values())
        and all(one["overhead"] <= MOST for kind in kinds for one in ways[f"1 {kind}"])
        and all(one["growth of memory"] <= GROWTH and not one["failed"] for one in every)
    )

"""Microseconds per step of long runs of some golden cases, and milliseconds of all forty as they
are; minima of alternated runs.

    python -m benchmarks golden                      # this source
    python -m benchmarks.golden src ../other/src     # two sources in turn, with the ratio of their minima

Other programs on a machine only ever add time, so the least of many short repeats is what tells.
Two versions are measured in processes that take turns. Times are processor time of the thread,
without compilation and without the first run of each case.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.common import pin, seconds, write

ROOT = Path(__file__).resolve().parents[1]
ROUNDS, REPEATS = 5, 12
LONG = {
    "pendulum": ("pendulum", 4000),
    "planar chain": ("planar_chain", 600),
    "spatial chain": ("spatial_chain", 300),
    "oscillator, forced": ("oscillator_forced", 4000),
    "spinning top": ("spinning_top", 1000),
}


def long_runs() -> dict[str, tuple[Callable[[], Any], int]]:
    """Runs long enough that their start does not count, and how many steps they take."""
    import isodyn as iso

    scheme = iso.Scheme.optimal(0.8)

    def run(name: str, steps: int) -> Callable[[], Any]:
        problem = iso.problems.get(name)
        system = problem.system()
        return lambda: iso.integrate(system, scheme, dt=problem.dt, t_end=steps * problem.dt, save_every=steps)

    return {label: (run(name, steps), steps) for label, (name, steps) in LONG.items()}


def measure(whole: bool = True) -> dict[str, float]:
    """Least time of every case: per step of the long runs, of the whole run of the others."""
    sys.path.insert(0, str(ROOT / "tests"))
    from golden.cases import CASES

    warnings.simplefilter("ignore")
    cases = {f"{name} [step]": case for name, case in long_runs().items()}
    if whole:
        cases |= {name: (run, 1) for name, run in CASES.items()}
    for run, _ in cases.values():
        run()
    least = dict.fromkeys(cases, float("inf"))
    for _ in range(REPEATS):
        for name, (run, steps) in cases.items():
            least[name] = min(least[name], seconds(run) / steps)
    return least


def alternate(sources: list[str]) -> dict[str, list[float]]:
    """Minima of several sources, measured in turn."""
    least: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for k, source in enumerate(sources):
            place = {"PYTHONPATH": f"{Path(source).resolve()}{os.pathsep}{ROOT}"}
            cache = Path(source).resolve().parent / ".cache" / "numba"
            environment = {**os.environ, **place, "NUMBA_CACHE_DIR": str(cache)}
            command = [sys.executable, "-c", "import json, benchmarks.golden as b; print(json.dumps(b.measure(False)))"]
            found = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)
            for name, value in found.items():
                times = least.setdefault(name, [float("inf")] * len(sources))
                times[k] = min(times[k], value)
    return least


def main() -> bool:
    least = measure()
    for name, value in least.items():
        print(f"{name:44s}{value * 1e6:12.3f} µs")
    write("golden", {"microseconds": {name: value * 1e6 for name, value in least.items()}})
    return True


if __name__ == "__main__":
    pin()
    for name, times in alternate(sys.argv[1:] or ["src"]).items():
        ratios = "".join(f"{t / times[0]:8.3f}" for t in times[1:])
        print(f"{name:36s}" + "".join(f"{t * 1e6:10.3f}" for t in times) + f" µs{ratios}")

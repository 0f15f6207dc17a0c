"""How long the first results take: processor seconds with fresh caches, with filled ones, and what
waiting on two cores means.

Every figure is the processor time of a process and all it starts, from its beginning to its end;
fresh caches are new folders. `wall` is told where two cores share the work. Other programs on the
machine do not count as such, but slow down what they share with it.

    python -m benchmarks.startup [--repeats 3] [--only pendulum four_bar …]
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import ONE_THREAD, write

API = "import isodyn as iso; iso.integrate(iso.problems.get({!r}).system(), dt=0.01, t_end=0.1)"
FOUR_BAR = Path(__file__).parents[1] / "examples" / "models" / "four_bar.toml"
# what is asked, and at most how many seconds it may take (None: told only)
REQUIRED: dict[str, tuple[float | None, str]] = {
    "pendulum": (22.0, "first `isodyn run pendulum`, one core"),
    "four_bar": (40.0, "first four-bar from TOML with report, one core"),
    "demo": (40.0, "first demo, two cores, wall"),
    "api": (0.8, "warm first result, API"),
    "cli": (1.0, "warm first result, command line"),
    "warm_mechanism": (None, "warm first four-bar, API"),
}


def measured(command: list[str], cache: Path, processes: int) -> tuple[float, float]:
    """Processor seconds and seconds of a command and all that it starts."""
    environment = {**os.environ, **ONE_THREAD, "NUMBA_CACHE_DIR": str(cache), "ISODYN_COMPILERS": str(processes)}
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, time.perf_counter() - clock


def one(name: str, folder: Path, warm: Path) -> float:
    """One measurement, with a fresh cache in `folder` or the filled one."""
    python, cli = sys.executable, [sys.executable, "-m", "isodyn"]
    cache = folder / "cache"
    if name == "pendulum":
        return measured([*cli, "run", "pendulum"], cache, 1)[0]
    if name == "four_bar":
        return measured([*cli, "run", str(FOUR_BAR), "--report", str(folder / "page.html")], cache, 1)[0]
    if name == "demo":
        return measured([*cli, "demo", "--out", str(folder / "out")], cache, 2)[1]
    if name == "api":
        return measured([python, "-c", API.format("pendulum")], warm, 1)[0]
    if name == "cli":
        return measured([*cli, "run", "pendulum"], warm, 1)[0]
    return measured([python, "-c", API.format("four_bar")], warm, 1)[0]


def main() -> bool:
    """Measure, print the table, write it; whether every requirement is met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=list(REQUIRED), default=list(REQUIRED))
    given = parser.parse_args([x for x in sys.argv[1:] if x != "startup"])
    rows: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as kept:
        warm = Path(kept) / "warm"
        if {"api", "cli", "warm_mechanism"} & set(given.only):
            for name in ("pendulum", "four_bar"):
                measured([sys.executable, "-m", "isodyn", "run", name], warm, 2)
        for name in given.only:
            most, title = REQUIRED[name]
            samples = []
            for number in range(given.repeats):
                folder = Path(kept) / f"{name}-{number}"
                folder.mkdir()
                samples.append(one(name, folder, warm))
            median = statistics.median(samples)
            met = most is None or median <= most
            rows[name] = {"what": title, "seconds": median, "least": min(samples), "at_most": most, "met": met}
            limit = "" if most is None else f"   at most {most:g}: {'met' if met else 'NOT met'}"
            print(f"{title:48s}{median:8.2f} s  ({min(samples):.2f} … {max(samples):.2f}){limit}", flush=True)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    write("startup", {"repeats": given.repeats, "load_average": load, "cores": os.cpu_count(), "rows": rows})
    return all(row["met"] for row in rows.values())


if __name__ == "__main__":
    sys.exit(0 if main() else 1)

"""What one waits for: importing the package, the first step from a warm cache, compiling from
nothing.

Each in fresh processes, interleaved, processor time inside the process. Imports are compared with
importing numpy, scipy.sparse.linalg and numba alone. The first step counts loading the problems of
the library, building the model and one step, after the import; compilation uses an empty cache.
Python keeps its bytecode, as it does of installed packages, in a folder of the benchmark.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks.peers.claims import Claim, at_most
from benchmarks.peers.measure import Bench, Ratio, Row, ratio
from benchmarks.peers.workers import ROOT

NAME, TITLE = "startup", "Import and first step"
PACKAGES: dict[str, Any] = {}
BARE, OWN, FIRST, COLD = (
    "import numpy, scipy.sparse.linalg, numba",
    "import isodyn",
    "first step",
    "first step, compiling",
)
CLOCK = "import time; start = time.process_time(); {}; print(time.process_time() - start)"
STEP = (
    "import time, isodyn as iso; start = time.process_time(); s = iso.problems.get('{}').system();"
    "iso.integrate(s, dt=1e-3, t_end=1e-3); print(time.process_time() - start)"
)
MODELS = ("rigid_pendulum", "andrews", "planar_chain", "spatial_chain")


BYTECODE = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / ".cache" / "bytecode")}


def fresh(program: str, **environment: str) -> float:
    """What a fresh process prints last."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, **BYTECODE, **environment},
    )
    return float(done.stdout.split()[-1])


def measure(bench: Bench) -> None:
    programs = {
        BARE: CLOCK.format("import numpy, scipy.sparse.linalg, numba"),
        OWN: CLOCK.format("import isodyn"),
        **{f"{FIRST} of {name}": STEP.format(name) for name in (MODELS[:1] if bench.quick else MODELS)},
    }
    rows = {way: Row(NAME, "isodyn", way, None, way) for way in programs}
    bench.rows += rows.values()
    for program in programs.values():  # warm
        fresh(program)
    for _ in range(bench.repeats if bench.quick else 2 * bench.repeats):
        for way, program in programs.items():
            rows[way].samples.append(fresh(program))
    if not bench.quick:
        row = Row(NAME, "isodyn", COLD, None, COLD)
        bench.rows.append(row)
        with tempfile.TemporaryDirectory() as folder:
            row.samples = [fresh(STEP.format("rigid_pendulum"), NUMBA_CACHE_DIR=folder)]


def claims(rows: list[Row]) -> list[Claim]:
    found = {row.way: row for row in rows if row.problem == NAME and row.samples}
    out = []
    if OWN in found:
        note = f"{found[OWN].median:.3f} s against {found[BARE].median:.3f} s"
        out.append(at_most(f"import isodyn over {BARE}", ratio(found[OWN], found[BARE]), 1.2, note))
    firsts = [row for way, row in found.items() if way.startswith(f"{FIRST} of")]
    for row in firsts:
        numbers = row.as_dict()
        spread = Ratio(row.median, numbers["q25"], numbers["q75"])
        out.append(
            at_most(
                f"{row.way} from a warm cache, s",
                spread,
                1.0,
                "after the import; problems loaded, model built, one step",
            )
        )
    return out

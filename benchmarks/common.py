"""What the benchmarks share: one thread, medians with spreads, a table on standard output, a small
JSON file."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "BLIS_NUM_THREADS"), "1"
)
RESULTS = Path(__file__).parent / "results"


def pin() -> None:
    """Start this process again on one thread unless it already runs so: BLAS libraries read the
    setting only once."""
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **ONE_THREAD})


@contextmanager
def one_processor() -> Iterator[None]:
    """Keep this process on one of its processors, where the system lets it choose."""
    if sys.platform != "linux":
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def seconds(function: Callable[[], Any], calls: int = 1) -> float:
    """Processor time of this thread per call: other programs on the machine do not count."""
    started = time.thread_time()
    for _ in range(calls):
        function()
    return (time.thread_time() - started) / calls


def summary(samples: list[float]) -> dict[str, float]:
    """Median and quartiles."""
    low, median, high = np.percentile(samples, [25, 50, 75])
    return {"median": float(median), "q25": float(low), "q75": float(high), "samples": len(samples)}


def machine() -> dict[str, str]:
    """Processor and versions, nothing that names the machine."""
    cpu = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = models[0] if models else cpu
    packages = {name: version(name) for name in ("numpy", "scipy", "numba")}
    return {"cpu": cpu, "system": platform.system(), "python": platform.python_version(), **packages}


def show(title: str, rows: Mapping[str, Mapping[str, float]], unit: str, scale: float) -> None:
    """Medians and quartiles, one line each."""
    print(f"\n{title}\n{'':44s}{'median':>10s}{'q25':>10s}{'q75':>10s}  {unit}")
    for name, row in rows.items():
        print(f"{name:44s}" + "".join(f"{row[key] * scale:10.3f}" for key in ("median", "q25", "q75")))


def write(name: str, content: Mapping[str, Any]) -> None:
    """benchmarks/results/<name>.json, rounded to what a repeat would reproduce."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps({"machine": machine(), **_rounded(content)}, indent=2, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value

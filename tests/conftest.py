"""Settings that every test shares: one Numba cache, one thread, reproducible property tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Before anything imports numba or a BLAS: both read these once.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).resolve().parent.parent / ".cache" / "numba"))
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("ci")

# Kernels that compile long, two at a time for about as long: those that others call, then the others.
ROUNDS = (
    (("isodyn.integrate.matrix",), ("isodyn.mechanism.model",)),
    (
        ("isodyn.integrate.loop", "isodyn.integrate.ensemble_loop", "isodyn.beams.model"),
        ("isodyn.integrate.dop853", "isodyn.integrate.composition_loop", "isodyn.mechanism.coordinate_kernels"),
    ),
)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile once for all workers, which would otherwise all compile the same at the same time."""
    if getattr(session.config.option, "numprocesses", None):
        for parts in ROUNDS:
            running = [subprocess.Popen([sys.executable, "-c", "import " + ", ".join(part)]) for part in parts]
            for process in running:
                process.wait()

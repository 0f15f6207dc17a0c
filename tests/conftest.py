"""Settings that every test shares: one Numba cache, one thread, reproducible property tests."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import settings

# Before anything imports numba or a BLAS: both read these once.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).resolve().parent.parent / ".cache" / "numba"))
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("ci")

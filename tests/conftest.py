"""Settings that every test shares: one Numba cache, one thread, reproducible property tests."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import settings

# Before anything imports numba or a BLAS: both read these once.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).resolve().parent.parent / ".cache" / "numba"))
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("ci")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile once for all workers what most of them need and what compiles long; what is missing
    there is compiled by the first worker that needs it, while others wait for it."""
    if getattr(session.config.option, "numprocesses", None):
        from isodyn.kernels.helper import compile_common

        compile_common()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Examples of public names run without the names of their modules."""
    examples = [item for item in items if isinstance(item, pytest.DoctestItem)]
    if examples:
        from public_places import as_pasted, classes_and_functions

        places = classes_and_functions()
        for item in examples:
            as_pasted(item.dtest, places)


@pytest.fixture(autouse=True)
def ctrl_c() -> None:
    """Ctrl-C as Python handles it by itself: what ran before in this process may have left another
    handler, and runs then take no note of it."""
    main = threading.current_thread() is threading.main_thread()
    if main and signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.default_int_handler)

"""One thread of BLAS while a run factorises: the products of fronts are too short for more.

Threads of OpenBLAS wait for work by turning in a loop. For products of some microseconds that takes
more processor time than the products, and on a machine that has other things to do more real time,
too. So SciPy's BLAS, which kernels call (isodyn.kernels.blas), is set to one thread while a march
lasts, and set back after it. Results do not depend on the number of threads of a machine then.
"""

from __future__ import annotations

import ctypes
import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

# names of the functions that set and tell how many threads there are: OpenBLAS as SciPy brings it,
# with numbers of four and of eight bytes, and as distributions do
NAMES = tuple(
    (f"{prefix}openblas_set_num_threads{suffix}", f"{prefix}openblas_get_num_threads{suffix}")
    for prefix in ("scipy_", "")
    for suffix in ("", "64_")
)

_lock = threading.Lock()
_inside = 0  # marches that need one thread at this moment
_before = 0  # threads that there were before the first of them


@cache
def _functions() -> tuple[Callable[[int], None], Callable[[], int]] | None:
    """What sets and tells the number of threads; None where BLAS is another one."""
    try:  # symbols are looked for in the libraries that this one needs, too
        library = ctypes.CDLL(importlib.import_module("scipy.linalg.cython_blas").__file__)
    except OSError:
        return None
    for set_name, get_name in NAMES:
        if hasattr(library, set_name) and hasattr(library, get_name):
            set_threads, get_threads = getattr(library, set_name), getattr(library, get_name)
            set_threads.argtypes, set_threads.restype = [ctypes.c_int], None
            get_threads.argtypes, get_threads.restype = [], ctypes.c_int
            return set_threads, get_threads
    return None


def number_of_threads() -> int | None:
    """Threads of SciPy's BLAS; None where it does not tell."""
    functions = _functions()
    return None if functions is None else functions[1]()


@contextmanager
def one_thread() -> Iterator[None]:
    """Products on one thread inside; the number is set back when the last thread of Python that
    asked for it leaves."""
    global _inside, _before
    functions = _functions()
    if functions is None:
        yield
        return
    set_threads, get_threads = functions
    with _lock:
        if _inside == 0:
            _before = get_threads()
            set_threads(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                set_threads(_before)

"""How much memory there is, and what needs more of it than that; how many processors.

A system that promises memory and does not have it ends the program when the memory is used. So what
grows with the number of steps is compared with what is there before it is asked for.
"""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

from isodyn.errors import InputError

resource: ModuleType | None
try:
    resource = import_module("resource")
except ImportError:  # not on this system
    resource = None

FEWER_ROWS = "a larger dt, or keep less: save_every=, select="
SMALL = 1 << 26  # bytes that are always tried


def processors() -> int:
    """Processors that this process may use.

    >>> processors() >= 1
    True
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def require_memory(size: float, what: str, *, hint: str | None = None) -> None:
    """InputError where `what` needs more bytes than there are.

    >>> require_memory(8e18, "rows of a run")
    Traceback (most recent call last):
    isodyn.errors.InputError: rows of a run: 8e+06 TB of memory are needed, ...
    """
    if size <= SMALL:
        return
    free = available()
    if free is not None and size > free:
        raise InputError(f"{what}: {in_words(size)} of memory are needed, {in_words(free)} are there", hint=hint)


def require_rows(rows: int, columns: int, steps: int | None = None) -> None:
    """InputError where the rows of a run need more memory than there is."""
    if 8.0 * rows * columns <= SMALL:
        return
    words = f"{rows:.6g} rows of {columns} columns"
    require_memory(8.0 * rows * columns, words if steps is None else f"{steps:.6g} steps give {words}", hint=FEWER_ROWS)


def available() -> float | None:
    """Bytes that this process can still get; None where the system does not tell."""
    found = [x for x in (_machine(), _group(), _limit()) if x is not None]
    return max(min(found), 0.0) if found else None


def _machine() -> float | None:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024.0
    with suppress(OSError, ValueError, AttributeError):
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    return None


def _group() -> float | None:
    """What is left to the control group of the process, as containers have one."""
    for limit, usage in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        with suppress(OSError, ValueError, IndexError):
            most = float(Path(limit).read_text(encoding="ascii"))  # "max" is no number: no limit
            used = float(Path(usage).read_text(encoding="ascii"))
            stat = Path(limit).with_name("memory.stat").read_text(encoding="ascii")
            cached = dict(line.split() for line in stat.splitlines())
            return most - used + float(cached.get("inactive_file", cached.get("total_inactive_file", 0)))
    return None


def _limit() -> float | None:
    """What is left of the address space that the process may have."""
    if resource is None:
        return None
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most == resource.RLIM_INFINITY:
        return None
    with suppress(OSError, ValueError, IndexError):
        pages = float(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return float(most) - pages * resource.getpagesize()
    return float(most)


def in_words(size: float) -> str:
    """A size in words.

    >>> in_words(2.5e9), in_words(12)
    ('2.5 GB', '12 bytes')
    """
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            break
        size /= 1000
    return f"{size:.3g} {unit}"

"""A second process that compiles kernels which a run will need, while the run compiles others.

Both go through one list, the run from its beginning as it needs them, the helper from its end.
Kernels lie on disk when they are compiled, and a kernel that one process has in hand is left to it
(isodyn.kernels.cache). The helper ends with its list, or with the process that started it.
ISODYN_COMPILERS=1 keeps to one process.

`python -m isodyn.kernels.helper [NAME …]` compiles kernels ahead of runs: those that are named, or
those of most first runs.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from isodyn.kernels import compiled, progress
from isodyn.kernels.numba_internals.dispatcher import Kernel

# Kernels of most first runs that compile long, for two processes about as long each.
COMMON = (
    (
        "isodyn.stepping.newton.solve_step",
        "isodyn.stepping.step.advance",
        "isodyn.marching.march.march",
        "isodyn.stepping.initial.acceleration",
        "isodyn.stepping.matrix.factorise_step",
        "isodyn.stepping.projection.polish",
        "isodyn.stepping.step.guess",
        "isodyn.stepping.initial.initial_acceleration",
        "isodyn.marching.march.write_start",
    ),
    (
        "isodyn.multibody.model.mechanism_model",
        "isodyn.stepping.projection.project",
        "isodyn.stepping.initial.nearest_consistent",
        "isodyn.linear_solvers.block_lu.block_factor",
        "isodyn.linear_solvers.block_lu.block_solve",
    ),
)
_there: set[str] = set()  # kernels that were found ready or on disk before
_given: set[str] = set()  # kernels that a helper of this process was asked for
_helpers: list[subprocess.Popen[bytes]] = []  # the one that was started last
_WORTH_IT = 3.0  # seconds of compiling below which no process is started for it


def cores() -> int:
    """Cores that this process may use for compiling."""
    told = os.environ.get("ISODYN_COMPILERS", "")
    if told.isdecimal():
        return max(1, int(told))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def expect(kernels: Sequence[object]) -> None:
    """Say that a run will need these kernels, in this order: those that are not on disk are
    counted, and shared with a helper."""
    missing = [one for one in kernels if isinstance(one, Kernel) and one.name not in _there and not one.ready_soon()]
    if not missing:
        _there.update(one.name for one in kernels if isinstance(one, Kernel))
        return
    named = [one for one in missing if one.name.startswith("isodyn.")]
    helped = cores() > 1 and len(named) > 1 and sum(progress.usual_seconds(one.name) for one in named[1:]) > _WORTH_IT
    progress.expect([one.name for one in missing], 2 if helped else 1)
    if helped:
        _start([one.name for one in reversed(named[1:])])


def _start(names: list[str]) -> None:
    """Compile kernels in another process; nothing is said where that cannot be started, and the run
    compiles them itself.

    There is one helper at a time, and none is asked for the same kernels twice: runs that end in an
    error before they need a kernel would start one each.
    """
    if any(helper.poll() is None for helper in _helpers) or _given.issuperset(names):
        return
    here = str(Path(__file__).parents[2])  # the same sources, however this process found them
    found = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "ISODYN_COMPILERS": "1", "PYTHONPATH": found}
    nothing = subprocess.DEVNULL
    try:
        helper = subprocess.Popen(command(names), env=environment, stdin=nothing, stdout=nothing, stderr=nothing)
    except OSError:
        return
    _given.update(names)
    _helpers[:] = [helper]
    atexit.register(_end, helper)


def _end(helper: subprocess.Popen[bytes]) -> None:
    """End a helper and wait for that: Python warns of processes that outlive their handle."""
    helper.terminate()
    helper.wait()


def command(names: Iterable[str]) -> list[str]:
    """The command of a process that compiles these kernels."""
    program = "import sys; from isodyn.kernels.helper import compile_named; compile_named(sys.argv[1:])"
    return [sys.executable, "-c", program, *names]


def _parted(name: str) -> tuple[str, str, str]:
    return name.rpartition(".")


def compile_named(names: Iterable[str]) -> None:
    """Compile these kernels unless they are on disk, or another process has them in hand."""
    # all modules first: what is being installed beside this process may be away for a moment later
    found = [getattr(import_module(module), function, None) for module, _, function in map(_parted, names)]
    for one in found:
        if not isinstance(one, Kernel):
            continue
        entry = compiled.place_of(one)
        with entry.alone(wait=False) as mine:
            if mine and not entry.known():
                compiled.keep(entry, one)


def compile_common() -> None:
    """Compile the kernels of most first runs, in two processes where there are two cores."""
    if cores() == 1:
        compile_named(name for names in COMMON for name in names)
        return
    for process in [subprocess.Popen(command(names)) for names in COMMON]:
        process.wait()


if __name__ == "__main__":
    if sys.argv[1:]:
        compile_named(sys.argv[1:])
    else:
        compile_common()

"""What users see of compiling: that it goes on, how far it is, and what it took.

Lines go to standard error: one when compiling begins, with the number of kernels and the seconds to
expect, and one when it is done; on a terminal one line that is renewed. What a run reports as its
own cost does not contain the seconds that were spent here.
"""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

_USUAL = 1.0  # seconds for a kernel of which nothing is known …
# … and what others take on a machine of 2024; how fast it goes here is learnt from the first ones
_SECONDS = {
    "isodyn.beams.elements.element_tangents": 8.0,
    "isodyn.stepping.initial.acceleration": 2.0,
    "isodyn.marching.ensemble_shared.run_sharing": 3.5,
    "isodyn.marching.march.march": 1.5,
    "isodyn.sensitivities.backward.march_back": 10.0,
    "isodyn.sensitivities.forward.march_tangents": 11.0,
    "isodyn.stepping.matrix.factorise_step": 1.5,
    "isodyn.stepping.newton.solve_step": 5.5,
    "isodyn.stepping.projection.polish": 1.5,
    "isodyn.stepping.projection.project": 4.5,
    "isodyn.stepping.step.advance": 3.0,
    "isodyn.stepping.step.guess": 1.5,
    "isodyn.linear_solvers.block_lu.block_factor": 3.0,
    "isodyn.linear_solvers.block_lu.block_solve": 1.5,
    "isodyn.multibody.model.mechanism_model": 13.0,
}
_expected: list[str] = []  # kernels that a run has announced and that are not there yet
_processes = 1  # that compile them
_done = 0  # kernels that were compiled, here or by the helper, since the last word about it
_took = 0.0  # seconds that went by meanwhile …
_usual_of_done = 0.0  # … and how many would have been usual
_total = 0.0  # seconds of this process
_depth = 0


def seconds() -> float:
    """Seconds that this process has spent on compiling so far."""
    return _total


def busy() -> bool:
    """Whether a kernel is being compiled now."""
    return _depth > 0


def run_clock() -> float:
    """A clock in seconds that stands still while kernels are compiled."""
    return time.perf_counter() - _total


def usual_seconds(name: str) -> float:
    """What compiling a kernel usually takes."""
    return _SECONDS.get(name, _USUAL)


def expect(names: Sequence[str], processes: int) -> None:
    """A run will need these kernels, which are not on disk; so many processes compile them."""
    global _processes
    _expected[:] = names
    _processes = processes


def remaining() -> float:
    """Seconds until the expected kernels are there, by how fast it went so far."""
    rate = _took / _usual_of_done if _usual_of_done > 0.0 else 1.0 / _processes
    return rate * sum(usual_seconds(name) for name in _expected)


@contextmanager
def compiling(name: str) -> Iterator[None]:
    """While a kernel is compiled, or waited for. One that is compiled for another one counts, but
    not its time again."""
    global _depth, _total, _took
    if _depth == 0:
        _announce()
    _depth += 1
    started = time.perf_counter()
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0:
            _took += time.perf_counter() - started
            _total += time.perf_counter() - started
    arrived(name, anew=True)


@contextmanager
def loading() -> Iterator[None]:
    """While a kernel is read from disk: no cost of the run that waits for it, and nothing to
    tell."""
    global _depth, _total
    _depth += 1
    started = time.perf_counter()
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0:
            _total += time.perf_counter() - started


def arrived(name: str, *, anew: bool = False) -> None:
    """A kernel is there: compiled by this process (`anew`), or loaded, which counts where it had
    been missing."""
    global _done, _usual_of_done
    expected = name in _expected
    if expected:
        _expected.remove(name)
    if expected or anew:
        _done += 1
        _usual_of_done += usual_seconds(name)
        if expected and not _expected and _depth == 0:
            announce_end()


def _announce() -> None:
    if _done == 0:
        count = f" {len(_expected)} kernels" if len(_expected) > 1 else ""
        time_left = f", about {remaining():.0f} s" if count else ""
        _say(f"isodyn: compiling{count} once for this machine{time_left}")
        atexit.unregister(announce_end)
        atexit.register(announce_end)
    elif sys.stderr.isatty():
        _say(f"isodyn: compiled {_done} of {_done + len(_expected)} kernels, about {remaining():.0f} s to go")


def announce_end() -> None:
    """Say how many kernels were compiled and how long it took, if there were any."""
    global _done, _took, _usual_of_done
    if _done:
        kernels = "kernel" if _done == 1 else "kernels"
        _say(f"isodyn: compiled {_done} {kernels} in {_took:.1f} s; later runs start from the cache", last=True)
    _done, _took, _usual_of_done = 0, 0.0, 0.0


def _say(text: str, *, last: bool = False) -> None:
    """A line of its own; on a terminal in the place of the one before."""
    if sys.stderr.isatty():
        print(f"\r{text:<100}", end="\n" if last else "", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)

"""Ctrl-C during a run: noted at once, acted on after the step in hand.

Python delivers the signal at some bytecode, also inside the narrow passage from compiled code to a
Python callable, where an exception would be lost. So a run installs a handler that only takes note;
the run and the callables ask `pending`. A second Ctrl-C does not wait.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_noted = False


def pending() -> bool:
    """Whether Ctrl-C was pressed during the run."""
    return _noted


def _note(number: int, frame: FrameType | None) -> None:
    global _noted
    if _noted:
        raise KeyboardInterrupt
    _noted = True


@contextmanager
def noted() -> Iterator[None]:
    """Take note of Ctrl-C instead of raising; only the main thread receives signals, elsewhere, and
    inside another one, this does nothing."""
    global _noted
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    _noted = False
    signal.signal(signal.SIGINT, _note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _noted = False

"""A progress bar with the remaining time: on standard error, in a notebook below its cell."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from isodyn.later import Later

if TYPE_CHECKING:
    from collections.abc import Callable

rich_console, rich_progress = Later("rich.console"), Later("rich.progress")
OFTEN = 0.2  # seconds between two pictures in a notebook


class Bar(Protocol):
    """What shows how far a run is."""

    def start(self) -> None:
        """Show it."""

    def update(self, step: int, t: float) -> None:
        """The run has done `step` steps and is at t."""

    def stop(self) -> None:
        """Take it away."""


class Progress:
    """Shows how far a run is, when asked to; costs nothing otherwise."""

    def __init__(self, steps: int, show: bool, what: str = "t") -> None:
        self._bar: Bar | None = None
        if show:
            display = notebook_display()
            self._bar = TerminalBar(steps, what) if display is None else NotebookBar(steps, what, display)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, step: int, t: float) -> None:
        """The run has done `step` steps and is at t, or at what else was announced."""
        if self._bar is not None:
            self._bar.update(step, t)


class TerminalBar:
    """On standard error."""

    def __init__(self, steps: int, what: str) -> None:
        columns = (
            rich_progress.TextColumn(f"{what} = {{task.fields[t]:.4g}}"),
            rich_progress.BarColumn(),
            rich_progress.TextColumn("{task.percentage:>3.0f} %"),
            rich_progress.TimeRemainingColumn(),
        )
        self._bar = rich_progress.Progress(*columns, console=rich_console.Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=steps, t=0.0)

    def start(self) -> None:
        """Show it."""
        self._bar.start()

    def update(self, step: int, t: float) -> None:
        """Move it."""
        self._bar.update(self._task, completed=step, t=t)

    def stop(self) -> None:
        """Take it away."""
        self._bar.stop()


class Markup:
    """HTML that a notebook shows, with words for what shows text alone."""

    def __init__(self, html: str, words: str) -> None:
        self._html, self._words = html, words

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return self._words


class Shown(Protocol):
    """What IPython gives back for an object that it shows."""

    def update(self, now: object, /) -> object: ...


class NotebookBar:
    """Below the cell of a notebook, by what the notebook itself brings."""

    def __init__(self, steps: int, what: str, display: Callable[..., Shown]) -> None:
        self._steps, self._what, self._display = steps, what, display
        self._handle: Shown | None = None
        self._begun = self._last = 0.0

    def start(self) -> None:
        """Show it."""
        self._begun = self._last = time.monotonic()
        self._handle = self._display(self.picture(0, 0.0), display_id=True)

    def update(self, step: int, t: float) -> None:
        """Move it, a few times in a second."""
        now = time.monotonic()
        if self._handle is not None and now - self._last >= OFTEN:
            self._last = now
            self._handle.update(self.picture(step, t))

    def stop(self) -> None:
        """Leave nothing behind."""
        if self._handle is not None:
            self._handle.update(Markup("", ""))

    def picture(self, step: int, t: float) -> Markup:
        """A bar, and in words where the run is and how long it will take."""
        share = min(step / self._steps, 1.0) if self._steps else 0.0
        passed = time.monotonic() - self._begun
        left = f", {passed * (1.0 - share) / share:.0f} s left" if share > 0.0 and passed > 1.0 else ""
        words = f"{self._what} = {t:.4g}, {100.0 * share:.0f} %{left}"
        return Markup(f"<progress max='1' value='{share:.4f}' style='width:20em'></progress> {words}", words)


def notebook_display() -> Callable[..., Shown] | None:
    """What shows objects in the notebook that this program runs in; None elsewhere."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    return Later("IPython.display").display

"""A progress bar on standard error, with the remaining time."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from isodyn.later import Later

rich_console, rich_progress = Later("rich.console"), Later("rich.progress")


class Progress:
    """Shows how far a run is, when asked to; costs nothing otherwise."""

    def __init__(self, steps: int, show: bool, what: str = "t") -> None:
        self._steps = steps
        self._bar: Any = None
        if show:
            columns = (
                rich_progress.TextColumn(f"{what} = {{task.fields[t]:.4g}}"),
                rich_progress.BarColumn(),
                rich_progress.TextColumn("{task.percentage:>3.0f} %"),
                rich_progress.TimeRemainingColumn(),
            )
            self._bar = rich_progress.Progress(*columns, console=rich_console.Console(stderr=True), transient=True)
            self._task = self._bar.add_task("", total=steps, t=0.0)

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
            self._bar.update(self._task, completed=step, t=t)

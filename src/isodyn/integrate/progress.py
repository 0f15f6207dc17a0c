"""A progress bar on standard error, with the remaining time."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self


class Progress:
    """Shows how far a run is, when asked to; costs nothing otherwise."""

    def __init__(self, steps: int, show: bool, what: str = "t") -> None:
        self._steps = steps
        self._bar: Any = None
        if show:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (
                TextColumn(f"{what} = {{task.fields[t]:.4g}}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeRemainingColumn(),
            )
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
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

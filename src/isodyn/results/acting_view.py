"""What views of loads and drives have in common."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from isodyn.kernels.compiled import FloatArray
from isodyn.results.balance import work_since_start
from isodyn.results.history_view import HistoryView

if TYPE_CHECKING:
    from isodyn.results.solution import Solution


class ActingView(HistoryView):
    """Something that acts on the body `on`, with `power` and `work`."""

    name: str
    on: str
    power: FloatArray
    _sol: Solution

    def about(self) -> str:
        """Its name and what it acts on."""
        return f"{self.name!r} on {self.on!r}"

    def histories(self) -> tuple[str, ...]:
        """What there is to read."""
        return ("force", "torque", "length", "rate", "tension", "effort", "power", "work")

    @cached_property
    def work(self) -> FloatArray:
        """What it gave to the mechanism since the start, by the trapezoidal rule over the saved
        times, (times,)."""
        return work_since_start(self, self._sol)

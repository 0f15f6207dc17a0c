"""A system step as the subdomains see it."""

from __future__ import annotations

from typing import NamedTuple


class SystemStep(NamedTuple):
    """From t to t_1; `first` after a start, `last` before a breakpoint; loads are not asked for
    later than t_limit."""

    t: float
    t_1: float
    dt: float
    first: bool
    last: bool
    t_limit: float

    @property
    def kind(self) -> tuple[float, bool, bool]:
        """Steps of one kind have the same matrices."""
        return self.dt, self.first, self.last

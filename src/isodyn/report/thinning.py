"""Fewer rows of a solution, for pictures and plots."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from isodyn.results.at_balance import NAMES as BALANCE
from isodyn.results.solution import Solution
from isodyn.results.switched import NAME as LOADS_OFF
from isodyn.results.switched import SWITCHED, TIMES

BY_ROWS = (*BALANCE, LOADS_OFF, "held")  # of `aux`: a row for each saved time


def thinned(sol: Solution, rows: int) -> Solution:
    """At most so many rows of a solution, the first and the last among them; of `aux` what forces
    are read from, and what events have switched off or released."""
    kept = np.unique(np.linspace(0, sol.t.size - 1, min(rows, sol.t.size)).astype(int))
    by_rows = [*BY_ROWS, *(name for name in sol.aux if name.startswith("contact_"))]
    aux = {name: np.asarray(sol.aux[name])[kept] for name in by_rows if name in sol.aux}
    aux |= {name: value for name, value in sol.aux.items() if name.startswith("impact_") or name in (SWITCHED, TIMES)}
    histories = {
        one.name: value[kept]
        for one in fields(sol)
        if isinstance(value := getattr(sol, one.name), np.ndarray) and value.shape[:1] == sol.t.shape
    }
    return replace(sol, aux=aux, **histories)

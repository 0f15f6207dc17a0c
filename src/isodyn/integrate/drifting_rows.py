"""Redundant rows of formulations that let positions drift: the rank of G, conflicts, and other rows to enforce.

Rows that depend on each other on the constraints only become independent by as much as the drift. The tolerance of the rank follows it
(isodyn.formulations.gauss), and rows in use are kept while they are independent.
"""

from __future__ import annotations

from typing import Any

from isodyn.compiled import Closure, State
from isodyn.formulations.gauss import refuse_conflict, tolerance_of_rank, wanted
from isodyn.gauss.rank import Rank, decide
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.rows import TOLERANCE, Rows
from isodyn.systems.questions import Questions


def judge(ask: Questions, enforced: Rows, closure: Closure, state: State) -> tuple[Rank, bool]:
    """The rank of G, and whether the enforced rows do not show it any longer; ConflictError for rows that contradict others."""
    t, q, v = float(state.clock[0]), state.q, state.v
    G, mass = full(ask.G(t, q, v)), ask.mass(t, q, v).diagonal()
    tolerance = tolerance_of_rank(ask, t, q, v, G)
    rank = decide(G, mass, tolerance)
    refuse_conflict(ask, rank, enforced.chosen, wanted(ask, t, q, v, closure), t, q, v)
    if rank.rank == enforced.rank:
        return rank, not decide(G[enforced.chosen], mass, tolerance).full
    return rank, rank.rank > enforced.rank


def drift_tolerance(ask: Questions, G: Any, state: State) -> float:
    """The tolerance of a choice of rows at a state that has drifted."""
    return tolerance_of_rank(ask, float(state.clock[0]), state.q, state.v, full(G), TOLERANCE)

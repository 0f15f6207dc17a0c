"""What the driver does for formulations that close at the balance: multipliers of saved rows, redundant rows, steps at a loss of rank.

Positions drift there by the formulation's own equation. Rows that depend on each other on the constraints only become independent by as
much as the drift: the tolerance of the rank follows it (isodyn.formulations.gauss), and rows in use are kept while they are independent.

Next to a loss of rank the iteration needs ∂φ̈/∂q and ∂φ̈/∂v, which models do not know; the compiled step has them from differences, in
full matrices. A run with sparse ones takes such steps with full ones as long as they are not too large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.compiled import OK, Closure, Coefficients, State
from isodyn.formulations.gauss import refuse_conflict, tolerance_of_rank, wanted
from isodyn.integrate import work
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.rank import Rank, decide
from isodyn.linear_solvers.rows import TOLERANCE

if TYPE_CHECKING:
    from isodyn.integrate.enforced_rows import EnforcedRows
    from isodyn.integrate.run import Run

LARGEST = 600  # unknowns of a step up to which sparse systems may take one with full matrices


def shown(run: Run) -> State:
    """The state as rows show it, with the multipliers of the state itself; these into work.m[LAM_1] too."""
    state, lam = run.state, run.work.m[work.LAM_1]
    lam[:] = state.lam
    if run.closure.at_balance:
        there = State(*(x.copy() for x in state))
        status = run.initial.initial_acceleration(
            *run.physics(run.closure), state.clock[0], there, run.work, run.pivots, run.controls, run.count
        )
        lam[:] = there.lam if status == OK else state.lam
    return state._replace(lam=lam.copy())


def watch_rows(run: Run, wrote_row: bool) -> None:
    """With redundant rows: accelerations that contradict each other are refused, and the newest row gets the multipliers of least norm."""
    row = int(run.count[work.ROWS]) - 1
    rank, outdated = judge(run)
    if outdated and run.choose_again():
        if wrote_row:
            run.loop.write_row(run.phi, shown(run), run.work, run.columns, run.rows, row)
        rank, _ = judge(run)
    if wrote_row:
        run.ranks[row] = rank.rank
        run.rows.lam[row] = rank.least_norm(run.work.m[work.LAM_1])[run.columns.lam]


def judge(run: Run) -> tuple[Rank, bool]:
    """The rank of G, and whether the enforced rows do not show it any longer; ConflictError for rows that contradict others."""
    ask, rows, (clock, q, v, *_) = run.ask, run.independent, run.state
    t = float(clock[0])
    G, mass = full(ask.G(t, q, v)), ask.mass(t, q, v).diagonal()
    tolerance = tolerance_of_rank(ask, t, q, v, G)
    rank = decide(G, mass, tolerance)
    refuse_conflict(ask, rank, rows.chosen, wanted(ask, t, q, v, run.closure), t, q, v)
    if rank.rank == rows.rank:
        return rank, not decide(G[rows.chosen], mass, tolerance).full
    return rank, rank.rank > rows.rank


def tolerance_of_choice(run: EnforcedRows, G: Any) -> float:
    """The tolerance of a choice of rows, with regard to the drift where there is any."""
    if not run.drifts:
        return TOLERANCE
    return tolerance_of_rank(run.ask, float(run.state.clock[0]), run.state.q, run.state.v, full(G), TOLERANCE)


class FullMatrices:
    """A sparse model with full matrices, and the memory for its steps."""

    def __init__(self, run: Run) -> None:
        assert run.model.dense is not None
        self.model, self.chosen = run.model.dense(), run.independent.chosen
        nv, rank = run.system.nv, run.independent.rank
        self.work = work.allocate_work(run.system.nq, nv, run.system.m, rank, dense=True)
        work.weigh(self.work, run.weights, self.chosen)
        self.pivots = np.zeros(2 * (nv + rank), dtype=np.int64)

    def step(self, run: Run, s: Coefficients, closure: Closure, t_limit: float, time: Any, save: Any) -> int:
        """One step from the state of the run; what it has to tell goes to the memory of the run."""
        model, ours = self.model, run.work
        self.work.near[:] = ours.near
        physics = model.function, model.traits, run.system.m_phi, closure, self.chosen, model.pf, model.pi
        tables = run.state, self.work, self.pivots, run.columns, run.rows, run.count
        status = run.loop.run(*physics, s, run.careful, t_limit, time, save, *tables)
        for name in ("n", "m", "s", "fault", "near"):
            getattr(ours, name)[:] = getattr(self.work, name)
        ours.key[0] = 0.0
        ours.past[:] = 0.0
        return int(status)

"""What the driver does for formulations that close at the balance: multipliers of saved rows,
redundant rows.

Positions drift there by the formulation's own equation. Rows that depend on each other on the
constraints only become independent by as much as the drift: the tolerance of the rank follows it
(isodyn.formulations.gauss_reduction), and rows in use are kept while they are independent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.formulations.gauss_reduction import refuse_conflict, tolerance_of_rank, wanted
from isodyn.kernels.compiled import OK
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.rank import Rank, decide
from isodyn.linear_solvers.rows import TOLERANCE, least_multipliers
from isodyn.marching import march
from isodyn.stepping import initial

if TYPE_CHECKING:
    from isodyn.marching.enforced_rows import EnforcedRows
    from isodyn.marching.last_step import LastStep
    from isodyn.marching.run import Run
    from isodyn.open_types import Matrix
    from isodyn.results.solution import Sample


def show(run: LastStep, row: int) -> None:
    """Write the state into a row, with the multipliers of the state itself; these into memory.lam_1
    too."""
    show_multipliers(run)
    march.write_row(run.state.lag, run.state, run.memory, run.columns, run.rows, row)
    share_row(run, row)


def share_row(run: LastStep, row: int) -> None:
    """Give a row, into which the state has just been written, the multipliers of least norm."""
    if run.independent.dropped.size:
        lam = shown(run, run.sample()._replace(lam=run.memory.lam_1.copy())).lam
        run.rows.lam[row] = lam[run.columns.lam]


def shown(run: LastStep, sample: Sample) -> Sample:
    """A sample with the multipliers that results have, of least norm where rows are redundant; the
    run has them in the rows that it enforces."""
    if not run.independent.dropped.size or run.system.first_order:
        return sample
    ask, t, q, v = run.ask, float(sample.t), sample.q, sample.v
    if not run.drifts:
        return sample._replace(lam=least_multipliers(run.of_held(ask.rows(t, q, v)), sample.lam, run.system.scales))
    G = full(ask.G(t, q, v))
    rank = decide(G, ask.mass(t, q, v).diagonal(), tolerance_of_rank(ask, t, q, v, G))
    return sample._replace(lam=rank.least_norm(sample.lam))


def show_multipliers(run: LastStep) -> None:
    """The multipliers of the state itself into memory.lam_1."""
    state, memory = run.state, run.memory
    memory.lam_1 = state.lam
    if run.closure.at_balance:
        there = memory.aside
        there.q, there.v = state.q, state.v
        status = initial.initial_acceleration(*run.physics(run.closure), state.t, there, memory, run.counters)
        if status == OK:
            memory.lam_1 = there.lam


def watch_rows(run: Run, wrote_row: bool) -> None:
    """With redundant rows: accelerations that contradict each other are refused, and the newest row
    gets the multipliers of least norm."""
    row = int(run.counters.rows) - 1
    rank, outdated = judge(run)
    if outdated and run.choose_again():
        if wrote_row:
            show(run, row)
        rank, _ = judge(run)
    if wrote_row:
        run.ranks[row] = rank.rank
        run.rows.lam[row] = rank.least_norm(run.memory.lam_1)[run.columns.lam]


def judge(run: Run) -> tuple[Rank, bool]:
    """Decide the rank of G, and whether the enforced rows still show it; raise `ConflictError` if
    rows contradict others."""
    ask, rows = run.ask, run.independent
    t, q, v = float(run.state.t), run.state.q, run.state.v
    G, mass = full(ask.G(t, q, v)), ask.mass(t, q, v).diagonal()
    tolerance = tolerance_of_rank(ask, t, q, v, G)
    rank = decide(G, mass, tolerance)
    refuse_conflict(ask, rank, rows.chosen, wanted(ask, t, q, v, run.closure), t, q, v)
    if rank.rank == rows.rank:
        return rank, not decide(G[rows.chosen], mass, tolerance).full
    return rank, rank.rank > rows.rank


def tolerance_of_choice(run: EnforcedRows, G: Matrix) -> float:
    """Tolerance for choosing independent rows; it grows with the drift of formulations that
    drift."""
    if not run.drifts:
        return TOLERANCE
    return tolerance_of_rank(run.ask, float(run.state.t), run.state.q, run.state.v, full(G), TOLERANCE)

"""A run with redundant rows: when the march looks at them (isodyn.marching.redundant_rows), with
what memory, and what is done where others should be enforced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import KNOWS_LEVELS, OK, FloatArray
from isodyn.linear_solvers.rows import Rows, least_multipliers
from isodyn.marching import at_balance
from isodyn.marching.redundant_rows import DOUBT, EXCHANGE, Sharing, look, march_sharing, share_state
from isodyn.systems.base import System
from isodyn.systems.scales import sizes_of_rows

if TYPE_CHECKING:
    from isodyn.marching.run import Run
    from isodyn.open_types import Matrix

MOST = 40_000  # entries of G up to which the march looks at rows


def march_to_doubt(run: Run, upto: int) -> int:
    """Let a run march to a step; with redundant rows at most to the first state that must be looked
    at with care. Returns the status of the march; `run.doubt` says whether to look."""
    run.doubt = True
    if not (run.independent.dropped.size and can_share(run)):
        return run.march(upto)
    work = work_of(run)
    status = march_by_rows(run, upto, work) if run.own_march else run.along_plan(march_sharing, upto, work)
    run.doubt = status != OK and not (status == EXCHANGE and exchange(run))
    return OK if status in (DOUBT, EXCHANGE) else status


def march_by_rows(run: Run, upto: int, work: Sharing) -> int:
    """Let a run with a march of its own go to the next row, and look at that."""
    status, model = run.march(min(upto, run.next_row(int(run.state.step)))), run.ask.model
    if status != OK:
        return status
    row = int(run.counters.rows) - 1
    lam = run.rows.lam[row] if run.rows.t[row] == run.state.t else run.state.lam.copy()
    return int(share_state(model.function, model.tables, model.scratch, work, run.state, lam))


def exchange(run: Run) -> bool:
    """Enforce other rows from the present state on; False if there are none."""
    state, row = run.state, int(run.counters.rows) - 1
    if not run.choose_again(run.ask.rows(float(state.t), state.q, state.v)):
        return False
    run.independence, lam = 0.0, state.lam.copy()
    work = sharing(run, lam, None if run.sharing is None else run.sharing[1])
    run.sharing, run.independence = (run.independent, work), work.reference
    if run.rows.t[row] == state.t:
        at_balance.show(run, row)
        run.rows.lam[row] = lam
    return work.reference >= 0.0


def can_share(run: Run) -> bool:
    """Whether the march can look at the rows of this run: all of q, v and λ saved, at times that
    are known before, and nobody else who looks at single rows."""
    system, kept = run.system, run.columns
    if run.observe is not None or run.watch is not None or run.sized or run.drifts or run.held is not None:
        return False
    if run.closure.compliance > 0.0 or system.first_order or system.m * system.nv > MOST:
        return False
    return (kept.q.size, kept.v.size, kept.lam.size) == (system.nq, system.nv, system.m)


def work_of(run: Run) -> Sharing:
    """What a pass needs, for the rows that the run enforces now; made again after a look with
    care."""
    found = run.sharing
    if found is None or found[0] is not run.independent:
        found = run.sharing = (run.independent, sharing(run, np.zeros(run.system.m)))
        run.independence = found[1].reference
    return found[1]


def least_norm(run: Run, G: Matrix) -> FloatArray:
    """Multipliers of the state of least norm, by the march's own way where it can look at the rows,
    as members of ensembles do it; G at the state is known."""
    lam: FloatArray = run.state.lam.copy()
    if can_share(run):
        work = sharing(run, lam, G=G)
        if work.reference >= 0.0:
            run.sharing, run.independence = (run.independent, work), work.reference
            return lam
    return least_multipliers(run.of_held(G), run.memory.lam_1 if run.drifts else run.state.lam, run.system.scales)


def sharing(run: Run, lam: FloatArray, work: Sharing | None = None, G: Matrix | None = None) -> Sharing:
    """What a pass needs, for the rows that the run enforces now, if possible in the memory that it
    has had; shares multipliers of the state. G is asked for if it is not given."""
    system, rows = run.system, run.independent
    G = run.ask.rows(float(run.state.t), run.state.q, run.state.v) if G is None else G
    if work is None or work.chosen.size != rows.rank:
        work = sharing_for(run, rows)
    work.chosen, work.dropped = rows.chosen, rows.dropped
    put_sizes(work, system, G)
    work.answer = entries(work, G)
    work.reference = 0.0
    work.reference = run.independence or look(work, lam)
    return work


def put_sizes(work: Sharing, system: System, G: Matrix) -> None:
    """Typical sizes of a system in what a pass needs, with G at its state."""
    known = system.scales.rows
    work.units = np.ones(system.m) if known is None or known.size != system.m else known
    work.gap_sizes = sizes_of_rows(system, G)
    work.size_q, work.size_v = system.scales.q, system.scales.v
    work.scales = entries(work, system.scales.v / work.units[:, None])


def entries(work: Sharing, full: FloatArray) -> FloatArray:
    """Entries of a full matrix in the order of a model's answer."""
    if work.starts.size == 0:
        return full.reshape(-1)
    return full[np.repeat(np.arange(full.shape[0]), np.diff(work.starts)), work.columns]


def sharing_for(run: Run, rows: Rows) -> Sharing:
    """What a pass needs for these rows, still without sizes and values."""
    system, pattern = run.system, run.ask.model.sparsity
    starts, columns = (pattern.G_starts, pattern.G_columns) if pattern is not None else (np.zeros(0), np.zeros(0))
    work = Sharing(
        rank=rows.chosen.size,
        left=rows.dropped.size,
        m=system.m,
        nq=system.scales.q.size,
        nv=system.nv,
        starts=starts.size,
        columns=columns.size,
        entries=columns.size if pattern is not None else system.m * system.nv,
        levels=2 * system.m if run.ask.model.traits & KNOWS_LEVELS else 0,
    )
    work.holonomic, work.slowest = system.m_phi, run.slowest
    work.chosen, work.dropped = rows.chosen, rows.dropped
    work.starts, work.columns, work.c = starts, columns, np.array([1.0, 0.0, 0.0, 1.0])
    return work

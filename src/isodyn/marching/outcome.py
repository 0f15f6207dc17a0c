"""What a run leaves: its solution, and warnings about what it is not sure of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from isodyn.errors import InterruptedWarning
from isodyn.formulations.near_singular import warn_near_singular
from isodyn.kernels import interrupts
from isodyn.later import Later
from isodyn.results import switched
from isodyn.results.quality import largest_local_error, warn_of_coarse_steps
from isodyn.results.solution import Solution
from isodyn.results.statistics import Statistics
from isodyn.stepping.memory import COUNTED, JUDGED

chord_strain = Later("isodyn.results.chord_strain")  # mechanisms and beams only …
passed_over = Later("isodyn.results.passed_over")  # runs that choose their steps …
wound_rods = Later("isodyn.results.wound_rods")  # … what is elastic …
loose_components = Later("isodyn.marching.loose_components")  # … adaptive steps of GS4 …
shared_reactions = Later("isodyn.results.shared_reactions")  # … and friction by reactions

if TYPE_CHECKING:
    from isodyn.marching.run import Run


Result = TypeVar("Result")


def carry_out(
    follow: Callable[[], str | None],
    where: Callable[[], str],
    solution: Callable[[str | None], Result],
) -> Result:
    """Let a run go to its end, and make a solution of the rows that exist then.

    `follow` returns what ended the run early, as text, or None. Ctrl-C ends the run with a warning;
    an error carries the rows so far in `.partial`.
    """
    try:
        with interrupts.noted():
            stopped = follow()
    except KeyboardInterrupt:
        stopped = f"interrupted {where()}"
        warnings.warn(f"{stopped}; the solution holds what was done", InterruptedWarning, stacklevel=4)
    except BaseException as error:
        with suppress(Exception):
            error.partial = solution("stopped by an error")  # type: ignore[attr-defined]
        raise
    return solution(stopped)


def solution_of(run: Run, stopped: str | None) -> Solution:
    """The solution of the rows that a run has written so far, with statistics; if the run was
    stopped, its last whole step is a row too."""
    k = int(run.counters.rows)
    room = run.sized or k < run.rows.t.size
    if stopped is not None and run.state.step > 0 and room and (k == 0 or run.state.t > run.rows.t[k - 1]):
        run.show_last(k)
        k += 1
    aux: dict[str, Any] = {}
    if run.left:
        aux |= _left_limits(run)
    if run.watch is not None:
        aux |= run.watch.by_event()
    aux |= run.aux_of(k)
    if run.holds:
        aux["held"] = np.ones((k, run.system.m), dtype=np.int64)
        for row, held in run.holds:
            aux["held"][row:] = held
    if run.switched:
        mechanism: Any = run.system
        names = list(mechanism.description.parts.loads)
        aux[switched.NAME] = np.zeros((k, len(names)), dtype=np.int64)
        aux[switched.TIMES] = run.rows.t[[row for row, _ in run.switched]]
        aux[switched.SWITCHED] = np.array([[name in off for name in names] for _, off in run.switched], dtype=np.int64)
        for (row, _), off in zip(run.switched, aux[switched.SWITCHED], strict=True):
            aux[switched.NAME][row:] = off
    t, q, v, a, lam, *more = (r if k == r.shape[0] else r[:k].copy() for r in run.rows)
    aux |= {name: rows for name, rows in zip(run.rows._fields[5:], more, strict=True) if rows.shape[1]}
    if run.ranks.size:
        aux["rank"] = run.ranks[:k].copy()
    stats = _statistics(run, stopped)
    system = run.system if run.sampling is None else run.sampling.recorded()
    sol = Solution(t, q, v, a, lam, system, run.method.named, stats, run.columns._asdict(), aux, run.redundant)
    sol.events = [] if run.watch is None else list(run.watch.happened)
    return sol


def _left_limits(run: Run) -> dict[str, Any]:
    """Left-hand limits at breakpoints and events; of q and v where an event changed them."""
    numbers, q, v, a, lam = (np.array(limits) for limits in zip(*run.left, strict=True))
    found = {"breakpoint_rows": numbers, "a_left": a, "lam_left": lam}
    if not (np.array_equal(q, run.rows.q[numbers]) and np.array_equal(v, run.rows.v[numbers])):
        found |= {"q_left": q, "v_left": v}
    return found


def _statistics(run: Run, stopped: str | None) -> Statistics:
    counted: dict[str, Any] = {name: int(getattr(run.counters, name)) for name in COUNTED}
    stats = Statistics(
        **counted,
        refinements=run.refinements(),
        rejected=int(run.counters.rejected),
        seconds=run.seconds(),
        solver=run.solver,
        stopped=stopped,
        methods=run.told(),
        index=None if run.index is None else str(run.index),
    )
    if run.method.composition is None and stats.steps and run.plan.take == 0:
        stats.take(largest_local_error(np.array([getattr(run.state, name) for name in JUDGED]), run.system))
    return stats


def warn_of_doubts(run: Run, sol: Solution) -> None:
    """Warn of losses of rank on the way, of coarse steps, of strains that come from chords, of rods
    that are wound too far, and of friction by reactions that are not unique."""
    if run.drifts:
        pivot, when = float(run.state.nearest), float(run.state.nearest_at)
        warn_near_singular(pivot, when, "the motion from there on, and multipliers, are uncertain", stacklevel=4)
    if run.sizes is None:
        warn_of_coarse_steps(sol.stats, stacklevel=5)
    else:
        if not run.sizes.warn_if_loose(run.state, stacklevel=5):
            loose_components.warn_of_loose_components(run, run.sizes, stacklevel=5)
        run.sizes.warn_of_vibrations(run.state, run.method.scheme, stacklevel=5)
    if run.sized and run.plan.save_every == 1 and run.plan.between == 0:
        passed_over.warn_of_passed_over(sol, stacklevel=5)
    if run.keeps_balance:
        chord_strain.warn_of_chord_strain(sol, stacklevel=5)
    if sol.system.elastic:
        wound_rods.warn_of_wound_rods(sol, stacklevel=5)
    if sol.redundant and sol.system.nonideal:
        shared_reactions.warn_of_shared_reactions(sol, stacklevel=5)

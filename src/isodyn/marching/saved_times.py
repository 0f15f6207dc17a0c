"""Rows at the times that a user names, between the steps of a run: dense output.

q is the quintic through q, v and a of both ends of a step, v its derivative, a and λ are linear
(isodyn.results.dense_output). Where a run keeps its constraints, q and v are then moved onto them
by the least change in the mass norm. Times that are ends of steps get their rows as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.formulations.closure import OPEN
from isodyn.kernels.compiled import OK, FloatArray, IntArray
from isodyn.marching.at_rest import AtRest
from isodyn.marching.columns import columns
from isodyn.marching.schedule import resolved
from isodyn.memory import require_rows
from isodyn.real_numbers import real_array
from isodyn.results.contacts import contacts_at
from isodyn.results.dense_output import interpolate, jumps_beside, rows_of_jumps, same_time
from isodyn.results.inputs_in_run import with_jumps_at
from isodyn.results.solution import Solution
from isodyn.results.switched import NAME as LOADS_OFF
from isodyn.results.switched import SWITCHED, TIMES
from isodyn.stepping import initial

if TYPE_CHECKING:
    from isodyn.open_types import Selection

KEPT = 1e-9  # constraints that rows keep better than this are kept between them too
# of aux: rows that a time takes from the step it lies in, from the row before it, and what stays as it is
BY_STEP = ("step_error", "mu", "nu", "rank")
FROM_THEN_ON = ("held", LOADS_OFF)
WHOLE = ("event_times", "event_q", "event_v", SWITCHED, TIMES)


def save_times(save: object, t0: float, t_end: float, columns: int) -> FloatArray | None:
    """Times to save: given ones, or so many at equal distances; None for the ends of steps."""
    if save is None:
        return None
    if isinstance(save, int | np.integer) and not isinstance(save, bool):
        require_rows(int(save), columns)
        if save < 2:
            raise InputError(f"save must be at least 2 times, received {save}", hint="both ends count")
        resolved(t0, t_end, (t_end - t0) / (int(save) - 1), "the distance of saved times")
        times = t0 + (t_end - t0) / (int(save) - 1) * np.arange(float(save))
        times[-1] = t_end
        return times
    if isinstance(save, bool):
        raise InputError(f"save takes times, how many of them, or None, received {save!r}")
    times = real_array("save", save, "times, how many of them, or None").reshape(-1)
    if times.size == 0 or not (np.diff(times) > 0).all() or not (times[0] >= t0 and times[-1] <= t_end):
        raise InputError(
            f"save must hold ascending times between t0 = {t0:g} and t_end = {t_end:g}, received {times[:3]} … {times[-1:]}"
        )
    return times


def with_named_rows(run: Callable[[], Solution], times: FloatArray, select: Selection | None = None) -> Solution:
    """The solution of a run, or of an error that ends it, with rows at the times that were
    named; and with one at its end where an event, an observer, Ctrl-C or the error came before."""

    def rows_of(sol: Solution) -> Solution:
        early = sol.stats.stopped is not None
        return rows_at(sol, np.union1d(times[times < sol.t[-1]], sol.t[-1:]) if early else times, select)

    try:
        return rows_of(run())
    except BaseException as error:
        partial = getattr(error, "partial", None)
        if isinstance(partial, Solution) and partial.t.size:
            error.partial = rows_of(partial)  # type: ignore[attr-defined]
        raise


def rows_at(sol: Solution, times: FloatArray, select: Selection | None = None) -> Solution:
    """A solution with rows at these times, as far as the run came."""
    near = same_time(sol)
    times = times[times <= sol.t[-1] + near]
    if times.size == 0 or (select is None and np.array_equal(times, sol.t)):
        return sol
    last = np.searchsorted(sol.t, times + near, side="right") - 1
    ends, whole = np.abs(sol.t[last] - times) <= near, (sol.q, sol.v, sol.a, sol.lam)
    k = np.where(ends, last, last + 1)
    q, v, a, lam = (own[k] for own in whole)
    if not ends.all():
        _, *between = interpolate(sol, times[~ends])
        for row, inside in zip((q, v, a, lam), between, strict=True):
            row[~ends] = inside
    aux = {name: sol.aux[name][k] for name in BY_STEP if name in sol.aux} | contacts_at(sol, times, q, v)
    aux |= {name: sol.aux[name][last] for name in FROM_THEN_ON if name in sol.aux} | _left_limits(sol, times)
    aux |= {name: sol.aux[name] for name in WHOLE if name in sol.aux} | _jumps_between(sol, times)
    if not ends.all() and sol.system.m and not sol.system.first_order and max(sol.drift().largest[:2]) < KEPT:
        _close_between(sol, times, q, v, np.flatnonzero(~ends), last)
    chosen = columns(select, sol.system.nq, sol.system.nv, sol.system.m)
    rows = q[:, chosen.q], v[:, chosen.v], a[:, chosen.a], lam[:, chosen.lam]
    stats, kept = sol.stats, {name: np.asarray(value) for name, value in chosen._asdict().items()}
    system = with_jumps_at(sol.system, times, near)
    found = replace(sol, t=times, system=system, stats=stats, columns=kept, aux=aux)
    found.q, found.v, found.a, found.lam = (np.ascontiguousarray(x) for x in rows)
    return found


def _left_limits(sol: Solution, times: FloatArray) -> dict[str, Any]:
    """Left-hand limits at those of the times that have such."""
    if "breakpoint_rows" not in sol.aux:
        return {}
    at, near = sol.t[sol.aux["breakpoint_rows"].astype(int)], same_time(sol)
    rows = np.minimum(np.searchsorted(times, at - near), times.size - 1)
    kept = np.abs(times[rows] - at) <= near
    limits: dict[str, Any] = {
        name: sol.aux[name][kept] for name in ("q_left", "v_left", "a_left", "lam_left") if name in sol.aux
    }
    return {"breakpoint_rows": rows[kept], **limits} if kept.any() else {}


def _jumps_between(sol: Solution, times: FloatArray) -> dict[str, Any]:
    """States at jumps of q or v that are at none of these times."""
    rows, near = rows_of_jumps(sol), same_time(sol)
    next_one = np.minimum(np.searchsorted(times, sol.t[rows] - near), times.size - 1)
    left_out = rows[np.abs(times[next_one] - sol.t[rows]) > near]
    return jumps_beside(sol, left_out) if left_out.size else {}


def _close_between(
    sol: Solution, times: FloatArray, q: FloatArray, v: FloatArray, between: IntArray, last: IntArray
) -> None:
    """Move rows between steps onto the constraints that are held there; `last` are the rows of the
    solution before them."""
    held = sol.aux["held"] if "held" in sol.aux else np.ones((sol.t.size, sol.system.m), dtype=np.int64)
    there = held[last[between]]
    for rows in np.unique(there, axis=0):
        which = between[(there == rows).all(axis=1)]
        if rows.any():
            _close_rows(sol, times, q, v, which, int(last[which[0]]), None if rows.all() else np.flatnonzero(rows))


def _close_rows(
    sol: Solution, times: FloatArray, q: FloatArray, v: FloatArray, which: IntArray, known: int, held: IntArray | None
) -> None:
    """Move rows between steps onto the constraints; those that are held, where events have released
    some, from a row of the solution on."""
    rest = AtRest(sol.system, span=float(sol.t[-1] - sol.t[0]))
    known = 0 if held is None else known
    rest.held, rest.state.t = held, float(sol.t[known])
    rest.state.q, rest.state.v = sol.q[known], sol.v[known]  # the system's own start may have been assembled
    rest.look(float(sol.t[known]))
    rest.make_consistent(float(sol.t[known]), True)
    for i in which:
        rest.state.q, rest.state.v = q[i], v[i]
        status = initial.nearest_consistent(*rest.physics(OPEN), float(times[i]), rest.state, rest.memory)
        if status == OK:  # beside a loss of rank what is between two good states stays as it is
            q[i], v[i] = rest.state.q, rest.state.v

"""Starts in singular positions: velocities that lead onto a branch of motion are taken, others are
refused with the choices.

Equations in isodyn.systems.branches.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import AccuracyWarning
from isodyn.kernels.compiled import FloatArray
from isodyn.linear_solvers.rows import LARGE
from isodyn.marching.start import refuse_turned
from isodyn.systems.branch_choices import examples, refusal
from isodyn.systems.branches import OFF, crossing, limit, off_branch
from isodyn.systems.manifold import freedoms
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.marching.at_rest import AtRest

EXACT = 1e-9  # velocities that miss a branch by less stay as they are
# multipliers that grow towards the start to more than this, against their finite part, are told
UNBOUNDED = 10.0


def settle_start(run: AtRest, t: float, given: FloatArray) -> None:
    """Check a start that was projected onto the constraints: it must not depend on rounding, and
    its velocities must lead onto a branch of the motion."""
    if not run.assemble:
        refuse_turned(run.ask, t, run.state.q, given, run.state.v)
    onto_a_branch(run, t)


def onto_a_branch(run: AtRest, t: float) -> None:
    """Keep run.state.v if it leads onto a branch; otherwise refuse it or, with `assemble`, take the
    nearest velocities that do."""
    state, system = run.state, run.system
    if not run.independent.dropped.size or system.m * system.nv > LARGE:
        return
    ask = Questions(system)
    off = off_branch(ask, t, state.q, state.v)
    if off <= EXACT:
        return
    found = crossing(ask, t, state.q)
    if found is None:
        if off <= OFF:
            return
        raise refusal(
            system, state.q, f"the velocities lead onto no branch of motion (by {off:.2g})", None, "other velocities"
        )
    M, none = ask.mass(t, state.q, state.v), (np.zeros((0, state.v.size)), np.zeros(0))
    ways = [branch.nearest(state.v, M, *none) for branch in found]
    away = np.array([np.sqrt((w - state.v) @ M @ (w - state.v)) for w in ways])
    order = np.argsort(away)
    clear = len(ways) == 1 or (len(ways) > 1 and away[order[1]] > (1 + 1e-3) * away[order[0]])
    if ways and (off <= OFF or (run.assemble and clear)):
        state.v[:] = ways[order[0]]
        return
    meet = "one branch of motion passes" if len(found) == 1 else f"{len(found)} branches of motion meet"
    raise refusal(
        system,
        state.q,
        f"{meet} in the start at t = {t:.6g}, and its velocities lead onto none",
        examples(found, M, state.v),
        "start with velocities of one branch; of a mechanism mech.assemble(rates=…) finds them from rates of joints",
    )


def limits_on_branch(run: AtRest, t: float, *, rows: bool = True) -> FloatArray | None:
    """At a crossing: accelerations and multipliers as limits along the branch, and rows that are
    independent beside it.

    The multipliers of least norm are returned, None where nothing crosses.
    """
    state, system = run.state, run.system
    if not run.independent.dropped.size or system.m * system.nv > LARGE:
        return None
    ask = Questions(system)
    found = limit(ask, t, state.q, state.v, run.independent.rank)
    if found is not None:
        state.a[:], state.lam[:] = found.a, found.lam
        if rows:
            run.enforce(found.rows)
        if found.pole > UNBOUNDED:
            warnings.warn(
                f"the start at t = {t:.6g} is a singular position where reactions grow without bound:"
                " multipliers of the first rows are uncertain",
                AccuracyWarning,
                stacklevel=2,
            )
        return found.least
    sizes = system.scales.v
    N = freedoms(ask.G(t, state.q, state.v), sizes)[0]
    way = N @ ((N / sizes[:, None]).T @ (state.a / sizes))
    if np.abs(way).max(initial=0.0) > 0.0 and off_branch(ask, t, state.q, state.v, way) > OFF:
        branches = crossing(ask, t, state.q)
        M = ask.mass(t, state.q, state.v)
        raise refusal(
            system,
            state.q,
            f"the start at t = {t:.6g} rests in a singular position, and forces push it onto no single branch of motion",
            None if branches is None else examples(branches, M, way),
            "start with a velocity along one branch, or beside this position",
        )
    return None

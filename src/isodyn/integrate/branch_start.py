"""Starts in singular positions: velocities that lead onto a branch of motion are taken, others are refused with the choices.

Equations in isodyn.systems.branches.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.compiled import FloatArray
from isodyn.errors import AccuracyWarning, BranchError
from isodyn.integrate.start import refuse_turned
from isodyn.linear_solvers.rows import LARGE
from isodyn.systems.branches import OFF, Branch, crossing, limit, off_branch
from isodyn.systems.manifold import freedoms
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.integrate.run import Run

EXACT = 1e-9  # velocities that miss a branch by less stay as they are
UNBOUNDED = 10.0  # multipliers that grow towards the start to more than this, against their finite part, are told
SHOWN = 6  # branches, and rates of each, in a message


def rates_by_name(system: Any, q: FloatArray, v: FloatArray) -> dict[str, float]:
    """Rates of the joint coordinates of a mechanism, of other systems the components of v; zeros are left out."""
    from isodyn.mechanism.poses import coordinate_at
    from isodyn.mechanism.system import MechanismSystem

    if isinstance(system, MechanismSystem):
        words = {
            (name if len(parts.coordinates) == 1 else f"{name}.{which}"): word
            for name, parts in system.joints.items()
            for which, word in parts.coordinates.items()
        }
        rates = {name: float(coordinate_at(system, word, q)[1] @ v) for name, word in words.items()}
    else:
        rates = {}
    if not rates:
        rates = {name: float(x) for name, x in zip(system.v_names, v, strict=True)}
    largest = max((abs(x) for x in rates.values()), default=0.0)
    return {name: x for name, x in rates.items() if abs(x) > 1e-9 * largest}


def refusal(system: Any, q: FloatArray, what: str, velocities: list[FloatArray] | None, hint: str) -> BranchError:
    """The error that names the choices, a velocity on each branch."""
    if velocities is None:
        return BranchError(f"{what}; the branches are too many to list", hint=hint)
    choices = tuple(rates_by_name(system, q, v) for v in velocities)
    if not any(choices):
        return BranchError(f"{what}; no motion leads out of this position", hint="it can only be left at rest")
    lines = []
    for k, choice in enumerate(choices[:SHOWN]):
        some = list(choice.items())
        more = ", …" if len(some) > SHOWN else ""
        lines.append(f"\n  branch {k + 1}: " + (", ".join(f"{n} {x:.6g}" for n, x in some[:SHOWN]) or "at rest") + more)
    return BranchError(f"{what}; rates on each:{''.join(lines)}", branches=choices, hint=hint)


def examples(branches: tuple[Branch, ...], M: FloatArray, v: FloatArray) -> list[FloatArray]:
    """A velocity on each branch: the nearest to v, or of about its size where that is rest."""
    found = []
    none = np.zeros((0, v.size)), np.zeros(0)
    size = max(float(np.abs(v).max(initial=0.0)), 1e-300)
    for branch in branches:
        way = branch.nearest(v, M, *none)
        if np.abs(way).max(initial=0.0) < 1e-6 * size and branch.basis.shape[1]:
            first = branch.basis[:, 0]
            way = first * size / np.abs(first).max()
        found.append(way)
    return found


def settle_start(run: Run, t: float, given: FloatArray) -> None:
    """After a start was put onto the constraints: it must not depend on rounding, and must lead onto a branch of motion."""
    if not run.assemble:
        refuse_turned(run.ask, t, run.state.q, given, run.state.v)
    onto_a_branch(run, t)


def onto_a_branch(run: Run, t: float) -> None:
    """Keep run.state.v where it leads onto a branch; refuse it, or with `assemble` take the nearest that does."""
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


def limits_on_branch(run: Run, t: float, *, rows: bool = True) -> FloatArray | None:
    """At a crossing: accelerations and multipliers as limits along the branch, and rows that are independent beside it.

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

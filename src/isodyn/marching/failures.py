"""What went wrong in a run, in words: the statuses of the loop as errors, and notes on the
exceptions of users' functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import ConvergenceError, IsodynError, NonFiniteError, PainleveError, SingularError
from isodyn.kernels.compiled import (
    JAMMED,
    NO_PIVOT,
    NOT_CONVERGED,
    NOT_FINITE,
    SINGULAR,
    UNTOLD,
    WRONG_SHAPE,
    FloatArray,
    IntArray,
)
from isodyn.systems.checks import untold, wrong_shape

if TYPE_CHECKING:
    from isodyn.stepping.memory import Memory
    from isodyn.stepping.newton_settings import Newton


def failure(
    status: int, where: str, memory: Memory, controls: Newton, system: Any, chosen: IntArray, q: FloatArray
) -> IsodynError:
    """The error for a status; `where` tells step and time, q the position that the last step was
    tried from."""
    names = system.v_names
    if status in (SINGULAR, NO_PIVOT):
        column = int(memory.fault[0])
        if column >= system.nv:
            row = system.row_names[chosen[column - system.nv]]
            return SingularError(
                f"the constraints lose rank {where}: {row!r} depends on the others there",
                hint="a singular configuration; start elsewhere, or check which rows meet there",
            )
        name = names[column]
        return SingularError(
            f"the matrix of the equations of motion is singular {where}: no pivot for {name!r}",
            hint="look at its row and column: "
            + (
                "its rate must appear in the equations; unknowns without one are the z of a FirstOrderSystem"
                if system.first_order
                else "every coordinate needs inertia"
            ),
        )
    if status == JAMMED:
        return PainleveError(
            f"forces that depend on multipliers leave no acceleration, or several, {where}:"
            " [M, Gᵀ − ∂Q/∂λ; G, 0] is singular there, or on the way there",
            hint="friction too large for rigid constraints (Painlevé); Penalty lets them give way, a smaller coefficient moves",
        )
    if status == UNTOLD:
        name, told, seen = system.fastest(q, memory.d)
        return untold(name, told, seen, where)
    if status == WRONG_SHAPE:
        return wrong_shape(where, system.nv)
    if status == NOT_FINITE:
        all_names = [*names, *(system.row_names[i] for i in chosen)]
        bad = [all_names[i] for i in np.flatnonzero(~np.isfinite(memory.r))[:3]]
        whose = f" in the balance of {', '.join(map(repr, bad))}" if bad else ""
        return NonFiniteError(
            f"a NaN or an infinity appeared {where}{whose}",
            hint="check what the system's functions return there; with an explicit scheme, reduce dt",
        )
    assert status == NOT_CONVERGED
    moved, by = np.abs(memory.dx[: system.nv]), memory.by_v  # in typical sizes of the coordinates
    worst, most = names[int(np.argmax(moved * by))], (np.abs(memory.a) * by).max()
    return ConvergenceError(
        f"Newton stopped {where}: correction {memory.correction:.2e} > {controls.rtol:.1e} of the acceleration {most:.2e}"
        f" after {controls.max_iterations} iterations and {controls.max_halvings} halvings\n  largest component: {worst!r}",
        hint="reduce dt, supply derivatives, or allow more with newton=Newton(max_iterations=..., max_halvings=...)",
    )

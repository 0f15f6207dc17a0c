"""Where branches of motion cross: a velocity on each of them, and the error that names these
choices."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from isodyn.errors import BranchError
from isodyn.kernels.compiled import FloatArray
from isodyn.systems.base import System
from isodyn.systems.branches import Branch

SHOWN = 6  # branches, and rates of each, in a message


@singledispatch
def named_rates(system: System, q: FloatArray, v: FloatArray) -> dict[str, float]:
    """Rates that tell a motion by name: the components of v; kinds of systems that know better
    register their own."""
    return {name: float(x) for name, x in zip(system.v_names, v, strict=True)}


def rates_by_name(system: System, q: FloatArray, v: FloatArray) -> dict[str, float]:
    """The same without zeros."""
    rates = named_rates(system, q, v)
    largest = max((abs(x) for x in rates.values()), default=0.0)
    return {name: x for name, x in rates.items() if abs(x) > 1e-9 * largest}


def refusal(system: System, q: FloatArray, what: str, velocities: list[FloatArray] | None, hint: str) -> BranchError:
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

"""What parameters change in an objective while the motion stays.

Systems at other values of the parameters are made for that, unless it is known what outputs look
at: a coordinate of a joint is measured between points and axes of two bodies, and of nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.results.quantities import Catalogue, Of
from isodyn.sensitivities.parameters import NamedParts
from isodyn.sensitivities.variations import Variation

if TYPE_CHECKING:
    from isodyn.results.solution import Solution
    from isodyn.systems.base import System

ROUNDING = 1e-14  # of the largest value of an output: what changes by less does not depend on what was moved


def by_outputs(
    variations: Sequence[Variation], system: System, outputs: Callable[[Any], FloatArray], named: dict[str, str] | None
) -> FloatArray:
    """∂/∂θ of the sum of what a function of the system gives; `named` are coordinates of joints
    that are all it looks at, if that is known."""
    found, plain = np.zeros(len(variations)), outputs(system)
    least = ROUNDING * float(np.abs(plain).max(initial=0.0))
    first = [j for j, one in enumerate(variations) if named is None or may_change(one, named)]
    groups = [first] if first else []
    while groups:
        group = groups.pop()
        one: Variation = variations[group[0]]
        if len(group) == 1:
            found[group[0]] = float(one.difference(lambda other: outputs(other).sum(), system))
            continue
        moved = {
            x.name: x.value + x.points[0] * x.h * (1.0 + 0.1 * k) for k, x in enumerate(variations[i] for i in group)
        }
        try:
            changed = np.abs(outputs(one.family.at(moved)) - plain)
        except IsodynError:  # values that do not go together
            changed = np.array([np.inf])
        if not changed.max(initial=0.0) <= least:
            groups += [group[: len(group) // 2], group[len(group) // 2 :]]
    return found


def may_change(one: Variation, named: dict[str, str]) -> bool:
    """Whether a parameter may change how these coordinates of joints are measured."""
    if not isinstance(one.family, NamedParts):
        return True
    values = [one.value + k * one.h for k in (min(one.points), max(one.points))]
    return one.family.moves_coordinates(one.name, values, named)


def coordinates_of_joints(outputs: Sequence[Any], sol: Solution) -> dict[str, str] | None:
    """Joints and which of their coordinates outputs are, or the rates of which; None where some of
    them are something else."""
    named: dict[str, str] = {}
    for output in outputs:
        place = None if callable(output) else Catalogue(sol).find(output)
        if place is None or place.of is not Of.JOINT:
            return None
        known, what = sol.system.joints[place.owner].coordinates, place.what
        kinds = [kind for kind in known if what in (kind, f"{kind}_rate", f"{kind}_acceleration")]
        if not kinds or named.get(place.owner, kinds[0]) != kinds[0]:
            return None
        named[place.owner] = kinds[0]
    return named


def looks_at_system(sol: Solution, outputs: Callable[[Solution], FloatArray]) -> bool:
    """Whether outputs look at more than the numbers of a solution."""
    seen: list[bool] = []

    class Watched(type(sol)):  # type: ignore[misc]
        @property
        def system(self) -> Any:
            seen.append(True)
            return sol.system

    watched = copy(sol)
    watched.__class__ = Watched
    watched.aux = {name: value for name, value in sol.aux.items() if name.startswith(("contact_", "impact_"))}
    outputs(watched)
    return bool(seen)

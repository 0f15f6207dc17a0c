"""Friction by a reaction that is not unique.

Where rows follow from others, many multipliers give the same motion. Runs enforce some rows, and
the others carry nothing; a `Solution` has the multipliers of least norm. Friction by a reaction in
which these differ depends on the choice.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import AccuracyWarning
from isodyn.loads.laws import FrictionLaw
from isodyn.mechanism.system import MechanismSystem
from isodyn.results.reactions import is_indeterminate

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

NOTHING = 1e-9  # of the largest multiplier


def warn_of_shared_reactions(sol: Solution, stacklevel: int) -> None:
    """Say so where friction takes its normal force from a reaction that is a matter of choice."""
    system = sol.system
    if not isinstance(system, MechanismSystem) or sol.lam.shape != (sol.t.size, system.m):
        return
    left_out = [k for k, name in enumerate(system.row_names) if name in sol.redundant]
    if np.abs(sol.lam[:, left_out]).max(initial=0.0) <= NOTHING * np.abs(sol.lam).max(initial=0.0):
        return
    for law in system.layout.laws:
        if law.joint is None or not isinstance(law.force, FrictionLaw) or not law.force.by_reaction:
            continue
        if is_indeterminate(system, sol, system.joints[law.joint].rows):
            rows = ", ".join(map(repr, sol.redundant))
            warnings.warn(
                f"friction {law.load!r} takes its normal force from the reaction of {law.joint!r}, which is not unique:"
                f" {rows} follow from other constraints, and carry nothing in the run\n"
                "hint: joints that leave more freedom (Spherical, Cylindrical) in the place of some hinges make it unique",
                AccuracyWarning,
                stacklevel=stacklevel,
            )

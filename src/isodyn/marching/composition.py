"""Composed schemes in a run: which systems they are for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import SchemeError
from isodyn.formulations import Stabilised
from isodyn.kernels.compiled import GENERAL, KNOWS_MASS, SOLVES
from isodyn.schemes import Composition
from isodyn.systems.base import System
from isodyn.systems.scales import reach

if TYPE_CHECKING:
    from isodyn.formulations.protocol import Formulation

_FAR = 0.5  # an increment for which retractions show whether they are subgroups
_SAME = 1e-10


def check_composition(system: System, scheme: Composition, formulation: Formulation | None) -> None:
    """SchemeError for systems on which the base of a composed scheme is not symmetric."""
    hint = "take Scheme.central_difference() as the base, or integrate_adaptive"
    if formulation is not None and not isinstance(formulation, Stabilised):
        raise SchemeError(
            f"{scheme.name} closes constraints in its own way, received {formulation!r}",
            hint="leave the formulation out: φ and φ̇ are kept to rounding",
        )
    if scheme.midpoint:
        if system.m:
            raise SchemeError(f"{scheme.base.name} is not symmetric with constraints", hint=hint)
        if system.retract is not None and not _is_subgroup(system):
            raise SchemeError(
                f"{scheme.base.name} is not symmetric with this retraction: half an increment twice is not the whole one",
                hint=hint + "; or mechanisms with cayley=False",
            )
        return
    if system.first_order:
        raise SchemeError(f"{scheme.base.name} is for second-order systems", hint="take Scheme.V0(1, 1, 0) as the base")
    if system.m > system.m_phi:
        raise SchemeError(
            f"{scheme.name} covers holonomic constraints only; this system has {system.m - system.m_phi} nonholonomic rows",
            hint="integrate_adaptive covers them",
        )
    traits = system.model().traits
    if system.nonideal or traits & SOLVES or not traits & KNOWS_MASS or (traits & GENERAL and system.m):
        raise SchemeError(
            f"{scheme.name} needs the mass matrix, and forces that do not depend on multipliers",
            hint="take Scheme.V0(1, 1, 0) as the base, or integrate_adaptive",
        )


def _is_subgroup(system: System) -> bool:
    """Whether q ⊕ d ⊕ d = q ⊕ 2d along some increment d."""
    d = _FAR * np.cos(np.arange(system.nv)) * system.scales.v
    twice = system.retract(np.asarray(system.retract(system.q0.copy(), d)), d)
    gap = np.abs(np.asarray(twice) - system.retract(system.q0.copy(), 2.0 * d)) / system.scales.q
    return bool(gap.max() <= _SAME * reach(system, system.q0))

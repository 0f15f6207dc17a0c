"""Types of what kernels of a step hand to each other by reference."""

from __future__ import annotations

from isodyn.compiled import COEFFICIENTS, PHYSICS, STATE
from isodyn.integrate.work import CONTROLS, WORK
from isodyn.lowering import Reference

PHYSICS_REF, SCHEME_REF, STATE_REF, WORK_REF, CONTROLS_REF = (
    Reference(kind) for kind in (PHYSICS, COEFFICIENTS, STATE, WORK, CONTROLS)
)

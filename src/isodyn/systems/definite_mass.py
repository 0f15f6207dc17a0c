"""Mass matrices that functions give are looked at where a run begins: M(q0) has no negative
eigenvalue. Matrices that are numbers are looked at where they are set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.linear_solvers.definite import refuse_indefinite
from isodyn.systems import checks
from isodyn.systems.base import System
from isodyn.systems.compiled_system import CompiledSystem
from isodyn.systems.mechanical import MechanicalSystem
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.open_types import Matrix


def refuse_indefinite_mass(system: System) -> None:
    """InputError for a symmetric M(q0) with a negative eigenvalue; where M fails, the run tells
    about it in its own words."""
    try:
        M = _mass_at_start(system)
    except Exception:
        return
    if M is not None and np.isfinite(M.sum()):
        refuse_indefinite("M", M, system.v_names, checks.MASS_HINT)


def _mass_at_start(system: System) -> Matrix | None:
    """M(q0) of functions; None where masses were looked at before, or where there are none."""
    if isinstance(system, MechanicalSystem) and callable(system.M):
        return checks.returned("M", system.M(system.q0.copy()), (system.nv, system.nv), 0.0)
    if type(system) is CompiledSystem and not system.first_order:  # models that derive from it know their masses
        return Questions(system).mass(0.0, system.q0.copy(), system.v0.copy())
    return None

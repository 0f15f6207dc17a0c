"""Which steps are differentiated, and in which form they are taken for that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from isodyn.errors import SensitivityError
from isodyn.kernels.compiled import GENERAL, REACTS, IntArray
from isodyn.marching.method import Method
from isodyn.mechanism.system import MechanismSystem
from isodyn.sensitivities.closed_rows import ClosedSystem
from isodyn.stepping.newton_settings import Newton
from isodyn.systems.base import System
from isodyn.systems.multiplier_forces import SUCH_FORCES

OTHER_MODES = 0.1  # of the largest displacement; parameters are changed by a few thousandths


def without_contacts(system: System) -> System:
    """The system itself, where its contacts were made rows."""
    return system.inner if isinstance(system, ClosedSystem) else system


def refuse(system: System, method: Method, newton: Newton) -> None:
    """SensitivityError for what cannot be differentiated."""
    closure, model = method.closure, system.model()
    mechanical, contacts = isinstance(without_contacts(system), MechanismSystem), isinstance(system, ClosedSystem)
    why = {
        "multipliers that enter as they like (algebraic unknowns)": bool(model.traits & GENERAL) and system.m > 0,
        SUCH_FORCES: without_contacts(system).nonideal and (contacts or not model.traits & REACTS),
        "coordinates with a retraction of their own": system.retract is not None and not mechanical,
        "a composition of steps": method.composition is not None,
        "a formulation that closes at the balance": closure.at_balance,
        "a formulation that eliminates multipliers": closure.eliminate > 0,
        "a formulation that projects after the step": closure.project > 0,
        "a formulation with a correction of v, or one in the balance": closure.keep_velocity or closure.in_balance > 0,
        "other forms of the iteration than the default": newton.form != 0 or newton.quasi or newton.reuse,
    }
    for what, found in why.items():
        if found:
            raise SensitivityError(
                f"{what}: such steps are not differentiated",
                hint="Stabilised(), PositionLevel(), VelocityLevel(), AccelerationLevel() and Baumgarte() are; so are systems"
                " without constraints",
            )


def refuse_other_modes(name: str, systems: Sequence[Any], itself: System) -> None:
    """SensitivityError if a parameter changes modes of flexible bodies by more than it is changed
    itself: modes of equal frequencies turn, or change places, at once."""
    itself = without_contacts(itself)
    if not isinstance(itself, MechanismSystem):
        return
    for k, part in enumerate(itself.layout.flexible):
        own, size = part.reduced.basis, float(np.abs(part.reduced.basis).max())
        for system in systems:
            varied = without_contacts(system)
            assert isinstance(varied, MechanismSystem)  # it differs in a number only
            other = varied.layout.flexible[k].reduced.basis
            if other.shape != own.shape or not np.abs(other - own).max() <= OTHER_MODES * size:
                raise SensitivityError(
                    f"{name} changes the modes of {part.name!r} at once: modes of equal or nearly equal frequencies "
                    "change places, and the run has no derivative by it",
                    hint="choose another number of modes, or a value at which frequencies differ",
                )


def with_mass_range(method: Method) -> Method:
    """The same method, with corrections of q that are functions of the state."""
    if not method.closure.keep_position:
        return method
    return replace(
        method,
        closure=replace(method.closure, mass_range=True),
        first_closure=replace(method.first_closure, mass_range=method.first_closure.keep_position),
    )


def rotations_of(system: System) -> tuple[IntArray, bool]:
    """Where rotation vectors are in v, and whether rotations are moved by the Cayley map."""
    system = without_contacts(system)
    if not isinstance(system, MechanismSystem):
        return np.zeros(0, dtype=np.int64), False
    layout = system.layout
    first = [layout.first_v[k] + 3 for k, body in enumerate(layout.bodies) if body.kind == "spatial"]
    return np.array(first, dtype=np.int64), layout.cayley

"""How constraints enter a step."""

from isodyn.formulations.policies import (
    GGL,
    AccelerationLevel,
    Baumgarte,
    Formulation,
    Overdetermined,
    PositionLevel,
    Projection,
    Stabilised,
    VelocityLevel,
)
from isodyn.formulations.transforms import Hamiltonian, Penalty

__all__ = [
    "GGL",
    "AccelerationLevel",
    "Baumgarte",
    "Formulation",
    "Hamiltonian",
    "Overdetermined",
    "Penalty",
    "PositionLevel",
    "Projection",
    "Stabilised",
    "VelocityLevel",
]

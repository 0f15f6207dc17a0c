"""How constraints enter a step."""

from isodyn.formulations.augmented import AugmentedMultipliers
from isodyn.formulations.closure import Closure
from isodyn.formulations.energy_momentum import EnergyMomentum
from isodyn.formulations.gauss import NullSpace, UdwadiaKalaba
from isodyn.formulations.partitioning import Partitioning
from isodyn.formulations.policies import (
    GGL,
    AccelerationLevel,
    Baumgarte,
    Overdetermined,
    Penalty,
    PositionLevel,
    Projection,
    Stabilised,
    VelocityLevel,
)
from isodyn.formulations.protocol import Facts, Formulation, formulation
from isodyn.formulations.transforms import Hamiltonian

__all__ = [
    "GGL",
    "AccelerationLevel",
    "AugmentedMultipliers",
    "Baumgarte",
    "Closure",
    "EnergyMomentum",
    "Facts",
    "Formulation",
    "Hamiltonian",
    "NullSpace",
    "Overdetermined",
    "Partitioning",
    "Penalty",
    "PositionLevel",
    "Projection",
    "Stabilised",
    "UdwadiaKalaba",
    "VelocityLevel",
    "formulation",
]

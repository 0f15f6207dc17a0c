"""How constraints enter a step."""

from isodyn.formulations.gauss import NullSpace, UdwadiaKalaba
from isodyn.formulations.policies import (
    GGL,
    AccelerationLevel,
    Baumgarte,
    Formulation,
    Overdetermined,
    Penalty,
    PositionLevel,
    Projection,
    Stabilised,
    VelocityLevel,
)
from isodyn.formulations.transforms import Hamiltonian
from isodyn.stored import stored_with_runs

__all__ = [
    "GGL",
    "AccelerationLevel",
    "Baumgarte",
    "Formulation",
    "Hamiltonian",
    "NullSpace",
    "Overdetermined",
    "Penalty",
    "PositionLevel",
    "Projection",
    "Stabilised",
    "UdwadiaKalaba",
    "VelocityLevel",
]

for _name in __all__:
    if isinstance(globals()[_name], type):
        stored_with_runs(globals()[_name])

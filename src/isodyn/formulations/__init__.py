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

__all__ = [
    "GGL",
    "AccelerationLevel",
    "Baumgarte",
    "Formulation",
    "Overdetermined",
    "PositionLevel",
    "Projection",
    "Stabilised",
    "VelocityLevel",
]

"""Questions to a mechanical system that need no time steps: equilibria, small motions about them, forces of a given motion."""

from isodyn.analyses.driven import kinematics
from isodyn.analyses.inverse import InverseDynamics, inverse_dynamics
from isodyn.analyses.linearisation import FrequencyResponse, Linearisation, linearise
from isodyn.analyses.statics import Equilibrium, equilibrium

__all__ = [
    "Equilibrium",
    "FrequencyResponse",
    "InverseDynamics",
    "Linearisation",
    "equilibrium",
    "inverse_dynamics",
    "kinematics",
    "linearise",
]

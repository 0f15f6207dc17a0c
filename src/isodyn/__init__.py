"""isodyn: constrained mechanical dynamics with isochronous time integration.

A pendulum in its angle, forced and damped, with a scheme that damps the highest frequencies to 0.8 per step:

>>> import numpy as np
>>> import isodyn as iso
>>> def Q(q, v, t):
...     return np.array([-9.81 * np.sin(q[0]) - 0.1 * v[0] + np.cos(2 * t)])
>>> system = iso.MechanicalSystem(M=np.eye(1), Q=Q, q0=[1.0], v0=[0.0])
>>> sol = iso.integrate(system, scheme=iso.Scheme.U0(0.8, 0.8, 0.8), dt=0.01, t_end=10.0)
>>> sol.q.shape, sol.stats.halvings
((1001, 1), 0)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isodyn import errors
from isodyn.errors import IsodynError
from isodyn.formulations import (
    GGL,
    AccelerationLevel,
    Baumgarte,
    Hamiltonian,
    NullSpace,
    Overdetermined,
    Penalty,
    PositionLevel,
    Projection,
    Stabilised,
    UdwadiaKalaba,
    VelocityLevel,
)
from isodyn.friction import FrictionSolution, integrate_with_friction
from isodyn.integrate import Newton, integrate, integrate_adaptive
from isodyn.results import Solution
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.systems import (
    CompiledSystem,
    FirstOrderSystem,
    LinearFirstOrderSystem,
    LinearSystem,
    MechanicalSystem,
)
from isodyn.systems.damping import modal_damping, rayleigh, rayleigh_from_ratios
from isodyn.systems.loads import base_excitation, harmonic, step_load, tabulated

if TYPE_CHECKING:
    from isodyn import analysis, gauss, problems

__version__ = "0.1.0.dev0"

__all__ = [
    "GGL",
    "AccelerationLevel",
    "Baumgarte",
    "CompiledSystem",
    "FirstOrderScheme",
    "FirstOrderSystem",
    "FrictionSolution",
    "Hamiltonian",
    "IsodynError",
    "LinearFirstOrderSystem",
    "LinearSystem",
    "MechanicalSystem",
    "Newton",
    "NullSpace",
    "Overdetermined",
    "Penalty",
    "PositionLevel",
    "Projection",
    "Scheme",
    "Solution",
    "Stabilised",
    "UdwadiaKalaba",
    "VelocityLevel",
    "analysis",
    "base_excitation",
    "errors",
    "gauss",
    "harmonic",
    "integrate",
    "integrate_adaptive",
    "integrate_with_friction",
    "modal_damping",
    "problems",
    "rayleigh",
    "rayleigh_from_ratios",
    "step_load",
    "tabulated",
]


def __getattr__(name: str) -> Any:
    """Load `analysis`, `gauss` and `problems` when they are first asked for, which keeps the first import short."""
    if name in ("analysis", "gauss", "problems"):
        return import_module(f"isodyn.{name}")
    raise AttributeError(f"module 'isodyn' has no attribute {name!r}")

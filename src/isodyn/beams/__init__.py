"""Beams and cables in absolute nodal coordinates: positions and slopes of nodes [Shimada2014 §8.1].

>>> import isodyn as iso
>>> rod = iso.Beam([(0, 0), (14, 0)], elements=14, section=iso.Section(EA=1e4, EI=500.0, rhoA=0.7))
>>> rod.torque("end", 90.0, time=iso.Pulse(1.0, 0.0, 1.0))
>>> sol = iso.integrate(rod.compile(), scheme=iso.Scheme.midpoint_mpa(), dt=0.01, t_end=2.0, breakpoints=[1.0])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isodyn.analyses.load_path import LoadPath
    from isodyn.analyses.load_path import follow_loads as equilibrium
    from isodyn.beams.beam import Beam
    from isodyn.beams.section import Section
    from isodyn.beams.system import BeamEnergy, BeamSystem

__all__ = ["Beam", "BeamEnergy", "BeamSystem", "LoadPath", "Section", "equilibrium"]

_HOMES = {
    "Beam": ("isodyn.beams.beam", "Beam"),
    "BeamEnergy": ("isodyn.beams.system", "BeamEnergy"),
    "BeamSystem": ("isodyn.beams.system", "BeamSystem"),
    "LoadPath": ("isodyn.analyses.load_path", "LoadPath"),
    "Section": ("isodyn.beams.section", "Section"),
    "equilibrium": ("isodyn.analyses.load_path", "follow_loads"),
}


def __getattr__(name: str) -> Any:
    """Loaded when first asked for: a mechanism needs the elements, but not the model of a single beam."""
    if name not in _HOMES:
        raise AttributeError(f"module 'isodyn.beams' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)

"""Beams and cables in absolute nodal coordinates: positions and slopes of nodes [Shimada2014 §8.1].

>>> import isodyn as iso
>>> rod = iso.Beam([(0, 0), (14, 0)], elements=14, section=iso.Section(EA=1e4, EI=500.0, rhoA=0.7))
>>> rod.torque("end", 90.0, time=iso.Pulse(1.0, 0.0, 1.0))
>>> sol = iso.integrate(rod.compile(), scheme=iso.Scheme.midpoint_mpa(), dt=0.01, t_end=2.0, breakpoints=[1.0])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.later import names_from

if TYPE_CHECKING:
    from isodyn.beams.beam import Beam
    from isodyn.beams.section import Section
    from isodyn.beams.system import BeamEnergy, BeamSystem

__all__ = ["Beam", "BeamEnergy", "BeamSystem", "Section"]

_HOMES = {"Beam": "beam", "BeamEnergy": "system", "BeamSystem": "system", "Section": "section"}

__getattr__ = names_from(__name__, _HOMES)  # a mechanism needs elements, but no single beam

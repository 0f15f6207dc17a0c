"""Beams and cables in absolute nodal coordinates: positions and slopes of nodes [Shimada2014 §8.1].

>>> import isodyn as iso
>>> rod = iso.Beam([(0, 0), (14, 0)], elements=14, section=iso.Section(EA=1e4, EI=500.0, rhoA=0.7))
>>> rod.torque("end", 90.0, time=iso.Pulse(1.0, 0.0, 1.0))
>>> sol = iso.integrate(rod.compile(), scheme=iso.Scheme.midpoint_mpa(), dt=0.01, t_end=2.0, breakpoints=[1.0])
"""

from isodyn.beams.beam import Beam
from isodyn.beams.section import Section
from isodyn.beams.statics import LoadPath, equilibrium
from isodyn.beams.system import BeamEnergy, BeamSystem

__all__ = ["Beam", "BeamEnergy", "BeamSystem", "LoadPath", "Section", "equilibrium"]

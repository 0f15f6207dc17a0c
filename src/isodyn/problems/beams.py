"""Beams by themselves: the flying rod, the elastica, the roll-up into a circle, a very flexible
pendulum.

flying_rod          Ex. 8.1.1: a free rod of 14 m, EA = 1e4 N, EI = 500 N m², with a torque and a force at its end for one second
elastica            a cantilever whose tip load grows to P L²/EI = 5 and which then comes to rest: exact curve by elliptic integrals
roll_up             a cantilever whose tip torque grows to 2π EI/L: it comes to rest as a circle
flexible_pendulum   a steel strip of 1 m × 10 mm × 1 mm, hinged at one end, released from the horizontal
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.beams import Beam, Section
from isodyn.errors import InputError
from isodyn.expressions.time import Pulse, Ramp
from isodyn.kernels.compiled import FloatArray
from isodyn.problems import data
from isodyn.problems.problem import Problem, Reference
from isodyn.results import Solution
from isodyn.schemes import Scheme

if TYPE_CHECKING:
    from isodyn.beams.system import BeamSystem

GRAVITY = 9.81


def whole(name: str, value: float) -> int:
    """A number of elements."""
    if value != round(value) or value < 1:
        raise InputError(f"{name} must be a positive whole number, received {value:g}")
    return round(value)


def tabulated(name: str) -> Reference:
    """Reference numbers of this file's problems, for their default parameters."""
    found: dict[str, Any] = data.load("beams.json")[name]
    t, q, v = (np.array(found[key], dtype=np.float64) for key in ("t", "q", "v"))
    return Reference(t, q, v, found["source"], found["trust"])


def flying_rod(elements: float) -> BeamSystem:
    """[Shimada2014 Ex. 8.1.1] with the simplified strain energy; the load ends with a jump:
    breakpoints=[1.0]."""
    line = [(0.0, 0.0), (14.0, 0.0)]
    rod = Beam(line, elements=whole("elements", elements), section=Section(EA=1e4, EI=500.0, rhoA=0.7))
    rod.torque("end", 90.0, time=Pulse(1.0, 0.0, 1.0))
    rod.force("end", (5.0, 5.0), time=Pulse(1.0, 0.0, 1.0))
    return rod.compile()


def damped_cantilever(elements: float) -> Beam:
    """Of unit length, bending stiffness and mass; internal damping brings it to rest as quickly as
    can be."""
    section = Section(EA=1e6, EI=1.0, rhoA=1.0, damping=0.5)
    beam = Beam([(0.0, 0.0), (1.0, 0.0)], elements=whole("elements", elements), section=section)
    beam.clamp("start")
    return beam


def elastica(elements: float, load: float) -> BeamSystem:
    """A dead load across the tip, in units of EI/L²."""
    beam = damped_cantilever(elements)
    beam.force("end", (0.0, load), time=Ramp(0.0, 1.0, 0.0, 2.0))
    system: BeamSystem = beam.compile()
    return system


def roll_up(elements: float, turns: float) -> BeamSystem:
    """A torque at the tip that bends the beam to this many circles."""
    beam = damped_cantilever(elements)
    beam.torque("end", 2 * np.pi * turns, time=Ramp(0.0, 1.0, 0.0, 2.0))
    system: BeamSystem = beam.compile()
    return system


def circle(elements: int) -> FloatArray:
    """Positions and slopes of nodes on a circle of unit circumference."""
    s = np.linspace(0.0, 2 * np.pi, elements + 1)
    return np.stack([np.sin(s) / (2 * np.pi), (1 - np.cos(s)) / (2 * np.pi), np.cos(s), np.sin(s)], axis=1).ravel()


def flexible_pendulum(elements: float) -> BeamSystem:
    """E = 2.07e11 N/m², 7800 kg/m³."""
    section = Section.rectangle(E=2.07e11, rho=7800.0, width=0.01, height=0.001)
    strip = Beam(
        [(0.0, 0.0), (1.0, 0.0)], elements=whole("elements", elements), section=section, gravity=(0.0, -GRAVITY)
    )
    strip.hinge("start")
    return strip.compile()


def energy(sol: Solution) -> dict[str, FloatArray]:
    """Energy; of the flying rod after its load."""
    T, V = sol.energy()
    return {"energy": T + V}


FLYING_ROD = Problem(
    name="flying_rod",
    title="free rod of absolute nodal coordinates with a torque and a force for one second",
    source="Shimada, Example 8.1.1, with I = 5e-6 m⁴",
    citation="Shimada2014",
    build=flying_rod,
    scheme=Scheme.midpoint_epa(),
    dt=0.01,
    t_end=5.0,
    t_order=0.5,
    parameters=MappingProxyType({"elements": 14.0}),
    reference=tabulated("flying_rod"),
    plane=((0, 1), (56, 57)),
    units=("s", "m"),
    breakpoints=(1.0,),
)
ELASTICA = Problem(
    name="elastica",
    title="cantilever that comes to rest under a large tip load",
    source="closed form by elliptic integrals",
    build=elastica,
    scheme=Scheme.optimal(0.0),
    dt=0.02,
    t_end=20.0,
    t_order=2e-3,
    parameters=MappingProxyType({"elements": 16.0, "load": 5.0}),
    reference=tabulated("elastica"),
    plane=((64, 65),),
    units=("s", "m"),
)
ROLL_UP = Problem(
    name="roll_up",
    title="cantilever that comes to rest as a circle under a tip torque",
    source="closed form: the torque 2π EI/L",
    build=roll_up,
    scheme=Scheme.optimal(0.0),
    dt=0.02,
    t_end=20.0,
    t_order=2e-3,
    parameters=MappingProxyType({"elements": 32.0, "turns": 1.0}),
    reference=Reference(
        np.array([20.0]),
        circle(32)[None],
        np.zeros((1, 132)),
        "circle of circumference L",
        "exact for a beam that does not stretch; 32 elements are 4e-2 away from its slopes, second order in their length",
    ),
    plane=((128, 129),),
    units=("s", "m"),
)
FLEXIBLE_PENDULUM = Problem(
    name="flexible_pendulum",
    title="swinging steel strip, hinged at one end",
    source="strip of 1 m × 10 mm × 1 mm, a common benchmark of beam codes",
    build=flexible_pendulum,
    scheme=Scheme.U0(0.9, 0.9, 0.9),
    dt=0.001,
    t_end=1.0,
    t_order=2e-4,
    parameters=MappingProxyType({"elements": 8.0}),
    reference=tabulated("flexible_pendulum"),
    conserved=energy,
    plane=((32, 33),),
    units=("s", "m"),
)

"""Beams between rigid bodies: a slider–crank with a flexible rod, and an arm, a beam and a bob on
hinges.

flexible_slider_crank   masses, lengths and section of the test set's problem Crank: rigid crank driven at Ω = 150 rad/s, steel rod of
                        0.3 m × 8 mm × 8 mm, slider. The rod starts with the bending and stretching
                        of that problem's smooth start, v = v₁ sin(πx/ℓ) + v₂ sin(2πx/ℓ) across and
                        u = 4u₁ξ(1 − ξ) + u₂ξ(2ξ − 1) along it.
beam_and_bodies         falling from the horizontal: a rigid arm on a hinge, a soft beam hinged to it, a bob hinged to the beam;
                        with stop = 2000, say, the arm swings against a stiff stop
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from isodyn.beams import Section
from isodyn.expressions.time import Polynomial
from isodyn.joints import Drive, Hinge, Prismatic
from isodyn.loads import JointLimit
from isodyn.mechanism.mechanism import Mechanism
from isodyn.problems.beams import GRAVITY, energy, tabulated, whole
from isodyn.problems.problem import Problem
from isodyn.problems.slider_crank import INERTIAS, LENGTHS, MASSES
from isodyn.schemes import Scheme

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem

STOP = -1.0  # angle of the arm
SIDE, DENSITY, E_MODULUS = 0.008, 7870.0, 2e11
# of the middle and of the end of the rod, smooth start of the test set
STRETCH = (0.103339863e-4, 0.169327969e-4)
BENDING = (0.444896105, 0.463434311e-2)  # rates of the two sines


def flexible_slider_crank(elements: float, omega: float, damping: float) -> MechanismSystem:
    """Without gravity; crank and rod begin on the line of the slider. `damping` is the time of
    Kelvin and Voigt."""
    n = whole("elements", elements)
    crank, rod = LENGTHS
    section = Section.rectangle(E=E_MODULUS, rho=DENSITY, width=SIDE, height=SIDE, damping=damping)
    mech = Mechanism(gravity=(0.0, 0.0, 0.0))
    tip = omega * crank
    mech.add_beam(
        "rod",
        (crank, 0.0),
        (crank + rod, 0.0),
        elements=n,
        section=section,
        velocity=(0, tip),
        angular_velocity=-tip / rod,
    )
    mech.add_body(
        "crank", MASSES[0], INERTIAS[0], (crank / 2, 0), velocity=(0, tip / 2), angular_velocity=omega, kind="planar"
    )
    mech.add_body("slider", MASSES[2], 1e-5, (crank + rod, 0.0), kind="planar")
    mech.add_joint(Hinge("bearing", "ground", "crank", point=(0, 0, 0)))
    mech.add_joint(Hinge("crank pin", "crank", "rod.start"))
    mech.add_joint(Hinge("wrist pin", "rod.end", "slider"))
    mech.add_joint(Prismatic("guide", "ground", "slider", point=(crank + rod, 0, 0), axis=(1, 0, 0)))
    mech.add_joint(Drive("motor", "bearing", Polynomial(0.0, omega)))
    return _bent(mech.compile(), omega / 150.0)


def _bent(system: MechanismSystem, scale: float) -> MechanismSystem:
    """The rod with the stretching and the rate of bending of the smooth start; they grow with Ω²
    and Ω."""
    rod, last = LENGTHS[1], system.v_of("rod.end").stop
    q, v = system.q0.copy(), system.v0.copy()
    x = np.linspace(0.0, 1.0, last // 4)
    u_1, u_2 = (scale**2 * u for u in STRETCH)
    v_1, v_2 = (scale * u for u in BENDING)
    q[0:last:4] += 4 * u_1 * x * (1 - x) + u_2 * x * (2 * x - 1)
    q[2:last:4] += (4 * u_1 * (1 - 2 * x) + u_2 * (4 * x - 1)) / rod
    v[1:last:4] += v_1 * np.sin(np.pi * x) + v_2 * np.sin(2 * np.pi * x)
    v[3:last:4] += np.pi / rod * (v_1 * np.cos(np.pi * x) + 2 * v_2 * np.cos(2 * np.pi * x))
    q[system.q_of("slider").start] += u_2
    return replace(system, q0=q, v0=v)


def beam_and_bodies(elements: float, damping: float, stop: float) -> MechanismSystem:
    """Arm 0.5 m, beam 1 m, bob 0.3 kg. `damping` is the time of Kelvin and Voigt; `stop` is the
    stiffness, in N m/rad, of a stop below the horizontal that the arm meets, of which damping is a
    thousandth."""
    mech = Mechanism(gravity=(0.0, -GRAVITY, 0.0))
    section = Section(EA=300.0, EI=0.2, rhoA=0.4, damping=damping)
    mech.add_beam("beam", (0.5, 0.0), (1.5, 0.0), elements=whole("elements", elements), section=section)
    mech.add_body("arm", 0.5, 0.5 * 0.5**2 / 12, (0.25, 0.0), kind="planar")
    mech.add_body("bob", 0.3, 2e-3, (1.6, 0.0), kind="planar")
    mech.add_joint(Hinge("shoulder", "ground", "arm", point=(0, 0, 0)))
    mech.add_joint(Hinge("elbow", "arm", "beam.start"))
    mech.add_joint(Hinge("wrist", "beam.end", "bob"))
    if stop > 0.0:
        mech.add_load(JointLimit("stop", "shoulder", STOP, 2.0 * np.pi, stiffness=stop, damping=1e-3 * stop))
    return mech.compile()


FLEXIBLE_SLIDER_CRANK = Problem(
    name="flexible_slider_crank",
    title="slider–crank at 150 rad/s with a flexible rod",
    source="data of the Test Set for IVP Solvers, problem Crank; the rod as a beam of absolute nodal coordinates",
    build=flexible_slider_crank,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=1e-4,
    t_end=0.1,
    t_order=1e-4,
    parameters=MappingProxyType({"elements": 8.0, "omega": 150.0, "damping": 0.0}),
    reference=tabulated("flexible_slider_crank"),
    plane=((16, 17), (39, 40)),
    units=("s", "m, rad"),
)
BEAM_AND_BODIES = Problem(
    name="beam_and_bodies",
    title="falling chain of a rigid arm, a soft beam and a bob",
    source="numbers of this collection",
    build=beam_and_bodies,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.002,
    t_end=1.0,
    t_order=0.02,
    parameters=MappingProxyType({"elements": 6.0, "damping": 0.0, "stop": 0.0}),
    reference=tabulated("beam_and_bodies"),
    conserved=energy,
    plane=((0, 1), (24, 25), (31, 32)),
    units=("s", "m, rad"),
)

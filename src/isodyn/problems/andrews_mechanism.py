"""Andrews' squeezing mechanism as a mechanism: seven planar bodies, ten hinges, a spring, a motor.

The bodies are those of `isodyn.problems.andrews21`, in the same order, with the same coordinates
(x_i, y_i, angle from the ground). Here they have names; the Test Set calls them K1 to K7.

    crank (K1)            on the crank bearing O, driven by the motor
    rod (K2)              from the crank pin F to the point E, where four bodies meet
    plate (K3)            a triangle on the bearing B, held by the spring
    upper link (K4), upper arm (K5)     from E over the knee K to the bearing A
    lower link (K6), lower arm (K7)     from E over the knee H to the bearing A
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.joints import Hinge
from isodyn.loads import Motor, Spring
from isodyn.mechanism.mechanism import Mechanism
from isodyn.problems import andrews as seven
from isodyn.problems import andrews21
from isodyn.problems.problem import Problem, Reference
from isodyn.schemes import Scheme

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem


BODIES = ("crank", "rod", "plate", "upper link", "upper arm", "lower link", "lower arm")


def build() -> MechanismSystem:
    """At rest."""
    q = andrews21.from_seven(seven.start()).reshape(7, 3)
    beta, theta, gamma, _, delta, _, epsilon = q[:, 2]
    A, B = np.array([seven.XA, seven.YA]), np.array([seven.XB, seven.YB])
    F = seven.RR * np.array([np.cos(beta), np.sin(beta)])
    E = F - seven.D * np.array([np.cos(theta), np.sin(theta)])
    c, s = np.cos(gamma), np.sin(gamma)
    D = B + np.array([seven.SD * c + seven.SC * s, seven.SD * s - seven.SC * c])
    K = A + seven.ZT * np.array([np.cos(delta), np.sin(delta)])
    H = A + seven.U * np.array([np.sin(epsilon), -np.cos(epsilon)])
    mech = Mechanism(gravity=(0.0, 0.0, 0.0))
    for name, m, J, (x, y, angle) in zip(BODIES, seven.MASSES, seven.INERTIAS, q, strict=True):
        mech.add_body(name, m, J, (x, y), float(angle), kind="planar")
    for name, first, second, point in (
        ("crank bearing", "ground", "crank", np.zeros(2)),
        ("crank pin", "crank", "rod", F),
        ("plate bearing", "ground", "plate", B),
        ("upper bearing", "ground", "upper arm", A),
        ("upper knee", "upper arm", "upper link", K),
        ("lower bearing", "ground", "lower arm", A),
        ("lower knee", "lower arm", "lower link", H),
        ("plate pin", "rod", "plate", E),
        ("upper pin", "rod", "upper link", E),
        ("lower pin", "rod", "lower link", E),
    ):
        mech.add_joint(Hinge(name, first, second, point=point))
    mech.add_load(Motor("motor", "crank bearing", torque=seven.TORQUE))
    mech.add_load(Spring("spring", "ground", "plate", ((seven.XC, seven.YC), D), seven.C0, rest=seven.L0))
    return mech.compile()


def reference() -> Reference:
    """That of the 21 coordinates: they are the same."""
    return andrews21.reference()


PROBLEM = Problem(
    name="andrews_mechanism",
    title="Andrews' squeezing mechanism as seven planar bodies and ten hinges",
    source="Test Set for IVP Solvers, problem Andrews; Example 3.5.1 [Shimada2014 (Ex. 3.5.1)]",
    citation="Shimada2014",
    build=build,
    scheme=Scheme.V0(1.0, 1.0, 0.0),
    dt=5e-6,
    t_end=0.03,
    t_order=0.004,
    reference=reference(),
    units=("s", "m, rad"),
)

"""Andrews' squeezing mechanism as a mechanism: seven planar bodies, ten hinges, a spring, a motor.

The bodies are those of `isodyn.problems.andrews21`, in the same order, with the same coordinates
(x_i, y_i, angle from the ground).
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
    for i, (m, J, (x, y, angle)) in enumerate(zip(seven.MASSES, seven.INERTIAS, q, strict=True)):
        mech.add_body(f"K{i + 1}", m, J, (x, y), float(angle), kind="planar")
    for name, first, second, point in (
        ("O", "ground", "K1", np.zeros(2)),
        ("F", "K1", "K2", F),
        ("B", "ground", "K3", B),
        ("A5", "ground", "K5", A),
        ("K", "K5", "K4", K),
        ("A7", "ground", "K7", A),
        ("H", "K7", "K6", H),
        ("E3", "K2", "K3", E),
        ("E4", "K2", "K4", E),
        ("E6", "K2", "K6", E),
    ):
        mech.add_joint(Hinge(name, first, second, point=point))
    mech.add_load(Motor("motor", "O", torque=seven.TORQUE))
    mech.add_load(Spring("spring", "ground", "K3", ((seven.XC, seven.YC), D), seven.C0, rest=seven.L0))
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

"""Chains of N equal rods that hang from the ground and swing: planar bodies, or spatial ones with
hinges across and across again.

The planar chain in absolute angles θ_i from the vertical, links of mass m and length ℓ, n_ij of
them beyond both i and j, obeys

    Σ_j w_ij (cos(θ_i − θ_j) θ_j'' + sin(θ_i − θ_j) θ_j'²) = −m g ℓ (n_ii + ½) sin θ_i,     w_ij = m ℓ² (n_ij + ½),  w_ii = m ℓ² (n_ii + ⅓)

(`planar_acceleration`), a minimal model to compare with.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.joints import Hinge
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.mechanism import Mechanism
from isodyn.problems.problem import Problem
from isodyn.problems.quadratic_rows import conserved
from isodyn.schemes import Scheme

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem

MASS, LENGTH, G = 0.2, 0.25, 9.81


def links(n: float) -> int:
    if n < 1 or n != int(n):
        raise InputError(f"n must be a whole number of links, received {n!r}")
    return int(n)


def planar_chain(n: float, angle: float) -> MechanismSystem:
    """At rest, straight, `angle` from the vertical."""
    mech, before = Mechanism(gravity=(0.0, -G, 0.0)), "ground"
    along = LENGTH * np.array([np.sin(angle), -np.cos(angle), 0.0])
    for i in range(links(n)):
        name = f"link {i + 1}"
        mech.add_body(name, MASS, MASS * LENGTH**2 / 12, (i + 0.5) * along, angle, kind="planar")
        mech.add_joint(Hinge(f"pin {i + 1}", before, name, point=i * along))
        before = name
    return mech.compile()


def planar_acceleration(theta: FloatArray, rate: FloatArray) -> FloatArray:
    """θ'' of the planar chain by Lagrange's equations in its angles."""
    n = theta.size
    beyond = np.array([[n - 1 - max(i, j) for j in range(n)] for i in range(n)], dtype=float)
    weight = MASS * LENGTH**2 * (beyond + np.where(np.eye(n) > 0, 1 / 3, 0.5))
    apart = theta[:, None] - theta[None, :]
    torque = -MASS * G * LENGTH * (np.arange(n)[::-1] + 0.5) * np.sin(theta)
    return np.asarray(np.linalg.solve(weight * np.cos(apart), torque - (weight * np.sin(apart)) @ rate**2))


def spatial_chain(n: float, sag: float) -> MechanismSystem:
    """At rest, level, turned by `sag` about the vertical from link to link; hinges about y and z of
    the links by turns."""
    mech, before, P = Mechanism(gravity=(0.0, 0.0, -G)), "ground", np.zeros(3)
    J = MASS * LENGTH**2 / 12
    for i in range(links(n)):
        c, s = np.cos(i * sag), np.sin(i * sag)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        name, half = f"link {i + 1}", 0.5 * LENGTH * R[:, 0]
        mech.add_body(name, MASS, (0.1 * J, J, J), P + half, R)
        mech.add_joint(Hinge(f"pin {i + 1}", before, name, point=P, axis=R[:, 1] if i % 2 == 0 else R[:, 2]))
        before, P = name, P + 2 * half
    return mech.compile()


PLANAR_CHAIN = Problem(
    name="planar_chain",
    title="hanging chain of planar links",
    source="textbook",
    build=planar_chain,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.001,
    t_end=2.0,
    t_order=0.3,
    parameters=MappingProxyType({"n": 5.0, "angle": 1.2}),
    conserved=conserved,
    plane=((0, 1), (3, 4), (6, 7)),
    units=("s", "m, rad"),
)
SPATIAL_CHAIN = Problem(
    name="spatial_chain",
    title="chain of spatial links with hinges across each other",
    source="textbook",
    build=spatial_chain,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.001,
    t_end=1.0,
    t_order=0.2,
    parameters=MappingProxyType({"n": 4.0, "sag": 0.4}),
    conserved=conserved,
    units=("s", "m, –"),
)

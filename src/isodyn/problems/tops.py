"""Bodies that spin: a top on its tip, a gyroscope in gimbals, a body that nothing holds.

A heavy top with one point fixed, symmetric about its axis, has two cyclic angles. With A about the
tip and C about the axis,

    L_z = A φ̇ sin²θ + C ω₃ cos θ,    C ω₃,    E = ½A(θ̇² + φ̇² sin²θ) + ½C ω₃² + m g ℓ cos θ

are constant, so that u = cos θ moves between two roots u₁, u₂ of a cubic (u₃ is the third) by an
elliptic function of time,

    u̇² = (2E' − 2mgℓu)(1 − u²)/A − ((L_z − Cω₃u)/A)²,     nutation period 4K(m)/√(2mgℓ(u₃ − u₁)/A),   m = (u₂ − u₁)/(u₃ − u₁)

with E' = E − ½Cω₃². A rotor in gimbals precesses steadily when (A' − C') φ̇² cos θ − C ψ̇ φ̇ + m g
ℓ = 0, where A', C' count the inner frame too. A body that nothing holds keeps its angular momentum
in space, and ω moves by elliptic functions.
"""

from __future__ import annotations

from math import cos, pi, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from isodyn.bodies.angles import EULER_313
from isodyn.joints import Hinge, Spherical
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.mechanism import Mechanism
from isodyn.problems.problem import Problem
from isodyn.results import Solution
from isodyn.schemes import Scheme

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem

# ---- the top of Example 3.5.3: the source gives no masses; here it is a solid cone on its tip
MASS, RADIUS, HEIGHT = 1.0, 0.06, 0.1
CENTRE = 0.75 * HEIGHT  # from the tip
AXIAL = 0.3 * MASS * RADIUS**2
ACROSS = MASS * (0.15 * RADIUS**2 + 0.0375 * HEIGHT**2)  # about the mass centre


def spinning_top(theta: float, precession: float, spin: float) -> MechanismSystem:
    """The cone, its tip held at the origin."""
    angles = (0.0, theta, 0.0)
    R, w = (
        EULER_313.matrix(angles),
        EULER_313.body_velocity(angles, (precession, 0.0, spin)),
    )  # [Shimada2014 (3.221) adapted]
    centre = R[:, 2] * CENTRE
    mech = Mechanism(gravity=(0.0, 0.0, -9.81))
    mech.add_body("top", MASS, (ACROSS, ACROSS, AXIAL), centre, R, velocity=np.cross(R @ w, centre), angular_velocity=w)
    mech.add_joint(Spherical("tip", "ground", "top", point=(0.0, 0.0, 0.0)))
    return mech.compile()


def kept_by_top(sol: Solution) -> dict[str, FloatArray]:
    """Energy, spin and the vertical angular momentum."""
    kinetic, potential = sol.energy()
    return {
        "energy": kinetic + potential,
        "spin": sol.body("top").angular_velocity[:, 2],
        "angular momentum z": sol.momentum()[1][:, 2],
    }


# ---- a gyroscope in gimbals

ROTOR = (0.0008, 0.0008, 0.0015)  # across, across, axial
INNER, OUTER = (0.0003, 0.0004, 0.0003), (0.0006, 0.0006, 0.0005)
# mass of the rotor, and how far along its axis it sits from the crossing of the axes
WEIGHT, ARM = 0.4, 0.04


def steady_precession(tilt: float, spin: float) -> float:
    """The slow φ̇ that keeps the tilt; `spin` is the rate of the rotor against the inner frame.

    Lagrange's equation of θ with θ̇ = 0, a quadratic in φ̇.
    """
    # sin²θ φ̇²: rotor and inner frame across their axis
    across = ROTOR[0] + WEIGHT * ARM**2 + INNER[1]
    axial = ROTOR[2] + INNER[2]  # cos²θ φ̇²
    a, b, c = (across - axial) * cos(tilt), -ROTOR[2] * spin, WEIGHT * 9.81 * ARM
    root = b * b - 4.0 * a * c
    return (-b - sqrt(root)) / (2.0 * a) if a != 0.0 else -c / b


def gyroscope(tilt: float, spin: float, push: float) -> MechanismSystem:
    """Outer frame about z, inner frame about its x axis, rotor about the inner z axis; `push`
    multiplies the steady precession."""
    precession = push * steady_precession(tilt, spin)
    R = EULER_313.matrix((0.0, tilt, 0.0))
    frame = R.T @ np.array([0.0, 0.0, precession])
    centre = R[:, 2] * ARM
    mech = Mechanism(gravity=(0.0, 0.0, -9.81))
    mech.add_body("outer", 0.2, OUTER, angular_velocity=(0.0, 0.0, precession))
    mech.add_body("inner", 0.1, INNER, orientation=R, angular_velocity=frame)
    velocity = np.cross([0.0, 0.0, precession], centre)
    mech.add_body("rotor", WEIGHT, ROTOR, centre, R, velocity, frame + np.array([0.0, 0.0, spin]))
    mech.add_joint(Hinge("stand", "ground", "outer", axis=(0.0, 0.0, 1.0)))
    mech.add_joint(Hinge("tilt", "outer", "inner", axis=(1.0, 0.0, 0.0)))
    mech.add_joint(Hinge("axle", "inner", "rotor", axis=R[:, 2]))
    return mech.compile()


def kept_by_gyroscope(sol: Solution) -> dict[str, FloatArray]:
    """Energy, spin of the rotor in space and the vertical angular momentum."""
    kinetic, potential = sol.energy()
    return {
        "energy": kinetic + potential,
        "spin": sol.body("rotor").angular_velocity[:, 2],
        "angular momentum z": sol.momentum()[1][:, 2],
    }


# ---- a free body

MOMENTS = (1.0, 2.0, 3.0)


def free_body(rate: float, nudge: float, cayley: float) -> MechanismSystem:
    """Turning about its middle axis, which is unstable, nudged off it: it turns over again and
    again."""
    mech = Mechanism(gravity=(0.0, 0.0, 0.0), cayley=bool(cayley))
    mech.add_body("body", 1.0, MOMENTS, angular_velocity=(nudge, rate, 0.0))
    return mech.compile()


def kept_by_free_body(sol: Solution) -> dict[str, FloatArray]:
    """Energy and angular momentum."""
    momentum = sol.momentum()[1]
    kept = {f"angular momentum {axis}": momentum[:, i] for i, axis in enumerate("xyz")}
    return {"energy": sum(sol.energy()), **kept}  # type: ignore[dict-item]


SPINNING_TOP = Problem(
    name="spinning_top",
    title="solid cone spinning on its tip",
    source="Example 3.5.3 [Shimada2014 (Ex. 3.5.3)]; the masses, not given there, are those of a solid cone",
    citation="Shimada2014",
    build=spinning_top,
    scheme=Scheme.optimal(0.0),
    dt=0.002,
    t_end=3.0,
    t_order=0.1,
    parameters=MappingProxyType({"theta": pi / 8, "precession": 2 * pi, "spin": 40 * pi}),
    conserved=kept_by_top,
    plane=((0, 1),),
    units=("s", "m, –"),
)
GYROSCOPE = Problem(
    name="gyroscope",
    title="heavy rotor in two gimbals, precessing steadily",
    source="textbook; masses of a table-top demonstration",
    build=gyroscope,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.002,
    t_end=2.0,
    t_order=0.1,
    parameters=MappingProxyType({"tilt": 1.1, "spin": 150.0, "push": 1.0}),
    conserved=kept_by_gyroscope,
    units=("s", "m, –"),
)
FREE_BODY = Problem(
    name="free_body",
    title="free rigid body that turns over (Dzhanibekov)",
    source="Euler's equations; moments 1, 2, 3",
    build=free_body,
    scheme=Scheme.V0(1.0, 1.0, 0.0),
    dt=0.01,
    t_end=20.0,
    t_order=2.0,
    parameters=MappingProxyType({"rate": 2.0, "nudge": 0.02, "cayley": 1.0}),
    conserved=kept_by_free_body,
    units=("s", "m, –"),
)

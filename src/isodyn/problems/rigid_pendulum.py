"""A rigid body hung from a pin, in the position of its centre of mass and its angle.

    q = (x, y, θ),   M = diag(m, m, I),   Q = (0, −m g, 0),     φ = (x − L cos θ,  y − L sin θ)
    G = [1 0 L sin θ; 0 1 −L cos θ],   b = −L θ'² (cos θ, sin θ)                                     [Pennestri2008 §8]

The one freedom is the angle ϑ = θ + ½π from the vertical, (I + m L²) ϑ'' = −m g L sin ϑ: exact by
elliptic functions, with the reaction of the pin λ = (−m x'', −m (y'' + g)).
"""

from __future__ import annotations

import math
from types import MappingProxyType

import numpy as np

from isodyn.kernels.compiled import CONSTANT_MASS, KNOWS_LEVELS, KNOWS_MASS, KNOWS_TANGENT, FloatArray
from isodyn.problems.pendulum import GRAVITY as STANDARD
from isodyn.problems.pendulum import angle, on_circle
from isodyn.problems.problem import Motion, Problem
from isodyn.problems.quadratic_rows import conserved
from isodyn.problems.trigonometric_rows import Table, model
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem
from isodyn.systems.energies import of_masses


def build(m: float, inertia: float, length: float, gravity: float, theta0: float, rate0: float) -> CompiledSystem:
    """Started at the angle theta0 of q with the rate rate0."""
    mass, forces = np.array([m, m, inertia]), np.array([0.0, -m * gravity, 0.0])
    rows = Table(3)
    rows.vectors((0.0, 0.0), {2: (length, 0.0)}, 0)
    q0, v0, _ = _whole(length, np.array(theta0), np.array(rate0), np.array(0.0))

    return CompiledSystem(
        model,
        CONSTANT_MASS | KNOWS_LEVELS | KNOWS_MASS | KNOWS_TANGENT,
        q0,
        v0,
        tables=rows.tables(mass, forces),
        scratch=rows.scratch(),
        energy=of_masses(mass, forces),
        names=("x", "y", "theta"),
        m=2,
        m_phi=2,
        row_names=("pin x", "pin y"),
    )


def motion(
    t: FloatArray, m: float, inertia: float, length: float, gravity: float, theta0: float, rate0: float
) -> Motion | None:
    """By elliptic functions; None for a pendulum that turns over, and without gravity downward."""
    if gravity <= 0.0:
        return None
    # of a point with the same period
    reduced = STANDARD * (inertia + m * length**2) / (m * gravity * length)
    found = angle(t, reduced, theta0 + 0.5 * math.pi, rate0)
    if found is None:
        return None
    swing, rate, second = found
    q, v, a = _whole(length, swing - 0.5 * math.pi, rate, second)
    lam = np.stack([-m * a[..., 0], -m * (a[..., 1] + gravity)], axis=-1)
    return Motion(q, v, a, lam)


def _whole(length: float, theta: FloatArray, rate: FloatArray, second: FloatArray) -> tuple[FloatArray, ...]:
    """q, v, a from the angle."""
    points = on_circle(length, theta + 0.5 * math.pi, rate, second)
    return tuple(
        np.concatenate([point, x[..., None]], axis=-1) for point, x in zip(points, (theta, rate, second), strict=True)
    )


PROBLEM = Problem(
    name="rigid_pendulum",
    title="rigid body on a pin, in three coordinates",
    source="example of the comparison of coordinate reductions, started at rest at −45° [Pennestri2008 §8]; exact by elliptic functions",
    citation="Pennestri2008",
    build=build,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.01,
    t_end=10.0,
    t_order=1.0,
    parameters=MappingProxyType(
        {"m": 10.0, "inertia": 0.1, "length": 0.5, "gravity": 9.8, "theta0": -0.25 * math.pi, "rate0": 0.0}
    ),
    positive=("m", "length"),
    motion=motion,
    conserved=conserved,
    plane=((0, 1),),
    units=("s", "m, rad"),
)

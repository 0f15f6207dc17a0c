"""Pendulums of points on rods, in Cartesian coordinates.

planar      m a + Gᵀλ = (0, −mg),     φ = ½(x² + y² − ℓ²),     G = (x, y),     tension of the rod λℓ
            exact: sin(θ/2) = k sn(ωt + u₀, k),  θ' = 2kω cn(ωt + u₀, k),
            k² = sin²(θ₀/2) + (θ₀'/2ω)²,  ω² = g/ℓ, λ = m (|v|² − g y)/ℓ²
spherical   the same in (x, y, z) with gravity along −z; the angular momentum about z is conserved too
double      a second point on a rod from the first, whose joint to the ground is entered once, twice or thrice: the copies are the
            first row times 2 and −½, so the rows are dependent everywhere. `copies` = 1 is the
            minimal model.
swing       a platform on two parallel arms, a planar loop entered with spatial rows: points B, C in space, A = 0 and D = (ℓ, 0, 0) fixed,

                ½(|B|² − r²),  ½(|C − D|² − r²),  ½(|C − B|² − ℓ²),  y_C − y_B,  z_B,  z_C − z_B,
                −z_C

            The rank is 5 of 7. One dependence holds everywhere (the last three rows add up to
            zero); the other one, row₂ − row₁ = (x_B/ℓ) row₃ + y_B row₄, only where C − B = (ℓ, 0,
            0), that is on the constraints, and with coefficients that change along the motion.
            `minimal` = 1 enters rows 1, 3, 4, 5 and z_C alone. B moves as a planar pendulum of
            length r.

All multipliers of the formulas are those of least norm.
"""

from __future__ import annotations

import math
from types import MappingProxyType

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import special
from isodyn.problems import quadratic_rows
from isodyn.problems.problem import Motion, Problem
from isodyn.problems.quadratic_rows import conserved, linear_row, rod
from isodyn.results import Solution
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem

GRAVITY = 9.81
WIDTH = 0.8  # of the platform


def angle(
    t: FloatArray, length: float, theta0: float, rate0: float
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """θ, θ', θ'' of a pendulum that swings; None for one that turns over."""
    omega = math.sqrt(GRAVITY / length)
    k2 = math.sin(0.5 * theta0) ** 2 + (0.5 * rate0 / omega) ** 2
    if not 0.0 < k2 < 1.0:
        return None
    k, sign = math.sqrt(k2), math.copysign(1.0, rate0)
    u0 = special.ellipkinc(math.asin(sign * math.sin(0.5 * theta0) / k), k2)
    sn, cn, _, _ = special.ellipj(omega * t + u0, k2)
    theta = sign * 2.0 * np.arcsin(k * sn)
    return theta, sign * 2.0 * k * omega * cn, -(omega**2) * np.sin(theta)


def on_circle(radius: float, theta: FloatArray, rate: FloatArray, second: FloatArray) -> tuple[FloatArray, ...]:
    """(x, y) = r (sin θ, −cos θ) with velocity and acceleration."""
    out = np.stack([np.sin(theta), -np.cos(theta)], axis=-1)
    along = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
    return (
        radius * out,
        radius * rate[..., None] * along,
        radius * (second[..., None] * along - rate[..., None] ** 2 * out),
    )


# ---- planar


def planar(m: float, length: float, theta0: float, rate0: float) -> CompiledSystem:
    """Started at the angle theta0 from the vertical with the rate rate0."""
    q0, v0, _ = on_circle(length, *(np.array(x) for x in (theta0, rate0, 0.0)))
    rows = [rod("rod", 2, (0, 1), np.zeros(2), length)]
    return quadratic_rows.build(np.full(2, m), np.array([0.0, -m * GRAVITY]), rows, q0, v0, ("x", "y"))


def planar_motion(t: FloatArray, m: float, length: float, theta0: float, rate0: float) -> Motion | None:
    """By elliptic functions."""
    found = angle(t, length, theta0, rate0)
    if found is None:
        return None
    q, v, a = on_circle(length, *found)
    lam = m * ((v**2).sum(axis=-1) - GRAVITY * q[..., 1]) / length**2
    return Motion(q, v, a, lam[..., None])


PLANAR = Problem(
    name="pendulum",
    title="point on a rod in the plane, in Cartesian coordinates",
    source="textbook; exact by elliptic functions",
    build=planar,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.01,
    t_end=4.0,
    t_order=2.0,
    parameters=MappingProxyType({"m": 1.5, "length": 1.2, "theta0": 0.9, "rate0": 1.7}),
    motion=planar_motion,
    positive=("m", "length"),
    conserved=conserved,
    plane=((0, 1),),
    units=("s", "m"),
)

# ---- spherical


def spherical(m: float, length: float, theta0: float, azimuth_rate: float, rate0: float) -> CompiledSystem:
    """Started at (ℓ sin θ₀, 0, −ℓ cos θ₀), turning about the vertical and falling at the rate
    rate0."""
    s, c = math.sin(theta0), math.cos(theta0)
    q0 = length * np.array([s, 0.0, -c])
    v0 = length * np.array([rate0 * c, azimuth_rate * s, rate0 * s])
    rows = [rod("rod", 3, (0, 1, 2), np.zeros(3), length)]
    return quadratic_rows.build(np.full(3, m), np.array([0.0, 0.0, -m * GRAVITY]), rows, q0, v0, ("x", "y", "z"))


def spherical_conserved(sol: Solution) -> dict[str, FloatArray]:
    """Energy and angular momentum about the vertical, per unit of mass."""
    return {**conserved(sol), "angular momentum z": sol.q[:, 0] * sol.v[:, 1] - sol.q[:, 1] * sol.v[:, 0]}


SPHERICAL = Problem(
    name="spherical_pendulum",
    title="point on a rod in space",
    source="textbook",
    build=spherical,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.01,
    t_end=4.0,
    t_order=1.5,
    parameters=MappingProxyType({"m": 1.0, "length": 1.0, "theta0": 1.0, "azimuth_rate": 2.5, "rate0": 0.6}),
    positive=("m", "length"),
    conserved=spherical_conserved,
    plane=((0, 1),),
    units=("s", "m"),
)

# ---- double, with its joint entered more than once

FACTORS = (1.0, 2.0, -0.5)


def double(copies: float) -> CompiledSystem:
    """Two points; the joint to the ground is entered `copies` times."""
    if copies not in (1.0, 2.0, 3.0):
        raise InputError(f"copies must be 1, 2 or 3, received {copies!r}")
    lengths, masses, angles, rates = (1.0, 0.7), (1.0, 0.6), (0.8, -0.4), (1.1, 2.0)
    ends = [
        on_circle(ell, *(np.array(x) for x in (theta, rate, 0.0)))
        for ell, theta, rate in zip(lengths, angles, rates, strict=True)
    ]
    q0, v0 = (np.concatenate([ends[0][k], ends[0][k] + ends[1][k]]) for k in (0, 1))
    upper = rod("upper rod", 4, (0, 1), np.zeros(2), lengths[0])
    again = [upper.times(FACTORS[k], f"upper rod, entered again ({k})") for k in range(1, int(copies))]
    rows = [upper, *again, rod("lower rod", 4, (0, 1), (2, 3), lengths[1])]
    weights = np.repeat(masses, 2)
    return quadratic_rows.build(
        weights, -GRAVITY * weights * [0.0, 1.0, 0.0, 1.0], rows, q0, v0, ("x1", "y1", "x2", "y2")
    )


DOUBLE = Problem(
    name="double_pendulum_doubled",
    title="double pendulum whose first joint is entered more than once",
    source="own problem: rows that are multiples of others",
    build=double,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.005,
    t_end=2.0,
    t_order=1.0,
    parameters=MappingProxyType({"copies": 2.0}),
    conserved=conserved,
    plane=((0, 1), (2, 3)),
    units=("s", "m"),
)

# ---- swing, a planar loop in space


def swing(radius: float, theta0: float, rate0: float, minimal: float) -> CompiledSystem:
    """Platform B–C on the arms A–B and D–C; masses 1 at B and 2 at C."""
    if not abs(theta0) < 0.5 * math.pi:
        raise InputError(f"theta0 must keep the arms below the pivots, between −π/2 and π/2, received {theta0!r}")
    masses = np.repeat([1.0, 2.0], 3)
    D = np.array([WIDTH, 0.0, 0.0])
    rows = [
        rod("arm A-B", 6, (0, 1, 2), np.zeros(3), radius),
        rod("arm D-C", 6, (3, 4, 5), D, radius),
        rod("platform", 6, (0, 1, 2), (3, 4, 5), WIDTH),
        linear_row("platform level", 6, {1: -1.0, 4: 1.0}),
        linear_row("A-B in plane", 6, {2: 1.0}),
        linear_row("B-C in plane", 6, {5: 1.0, 2: -1.0}),
        linear_row("C-D in plane", 6, {5: -1.0}),
    ]
    if minimal:
        rows = [rows[k] for k in (0, 2, 3, 4, 6)]
    q, v, _ = _platform(*on_circle(radius, *(np.array(x) for x in (theta0, rate0, 0.0))))
    names = ("x_B", "y_B", "z_B", "x_C", "y_C", "z_C")
    return quadratic_rows.build(masses, -GRAVITY * masses * [0.0, 1.0, 0.0, 0.0, 1.0, 0.0], rows, q, v, names)


def _platform(q: FloatArray, v: FloatArray, a: FloatArray) -> tuple[FloatArray, ...]:
    """B and C in space from B in the plane."""
    zero = np.zeros_like(q[..., :1])
    once = [np.concatenate([x, zero], axis=-1) for x in (q, v, a)]
    q, v, a = (np.concatenate([x, x], axis=-1) for x in once)
    q[..., 3] += WIDTH
    return q, v, a


def swing_motion(t: FloatArray, radius: float, theta0: float, rate0: float, minimal: float) -> Motion | None:
    """Both points move as a planar pendulum."""
    found = angle(t, radius, theta0, rate0)
    if found is None:
        return None
    q, v, a = _platform(*on_circle(radius, *found))
    return Motion(q, v, a, quadratic_rows.multipliers(swing(radius, theta0, rate0, minimal), q, a))


SWING = Problem(
    name="planar_loop_in_space",
    title="platform on two parallel arms, entered with spatial rows that are dependent on the constraints only",
    source="own problem: rank 5 of 7 rows",
    build=swing,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.01,
    t_end=4.0,
    t_order=2.0,
    parameters=MappingProxyType({"radius": 1.0, "theta0": 0.5, "rate0": 1.2, "minimal": 0.0}),
    motion=swing_motion,
    positive=("radius",),
    conserved=conserved,
    plane=((0, 1), (3, 4)),
    units=("s", "m"),
)

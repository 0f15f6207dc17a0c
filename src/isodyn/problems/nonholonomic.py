"""Three motions under constraints on velocities, ψ(q, v) = 0, with M a + ψ_vᵀλ = Q.

knife edge     on a plane inclined along x, q = (x, y, θ):   ψ = x' sin θ − y' cos θ
               θ = θ₀ + ωt,  speed along the edge u = u₀ + (g'/ω)(sin θ − sin θ₀),  λ = m (g' sin
               θ + u ω)
rolling disc   upright on a plane, q = (x, y, θ heading, ϑ rolling):   ψ = (x' − Rϑ' cos θ, y' − Rϑ' sin θ)
               θ' = ω and ϑ' = Ω are constant, the centre runs on a circle;  λ = mRΩω (sin θ, −cos
               θ)
constant speed a point under gravity whose speed is kept, nonlinear in v:   ψ = ½(|v|² − u²),  ψ_v = v (the force acts along v)
               v = u (sech s, −tanh s),  s = s₀ + gt/u,  λ = (mg/u) tanh s

Known from textbooks on nonholonomic mechanics; exact solutions by direct integration.
"""

from __future__ import annotations

import math
from types import MappingProxyType

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.problems.problem import Motion, Problem
from isodyn.problems.quadratic_rows import conserved
from isodyn.problems.velocity_rows import DISC, KNIFE, SPEED, build
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem


def _not_zero(name: str, value: float) -> None:
    if value == 0.0:
        raise InputError(f"{name} must not be zero: the formula of the motion divides by it")


# ---- knife edge

KNIFE_MASS = np.array([1.3, 1.3, 0.2])


def knife_motion(t: FloatArray, slope: float, theta0: float, omega: float, u0: float) -> Motion:
    """Sliding along the edge while the edge turns steadily; slope = g sin(inclination)."""
    _not_zero("omega", omega)
    theta = theta0 + omega * t
    s, c = np.sin(theta), np.cos(theta)
    kappa = slope / omega
    U = u0 - kappa * math.sin(theta0)
    u, du = U + kappa * s, slope * c
    s0, c0 = math.sin(theta0), math.cos(theta0)
    x = (U * (s - s0) + 0.5 * kappa * (s**2 - s0**2)) / omega
    y = (U * (c0 - c) + 0.5 * kappa * (omega * t - s * c + s0 * c0)) / omega
    one = np.ones_like(t)
    return Motion(
        np.stack([x, y, theta], axis=-1),
        np.stack([u * c, u * s, omega * one], axis=-1),
        np.stack([du * c - u * omega * s, du * s + u * omega * c, 0.0 * one], axis=-1),
        (KNIFE_MASS[0] * (slope * s + u * omega))[..., None],
    )


def knife_edge(slope: float, theta0: float, omega: float, u0: float) -> CompiledSystem:
    """A skate on an inclined plane."""
    start = knife_motion(np.zeros(()), slope, theta0, omega, u0)
    forces = np.array([KNIFE_MASS[0] * slope, 0.0, 0.0])
    return build(KNIFE, KNIFE_MASS, forces, 0.0, start, ("x", "y", "theta"))


KNIFE_EDGE = Problem(
    name="knife_edge",
    title="skate on an inclined plane, no side slip",
    source="textbook; exact solution",
    build=knife_edge,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.01,
    t_end=5.0,
    t_order=2.0,
    parameters=MappingProxyType({"slope": 3.0, "theta0": 0.4, "omega": 1.5, "u0": 0.7}),
    motion=knife_motion,
    conserved=conserved,
    plane=((0, 1),),
    units=("s", "m, rad"),
)

# ---- rolling disc

DISC_MASS = np.array([2.0, 2.0, 0.09, 0.16])
RADIUS = 0.4


def disc_motion(t: FloatArray, theta0: float, omega: float, roll: float) -> Motion:
    """On a circle with constant rates."""
    _not_zero("omega", omega)
    theta, speed = theta0 + omega * t, RADIUS * roll
    s, c, one = np.sin(theta), np.cos(theta), np.ones_like(t)
    x, y = speed / omega * (s - math.sin(theta0)), speed / omega * (math.cos(theta0) - c)
    turn = DISC_MASS[0] * speed * omega
    return Motion(
        np.stack([x, y, theta, roll * t], axis=-1),
        np.stack([speed * c, speed * s, omega * one, roll * one], axis=-1),
        np.stack([-speed * omega * s, speed * omega * c, 0.0 * one, 0.0 * one], axis=-1),
        np.stack([turn * s, -turn * c], axis=-1),
    )


def rolling_disc(theta0: float, omega: float, roll: float) -> CompiledSystem:
    """A disc that stays upright, rolls and turns."""
    start = disc_motion(np.zeros(()), theta0, omega, roll)
    return build(DISC, DISC_MASS, np.zeros(4), RADIUS, start, ("x", "y", "heading", "rolling"))


ROLLING_DISC = Problem(
    name="rolling_disc",
    title="upright disc rolling on a plane",
    source="textbook; exact solution",
    build=rolling_disc,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.01,
    t_end=5.0,
    t_order=2.0,
    parameters=MappingProxyType({"theta0": 0.3, "omega": 1.4, "roll": 5.0}),
    motion=disc_motion,
    conserved=conserved,
    plane=((0, 1),),
    units=("s", "m, rad"),
)

# ---- constant speed

POINT_MASS, GRAVITY = 0.8, 9.81


def speed_motion(t: FloatArray, u: float, s0: float) -> Motion:
    """Turning downwards at constant speed."""
    _not_zero("u", u)
    s = s0 + GRAVITY * t / u
    sech, tanh = 1.0 / np.cosh(s), np.tanh(s)
    scale = u * u / GRAVITY
    x = scale * (np.arctan(np.sinh(s)) - math.atan(math.sinh(s0)))
    y = -scale * np.log(np.cosh(s) / math.cosh(s0))
    return Motion(
        np.stack([x, y], axis=-1),
        np.stack([u * sech, -u * tanh], axis=-1),
        GRAVITY * np.stack([-sech * tanh, -sech * sech], axis=-1),
        (POINT_MASS * GRAVITY / u * tanh)[..., None],
    )


def constant_speed(u: float, s0: float) -> CompiledSystem:
    """A point under gravity, driven or braked along its path so that it keeps its speed."""
    start = speed_motion(np.zeros(()), u, s0)
    forces = np.array([0.0, -POINT_MASS * GRAVITY])
    return build(SPEED, np.full(2, POINT_MASS), forces, u, start, ("x", "y"))


CONSTANT_SPEED = Problem(
    name="constant_speed",
    title="point under gravity whose speed is kept: a constraint that is nonlinear in velocity",
    source="own problem; exact solution",
    build=constant_speed,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.01,
    t_end=1.5,
    t_order=1.0,
    parameters=MappingProxyType({"u": 5.0, "s0": -1.0}),
    motion=speed_motion,
    plane=((0, 1),),
    units=("s", "m"),
)

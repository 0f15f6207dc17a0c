"""Chaplygin's sleigh: a body on a plane with a blade at a distance behind its centre of mass that
does not slip sideways.

q = (x, y, θ) of the centre of mass, M = diag(m, m, I), no applied force; the blade stands at (x,
y) − a (cos θ, sin θ):

    ψ = y' cos θ − x' sin θ − a θ'

With u the velocity of the blade along itself, ω = θ' and J² = I/m + a² the motion is

    u' = a ω²,    ω' = −(a/J²) u ω        u² + J²ω² = U² is kept
    u = U tanh s,    ω = (U/J) sech s,    s = s₀ + aUt/J²,    θ = θ₀ + (J/a)(gd s − gd s₀),    λ = I ω'/a

with gd s = arctan(sinh s). The sleigh turns until it runs straight, blade behind. The path of the
blade is the integral of (J²/a) tanh s (cos θ, sin θ) over s, here by Gauss' quadrature to rounding.
Known from textbooks on nonholonomic mechanics.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.problems.problem import Motion, Problem
from isodyn.problems.quadratic_rows import conserved
from isodyn.problems.velocity_rows import SLEIGH, build
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem

if TYPE_CHECKING:
    from collections.abc import Callable

MASS = np.array([1.5, 1.5, 0.4])
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_PANEL = 0.5  # of s; the integrand is smooth on a length of 1


def _gd(s: ArrayLike) -> Any:
    """Gudermann's function."""
    return np.arctan(np.sinh(s))


def _path(s0: float, s: FloatArray, heading: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """∫ tanh s (cos θ, sin θ) ds from s0 to each s (…, 2)."""
    panels = max(1, math.ceil(float(np.abs(s - s0).max(initial=0.0)) / _PANEL))
    edge = np.linspace(0.0, 1.0, panels + 1)
    middle, half = 0.5 * (edge[1:] + edge[:-1]), 0.5 / panels
    x = (middle[:, None] + half * _NODES).ravel()
    w = np.tile(half * _WEIGHTS, panels)
    points = s0 + (s - s0)[..., None] * x
    theta, speed = heading(points), np.tanh(points)
    total = np.stack([(w * speed * np.cos(theta)).sum(axis=-1), (w * speed * np.sin(theta)).sum(axis=-1)], axis=-1)
    return np.asarray((s - s0)[..., None] * total, dtype=np.float64)


def motion(t: FloatArray, a: float, u0: float, omega0: float, theta0: float) -> Motion:
    """The free sleigh from the velocity u0 along the blade and the rate omega0; the centre of mass
    starts in the origin."""
    if a == 0.0 or omega0 == 0.0:
        raise InputError("a and omega0 must not be zero: the formula of the motion divides by them")
    J = math.sqrt(MASS[2] / MASS[0] + a * a)
    U = math.hypot(u0, J * omega0)
    s0 = math.asinh(u0 / (J * abs(omega0)))
    turn = math.copysign(1.0, omega0)
    s = s0 + a * U / J**2 * np.asarray(t, dtype=np.float64)

    def heading(s: FloatArray) -> FloatArray:
        return theta0 + turn * (J / a) * (_gd(s) - _gd(s0))

    theta, u, omega = heading(s), U * np.tanh(s), turn * U / J / np.cosh(s)
    d_omega = -(a / J**2) * u * omega
    e, n = np.stack([np.cos(theta), np.sin(theta)], axis=-1), np.stack([-np.sin(theta), np.cos(theta)], axis=-1)
    start = np.array([math.cos(theta0), math.sin(theta0)])
    blade = (J**2 / a) * _path(s0, s, heading)
    centre = blade + a * (e - start)
    velocity = u[..., None] * e + (a * omega)[..., None] * n
    push = (u * omega + a * d_omega)[..., None] * n
    return Motion(
        np.concatenate([centre, theta[..., None]], axis=-1),
        np.concatenate([velocity, omega[..., None]], axis=-1),
        np.concatenate([push, d_omega[..., None]], axis=-1),
        (MASS[2] * d_omega / a)[..., None],
    )


def chaplygin_sleigh(a: float, u0: float, omega0: float, theta0: float) -> CompiledSystem:
    """A sleigh with its blade at the distance a behind the centre of mass; in front of it for
    a < 0."""
    start = motion(np.zeros(()), a, u0, omega0, theta0)
    return build(SLEIGH, MASS, np.zeros(3), a, start, ("x", "y", "theta"))


PROBLEM = Problem(
    name="chaplygin_sleigh",
    title="Chaplygin's sleigh: a body on a blade that does not slip sideways",
    source="textbook; exact solution",
    build=chaplygin_sleigh,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.01,
    t_end=5.0,
    t_order=2.0,
    parameters=MappingProxyType({"a": 0.3, "u0": -0.8, "omega0": 1.7, "theta0": 0.4}),
    motion=motion,
    conserved=conserved,
    plane=((0, 1),),
    units=("s", "m, rad"),
)

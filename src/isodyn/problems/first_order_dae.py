"""First-order differential-algebraic equations s' = h(s, z, t), 0 = c(s, z, t), with known
solutions.

vdpol_dae       s' = −η,   0 = s − η³/3 + η                     index 1; η in the place of z          [Shimada2014 (3.217)]
                η'(η² − 1) = −η, so that ln η − η²/2 = ln η₀ − η₀²/2 + t; with w = η²: −w
                e^{−w} = −e^{2(t + c)}, c = ln η₀ − η₀²/2, and η² = −W(−e^{2(t+c)}), W the branch −1
                of Lambert's function for η₀ > 1 and the main branch for η₀ < 1. Both branches end
                in η = 1 at t = −½ − c: 0.807 from η₀ = 2, 0.318 from η₀ = ½.

circle_index2   s' = (α' + 2(s₁ sin α − s₂ cos α)) J s + (p + p³/3 − z − z³/3) s,   0 = ½(|s|² − 1),   J = (0 −1; 1 0)
                index 2: c does not contain z. α = t + 0.5 sin 1.3t, p = 1 + 0.7 sin(1.7t + 0.2);
                exact s = (cos α, sin α), z = p. The first bracket pulls s towards the exact point;
                off it the error has dynamics of its own. Own problem.
"""

from __future__ import annotations

import math
from types import MappingProxyType

import numpy as np
from scipy.special import lambertw

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.problems.problem import Motion, Problem
from isodyn.schemes import Scheme
from isodyn.systems import FirstOrderSystem

PULL = 2.0


def end_time(eta0: float) -> float:
    """When η reaches 1 and the solution ends."""
    return -0.5 - (math.log(eta0) - 0.5 * eta0**2)


def vdpol_motion(t: FloatArray, eta0: float) -> Motion | None:
    """By Lambert's function; None where the solution has ended."""
    if np.max(t, initial=0.0) >= end_time(eta0):
        return None
    c = math.log(eta0) - 0.5 * eta0**2
    w = -lambertw(-np.exp(2.0 * (t + c)), -1 if eta0 > 1.0 else 0).real
    eta = np.sqrt(w)[..., None]
    return Motion(np.zeros((*np.shape(t), 0)), eta**3 / 3.0 - eta, -eta, eta)


def vdpol(eta0: float) -> FirstOrderSystem:
    """Van der Pol's equation in Liénard's coordinates, ε = 0."""
    if not (eta0 > 0.0 and eta0 != 1.0):
        raise InputError(f"eta0 must be positive and not 1, where the solution ends, received {eta0!r}")

    def h(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
        return -z  # [Shimada2014 (3.217)]

    def c(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
        return s - z**3 / 3.0 + z  # [Shimada2014 (3.217)]

    return FirstOrderSystem(h, [eta0**3 / 3.0 - eta0], z0=[eta0], c=c, names=("s",), row_names=("eta",))


VDPOL = Problem(
    name="vdpol_dae",
    title="Van der Pol's equation with ε = 0: a DAE of index 1",
    source="Example 3.5.2, figures 3.4 and 3.5 [Shimada2014 (3.217)]",
    citation="Shimada2014",
    build=vdpol,
    scheme=Scheme.V0(1.0, 1.0, 0.0),
    dt=0.01,
    t_end=0.5,
    t_order=0.5,
    parameters=MappingProxyType({"eta0": 2.0}),
    motion=vdpol_motion,
)


def circle_motion(t: FloatArray) -> Motion:
    """s = (cos α, sin α), z = p."""
    alpha, rate = t + 0.5 * np.sin(1.3 * t), 1.0 + 0.65 * np.cos(1.3 * t)
    s = np.stack([np.cos(alpha), np.sin(alpha)], axis=-1)
    along = np.stack([-np.sin(alpha), np.cos(alpha)], axis=-1)
    z = 1.0 + 0.7 * np.sin(1.7 * t + 0.2)
    return Motion(np.zeros((*np.shape(t), 0)), s, rate[..., None] * along, z[..., None])


def circle() -> FirstOrderSystem:
    """Motion on a circle under a drive, kept there by z."""

    def h(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
        alpha, rate = t + 0.5 * math.sin(1.3 * t), 1.0 + 0.65 * math.cos(1.3 * t)
        p = 1.0 + 0.7 * math.sin(1.7 * t + 0.2)
        turn = rate + PULL * (s[0] * math.sin(alpha) - s[1] * math.cos(alpha))
        growth = p + p**3 / 3.0 - z[0] - z[0] ** 3 / 3.0
        return np.array([growth * s[0] - turn * s[1], growth * s[1] + turn * s[0]])

    def c(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
        return np.array([0.5 * (s[0] ** 2 + s[1] ** 2 - 1.0)])

    start = circle_motion(np.zeros(()))
    return FirstOrderSystem(h, start.v, z0=[1.0], c=c, names=("s1", "s2"), row_names=("circle",))


CIRCLE = Problem(
    name="circle_index2",
    title="a point kept on a circle by an algebraic unknown: a DAE of index 2",
    source="own problem, method of manufactured solutions",
    build=circle,
    scheme=Scheme.V0(1.0, 1.0, 0.0),
    dt=0.01,
    t_end=2.0,
    t_order=2.0,
    motion=circle_motion,
    plane=((0, 1),),
)

"""A bar that carries elastic waves and conducts heat, both coupled: second and first order in one
run.

    ρ u_tt − E u_xx + β θ_x = f(x, t),    u(0) = 0,   free at x = ℓ          displacement, hyperbolic
    c θ_t − k θ_xx + T₀ β u_tx = r(x, t),  θ(0) = 0,  insulated at x = ℓ       temperature change, parabolic

Linear elements: M_u u'' + K u − L θ = f and C_θ θ' + P θ + T₀ Lᵀ u' = r with L_ij = ∫ β N_i' N_j
dx. With q = [u; ∫θ dt] and v = [u'; θ] this is one system

    [M_u 0; 0 C_θ] q'' + [0 −L; T₀Lᵀ P] q' + [K 0; 0 0] q = [f; r],

in which the rows of θ never see their own q: for them a scheme of second-order systems acts as the
first-order member it adapts to [Shimada2014 (Table 2.5)], so it has to be one that does, such as
optimal(ρ) or V0(ρ, 1, ρ_s).

The loads are made so that u_i(t) = û_i sin(3t + 0.4) and θ_i(t) = θ̂_i (cos 2t + ½ sin 5t) solve
the *discrete* equations exactly: what is left is the error in time. Without loads the energy
½u'ᵀM_u u' + ½uᵀK u + θᵀC_θ θ/(2T₀) decays by conduction alone, at the rate −θᵀP θ/T₀. The idea of
one run for both is that of [Shimada2014 (Ex. 2.3.3)]; the bar is our own.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.problems.problem import Motion, Problem
from isodyn.results import Solution
from isodyn.schemes import Scheme
from isodyn.systems import LinearSystem

LENGTH, DENSITY, MODULUS, EXPANSION = 1.0, 1.0, 1.0, 0.3
HEAT, CONDUCTIVITY, T0 = 1.0, 0.05, 1.0


@dataclass(frozen=True, eq=False)
class Matrices:
    """Blocks of the semi-discrete equations, without the node at x = 0."""

    x: FloatArray
    M: FloatArray
    K: FloatArray
    L: FloatArray
    heat: FloatArray
    P: FloatArray

    @property
    def whole(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """M, C, K of the joined system."""
        zero = np.zeros_like(self.M)
        return (
            np.block([[self.M, zero], [zero, self.heat]]),
            np.block([[zero, -self.L], [T0 * self.L.T, self.P]]),
            np.block([[self.K, zero], [zero, zero]]),
        )


def assemble(elements: float) -> Matrices:
    """Linear elements of equal length."""
    n = int(elements)
    if n < 1 or n != elements:
        raise InputError(f"elements must be a positive whole number, received {elements!r}")
    h = LENGTH / n
    mass, stiffness, coupling = (np.zeros((n + 1, n + 1)) for _ in range(3))
    for e in range(n):
        pair = np.ix_((e, e + 1), (e, e + 1))
        mass[pair] += h / 6.0 * np.array([[2.0, 1.0], [1.0, 2.0]])
        stiffness[pair] += 1.0 / h * np.array([[1.0, -1.0], [-1.0, 1.0]])
        coupling[pair] += 0.5 * np.array([[-1.0, -1.0], [1.0, 1.0]])  # ∫ N_i' N_j dx
    mass, stiffness, coupling = mass[1:, 1:], stiffness[1:, 1:], coupling[1:, 1:]
    return Matrices(
        x=np.linspace(0.0, LENGTH, n + 1)[1:],
        M=DENSITY * mass,
        K=MODULUS * stiffness,
        L=EXPANSION * coupling,
        heat=HEAT * mass,
        P=CONDUCTIVITY * stiffness,
    )


def motion(t: FloatArray, elements: float, loads: float) -> Motion | None:
    """The exact motion, known with the loads only."""
    return chosen_motion(t, elements) if loads == 1.0 else None


def chosen_motion(t: FloatArray, elements: float) -> Motion:
    """The motion that the loads are made for: columns u and ∫θ, u' and θ, u'' and θ'."""
    x = assemble(elements).x
    shape_u, shape_theta = np.sin(0.5 * np.pi * x), x * (2.0 - x)
    u = (np.sin(3 * t + 0.4), 3 * np.cos(3 * t + 0.4), -9 * np.sin(3 * t + 0.4))
    theta = (
        0.5 * np.sin(2 * t) + 0.1 * (1 - np.cos(5 * t)),
        np.cos(2 * t) + 0.5 * np.sin(5 * t),
        -2 * np.sin(2 * t) + 2.5 * np.cos(5 * t),
    )
    return Motion(
        *(
            np.concatenate([f[..., None] * shape_u, g[..., None] * shape_theta], axis=-1)
            for f, g in zip(u, theta, strict=True)
        )
    )


def build(elements: float, loads: float) -> LinearSystem:
    """With loads = 1 the manufactured motion, with loads = 0 the same start left to itself."""
    M, C, K = assemble(elements).whole
    start = chosen_motion(np.zeros(()), elements)

    def f(t: float) -> FloatArray:
        q, v, a, _ = chosen_motion(np.asarray(t), elements)
        return loads * (M @ a + C @ v + K @ q)

    n = M.shape[0] // 2
    names = tuple(f"u{i + 1}" for i in range(n)) + tuple(f"∫θ{i + 1}" for i in range(n))
    return LinearSystem(M, C, K, f if loads else None, start.q, start.v, names=names)


def energy_history(sol: Solution) -> FloatArray:
    """½u'ᵀM_u u' + ½uᵀK u + θᵀC_θ θ/(2T₀); never grows without loads."""
    n = sol.q.shape[1] // 2
    parts = assemble(n)
    rate, theta, u = sol.v[:, :n], sol.v[:, n:], sol.q[:, :n]
    elastic = np.einsum("ki,ij,kj->k", rate, parts.M, rate) + np.einsum("ki,ij,kj->k", u, parts.K, u)
    return 0.5 * elastic + 0.5 / T0 * np.einsum("ki,ij,kj->k", theta, parts.heat, theta)


PROBLEM = Problem(
    name="thermoelastic_bar",
    title="bar with elastic waves and heat conduction, second and first order in one run",
    source="own problem after Example 2.3.3 [Shimada2014 (Table 2.5)]",
    citation="Shimada2014",
    build=build,
    scheme=Scheme.V0(0.5, 1.0, 0.2),
    dt=0.01,
    t_end=4.0,
    t_order=2.0,
    parameters=MappingProxyType({"elements": 8.0, "loads": 1.0}),
    motion=motion,
)

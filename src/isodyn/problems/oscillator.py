"""Linear oscillators with exact solutions.

    one mass:   q'' + 2ξω q' + ω² q = F cos(Ωt)
    chain:      m q_i'' + k (2q_i − q_{i−1} − q_{i+1}) + stiffness-proportional damping = 0,  walls at both ends
                modes sin(ijπ/(n+1)), frequencies ω_j = 2√(k/m) sin(jπ/(2(n+1)))
    stiff:      one mass whose period is far shorter than a step, ω Δt = 10⁴: what a scheme does with what it cannot resolve

One mass: q = q_p + q_h with q_p = Re(F exp(iΩt)/(ω² − Ω² + 2iξωΩ)) and q_h = c₁ exp(r₁t) + c₂
exp(r₂t), r² + 2ξω r + ω² = 0.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import (
    BALANCE,
    CONSTANT_MASS,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    LINEAR,
    MODEL,
    OK,
    FloatArray,
    kernel,
)
from isodyn.kernels.struct import Struct, real
from isodyn.kernels.struct_types import opened
from isodyn.problems.problem import Motion, Problem
from isodyn.results import Solution
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem, LinearSystem

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


class Oscillator(Struct):
    """Natural frequency, damping ratio, load and its frequency."""

    omega, xi, F, Omega = real, real, real, real


@kernel(MODEL)
def model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    tables: StructAddress,
    scratch: StructAddress,
    out: FloatArray,
) -> int:
    """One mass."""
    mass = opened(Oscillator, tables)
    omega, xi = mass.omega, mass.xi
    if what == BALANCE:
        out[0] = a[0] + 2.0 * xi * omega * v[0] + omega * omega * q[0] - mass.F * np.cos(mass.Omega * t)
    elif what == JACOBIAN:
        out[0] = c[0] + c[1] * 2.0 * xi * omega + c[2] * omega * omega
    return OK


def build(omega: float, xi: float, F: float, Omega: float, q0: float, v0: float) -> CompiledSystem:
    """One mass: natural frequency, damping ratio, load and its frequency, initial state."""
    if not omega > 0.0 or xi < 0.0:
        raise InputError(f"omega must be positive and xi not negative, received {omega!r} and {xi!r}")

    def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        return 0.5 * float(v @ v), 0.5 * omega**2 * float(q @ q)

    return CompiledSystem(
        model,
        LINEAR | CONSTANT_MASS | KNOWS_MASS | KNOWS_TANGENT,
        np.array([q0], dtype=np.float64),
        np.array([v0], dtype=np.float64),
        tables=Oscillator.filled(omega=omega, xi=xi, F=F, Omega=Omega),
        energy=energy,
        names=("q",),
    )


def motion(t: FloatArray, omega: float, xi: float, F: float, Omega: float, q0: float, v0: float) -> Motion:
    """The exact motion of one mass."""
    stiffness = omega**2 - Omega**2 + 2j * xi * omega * Omega
    if F != 0.0 and stiffness == 0.0:
        raise InputError(
            "an undamped mass in resonance has no bounded motion", hint="choose xi > 0 or Omega other than omega"
        )
    amplitude = F / stiffness if F != 0.0 else 0j
    q, v, a = (np.real(amplitude * (1j * Omega) ** k * np.exp(1j * Omega * t)) for k in range(3))
    h0, h1 = q0 - amplitude.real, v0 - (1j * Omega * amplitude).real
    root = np.sqrt(complex(xi**2 - 1.0))
    r1, r2 = omega * (-xi + root), omega * (-xi - root)
    if r1 == r2:
        c0, c1 = h0, h1 - r1 * h0
        decay = np.exp(r1 * t)
        free = [(c0 + c1 * t) * decay, (r1 * (c0 + c1 * t) + c1) * decay, (r1**2 * (c0 + c1 * t) + 2 * r1 * c1) * decay]
    else:
        c1, c2 = (h1 - r2 * h0) / (r1 - r2), (r1 * h0 - h1) / (r1 - r2)
        free = [c1 * r1**k * np.exp(r1 * t) + c2 * r2**k * np.exp(r2 * t) for k in range(3)]
    return Motion(*((x + np.real(y))[..., None] for x, y in zip((q, v, a), free, strict=True)))


def energy_history(sol: Solution) -> dict[str, FloatArray]:
    """Kinetic plus potential energy."""
    kinetic, potential = sol.energy()
    return {"energy": kinetic + potential}


# ---- chain


def _modes(n: float, k: float) -> tuple[FloatArray, FloatArray]:
    """Frequencies and orthonormal modes, one per column."""
    if n < 1 or n != int(n):
        raise InputError(f"n must be a whole number of masses, received {n!r}")
    j = np.arange(1, int(n) + 1)
    modes = np.sqrt(2.0 / (n + 1)) * np.sin(np.outer(j, j) * np.pi / (n + 1))
    return 2.0 * np.sqrt(k) * np.sin(j * np.pi / (2 * (n + 1))), modes


def _initial(n: float) -> FloatArray:
    """The middle of the chain is pulled: a triangle of height 1."""
    i = np.arange(1, int(n) + 1)
    return 1.0 - np.abs(2.0 * i / (n + 1) - 1.0)


def build_chain(n: float, k: float, beta: float) -> LinearSystem:
    """n masses 1, springs k, damping β K, at rest with the middle pulled."""
    q0 = _initial(n)
    K = k * (2.0 * np.eye(q0.size) - np.eye(q0.size, k=1) - np.eye(q0.size, k=-1))
    return LinearSystem(M=1.0, C=beta * K, K=K, f=None, q0=q0, v0=np.zeros(q0.size))


def chain_motion(t: FloatArray, n: float, k: float, beta: float) -> Motion:
    """The sum of the modes, each an oscillator with ξ = βω/2."""
    omega, modes = _modes(n, k)
    amplitudes = modes.T @ _initial(n)
    single = [
        motion(t, omega=w, xi=0.5 * beta * w, F=0.0, Omega=0.0, q0=y, v0=0.0)
        for w, y in zip(omega, amplitudes, strict=True)
    ]
    return Motion(*(np.concatenate(parts, axis=-1) @ modes.T for parts in zip(*(x[:3] for x in single), strict=True)))


_ZERO = MappingProxyType({"omega": 2.0, "xi": 0.0, "F": 0.0, "Omega": 0.0, "q0": 1.0, "v0": 0.0})

FREE = Problem(
    name="oscillator",
    title="one mass on a spring, free and undamped",
    source="textbook",
    build=build,
    scheme=Scheme.optimal(0.8),
    dt=0.05,
    t_end=20.0,
    t_order=6.0,
    parameters=_ZERO,
    motion=motion,
    conserved=energy_history,
    units=("s", "m"),
)

DAMPED = replace(
    FREE,
    name="oscillator_damped",
    title="one mass on a spring, free and damped",
    parameters=MappingProxyType({**_ZERO, "xi": 0.1}),
    conserved=None,
)

FORCED = replace(
    DAMPED,
    name="oscillator_forced",
    title="one mass on a spring, damped, under a harmonic load",
    parameters=MappingProxyType({**_ZERO, "xi": 0.05, "F": 3.0, "Omega": 1.3, "v0": 0.5}),
)

STIFF = replace(
    FREE,
    name="oscillator_stiff",
    title="one mass on a very stiff spring, ω dt = 10⁴: energy that the step cannot resolve",
    source="overshoot, section 2.2 [Shimada2014 (2.6)]",
    citation="Shimada2014",
    dt=0.01,
    t_end=1.0,
    t_order=None,
    parameters=MappingProxyType({**_ZERO, "omega": 1e6, "q0": 0.0, "v0": 1.0}),
)

CHAIN = Problem(
    name="chain",
    title="ten masses between two walls, slightly damped",
    source="textbook",
    build=build_chain,
    scheme=Scheme.optimal(0.8),
    dt=0.05,
    t_end=40.0,
    t_order=6.0,
    parameters=MappingProxyType({"n": 10.0, "k": 4.0, "beta": 0.01}),
    motion=chain_motion,
    units=("s", "m"),
)

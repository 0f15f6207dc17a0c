"""A clamped bar that is struck at one node: Example C.4.1, made for model reduction.

    M q'' + K q = f,    30 linear elements of 3 m,   E = 30 MN/m², A = 1 m², ρ = 8000 kg/m³

Node 1 is clamped; node 5 carries 10 N and starts with 10 m/s, all else at rest. The text leaves the
mass matrix open and does not say which end is clamped: here the mass is consistent (lumped = 1 for
the other one) and the left end is held. The load is negligible, the initial velocity of one node is
everything: no smooth shape carries it. In modes, exact in time.
"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType

import numpy as np
from scipy.linalg import eigh

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.problems.problem import Motion, Problem
from isodyn.results import Solution
from isodyn.schemes import Scheme
from isodyn.systems import LinearSystem

LENGTH, AREA, DENSITY, MODULUS = 90.0, 1.0, 8000.0, 30e6
FORCE, SPEED = 10.0, 10.0
NODE = 5  # of the load and of the initial velocity, counted from 1 at the clamp
STRUCK = NODE - 2  # its number in q


@lru_cache(maxsize=8)
def matrices(elements: int, lumped: bool) -> tuple[FloatArray, FloatArray]:
    """M and K without the clamped node."""
    h = LENGTH / elements
    M, K = np.zeros((elements + 1, elements + 1)), np.zeros((elements + 1, elements + 1))
    mass = np.diag([0.5, 0.5]) if lumped else np.array([[2.0, 1.0], [1.0, 2.0]]) / 6.0
    for i in range(elements):
        M[i : i + 2, i : i + 2] += DENSITY * AREA * h * mass
        K[i : i + 2, i : i + 2] += MODULUS * AREA / h * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return M[1:, 1:], K[1:, 1:]


def _checked(elements: float, lumped: float) -> tuple[int, bool]:
    if elements != round(elements) or elements < NODE - 1:
        raise InputError(f"elements must be a whole number of at least {NODE - 1}, received {elements:g}")
    return round(elements), bool(lumped)


def build(elements: float, lumped: float) -> LinearSystem:
    """The bar at rest but for the struck node."""
    M, K = matrices(*_checked(elements, lumped))
    f, v0 = np.zeros(M.shape[0]), np.zeros(M.shape[0])
    f[STRUCK], v0[STRUCK] = FORCE, SPEED
    return LinearSystem(M, None, K, f, np.zeros(M.shape[0]), v0, names=[f"q{i + 2}" for i in range(M.shape[0])])


def motion(t: FloatArray, elements: float, lumped: float) -> Motion:
    """By modes: exact in time."""
    M, K = matrices(*_checked(elements, lumped))
    squares, X = eigh(K, M)
    omega, f, v0 = np.sqrt(squares), X[STRUCK] * FORCE, X.T @ M[:, STRUCK] * SPEED
    s, c = np.sin(t[..., None] * omega), np.cos(t[..., None] * omega)
    q = v0 / omega * s + f / squares * (1.0 - c)
    v = v0 * c + f / omega * s
    a = -v0 * omega * s + f * c
    return Motion(q @ X.T, v @ X.T, a @ X.T)


def energy(sol: Solution) -> dict[str, FloatArray]:
    """½vᵀMv + ½qᵀKq − qᵀf: kept by linear motion under a constant load
    [Shimada2014 (Remark C.3.1)]."""
    T, V = sol.energy()
    return {"energy": T + V - FORCE * sol.q[:, STRUCK]}


PROBLEM = Problem(
    name="clamped_bar",
    title="clamped bar of 30 elements, struck at node 5, for model reduction",
    source="Shimada, Example C.4.1; consistent mass, left end clamped",
    citation="Shimada2014",
    build=build,
    scheme=Scheme.V0(1.0, 1.0, 0.0),
    dt=0.001,
    t_end=1.0,
    parameters=MappingProxyType({"elements": 30.0, "lumped": 0.0}),
    motion=motion,
    conserved=energy,
    units=("s", "m"),
)

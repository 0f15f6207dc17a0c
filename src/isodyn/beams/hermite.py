"""The element R(X) = S(ξ) Υ, ξ = X/L₀, cubic between two nodes with Υ = (P₁, t₁, P₂, t₂), t = R'
[Shimada2014 (8.8)].

    M = ∫ρA SᵀS dX [Shimada2014 (8.13)],     K = ∫EI S''ᵀS'' dX [Shimada2014 (8.59)],     consistent loads ∫S dX = L₀ (½, L₀/12, ½, −L₀/12)

All are a matrix (4, 4) or vector (4,) times the unit matrix of the space: the components of R do
not mix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from isodyn.kernels.compiled import FloatArray, kernel


def shape(xi: ArrayLike, length: float, derivative: int = 0) -> FloatArray:
    """The four functions, or derivatives by X, at ξ; along the last axis."""
    x, L = np.asarray(xi, dtype=np.float64), length
    if derivative == 0:  # [Shimada2014 (8.8)]
        parts = [1 - 3 * x**2 + 2 * x**3, L * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, L * (x**3 - x**2)]
    elif derivative == 1:
        parts = [6 * (x**2 - x) / L, 1 - 4 * x + 3 * x**2, 6 * (x - x**2) / L, 3 * x**2 - 2 * x]
    else:
        parts = [(12 * x - 6) / L**2, (6 * x - 4) / L, (6 - 12 * x) / L**2, (6 * x - 2) / L]
    return np.stack(parts, axis=-1)


def mass(m: float, L: float) -> FloatArray:
    """Mass matrix (4, 4) of an element of mass m."""
    M = np.array(
        [
            [156.0, 22 * L, 54.0, -13 * L],
            [22 * L, 4 * L**2, 13 * L, -3 * L**2],
            [54.0, 13 * L, 156.0, -22 * L],
            [-13 * L, -3 * L**2, -22 * L, 4 * L**2],
        ]
    )
    return m / 420 * M  # [Shimada2014 (8.13)]


def bending(EI: float, L: float) -> FloatArray:
    """Bending matrix (4, 4)."""
    K = np.array(
        [
            [12.0, 6 * L, -12.0, 6 * L],
            [6 * L, 4 * L**2, -6 * L, 2 * L**2],
            [-12.0, -6 * L, 12.0, -6 * L],
            [6 * L, 2 * L**2, -6 * L, 4 * L**2],
        ]
    )
    return EI / L**3 * K  # [Shimada2014 (8.59)]


@kernel()
def mass_times(c: float, L: float, x0: float, x1: float, x2: float, x3: float) -> tuple[float, float, float, float]:
    """M (4, 4) times (x0, x1, x2, x3), with c = m/420."""
    y1, y3 = L * x1, L * x3
    return (
        c * (156.0 * x0 + 22.0 * y1 + 54.0 * x2 - 13.0 * y3),
        c * L * (22.0 * x0 + 4.0 * y1 + 13.0 * x2 - 3.0 * y3),
        c * (54.0 * x0 + 13.0 * y1 + 156.0 * x2 - 22.0 * y3),
        c * L * (-13.0 * x0 - 3.0 * y1 - 22.0 * x2 + 4.0 * y3),
    )


@kernel()
def bending_times(EI_per_L: float, per_L: float, d: float, t1: float, t2: float) -> tuple[float, float, float]:
    """K (4, 4) times (0, t1, d, t2) from the turns of the ends against the chord: on the first end
    and on both slopes."""
    turn = d * per_L
    a, b = t1 - turn, t2 - turn
    one, two = EI_per_L * (4.0 * a + 2.0 * b), EI_per_L * (2.0 * a + 4.0 * b)
    return (one + two) * per_L, one, two


def nodal(force_per_length: FloatArray, length: float) -> FloatArray:
    """Consistent nodal loads (4, dim) of a force per length of undeformed beam."""
    return np.outer(length * np.array([0.5, length / 12, 0.5, -length / 12]), force_per_length)

"""The inertia of a finite-volume beam element, a mass matrix that is not symmetric by nature
[Fumagalli2009 App. 2].

Equilibrium of the piece [a, b] of the reference line p(ξ) that belongs to node i, about the node,
with the inertia of the sections:

    M_ij = ∫_a^b [I 0; (p − p_i)× I] [m̄ I  s̄×ᵀ; s̄×  J̄] [N_j I  0; 0  N_j Γ(ξ)] (dp/dξ) dξ        [Fumagalli2009 (70)–(74)]

Rows are forces and moments of the nodes, columns their p̈ and g̈ (or ω̇ for Γ = I). Forces of
inertia have an arm about the node, so moments depend on p̈ even where s̄ = 0, while forces do not
depend on ω̇. Γ̇ġ and the terms ω × (ω × s̄), ω × J̄ω are loads, not in M. Nodes lie at ξ = −1, 1 or
−1, 0, 1; pieces end at 0, or at ±1/√3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.gauss.rotation_parameters import cross
from isodyn.linear_solvers.rank import FloatArray

ENDS = {2: (-1.0, 0.0, 1.0), 3: (-1.0, -(3**-0.5), 3**-0.5, 1.0)}


def shape_functions(xi: float, nodes: int) -> tuple[FloatArray, FloatArray]:
    """N and dN/dξ of Lagrange's polynomials through two or three nodes."""
    if nodes == 2:
        return np.array([0.5 * (1 - xi), 0.5 * (1 + xi)]), np.array([-0.5, 0.5])
    return (
        np.array([0.5 * xi * (xi - 1), 1 - xi**2, 0.5 * xi * (xi + 1)]),
        np.array([xi - 0.5, -2 * xi, xi + 0.5]),
    )


def element_inertia(
    p: ArrayLike,
    mass: float,
    inertia: ArrayLike,
    *,
    first_moment: ArrayLike = (0.0, 0.0, 0.0),
    rates: Callable[[float], FloatArray] | None = None,
    points: int = 8,
) -> FloatArray:
    """M (6k, 6k) of an element through the nodes p (k, 3), k = 2 or 3; per node three forces, then
    three moments.

    mass, first_moment, inertia : m̄, s̄ and J̄ per unit length about the reference line, world
        frame; inertia may be a function of ξ
    rates : Γ as a function of ξ; the identity unless given
    points : Gauss points in each piece
    """
    p = np.asarray(p, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] != 3 or p.shape[0] not in ENDS:
        raise InputError(f"an element has two or three nodes in space, received positions of shape {p.shape}")
    if not (np.isfinite(mass) and mass > 0) or not np.isfinite(p).all():
        raise InputError(f"mass per unit length must be positive and positions finite, received {mass}")
    nodes, s = p.shape[0], cross(np.asarray(first_moment, dtype=np.float64))
    M = np.zeros((6 * nodes, 6 * nodes))
    x, w = np.polynomial.legendre.leggauss(points)
    for i, (a, b) in enumerate(zip(ENDS[nodes][:-1], ENDS[nodes][1:], strict=True)):
        for xi, weight in zip(0.5 * (a + b) + 0.5 * (b - a) * x, 0.5 * (b - a) * w, strict=True):
            N, dN = shape_functions(float(xi), nodes)
            stretch = float(np.linalg.norm(dN @ p))  # [Fumagalli2009 (71)]
            if stretch == 0.0:
                raise InputError("two nodes of the element coincide")
            J = inertia(float(xi)) if callable(inertia) else np.asarray(inertia, dtype=np.float64)
            section = np.block([[mass * np.eye(3), s.T], [s, J]])  # [Fumagalli2009 (72)]
            about = np.eye(6)
            about[3:, :3] = cross(N @ p - p[i])  # [Fumagalli2009 (70)]
            spin = np.eye(6)
            if rates is not None:
                spin[3:, 3:] = rates(float(xi))
            block = weight * stretch * about @ section @ spin
            M[6 * i : 6 * i + 6] += np.kron(N, block)  # [Fumagalli2009 (73), (74)]
    return M

"""The inertia of a finite-volume beam element: closed forms, rigid motions, and accelerations with
a mass that is not symmetric."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from isodyn import gauss
from isodyn.errors import InputError
from isodyn.gauss.finite_volume_beam import element_inertia, shape_functions
from isodyn.gauss.rotation_parameters import cross, rate_matrix
from isodyn.kernels.compiled import FloatArray

MASS, J, S = 2.1, np.diag([0.04, 0.01, 0.03]) + 0.002, np.array([0.05, -0.02, 0.03])
STRAIGHT = {2: np.array([[0.0, 0, 0], [1.6, 0, 0]]), 3: np.array([[0.0, 0, 0], [0.8, 0, 0], [1.6, 0, 0]])}
ARC = np.array([[np.sin(x), 1 - np.cos(x), 0.1 * x] for x in (0.0, 0.6, 1.2)])
LINES = [STRAIGHT[2], STRAIGHT[3], ARC]


def rigid_modes(p: FloatArray, origin: FloatArray) -> FloatArray:
    """Nodal (p̈, ω̇) of unit accelerations and unit angular accelerations about the origin."""
    modes = np.zeros((6 * len(p), 6))
    for i, point in enumerate(p):
        modes[6 * i : 6 * i + 3, :3] = np.eye(3)
        modes[6 * i : 6 * i + 3, 3:] = -cross(point - origin)
        modes[6 * i + 3 : 6 * i + 6, 3:] = np.eye(3)
    return modes


def rigid_inertia(p: FloatArray, origin: FloatArray) -> FloatArray:
    """Mass, first and second moments of the line, by midpoint sums: nothing of the element is used
    but its line."""
    total, count = np.zeros((6, 6)), 4000
    for k in range(count):
        N, dN = shape_functions(-1 + (2 * k + 1) / count, len(p))
        r, ds = cross(N @ p - origin), 2 / count * np.linalg.norm(dN @ p)
        s = cross(S)
        total[:3, :3] += MASS * np.eye(3) * ds
        total[:3, 3:] -= (MASS * r + s) * ds
        total[3:, :3] += (MASS * r + s) * ds
        total[3:, 3:] += (J - MASS * r @ r - r @ s - s @ r) * ds
    return total


def test_two_nodes_straight() -> None:
    """Forces m̄L (3/8, 1/8), moments of the arm m̄L² (1/12, 1/24) across the line; forces do not
    feel ω̇ where s̄ = 0."""
    L, M = 1.6, element_inertia(STRAIGHT[2], MASS, J)
    identity = np.eye(3)
    assert np.abs(M[:3, :3] - 3 / 8 * MASS * L * identity).max() < 1e-14
    assert np.abs(M[:3, 6:9] - 1 / 8 * MASS * L * identity).max() < 1e-14
    assert np.abs(M[3:6, :3] - MASS * L**2 / 12 * cross([1.0, 0, 0])).max() < 1e-14
    assert np.abs(M[3:6, 6:9] - MASS * L**2 / 24 * cross([1.0, 0, 0])).max() < 1e-14
    assert np.abs(M[9:, 6:9] + MASS * L**2 / 12 * cross([1.0, 0, 0])).max() < 1e-14
    assert np.abs(M[3:6, 3:6] - 3 / 8 * L * J).max() < 1e-14
    assert not M[:3, 3:6].any()
    assert np.abs(M - M.T).max() > 0.4


def test_three_nodes_straight() -> None:
    """Pieces end at ±1/√3: m̄L/2 ∫ N_j over each of them, and the arms of the middle piece."""
    L, M = 1.6, element_inertia(STRAIGHT[3], MASS, J)
    functions = [np.polynomial.Polynomial(c) for c in ([0, -0.5, 0.5], [1, 0, -1], [0, 0.5, 0.5])]
    ends = (-1.0, -(3**-0.5), 3**-0.5, 1.0)
    for i in range(3):
        for j, N in enumerate(functions):
            share = N.integ()(ends[i + 1]) - N.integ()(ends[i])
            assert np.abs(M[6 * i : 6 * i + 3, 6 * j : 6 * j + 3] - 0.5 * MASS * L * share * np.eye(3)).max() < 1e-14
    arm = (functions[2] * np.polynomial.Polynomial([0, 1])).integ()
    moment = 0.25 * MASS * L**2 * (arm(ends[2]) - arm(ends[1]))
    assert np.abs(M[9:12, 12:15] - moment * cross([1.0, 0, 0])).max() < 1e-14


@pytest.mark.parametrize("p", LINES, ids=["straight 2", "straight 3", "arc"])
def test_rigid_motions_see_the_inertia_of_the_line(p: FloatArray) -> None:
    """Forces and moments about any point add up to those of the rigid line: total mass, first and
    second moments."""
    M = element_inertia(p, MASS, J, first_moment=S)
    assert np.abs(M - M.T).max() > 0.1
    for origin in (np.zeros(3), np.array([0.4, -0.3, 0.8])):
        Z = rigid_modes(p, origin)
        assert np.abs(Z.T @ M @ Z - rigid_inertia(p, origin)).max() < 1e-6
    assert np.linalg.matrix_rank(M) == M.shape[0]


@pytest.mark.parametrize("p", LINES, ids=["straight 2", "straight 3", "arc"])
def test_an_element_made_rigid_accelerates_like_a_rigid_body(p: FloatArray) -> None:
    """Rows that allow rigid motions only, mass not symmetric: a = Z (ZᵀMZ)⁻¹ZᵀQ, and the
    multipliers balance the rest."""
    M, Z = element_inertia(p, MASS, J, first_moment=S), rigid_modes(p, np.zeros(3))
    A = np.linalg.svd(Z.T)[2][6:]
    Q = np.random.default_rng(5).normal(size=M.shape[0])
    found = gauss.solve(M, Q, A, np.zeros(len(A)), "non-symmetric")
    assert np.abs(found.a - Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ Q)).max() < 1e-11 * np.abs(found.a).max()
    assert np.abs(M @ found.a + A.T @ found.lam - Q).max() < 1e-12 * np.abs(Q).max()


@pytest.mark.parametrize("p", LINES, ids=["straight 2", "straight 3", "arc"])
def test_a_clamped_element_in_rotation_parameters(p: FloatArray) -> None:
    """Unknown g̈ with angles interpolated along the element: the same answer as the matrix of all
    unknowns; redundant rows too."""
    nodes = len(p)
    angles = np.linspace([0.2, 0.9, -0.4], [0.6, 1.3, 0.1], nodes)

    def rates(xi: float) -> Any:
        return rate_matrix(shape_functions(xi, nodes)[0] @ angles)

    M = element_inertia(p, MASS, J, first_moment=S, rates=rates)
    n = M.shape[0]
    X = np.eye(n)
    for i in range(nodes):
        X[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = rate_matrix(angles[i])
    A, b = np.eye(n)[:6], np.arange(6.0)
    Q = np.random.default_rng(8).normal(size=n)
    found = gauss.solve(M, Q, A, b, "non-symmetric", A_star=A @ X)
    whole = np.linalg.solve(np.block([[M, A.T], [A @ X, np.zeros((6, 6))]]), np.concatenate([Q, b]))
    assert np.abs(found.a - whole[:n]).max() < 1e-10 * np.abs(whole[:n]).max()
    assert np.abs(found.lam - whole[n:]).max() < 1e-10 * np.abs(whole[n:]).max()
    twice = gauss.solve(
        M, Q, np.vstack([A, A[:2]]), np.concatenate([b, b[:2]]), "non-symmetric", A_star=np.vstack([A, A[:2]]) @ X
    )
    assert np.abs(twice.a - found.a).max() < 1e-10 * np.abs(found.a).max()
    assert twice.rank == 6


def test_bad_elements() -> None:
    """Typed errors."""
    with pytest.raises(InputError, match="two or three nodes in space"):
        element_inertia(np.zeros((4, 3)), 1.0, J)
    with pytest.raises(InputError, match="mass per unit length must be positive"):
        element_inertia(STRAIGHT[2], 0.0, J)
    with pytest.raises(InputError, match="two nodes of the element coincide"):
        element_inertia(np.zeros((2, 3)), 1.0, J)

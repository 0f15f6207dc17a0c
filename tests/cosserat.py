"""Statics of a clamped rod under a dead tip force by shooting: the rod equations integrated along the
arc, with the moment at the clamp as unknown; no elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root


def tip_by_shooting(
    stiffness: np.ndarray, length: float, force: Any, steps: int = 6, curvature: Any = (0.0, 0.0, 0.0)
) -> np.ndarray:
    """Position of the tip and its axes as columns, (3, 4).

    r' = R(e₁ + Γ), R' = R (κ + κ₀)~, m' = −r' × f, (Γ, κ) = C⁻¹(Rᵀf, Rᵀm); R = 1 at the clamp, m = 0 at the tip.
    """
    C, f = np.linalg.inv(stiffness), np.asarray(force, dtype=np.float64)

    def slope(_: float, y: np.ndarray, load: np.ndarray) -> np.ndarray:
        R, m = y[3:12].reshape(3, 3), y[12:]
        strain = C @ np.concatenate([R.T @ load, R.T @ m])
        along = R @ (strain[:3] + np.eye(3)[0])
        k = strain[3:] + np.asarray(curvature)
        turn = R @ np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
        return np.concatenate([along, turn.ravel(), -np.cross(along, load)])

    def end(m_0: np.ndarray, load: np.ndarray) -> np.ndarray:
        start = np.concatenate([np.zeros(3), np.eye(3).ravel(), m_0])
        return solve_ivp(slope, (0.0, length), start, args=(load,), rtol=1e-10, atol=1e-13, method="DOP853").y[:, -1]

    m_0 = np.zeros(3)
    for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
        found = root(lambda m, load=share * f: end(m, load)[12:], m_0, tol=1e-13)
        m_0 = found.x
    y = end(m_0, f)
    return np.column_stack([y[:3], y[3:12].reshape(3, 3)])

"""Explicit members on many coordinates with a mass matrix that changes: each step has its own."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso


@pytest.mark.parametrize("reuse", [None, True])
def test_explicit_steps_follow_the_mass_matrix(reuse: bool | None) -> None:
    """Thirty oscillators (1 + 0.9 sin q) q̈ + 0.45 cos q q̇² = −4 q, whose energy is known: from rest
    at q₀ they are back at rest there after every period, found from the energy by quadrature."""
    n, q0 = 30, 0.9

    def M(q: np.ndarray) -> np.ndarray:
        return np.diag(1.0 + 0.9 * np.sin(q))

    def Q(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
        return -0.45 * np.cos(q) * v**2 - 4.0 * q

    # ½ m(q) q̇² + 2 q² = 2 q₀²; with q = q₀ sin s the period is ∮ ½ √m ds
    s = 2 * np.pi * np.arange(400) / 400
    period = float(np.mean(0.5 * np.sqrt(1.0 + 0.9 * np.sin(q0 * np.sin(s)))) * 2 * np.pi)
    system, errors = iso.MechanicalSystem(M, Q, q0=np.full(n, q0), v0=np.zeros(n)), []
    for steps in (100, 200):
        newton = None if reuse is None else iso.Newton(reuse=reuse)
        sol = iso.integrate(system, iso.Scheme.central_difference(), dt=period / steps, t_end=period, newton=newton)
        errors.append(np.abs(sol.v[-1]).max())
    assert errors[1] < 0.02
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)

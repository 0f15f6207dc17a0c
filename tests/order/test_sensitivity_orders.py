"""Derivatives of runs converge with second order to those of the exact motion, in q, v, a and λ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import isodyn as iso

M, L, G, TH = 1.3, 0.9, 9.81, 1.2


def pendulum(L: float) -> iso.MechanicalSystem:
    return iso.MechanicalSystem(
        M=M * np.eye(2),
        Q=lambda q, v, t: np.array([0.0, -M * G]),
        q0=[L * np.sin(TH), -L * np.cos(TH)],
        v0=[0.0, 0.0],
        phi=lambda q, t: np.array([(q @ q - L * L) / 2]),
        G=lambda q, t: q[None],
        b=lambda q, v, t: np.array([-(v @ v)]),
    )


def exact(t: Any) -> dict[str, Any]:
    """∂/∂L with θ_L = −tθ̇/(2L), since θ depends on t√(g/L) alone."""
    sol = solve_ivp(
        lambda t, y: [y[1], -G / L * np.sin(y[0])], (0, t[-1]), [TH, 0.0], "DOP853", t, rtol=1e-13, atol=1e-13
    )
    th, w = sol.y
    s, c = np.sin(th), np.cos(th)
    acc = -G / L * s
    th_L, w_L = -t * w / (2 * L), -(w + t * acc) / (2 * L)
    acc_L = G / L**2 * s - G / L * c * th_L
    along, across = np.array([c, s]), np.array([-s, c])  # of the motion; towards the pivot
    q_L = np.array([s, -c]) + L * along * th_L
    v_L = along * w + L * (across * th_L * w + along * w_L)
    a_L = along * acc + across * w**2
    a_L = a_L + L * (along * acc_L + across * th_L * acc + 2 * across * w * w_L - along * th_L * w**2)
    # λ = m (θ̇² L + g cos θ)/L
    lam_L = M * (2 * w * w_L + (-G * s * th_L) / L - G * c / L**2)
    return {"q": q_L.T, "v": v_L.T, "a": a_L.T, "lam": lam_L[:, None]}


@pytest.mark.parametrize("scheme", [iso.Scheme.U0(0.8, 0.8, 0.8), iso.Scheme.default()], ids=lambda s: s.name)
def test_pendulum(scheme: iso.Scheme) -> None:
    errors = []
    for dt in (0.01, 0.005):
        sol = iso.integrate(iso.Parametrised(pendulum, L=L), scheme, dt=dt, t_end=1.5, sensitivities=["L"])
        found, right = sol.sensitivity("L"), exact(sol.t)
        errors.append([np.abs(getattr(found, what) - right[what]).max() for what in right])
    slopes = np.log2(np.array(errors[0]) / errors[1])
    assert (np.abs(slopes - 2.0) < 0.12).all(), (slopes, errors)

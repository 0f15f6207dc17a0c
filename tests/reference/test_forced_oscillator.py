"""The exact response of a damped oscillator to a harmonic load.

m q'' + c q' + k q = p sin(ω̄ t):     q = e^{−ξωt} (A cos ω_D t + B sin ω_D t) + C sin ω̄t + D cos ω̄t
C = (p/k) (1 − r²)/((1 − r²)² + (2ξr)²),   D = −(p/k) 2ξr/((1 − r²)² + (2ξr)²),   r = ω̄/ω
"""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels.compiled import FloatArray
from isodyn.systems.loads import harmonic

m, k, xi, p, drive, q0, v0 = 2.0, 50.0, 0.07, 3.0, 3.5, 0.1, -0.4
omega = np.sqrt(k / m)
c = 2.0 * xi * omega * m


def exact(t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """q, v, a; the acceleration from the equation of motion."""
    r, omega_d = drive / omega, omega * np.sqrt(1.0 - xi**2)
    bottom = (1.0 - r**2) ** 2 + (2.0 * xi * r) ** 2
    C, D = p / k * (1.0 - r**2) / bottom, -p / k * 2.0 * xi * r / bottom
    A = q0 - D
    B = (v0 - C * drive + xi * omega * A) / omega_d
    decay, s, co = np.exp(-xi * omega * t), np.sin(omega_d * t), np.cos(omega_d * t)
    q = decay * (A * co + B * s) + C * np.sin(drive * t) + D * np.cos(drive * t)
    v = decay * ((B * omega_d - xi * omega * A) * co - (A * omega_d + xi * omega * B) * s)
    v = v + drive * (C * np.cos(drive * t) - D * np.sin(drive * t))
    return q, v, (p * np.sin(drive * t) - c * v - k * q) / m


@pytest.mark.parametrize(
    "scheme",
    [iso.Scheme.optimal(0.8), iso.Scheme.V0(0.5, 0.5, 0.2), iso.Scheme.newmark(), iso.Scheme.hht(0.7)],
    ids=lambda s: s.name,
)
def test_forced_damped_oscillator(scheme: iso.Scheme) -> None:
    """Second order in q, v and a against the closed form, and close to it."""
    errors = []
    for dt in (0.01, 0.005):
        sol = iso.integrate(iso.LinearSystem(m, c, k, harmonic([p], drive), [q0], [v0]), scheme, dt=dt, t_end=6.0)
        pairs = zip((sol.q, sol.v, sol.a), exact(sol.t), strict=True)
        errors.append([np.abs(got[:, 0] - right).max() / np.abs(right).max() for got, right in pairs])
    rates = np.log2(np.array(errors[0]) / np.array(errors[1]))
    assert np.abs(rates - 2.0).max() < 0.1
    assert np.max(errors[1]) < 2e-3

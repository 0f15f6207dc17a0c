"""Energy of undamped linear systems, taken at t_n itself: E_n = ½ v_nᵀ M v_n + ½ q_nᵀ K q_n.

Measured: the members (1, 1, ρ) of both families keep this energy to rounding from n = 0 on, the
midpoint first step included, also where φ ≠ 0 (only a is shifted in time, q and v are not).
Rounding grows with the frequency: eps·max(1, Ω²) per unit of energy. optimal(ρ) never exceeds E_0;
its energy is not monotone from step to step, but the maxima of every mode over one period do not
rise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

import isodyn as iso

N = 6
K = 100.0 * (2.0 * np.eye(N) - np.eye(N, k=1) - np.eye(N, k=-1))
M = np.diag(1.0 + 0.1 * np.arange(N))
Q0, V0 = np.random.default_rng(1).standard_normal((2, N))
SQUARES, MODES = scipy.linalg.eigh(K, M)
OMEGA = np.sqrt(SQUARES)
EPS = np.finfo(float).eps


def run(scheme: iso.Scheme, dt: float, steps: int, convert: Any = np.array) -> iso.Solution:
    return iso.integrate(iso.LinearSystem(convert(M), None, convert(K), None, Q0, V0), scheme, dt=dt, t_end=steps * dt)


def modal_energies(sol: iso.Solution) -> Any:
    """One column per mode."""
    q, v = sol.q @ M @ MODES, sol.v @ M @ MODES
    return 0.5 * v**2 + 0.5 * SQUARES * q**2


@pytest.mark.parametrize("family", [iso.Scheme.U0, iso.Scheme.V0], ids=["U0V0", "V0U0"])
@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("Omega", [0.2, 10.0], ids=["resolved", "stiff"])
@pytest.mark.parametrize("convert", [np.array, sp.csr_array], ids=["dense", "sparse"])
def test_undamped_members_conserve_energy(family: Any, rho: float, Omega: float, convert: Any) -> None:
    steps = 2000
    energies = modal_energies(run(family(1.0, 1.0, rho), Omega / OMEGA[-1], steps, convert))
    total = energies.sum(axis=1)
    allowed = 10.0 * EPS * max(1.0, Omega**2) * np.sqrt(steps)
    assert np.abs(total / total[0] - 1.0).max() <= allowed
    assert np.abs(energies - energies[0]).max() <= allowed * total[0]


def test_a_dissipative_member_does_not() -> None:
    """The same measure sees the damping of optimal(0.8)."""
    total = modal_energies(run(iso.Scheme.optimal(0.8), 0.2 / OMEGA[-1], 2000)).sum(axis=1)
    assert total[-1] < 0.9999 * total[0]


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("Omega", [0.2, 1.0, 10.0])
def test_optimal_energy_stays_below_its_start_and_its_envelope_falls(rho: float, Omega: float) -> None:
    dt = Omega / OMEGA[-1]
    energies = modal_energies(run(iso.Scheme.optimal(rho), dt, 1500))
    total = energies.sum(axis=1)
    allowed = 1e-11 * total[0]
    assert total.max() <= total[0] + allowed
    for omega, energy in zip(OMEGA, energies.T, strict=True):
        window = max(4, round(2.0 * np.pi / (omega * dt)))
        peaks = energy[: energy.size // window * window].reshape(-1, window).max(axis=1)
        assert np.diff(peaks).max() <= allowed
    if rho < 1.0:
        assert energies[-1, -1] < 0.9995 * energies[0, -1]

"""The epicyclic gear train of Pennestrì and Valentini (2008), section 6: printed matrices, and
growth rates by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from scipy.linalg import expm

import isodyn as iso
from isodyn.gauss import GearTrain
from isodyn.kernels.compiled import FloatArray


def table(t1: float, t2: float, t3: float) -> list[tuple[int, int, int, float]]:
    """Table 1 of the paper."""
    return [(2, 3, 1, t1), (5, 4, 3, t2), (5, 6, 3, t3)]


def draw(rng: Generator) -> tuple[FloatArray, FloatArray, float, float]:
    """Ratios of either sign, inertias of links 2 to 6, mass and distance of the planet."""
    ratios = rng.uniform(0.2, 3.0, 3) * rng.choice([-1.0, 1.0], 3)
    return ratios, rng.uniform(0.1, 5.0, 5), float(rng.uniform(0.1, 2.0)), float(rng.uniform(0.1, 2.0))


def build(ratios: FloatArray, inertia: FloatArray, m5: float, distance: float) -> GearTrain:
    return GearTrain(
        table(*ratios), dict(zip(range(2, 7), inertia, strict=True)), drives=(2, 4), planets=[(5, 3, m5, distance)]
    )


@pytest.mark.parametrize("seed", range(50))
def test_matrices_equal_the_printed_closed_forms(seed: int) -> None:
    """Ψ, V, 𝓜 and 𝓚 of section 6.1."""
    ratios, inertia, m5, distance = draw(rng := default_rng(seed))
    (t1, t2, t3), (I2, I3, I4, I5, I6) = ratios, inertia
    train = build(ratios, inertia, m5, distance)
    Psi = np.array([[1, -t1, 0, 0, 0], [0, t2 - 1, -t2, 1, 0], [0, t3 - 1, 0, 1, -t3]])
    V = np.array([[1, 0], [1 / t1, 0], [0, 1], [(1 - t2) / t1, t2], [(t3 - t2) / (t1 * t3), t2 / t3]])
    M11 = I2 + (I3 + m5 * distance**2) / t1**2 + ((t2 - 1) / t1) ** 2 * I5 + ((t2 - t3) / (t1 * t3)) ** 2 * I6
    M12 = (1 - t2) * t2 / t1 * I5 + (t3 - t2) * t2 / (t1 * t3**2) * I6
    M22 = I4 + I5 * t2**2 + t2**2 / t3**2 * I6
    kd1, kd2, kr = rng.normal(size=3)
    K11, K12 = kd1 + ((t2 - t3) / (t1 * t3)) ** 2 * kr, t2 * (t3 - t2) / (t1 * t3**2) * kr
    K22 = kd2 + t2**2 / t3**2 * kr
    assert np.array_equal(train.constraints, Psi)
    assert np.abs(train.speeds - V).max() < 1e-12 * np.abs(V).max()
    assert np.abs(train.constraints @ train.speeds).max() < 1e-13 * np.abs(V).max() * np.abs(Psi).max()
    M = np.array([[M11, M12], [M12, M22]])
    assert np.abs(train.reduced_mass - M).max() < 1e-12 * M.max()
    K = np.array([[K11, K12], [K12, K22]])
    assert np.abs(train.reduced_slope({2: kd1, 4: kd2, 6: kr}) - K).max() < 1e-12 * np.abs(K).max()


def test_speeds_obey_willis_formula() -> None:
    """(ω_i − ω_k)/(ω_j − ω_k) = τ in every circuit, for any speeds of the driving shafts."""
    ratios, inertia, m5, distance = draw(rng := default_rng(7))
    train = build(ratios, inertia, m5, distance)
    omega = {1: 0.0, **dict(zip(train.links, train.speeds @ rng.normal(size=2), strict=True))}
    for i, j, k, ratio in train.circuits:
        assert abs((omega[i] - omega[k]) / (omega[j] - omega[k]) - ratio) < 1e-12


# ---- stability


def full_system(train: GearTrain, slopes: dict[int, float], start: FloatArray) -> iso.MechanicalSystem:
    """All shafts with the circuits as constraints on speeds: the second route, without V."""
    Psi, k = train.constraints, np.array([slopes.get(link, 0.0) for link in train.links])
    n = len(train.links)
    return iso.MechanicalSystem(
        train.mass,
        lambda q, v, t: k * v,
        np.zeros(n),
        start,
        psi=lambda q, v, t: Psi @ v,
        psi_v=lambda q, v, t: Psi,
        psi_rest=lambda q, v, t: np.zeros(Psi.shape[0]),
    )


@pytest.mark.parametrize(
    ("slopes", "stable"),
    [
        # motors that weaken with speed, a load that grows with it
        ({2: -0.8, 4: -0.5, 6: -0.3}, True),
        ({2: 0.6, 4: 0.4, 6: 0.9}, False),
        ({2: -0.8, 4: 0.3, 6: -0.1}, False),
        ({6: -1.0}, False),  # one shaft cannot damp two freedoms: a rate of zero
    ],
)
def test_growth_of_a_disturbance_is_that_of_the_eigenvalues(slopes: dict[int, float], stable: bool) -> None:
    """Time integration of all shafts with their constraints: Δω(t) = V e^{𝓜⁻¹𝓚 t} Δω(0), and it
    grows where λ > 0."""
    train = GearTrain(table(-0.6, 1.7, -0.9), dict(zip(range(2, 7), (1.0, 0.7, 1.4, 0.2, 0.5), strict=True)), (2, 4))
    found = train.stability(slopes)
    assert found.stable is stable
    V, T = train.speeds, 3.0
    start = V @ np.array([0.3, -0.2])
    sol = iso.integrate_adaptive(full_system(train, slopes, start), t_end=T, rtol=1e-11)
    expected = V @ expm(np.linalg.solve(found.M, found.K) * T) @ np.array([0.3, -0.2])
    assert np.abs(sol.v[-1] - expected).max() < 1e-9 * max(1.0, np.abs(expected).max())
    rate, shape = found.rates[-1], found.shapes[:, -1]
    alone = iso.integrate_adaptive(full_system(train, slopes, V @ shape), t_end=1.0, rtol=1e-11)
    assert np.abs(alone.v[-1] - np.exp(rate) * (V @ shape)).max() < 1e-9 * np.exp(rate)
    # with +𝓚 on the left, as (38) and (40) are printed, the same 𝓚 predicts the opposite
    printed = np.sort(np.linalg.eigvals(np.linalg.solve(found.M, -found.K)).real)
    assert np.abs(printed + found.rates[::-1]).max() < 1e-12


def test_eigenvalues_change_sign_with_the_slope_of_the_load() -> None:
    """det 𝓚 = 0 at a slope of the load that the closed form gives; stable below, not above."""
    t1, t2, t3 = -0.6, 1.7, -0.9
    train = GearTrain(table(t1, t2, t3), dict(zip(range(2, 7), (1.0, 0.7, 1.4, 0.2, 0.5), strict=True)), (2, 4))
    kd1, kd2 = -0.8, -0.5
    alpha, beta = (t3 - t2) / (t1 * t3), t2 / t3
    critical = -kd1 * kd2 / (kd1 * beta**2 + kd2 * alpha**2)  # (kd1 + α²k)(kd2 + β²k) = α²β²k²
    assert critical > 0.0
    below, above = (train.stability({2: kd1, 4: kd2, 6: factor * critical}) for factor in (0.999, 1.001))
    assert below.stable
    assert not above.stable
    assert below.rates[-1] < 0.0 < above.rates[-1]
    assert abs(train.stability({2: kd1, 4: kd2, 6: critical}).rates[-1]) < 1e-12


def test_a_simple_planetary_stage() -> None:
    """Sun 2, ring 3 held to ground, carrier 4, planet 5: carrier speed = sun
    speed / (1 + z_ring/z_sun)."""
    z_sun, z_ring, z_planet = 20, 70, 25
    train = GearTrain(
        [(5, 2, 4, -z_sun / z_planet), (5, 1, 4, z_ring / z_planet)],
        {2: 0.3, 4: 0.9, 5: 0.05},
        drives=[2],
        planets=[(5, 4, 1.5, 0.2)] * 3,
    )
    sun, carrier, _ = train.speeds[:, 0]
    assert sun == 1.0
    assert abs(carrier - 1.0 / (1.0 + z_ring / z_sun)) < 1e-14
    assert train.mass[1, 1] == pytest.approx(0.9 + 3 * 1.5 * 0.2**2)

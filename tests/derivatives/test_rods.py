"""Rods: forces are the differences of the energy, tangents those of the forces, and rigid motions
leave curved and twisted rods unstrained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.bodies.rigid_motions import log_coefficients, screw_between
from isodyn.kernels.compiled import JACOBIAN
from isodyn.systems.questions import Questions

WEIGHTS = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)  # eighth order
H = 2e-3
NONE = np.zeros(0)


def slope(f: Any) -> Any:
    return sum(w * f((k - 4) * H) for k, w in enumerate(WEIGHTS)) / H


def helix(s: float) -> tuple[float, float, float]:
    return np.cos(s), np.sin(s), 0.3 * s


MODELS = ["exact", "absolute-nodal"]


def rod(damping: Any = 0.0, mass: str = "consistent", gravity: Any = (0.3, -0.2, -9.81), model: Any = "exact") -> Any:
    """Two elements of a curved, twisted rod whose section couples everything."""
    root = np.random.default_rng(3).normal(size=(6, 6))
    section = iso.Section(
        EA=100.0,
        GAy=40.0,
        GAz=50.0,
        GJ=3.0,
        EIy=5.0,
        EIz=4.0,
        rhoA=0.7,
        rhoIy=0.02,
        rhoIz=0.03,
        damping=damping,
        coupling=0.1 * root @ root.T,
    )
    mech = iso.Mechanism(gravity=gravity)
    mech.add_beam("rod", curve=helix, elements=2, section=section, model=model, twist=0.7, mass=mass)
    return mech.compile()


def flat_rod(damping: Any) -> Any:
    """Two elements in the plane, with a coupling of stretching and bending."""
    coupling = np.zeros((6, 6))
    coupling[0, 5] = coupling[5, 0] = 3.0
    section = iso.Section(EA=100.0, GA=40.0, EI=4.0, rhoA=0.7, rhoI=0.03, damping=damping, coupling=coupling)
    mech = iso.Mechanism(gravity=(0.3, -9.81, 0.0))
    mech.add_beam("rod", (0.1, 0.2), (0.9, 1.0), elements=2, section=section, model="exact")
    return mech.compile()


def moved(system: Any, q: np.ndarray, d: np.ndarray) -> np.ndarray:
    return q + d if system.retract is None else system.retract(q, d)


def state(system: Any, size: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    q = moved(system, system.q0, size * rng.normal(size=system.nv))
    return q, rng.normal(size=system.nv), rng.normal(size=system.nv)


@pytest.mark.parametrize("size", [1e-3, 0.3, 0.9])
@pytest.mark.parametrize(("model", "mass"), [*((m, "consistent") for m in (*MODELS, "planar")), ("exact", "lumped")])
def test_tangents_are_differences_of_forces(size: float, model: str, mass: str) -> None:
    """Over a, v and q, damping included, to 1e-10 of the largest entry."""
    system = flat_rod((0.3, 0.2)) if model == "planar" else rod(damping=(0.3, 0.2), mass=mass, model=model)
    ask, n = Questions(system), system.nv
    q, v, a = state(system, size)
    ways = {
        (1.0, 0.0, 0.0): lambda e: slope(lambda s: ask.balance(0.0, q, v, a + s * e, NONE)),
        (0.0, 1.0, 0.0): lambda e: slope(lambda s: ask.balance(0.0, q, v + s * e, a, NONE)),
        (0.0, 0.0, 1.0): lambda e: slope(lambda s: ask.balance(0.0, moved(system, q, s * e), v, a, NONE)),
    }
    for weights, way in ways.items():
        J = ask.ask(JACOBIAN, 0.0, q, v, a, n * n, None, weights).reshape(n, n)
        found = np.array([way(e) for e in np.eye(n)]).T
        rounding = 4e-16 / H * np.abs(ask.balance(0.0, q, v, a, NONE)).max()
        assert np.abs(J - found).max() < 1e-10 * np.abs(found).max() + rounding


@pytest.mark.parametrize("size", [1e-3, 0.3, 0.9])
@pytest.mark.parametrize("model", [*MODELS, "planar"])
def test_forces_are_differences_of_the_energy(size: float, model: str) -> None:
    system = flat_rod(0.0) if model == "planar" else rod(model=model)
    q, still = state(system, size)[0], np.zeros(system.nv)
    forces = Questions(system).balance(0.0, q, still, still, NONE)
    found = [slope(lambda s, e=e: system.energy(moved(system, q, s * e), still, 0.0)[1]) for e in np.eye(system.nv)]
    assert np.abs(forces - found).max() < 1e-10 * np.abs(forces).max()


@pytest.mark.parametrize("model", [*MODELS, "planar"])
def test_kinetic_energy_is_that_of_the_mass_matrix(model: str) -> None:
    system = flat_rod(0.0) if model == "planar" else rod(model=model)
    q, v, _ = state(system, 0.3)
    M = Questions(system).mass(0.0, q, v)
    assert np.linalg.eigvalsh(M).min() > 0
    assert abs(system.energy(q, v, 0.0)[0] - 0.5 * v @ M @ v) < 1e-13


@pytest.mark.parametrize("model", MODELS)
def test_rigid_motions_do_not_strain(model: str) -> None:
    """Energy and forces of a curved, twisted rod stay at rounding for random rigid motions."""
    system = rod(gravity=(0, 0, 0), model=model)
    still, exact = np.zeros(system.nv), model == "exact"
    for seed in range(20):
        turn, shift = Rotation.random(random_state=seed), np.random.default_rng(seed).normal(size=3)
        q = system.q0.copy() if exact else (turn.apply(system.q0.reshape(-1, 3)) + shift).ravel()
        for k in range(3 if exact else 0):
            pose = q[7 * k : 7 * k + 7]
            turned = (turn * Rotation.from_quat(pose[[4, 5, 6, 3]])).as_quat()
            pose[:3], pose[3:] = turn.apply(pose[:3]) + shift, turned[[3, 0, 1, 2]]
        assert system.energy(q, still, 0.0)[1] < 1e-27
        assert np.abs(Questions(system).balance(0.0, q, still, still, NONE)).max() < 1e-12


@pytest.mark.parametrize("angle", [1e-12, 1e-5, 0.4, 1.4999, 1.5001, 2.5, 3.1])
def test_the_screw_is_the_logarithm_of_the_motion(angle: float) -> None:
    rng = np.random.default_rng(5)
    h = rng.normal(size=6)
    h[3:] *= angle / np.linalg.norm(h[3:])
    twist = np.zeros((4, 4))
    twist[:3, :3] = [[0, -h[5], h[4]], [h[5], 0, -h[3]], [-h[4], h[3], 0]]
    twist[:3, 3] = h[:3]
    motion, R, r = expm(twist), Rotation.random(random_state=2).as_matrix(), rng.normal(size=3)
    d, phi, *_ = screw_between(r, R, r + R @ motion[:3, 3], R @ motion[:3, :3])
    assert np.abs(np.concatenate([d, phi]) - h).max() < 2e-14


def test_series_and_closed_form_of_the_coefficients_meet() -> None:
    """At the angle where one takes over from the other."""
    below, above = np.array(log_coefficients(2.25 * (1 - 1e-15))), np.array(log_coefficients(2.25))
    assert np.abs(below - above).max() < 1e-14

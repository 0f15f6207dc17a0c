"""Forces of a beam element are the differences of its energy, tangents those of its forces;
energies equal quadrature over the volume."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.beams import hermite
from isodyn.beams.tables import ENERGIES
from isodyn.kernels.compiled import JACOBIAN
from isodyn.systems.questions import Questions

LENGTH = 1.3
CASES = [(model, 2) for model in ENERGIES] + [("simplified", 3)]


def element(model: str, dim: int, *, damping: Any = 0.0, torque: bool = False) -> Any:
    section = iso.Section(EA=100.0, EI=5.0, rhoA=0.7, EI4=0.3, damping=damping)
    line = np.zeros((2, dim))
    line[1, 0] = LENGTH
    beam = iso.Beam(line, elements=1, section=section, model=model)
    if torque:
        beam.torque("end", 2.0 if dim == 2 else (1.0, 2.0, 3.0))
    return beam.compile()


def placed(system: Any, seed: int = 1) -> np.ndarray:
    """A configuration far from the undeformed one."""
    return system.q0 + 0.2 * np.random.default_rng(seed).normal(size=system.nq)


def jacobian(system: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray, weights: tuple[float, float, float]) -> Any:
    n = system.nv
    return Questions(system).ask(JACOBIAN, 0.0, q, v, a, n * n, None, weights).reshape(n, n)


def differences(f: Any, x: np.ndarray, h: float) -> np.ndarray:
    return np.array(
        [(8 * (f(x + h * e) - f(x - h * e)) - f(x + 2 * h * e) + f(x - 2 * h * e)) / (12 * h) for e in np.eye(x.size)]
    ).T


@pytest.mark.parametrize(("model", "dim"), CASES)
def test_force_is_the_gradient_of_the_energy(model: str, dim: int) -> None:
    """To 1e-9 of the largest force."""
    system = element(model, dim)
    q, none = placed(system), np.zeros(system.nv)
    force = Questions(system).balance(0.0, q, none, none)
    by_energy = differences(lambda x: system.parts_of_energy(x, none).strain, q, 1e-4)
    assert np.abs(force - by_energy).max() < 1e-9 * np.abs(force).max()


@pytest.mark.parametrize(("model", "dim"), CASES)
def test_tangents_are_exact_and_symmetric(model: str, dim: int) -> None:
    """∂/∂q with torque and damping, ∂/∂v; the stiffness alone is symmetric, and so is the damping
    matrix."""
    system = element(model, dim, damping=(0.02, 0.03 if dim == 2 else 0.0), torque=True)
    rng = np.random.default_rng(2)
    q, v, a = placed(system), rng.normal(size=system.nv), rng.normal(size=system.nv)
    ask = Questions(system)
    K, C = jacobian(system, q, v, a, (0, 0, 1)), jacobian(system, q, v, a, (0, 1, 0))
    assert np.abs(K - differences(lambda x: ask.balance(0.0, x, v, a), q, 1e-4)).max() < 1e-9 * np.abs(K).max()
    assert np.abs(C - differences(lambda x: ask.balance(0.0, q, x, a), v, 1e-2)).max() < 1e-9 * np.abs(C).max()
    still = element(model, dim)
    K = jacobian(still, q, 0 * v, a, (0, 0, 1))
    assert np.abs(K - K.T).max() < 1e-14 * np.abs(K).max()
    assert np.abs(C - C.T).max() < 1e-14 * np.abs(C).max()
    assert np.linalg.eigvalsh(C)[0] > -1e-14 * np.abs(C).max()


@pytest.mark.parametrize(("model", "dim"), CASES)
def test_rigid_motions_produce_no_force(model: str, dim: int) -> None:
    """Turned and shifted, the undeformed element stores nothing; a deformed one stores the same and
    is not damped."""
    system = element(model, dim, damping=(0.02, 0.03 if dim == 2 else 0.0))
    rng, none = np.random.default_rng(3), np.zeros(system.nv)
    R, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
    R *= np.sign(np.linalg.det(R))
    shift = np.tile(np.stack([rng.normal(size=dim), np.zeros(dim)]), (2, 1))

    def move(q: np.ndarray) -> np.ndarray:
        return (q.reshape(4, dim) @ R.T + shift).ravel()

    size = np.abs(jacobian(system, system.q0, none, none, (0, 0, 1))).max()
    assert np.abs(Questions(system).balance(0.0, move(system.q0), none, none)).max() < 1e-14 * size
    assert abs(system.parts_of_energy(move(system.q0), none).strain) < 1e-14 * size
    q = placed(system)
    before, after = (system.parts_of_energy(x, none).strain for x in (q, move(q)))
    assert abs(after / before - 1) < 1e-13
    spin = rng.normal(size=(dim, dim))
    v = (q.reshape(4, dim) @ (spin - spin.T).T + shift).ravel()
    still, turning = (Questions(system).balance(0.0, q, x, none) for x in (none, v))
    assert np.abs(still - turning).max() < 1e-13 * np.abs(still).max()


@pytest.mark.parametrize("model", ["cauchy", "cauchy-tangent", "green-lagrange", "green-lagrange-tangent"])
def test_energy_equals_quadrature_of_the_strain_over_the_section(model: str) -> None:
    """½E ε² over length and height of a rectangle, with the strains of (8.28) and (8.29)."""
    E, width, height = 3.0e3, 0.2, 0.4
    section = iso.Section.rectangle(E=E, rho=1.0, width=width, height=height)
    system = iso.Beam([(0, 0), (LENGTH, 0)], elements=1, section=section, model=model).compile()  # type: ignore[arg-type]
    q = placed(system, 4)
    node = q.reshape(4, 2)
    axis = node[1] if model.endswith("tangent") else node[2] - node[0]
    e = axis / np.linalg.norm(axis)
    n = np.array([-e[1], e[0]])
    x, w = np.polynomial.legendre.leggauss(8)
    xi, weights = (x + 1) / 2, w / 2
    first, second = hermite.shape(xi, LENGTH, 1) @ node, hermite.shape(xi, LENGTH, 2) @ node
    y = height / 2 * x
    cauchy = (first @ e - 1)[:, None] - np.outer(second @ n, y)
    strain = cauchy
    if model.startswith("green"):
        strain = cauchy + 0.5 * ((first @ n)[:, None] ** 2 + cauchy**2)
    energy = LENGTH * height * width * np.einsum("i,j,ij", weights, weights, 0.5 * E * strain**2)
    assert abs(system.parts_of_energy(q, 0 * q).strain / energy - 1) < 1e-12


def test_simplified_energy_equals_quadrature() -> None:
    """½EI ∫|R''|² dX and the chord's stretch."""
    system = element("simplified", 3)
    q = placed(system, 5)
    node = q.reshape(4, 3)
    x, w = np.polynomial.legendre.leggauss(4)
    second = hermite.shape((x + 1) / 2, LENGTH, 2) @ node
    chord = np.linalg.norm(node[2] - node[0])
    energy = LENGTH * (w / 2) @ (0.5 * 5.0 * (second**2).sum(axis=1)) + 50.0 / LENGTH * (chord - LENGTH) ** 2
    assert abs(system.parts_of_energy(q, 0 * q).strain / energy - 1) < 1e-12


def test_mass_matrix_as_printed() -> None:
    """(8.13), and as the integral of SᵀS."""
    L, m = LENGTH, 0.7 * LENGTH
    upper = [
        [13 / 35, 11 * L / 210, 9 / 70, -13 * L / 420],
        [0, L**2 / 105, 13 * L / 420, -(L**2) / 140],
        [0, 0, 13 / 35, -11 * L / 210],
        [0, 0, 0, L**2 / 105],
    ]
    printed = m * (np.array(upper) + np.triu(upper, 1).T)
    x, w = np.polynomial.legendre.leggauss(4)
    S = hermite.shape((x + 1) / 2, L)
    assert np.abs(printed - np.einsum("p,pi,pj", m * w / 2, S, S)).max() < 1e-15
    for dim in (2, 3):
        system = element("simplified", dim)
        none = np.zeros(system.nv)
        M = jacobian(system, system.q0, none, none, (1, 0, 0))
        assert np.abs(M - np.kron(printed, np.eye(dim))).max() < 1e-15
        a = np.random.default_rng(6).normal(size=system.nv)
        assert np.abs(M @ a - Questions(system).balance(0.0, system.q0, none, a)).max() < 1e-13
        assert abs(system.parts_of_energy(system.q0, a).kinetic - 0.5 * a @ M @ a) < 1e-13


def test_dirac_multipliers_solve_the_conditions() -> None:
    """(8.92) by differences of Φ of (8.83), and the force of (8.94) equals that of the standard
    form."""
    from isodyn.beams.dirac import multipliers
    from isodyn.beams.tables import CAUCHY, GREEN_LAGRANGE, ElementData, ElementScratch

    rng = np.random.default_rng(7)
    q = element("cauchy", 2).q0 + 0.2 * rng.normal(size=8)
    t1, d, t2 = q[2:4], q[4:6] - q[:2], q[6:8]
    e = d / np.linalg.norm(d)
    n = np.array([-e[1], e[0]])
    own, scratch = ElementData(), ElementScratch()
    own.b, own.dim, own.length, own.EA, own.EI, own.EI4, own.mass = 4, 2, LENGTH, 100.0, 5.0, 0.3, 0.7 * LENGTH

    def constraints(Y: np.ndarray, a: np.ndarray, b: np.ndarray, u: np.ndarray) -> np.ndarray:
        chord = Y[4:6] - Y[:2]
        axis = chord / np.linalg.norm(chord)
        T = np.array([a @ Y[2:4], b @ Y[2:4], a @ chord, a @ Y[6:8], b @ Y[6:8]])
        return np.concatenate([a - axis, b - np.array([-axis[1], axis[0]]), u - T])

    u = np.array([e @ t1, n @ t1, e @ d, e @ t2, n @ t2])
    assert np.abs(constraints(q, e, n, u)).max() < 1e-15
    for kind, name in ((CAUCHY, "cauchy"), (GREEN_LAGRANGE, "green-lagrange")):
        own.energy = kind
        multipliers(q, own, scratch)
        lam = np.concatenate([scratch.of_a, scratch.of_b, scratch.of_z])
        assert np.abs(lam @ differences(lambda x: constraints(q, x, n, u), e, 1e-3)).max() < 1e-10
        assert np.abs(lam @ differences(lambda x: constraints(q, e, x, u), n, 1e-3)).max() < 1e-10
        force = lam @ differences(lambda x: constraints(x, e, n, u), q, 1e-3)
        standard, dirac = (
            Questions(element(x, 2)).balance(0.0, q, np.zeros(8), np.zeros(8)) for x in (name, f"{name}-dirac")
        )
        assert np.abs(force - standard).max() < 1e-9 * np.abs(standard).max()
        assert np.abs(dirac - standard).max() < 1e-14 * np.abs(standard).max()

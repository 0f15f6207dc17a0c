"""Constraints in a basis: rows stay, or are held, or the basis is refused because it locks them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.errors import InputError, LockingError

SCHEME = iso.Scheme.U0(0.8, 0.8, 0.8)


def pendulum() -> iso.MechanicalSystem:
    """A particle on a circle, in x and y."""
    return iso.MechanicalSystem(
        np.eye(2),
        lambda q, v, t: np.array([0.0, -9.81]),
        [1.0, 0.0],
        [0.0, 0.0],
        phi=lambda q, t: np.array([q @ q - 1.0]),
        G=lambda q, t: 2.0 * q[None],
        b=lambda q, v, t: np.array([-2.0 * v @ v]),
        row_names=["length"],
    )


@pytest.fixture(scope="module")
def swing() -> iso.Solution:
    return iso.integrate(pendulum(), SCHEME, dt=0.01, t_end=1.0)


def test_no_freedom_left(swing: iso.Solution) -> None:
    """One direction cannot follow a circle."""
    with pytest.raises(
        LockingError, match="1 directions under 1 independent rows leave no freedom; the full system has 1"
    ):
        iso.reduce(swing.system, iso.pod(swing, rank=1))


def test_both_directions_are_the_pendulum(swing: iso.Solution) -> None:
    basis = iso.pod(swing, rank=2, centred=True)
    back = basis.lift(iso.integrate(iso.reduce(swing.system, basis), SCHEME, dt=0.01, t_end=1.0))
    np.testing.assert_allclose(back.q, swing.q, atol=1e-10)
    np.testing.assert_allclose(back.lam, swing.lam, atol=1e-7)
    assert max(back.drift().largest[:2]) < 1e-12


def test_start_outside_the_ansatz_is_brought_to_the_rows() -> None:
    """A chain of masses on a ring: the projected start misses the row, the start of the reduced
    system does not."""
    n = 4
    rng = np.random.default_rng(0)
    system = iso.MechanicalSystem(
        np.eye(n),
        lambda q, v, t: -np.arange(1.0, n + 1) * q,
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.5, 0.2, 0.1],
        phi=lambda q, t: np.array([q @ q - 1.0]),
        G=lambda q, t: 2.0 * q[None],
        b=lambda q, v, t: np.array([-2.0 * v @ v]),
    )
    basis = iso.reduction.Basis(np.linalg.qr(rng.standard_normal((n, 3)))[0], np.zeros(n))
    red = iso.reduce(system, basis)
    assert abs(np.linalg.norm(basis.V @ red.q0) - 1.0) < 1e-12
    sol = iso.integrate(red, SCHEME, dt=0.01, t_end=1.0)
    assert max(basis.lift(sol).drift().largest[:2]) < 1e-12


def test_rows_that_cannot_be_met_near_the_start() -> None:
    """A circle that the ansatz does not reach."""
    three = iso.MechanicalSystem(
        np.eye(3),
        lambda q, v, t: -q,
        [0.1, 0.0, np.sqrt(0.35)],
        np.zeros(3),
        phi=lambda q, t: np.array([q @ q - 0.36]),
        row_names=["sphere"],
    )
    above = iso.reduction.Basis(np.eye(3)[:, :2], np.array([0.0, 0.0, 1.0]))
    with pytest.raises(
        LockingError, match="no configuration of the basis near the start fulfils the constraints: 'sphere'"
    ):
        iso.reduce(three, above)


def test_velocity_that_is_blocked() -> None:
    """Two particles tied by x₁ = x₂; a basis in which only the first moves can follow neither,
    though one freedom is left."""
    system = iso.LinearSystem(
        np.diag([1.0, 0.01, 1.0]),
        None,
        np.eye(3),
        None,
        np.zeros(3),
        [1.0, 1.0, 0.0],
        G=[[1.0, -1.0, 0.0]],
        row_names=["tie"],
    )
    basis = iso.reduction.Basis(np.eye(3)[:, [0, 2]], np.zeros(3))
    with pytest.raises(
        LockingError, match=r"at t = 0 the rows leave only \d+% of the run's velocity, 'tie' is in the way"
    ):
        iso.reduce(system, basis)


def test_rows_that_become_dependent() -> None:
    """Two independent rows that say the same in every direction of the basis."""
    G = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    system = iso.LinearSystem(
        np.eye(4), None, np.eye(4), None, np.zeros(4), [0, 0, 1.0, 1.0], G=G, row_names=["left", "right"]
    )
    V = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]) / np.array([np.sqrt(2), 1, 1])
    with pytest.raises(
        LockingError, match=r"'(left|right)' depends on '(left|right)' in its directions, though not in the full"
    ):
        iso.reduce(system, iso.reduction.Basis(V, np.zeros(4)))


@pytest.fixture(scope="module")
def crank() -> iso.Solution:
    system = iso.problems.get("flexible_slider_crank").system(elements=12.0)
    return iso.integrate(system, SCHEME, dt=1e-4, t_end=0.05)


def test_rod_of_a_slider_crank_with_its_ends_kept(crank: iso.Solution) -> None:
    """Interior of the rod in 8 directions, its end nodes and the bodies as they are: all rows and
    multipliers stay."""
    system: Any = crank.system
    interior = np.arange(4, system.q_of("rod.end").start)
    basis = iso.pod(crank, rank=8, columns=interior)
    red = iso.reduce(system, basis)
    assert red.m == system.m == 9
    assert red.nv == 8 + 4 + 4 + 6
    back = basis.lift(iso.integrate(red, SCHEME, dt=1e-4, t_end=0.05))
    # no motion in the span comes closer
    nearest = basis.embedding(system.nq, system.nv).q(basis.coordinates(crank.q))
    assert np.abs(back.q - crank.q).max() < 10 * np.abs(nearest - crank.q).max() < 2e-4
    assert np.abs(back.lam - crank.lam).max() < 0.02 * np.abs(crank.lam).max()
    assert max(back.drift().largest[:2]) < 1e-12
    force = back.reaction("wrist pin").force, crank.reaction("wrist pin").force
    assert np.abs(force[0] - force[1]).max() < 0.03 * np.abs(force[1]).max()


def test_whole_rod_in_a_basis_is_refused(crank: iso.Solution) -> None:
    """Two directions leave no freedom; with six the guide and the wrist pin say the same."""
    system: Any = crank.system
    rod = np.arange(system.q_of("rod.end").stop)
    with pytest.raises(
        LockingError, match="2 directions and 6 coordinates that stay under 8 independent rows leave no freedom"
    ):
        iso.reduce(system, iso.pod(crank, rank=2, columns=rod))
    with pytest.raises(LockingError, match=r"'guide: offset across the axis' depends on .*'wrist pin: point y'"):
        iso.reduce(system, iso.pod(crank, rank=6, columns=rod))


def test_hinged_beam_keeps_its_rows_with_the_node_kept() -> None:
    """A swinging strip: the hinge node stays, its reaction is that of the full run."""
    strip = iso.Beam([(0, 0), (1, 0)], elements=10, section=iso.Section(EA=1e4, EI=5.0, rhoA=1.0), gravity=(0, -9.81))
    strip.hinge("start")
    system = strip.compile()
    sol = iso.integrate(system, SCHEME, dt=0.002, t_end=0.6)
    basis = iso.pod(sol, rank=8, columns=np.arange(4, system.nv), about=system.q0)
    red = iso.reduce(system, basis)
    assert red.m == 2
    back = basis.lift(iso.integrate(red, SCHEME, dt=0.002, t_end=0.6))
    # no motion in the span comes closer
    nearest = basis.embedding(system.nq, system.nv).q(basis.coordinates(sol.q))
    assert np.abs(back.q - sol.q).max() < 10 * np.abs(nearest - sol.q).max() < 3e-3
    assert np.linalg.norm(back.lam - sol.lam) < 0.03 * np.linalg.norm(sol.lam)


@pytest.mark.parametrize("name", ["knife_edge", "rheonomic_crank", "beam_and_bodies"])
def test_turned_coordinates_of_constrained_problems(name: str) -> None:
    """Nonholonomic, moving and joint rows: all directions of a turned basis give the same motion
    and multipliers."""
    problem = problems.get(name)
    system: Any = problem.system()
    turned = np.linalg.qr(np.random.default_rng(6).standard_normal((system.nv, system.nv)))[0]
    basis = iso.reduction.Basis(turned, np.zeros(system.nv))
    options: Any = {"dt": problem.dt / 4, "t_end": 10 * problem.dt, "newton": iso.Newton(rtol=1e-12)}
    sol = iso.integrate(system, SCHEME, **options)
    red = iso.reduce(system, basis)
    assert (red.m, red.m_phi) == (system.m, system.m_phi)
    back = basis.lift(iso.integrate(red, SCHEME, **options))
    for x in ("q", "v", "lam"):
        assert np.abs(getattr(back, x) - getattr(sol, x)).max() < 1e-6 * np.abs(getattr(sol, x)).max(), x


def test_orientations_cannot_be_reduced() -> None:
    system = problems.get("spinning_top").system()
    with pytest.raises(InputError, match="no vector space cannot be reduced as a whole"):
        iso.reduce(system, iso.reduction.Basis(np.eye(system.nv), np.zeros(system.nv)))
    columns = np.array([2, 3])
    with pytest.raises(InputError, match="only coordinates that add like vectors"):
        iso.reduce(system, iso.reduction.Basis(np.eye(2), system.q0[columns], columns=columns))

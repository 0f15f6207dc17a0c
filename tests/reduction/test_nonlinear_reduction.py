"""Reduced nonlinear systems: any model between lifting and projection; the full basis changes
nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numba import njit

import isodyn as iso
from isodyn.kernels.compiled import BALANCE, JACOBIAN
from isodyn.systems.questions import Questions

N = 5
K = np.diag([2.0] * N) - np.eye(N, k=1) - np.eye(N, k=-1)
Q0, V0 = np.linspace(0.3, 1.0, N), np.linspace(0.5, -0.5, N)
SCHEME = iso.Scheme.U0(0.7, 0.9, 0.2)


@njit
def force(q, v, t):  # type: ignore[no-untyped-def]
    out = np.sin(2.0 * t) - q**3 - 0.1 * v
    for i in range(q.size):
        out[i] -= 2.0 * q[i]
        if i > 0:
            out[i] += q[i - 1]
        if i < q.size - 1:
            out[i] += q[i + 1]
    return out


@njit
def force_q(q, v, t):  # type: ignore[no-untyped-def]
    out = np.zeros((q.size, q.size))
    for i in range(q.size):
        out[i, i] = -2.0 - 3.0 * q[i] ** 2
        if i > 0:
            out[i, i - 1] = out[i - 1, i] = 1.0
    return out


@njit
def force_v(q, v, t):  # type: ignore[no-untyped-def]
    return -0.1 * np.eye(q.size)


def chain(kind: str) -> iso.MechanicalSystem:
    M = np.diag(np.arange(1.0, N + 1))
    energy = lambda q, v, t: (0.5 * v @ M @ v, 0.5 * q @ K @ q + 0.25 * (q**4).sum())  # noqa: E731
    if kind == "compiled":
        return iso.MechanicalSystem(M, force, Q0, V0, Q_q=force_q, Q_v=force_v, energy=energy)
    Q, Q_q, Q_v = force.py_func, force_q.py_func, force_v.py_func
    if kind == "Python":
        return iso.MechanicalSystem(lambda q: M, Q, Q0, V0, energy=energy)
    if kind == "Python, tangents":
        return iso.MechanicalSystem(M, Q, Q0, V0, Q_q=Q_q, Q_v=Q_v, energy=energy)
    sparse = [(lambda q, v, t, f=f: sp.csr_array(f(q, v, t))) for f in (Q_q, Q_v)]
    return iso.MechanicalSystem(sp.csr_array(M), Q, Q0, V0, Q_q=sparse[0], Q_v=sparse[1], energy=energy)


def agree(back: iso.Solution, sol: iso.Solution, tolerance: float) -> None:
    for name in ("q", "v", "a", "lam"):
        x, y = getattr(back, name), getattr(sol, name)
        if y.size:
            assert np.abs(x - y).max() <= tolerance * np.abs(y).max(), name


@pytest.mark.slow
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("kind", ["compiled", "Python", "Python, tangents", "sparse"])
def test_full_basis_is_the_full_system(kind: str, centred: bool) -> None:
    """Functions compiled or not, with and without tangents, sparse mass: the same motion in another
    basis."""
    system = chain(kind)
    options: Any = {"dt": 0.05, "t_end": 2.0, "newton": iso.Newton(rtol=1e-12)}
    sol = iso.integrate(system, SCHEME, **options)
    basis = iso.pod(sol, rank=N, centred=centred)
    red_sol = iso.integrate(iso.reduce(system, basis), SCHEME, **options)
    back = basis.lift(red_sol)
    agree(back, sol, 1e-9)
    np.testing.assert_allclose(red_sol.energy(), sol.energy(), rtol=1e-9)


def test_first_order_full_basis() -> None:
    """s' = h(s, t) with a derivative or without, and with an algebraic unknown."""
    s0, options = np.array([1.0, 0.5, -0.3]), {"dt": 0.02, "t_end": 1.0, "newton": iso.Newton(rtol=1e-12)}
    h = lambda s, t: np.array([-s[0] * s[1], s[0] - s[1] ** 2 + np.sin(t), -s[2] + s[0]])  # noqa: E731
    h_s = lambda s, t: np.array([[-s[1], -s[0], 0], [1, -2 * s[1], 0], [1, 0, -1.0]])  # noqa: E731
    for system in (
        iso.FirstOrderSystem(h, s0),
        iso.FirstOrderSystem(h, s0, h_s=h_s),
        iso.FirstOrderSystem(lambda s, z, t: h(s, t) + z, s0, z0=[0.2], c=lambda s, z, t: z - 0.2 * s[:1]),
    ):
        sol = iso.integrate(system, iso.Scheme.optimal(0.6), **options)  # type: ignore[arg-type]
        basis = iso.pod(sol, rank=3, centred=True, inner=np.diag([1.0, 2.0, 3.0]))
        red = iso.reduce(system, basis)
        assert isinstance(red, iso.FirstOrderSystem)
        if red.h_s is not None:
            x, e = red.v0, 1e-6 * np.eye(3)
            slopes = [(red.h(x + d, 0.3) - red.h(x - d, 0.3)) / 2e-6 for d in e]
            np.testing.assert_allclose(red.h_s(x, 0.3), np.array(slopes).T, atol=1e-8)
        back = basis.lift(iso.integrate(red, iso.Scheme.optimal(0.6), **options))  # type: ignore[arg-type]
        np.testing.assert_allclose(back.s, sol.s, atol=1e-9)
        np.testing.assert_allclose(back.z, sol.z, atol=1e-9)


def cantilever(elements: int = 6, torque: float = 0.3) -> Any:
    beam = iso.Beam([(0, 0), (1, 0)], elements=elements, section=iso.Section(EA=1e4, EI=1.0, rhoA=1.0, damping=1e-3))
    beam.clamp("start")
    beam.force("end", (0.0, -2.0), time=iso.Sine(1.0, 8.0))
    beam.torque("end", torque)
    return beam.compile()


def spatial() -> Any:
    """A spatial body that carries a cable, so that q and v differ in length."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_beam("line", (0.5, 0, 0), (1.5, 0, 0), elements=3, section=iso.Section(EA=300.0, EI=0.2, rhoA=0.4))
    mech.add_body(
        "arm",
        0.5,
        np.diag([0.01, 0.02, 0.02]),
        (0.25, 0, 0),
        velocity=(0, -0.025, 0.05),
        angular_velocity=(0.5, 0.2, 0.1),
    )
    mech.add_joint(iso.Spherical("elbow", "arm", "line.start", point=(0.5, 0, 0)))
    return mech.compile()


def check_derivatives(system: Any, t: float = 0.3, seed: int = 0) -> None:
    """JACOBIAN against central differences of BALANCE, in a, v and along q ⊕ d."""
    rng, ask, n = np.random.default_rng(seed), Questions(system), system.nv
    move = system.retract or (lambda q, d: q + d)
    q = move(system.q0, 0.02 * rng.standard_normal(n))
    v, a, lam = rng.standard_normal(n), rng.standard_normal(n), rng.standard_normal(system.m)
    h = 1e-6

    def balance(d: np.ndarray, dv: np.ndarray, da: np.ndarray) -> np.ndarray:
        return ask.ask(BALANCE, t, move(q, d), v + dv, a + da, n, lam)

    none = np.zeros(n)
    for k, weights in enumerate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))):
        J = ask.ask(JACOBIAN, t, q, v, a, n * n, lam, weights).reshape(n, n)
        for j in range(n):
            steps = [[none] * 3, [none] * 3]
            for side, sign in zip(steps, (h, -h), strict=True):
                side[2 - k] = sign * np.eye(n)[j]
            difference = (balance(*steps[0]) - balance(*steps[1])) / (2 * h)
            np.testing.assert_allclose(J[:, j], difference, atol=2e-6 * max(1.0, np.abs(J).max()))


def test_reduced_beam_derivatives() -> None:
    """Loads, torques, damping and constraint rows of a beam in a basis that fulfils none of the
    rows, and in one that keeps some nodes."""
    system = cantilever()
    random = np.linalg.qr(np.random.default_rng(1).standard_normal((system.nv, 12)))[0]
    check_derivatives(iso.reduce(system, iso.reduction.Basis(random, system.q0)))
    columns = np.arange(8, system.nv)
    kept = iso.reduction.Basis(random[8:] / 2, system.q0[8:], columns=columns)
    check_derivatives(iso.reduce(system, kept))


def test_mechanism_in_space_with_a_reduced_cable() -> None:
    """Orientation and body stay; all directions of the cable: the same motion, and tangents along
    the retraction."""
    system = spatial()
    options: Any = {"dt": 0.005, "t_end": 0.2, "newton": iso.Newton(rtol=1e-12)}
    sol = iso.integrate(system, SCHEME, **options)
    cable = np.arange(system.q_of("line.end").stop)
    full = iso.reduction.Basis(
        np.linalg.qr(np.random.default_rng(2).standard_normal((24, 24)))[0], system.q0[cable], columns=cable
    )
    red = iso.reduce(system, full)
    assert (red.nq, red.nv, red.m) == (24 + 7, 24 + 6, 3)
    agree(full.lift(iso.integrate(red, SCHEME, **options)), sol, 1e-8)
    check_derivatives(red)
    q, d = red.q0, 0.1 * np.random.default_rng(3).standard_normal(red.nv)
    np.testing.assert_allclose(red.difference(q, red.retract(q, d)), d, atol=1e-13)


def test_beam_in_its_full_basis() -> None:
    """Every coordinate of a clamped beam, rows included."""
    system = cantilever(3)
    options: Any = {"dt": 0.002, "t_end": 0.1, "newton": iso.Newton(rtol=1e-12)}
    sol = iso.integrate(system, SCHEME, **options)
    turned = np.linalg.qr(np.random.default_rng(4).standard_normal((system.nv, system.nv)))[0]
    basis = iso.reduction.Basis(turned, np.zeros(system.nv))
    red = iso.reduce(system, basis)
    assert red.m == system.m == 3
    agree(basis.lift(iso.integrate(red, SCHEME, **options)), sol, 1e-8)


def test_clamped_beam_loses_its_rows_to_the_basis_and_gets_its_reactions_back() -> None:
    """Snapshots fulfil the clamp: no row is left, and the lifted multipliers are those of the full
    run."""
    system = cantilever(8, torque=0.0)
    sol = iso.integrate(system, SCHEME, dt=0.002, t_end=0.5)
    basis = iso.pod(sol, rank=10, about=system.q0)
    red = iso.reduce(system, basis)
    assert red.m == 0
    back = basis.lift(iso.integrate(red, SCHEME, dt=0.002, t_end=0.5))
    # no motion in the span comes closer
    nearest = basis.embedding(system.nq, system.nv).q(basis.coordinates(sol.q))
    assert np.abs(back.q - sol.q).max() < 10 * np.abs(nearest - sol.q).max() < 2e-4
    error = np.linalg.norm((back.lam - sol.lam)[5:]) / np.linalg.norm(sol.lam)
    assert error < 0.05


def test_ensembles_and_adaptive_steps_run_on_reduced_systems() -> None:
    system = chain("compiled")
    sol = iso.integrate(system, iso.Scheme.midpoint_epa(), dt=0.02, t_end=1.0)
    red = iso.reduce(system, iso.pod(sol, rank=4))
    single = iso.integrate(red, iso.Scheme.midpoint_epa(), dt=0.02, t_end=1.0)
    members = iso.ensemble(red, iso.Scheme.midpoint_epa(), dt=0.02, t_end=1.0, q0=np.array([red.q0, 0.5 * red.q0]))
    np.testing.assert_array_equal(members.q[0, -1], single.q[-1])
    fine = iso.integrate_adaptive(red, t_end=1.0, rtol=1e-10)
    assert np.abs(fine.q[-1] - single.q[-1]).max() < 2e-3

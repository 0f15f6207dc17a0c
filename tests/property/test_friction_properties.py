"""Accelerations with friction on random systems: the equations themselves, and Fan, Kalaba,
Natsuyama and Udwadia's split."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from isodyn import gauss
from isodyn.errors import PainleveError
from isodyn.gauss import Contact, Sliding, Sticking, solve_with_friction

CASES = 400


def draw(seed: int):
    """M, Q, A, b, contacts with mild friction on different rows, modes, and a velocity that the
    constraints allow."""
    rng = default_rng(seed)
    n, m = int(rng.integers(3, 9)), 0
    m = int(rng.integers(1, n - 1))
    B = rng.normal(size=(n, n))
    M = B @ B.T + 0.2 * np.eye(n)
    A, Q, b = rng.normal(size=(m, n)), rng.normal(size=n), rng.normal(size=m)
    count = int(rng.integers(1, min(m, 3) + 1))
    rows = rng.permutation(m)[:count]
    free = np.linalg.svd(A)[2][m:]
    contacts, modes = [], []
    sticking = 0
    for row in rows:
        tangent = rng.normal(size=free.shape[0]) @ free
        contacts.append(Contact(int(row), tangent / np.linalg.norm(tangent), float(rng.uniform(0.0, 0.05)), 10.0))
        if rng.uniform() < 0.4 and sticking < n - m:
            modes.append(Sticking())
            sticking += 1
        else:
            modes.append(Sliding((float(rng.choice([-1.0, 1.0])),)))
    v = rng.normal(size=free.shape[0]) @ free
    return M, Q, A, b, contacts, modes, v


def test_equations_laws_and_split_hold() -> None:
    """M a + Aᵀλ = Q + C, A a = b, |f| = μ|N| against the slip, no slip rate where it sticks;
    vᵀFᴸ = 0 and vᵀFᶜ = vᵀC."""
    done = 0
    for seed in range(CASES):
        M, Q, A, b, contacts, modes, v = draw(seed)
        try:
            result = solve_with_friction(M, Q, A, b, contacts, modes, v=v)
        except PainleveError:
            continue
        done += 1
        size = 1e-10 * np.linalg.cond(M) * (np.abs(Q).max() + np.abs(M @ result.a).max())
        C = sum(f @ np.atleast_2d(c.tangent) for f, c in zip(result.friction, contacts, strict=True))
        assert np.abs(result.C - C).max() <= size
        assert np.abs(M @ result.a + A.T @ result.lam - Q - result.C).max() <= size
        assert np.abs(A @ result.a - b).max() <= 1e-10 * (np.abs(b).max() + np.abs(A).max() * np.abs(result.a).max())
        for contact, mode, N, f, rate in zip(
            contacts, modes, result.normal, result.friction, result.slip_rate, strict=True
        ):
            assert N[0] == -result.lam[contact.rows]
            if isinstance(mode, Sticking):
                assert abs(rate[0]) <= size
            else:
                assert abs(f[0] + contact.mu * abs(N[0]) * mode.direction[0]) <= size
        assert np.abs(result.newton + result.lagrange + result.coulomb - M @ result.a).max() <= size
        assert abs(v @ result.lagrange) <= size * np.abs(v).max()
        assert abs(v @ result.coulomb - v @ result.C) <= size * np.abs(v).max()
        ideal = gauss.solve(M, Q, A, b, "cholesky", C=result.C)
        assert np.abs(ideal.a - result.a).max() <= size * np.linalg.norm(np.linalg.inv(M), 2)
        assert np.abs(ideal.coulomb - result.coulomb).max() <= 10 * size
    assert done > 0.9 * CASES


@pytest.mark.parametrize("seed", range(20))
def test_one_contact_against_a_scan_of_the_reaction(seed: int) -> None:
    """N − W|N| = N⁰ for one bilateral contact: the number of zeros found by scanning N decides
    between answer and error."""
    rng = default_rng(100 + seed)
    M, A, T = np.diag(rng.uniform(0.5, 2.0, 3)), rng.normal(size=(1, 3)), rng.normal(size=3)
    Q, b, mu = rng.normal(size=3), rng.normal(size=1), float(rng.uniform(0.0, 3.0))

    def reaction(pressure: float) -> float:
        C = -mu * pressure * T
        return -float(gauss.solve(M, Q + C, A, b).lam[0])

    scan = np.concatenate([-np.logspace(3, -6, 4000), np.logspace(-6, 3, 4000)])
    N0, W = reaction(0.0), reaction(1.0) - reaction(0.0)
    zeros = int((np.diff(np.sign(scan - N0 - W * np.abs(scan))) != 0).sum())
    contact = Contact(0, T, mu)
    if zeros == 1:
        result = solve_with_friction(M, Q, A, b, [contact], [Sliding((1.0,))])
        assert abs(result.normal[0][0] - reaction(abs(result.normal[0][0]))) < 1e-10 * (1 + abs(result.normal[0][0]))
    else:
        words = "no solution" if zeros == 0 else "several solutions"
        with pytest.raises(PainleveError, match=words):
            solve_with_friction(M, Q, A, b, [contact], [Sliding((1.0,))])


@pytest.mark.parametrize("seed", range(60))
def test_contacts_of_several_rows(seed: int) -> None:
    """f = −μ|N| d with |N| over two rows, alone or beside another contact, in coordinates where
    friction changes the reaction."""
    rng = default_rng(500 + seed)
    B = rng.normal(size=(6, 6))
    M, A = B @ B.T + np.eye(6), rng.normal(size=(3, 6))
    Q, b = rng.normal(size=6), rng.normal(size=3)
    contacts = [Contact((0, 1), rng.normal(size=6), 0.05, scale=2.0, name="wire")]
    if seed % 2:
        contacts.append(Contact(2, rng.normal(size=6), 0.05, name="guide"))
    modes = [Sliding((1.0,))] * len(contacts)
    result = solve_with_friction(M, Q, A, b, contacts, modes)
    ideal = gauss.solve(M, Q, A, b)
    assert np.abs(result.lam - ideal.lam).max() > 1e-5  # friction does change it
    size = 1e-9 * np.linalg.cond(M)
    assert np.abs(M @ result.a + A.T @ result.lam - Q - result.C).max() < size
    assert np.abs(result.normal[0] + 2.0 * result.lam[:2]).max() < size
    for contact, N, f in zip(contacts, result.normal, result.friction, strict=True):
        assert abs(f[0] + contact.mu * np.linalg.norm(N)) < size


def test_a_contact_of_several_rows_can_jam_too() -> None:
    """|N⁰ + xw| = x, (2x ∓ 1)² + 0.01 = x²: two positive roots, or none."""
    M, A, T = np.eye(3), np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.array([1.0, 0.0, 1.0])
    contact = Contact((0, 1), T, 2.0)
    with pytest.raises(PainleveError, match="several solutions"):
        solve_with_friction(M, [-1.0, 0.1, 0.0], A, np.zeros(2), [contact], [Sliding((-1.0,))])
    with pytest.raises(PainleveError, match="no solution"):
        solve_with_friction(M, [1.0, 0.1, 0.0], A, np.zeros(2), [contact], [Sliding((-1.0,))])

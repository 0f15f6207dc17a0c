"""Every method on thousands of random problems: one answer, which meets the constraints, is least,
and balances.

Masses: dense, diagonal, block and banded with condition up to 1e8. Rows: independent, redundant,
more than coordinates, none, zero, with lengths over four decades. Right-hand sides that can be met
and that cannot. Bounds are `Case.bound`, a multiple of rounding and of condition numbers.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from gauss_cases import EPS, MASSES, ROWS, Case, case
from isodyn import gauss
from isodyn.gauss.methods import METHODS, SPARSE

COMBINATIONS = list(itertools.product(MASSES, ROWS, (True, False)))


def cases(kind: str, rows: str, consistent: bool, number: int, salt: int = 0) -> Any:
    rng = np.random.default_rng([MASSES.index(kind), ROWS.index(rows), consistent, salt])
    return (case(rng, kind, rows, consistent) for _ in range(number))


def answers(c: Case, sparse: bool = True) -> Any:
    """(method, a, λ) of every method, also on sparse matrices where a method keeps them."""
    for method in METHODS:
        if method == "block-cholesky" and c.rank < c.b.size:
            continue
        yield method, *gauss.accelerations(method)(c.M, c.Q, c.A, c.b)
        if sparse and method in SPARSE:
            M, A = sp.csc_array(c.M), sp.csr_array(c.A)
            yield f"{method}, sparse", *gauss.accelerations(method)(M, c.Q, A, c.b)


def size(c: Case, a: Any) -> float:
    return float(np.linalg.norm(a) + np.linalg.norm(np.linalg.solve(c.M, c.Q)))


@pytest.mark.parametrize("number_of_cases", [20, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize(("kind", "rows", "consistent"), COMBINATIONS)
def test_all_methods_give_the_constrained_least_squares_answer(
    kind: str, rows: str, consistent: bool, number_of_cases: int
) -> None:
    """The reference is LAPACK's dgglse on the planted independent rows."""
    for number, c in enumerate(cases(kind, rows, consistent, number_of_cases)):
        reference, _ = c.reference()
        for method, a, lam in answers(c, sparse=number % 8 == 0):
            bound = c.bound(method)
            what = f"{method}, case {number}, n = {c.n}, m = {c.b.size}, rank {c.rank}"
            assert np.linalg.norm(a - reference) <= bound * size(c, reference), what
            assert lam.shape == c.b.shape, what
            balance = np.linalg.norm(c.M @ a + c.A.T @ lam - c.Q)
            terms = (
                np.linalg.norm(c.M) * np.linalg.norm(a)
                + np.linalg.norm(c.Q)
                + np.linalg.norm(np.abs(c.A.T) @ np.abs(lam))
            )
            assert balance <= bound * terms, what
            if c.rank:  # least norm: λ has no part perpendicular to range(A)
                T = c.T / np.linalg.norm(c.T, axis=0)
                outside = lam - T @ np.linalg.lstsq(T, lam, rcond=None)[0]
                assert np.linalg.norm(outside) <= bound * np.linalg.norm(lam), what
            else:
                assert not lam.any(), what


@pytest.mark.parametrize(("kind", "rows"), list(itertools.product(MASSES, ROWS)))
def test_rows_that_agree_are_met_to_rounding(kind: str, rows: str) -> None:
    """|A a − b| row by row against |b| + |A||a|; the bound has no condition number of M for methods
    that repeat their correction."""
    for c in cases(kind, rows, True, 12, salt=1):
        for method, a, _ in answers(c):
            allowed = np.abs(c.b) + np.linalg.norm(c.A, axis=1) * size(c, a)
            growth = c.bound() if method == "block-cholesky" else 1e4 * EPS
            assert (np.abs(c.A @ a - c.b) <= growth * allowed).all(), method


@pytest.mark.parametrize(("kind", "rows"), list(itertools.product(MASSES, ROWS[:3])))
def test_gauss_function_is_least(kind: str, rows: str) -> None:
    """Any other acceleration with the same A a has a larger value, by ½ yᵀMy
    [Fumagalli2009 (37)]."""
    rng = np.random.default_rng(5)
    for c in cases(kind, rows, True, 30, salt=2):
        result = gauss.solve(c.M, c.Q, c.A, c.b)
        V = gauss.null_space(c.E)
        y = V @ rng.standard_normal(V.shape[1]) * np.linalg.norm(result.a)
        value = [0.5 * d @ c.M @ d for d in (result.a - result.free, result.a + y - result.free)]
        scale = value[1] + 0.5 * result.free @ c.M @ result.free
        assert abs(result.gauss_value - value[0]) <= c.bound() * scale
        assert abs(value[1] - value[0] - 0.5 * y @ c.M @ y) <= c.bound() * scale
        assert value[1] >= value[0] - c.bound() * scale


@pytest.mark.parametrize(("kind", "rows"), list(itertools.product(MASSES, ROWS)))
def test_forces_and_their_work(kind: str, rows: str) -> None:
    """M a = Fᴺ + Fᴸ + Fᶜ; in virtual displacements Fᴸ does no work and Fᶜ that of C."""
    rng = np.random.default_rng(6)
    for c in cases(kind, rows, True, 15, salt=3):
        C = rng.standard_normal(c.n) * np.sqrt(c.M.diagonal())
        V = np.linalg.qr(c.E.T, mode="complete")[0][:, c.rank :]
        v = V @ rng.standard_normal(V.shape[1])
        for method in ("range-space", "cholesky", "null-space/svd"):
            result = gauss.solve(c.M, c.Q, c.A, c.b, method, C=C)
            work = result.work(v)
            forces = np.linalg.norm(result.lagrange) + np.linalg.norm(result.coulomb) + np.linalg.norm(C)
            allowed = c.bound() * np.linalg.norm(v) * (forces + np.linalg.norm(c.Q))
            assert abs(work.lagrange) <= allowed
            assert abs(work.coulomb - v @ C) <= allowed
            assert abs(work.constraint - v @ C) <= allowed
            total = result.newton + result.lagrange + result.coulomb
            terms = np.linalg.norm(c.M) * np.linalg.norm(result.a) + forces + np.linalg.norm(c.Q)
            assert np.linalg.norm(c.M @ result.a - total) <= c.bound() * terms
            ideal = gauss.solve(c.M, c.Q + C, c.A, c.b, method)  # [Fan2005 (26), (27)]
            assert np.linalg.norm(result.a - ideal.a) <= c.bound() * (size(c, ideal.a) + np.linalg.norm(ideal.free))


@pytest.mark.parametrize(("kind", "rows"), list(itertools.product(MASSES, ROWS)))
def test_projector_and_proportionality(kind: str, rows: str) -> None:
    """P² = P, M P symmetric, K₁ the weighted pseudo-inverse, (47) the same acceleration,
    |a|_M ≤ |a_f|_M for b = 0."""
    for c in cases(kind, rows, True, 15, salt=4):
        P, K_1 = gauss.projector(c.M, c.A), gauss.proportionality_matrix(c.M, c.A)
        U = np.linalg.cholesky(c.M).T
        inner = U @ P @ np.linalg.inv(U)  # an orthogonal projector in the metric of M
        growth = c.bound() * np.sqrt(np.linalg.cond(c.M))
        assert np.abs(inner @ inner - inner).max(initial=0.0) <= growth
        assert np.abs(inner - inner.T).max(initial=0.0) <= growth
        assert round(np.trace(P)) == c.rank
        # a pseudo-inverse of unscaled rows for comparison: its cut-off is told the planted rank
        if c.rank:
            X, s, Yt = np.linalg.svd(c.A @ np.linalg.inv(U), full_matrices=False)
            explicit = np.linalg.solve(U, (Yt[: c.rank].T / s[: c.rank]) @ X[:, : c.rank].T)
            spread = s[0] / s[c.rank - 1]
            assert np.linalg.norm(K_1 - explicit) <= growth * spread * np.linalg.norm(explicit)
        again = gauss.rewritten(c.M, c.Q, c.A, c.b)
        reference, _ = c.reference()
        terms = size(c, reference) + np.linalg.norm(K_1 @ c.b)
        assert np.linalg.norm(again - reference) <= c.bound() * terms
        result = gauss.solve(c.M, c.Q, c.A, np.zeros(c.b.size))
        assert result.a @ c.M @ result.a <= result.free @ c.M @ result.free * (1 + growth)


def test_the_inequality_fails_in_the_euclidean_norm() -> None:
    """A free acceleration of a light coordinate that the constraint turns into a motion of both:
    |a| = 1.39 > |a_f| = 1."""
    M, A = np.array([[1.0, 0.9], [0.9, 1.0]]), np.array([[0.0, 1.0]])
    free = np.array([0.6, 0.8])
    result = gauss.solve(M, M @ free, A, np.zeros(1))
    assert np.linalg.norm(result.a) > 1.3 * np.linalg.norm(result.free)
    assert result.a @ M @ result.a < result.free @ M @ result.free


def test_conflicts_are_found_and_nothing_else() -> None:
    """In every inconsistent case the conflict is reported, its residuals are those of least
    squares; never for rows that agree."""
    found = 0
    for kind, rows in itertools.product(MASSES, ROWS[1:]):
        for c in cases(kind, rows, False, 10, salt=5):
            result = gauss.solve(c.M, c.Q, c.A, c.b)
            assert result.rank == c.rank
            assert len(result.redundant) == c.b.size - c.rank
            if c.consistent:
                assert result.conflict is None
                continue
            found += 1
            assert result.conflict is not None
            assert np.abs(c.T.T @ result.residual).max(initial=0.0) <= c.bound() * np.linalg.norm(
                np.abs(c.T.T) @ np.abs(c.b)
            )
            np.testing.assert_array_equal(result.conflict.residuals, result.residual[list(result.conflict.rows)])
        assert all(gauss.solve(c.M, c.Q, c.A, c.b).conflict is None for c in cases(kind, rows, True, 10, salt=6))
    assert found > 100


def test_non_symmetric_mass_is_the_same_motion() -> None:
    """M* = M X, A* = A X, trial accelerations X⁻¹a + γ: (60) with b* gives them; with b it violates
    the constraints."""
    rng = np.random.default_rng(8)
    for kind, rows in itertools.product(MASSES, ROWS):
        for c in cases(kind, rows, True, 10, salt=7):
            X = np.linalg.qr(rng.standard_normal((c.n, c.n)))[0] + 0.2 * rng.uniform(-1, 1, (c.n, c.n)) / c.n
            gamma = rng.standard_normal(c.n)
            M_star, A_star = c.M @ X, c.A @ X
            Q, b_star = gauss.trial_variables(M_star, c.Q, A_star, c.b, gamma)
            plain = gauss.solve(c.M, c.Q, c.A, c.b)
            for M in (M_star, sp.csc_array(M_star)):
                result = gauss.solve(M, Q, c.A, b_star, "non-symmetric", A_star=A_star)
                a = X @ (result.a - gamma)
                allowed = np.sqrt(np.linalg.cond(c.M)) * c.bound() * (size(c, plain.a) + np.linalg.norm(gamma))
                assert np.linalg.norm(a - plain.a) <= allowed
                assert result.rank == plain.rank
            if rows == "full":
                wrong = gauss.solve(M_star, Q, c.A, c.b, "non-symmetric", A_star=A_star)
                missed = c.A @ (X @ (wrong.a - gamma)) - c.b
                np.testing.assert_allclose(missed, -A_star @ gamma, atol=1e-6 * np.abs(c.A).max() * size(c, plain.a))


def exactly(K: Any, f: Any) -> Any:
    """Gauss elimination in rational numbers."""
    rows = [[*map(Fraction, row), Fraction(y)] for row, y in zip(K, f, strict=True)]
    for k in range(len(rows)):
        p = next(i for i in range(k, len(rows)) if rows[i][k])
        rows[k], rows[p] = rows[p], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][k]:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def test_against_rational_numbers() -> None:
    """Small problems against the equations of both unknowns solved without rounding, right-hand
    sides that conflict among them."""
    rng = np.random.default_rng(9)
    for number in range(80):
        c = case(rng, MASSES[number % 4], ("full", "deficient")[number % 2], number % 3 > 0, n=int(rng.integers(2, 6)))
        T = [[Fraction(x) for x in row] for row in c.T.tolist()]
        normal = [[sum(row[i] * row[j] for row in T) for j in range(c.rank)] for i in range(c.rank)]
        right = [sum(row[i] * Fraction(x) for row, x in zip(T, c.b.tolist(), strict=True)) for i in range(c.rank)]
        K = np.block([[c.M, c.E.T], [c.E, np.zeros((c.rank, c.rank))]])
        b = exactly(normal, right)
        exact = np.array([float(x) for x in exactly(K.tolist(), [*c.Q.tolist(), *b])])[: c.n]
        for method, a, _ in answers(c):
            assert np.linalg.norm(a - exact) <= c.bound(method) * size(c, exact), method

"""Six bases of the null space: perpendicular to every row, of the right number, orthonormal where
promised, for every shape of A."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gauss_cases import EPS, ROWS, case
from isodyn import gauss
from isodyn.gauss.bases import BASES

SQUARED = ("zero-eigenvalue", "schur")  # these form AᵀA


@pytest.mark.parametrize("method", BASES)
@given(rows=st.sampled_from(ROWS), seed=st.integers(0, 2**31))
def test_every_shape(method, rows, seed):
    c = case(np.random.default_rng(seed), "diagonal", rows, True)
    V = gauss.null_space(c.A, method)
    assert V.shape == (c.n, c.n - c.rank)
    condition = np.linalg.cond(c.E) if c.rank else 1.0
    unit = c.A / np.maximum(np.linalg.norm(c.A, axis=1), 1e-300)[:, None]
    size = np.linalg.norm(V, axis=0).max(initial=1.0)
    assert np.abs(unit @ V).max(initial=0.0) <= 50 * c.n * EPS * size * condition ** (2 if method in SQUARED else 1)
    if method != "partitioning":
        assert np.abs(V.T @ V - np.eye(V.shape[1])).max(initial=0.0) <= 50 * c.n * EPS


@given(rows=st.sampled_from(ROWS), seed=st.integers(0, 2**31))
def test_partitioning_has_unit_rows_in_the_independent_coordinates(rows, seed):
    c = case(np.random.default_rng(seed), "diagonal", rows, True)
    parts = gauss.partition(c.A, names=[f"q{k}" for k in range(c.n)])
    independent = [int(name[1:]) for name in parts.independent]
    np.testing.assert_array_equal(gauss.null_space(c.A, "partitioning")[independent], np.eye(c.n - c.rank))
    assert len(parts.dependent) == c.rank
    assert sorted([*parts.dependent, *parts.independent]) == sorted(f"q{k}" for k in range(c.n))


@given(seed=st.integers(0, 2**31))
def test_all_bases_span_the_same_space(seed):
    c = case(np.random.default_rng(seed), "diagonal", "deficient", True)
    projectors = []
    for method in BASES:
        Y = np.linalg.qr(gauss.null_space(c.A, method))[0]
        projectors.append(Y @ Y.T)
    for P in projectors[1:]:
        assert np.abs(P - projectors[0]).max(initial=0.0) < 1e-11


def test_gear_train_of_the_review():
    """V of the rotary drive in §6.1 of [Pennestri2008]: ω₂ and ω₄ independent, the printed
    columns."""
    t1, t2, t3 = 1.7, -0.6, 2.3
    A = np.array([[1, -t1, 0, 0, 0], [0, t2 - 1, -t2, 1, 0], [0, t3 - 1, 0, 1, -t3]])
    printed = np.array([[1, 0], [1 / t1, 0], [0, 1], [(1 - t2) / t1, t2], [(t3 - t2) / (t1 * t3), t2 / t3]])
    for method in BASES:
        V = gauss.null_space(A, method)
        np.testing.assert_allclose(V @ np.linalg.inv(V[[0, 2]]), printed, atol=1e-13)


def test_scaling_of_rows_does_not_change_the_rank():
    """Lengths of rows from 1e-12 to 1e12; coordinates in micrometres."""
    rng = np.random.default_rng(3)
    A = rng.standard_normal((3, 6))
    A = np.concatenate([A, A[:1] + A[1:2]]) * np.array([1e-6, 1.0, 1e6, 1e3])[:, None]
    assert gauss.null_space(A).shape == (6, 3)
    units = np.array([1.0, 1e6, 1.0, 1e-6, 1.0, 1e3])
    M = np.diag(rng.uniform(1, 2, 6))
    plain = gauss.decide(A, M.diagonal())
    scaled = gauss.decide(A * units, (M * np.outer(units, units)).diagonal())
    np.testing.assert_allclose(plain.singular_values, scaled.singular_values, rtol=1e-10, atol=1e-15)
    assert plain.rank == scaled.rank == 3
    assert plain.singular_values[3] < 1e-15 < 1e-2 < plain.singular_values[2]

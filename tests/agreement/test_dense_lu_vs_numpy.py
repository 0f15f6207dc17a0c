"""The small dense LU against LAPACK's, and two right-hand sides at once against one after the
other."""

import numpy as np
import pytest

from isodyn.kernels.compiled import OK, SINGULAR
from isodyn.linear_solvers.dense import lu_factor, lu_solve, lu_solve_two


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 12, 40])
def test_solutions(n):
    rng = np.random.default_rng(n)
    A, b, d = rng.standard_normal((n, n)), rng.standard_normal(n), rng.standard_normal(n)
    factors, pivots, x, y = A.ravel().copy(), np.zeros(n, dtype=np.int64), b.copy(), d.copy()
    assert lu_factor(factors, pivots, np.ones(pivots.size)) == OK
    lu_solve(factors, pivots, x)
    lu_solve(factors, pivots, y)
    scale = np.linalg.cond(A) * np.abs(np.linalg.solve(A, b)).max()
    assert np.abs(x - np.linalg.solve(A, b)).max() < 1e-14 * n * scale
    lu_solve_two(factors, pivots, b, d)
    assert np.array_equal(b, x)
    assert np.array_equal(d, y)


def test_a_dependent_column_is_named():
    A, pivots = np.array([[1.0, 2.0, 4.0], [2.0, 4.0, 1.0], [0.5, 1.0, 3.0]]).ravel(), np.zeros(3, dtype=np.int64)
    assert lu_factor(A, pivots, np.ones(pivots.size)) == SINGULAR
    assert pivots[0] == 1


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_unrolled_loops_tell_dependent_columns_apart(n):
    """Units are put back, and the column is named, wherever it stands."""
    for column in range(1, n):
        rng = np.random.default_rng(n)
        A, sizes = rng.standard_normal((n, n)), 10.0 ** rng.integers(-3, 4, n)
        A[:, column] = A[:, :column] @ rng.standard_normal(column)
        factors, pivots, units = A.ravel().copy(), np.zeros(n, dtype=np.int64), sizes.copy()
        assert lu_factor(factors, pivots, units) == SINGULAR
        assert pivots[0] == column
        assert np.array_equal(units, sizes)

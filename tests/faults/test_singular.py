"""Singular matrices end in SingularError with a message that helps, never in numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso
from isodyn.errors import SingularError
from isodyn.linear_solvers.sparse import factorise

NO_INERTIA = np.diag([1.0, 0.0, 2.0])
DEPENDENT = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]])
ROUNDED = np.outer([0.1, 0.3, 0.7], [0.1, 0.3, 0.7]) + np.outer(
    [0.2, 0.9, 0.4], [0.2, 0.9, 0.4]
)  # rank 2 up to rounding
UNSYMMETRIC = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])


def run(M: Any) -> iso.Solution:
    system = iso.LinearSystem(
        M, None, sp.eye_array(3) if sp.issparse(M) else np.eye(3), None, [1.0, 0.0, 0.0], np.zeros(3)
    )
    return iso.integrate(system, dt=0.1, t_end=1.0)


def test_dense_mass_names_the_coordinate() -> None:
    with pytest.raises(
        SingularError,
        match=r"singular at the start, t = 0: no pivot for 'q1'\nhint: look at its row and column: every",
    ):
        run(NO_INERTIA)


def test_sparse_mass_names_the_row() -> None:
    with pytest.raises(
        SingularError, match=r"sparse matrix of size 3 is singular: row 1 is zero\nhint: every unknown needs inertia"
    ):
        run(sp.csr_array(NO_INERTIA))


def test_sparse_mass_of_a_mechanical_system() -> None:
    system = iso.MechanicalSystem(sp.csr_array(NO_INERTIA), lambda q, v, t: -q, np.ones(3), np.zeros(3))
    with pytest.raises(SingularError, match="row 1 is zero"):
        iso.integrate(system, iso.Scheme.central_difference(), dt=0.1, t_end=1.0)


@pytest.mark.parametrize("M", [DEPENDENT, ROUNDED, UNSYMMETRIC], ids=["dependent", "rounded", "unsymmetric"])
@pytest.mark.parametrize("convert", [np.array, sp.csr_array], ids=["dense", "sparse"])
def test_dependent_rows(M: Any, convert: Any) -> None:
    """Also where only rounding keeps the pivots from zero."""
    with pytest.raises(
        SingularError, match=rf"{'sparse' if convert is sp.csr_array else 'dense'} matrix of size 3 is singular"
    ):
        factorise(convert(M))


@pytest.mark.parametrize("convert", [np.array, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_other_units_are_not_singular(convert: Any, scale: float) -> None:
    """Coordinates whose inertias differ by 10⁴⁸, coupled as strongly as before: no false alarm."""
    units = scale * np.diag([1.0, 1e-12, 1e12])
    A = units @ np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]) @ np.diag([1.0, 1e-12, 1e12])
    x = factorise(convert(A)).solve(A @ np.array([1.0, 1e12, 1e-12]))
    assert np.allclose(x, [1.0, 1e12, 1e-12], rtol=1e-12, atol=0.0)


def test_large_dense_mass() -> None:
    """The path through LAPACK."""
    n = 80
    M = np.eye(n)
    M[70, 70] = 0.0
    with pytest.raises(SingularError, match=r"dense matrix of size 80 is singular: row 70 is zero"):
        iso.integrate(iso.LinearSystem(M, None, np.eye(n), None, np.ones(n), np.zeros(n)), dt=0.1, t_end=1.0)


def test_singular_stiffness_is_no_fault() -> None:
    """A free body: only the matrix of the step has to be regular."""
    K = np.array([[1.0, -1.0], [-1.0, 1.0]])
    sol = iso.integrate(
        iso.LinearSystem(np.eye(2), None, sp.csr_array(K), None, [0.0, 0.0], [1.0, 1.0]), dt=0.1, t_end=1.0
    )
    assert np.allclose(sol.q[-1], [1.0, 1.0], atol=1e-12)

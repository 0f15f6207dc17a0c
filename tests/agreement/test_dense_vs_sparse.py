"""One linear system through the compiled small path, the LAPACK path and the sparse paths: the same
motion to 1e-12."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import splu

import isodyn as iso
from isodyn.errors import InputError
from isodyn.linear_solvers import definite, sparse
from isodyn.linear_solvers.cholmod import cholesky
from isodyn.linear_solvers.pardiso import pardiso
from isodyn.linear_solvers.supernodal import Supernodal

N = 12
SCHEMES = [iso.Scheme.optimal(0.8), iso.Scheme.V0(0.3, 0.6, 0.1), iso.Scheme.central_difference()]


def chain(n: int = N, skew: float = 0.0) -> tuple[Any, Any, Any]:
    """M, C, K of masses in a row between springs; `skew` adds a gyroscopic part to C and a
    circulatory one to K."""
    K = 40.0 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    M = np.diag(1.0 + 0.1 * np.arange(n)) + 0.05 * (np.eye(n, k=1) + np.eye(n, k=-1))
    S = skew * (np.eye(n, k=1) - np.eye(n, k=-1))
    return M, 0.1 * M + 0.002 * K + S, K + S


def f(t: float) -> Any:
    return np.sin(3.0 * t + np.arange(N))


def motion(convert: Callable[[Any], Any], scheme: iso.Scheme, skew: float) -> iso.Solution:
    M, C, K = (convert(A) for A in chain(skew=skew))
    q0, v0 = np.cos(np.arange(N)), np.sin(np.arange(N))
    return iso.integrate(iso.LinearSystem(M, C, K, f, q0, v0), scheme, dt=0.02, t_end=2.0)


def assert_same(one: iso.Solution, other: iso.Solution) -> None:
    for name in ("q", "v", "a"):
        reference = getattr(one, name)
        difference = np.abs(reference - getattr(other, name)).max() / np.abs(reference).max()
        assert difference <= 1e-12, f"{name}: {difference:.1e}"


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: s.name)
@pytest.mark.parametrize("skew", [0.0, 0.5], ids=["symmetric", "unsymmetric"])
def test_small_dense_equals_sparse(scheme: iso.Scheme, skew: float) -> None:
    dense, as_sparse = motion(np.array, scheme, skew), motion(sp.csr_array, scheme, skew)
    assert dense.stats.solver != as_sparse.stats.solver
    assert_same(dense, as_sparse)


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: s.name)
def test_small_dense_equals_large_dense(scheme: iso.Scheme, monkeypatch: pytest.MonkeyPatch) -> None:
    small = motion(np.array, scheme, 0.5)
    monkeypatch.setattr("isodyn.systems.linear._LARGE", 1)
    large = motion(np.array, scheme, 0.5)
    assert large.stats.solver == "LAPACK LU"
    assert_same(small, large)


def test_mixed_dense_and_sparse() -> None:
    """A full damping matrix beside sparse M and K."""
    M, C, K = chain()
    q0, v0 = np.ones(N), np.zeros(N)
    mixed = iso.LinearSystem(sp.csr_array(M), C, sp.csr_array(K), f, q0, v0)
    full = iso.LinearSystem(M, C, K, f, q0, v0)
    run = {"dt": 0.02, "t_end": 1.0}
    assert_same(iso.integrate(full, **run), iso.integrate(mixed, **run))


def grid(m: int = 60) -> Any:
    """A membrane of m × m points with two unknowns each."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(m, m))
    eye = sp.eye_array(m)
    return sp.csc_array(
        sp.kron(sp.kron(line, eye) + sp.kron(eye, line) + 0.1 * sp.eye_array(m * m), [[2.0, 0.5], [0.5, 1.0]])
    )


def test_compiled_solves_equal_superlu() -> None:
    """Blocks made of SuperLU's symmetric factors give SuperLU's solutions."""
    A = grid()
    lu = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    b = np.random.default_rng(1).standard_normal(A.shape[0])
    x = Supernodal(lu)(b)
    assert np.abs(x - lu.solve(b)).max() <= 1e-12 * np.abs(x).max()
    assert np.abs(A @ x - b).max() <= 1e-12 * np.abs(b).max()


def test_the_change_to_compiled_solves_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first solves and those after many are equal to rounding, and the right-hand side stays as
    it was."""
    for package in ("cholesky", "pardiso"):
        monkeypatch.setattr(sparse, package, lambda A: None)
    A = grid()
    factors = sparse.factorise(A)
    assert factors.name == "SuperLU (symmetric mode, compiled solves)"
    b = np.random.default_rng(2).standard_normal(A.shape[0])
    kept = b.copy()
    solutions = [factors.solve(b) for _ in range(sparse._MANY_SOLVES + 2)]
    assert isinstance(factors.solve, sparse._Symmetric)
    assert isinstance(factors.solve.solve, Supernodal)
    assert np.abs(solutions[0] - solutions[-1]).max() <= 1e-12 * np.abs(solutions[0]).max()
    assert np.array_equal(b, kept)


@pytest.mark.parametrize(("package", "name"), [("cvxopt", "CHOLMOD (cvxopt)"), ("pypardiso", "PARDISO (pypardiso)")])
def test_cholesky_where_installed(monkeypatch: pytest.MonkeyPatch, package: str, name: str) -> None:
    """With cvxopt, symmetric positive definite matrices go to CHOLMOD; with pypardiso alone to PARDISO.
    Indefinite ones are refused by both, and found with both."""
    pytest.importorskip(package)
    if package == "pypardiso":
        monkeypatch.setattr(sparse, "cholesky", lambda A: None)
        monkeypatch.setattr(definite, "cholesky", lambda A: None)
    A = grid(20)
    factors = sparse.factorise(A)
    assert factors.name == name
    assert (cholesky if package == "cvxopt" else pardiso)(A - 3.0 * sp.eye_array(A.shape[0])) is None
    definite.refuse_indefinite("K", A, list(map(str, range(A.shape[0]))), "hint")
    with pytest.raises(InputError, match="K is indefinite"):
        definite.refuse_indefinite("K", A - 3.0 * sp.eye_array(A.shape[0]), list(map(str, range(A.shape[0]))), "hint")
    b = np.random.default_rng(3).standard_normal(A.shape[0])
    assert np.abs(A @ factors.solve(b) - b).max() <= 1e-12 * np.abs(b).max()


@pytest.mark.parametrize(
    ("A", "name"),
    [
        ([[4.0, 1.0], [1.0, 3.0]], {"SuperLU (symmetric mode)", "CHOLMOD (cvxopt)", "PARDISO (pypardiso)"}),
        ([[4.0, 1.0], [2.0, 3.0]], {"SuperLU"}),  # unsymmetric
        ([[0.0, 1.0], [1.0, 0.0]], {"SuperLU"}),  # a saddle point
        # positive diagonal, but unstable without pivoting
        ([[1e-20, 1.0], [1.0, 1e-20]], {"SuperLU"}),
        # other units are not singular
        ([[1.0, 1e-12], [1e-12, 1e-20]], {"SuperLU (symmetric mode)", "CHOLMOD (cvxopt)", "PARDISO (pypardiso)"}),
        ([[1.0, 0.0], [0.0, 1e-20]], {"division by the diagonal"}),
    ],
)
def test_what_is_picked(A: list[list[float]], name: set[str]) -> None:
    factors = sparse.factorise(sp.csr_array(A))
    assert factors.name in name
    x = factors.solve(np.array([1.0, 2.0]))
    assert np.allclose(np.array(A) @ x, [1.0, 2.0], rtol=1e-12)


def test_sparse_mass_with_constraints() -> None:
    """A sparse mass matrix and sparse tangents give the motion and the multipliers of full ones,
    with a constraint too."""
    n = 6
    K = sp.diags_array([-np.ones(n - 1), 2.0 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]).tocsr()
    M = sp.diags_array(np.arange(1.0, n + 1)).tocsr()
    solutions = [
        iso.integrate(
            iso.MechanicalSystem(
                mass,
                Q=lambda q, v, t: -(K @ q),
                q0=np.sin(np.arange(n)),
                v0=np.zeros(n),
                Q_q=lambda q, v, t, tangent=tangent: -tangent,
                phi=lambda q, t: np.array([q[0] - q[3] - np.sin(0.0) + np.sin(3.0)]),
            ),
            iso.Scheme.U0(0.8, 0.8, 0.8),
            dt=0.05,
            t_end=1.0,
        )
        for mass, tangent in ((M, K), (M.toarray(), K.toarray()))
    ]
    np.testing.assert_allclose(solutions[0].q, solutions[1].q, atol=1e-13)
    np.testing.assert_allclose(solutions[0].lam, solutions[1].lam, atol=1e-12)

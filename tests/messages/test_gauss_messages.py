"""What the functions of isodyn.gauss say about bad input: what, expected, received, hint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso
from isodyn.errors import ConvergenceError, InputError, SingularError
from isodyn.gauss import square_roots
from isodyn.gauss.methods import METHODS

I3 = np.eye(3)
ROW = np.array([[1.0, 0.0, 0.0]])
TWICE = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [2.0, 2.0, 0.0]])


def solve(
    M: Any = I3, Q: Any = (1.0, 2.0, 3.0), A: Any = ROW, b: Any = (0.5,), method: Any = "range-space", **rest: Any
) -> Any:
    return iso.gauss.solve(M, Q, A, b, method, **rest)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"M": np.eye(2)}, r"M must have shape \(3, 3\), received \(2, 2\)"),
        ({"M": np.ones(3)}, r"M must have shape \(3, 3\), received \(3,\)"),
        ({"Q": [1.0, np.nan, 0.0]}, r"Q must be finite, received Q\[1\] = nan"),
        ({"Q": 1.0}, r"Q must be a vector with one entry for each coordinate, received an array of shape \(\)"),
        ({"Q": []}, r"Q must be a vector with one entry for each coordinate, received an array of shape \(0,\)"),
        ({"Q": ["a", "b", "c"]}, r"Q must be a vector of real numbers, received entries of type"),
        ({"A": [1.0, 0.0, 0.0]}, r"A must have shape \(m, 3\), received \(3,\)\nhint: a single row is written"),
        ({"A": np.ones((1, 2))}, r"A must have shape \(m, 3\), received \(1, 2\)"),
        ({"A": [[1.0, np.inf, 0.0]]}, r"A must be finite, received A\[0, 1\] = inf"),
        ({"A": [[1.0, 0.0], [1.0]]}, r"A must be a matrix of numbers"),
        ({"b": [1.0, 2.0]}, r"b must have shape \(1,\), one entry for each row of A, received \(2,\)"),
        ({"b": [np.nan]}, r"b must be finite"),
        ({"C": [1.0]}, r"C must have shape \(3,\), one entry for each coordinate"),
        ({"M": I3 * 1j}, r"M must be a matrix of real numbers"),
        ({"M": sp.csc_array(I3 * 1j)}, r"M must be a matrix of real numbers"),
        ({"M": I3 * np.nan}, r"M must be finite, received M\[0, 0\] = nan"),
        ({"M": sp.csc_array(I3 * np.nan)}, r"M must be finite"),
        (
            {"M": np.diag([1.0, 0.0, 1.0])},
            r"M must be positive definite, received M\[1, 1\] = 0\nhint: every coordinate",
        ),
        ({"M": np.diag([1.0, -2.0, 1.0])}, r"received M\[1, 1\] = -2"),
        ({"M": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, r"M must be positive definite, its smallest eigenvalue is -1\nhint"),
        ({"M": sp.csc_array([[1.0, 2, 0], [2, 1, 0], [0, 0, 1]])}, r"M must be positive definite: its factorisation"),
        (
            {"M": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]},
            r'M must be symmetric, received M\[0, 1\] = 0.5 and M\[1, 0\] = 0\nhint: method="non-symmetric"',
        ),
        ({"M": sp.csc_array([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]])}, r"M must be symmetric"),
        ({"rcond": -1e-8}, r"rcond must be a number in \[0, 1\), received -1e-08"),
        ({"rcond": 1.0}, r"rcond must be"),
        ({"rcond": "small"}, r"rcond must be"),
        ({"method": "rangespace"}, r"unknown method 'rangespace'\nhint: did you mean 'range-space'\? known: "),
        ({"method": "null-space"}, r"unknown method 'null-space'\nhint: did you mean 'null-space/"),
        ({"method": None}, r"unknown method None"),
        ({"A_star": ROW}, r"A_star belongs to method 'non-symmetric', received method 'range-space'"),
        ({"A_star": I3, "method": "non-symmetric"}, r"A_star must have shape \(1, 3\), received \(3, 3\)"),
        ({"names": ["x", "y"]}, r"names must have 1 entries, one for each row of A"),
        (
            {"M": sp.eye_array(6000), "Q": np.ones(6000), "A": sp.csr_array((1, 6000)), "method": "cholesky"},
            r"M of shape \(6000, 6000\) is too large to be made dense\nhint: method=\"range-space\"",
        ),
    ],
)
def test_solve_refuses(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve(**arguments)


@pytest.mark.parametrize("method", [m for m in METHODS if m != "non-symmetric"])
def test_every_symmetric_method_refuses_an_indefinite_mass(method: Any) -> None:
    with pytest.raises(InputError, match="M must be positive definite"):
        solve(M=np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), method=method)
    with pytest.raises(InputError, match="M must be positive definite"):
        iso.gauss.accelerations(method)(
            np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), np.ones(3), np.zeros((0, 3)), np.zeros(0)
        )


@pytest.mark.parametrize("make", [np.asarray, sp.csc_array])
def test_a_singular_mass_is_named(make: Any) -> None:
    M = make([[1.0, 1.0, 0.0], [1.0, 1.0 + 1e-16 + 4e-16, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(SingularError, match=r"M is singular to working precision: coordinate . has no inertia"):
        solve(M=M)
    with pytest.raises(SingularError, match="M is singular"):
        solve(M=make([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), method="non-symmetric")


def test_block_cholesky_names_dependent_rows() -> None:
    message = (
        r"A has rank 2 of 3 rows, block Cholesky needs independent ones; dependent: rod\nhint: leave those rows out"
    )
    with pytest.raises(SingularError, match=message):
        solve(A=TWICE, b=[1.0, 1.0, 2.0], method="block-cholesky", names=["pin", "slider", "rod"])
    with pytest.raises(SingularError, match="dependent: 2"):
        iso.gauss.accelerations("block-cholesky")(I3, np.ones(3), TWICE, np.ones(3))


def test_trial_rows_with_other_dependence_are_refused() -> None:
    with pytest.raises(InputError, match="depends on others in A but not in A_star"):
        solve(A=TWICE, b=np.ones(3), method="non-symmetric", A_star=I3)


def test_denman_beavers_says_when_it_fails(monkeypatch: Any) -> None:
    monkeypatch.setattr(square_roots, "MAX_ITERATIONS", 2)
    with pytest.raises(ConvergenceError, match=r"Denman–Beavers iteration .* after 2 iterations\nhint: use method"):
        solve(M=np.diag([1.0, 1e3, 1e6]) + 0.1, method="square-root/denman-beavers")


def test_nearly_dependent_rows_stop_the_regularised_iteration() -> None:
    """Rows that differ by 1e-7: independent at the default tolerance, out of reach of ε; the
    decision can be changed."""
    A = np.array([[1.0, 0.0, 0.0], [1.0, 1e-7, 0.0]])
    with pytest.raises(ConvergenceError, match="rows conflict or are nearly dependent"):
        solve(A=A, b=[1.0, 2.0], method="regularised")
    result = solve(A=A, b=[1.0, 2.0])
    assert np.abs(result.residual).max() < 1e-15 * np.abs(result.a).max()
    assert solve(A=A, b=[1.0, 2.0], rcond=1e-6).conflict is not None


def test_bases_from_the_squared_rows_refuse_what_they_cannot_resolve() -> None:
    """Rows that differ by 1e-6: their squares by 1e-12, which leaves no digits for a basis; the
    others are not impressed."""
    A, b = np.array([[1.0, 0.0, 0.0], [1.0, 1e-6, 1e-6]]), np.array([1.0, 1.0])
    for method in METHODS:
        if method in ("null-space/zero-eigenvalue", "null-space/schur"):
            with pytest.raises(
                SingularError, match=r"too nearly dependent for a basis from AᵀA: .*\nhint: use \"qr\" or"
            ):
                solve(A=A, b=b, method=method)
        elif method != "regularised":
            # squared too, and without a second correction
            allowed = 1e-3 if method == "block-cholesky" else 1e-8
            np.testing.assert_allclose(solve(A=A, b=b, method=method).a, [1.0, -0.5, 0.5], atol=allowed)


def test_bases_and_relations_refuse() -> None:
    with pytest.raises(InputError, match=r"unknown basis 'zero eigenvalue'\nhint: did you mean 'zero-eigenvalue'"):
        iso.gauss.null_space(ROW, "zero eigenvalue")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"A must have shape"):
        iso.gauss.null_space(np.ones(3))
    with pytest.raises(InputError, match="names must have 3 entries"):
        iso.gauss.partition(ROW, names=["x"])
    with pytest.raises(InputError, match=r"s must have shape \(3,\)"):
        iso.gauss.underdetermined(ROW, [1.0], s=[1.0])
    with pytest.raises(InputError, match=r"v must have shape \(3,\), received \(2,\)"):
        solve().work([1.0, 2.0])


def test_a_conflict_is_told_in_words() -> None:
    result = solve(A=TWICE, b=[1.0, 0.0, 4.0], names=["pin", "slider", "rod"])
    assert result.redundant == ("rod",)
    assert result.conflict is not None
    assert result.conflict.names == ("pin", "rod")
    np.testing.assert_allclose(result.conflict.residuals, (0.8, -0.4), rtol=1e-12)
    assert "misses pin by 0.8, rod by -0.4" in str(result.conflict)
    assert "rank 2, singular values" in str(result)
    assert "misses pin by 0.8" in str(result)


def test_too_large_for_a_decision(monkeypatch: Any) -> None:
    """A sparse A beyond the limit: regularised goes on without a rank, the others say so."""
    from isodyn.gauss import acceleration
    from isodyn.linear_solvers import rank

    monkeypatch.setattr(acceleration, "UNDECIDED", 5)
    monkeypatch.setattr(rank.too_large, "__defaults__", (5,))
    A = sp.csr_array(TWICE)
    with pytest.raises(InputError, match="too large to decide its rank"):
        solve(A=A, b=[1.0, 1.0, 2.0])
    for b in ([1.0, 1.0, 2.0], [1.0, 0.0, 4.0]):
        result, known = solve(A=A, b=b, method="regularised"), solve(A=TWICE, b=b)
        assert result.rank is result.redundant is result.singular_values is None
        np.testing.assert_allclose(result.a, known.a, atol=1e-13)
        np.testing.assert_allclose(result.lam, known.lam, atol=1e-12)
        assert (result.conflict is None) == (known.conflict is None)


@pytest.mark.parametrize("root", [iso.gauss.spectral, iso.gauss.denman_beavers, iso.gauss.schur_root])
def test_roots_refuse(root: Any) -> None:
    for bad, message in (
        (np.diag([1.0, np.nan]), "M must be finite"),
        (np.ones((2, 3)), "M must have shape"),
        (1j * np.eye(2), "M must be a matrix of real numbers"),
        (np.diag([1.0, -1.0]), "M must be positive definite"),
    ):
        with pytest.raises(InputError, match=message):
            root(bad)
    with pytest.raises(InputError, match=r"M must be symmetric|it has the eigenvalue -1"):
        root([[1.0, 4.0], [1.0, 1.0]])


def test_a_mass_without_inverse_and_without_symmetry_is_refused() -> None:
    """Of rank 3 by rounding only, dense and sparse; and one whose units differ by 1e20, which is
    none."""
    rng = np.random.default_rng(3)
    M = rng.normal(size=(4, 3)) @ rng.normal(size=(3, 4))
    row, one = np.eye(4)[:1], np.ones(1)
    for singular in (M, sp.csc_array(M)):
        with pytest.raises(SingularError, match="M is singular to working precision"):
            solve(M=singular, Q=np.ones(4), A=row, b=one, method="non-symmetric")
    for units in (np.diag([1e-20, 1.0, 1e20, 1.0]), sp.diags_array([1e-20, 1.0, 1e20, 1.0])):
        a = solve(M=units, Q=np.ones(4), A=row, b=one, method="non-symmetric").a
        np.testing.assert_allclose(a, [1.0, 1.0, 1e-20, 1.0], rtol=1e-15)


@pytest.mark.parametrize("unit", [1e-250, 1e250])
def test_the_rank_does_not_depend_on_units_however_small(unit: float) -> None:
    A = unit * np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 1.0, 1.0]])
    assert iso.gauss.decide(A).rank == 2
    assert iso.gauss.null_space(A).shape == (3, 1)
    with pytest.raises(InputError, match="not finite"):
        iso.gauss.decide(np.full((1, 2), np.nan))


def test_matrices_behind_the_formulas_take_sparse_ones() -> None:
    M, A = sp.diags_array([1.0, 2.0, 3.0]), sp.csr_array(ROW)
    np.testing.assert_array_equal(iso.gauss.projector(M, A), iso.gauss.projector(M.toarray(), ROW))
    rewritten = iso.gauss.rewritten(M, np.ones(3), A, [1.0])
    np.testing.assert_allclose(rewritten, solve(M=M.toarray(), Q=np.ones(3), A=ROW, b=[1.0]).a, atol=1e-15)


def test_other_entries_refuse() -> None:
    with pytest.raises(InputError, match="unknown method 'rangespace'"):
        iso.gauss.accelerations("rangespace")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"M_star must have shape \(2, 2\)"):
        iso.gauss.trial_variables(I3, np.ones(3), ROW, [1.0], [1.0, 2.0])
    with pytest.raises(InputError, match="mu of 'contact' must be a number"):
        iso.gauss.Contact(0, [1.0, 0.0], "rough")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="alpha must be 0 or positive, received '5'"):
        iso.UdwadiaKalaba(alpha="5")  # type: ignore[arg-type]

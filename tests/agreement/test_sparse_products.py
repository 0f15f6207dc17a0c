"""The balance of sparse linear systems in one pass against products of full matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso
from isodyn.systems.sparse_products import SparseBalance, is_diagonal

N = 90
RNG = np.random.default_rng(8)


def some(kind: str) -> Any:
    if kind == "none":
        return None
    if kind == "diagonal":
        return sp.diags_array(RNG.standard_normal(N)).tocsr()
    if kind == "band":  # sorted, without gaps
        return sp.diags_array([RNG.standard_normal(N - 1), RNG.standard_normal(N)], offsets=[-1, 0]).tocsr()
    entries = sp.coo_array((RNG.standard_normal(300), (RNG.integers(0, N, 300), RNG.integers(0, N, 300))), shape=(N, N))
    return entries.tocsc() if kind == "columns" else entries  # entries that are given twice are added


@pytest.mark.parametrize("M", ["diagonal", "band", "entries"])
@pytest.mark.parametrize("C", ["none", "diagonal", "band", "columns"])
@pytest.mark.parametrize("K", ["none", "diagonal", "band", "entries"])
def test_products(M: str, C: str, K: str) -> None:
    """Every kind beside every other, with and without a load; C and K of one pattern among them."""
    matrices = [some(kind) for kind in (M, C, K)]
    a, v, q, f = RNG.standard_normal((4, N))
    wanted = sum(
        (A.toarray() @ x for A, x in zip(matrices, (a, v, q), strict=True) if A is not None), start=np.zeros(N)
    )
    rows, out = SparseBalance(*matrices, N), np.empty(N)
    for load, less in ((np.zeros(0), 0.0), (f, f)):
        rows.put(load, q, v, a, out)
        assert np.abs(out - (wanted - less)).max() <= 1e-13 * np.abs(wanted).max()


def test_explicit_steps_divide_by_lumped_masses() -> None:
    """A lumped mass matrix is recognised, and motions are those of full matrices."""
    M = sp.diags_array(RNG.uniform(1.0, 2.0, N)).tocsr()
    K = sp.diags_array([-np.ones(N - 1), 2.0 * np.ones(N), -np.ones(N - 1)], offsets=[-1, 0, 1]).tocsr()
    q0, v0 = RNG.standard_normal((2, N))
    load = RNG.standard_normal(N)
    scheme, run = iso.Scheme.central_difference(), {"dt": 0.05, "t_end": 2.0}
    sparse = iso.integrate(iso.LinearSystem(M, 0.1 * K, K, load, q0, v0), scheme, **run)
    full = iso.integrate(iso.LinearSystem(*(A.toarray() for A in (M, 0.1 * K, K)), load, q0, v0), scheme, **run)
    assert sparse.stats.solver == "division by the diagonal"
    for name in ("q", "v", "a"):
        assert np.abs(getattr(sparse, name) - getattr(full, name)).max() <= 1e-11


def test_what_is_diagonal() -> None:
    assert is_diagonal(sp.eye_array(3).tocsr())
    assert not is_diagonal(sp.csr_array([[1.0, 0.0], [1e-300, 1.0]]))

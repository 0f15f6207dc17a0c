"""The balance of sparse linear systems in one pass against products of full matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso
from isodyn.errors import NonFiniteError
from isodyn.systems import linear
from isodyn.systems.sparse_products import SparseBalance, block_size, is_diagonal

N = 90
RNG = np.random.default_rng(8)
BEGINNING = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Every test has the same numbers, whichever ran before it."""
    RNG.bit_generator.state = BEGINNING


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


@pytest.mark.parametrize("scheme", [iso.Scheme.central_difference(), iso.Scheme.U0(0.6, 0.6, 0.0, explicit=True)])
@pytest.mark.parametrize("damped", [False, True])
def test_few_passes_are_the_same_steps(monkeypatch: pytest.MonkeyPatch, scheme: Any, damped: bool) -> None:
    """Explicit steps of long vectors take few passes over them, and are the steps of short ones: over
    breakpoints, with loads, local errors included."""
    M, K = sp.diags_array(RNG.uniform(1.0, 2.0, N)).tocsr(), stiffness(2)
    q0, v0, load = RNG.standard_normal((3, N))
    system = iso.LinearSystem(M, 0.02 * K if damped else None, K, lambda t: np.cos(3.0 * t) * load, q0, v0)
    runs = []
    for least in (4096, 64):
        monkeypatch.setattr(linear, "_LONG", least)
        runs.append(iso.integrate(system, scheme, dt=0.05, t_end=6.02, breakpoints=(2.03,)))
    ordinary, few = runs
    assert few.stats.iterations == ordinary.stats.iterations
    # looked at in the first 32 steps after every start, then in one of 64
    assert 0.5 * ordinary.stats.local_error <= few.stats.local_error <= 1.2 * ordinary.stats.local_error
    for name in ("t", "q", "v", "a"):
        one, two = getattr(ordinary, name), getattr(few, name)
        assert name != "q" or not np.array_equal(one, two)  # they are computed in another way …
        assert np.abs(one - two).max() <= 1e-12 * np.abs(one).max()  # … and the same


def test_a_load_that_is_no_number_stops_long_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows before it are there, and finite."""
    monkeypatch.setattr(linear, "_LONG", 64)
    M, K = sp.eye_array(N).tocsr(), stiffness(3)
    system = iso.LinearSystem(M, None, K, lambda t: np.full(N, np.nan if t > 1.0 else 0.0), np.ones(N), np.zeros(N))
    with pytest.raises(NonFiniteError) as caught:
        iso.integrate(system, iso.Scheme.central_difference(), dt=0.05, t_end=2.0)
    assert caught.value.partial is not None
    assert np.isfinite(caught.value.partial.q).all()
    assert 0.9 < caught.value.partial.t[-1] <= 1.0


@pytest.mark.parametrize("together", [1, 2, 3])
def test_rows_of_one_node(together: int) -> None:
    """Full blocks of two or three unknowns are found; a single entry less, or columns that belong to
    two nodes, and they are none."""
    K = stiffness(together)
    assert block_size(K) == together
    C, q, v = 0.1 * K, *RNG.standard_normal((2, N))
    out = np.empty(N)
    for damping in (None, C):
        SparseBalance(sp.eye_array(N).tocsr(), damping, K, N).put(np.zeros(0), q, v, np.zeros(0), out)
        wanted = K @ q + (0.0 if damping is None else damping @ v)
        assert np.abs(out - wanted).max() <= 1e-13 * np.abs(wanted).max()
    less = K.tolil()
    less[0, 1] = 0.0
    assert block_size(sp.csr_array(less)) == 1
    across = sp.csr_array(K.tocsc()[:, np.roll(np.arange(N), 1)])  # rows with the same columns still
    assert block_size(across) == 1
    SparseBalance(sp.eye_array(N).tocsr(), None, across, N).put(np.zeros(0), q, v, np.zeros(0), out)
    assert np.abs(out - across @ q).max() <= 1e-13 * np.abs(out).max()


def stiffness(d: int) -> Any:
    """A chain of nodes with d unknowns each."""
    n = N // d
    T = sp.diags_array([-np.ones(n - 1), 2.0 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    return sp.csr_array(sp.kron(T, np.eye(d) + 0.2 if d > 1 else np.ones((1, 1))))


def test_diagonals_of_large_systems_stay_sparse() -> None:
    """A vector of masses is no full matrix of them."""
    n = 20_000
    K = sp.diags_array([-np.ones(n - 1), 2.0 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]).tocsr()
    system = iso.LinearSystem(np.full(n, 2.0), 0.1, K, None, np.ones(n), np.zeros(n))
    assert system.M.nnz == system.C.nnz == n


def test_what_is_diagonal() -> None:
    assert is_diagonal(sp.eye_array(3).tocsr())
    assert not is_diagonal(sp.csr_array([[1.0, 0.0], [1e-300, 1.0]]))

"""Random constraint matrices with planted dependencies: the rank is found, the chosen rows are
independent, the others follow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from isodyn.linear_solvers.blocks import lengths_of_rows
from isodyn.linear_solvers.rows import Rows, choose, every, least_multipliers, moved_multipliers, partners

SPAN = 1e-9


@st.composite
def planted(draw) -> tuple[np.ndarray, int]:
    """G (m, n) and its rank: independent rows of lengths from 1e-3 to 1e3, mixtures of them, in any
    order."""
    n = draw(st.integers(1, 8))
    rank = draw(st.integers(1, n))
    extra = draw(st.integers(0, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    orthogonal = np.linalg.qr(rng.standard_normal((n, n)))[0][:rank]
    basis = orthogonal + 0.3 * rng.uniform(-1, 1, (rank, rank)) @ orthogonal / rank
    weights = rng.uniform(0.2, 1.0, (extra, rank)) * rng.choice([-1.0, 1.0], (extra, rank))
    rows = np.concatenate([basis, weights @ basis]) * 10.0 ** rng.uniform(-3, 3, (rank + extra, 1))
    return rows[rng.permutation(rank + extra)], rank


@given(planted())
def test_rank_is_found(case: tuple[np.ndarray, int]) -> None:
    G, rank = case
    rows = choose(G)
    assert rows.rank == rank
    assert sorted([*rows.chosen, *rows.dropped]) == list(range(G.shape[0]))
    assert (np.diff(rows.chosen) > 0).all()


@given(planted(), st.integers(0, 2**32 - 1))
def test_rounding_does_not_choose(case: tuple[np.ndarray, int], seed: int) -> None:
    """Rows that are equally good: the first ones are taken, whatever the last digits of G."""
    G, rank = case
    G = np.concatenate([G, G])
    rows = choose(G)
    assert rows.rank == rank
    assert rows.chosen.max() < case[0].shape[0]
    noise = np.random.default_rng(seed).uniform(-1e-15, 1e-15, G.shape)
    assert np.array_equal(choose(G * (1.0 + noise)).chosen, rows.chosen)


def test_small_and_large_matrices_are_judged_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without LAPACK and with it: the same rank and rows of nothing; no rows where G is not finite."""
    rng = np.random.default_rng(5)
    for few in (40_000, 0):
        monkeypatch.setattr("isodyn.linear_solvers.rows.FEW", few)
        G = rng.standard_normal((30, 12)) @ rng.standard_normal((12, 25))
        G[7] = 0.0
        rows = choose(G)
        assert rows.rank == 12
        assert 7 in rows.dropped
        assert np.linalg.matrix_rank(G[rows.chosen]) == 12
        G[3, 4] = np.nan
        assert choose(G).rank == 0


@given(planted())
def test_chosen_rows_are_independent_and_span_the_others(case: tuple[np.ndarray, int]) -> None:
    G = case[0]
    rows = choose(G)
    unit = G / np.linalg.norm(G, axis=1)[:, None]
    assert np.linalg.svd(unit[rows.chosen], compute_uv=False)[-1] > 1e-3
    weights = np.linalg.lstsq(unit[rows.chosen].T, unit[rows.dropped].T, rcond=None)[0]
    assert np.abs(unit[rows.chosen].T @ weights - unit[rows.dropped].T).max(initial=0.0) < SPAN


@given(planted(), st.integers(0, 2**32 - 1))
def test_least_multipliers_are_those_of_the_pseudo_inverse(case: tuple[np.ndarray, int], seed: int) -> None:
    """Rows of one length here: for a cut-off relative to the largest singular value, rows far
    shorter than others are noise."""
    G = case[0] / np.linalg.norm(case[0], axis=1)[:, None]
    lam = np.random.default_rng(seed).standard_normal(G.shape[0])
    least = least_multipliers(G, lam)
    np.testing.assert_allclose(least, np.linalg.pinv(G.T, rcond=1e-10) @ (G.T @ lam), rtol=0, atol=1e-10)
    np.testing.assert_allclose(G.T @ least, G.T @ lam, rtol=0, atol=1e-10)
    assert np.linalg.norm(least) <= np.linalg.norm(lam) * (1 + 1e-12)


@given(planted(), st.integers(0, 2**32 - 1))
def test_moved_multipliers_give_the_same_force(case: tuple[np.ndarray, int], seed: int) -> None:
    G = case[0] / np.linalg.norm(case[0], axis=1)[:, None]
    rows = choose(G)
    lam = np.random.default_rng(seed).standard_normal(G.shape[0])
    moved = moved_multipliers(G, lam, rows)
    assert not moved[rows.dropped].any()
    np.testing.assert_allclose(G.T @ moved, G.T @ lam, rtol=0, atol=1e-9)


@given(planted())
def test_partners_are_enforced_rows_that_make_up_the_dropped_one(case: tuple[np.ndarray, int]) -> None:
    G = case[0] / np.linalg.norm(case[0], axis=1)[:, None]
    rows = choose(G)
    for row in rows.dropped:
        among = partners(G, rows, int(row))
        assert set(among) <= set(rows.chosen)
        left = G[row] - G[among].T @ np.linalg.lstsq(G[among].T, G[row], rcond=None)[0]
        assert np.abs(left).max() < 1e-5


def test_a_copy_has_its_original_as_partner() -> None:
    G = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 3.0, 0.0]])
    rows = choose(G)
    assert rows.rank == 2
    assert partners(G, rows, int(rows.dropped[0])) == [1 if rows.dropped[0] == 2 else 2]


@pytest.mark.parametrize("m", [0, 3])
def test_edges(m: int) -> None:
    """No rows at all; rows that are zero; all rows taken unseen."""
    assert choose(np.zeros((m, 4))).rank == 0
    assert choose(np.zeros((m, 4))).dropped.size == m
    assert isinstance(every(m), Rows)
    assert every(m).chosen.tolist() == list(range(m))


@given(planted(), st.integers(0, 2**32 - 1))
def test_lengths_of_sparse_rows_are_those_of_full_ones(case: tuple[np.ndarray, int], seed: int) -> None:
    """Also of rows without entries, in an order that is not that of the columns."""
    G = np.vstack([case[0], np.zeros(case[0].shape[1])])
    sizes = np.random.default_rng(seed).uniform(0.1, 10.0, G.shape[1])
    turned = sparse.csr_array(G[:, ::-1])[:, ::-1]
    np.testing.assert_allclose(lengths_of_rows(turned, sizes), lengths_of_rows(G, sizes), rtol=1e-14)

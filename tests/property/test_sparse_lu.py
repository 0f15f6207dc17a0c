"""Sparse LU of random nets of bodies and joints, node by node and front by front: solutions satisfy
the full equations, with the transposed matrix too, and dependent rows are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isodyn.errors import SingularError
from isodyn.kernels.compiled import SINGULAR, FloatArray
from isodyn.linear_solvers import block_lu, choice
from isodyn.linear_solvers.blocks import Sparsity, nodes_of, storage_of
from isodyn.linear_solvers.fronts import eliminate, pack_fronts
from isodyn.linear_solvers.many_solves import SparseFactors, factorise
from isodyn.linear_solvers.rows import choose, choose_sparse

LIMIT = 1e-12  # backward error, relative to |K| |x| + |b|
seeds = st.integers(0, 2**32 - 1)


def net(rng: Any, bodies: int, extra: int, most_rows: int = 3, loads: bool = True) -> Sparsity:
    """A forest of bodies of 1 to 6 unknowns with further joints across it, some of them to the
    ground, and springs between bodies that share a joint."""
    sizes = rng.integers(1, 7, bodies)
    first = np.concatenate([[0], np.cumsum(sizes)])
    ends = [(int(rng.integers(0, k)), k) if k and rng.random() < 0.9 else (k,) for k in range(bodies)]
    ends += [tuple(sorted(set(rng.choice(bodies, 2).tolist()))) for _ in range(extra)]
    touched = [np.concatenate([np.arange(first[b], first[b + 1]) for b in pair]) for pair in ends]
    rows = [int(rng.integers(1, min(most_rows, columns.size) + 1)) for columns in touched]
    near = [{k} for k in range(bodies)]
    for pair in ends:
        if loads and rng.random() < 0.5:
            for body in pair:
                near[body] |= set(pair)
    J = [
        np.concatenate([np.arange(first[b], first[b + 1]) for b in sorted(near[k])])
        for k in np.repeat(range(bodies), sizes)
    ]
    G = [columns for columns, count in zip(touched, rows, strict=True) for _ in range(count)]

    def starts(parts: list[Any]) -> Any:
        return np.concatenate([[0], np.cumsum([p.size for p in parts])]).astype(np.int64)

    joints = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
    return Sparsity(starts(J), np.concatenate(J), starts(G), np.concatenate(G), first.astype(np.int64), joints)


def values(rng: Any, pattern: Sparsity) -> tuple[FloatArray, FloatArray]:
    """A J that is definite and not symmetric, and G."""
    J, G = 0.1 * rng.normal(size=pattern.J_columns.size), rng.normal(size=pattern.G_columns.size)
    rows = np.repeat(np.arange(pattern.n), np.diff(pattern.J_starts))
    J[rows == pattern.J_columns] += 10.0 ** rng.uniform(0, 1, pattern.n)
    return J, G


def whole(pattern: Sparsity, J: FloatArray, G: FloatArray, lower: FloatArray, chosen: Any) -> FloatArray:
    K = np.zeros((pattern.n + pattern.m,) * 2)
    rows = np.repeat(np.arange(pattern.n), np.diff(pattern.J_starts))
    K[rows, pattern.J_columns] = J
    rows = pattern.n + np.repeat(np.arange(pattern.m), np.diff(pattern.G_starts))
    K[rows, pattern.G_columns], K[pattern.G_columns, rows] = lower, G
    kept = np.concatenate([np.arange(pattern.n), pattern.n + chosen])
    return K[np.ix_(kept, kept)]


def error(K: FloatArray, x: FloatArray, b: FloatArray) -> float:
    return float(np.abs(K @ x - b).max() / (np.abs(K).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max()))


def independent(pattern: Sparsity, G: FloatArray) -> Any:
    B = np.zeros((pattern.m, pattern.n))
    B[np.repeat(np.arange(pattern.m), np.diff(pattern.G_starts)), pattern.G_columns] = G
    return choose(B, 1e-3).chosen


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(1, 40), st.integers(0, 30), st.booleans())
def test_solutions_satisfy_the_full_equations(seed: int, bodies: int, extra: int, fronts: bool) -> None:
    rng = np.random.default_rng(seed)
    pattern = net(rng, bodies, extra)
    J, G = values(rng, pattern)
    chosen = independent(pattern, G)
    lower = G + 1e-3 * rng.normal(size=G.size)
    K = whole(pattern, J, G, lower, chosen)
    with forced(fronts):
        factors = SparseFactors(pattern, chosen, 2.0 ** rng.integers(-3, 3, size=pattern.n + chosen.size))
    assert (len(factors.packed.fronts) > 0) == fronts
    factors.factorise(J, G, lower)
    B = rng.normal(size=(K.shape[0], 3))
    for k, transposed in ((slice(None), False), (slice(None), True), (0, False), (0, True)):
        x, b = factors.solve(B[:, k], transposed), B[:, k]
        assert x.shape == b.shape
        assert error(K.T if transposed else K, x, b) < LIMIT
    x, y = B[:, 0].copy(), B[:, 1].copy()
    choice.sparse_solve(factors.values, factors.packed, np.int64(0), x, y)
    if factors.packed.weak == 0:
        assert max(error(K, x, B[:, 0]), error(K, y, B[:, 1])) < LIMIT


@pytest.mark.parametrize("fronts", [False, True])
@pytest.mark.parametrize("lightest", [1e-4, 1e-8, 1e-11])
def test_light_bodies_cost_no_digits(fronts: bool, lightest: float) -> None:
    """Light bodies on joints make entries grow by 1/m while no pivot fades (backward errors to 1e-5
    without refinement): final solutions do not feel it."""
    unrefined = 0.0
    for seed in range(12):
        rng = np.random.default_rng([seed, 320])
        pattern = net(rng, int(rng.integers(2, 40)), int(rng.integers(0, 30)))
        J, G = values(rng, pattern)
        bodies = np.diff(pattern.bodies)
        mass = np.repeat(np.where(rng.random(bodies.size) < 0.3, lightest, 1.0), bodies)
        J *= np.minimum(np.repeat(mass, np.diff(pattern.J_starts)), mass[pattern.J_columns])
        chosen = independent(pattern, G)
        K = whole(pattern, J, G, G, chosen)
        with forced(fronts):
            factors = SparseFactors(pattern, chosen)
        factors.factorise(J, G)
        B = rng.normal(size=(K.shape[0], 3))
        for transposed in (False, True):
            X = factors.solve(B, transposed)
            assert max(error(K.T if transposed else K, X[:, k], B[:, k]) for k in range(3)) < 1e-13
        x, y = B[:, 0].copy(), B[:, 1].copy()
        choice.sparse_solve(factors.values, factors.packed, np.int64(0), x, y)
        if factors.packed.weak == 0:
            unrefined = max(unrefined, error(K, x, B[:, 0]))
    assert unrefined > min(1e-18 / lightest, 1e-9)  # else this shows nothing


@pytest.mark.parametrize("transposed", [False, True])
def test_factors_of_no_use_are_replaced(transposed: bool) -> None:
    """A mass below the rounding of the forces on it: refinement finds nothing, pivots across nodes
    do."""
    starts, one = np.array([0, 2, 4]), np.array([0, 1, 0, 1])
    pattern = Sparsity(starts, one, np.array([0, 2]), np.array([0, 1]), np.array([0, 2]), np.array([0, 1]))
    J, G = np.array([1e-17, 0.0, 0.0, 3e-17]), np.array([1.0, 2.0])
    factors = SparseFactors(pattern)
    factors.factorise(J, G)
    K, b = whole(pattern, J, G, G, np.arange(1)), np.array([0.3, 0.6, 0.7])
    x = factors.solve(b, transposed)
    assert error(K, x, b) < 1e-15
    raw, none = b.copy(), b.copy()
    choice.sparse_solve(factors.values, factors.packed, np.int64(0), raw, none)
    assert not np.allclose(raw, x, rtol=1e-2)


class forced:  # noqa: N801
    """The LU that is wanted, whatever is reckoned."""

    def __init__(self, fronts: bool) -> None:
        self.margin = 0.0 if fronts else np.inf

    def __enter__(self) -> None:
        self.before, choice.MARGIN = choice.MARGIN, self.margin
        choice._pattern_for.cache_clear()

    def __exit__(self, *_: Any) -> None:
        choice.MARGIN = self.before
        choice._pattern_for.cache_clear()


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(2, 20), st.integers(0, 12), st.booleans())
def test_dependent_rows_are_found(seed: int, bodies: int, extra: int, fronts: bool) -> None:
    """Rows that repeat others are put aside, as many as there are too many; enforced all the same,
    they leave no pivot."""
    rng = np.random.default_rng(seed)
    pattern = net(rng, bodies, extra, most_rows=2, loads=False)
    J, G = values(rng, pattern)
    J[:] = np.where(np.repeat(np.arange(pattern.n), np.diff(pattern.J_starts)) == pattern.J_columns, np.abs(J), 0.0)
    for joint in np.flatnonzero(np.diff(pattern.joints) == 2):
        if rng.random() < 0.3:
            one, two = (slice(*pattern.G_starts[r : r + 2]) for r in pattern.joints[joint] + np.arange(2))
            G[two] = -3.0 * G[one]
    B = whole(pattern, J, G, G, np.arange(pattern.m))[pattern.n :, : pattern.n]
    rank = np.linalg.matrix_rank(B)
    with forced(fronts):
        rows = choose_sparse(pattern, J, G, np.ones(pattern.n + pattern.m))
        assert rows.rank == rank
        assert np.linalg.matrix_rank(B[rows.chosen]) == rank
        factors = SparseFactors(pattern)
    if rank < pattern.m:
        with pytest.raises(SingularError, match="no pivot"):
            factors.factorise(J, G)


def test_a_joint_that_went_too_early_waits_for_all_of_its_bodies() -> None:
    """Rows that vanish on the body that they were to be eliminated with: told, and solved in the
    other order."""
    size, rows, pairs = 20, 12, [(0, 1), (1, 2), (2, 3)]  # too large for fronts of several bodies
    of = [np.arange(size * b, size * b + size) for b in range(4)]
    J_columns = np.concatenate([np.tile(columns, size) for columns in of])
    G_columns = np.concatenate([np.tile(np.concatenate([of[a], of[b]]), rows) for a, b in pairs])
    J_starts, G_starts = size * np.arange(4 * size + 1), 2 * size * np.arange(3 * rows + 1)
    pattern = Sparsity(J_starts, J_columns, G_starts, G_columns, size * np.arange(5), rows * np.arange(4))
    J, G = np.tile(2.0 * np.eye(size).ravel(), 4), np.random.default_rng(1).normal(size=G_columns.size)
    G[np.isin(G_columns, (*of[0], *of[3]))] = 0.0  # on both ends of the chain
    chosen, fault = np.arange(pattern.m), np.zeros(1, dtype=np.int64)
    nodes, K = nodes_of(pattern, chosen), whole(pattern, J, G, G, chosen)
    for early in (True, False):
        packed = pack_fronts(pattern, nodes, eliminate(pattern, nodes, early), early)
        A = np.zeros(storage_of(packed))
        status = factorise(J, G, G, np.zeros(pattern.m), np.ones(K.shape[0]), packed, A, fault)
        if early:
            assert (status, packed.early) == (SINGULAR, 1)
            assert fault[0] >= pattern.n
            continue
        b = np.arange(float(K.shape[0]))
        x, y = b.copy(), np.ones(b.size)
        choice.sparse_solve(A, packed, np.int64(0), x, y)
        assert error(K, x, b) < LIMIT
        assert error(K, y, np.ones(b.size)) < LIMIT


def test_growth_is_told() -> None:
    """A pivot that is a small rest of what it was made of, in a front of its own."""
    pattern = Sparsity(
        np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64),
        np.array([0, 1, 2]), np.zeros(1, dtype=np.int64),
    )  # fmt: skip
    nodes = nodes_of(pattern, np.zeros(0, dtype=np.int64))
    packed = pack_fronts(pattern, nodes, eliminate(pattern, nodes, True), True)
    none, fault, A = np.zeros(0), np.zeros(1, dtype=np.int64), np.zeros(storage_of(packed))
    for off, status, weak in ((0.5, 0, 0), (1e-11, 0, 1), (0.0, SINGULAR, 0)):
        found = factorise(np.array([1.0, 1.0, 1.0, 1.0 + off]), none, none, none, np.ones(2), packed, A, fault)
        assert (found, packed.weak) == (status, weak)


@pytest.mark.parametrize("fronts", [False, True])
def test_patterns_are_worked_out_once(fronts: bool) -> None:
    rng = np.random.default_rng(3)
    pattern = net(rng, 12, 5)
    copied = Sparsity(**{name: part.copy() for name, part in vars(pattern).items()})
    chosen = np.arange(pattern.m)
    with forced(fronts):
        assert choice.pattern_for(pattern, chosen) is choice.pattern_for(copied, chosen.copy())
        assert choice.pattern_for(pattern, chosen) is not choice.pattern_for(pattern, chosen[1:])
        assert choice.pattern_for(pattern, chosen) is not choice.pattern_for(pattern, chosen, patient=True)
    assert block_lu.WEAK > block_lu.LOST

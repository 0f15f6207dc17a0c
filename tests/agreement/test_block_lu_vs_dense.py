"""The block LU of mechanisms gives what full matrices give: solutions, ranks, and the same run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels.compiled import OK, SINGULAR, FloatArray
from isodyn.linear_solvers import block_lu
from isodyn.linear_solvers.blocks import Sparsity, pack, storage_of
from isodyn.linear_solvers.rows import choose, choose_sparse
from isodyn.mechanism.system import MechanismSystem
from isodyn.systems.questions import Questions


def random_pattern(rng: Any, bodies: int, joints: int, rows: int = 3) -> Sparsity:
    """Bodies of 2 to 6 unknowns, joints between random pairs (or one body and the ground)."""
    sizes = rng.integers(2, 7, bodies)
    first = np.concatenate([[0], np.cumsum(sizes)])
    ends = [sorted(set(rng.choice(bodies, 2))) for _ in range(joints)]
    near = [{k} for k in range(bodies)]
    for pair in ends:
        for a in pair:
            near[a] |= set(pair)
    line = [np.concatenate([np.arange(first[j], first[j + 1]) for j in sorted(s)]) for s in near]
    J = [line[k] for k in range(bodies) for _ in range(sizes[k])]
    G = [np.concatenate([np.arange(first[j], first[j + 1]) for j in pair]) for pair in ends for _ in range(rows)]

    def starts(parts: list[Any]) -> Any:
        return np.concatenate([[0], np.cumsum([p.size for p in parts])]).astype(np.int64)

    return Sparsity(
        starts(J), np.concatenate(J), starts(G), np.concatenate(G), first.astype(np.int64), rows * np.arange(joints + 1)
    )


def full_matrices(pattern: Sparsity, J: FloatArray, G: FloatArray) -> tuple[FloatArray, FloatArray]:
    A, B = np.zeros((pattern.n, pattern.n)), np.zeros((pattern.m, pattern.n))
    A[np.repeat(np.arange(pattern.n), np.diff(pattern.J_starts)), pattern.J_columns] = J
    B[np.repeat(np.arange(pattern.m), np.diff(pattern.G_starts)), pattern.G_columns] = G
    return A, B


@pytest.mark.parametrize("seed", range(20))
def test_solutions_of_random_block_matrices(seed: int) -> None:
    """[J Gᵀ; G 0] with a J that is not symmetric, some rows left out: the solution satisfies the
    full equations."""
    rng = np.random.default_rng(seed)
    pattern = random_pattern(rng, bodies=int(rng.integers(1, 12)), joints=int(rng.integers(1, 4)), rows=1)
    J, G = 0.1 * rng.normal(size=pattern.J_columns.size), rng.normal(size=pattern.G_columns.size)
    diagonal = pattern.J_columns == np.repeat(np.arange(pattern.n), np.diff(pattern.J_starts))
    J[diagonal] += 2.0
    A, B = full_matrices(pattern, J, G)
    chosen = choose(B).chosen
    packed = pack(pattern, chosen)
    values, x = np.zeros(storage_of(packed)), rng.normal(size=pattern.n + chosen.size)
    K = np.block([[A, B[chosen].T], [B[chosen], np.zeros((chosen.size, chosen.size))]])
    n, m = pattern.n, chosen.size
    sizes = 2.0 ** rng.integers(
        -20, 20, size=n + m
    )  # of unknowns and equations: what is given is the matrix in other units
    of_J, of_G = (
        np.repeat(np.arange(n), np.diff(pattern.J_starts)),
        np.repeat(np.arange(pattern.m), np.diff(pattern.G_starts)),
    )
    own = np.ones(pattern.m)
    own[chosen] = sizes[n:]
    J, G = J / (sizes[of_J] * sizes[pattern.J_columns]), G / (own[of_G] * sizes[pattern.G_columns])
    b = x.copy()
    block_lu.fill_blocks(J, G, np.zeros(m), sizes, packed, values)
    assert block_lu.block_factor(values, packed, np.int64(0), 0.0, np.zeros(1, dtype=np.int64)) == OK
    y = -3.0 * x[::-1]
    block_lu.block_solve(values, packed, np.int64(0), x, y)
    x, y, b, d = x / sizes, y / sizes, sizes * b, sizes * b[::-1]
    assert np.abs(K @ x - b).max() < 1e-11 * np.linalg.cond(K) * np.abs(b).max()
    assert np.abs(K @ y + 3.0 * d).max() < 3e-11 * np.linalg.cond(K) * np.abs(d).max()


def test_dependent_rows_are_found_and_a_singular_matrix_is_told() -> None:
    """Rows entered twice are put aside; enforced all the same, they leave no pivot."""
    rng = np.random.default_rng(5)
    pattern = random_pattern(rng, bodies=8, joints=6, rows=2)
    J, G = np.zeros(pattern.J_columns.size), rng.normal(size=pattern.G_columns.size)
    J[pattern.J_columns == np.repeat(np.arange(pattern.n), np.diff(pattern.J_starts))] = 1.5
    for row in (3, 7):  # twice the row before
        first, second = (slice(pattern.G_starts[r], pattern.G_starts[r + 1]) for r in (row - 1, row))
        G[second] = 2.0 * G[first]
    B = full_matrices(pattern, J, G)[1]
    rows = choose_sparse(pattern, J, G, np.ones(pattern.n + pattern.m))
    assert rows.rank == choose(B).rank == np.linalg.matrix_rank(B)
    assert set(rows.dropped) == {3, 7}
    assert np.linalg.matrix_rank(B[rows.chosen]) == rows.rank
    packed = pack(pattern, np.arange(pattern.m))
    values, fault = np.zeros(storage_of(packed)), np.zeros(1, dtype=np.int64)
    block_lu.fill_blocks(J, G, np.zeros(pattern.m), np.ones(pattern.n + pattern.m), packed, values)
    assert block_lu.block_factor(values, packed, np.int64(0), 0.0, fault) == SINGULAR
    assert fault[0] - pattern.n in (3, 7)


def ladder(bodies: int) -> iso.Mechanism:
    """A chain of links with a closed, redundant loop at its end."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    before = "ground"
    for k in range(bodies):
        mech.add_body(f"b{k}", 1.0, (0.02, 0.08, 0.09), (k + 0.5, 0, 0))
        mech.add_joint(iso.Hinge(f"pin{k}", before, f"b{k}", point=(k, 0, 0), axis=(0, 1, 0)))
        before = f"b{k}"
    mech.add_body("rod", 1.0, (0.02, 0.08, 0.09), (bodies - 0.5, 0, 0.5))
    mech.add_joint(iso.Hinge("low", f"b{bodies - 1}", "rod", point=(bodies - 1, 0, 0.5), axis=(0, 1, 0)))
    mech.add_joint(iso.PointOnPlane("guide", "ground", "rod", point=(bodies, 0, 0.5), axis=(0, 1, 0)))
    return mech


@pytest.mark.parametrize(
    "formulation", [iso.Stabilised(), iso.GGL(), iso.Overdetermined(), iso.Projection(), iso.AccelerationLevel()]
)
def test_the_same_run_with_full_matrices(formulation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Motion and reactions agree to rounding, a redundant row included."""
    system = ladder(5).compile()
    scheme = iso.Scheme.U0(0.8, 0.8, 0.8)
    sparse = iso.integrate(system, scheme, formulation, dt=0.005, t_end=0.2)
    monkeypatch.setattr(MechanismSystem, "small", 10_000)
    dense = iso.integrate(system, scheme, formulation, dt=0.005, t_end=0.2)
    assert (sparse.stats.solver, dense.stats.solver) == ("block LU", "dense LU")
    assert sparse.redundant == dense.redundant
    assert len(sparse.redundant) == 1
    np.testing.assert_allclose(sparse.q, dense.q, atol=1e-11)
    np.testing.assert_allclose(sparse.lam, dense.lam, atol=1e-7)


def test_large_redundant_systems_choose_rows_sparsely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the size at which G is factorised whole, the sparse choice gives the same run."""
    from isodyn.marching import enforced_rows, run

    system = ladder(5).compile()
    whole = iso.integrate(system, dt=0.005, t_end=0.1)
    for module in (run, enforced_rows):
        monkeypatch.setattr(module, "LARGE", 0)
    parts = iso.integrate(system, dt=0.005, t_end=0.1)
    assert len(parts.redundant) == 1
    np.testing.assert_allclose(parts.q, whole.q, atol=1e-10)
    np.testing.assert_allclose(parts.lam, whole.lam, atol=1e-6)


def test_null_space_takes_full_matrices() -> None:
    """Formulations that need full matrices get them."""
    system = ladder(4).compile()
    assert Questions(system).model.sparsity is None
    with pytest.warns(iso.errors.AccuracyWarning):
        sol = iso.integrate(system, iso.Scheme.U0(0.5, 0.5, 0.5), iso.NullSpace(discrete=True), dt=0.005, t_end=0.05)
    assert sol.stats.solver == "dense LU"

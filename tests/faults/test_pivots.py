"""Matrices that a fixed order of elimination cannot do: growth is seen and refined, pivots are
chosen again, SuperLU takes over."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.joints import Hinge
from isodyn.kernels.compiled import OK, SINGULAR, FloatArray
from isodyn.linear_solvers import block_lu
from isodyn.linear_solvers.blocks import Sparsity, joint_to_merge, pack, storage_of
from isodyn.loads import Spring
from isodyn.marching import remedies

LINKS, LENGTH, MASS = 12, 0.1, 0.1
SCHEME, DT = iso.Scheme.U0(0.8, 0.8, 0.8), 1e-3


def chain(off: float, pushed: tuple[int, ...] = (5,)) -> Any:
    """Links in a line, some held sideways by nothing but their neighbours: springs along the line
    push so hard that c₀m + c₂k = off c₀m."""
    mech, before = iso.Mechanism(gravity=(0, 0, 0)), "ground"
    for i in range(LINKS):
        turn = 1e-7 * (i + 0.5) * LENGTH
        mech.add_body(
            f"link {i}",
            MASS,
            MASS * LENGTH**2 / 12,
            ((i + 0.5) * LENGTH, 0, 0),
            kind="planar",
            velocity=(0, turn, 0),
            angular_velocity=1e-7,
        )
        mech.add_joint(Hinge(f"pin {i}", before, f"link {i}", point=(i * LENGTH, 0, 0)))
        before = f"link {i}"
    critical = SCHEME.W1L6 * MASS / (DT**2 * SCHEME.W3L3) * (1.0 - off)
    for i in pushed:
        centre = (i + 0.5) * LENGTH
        mech.add_load(
            Spring(f"push {i}", "ground", f"link {i}", ((0, 0, 0), (centre, 0, 0)), critical, rest=2 * centre)
        )
    return mech.compile()


def run(system: Any, steps: int = 5) -> iso.Solution:
    return iso.integrate(system, SCHEME, dt=DT, t_end=steps * DT)


def with_full_matrices(system: Any, steps: int = 5) -> iso.Solution:
    """The same run with pivots among all rows."""
    full = copy(system)
    object.__setattr__(full, "model", system.dense_model)
    return run(full, steps)


def test_a_block_without_a_pivot_is_eliminated_with_a_joint() -> None:
    """A new order of elimination, no halving, the motion of full matrices."""
    system = chain(0.0)
    sol = run(system)
    assert sol.stats.repivots >= 1
    assert sol.stats.halvings == sol.stats.fallbacks == 0
    assert sol.stats.solver == "block LU"
    assert "new orders of elimination" in str(sol.stats)
    same_motion(sol, with_full_matrices(system))


def test_growth_is_refined() -> None:
    """A pivot of 1e-11 of its block: factors lose digits, refined solutions do not."""
    system = chain(1e-11)
    sol = run(system)
    assert sol.stats.refinements > 0
    assert "refined solutions" in str(sol.stats)
    same_motion(sol, with_full_matrices(system))
    assert run(chain(0.5)).stats.refinements == 0


def test_superlu_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no joint is left to help."""
    monkeypatch.setattr(remedies, "MOST_MERGED", 0)
    system = chain(0.0)
    sol = run(system)
    assert (sol.stats.repivots, sol.stats.fallbacks, sol.stats.halvings) == (0, 1, 0)
    assert sol.stats.solver == "SuperLU"
    same_motion(sol, with_full_matrices(system))


def same_motion(sol: iso.Solution, full: iso.Solution) -> None:
    np.testing.assert_allclose(sol.q, full.q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(sol.v, full.v, rtol=0, atol=1e-11)
    np.testing.assert_allclose(sol.lam, full.lam, rtol=1e-8, atol=1e-8 * np.abs(full.lam).max())


def zero_block() -> tuple[Sparsity, FloatArray, FloatArray]:
    """Three bodies of two unknowns in a row, the middle one without any J, joined by two rows each;
    the whole is regular."""
    J_starts, J_columns = np.arange(0, 13, 2), np.array([0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5])
    G_columns = np.array([0, 1, 2, 3, 0, 1, 2, 3, 2, 3, 4, 5])
    pattern = Sparsity(
        J_starts, J_columns, np.array([0, 4, 8, 12]), G_columns, np.array([0, 2, 4, 6]), np.array([0, 2, 3])
    )
    rng = np.random.default_rng(4)
    J = np.array([2.0, 0.1, 0.2, 3.0, 0, 0, 0, 0, 1.0, 0.3, 0.1, 2.0])
    return pattern, J, rng.normal(size=12)


def test_merged_nodes_solve_what_separate_ones_cannot() -> None:
    """[J Gᵀ; G 0] with a J whose middle block vanishes, against full matrices."""
    pattern, J, G = zero_block()
    chosen, n = np.arange(3), 6
    K = np.zeros((9, 9))
    K[np.repeat(np.arange(n), 2), pattern.J_columns] = J
    K[n + np.repeat(np.arange(3), 4), pattern.G_columns] = G
    K[:n, n:] = K[n:, :n].T
    packed, fault = pack(pattern, chosen), np.zeros(1, dtype=np.int64)
    values = np.zeros(storage_of(packed))
    block_lu.fill_blocks(J, G, np.zeros(3), np.ones(9), packed, values)
    assert block_lu.block_factor(values, packed, np.int64(0), 0.0, fault) == SINGULAR
    assert fault[0] in (2, 3)
    pair = joint_to_merge(pattern, chosen, (), int(fault[0]))
    assert pair == (1, 0)
    packed = pack(pattern, chosen, [pair])
    values, x = np.zeros(storage_of(packed)), np.arange(1.0, 10.0)
    block_lu.fill_blocks(J, G, np.zeros(3), np.ones(9), packed, values)
    assert block_lu.block_factor(values, packed, np.int64(0), 0.0, fault) == OK
    b, y = x.copy(), np.ones(9)
    block_lu.block_solve(values, packed, np.int64(0), x, y)
    np.testing.assert_allclose(K @ x, b, atol=1e-12)
    block_lu.subtract_blocks(J, G, G, np.zeros(3), packed, x, b)
    assert np.abs(b).max() < 1e-12
    assert joint_to_merge(pattern, chosen, [(1, 0), (1, 2)], 2) is None

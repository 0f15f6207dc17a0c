"""Nets that are factorised front by front give what full matrices give: the same run, rows that
follow from others, constraints to rounding."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.mechanism.system import MechanismSystem

SPACING = 0.1


def cloth(n: int, doubled: bool = False) -> iso.Mechanism:
    """Particles on rods, a quarter of a tube with two corners held; with `doubled`, two rods in one
    place."""
    mech, turn = iso.Mechanism(gravity=(0, 0, -9.81)), 0.5 * np.pi / (n - 1)
    radius = 0.5 * SPACING / np.sin(0.5 * turn)

    def place(i: int, j: int) -> tuple[float, float, float]:
        angle = turn * j - 0.75 * np.pi
        return i * SPACING, float(radius * np.cos(angle)), float(radius * np.sin(angle))

    for i in range(n):
        for j in range(n):
            mech.add_body(f"{i} {j}", 0.01, kind="particle", position=place(i, j))
    for i in range(n):
        for j in range(n):
            for k, m in ((i + 1, j), (i, j + 1)):
                if max(k, m) < n:
                    mech.add_joint(iso.Distance(f"{i} {j} to {k} {m}", f"{i} {j}", f"{k} {m}"))
    if doubled:
        mech.add_joint(iso.Distance("again", "1 1", "1 2"))
    for j in (0, n - 1):
        mech.add_joint(iso.Spherical(f"held {j}", "ground", f"0 {j}", point=place(0, j)))
    return mech


@pytest.mark.parametrize("doubled", [False, True])
def test_a_cloth_moves_as_with_full_matrices(doubled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Motion and multipliers agree, redundant rods included; positions and velocities stay on the
    constraints."""
    system = cloth(4, doubled).compile()
    fronts = iso.integrate(system, dt=0.005, t_end=0.1)
    monkeypatch.setattr(MechanismSystem, "small", 10_000)
    dense = iso.integrate(system, dt=0.005, t_end=0.1)
    assert (fronts.stats.solver, dense.stats.solver) == ("multifrontal LU", "dense LU")
    assert len(fronts.redundant) == len(dense.redundant) == doubled
    assert fronts.stats.repivots == fronts.stats.fallbacks == 0
    np.testing.assert_allclose(fronts.q, dense.q, atol=1e-11)
    np.testing.assert_allclose(fronts.lam, dense.lam, atol=1e-7)
    assert max(fronts.drift().largest[:2]) < 1e-14


def test_dependent_rods_of_a_large_net_are_found() -> None:
    """Beyond the size at which G is factorised whole, by the factors of fronts."""
    system = cloth(18, doubled=True).compile()
    assert system.m * system.nv > 400_000
    sol = iso.integrate(system, dt=0.001, t_end=0.005)
    assert sol.stats.solver == "multifrontal LU"
    assert len(sol.redundant) == 1
    assert max(sol.drift().largest[:2]) < 1e-14

"""Radau takes the same steps with sparse matrices as with full ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.kernels.compiled import KNOWS_TANGENT
from isodyn.linear_solvers.blocks import Sparsity
from isodyn.marching import enforced_rows, steppers
from isodyn.marching.method_run import MethodRun
from isodyn.stepping.radau_sparse import colours_of

NEVER = 10**6


def beams() -> Any:
    """A beam of 24 elements between an arm and a bob."""
    return iso.problems.get("beam_and_bodies").system(elements=24, damping=1e-3)


def loop() -> Any:
    """A ring of planar links with one row of constraints too many, that a motor turns."""
    mech = iso.Mechanism()
    corners = [(np.cos(a), np.sin(a), 0.0) for a in np.linspace(0.0, 2.0 * np.pi, 13)[:-1]]
    for k, (x, y, z) in enumerate(corners):
        mech.add_body(f"link{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(x, y, z))
    for k in range(12):
        middle = np.mean([corners[k], corners[(k + 1) % 12]], axis=0)
        mech.add_joint(iso.Hinge(f"pin{k}", f"link{k}", f"link{(k + 1) % 12}", point=middle, axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("foot", "ground", "link0", point=corners[0], axis=(0, 0, 1)))
    mech.add_load(iso.Motor("motor", "foot", torque=3.0))
    return mech.compile()


@pytest.mark.parametrize(
    ("build", "t_end"),
    [(lambda: iso.problems.get("spatial_chain").system(n=12), 0.2), (beams, 0.05), (loop, 0.1)],
    ids=["chain", "beam", "redundant ring"],
)
def test_same_motion(build: Any, t_end: float, monkeypatch: pytest.MonkeyPatch) -> None:
    system = build()
    assert system.nv + system.m > steppers.SMALL
    sparse = iso.integrate(system, iso.Radau(rtol=1e-6), t_end=t_end)
    monkeypatch.setattr(steppers, "SMALL", NEVER)
    full = iso.integrate(system, iso.Radau(rtol=1e-6), t_end=t_end)
    assert "dense" in full.stats.solver
    assert "dense" not in sparse.stats.solver
    assert max(sparse.drift().largest) < 1e-12
    # both iterations leave something else below the tolerance
    for name in ("q", "v", "lam"):
        good = getattr(full, name)[-1]
        assert np.abs(getattr(sparse, name)[-1] - good).max() < 1e-6 * max(1.0, np.abs(good).max()), name


def falling_chain() -> Any:
    """Twelve level links, with a spring from the second to the ninth; a floor below the last one,
    which holds its mass centre when it is locked."""
    mech, before, J = iso.Mechanism(gravity=(0.0, 0.0, -9.81)), "ground", 1.0 / 12.0
    for k in range(12):
        mech.add_body(f"link{k}", mass=1.0, inertia=(0.1 * J, J, J), position=(k + 0.5, 0.0, 0.0))
        mech.add_joint(iso.Hinge(f"pin{k}", before, f"link{k}", point=(k, 0, 0), axis=(0, 1 - k % 2, k % 2)))
        before = f"link{k}"
    points, up = ((11.5, 0.0, -0.005), (0.0, 0.0, 0.0)), (0.0, 0.0, 1.0)
    mech.add_joint(iso.PointOnPlane("floor", "ground", before, points=points, axes=(up, up)))
    mech.add_load(iso.Spring("spring", "link1", "link8", stiffness=500.0, rest=5.0))
    return mech.compile()


def test_rows_and_loads_that_events_change() -> None:
    """A row more, five rows fewer, and a model without the entries of a spring."""
    system = falling_chain()
    assert system.nv + system.m > steppers.SMALL
    height = system.names.index("link11.z")
    events = [
        iso.Event(lambda t, q, v: q[height] + 0.005, action=iso.Lock("floor")),
        iso.Event(lambda t, q, v: t - 0.05, action=iso.Release("pin6")),
        iso.Event(lambda t, q, v: t - 0.08, action=iso.SwitchLoad("spring")),
    ]
    sol, good = (
        iso.integrate(system, method, t_end=0.1, events=events, released=["floor"])
        for method in (iso.Radau(rtol=1e-7), iso.DOP853(rtol=1e-10))
    )
    assert "dense" not in sol.stats.solver
    for name in ("q", "v", "a", "lam"):
        right = getattr(good, name)[-1]
        assert np.abs(getattr(sol, name)[-1] - right).max() < 1e-6 * max(1.0, np.abs(right).max()), name


@pytest.mark.parametrize("small", [steppers.SMALL, NEVER], ids=["sparse", "full"])
def test_rows_that_are_chosen_again(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other rows of a redundant ring after almost every step."""
    system, chosen = loop(), set()
    good = iso.integrate(system, iso.DOP853(rtol=1e-10), t_end=0.2)
    monkeypatch.setattr(steppers, "SMALL", small)
    monkeypatch.setattr(enforced_rows, "WORN", np.inf)
    renew = MethodRun.renew_rate

    def noted(run: MethodRun) -> None:
        chosen.add(tuple(run.independent.chosen))
        renew(run)

    monkeypatch.setattr(MethodRun, "renew_rate", noted)
    sol = iso.integrate(system, iso.Radau(rtol=1e-6), t_end=0.2)
    assert len(chosen) > 3  # of rows that tie the first is taken
    for name in ("q", "v", "a"):
        assert np.abs(getattr(sol, name)[-1] - getattr(good, name)[-1]).max() < 1e-7, name


def test_large_systems_without_tangents() -> None:
    """Sparse matrices need them, and full ones would be too large; Auto stays explicit."""
    chain = iso.problems.get("spatial_chain").system(n=100)
    system = replace(chain, traits=chain.traits & ~KNOWS_TANGENT)
    with pytest.raises(InputError, match="full matrices here, for up to 1000 unknowns; this system has 1100"):
        iso.integrate(system, iso.Radau(), t_end=1e-3)
    assert iso.integrate(system, iso.Auto(rtol=1e-4), t_end=1e-3).stats.methods == "DOP853"


def test_many_bodies_and_auto() -> None:
    """Fifty bodies in space, which full matrices would take minutes for; by its own choice, too."""
    system = iso.problems.get("spatial_chain").system(n=50)
    sol = iso.integrate(system, iso.Radau(rtol=1e-4), t_end=0.1)
    other = iso.integrate(system, iso.Auto(rtol=1e-6), t_end=0.1)
    assert max(sol.drift().largest) < 1e-12
    assert np.abs(sol.q[-1] - other.q[-1]).max() < 1e-4


def test_columns_of_one_colour_share_no_row() -> None:
    rng = np.random.default_rng(3)
    rows = [np.sort(rng.choice(20, size=4, replace=False)) for _ in range(15)]
    starts = np.arange(0, 61, 4)
    lines = np.arange(21)
    found = colours_of(Sparsity(lines, np.arange(20), starts, np.concatenate(rows), lines, np.arange(16)))
    assert all(np.unique(found[row]).size == 4 for row in rows)

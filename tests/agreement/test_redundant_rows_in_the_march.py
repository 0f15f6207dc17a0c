"""Redundant rows that the march looks at itself give what a look at every single row gives: the same
motion and multipliers as far as the iteration goes, with far fewer looks from Python; and the
multipliers of every row are those of least norm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso
from isodyn.linear_solvers.rows import least_multipliers
from isodyn.marching import row_sharing
from isodyn.marching.run import Run
from isodyn.systems.questions import Questions


def four_bar() -> Any:
    """A loop on four hinges in space: three of its twenty rows are redundant."""
    points = [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (2.0, 2.0, 0.0), (2.5, 0.0, 0.0)]
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    for k in range(3):
        middle = (np.array(points[k]) + points[k + 1]) / 2
        mech.add_body(f"bar{k}", mass=1.0, inertia=(0.01, 0.1, 0.1), position=middle)
    for k, pair in enumerate([("ground", "bar0"), ("bar0", "bar1"), ("bar1", "bar2"), ("bar2", "ground")]):
        mech.add_joint(iso.Hinge(f"pin{k}", *pair, point=points[k], axis=(0, 0, 1)))
    return mech.compile()


CASES = {
    "four-bar": (four_bar, 0.002, 1.2),
    "doubled joint": (lambda: known.double_pendulum_system(2), 0.005, 1.0),
    "third bar, rows exchanged": (known.three_bars_system, 0.004, 2.0),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("save_every", [1, 7])
def test_blocks_equal_single_rows(name: str, save_every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    make, dt, t_end = CASES[name]
    system, looks = make(), []
    watch_rows = Run.watch_rows
    monkeypatch.setattr(Run, "watch_rows", lambda run, wrote: (looks.append(1), watch_rows(run, wrote))[1])
    blocks = iso.integrate(system, dt=dt, t_end=t_end, save_every=save_every)
    with_care = len(looks)
    looks.clear()
    single = iso.integrate(system, dt=dt, t_end=t_end, save_every=save_every, observe=lambda sample: False)
    assert np.abs(blocks.q - single.q).max() < 2e-11
    assert np.abs(blocks.v - single.v).max() < 2e-9
    assert np.abs(blocks.lam - single.lam).max() < 1e-9 * np.abs(single.lam).max()
    assert with_care < len(looks) / 5  # most rows need no look from Python


@pytest.mark.parametrize("problem", ["bennett", "bricard"])
@pytest.mark.parametrize("save_every", [1, 7])
def test_rows_are_exchanged_and_multipliers_least(
    problem: str, save_every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loops that move so far that enforced rows come to depend on each other: others take their
    place in time, constraints hold to rounding, and no row has larger multipliers than its force
    needs."""
    system, exchanges = iso.problems.get(problem).system(), []
    exchange = row_sharing.exchange
    monkeypatch.setattr(row_sharing, "exchange", lambda run: (exchanges.append(1), exchange(run))[1])
    sol = iso.integrate(system, dt=0.004, t_end=2.0, save_every=save_every)
    assert exchanges
    assert max(sol.drift().largest[:2]) < 1e-12
    ask, size = Questions(system), np.abs(sol.lam).max()
    for t, q, v, lam in list(zip(sol.t, sol.q, sol.v, sol.lam, strict=True))[::7]:
        assert np.abs(lam - least_multipliers(ask.G(t, q, v), lam, system.scales)).max() < 1e-12 * size

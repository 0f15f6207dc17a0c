"""Redundant rows looked at in compiled blocks give what a look at every single row gives: the same
motion and multipliers as far as the iteration goes, with far fewer looks.

Rows that fade are exchanged a few steps later than with a look at every row, which changes the
motion within the tolerance of the iteration (1e-10 of the acceleration)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso
from isodyn.marching.run import Run


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

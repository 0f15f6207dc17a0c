"""Files of all quantities work out the poses of a body once; views of a solution always anew."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.mechanism import poses as body_poses
from isodyn.results import tables


def solution() -> iso.Solution:
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    for k in range(2):
        mech.add_body(f"rod{k}", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(k + 0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin0", "ground", "rod0", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_joint(iso.Hinge("pin1", "rod0", "rod1", point=(1, 0, 0), axis=(0, 1, 0)))
    return iso.integrate(mech.compile(), dt=0.01, t_end=0.05)


def test_tables_are_the_same_and_poses_are_worked_out_once(monkeypatch):
    sol, asked = solution(), []
    plain = tables.columns(sol)
    worked_out = body_poses._poses
    monkeypatch.setattr(body_poses, "_poses", lambda *given: asked.append(given[1]) or worked_out(*given))
    with tables.looked_at_once(sol):
        shared = tables.columns(sol)
    assert shared[:2] == plain[:2]
    assert all(np.array_equal(x, y) for x, y in zip(shared[2], plain[2], strict=True))
    assert sorted(set(asked)) == ["ground", "rod0", "rod1"]
    assert len(asked) == 3


def test_rows_that_were_changed_are_seen():
    sol = solution()
    with tables.looked_at_once(sol):
        tables.columns(sol)
    sol.q[:, 0] += 1.0
    assert np.array_equal(sol.body("rod0").position[:, 0], sol.q[:, 0])

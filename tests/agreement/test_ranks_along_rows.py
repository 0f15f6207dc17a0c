"""Ranks of constraint rows along the saved rows of a run: compiled against NumPy's way."""

import numpy as np
import pytest

import isodyn as iso
from isodyn.marching import method_rows


@pytest.mark.parametrize(("problem", "t_end"), [("planar_loop_in_space", 0.4), ("rigid_pendulum", 0.3)])
def test_the_same_rows(monkeypatch, problem, t_end):
    """With redundant rows and without."""
    system = iso.problems.get(problem).system()
    compiled = iso.integrate(system, iso.DOP853(rtol=1e-6), t_end=t_end)
    called = []

    def counted(G):
        called.append(G.shape)
        return choose(G)

    choose = method_rows.choose
    monkeypatch.setattr(method_rows, "FEW", 0)
    monkeypatch.setattr(method_rows, "choose", counted)
    plain = iso.integrate(system, iso.DOP853(rtol=1e-6), t_end=t_end)
    assert len(called) >= plain.t.size > 3
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(compiled, name), getattr(plain, name)), name

"""Forces that depend on multipliers: plain functions, compiled ones, ensembles and resumed runs take
the same steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
import nonideal_systems as known
from isodyn.results import Checkpoint


def test_plain_and_compiled_functions():
    one, other = (iso.integrate(known.bead(compiled), dt=0.01, t_end=0.5) for compiled in (True, False))
    for name in ("q", "v", "a", "lam"):
        rounding = 1e-13 * np.abs(getattr(one, name)).max()  # of functions in machine code and in NumPy
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=0.0, atol=rounding)


def test_members_of_an_ensemble_are_single_runs():
    starts = np.array([[0.0, 1.0], [0.0, known.SPEED], [0.0, 2.0]])
    many = iso.ensemble(known.bead(), v0=starts, dt=0.01, t_end=0.5)
    one = iso.integrate(known.bead(), dt=0.01, t_end=0.5)
    assert np.array_equal(many[1].q, one.q)
    assert np.array_equal(many[1].lam, one.lam)


def test_resumed_runs_are_the_same_to_the_last_bit(tmp_path: Path):
    whole = iso.integrate(known.bead(False), dt=0.01, t_end=0.5)

    def stop(sample):
        if sample.t > 0.2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        iso.integrate(
            known.bead(False), dt=0.01, t_end=0.5, observe=stop, checkpoint=Checkpoint(tmp_path / "c", every=5)
        )
    again = iso.resume(tmp_path / "c", known.bead(False))
    assert np.array_equal(again.q, whole.q)
    assert np.array_equal(again.lam, whole.lam)


def test_derivatives_by_differences_are_those_that_are_given():
    wheelset = known.Wheelset()
    ask = [iso.systems.questions.Questions(wheelset.system(given)) for given in (False, True)]
    lam = np.array([-4000.0, -7000.0])
    one, other = (x.columns(0.0, wheelset.q0, wheelset.v0, lam) for x in ask)
    np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9)
    compiled, plain = (iso.systems.questions.Questions(known.bead(x)) for x in (True, False))
    state = 0.0, np.array([0.6, 0.5]), np.array([0.1, 0.2]), np.array([1.7])
    np.testing.assert_allclose(compiled.columns(*state), plain.columns(*state), rtol=0.0, atol=1e-12)
    tangent = known.FRICTION * np.array([-0.5, 0.6])
    np.testing.assert_allclose(plain.columns(*state)[:, 0], [0.6 + tangent[0], 0.5 + tangent[1]], atol=1e-10)

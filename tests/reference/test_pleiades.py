"""Seven stars with masses 1 to 7 against the numbers of the Test Set for IVP Solvers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.problems.pleiades import extended_reference, published_reference

STEPS = (1e-4, 5e-5, 2.5e-5)


@pytest.mark.parametrize("scheme", [iso.Scheme.midpoint_mpa(), iso.Scheme.central_difference()], ids=str)
def test_converges_to_the_published_numbers_with_order_two(scheme: iso.Scheme) -> None:
    """At t = 3, in positions and velocities, the slope is 2 and the finest error below 4e-4 of a
    unit."""
    problem = problems.get("pleiades")
    reference = problem.reference
    assert reference is not None
    errors = []
    for dt in STEPS:
        sol = iso.integrate(problem.system(), scheme, dt=dt, t_end=3.0, save_every=1000)
        errors.append((np.abs(sol.q[-1] - reference.q[0]).max(), np.abs(sol.v[-1] - reference.v[0]).max()))
    for e in zip(*errors, strict=True):
        assert math.log2(e[1] / e[2]) == pytest.approx(2.0, abs=0.1)
        assert e[0] > e[1] > e[2]
    assert errors[-1][0] < 5e-4
    assert errors[-1][1] < 1e-3


def test_follows_the_reference_at_six_times() -> None:
    """Also before the end, against values in extended precision; the close encounters lie between
    them."""
    reference = extended_reference()
    sol = iso.integrate(
        problems.get("pleiades").system(), iso.Scheme.midpoint_mpa(), dt=2.5e-5, t_end=3.0, save_every=20000
    )
    assert np.allclose(sol.t, [0.0, *reference.t])
    assert np.abs(sol.q[1:] - reference.q).max() < 5e-4
    assert np.abs(sol.v[1:] - reference.v).max() < 1e-3


def test_the_two_references_agree() -> None:
    """Published and extended-precision numbers at t = 3 agree to 12 digits."""
    published, extended = published_reference(), extended_reference()
    assert np.abs(published.q[0] - extended.q[-1]).max() < 1e-11
    assert np.abs(published.v[0] - extended.v[-1]).max() < 1e-11

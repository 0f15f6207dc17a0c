"""Hamilton's form on rigid bodies with quaternions and body-frame angular velocities: second order in
q, v, a and λ against order eight in the usual coordinates, unit quaternions, both constraint levels."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso


@pytest.mark.slow
def test_spinning_top():
    top, t = iso.problems.get("spinning_top").system(precession=2.0, spin=8.0), np.linspace(0.0, 0.1, 6)
    right = iso.integrate_adaptive(top, t_end=0.1, save=t, rtol=1e-11)
    errors = []
    for n in (20, 40):
        sol = iso.integrate(top, iso.Scheme.optimal(0.5), iso.Hamiltonian(), dt=0.1 / n, t_end=0.1, save_every=n // 5)
        errors.append([np.abs(getattr(sol, name) - getattr(right, name)).max() for name in ("q", "v", "a", "lam")])
        assert np.abs(np.linalg.norm(sol.q[:, 3:7], axis=1) - 1.0).max() < 1e-15
        assert max(sol.drift().largest[:2]) < 1e-11
    assert (np.log2(np.divide(*errors)) > 1.8).all(), errors


def test_index_of_the_form():
    found = iso.analysis.index(iso.problems.get("spinning_top").system(), formulation=iso.Hamiltonian())
    assert found.index == 2
    assert len(found.differentiate) == 1

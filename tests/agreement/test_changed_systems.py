"""Systems of compiled functions keep what they made of them; a function or a mass matrix that is
changed between two runs counts in the second one."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

import isodyn as iso


@njit
def soft(q, v, t):
    return -4.0 * q


@njit
def stiff(q, v, t):
    return -25.0 * q


def end(system):
    return iso.integrate(system, dt=1e-3, t_end=0.5).q[-1, 0]


def test_another_force_and_another_mass_count():
    system = iso.MechanicalSystem(M=np.eye(1), Q=soft, q0=[1.0], v0=[0.0])
    assert [end(system) for _ in range(2)] == [pytest.approx(np.cos(1.0), abs=1e-5)] * 2
    system.Q = stiff
    assert end(system) == pytest.approx(np.cos(2.5), abs=1e-4)
    system.M[:] = 4.0
    assert end(system) == pytest.approx(np.cos(1.25), abs=1e-4)

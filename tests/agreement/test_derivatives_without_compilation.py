"""Derivatives of a run without Numba: those of an oscillator in closed form."""

import os
import subprocess
import sys

import numpy as np
import pytest

PROGRAM = """
import isodyn as iso

def oscillator(g, h):
    return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: [-g - q[0]], q0=[h], v0=[0.0])

sol = iso.integrate(iso.Parametrised(oscillator, g=10.0, h=5.0), dt=0.01, t_end=0.2, sensitivities=["g", "h"])
print(sol.sensitivity("g").q[-1, 0], sol.sensitivity("h").q[-1, 0])
"""


def test_derivatives_of_an_oscillator() -> None:
    """q = (h + g) cos t − g."""
    interpreted = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=interpreted, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    by_g, by_h = map(float, done.stdout.split())
    assert by_g == pytest.approx(np.cos(0.2) - 1.0, rel=1e-3)
    assert by_h == pytest.approx(np.cos(0.2), rel=1e-5)

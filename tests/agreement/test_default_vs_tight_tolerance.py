"""The default tolerance of Newton's iteration is tight enough not to be seen beside the error of
the steps."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems


@pytest.mark.parametrize(("name", "dt", "t_end"), [("manufactured", 0.1, 4.0), ("kepler", 0.05, 10.0)])
def test_default_tolerance_gives_the_converged_motion(name: str, dt: float, t_end: float) -> None:
    """Coarse steps, so that the iteration has work to do; measured 3e-9 at most, while steps err by
    1e-3 and more."""
    system = problems.get(name).system()
    default = iso.integrate(system, dt=dt, t_end=t_end)
    tight = iso.integrate(system, dt=dt, t_end=t_end, newton=iso.Newton(rtol=1e-14))
    assert tight.stats.iterations > default.stats.iterations
    for computed, reference in ((default.q, tight.q), (default.v, tight.v), (default.a, tight.a)):
        assert np.abs(computed - reference).max() <= 1e-8 * np.abs(reference).max()

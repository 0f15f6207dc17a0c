"""A flexible rod at a fixed mesh: second order in q, v, a, with a smooth load and with one that
jumps at a breakpoint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso

STEPS = (2e-3, 1e-3, 5e-4)


def run(dt: float, scheme: iso.Scheme, time: Any, breakpoints: Any) -> iso.Solution:
    rod = iso.Beam([(0, 0), (14, 0)], elements=4, section=iso.Section(EA=500.0, EI=500.0, rhoA=0.7))
    rod.torque("end", 90.0, time=time)
    rod.force("end", (5.0, 5.0), time=time)
    return iso.integrate(rod.compile(), scheme=scheme, dt=dt, t_end=1.0, breakpoints=breakpoints)


@pytest.mark.parametrize(
    "scheme", [iso.Scheme.midpoint_mpa(), iso.Scheme.midpoint_epa(), iso.Scheme.optimal(0.5)], ids=lambda s: s.name
)
@pytest.mark.parametrize(
    ("time", "breakpoints"),
    [(iso.Ramp(0.0, 1.0, 0.0, 0.5), ()), (iso.Pulse(1.0, 0.0, 0.5), (0.5,))],
    ids=["ramp", "jump"],
)
def test_rod_is_second_order(scheme: iso.Scheme, time: Any, breakpoints: Any) -> None:
    """Against steps of 1/16 of the finest."""
    finest = STEPS[-1] / 16
    reference = run(finest, scheme, time, breakpoints)
    solutions = [run(dt, scheme, time, breakpoints) for dt in STEPS]
    for name in ("q", "v", "a"):
        errors = [
            np.abs(getattr(sol, name) - getattr(reference, name)[:: round(dt / finest)]).max()
            for dt, sol in zip(STEPS, solutions, strict=True)
        ]
        assert abs(np.log2(errors[-2] / errors[-1]) - 2) < 0.1, name

"""What cannot be computed is refused: times that do not differ, matrices that are not masses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import isodyn as iso
from isodyn.errors import IsodynError
from isodyn.studies.verification.case import Case, Measurement
from isodyn.studies.verification.runs import once


def oscillator(M: object, K: object) -> iso.LinearSystem:
    return iso.LinearSystem(M, None, K, None, np.ones(2), np.zeros(2))


def run(system: iso.LinearSystem, t0: float = 0.0, dt: float = 0.01) -> None:
    iso.integrate(system, iso.Scheme.U0(0.8, 1.0, 0.0), dt=dt, t0=t0, t_end=t0 + 100 * dt)


def refused(action: Callable[[], object]) -> float:
    """0 where a typed error ends it, 1 where it ends without a word."""
    try:
        action()
    except IsodynError:
        return 0.0
    return 1.0


def measure() -> Measurement:
    one = np.eye(2)
    indefinite = np.diag([1.0, -1.0])
    errors = {
        "t0 = 1e9 with dt = 1e-8": refused(lambda: run(oscillator(one, one), 1e9, 1e-8)),
        "complex M": refused(lambda: run(oscillator(one + 1j * one, one))),
        "complex K": refused(lambda: run(oscillator(one, one * (1 + 0.1j)))),
        "indefinite M": refused(lambda: run(oscillator(indefinite, one))),
    }
    return Measurement(errors=errors)


CASE = Case(
    name="refusals",
    topic="truth",
    shows="Steps below the rounding of the time, complex and indefinite matrices end with a typed error.",
    source="own problem",
    reference="a refusal",
    trust="exact",
    steps=(0.0,),
    prepare=once(measure),
    bounds=dict.fromkeys(("t0 = 1e9 with dt = 1e-8", "complex M", "complex K", "indefinite M"), 0.0),
)

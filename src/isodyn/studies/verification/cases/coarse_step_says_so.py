"""The run itself reports a step that is too coarse, and accepts one that is fine enough."""

from __future__ import annotations

import warnings

import numpy as np

import isodyn as iso
from isodyn.errors import IsodynWarning
from isodyn.studies.verification.case import Case, Measurement
from isodyn.studies.verification.runs import once

MU = 1000.0


def van_der_pol() -> iso.MechanicalSystem:
    return iso.MechanicalSystem(
        1.0,
        lambda q, v, t: MU * (1.0 - q**2) * v - q,
        [2.0],
        [0.0],
        Q_q=lambda q, v, t: np.array([[-2.0 * MU * q[0] * v[0] - 1.0]]),
        Q_v=lambda q, v, t: np.array([[MU * (1.0 - q[0] ** 2)]]),
    )


def robertson() -> iso.FirstOrderSystem:
    def h(s: np.ndarray, t: float) -> np.ndarray:
        one, two = 0.04 * s[0] - 1e4 * s[1] * s[2], 3e7 * s[1] ** 2
        return np.array([-one, one - two, two])

    return iso.FirstOrderSystem(h, np.array([1.0, 0.0, 0.0]))


def silent(system: object, scheme: object, dt: float, t_end: float) -> float:
    """1 where a run ends without a word about its steps, 0 where it warns or is refused."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            iso.integrate(system, scheme, dt=dt, t_end=t_end)  # type: ignore[call-overload]
        except iso.IsodynError:
            return 0.0
    return 0.0 if any(issubclass(w.category, IsodynWarning) for w in said) else 1.0


def measure() -> Measurement:
    scheme = iso.Scheme.U0(0.8, 1.0, 0.0)
    fine = iso.MechanicalSystem(1.0, lambda q, v, t: -q, [1.0], [0.0])
    errors = {
        "van der Pol, mu = 1000, dt = 1": silent(van_der_pol(), scheme, 1.0, 1000.0),
        "Robertson, dt = 1": silent(robertson(), iso.Scheme.optimal(0.0).first_order(), 1.0, 40.0),
        "complaint about a fine step": 1.0 - silent(fine, scheme, 0.01, 10.0),
    }
    return Measurement(errors=errors)


CASE = Case(
    name="coarse_step_says_so",
    topic="truth",
    shows="Van der Pol's and Robertson's equations with steps that miss the motion: the run warns; a fine one does not.",
    source="Test Set for IVP Solvers; Hairer and Wanner (1996)",
    citation="Hairer1996",
    reference="a warning",
    trust="exact",
    steps=(0.0,),
    prepare=once(measure),
    bounds=dict.fromkeys(("van der Pol, mu = 1000, dt = 1", "Robertson, dt = 1", "complaint about a fine step"), 0.0),
)

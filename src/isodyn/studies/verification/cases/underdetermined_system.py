"""A x = b with more unknowns than equations: x = s + v₁ + v₂, nearest to what is wished for,
against the KKT equations."""

from __future__ import annotations

import numpy as np

from isodyn import gauss
from isodyn.studies.verification.case import Case, Measurement
from isodyn.studies.verification.runs import compared, once


def measure() -> Measurement:
    rng = np.random.default_rng(2005)
    A, b = rng.standard_normal((3, 7)), rng.standard_normal(3)
    s = rng.standard_normal(7)
    found = gauss.underdetermined(A, b, s, np.zeros(7))
    kkt = np.block([[np.eye(7), A.T], [A, np.zeros((3, 3))]])
    x = np.linalg.solve(kkt, np.concatenate([s, b]))[:7]
    errors = {"x": compared(found.x, x), "A x − b": float(np.abs(A @ found.x - b).max())}
    return Measurement(errors=errors)


CASE = Case(
    name="underdetermined_system",
    topic="accelerations",
    shows="A general underdetermined system without mass: the solution nearest to a given vector.",
    source="Fan, Kalaba, Natsuyama and Udwadia (2005), (38) to (49)",
    citation="Fan2005",
    reference="KKT equations",
    trust="exact",
    steps=(0.0,),
    prepare=once(measure),
    bounds={"x": 1e-13, "A x − b": 1e-13},
)

"""Roots of the amplification matrix at infinite frequency are the radii that a member was designed
for, with damping too."""

from __future__ import annotations

import itertools

import numpy as np

from isodyn.analysis import amplification_matrix
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case, Measurement
from isodyn.studies.verification.runs import once

LARGE = 1e7


def measure() -> Measurement:
    worst = {"U0": 0.0, "V0": 0.0, "U0, damped": 0.0, "V0, damped": 0.0}
    for s, low, high in itertools.product((0.0, 0.3, 0.6), (0.2, 0.6, 0.9), (0.4, 0.7, 1.0)):
        if not s <= low <= high:
            continue
        for family, make in (("U0", Scheme.U0), ("V0", Scheme.V0)):
            scheme = make(low, high, s)
            for key, xi in ((family, 0.0), (f"{family}, damped", 0.3)):
                roots = np.sort(np.abs(np.linalg.eigvals(amplification_matrix(scheme, LARGE, xi))))
                worst[key] = max(worst[key], float(np.abs(roots - np.sort([s, low, high])).max()))
    return Measurement(errors=worst)


CASE = Case(
    name="spectral_radii",
    topic="integration",
    shows="Members of both families have the radii at infinite frequency that they were asked for.",
    source="Shimada (2014), section 2.2",
    citation="Shimada2014",
    reference="(ρmin, ρmax, ρs)",
    trust="exact",
    steps=(0.0,),
    prepare=once(measure),
    bounds={"U0": 2e-6, "V0": 2e-6, "U0, damped": 2e-6, "V0, damped": 5e-4},
)

"""The standard set: cases with references, each a small file of `cases`, and what runs them.

    for every case    runs with several step sizes, coarse to fine
    error             max over time and components of |Δ|, divided by max |reference|       (isodyn.studies.errors)
    order             log(e_k / e_{k+1}) / log(dt_k / dt_{k+1}) between the two finest steps
    drift, energy     largest violation of φ and φ̇, relative; largest error of the energy balance over the largest kinetic energy
    verdict           every declared bound and order holds

`isodyn verify` is the command. A new case is a new file in `cases`; nothing else changes.

>>> from isodyn.studies import verification
>>> [case.name for case in verification.select(["kepler_*"])]
['kepler_ellipse', 'kepler_long_ellipse']
"""

from isodyn.studies.verification.case import TOPICS, TRUST, Case, Measurement
from isodyn.studies.verification.collection import every, select
from isodyn.studies.verification.outcome import Finding, Outcome, verify
from isodyn.studies.verification.table import to_markdown

__all__ = [
    "TOPICS",
    "TRUST",
    "Case",
    "Finding",
    "Measurement",
    "Outcome",
    "every",
    "select",
    "to_markdown",
    "verify",
]

"""Every solver of Gauss' principle on problems with full, redundant and conflicting rows, against
LAPACK.

min ½(a − a_f)ᵀM(a − a_f),  A a = b:    with M = L Lᵀ and y = Lᵀa a least-squares problem with equality constraints (dgglse)
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from isodyn import gauss
from isodyn.studies.verification.case import Case, Measurement
from isodyn.studies.verification.runs import compared, once

N = 12


def measure() -> Measurement:
    rng = np.random.default_rng(2009)
    worst: dict[str, float] = {}
    for rows, copies in ((4, 0), (4, 3), (9, 2)):
        root = rng.standard_normal((N, N))
        M, Q = root @ root.T + N * np.eye(N), rng.standard_normal(N)
        E, d = rng.standard_normal((rows, N)), rng.standard_normal(rows)
        T = np.vstack([np.eye(rows), rng.standard_normal((copies, rows))])
        L = np.linalg.cholesky(M)
        free = np.linalg.solve(M, Q)
        reference = lapack.dgglse(L.T.copy(), E.copy(), L.T @ free, d.copy())[3]
        for method in gauss.METHODS:
            if method == "block-cholesky" and copies:
                continue  # it refuses dependent rows
            found = gauss.solve(M, Q, T @ E, T @ d, method)
            balance = np.abs(M @ found.a + (T @ E).T @ found.lam - Q).max() / np.abs(Q).max()
            gap = max(compared(found.a, reference), float(balance), float(found.rank != rows))
            worst[method] = max(worst.get(method, 0.0), gap)
    return Measurement(errors=worst)


CASE = Case(
    name="acceleration_solvers",
    topic="accelerations",
    shows="All solvers and null-space bases find the same acceleration, balance and rank, with redundant rows too.",
    source="Fumagalli and Masarati (2009); Pennestrì and Valentini (2008); Udwadia and Kalaba (1992)",
    citation="Fumagalli2009",
    reference="constrained least squares by LAPACK (dgglse)",
    trust="computed",
    steps=(0.0,),
    prepare=once(measure),
    bounds=dict.fromkeys(gauss.METHODS, 1e-11),
)

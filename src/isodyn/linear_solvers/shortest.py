"""Small systems that may be singular: the shortest solution, or one that is as good."""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import F2, F, FloatArray, i8, kernel

RANK = 1e-11  # singular values below this part of the largest are none
SMALL = 40  # components up to which singular values are looked at
SHIFT = 1e-9  # added to the diagonal of larger matrices, which may be singular


@kernel()
def has_numbers(J: FloatArray, x: FloatArray) -> bool:
    """Whether all of a system is finite; x ← 0, a way to nowhere, if not."""
    good = True
    for i in range(x.size):
        good = good and np.isfinite(x[i])
        for j in range(J.shape[1]):
            good = good and np.isfinite(J[i, j])
    if good:
        return True
    for i in range(x.size):
        x[i] = 0.0
    return False


@kernel(i8(F2, F), apart=True, allocates=True)
def least_squares(J: FloatArray, x: FloatArray) -> int:
    """x ← the shortest y with J y nearest to x; the rank of J."""
    if not has_numbers(J, x):
        return 0
    y, _, rank, _ = np.linalg.lstsq(J, x, RANK)
    for i in range(x.size):
        x[i] = y[i]
    return int(rank)


@kernel(i8(F2, F), apart=True, allocates=True)
def solve_shifted(J: FloatArray, x: FloatArray) -> int:
    """x ← (J + ε)⁻¹ x; the number of unknowns."""
    n = x.size
    if not has_numbers(J, x):
        return 0
    for i in range(n):
        J[i, i] += SHIFT
    y = np.linalg.solve(J, x)
    for i in range(n):
        x[i] = y[i]
    return n


@kernel(i8(F2, F2), apart=True, allocates=True)
def invert(A: FloatArray, out: FloatArray) -> int:
    """out = the pseudo-inverse of a small A; the number of unknowns."""
    out[:, :] = 0.0
    if A.size > 0 and np.isfinite(A).all():
        out[:, :] = np.linalg.pinv(A, RANK)
    return A.shape[0]


@kernel()
def copy(x: FloatArray, out: FloatArray) -> None:
    """out = x."""
    for i in range(x.size):
        out[i] = x[i]


@kernel()
def norm(x: FloatArray) -> float:
    """√Σx²."""
    found = 0.0
    for i in range(x.size):
        found += x[i] * x[i]
    return np.sqrt(found)

"""Small systems that may be singular: the shortest solution, or one that is as good."""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import F2, F, FloatArray, i8, kernel

RANK = 1e-11  # singular values below this part of the largest are none
SMALL = 40  # components up to which singular values are looked at
SHIFT = 1e-9  # added to the diagonal of larger matrices, which may be singular


@kernel(i8(F2, F), apart=True, allocates=True)
def least_squares(J: FloatArray, x: FloatArray) -> int:
    """x ← the shortest y with J y nearest to x; the rank of J."""
    y, _, rank, _ = np.linalg.lstsq(J, x, RANK)
    for i in range(x.size):
        x[i] = y[i]
    return int(rank)


@kernel(i8(F2, F), apart=True, allocates=True)
def solve_shifted(J: FloatArray, x: FloatArray) -> int:
    """x ← (J + ε)⁻¹ x; the number of unknowns."""
    n = x.size
    for i in range(n):
        J[i, i] += SHIFT
    y = np.linalg.solve(J, x)
    for i in range(n):
        x[i] = y[i]
    return n


@kernel(i8(F2, F2), apart=True, allocates=True)
def invert(A: FloatArray, out: FloatArray) -> int:
    """out = the inverse of A, which may be singular: its pseudo-inverse where it is small,
    (A + ε)⁻¹ otherwise; the number of unknowns."""
    n = A.shape[0]
    if n == 0:
        return n
    if n <= SMALL:
        out[:, :] = np.linalg.pinv(A, RANK)
        return n
    for i in range(n):
        A[i, i] += SHIFT
    out[:, :] = np.linalg.inv(A)
    return n


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

"""The choice of independent rows, compiled: members of ensembles make it without Python.

Modified Gram–Schmidt, the longest remainder first: lengths of remainders are the pivots of a
rank-revealing QR of Gᵀ. Of rows whose remainders are equally long up to rounding the first one is
taken, so that the choice is the same on every machine.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.kernels.compiled import F2, F, FloatArray, I, IntArray, kernel

TIED = 1e-9  # of the square of the longest remainder: others are as long as it is


@kernel()
def square_of(B: FloatArray) -> float:
    """The square of the length of a row."""
    square = 0.0
    for j in range(B.size):
        square += B[j] * B[j]
    return square


@kernel()
def to_unit_length(B: FloatArray, squares: FloatArray) -> bool:
    """Scale rows to unit length; their squares after that. Rows of nothing stay so; False if one is
    not finite."""
    for i in range(B.shape[0]):
        length = np.sqrt(square_of(B[i]))
        if not np.isfinite(length):
            return False
        squares[i] = 0.0
        if length > 0.0:
            for j in range(B.shape[1]):
                B[i, j] /= length
            squares[i] = square_of(B[i])
    return True


@kernel()
def first_of_longest(squares: FloatArray) -> int:
    """The first row that is as long as the longest; rows that are taken have negative squares."""
    longest = 0.0
    for i in range(squares.size):
        longest = max(longest, squares[i])
    for i in range(squares.size):
        if squares[i] >= (1.0 - TIED) * longest:
            return i
    return 0


@kernel()
def take_others(order: IntArray, diagonal: FloatArray, squares: FloatArray, k: int, left: float) -> None:
    """Rows that are not taken, in their own order, from place k on, with the same number left of
    them."""
    for i in range(squares.size):
        if not squares[i] < 0.0:
            order[k], diagonal[k] = i, left
            k += 1


@kernel()
def take_out(B: FloatArray, row: int, squares: FloatArray) -> None:
    """Take a row out of those that are not taken yet; its square is given with a negative sign."""
    for i in range(squares.size):
        if squares[i] > 0.0:
            along = 0.0
            for j in range(B.shape[1]):
                along += B[row, j] * B[i, j]
            along /= -squares[row]
            for j in range(B.shape[1]):
                B[i, j] -= along * B[row, j]
            squares[i] = square_of(B[i])


@kernel(types.void(F2, I, F, F))
def pivot_rows(B: FloatArray, order: IntArray, diagonal: FloatArray, squares: FloatArray) -> None:
    """Rows of B in the order in which they are taken, and what is left of each by then, all in unit
    length, NaN where one is not finite; B and `squares` are used up."""
    m = B.shape[0]
    if not to_unit_length(B, squares):
        for i in range(m):
            squares[i] = 0.0
        take_others(order, diagonal, squares, 0, np.nan)
        return
    for k in range(m):
        row = first_of_longest(squares)
        if not squares[row] > 0.0:
            take_others(order, diagonal, squares, k, 0.0)
            return
        order[k], diagonal[k], squares[row] = row, np.sqrt(squares[row]), -squares[row]
        take_out(B, row, squares)

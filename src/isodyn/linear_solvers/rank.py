"""Which constraint rows are independent: one decision, used by every method.

Rows and coordinates carry units, so both are scaled first: with C = diag(M)^(−1/2) and W the
inverse lengths of the rows of A C,

    B = W A C,    Bᵀ P = Q R      (column pivoting, so that |R_11| ≥ |R_22| ≥ …)

and rows with |R_kk| ≤ `rcond` |R_11| depend on the ones before. B does not change when a row is
multiplied by a number or a coordinate is measured in another unit. A row of A C that is shorter
than 1e-14 of the longest one counts as zero.

Dependent rows are mixtures of the chosen ones, A = T A_chosen. T settles everything that redundancy
leaves open:

    b̄ = T T⁺ b              the nearest right-hand side that can be met; A a = b̄ minimises |A a − b|₂ in the rows as given
    λ = (T⁺)ᵀ Tᵀ λ'         the multipliers of least Euclidean norm with the same force Aᵀλ'
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from isodyn.errors import InputError
from isodyn.later import linalg
from isodyn.later import sparse as sp

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

EPS = float(np.finfo(np.float64).eps)
RCOND = 1e-8  # relative size of |R_kk| at which a scaled row counts as dependent
ZERO_ROW = 1e-14  # relative length at which a row counts as zero
MANY_ENTRIES = 10_000_000  # of a sparse A without its empty columns; above this no decision is made


@dataclass(frozen=True, eq=False)
class Rank:
    """Independent rows of a matrix, the rows that follow from them, and the numbers that decided.

    Parameters
    ----------
    scale
        Sizes of the rows.
    chosen
        Numbers of the independent rows.
    dropped
        Numbers of the rows that follow from them.
    diagonal
        Pivots of the decision.
    rcond
        Relative tolerance.
    mixture
        How dropped rows are made of chosen ones; None if no row was dropped.
    scaled
        The matrix in rows of unit size.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import decide
    >>> rank = decide(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]))
    >>> rank.rank, rank.full, rank.dropped.size
    (2, False, 1)
    """

    scale: FloatArray  # W, zero for zero rows
    chosen: IntArray  # independent rows, in their own order
    dropped: IntArray
    diagonal: FloatArray  # |R_kk|
    rcond: float
    mixture: FloatArray | None  # rows of T that belong to the dropped rows; None for full rank
    scaled: FloatArray  # B

    @property
    def rank(self) -> int:
        """Number of independent rows."""
        return self.chosen.size

    @property
    def full(self) -> bool:
        """Whether all rows are independent."""
        return self.mixture is None

    @cached_property
    def singular_values(self) -> FloatArray:
        """Singular values of the scaled matrix B."""
        return np.asarray(np.linalg.svd(self.scaled, compute_uv=False), dtype=np.float64)

    @cached_property
    def mixing(self) -> FloatArray:
        """T (m, r) with A = T A_chosen."""
        T = np.zeros((self.scale.size, self.rank))
        T[self.chosen, np.arange(self.rank)] = 1.0
        if self.mixture is not None:
            T[self.dropped] = self.mixture
        return T

    @cached_property
    def unmixing(self) -> FloatArray:
        """T⁺ (r, m)."""
        Y, R = np.linalg.qr(self.mixing)
        return np.asarray(linalg.lapack.dtrtrs(R, Y.T)[0] if self.rank else Y.T)

    def attainable(self, b: FloatArray) -> FloatArray:
        """Return the right-hand side nearest to b that the rows can meet.

        Parameters
        ----------
        b
            Right-hand side (m,).

        Returns
        -------
        b
            The nearest one; `b` itself if it is consistent to rounding.
        """
        if self.mixture is None:
            return b
        defect = np.abs(b[self.dropped] - self.mixture @ b[self.chosen])
        size = np.abs(b[self.dropped]) + np.abs(self.mixture) @ np.abs(b[self.chosen])
        growth = self.diagonal[0] / self.diagonal[self.rank - 1] if self.rank else 1.0
        return b if (defect <= 32 * EPS * growth * size).all() else np.asarray(self.mixing @ (self.unmixing @ b))

    def least_norm(self, lam: FloatArray) -> FloatArray:
        """Return the multipliers of least Euclidean norm with the same force Aᵀλ.

        Parameters
        ----------
        lam
            Multipliers (m,).

        Returns
        -------
        lam
            Those of least norm.
        """
        return lam if self.mixture is None else np.asarray((lam @ self.mixing) @ self.unmixing)

    def partners(self, row: int) -> list[int]:
        """Return the chosen rows that a dropped row is made of.

        Parameters
        ----------
        row
            Number of the dropped row.

        Returns
        -------
        rows
            Numbers of chosen rows.
        """
        if self.mixture is None or row not in self.dropped:
            return []
        weights = np.abs(self.mixture[np.flatnonzero(self.dropped == row)[0]]) / self.scale[self.chosen]
        return [int(k) for k in self.chosen[weights > 1e-6 * weights.max(initial=0.0)]] if weights.any() else []

    def relatives(self, row: int) -> list[int]:
        """Return the rows that share their multiplier with a row.

        Parameters
        ----------
        row
            Number of the row.

        Returns
        -------
        rows
            The rows that it is made of, or that are made with it.
        """
        return self.partners(row) or [int(k) for k in self.dropped if row in self.partners(int(k))]


def decide(A: Matrix, mass: FloatArray | None = None, rcond: float | None = None) -> Rank:
    """Find the independent rows of a matrix.

    Parameters
    ----------
    A
        Matrix (m, n), dense or sparse.
    mass
        Diagonal of M, by which columns are weighted; ones if left out.
    rcond
        Relative tolerance of the decision.

    Returns
    -------
    rank
        Independent and dependent rows.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import decide
    >>> decide(np.array([[1.0, 0.0], [2.0, 0.0]])).rank
    1
    """
    tolerance = RCOND if rcond is None else rcond
    m = A.shape[0]
    B = _weighted(A, mass)
    largest = float(np.abs(B).max(initial=0.0))
    if not np.isfinite(largest):
        raise InputError("the rank of A cannot be decided: an entry is not finite, alone or divided by √M_ii")
    if largest > 0.0:
        B /= largest  # squares stay in range
    length = np.sqrt(np.einsum("ij,ij->i", B, B))
    kept = length > ZERO_ROW * length.max(initial=0.0)
    scale = np.zeros(m)
    scale[kept] = 1.0 / length[kept]
    B *= scale[:, None]
    scale /= largest or 1.0
    if not B.size:
        none = np.zeros(0, dtype=np.intp)
        mixture = np.zeros((m, 0)) if m else None
        return Rank(scale, none, np.arange(m), np.zeros(0), tolerance, mixture, B)
    factors, pivots, _, _, _ = linalg.lapack.dgeqp3(B.T, lwork=3 * (m + 1) if m < 32 else 2 * m + 32 * (m + 1))
    diagonal = np.abs(factors.diagonal())
    rank = int(np.count_nonzero(diagonal > tolerance * diagonal[0])) if diagonal[0] > 0.0 else 0
    order = pivots - 1
    if rank == m:
        return Rank(scale, np.arange(m), np.zeros(0, dtype=np.intp), diagonal, tolerance, None, B)
    chosen, dropped = order[:rank], order[rank:]
    first, second = np.argsort(chosen), np.argsort(dropped)
    X = linalg.lapack.dtrtrs(factors[:rank, :rank], factors[:rank, rank:])[0].T if rank else np.zeros((m, 0))
    row = np.divide(1.0, scale, out=np.zeros(m), where=scale > 0.0)  # lengths
    mixture = (row[dropped, None] * X * scale[chosen])[second][:, first]
    return Rank(scale, chosen[first], dropped[second], diagonal, tolerance, mixture, B)


def too_large(A: Matrix, entries: int = MANY_ENTRIES) -> bool:
    """Whether a sparse A, without its empty columns, has too many entries for a dense decision."""
    return sp.issparse(A) and A.shape[0] * int(np.count_nonzero(np.diff(sp.csc_array(A).indptr))) > entries


def _weighted(A: Matrix, mass: FloatArray | None) -> FloatArray:
    """A C as a fresh dense array; of a sparse A without its empty columns."""
    if not sp.issparse(A):
        return A / np.sqrt(mass) if mass is not None else A.copy()
    A = sp.csc_array(A)
    columns = np.flatnonzero(np.diff(A.indptr))
    if too_large(A):
        raise InputError(
            f"A with {A.shape[0]} rows on {columns.size} coordinates is too large to decide its rank",
            hint='method="regularised" does without a rank',
        )
    dense = A[:, columns].toarray(order="C")
    return dense / np.sqrt(mass[columns]) if mass is not None else dense

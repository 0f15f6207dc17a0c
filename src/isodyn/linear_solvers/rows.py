"""Which constraint rows a run enforces: an independent set, chosen by a rank-revealing
factorisation.

Columns are scaled by typical sizes (isodyn.systems.scales), rows to unit length, then G is
factorised with column pivoting on Gᵀ, Gᵀ P = Q R (isodyn.linear_solvers.row_pivots; by LAPACK where
it is large); rows whose |R_kk| falls below `tolerance` × |R_11| depend on the ones before. The
dropped rows must hold by themselves: where they do not, the constraints conflict.

Large sparse G are factorised as part of [M Gᵀ; G 0] instead: the pivot of a row is the square of
what is new in it, in the metric of M⁻¹.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import linalg, sparse_linalg
from isodyn.later import sparse as sp
from isodyn.linear_solvers.blocks import Sparsity, full, storage_of
from isodyn.linear_solvers.choice import pattern_for
from isodyn.linear_solvers.dependent_rows import find_dependent
from isodyn.linear_solvers.row_pivots import pivot_rows

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

WORN = 0.1  # of the volume that enforced rows span with one of them exchanged: less, and it is
TOLERANCE = 1e-6  # relative size below which a row of the scaled matrix counts as dependent


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows that are enforced, rows that follow from them, and the numbers that decided."""

    chosen: IntArray
    dropped: IntArray
    diagonal: FloatArray

    @property
    def rank(self) -> int:
        return self.chosen.size


LARGE = 400_000  # entries of G beyond which its full factorisation is not tried
FEW = LARGE // 10  # entries up to which rows are chosen without LAPACK


def choose(G: Matrix, tolerance: float = TOLERANCE) -> Rows:
    """Independent rows of G (m, n), whose columns are scaled already, in their own order."""
    m, G = G.shape[0], full(G)
    if m == 0:
        empty = np.zeros(0, dtype=np.int64)
        return Rows(empty, empty, np.zeros(0))
    diagonal, order = np.zeros(m), np.zeros(m, dtype=np.int64)
    if G.size <= FEW:
        pivot_rows(np.array(G, dtype=np.float64, order="C"), order, diagonal, np.zeros(m))
    elif not np.isfinite(G).all():
        order, diagonal = np.arange(m), np.full(m, np.nan)
    else:
        length = np.linalg.norm(G, axis=1)
        scaled = G / np.where(length > 0, length, 1.0)[:, None]
        R, order = linalg.lapack.dgeqp3(scaled.T, lwork=2 * m + 32 * (m + 1))[:2]
        order, found = order - 1, np.abs(R.diagonal())
        diagonal[: found.size] = found
    rank = int(np.count_nonzero(diagonal > tolerance * max(diagonal[0], 1e-300)))
    if rank == m:
        return Rows(np.arange(m), np.zeros(0, dtype=np.int64), diagonal)
    chosen = np.sort(order[:rank]).astype(np.int64)
    dropped = np.sort(order[rank:]).astype(np.int64)
    return Rows(chosen, dropped, diagonal)


def largest_part(G: Matrix, rows: Rows) -> float:
    """The largest part of an enforced row in a dropped one, all in unit length: by how much the
    volume that enforced rows span would grow if the two were exchanged."""
    if not rows.rank or not rows.dropped.size:
        return 0.0
    G = full(G)
    length = np.linalg.norm(G, axis=1)
    scaled = G / np.where(length > 0, length, 1.0)[:, None]
    parts = np.linalg.lstsq(scaled[rows.chosen].T, scaled[rows.dropped].T, rcond=None)[0]
    return float(np.abs(parts).max())


def choose_sparse(pattern: Sparsity, M: FloatArray, G: FloatArray, sizes: FloatArray) -> Rows:
    """Independent rows of a sparse G, from the values of M and G in their patterns; `sizes` of
    coordinates and rows."""
    packed = pattern_for(pattern, np.arange(pattern.m), patient=True).copy()
    A, dependent = np.zeros(storage_of(packed)), np.zeros(pattern.n + pattern.m, dtype=np.int64)
    find_dependent(M, G, np.zeros(pattern.m), sizes, packed, TOLERANCE**2, A, dependent)
    loose = dependent[pattern.n :] == 1
    return Rows(np.flatnonzero(~loose), np.flatnonzero(loose), np.ones(pattern.m))


def every(m: int) -> Rows:
    """All m rows, without looking."""
    return Rows(np.arange(m), np.zeros(0, dtype=np.int64), np.ones(m))


def partners(G: Matrix, rows: Rows, row: int) -> list[int]:
    """The enforced rows that a dropped row is made of."""
    G = full(G)
    weights = np.linalg.lstsq(G[rows.chosen].T, G[row], rcond=None)[0]
    return [
        int(i)
        for i, weight in zip(rows.chosen, weights, strict=True)
        if abs(weight) > 1e-6 * np.abs(weights).max(initial=0.0)
    ]


class Sizes(Protocol):
    """Typical sizes of velocities, and of rows where those are known."""

    @property
    def v(self) -> FloatArray: ...
    @property
    def rows(self) -> FloatArray | None: ...


def least_multipliers(G: Matrix, lam: FloatArray, scales: Sizes | None = None) -> FloatArray:
    """The multipliers of least norm with the same force Gᵀλ; in units of work along typical sizes,
    where those of rows are known."""
    r, s = units_of(G, scales)
    B, y = _in_units(G, r, s), r * lam
    if sp.issparse(B) and B.shape[0] * B.shape[1] > LARGE:
        return np.asarray(sparse_linalg.lsqr(B.T, B.T @ y, atol=1e-14, btol=1e-14)[0] / r, dtype=np.float64)
    B = full(B)
    return np.asarray(np.linalg.lstsq(B.T, B.T @ y, rcond=1e-10)[0] / r, dtype=np.float64)


def moved_multipliers(G: Matrix, lam: FloatArray, rows: Rows, scales: Sizes | None = None) -> FloatArray:
    """Multipliers of the enforced rows alone with the same force, zero in the dropped ones."""
    r, s = units_of(G, scales)
    B, y, moved = _in_units(G, r, s), r * lam, np.zeros_like(lam)
    if sp.issparse(B) and B.shape[0] * B.shape[1] > LARGE:
        moved[rows.chosen] = sparse_linalg.lsqr(B[rows.chosen].T, B.T @ y, atol=1e-14, btol=1e-14)[0] / r[rows.chosen]
        return moved
    B = full(B)
    moved[rows.chosen] = np.linalg.lstsq(B[rows.chosen].T, B.T @ y, rcond=None)[0] / r[rows.chosen]
    return moved


def units_of(G: Matrix, scales: Sizes | None) -> tuple[FloatArray, FloatArray]:
    """Sizes of rows and columns; ones where nothing is known."""
    m, n = G.shape
    if scales is None:
        return np.ones(m), np.ones(n)
    known = scales.rows
    return (np.ones(m) if known is None or known.size != m else known), scales.v


def _in_units(G: Matrix, rows: FloatArray, columns: FloatArray) -> Matrix:
    """G_kj s_j / r_k."""
    if sp.issparse(G):
        G = sp.csr_array(G, copy=True)
        G.data = np.repeat(1.0 / rows, np.diff(G.indptr)) * G.data * columns[G.indices]
        return G
    return G * (columns / rows[:, None])

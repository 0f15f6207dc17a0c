"""Linear subdomains as the flat tables of `linear_kernels`: sparse rows of C and K, banded factors
of the step's matrix, ties.

    J = W₁Λ₆ M + h W₂Λ₅ C + h² W₃Λ₃ K,        P J Pᵀ = L U with row pivoting, P by reverse Cuthill–McKee where that narrows the band

Constant for a scheme and a sub-step h, so factorised once for each. Wide bands of large subdomains
are left to sparse factorisations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.lapack import dgbtrf
from scipy.sparse.csgraph import reverse_cuthill_mckee

from isodyn.errors import SingularError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.subdomains import linear_kernels as lk
from isodyn.systems import LinearFirstOrderSystem, LinearSystem
from isodyn.systems.base import System

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

# bands below and above the diagonal that are solved faster than by sparse factors, whatever the
# size …
WIDEST = 48
LITTLE = 100_000  # … and entries of the band that are, whatever the width

LOAD_TABLE = 500_000  # entries of loads that are computed ahead for a block of system steps


@dataclass(frozen=True, eq=False)
class Factors:
    """L and U in LAPACK's band form, columns contiguous, diagonal of U inverted; `order` is empty
    where nothing is permuted."""

    lower: int
    upper: int
    order: IntArray
    lu: FloatArray
    pivot: IntArray


@dataclass(frozen=True, eq=False)
class Ties:
    """Entries (row, column, ±1) of G_ℓ, and the rows that have some."""

    row: IntArray
    col: IntArray
    sign: FloatArray
    rows: IntArray

    @staticmethod
    def of(G: Matrix) -> Ties:
        entries = sp.coo_array(G)
        row, col = entries.row.astype(np.int64), entries.col.astype(np.int64)
        return Ties(row, col, entries.data.astype(np.float64), np.unique(row))

    def gap(self, x: FloatArray, m: int) -> FloatArray:
        """G_ℓ x."""
        return np.bincount(self.row, self.sign * x[self.col], minlength=m).astype(np.float64, copy=False)


def band(pattern: Matrix) -> tuple[int, int, IntArray]:
    """Bands below and above the diagonal, and the order that makes them so narrow (empty: the given
    one)."""
    entries = sp.coo_array(pattern)

    def widths(place: IntArray) -> tuple[int, int]:
        distance = place[entries.row] - place[entries.col]
        return max(0, int(distance.max(initial=0))), max(0, int(-distance.min(initial=0)))

    n = pattern.shape[0]
    given = widths(np.arange(n))
    if max(given) <= 2:
        return *given, np.zeros(0, dtype=np.int64)
    order = reverse_cuthill_mckee(sp.csr_matrix(pattern), symmetric_mode=False).astype(np.int64)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    narrow = widths(place)
    if sum(narrow) < sum(given):
        return *narrow, order
    return *given, np.zeros(0, dtype=np.int64)


def factorised(J: Matrix, names: Sequence[str]) -> Factors:
    """Factors of a sparse matrix with a narrow band."""
    lower, upper, order = band(J)
    entries, n = sp.coo_array(J), J.shape[0]
    place = np.arange(n)
    if order.size:
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
    i, j = place[entries.row], place[entries.col]
    ab = np.zeros((2 * lower + upper + 1, n))
    np.add.at(ab, (lower + upper + i - j, j), entries.data)
    lu, pivot, info = dgbtrf(ab, lower, upper)
    if info > 0:
        column = int(order[info - 1]) if order.size else info - 1
        raise SingularError(
            f"the matrix of the equations of motion is singular: no pivot for {names[column]!r}",
            hint="look at its row and column: every coordinate needs inertia",
        )
    columns = np.ascontiguousarray(lu.T)
    columns[:, lower + upper] = 1.0 / columns[:, lower + upper]
    return Factors(lower, upper, order, columns.ravel(), pivot.astype(np.int64))


class LinearTables:
    """What does not change in a linear subdomain."""

    def __init__(self, system: Any, ties: Ties) -> None:
        first = isinstance(system, LinearFirstOrderSystem)
        M, C, K = (system.Q, system.P, None) if first else (system.M, system.C, system.K)
        self.n, self.names, self.ties, self.has_q = system.nv, system.v_names, ties, not first
        self.M, self.C, self.K = (None if A is None else _sparse(A) for A in (M, C, K))
        f = system.r if first else system.f
        self.load = f if callable(f) else None
        self.constant = np.zeros(self.n) if f is None or callable(f) else np.asarray(f, dtype=np.float64)
        self.factors: dict[Any, Factors] = {}

    def narrow(self) -> bool:
        """Whether the matrix of every step has a band worth using."""
        pattern = sum(abs(A) for A in (self.M, self.C, self.K) if A is not None)
        lower, upper, _ = band(pattern)
        return max(lower, upper) <= WIDEST or self.n * (2 * lower + upper + 1) <= LITTLE

    def factors_for(self, s: Any, h: float) -> tuple[Factors, bool]:
        """Factors of this step, and whether they are new."""
        key = s, h
        if key in self.factors:
            return self.factors[key], False
        J = s.W1L6 * self.M
        for c, A in ((h * s.W2L5, self.C), (h * h * s.W3L3, self.K)):
            if A is not None and c != 0.0:
                J = J + c * A
        self.factors[key] = factorised(J, self.names)
        return self.factors[key], True


def tables_of(system: System, ties: Ties) -> LinearTables | None:
    """Tables of a linear subdomain without constraints of its own and with a narrow band; None for
    others."""
    if not isinstance(system, LinearSystem | LinearFirstOrderSystem) or system.m:
        return None
    tables = LinearTables(system, ties)
    return tables if tables.narrow() else None


def _sparse(A: Matrix) -> Matrix:
    matrix = sp.csr_array(A)
    matrix.eliminate_zeros()
    return matrix


def _along_diagonal(matrices: list[tuple[int, Any]]) -> tuple[IntArray, IntArray, FloatArray]:
    """Rows (CSR) of square matrices of these sizes along a diagonal, None for zero; their entries
    keep their order."""
    found = [sp.csr_array((n, n)) if A is None else A for n, A in matrices]
    rows = np.concatenate([np.diff(A.indptr) for A in found])
    columns = [A.indices + first for A, first in zip(found, np.cumsum([0, *(n for n, _ in matrices)]), strict=False)]
    return np.concatenate([[0], np.cumsum(rows)]), np.concatenate(columns), np.concatenate([A.data for A in found])


def linear(parts: list[tuple[LinearTables, Any, float, int, Factors]]) -> tuple[lk.Linear, lk.LinearWork]:
    """Tables of subdomains (tables, coefficients, sub-step, number of sub-steps, factors), one
    behind the other, and memory for their sub-steps."""
    records: list[dict[str, Any]] = []
    first = lu = tie = row = load = 0
    for tables, s, h, tau, factors in parts:
        ties = tables.ties
        places = {"first": first, "lu": lu, "first_tie": tie, "first_row": row, "load": load}
        records.append(
            {
                **places,
                **s._asdict(),
                "h": h,
                "size": tables.n,
                "sub_steps": tau,
                "lower": factors.lower,
                "upper": factors.upper,
                "has_C": tables.C is not None,
                "has_K": tables.K is not None,
                "has_q": tables.has_q,
                "permuted": factors.order.size > 0,
                "has_load": tables.load is not None,
                "ties": ties.row.size,
                "rows": ties.rows.size,
            }
        )
        first, lu = first + tables.n, lu + factors.lu.size
        tie, row = tie + ties.row.size, row + ties.rows.size
        load += tau * tables.n if tables.load is not None else 0
    all_tables, all_factors = [tables for tables, *_ in parts], [factors for *_, factors in parts]
    arrays = {
        **dict(zip(("C_ptr", "C_ind", "C_val"), _along_diagonal([(t.n, t.C) for t in all_tables]), strict=True)),
        **dict(zip(("K_ptr", "K_ind", "K_val"), _along_diagonal([(t.n, t.K) for t in all_tables]), strict=True)),
        "lu": np.concatenate([factors.lu for factors in all_factors]),
        "pivot": np.concatenate([factors.pivot for factors in all_factors]),
        "order": np.concatenate(
            [f.order if f.order.size else np.arange(t.n) for t, f in zip(all_tables, all_factors, strict=True)]
        ),
        "constant": np.concatenate([tables.constant for tables in all_tables]),
        "tie_row": np.concatenate([tables.ties.row for tables in all_tables]),
        "tie_col": np.concatenate([t.ties.col + x["first"] for t, x in zip(all_tables, records, strict=True)]),
        "tie_sign": np.concatenate([tables.ties.sign for tables in all_tables]),
        "row": np.concatenate([tables.ties.rows for tables in all_tables]),
    }
    found = lk.Linear.filled(parts=records, **arrays)
    return found, lk.LinearWork(unknowns=first)

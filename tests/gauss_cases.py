"""Random acceleration problems with planted rank, and an independent answer to each.

A = T E with r well-conditioned rows E; T has unit rows for the independent ones and mixtures for
the others, then rows are multiplied by numbers. The reference knows T and E: b is brought to E
a = T⁺ b, and LAPACK's equality-constrained least squares (dgglse) does the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import block_diag, lapack

EPS = float(np.finfo(float).eps)
MASSES = ("dense", "diagonal", "block", "sparse")
ROWS = ("full", "deficient", "more than coordinates", "none", "zero")


@dataclass(frozen=True)
class Case:
    M: Any
    Q: Any
    A: Any
    b: Any
    T: Any
    E: Any
    consistent: bool

    @property
    def rank(self) -> int:
        return self.E.shape[0]

    @property
    def n(self) -> int:
        return self.Q.size

    @cached_property
    def growth(self) -> float:
        """κ(M̂) κ(D̂) κ(T̂); the hat is scaling to unit diagonal, rows, columns; D = E M^{-1/2},
        the rows in the metric of M."""
        c = 1.0 / np.sqrt(self.M.diagonal())
        growth = np.linalg.cond(self.M * np.outer(c, c))
        if self.rank:
            D = np.linalg.solve(np.linalg.cholesky(self.M), self.E.T)
            growth *= np.linalg.cond(D / np.linalg.norm(D, axis=0))
            growth *= np.linalg.cond(self.T / np.linalg.norm(self.T, axis=0))
        return float(growth)

    @cached_property
    def spread(self) -> float:
        return float(np.linalg.cond(self.M))

    def bound(self, method: str = "cholesky") -> float:
        """Relative error of a that rounding may cause.

        50 eps √κ(M) κ(M̂) κ(D̂) κ(T̂)    factors of M that do not mind the units of coordinates
        50 eps  κ(M) κ(M̂) κ(D̂) κ(T̂)    square roots and orthonormal bases, which mix coordinates
        """
        mixes = method.startswith(("square-root", "null-space"))
        return 50 * EPS * (self.spread if mixes else self.spread**0.5) * self.growth

    def reference(self) -> tuple[Any, Any]:
        """a and the multipliers of least norm."""
        U = np.linalg.cholesky(self.M).T
        free = np.linalg.solve(U.T, self.Q)
        b = lstsq_rows(self.T, self.b) if self.rank else np.zeros(0)
        if not self.rank:
            return np.linalg.solve(U, free), np.zeros(self.b.size)
        a = lapack.dgglse(U, self.E, free, b)[3]
        mu = np.linalg.lstsq(self.E.T, self.Q - self.M @ a, rcond=None)[0]
        return a, np.linalg.pinv(self.T).T @ mu


def lstsq_rows(T: Any, b: Any) -> Any:
    """T⁺ b in 80 bits by normal equations, Gauss–Jordan with pivoting: rows of very different
    length need the digits."""
    T, b = T.astype(np.longdouble), b.astype(np.longdouble)
    c = 1.0 / np.sqrt((T * T).sum(axis=0))
    N = np.column_stack([(T * c).T @ (T * c), (T * c).T @ b])
    for k in range(T.shape[1]):
        p = k + int(np.argmax(np.abs(N[k:, k])))
        N[[k, p]] = N[[p, k]]
        N[k] /= N[k, k]
        rest = np.arange(T.shape[1]) != k
        N[rest] -= np.outer(N[rest, k], N[k])
    return (c * N[:, -1]).astype(float)


def mass(kind: str, n: int, decades: float, rng: Any) -> Any:
    """Symmetric positive definite, condition up to 10**decades."""
    if kind == "diagonal":
        return np.diag(10.0 ** rng.uniform(0, decades, n))
    if kind == "dense":
        V = np.linalg.qr(rng.standard_normal((n, n)))[0]
        d = 10.0 ** rng.uniform(0, decades, n)
        d[0], d[-1] = 10.0**decades, 1.0
        M = (V * d) @ V.T
        return 0.5 * (M + M.T)
    if kind == "block":
        blocks = [mass("dense", min(3, n - k), decades, rng) for k in range(0, n, 3)]
        return block_diag(*blocks)
    band = sp.diags_array([np.ones(n), np.full(n - 1, 0.4 * rng.random())], offsets=[0, 1]).toarray()
    band = band * 10.0 ** rng.uniform(0, decades / 2, (n, 1))  # rows: MᵀM keeps the band
    M = band.T @ band
    return 0.5 * (M + M.T)


def case(rng: Any, kind: str, rows: str, consistent: bool, n: int | None = None, decades: float | None = None) -> Case:
    """One problem; the shape is drawn where it is not given."""
    n = int(rng.integers(1, 13)) if n is None else n
    decades = float(rng.uniform(0, 8)) if decades is None else decades
    M = mass(kind, n, decades, rng)
    r = 0 if rows in ("none", "zero") else int(rng.integers(1, n + 1))
    extra = {"full": 0, "deficient": int(rng.integers(1, 4)), "none": 0, "zero": 2}.get(
        rows, n - r + int(rng.integers(1, 5))
    )
    E = np.linalg.qr(rng.standard_normal((n, n)))[0][:r]
    E = E + 0.3 * rng.uniform(-1, 1, (r, r)) @ E / max(r, 1)
    T = np.concatenate([np.eye(r), rng.uniform(0.2, 1.0, (extra, r)) * rng.choice([-1.0, 1.0], (extra, r))])
    T *= 10.0 ** rng.uniform(-2, 2, (r + extra, 1))
    T = T[rng.permutation(r + extra)]
    A = T @ E
    Q = M @ rng.standard_normal(n) if rng.random() < 0.5 else rng.standard_normal(n) * np.sqrt(M.diagonal())
    b = A @ rng.standard_normal(n)
    if not consistent:
        b = b + np.linalg.norm(T, axis=1) * rng.standard_normal(b.size) + (r == 0)
    return Case(M, Q, A, b, T, E, consistent or extra == 0)

"""The dual Schur complement of an interface, H = −Σ G_ℓ ∂v_ℓ/∂λ, scaled to a unit diagonal and
factorised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from isodyn.errors import SingularError
from isodyn.kernels.compiled import FloatArray

_SINGULAR = 1e-13  # ratio of singular values


def schur(rank: int, rows: Sequence[Any], blocks: Sequence[FloatArray]) -> FloatArray:
    """−Σ of blocks (m, local rows) in their columns."""
    H = np.zeros((rank, rank))
    for local, block in zip(rows, blocks, strict=True):
        H[:, local] -= block
    return H


class InterfaceOperator:
    """Solves with H; refused where ties without motion of their own make it singular."""

    def __init__(self, H: FloatArray, what: str, names: Sequence[str]) -> None:
        self.H = H
        length = np.sqrt(np.abs(np.diag(H)))
        self.scale = 1.0 / np.where(length > 0.0, length, 1.0)
        scaled = H * self.scale[:, None] * self.scale
        if H.size:
            values = np.linalg.svd(scaled, compute_uv=False) if np.isfinite(scaled).all() else np.array([1.0, 0.0])
            if not values[-1] > _SINGULAR * values[0]:
                raise SingularError(
                    f"the operator of {what} is singular: smallest of {values.size} singular values {values[-1]:.1e} of {values[0]:.1e},"
                    f" weakest tie {names[int(np.argmin(length))]!r}",
                    hint="a tie whose coordinates are held by constraints of their own on both sides, or that has no inertia",
                )
        self.factors: Any = lu_factor(scaled) if H.size else None

    def __call__(self, gap: FloatArray) -> FloatArray:
        if not gap.size:
            return gap
        solution: FloatArray = self.scale * lu_solve(self.factors, self.scale * gap)
        return solution

    def inverse(self) -> FloatArray:
        """H⁻¹, for compiled code."""
        n = self.scale.size
        if not n:
            return np.zeros((0, 0))
        return np.ascontiguousarray(self.scale[:, None] * lu_solve(self.factors, np.diag(self.scale)))

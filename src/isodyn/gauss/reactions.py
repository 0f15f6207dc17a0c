"""Multipliers and accelerations as linear functions of forces, for one M and A and many right-hand sides.

    M = L Lᵀ,   Y = L⁻¹ Aᵀ = U Σ Vᵀ        λ = Y⁺ L⁻¹ F − (YᵀY)⁺ b        a = M⁻¹ (F − Aᵀλ)

The range-space form [Fumagalli2009 (46)] with λ of least norm where rows depend on each other.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular

from isodyn.compiled import FloatArray
from isodyn.errors import SingularError


class Reactions:
    """The factors of one M and A."""

    def __init__(self, M: FloatArray, A: FloatArray) -> None:
        try:
            self.L = cholesky(M, lower=True)
        except LinAlgError as error:
            raise SingularError("M is not positive definite", hint="friction needs a symmetric positive definite mass matrix") from error
        Y = solve_triangular(self.L, A.T, lower=True)
        self.U, sizes, self.V = np.linalg.svd(Y, full_matrices=False)
        keep = sizes > 1e-10 * sizes.max(initial=0.0)
        self.U, self.sizes, self.V = self.U[:, keep], sizes[keep], self.V[keep].T

    def multipliers(self, F: FloatArray, b: FloatArray) -> FloatArray:
        """λ for forces F and right-hand sides b, vectors or columns."""
        part = self.U.T @ solve_triangular(self.L, F, lower=True)
        D = self.sizes if part.ndim == 1 else self.sizes[:, None]
        return np.asarray(self.V @ ((part - (self.V.T @ b) / D) / D), dtype=np.float64)

    def accelerations(self, F: FloatArray) -> FloatArray:
        """M⁻¹ F."""
        return np.asarray(cho_solve((self.L, True), F), dtype=np.float64)

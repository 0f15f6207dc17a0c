"""Accelerations and multipliers as linear functions of forces, for one M and A and many right-hand
sides.

    (F, b) ↦ a, λ        M a + Aᵀλ = F,   A a = b

by the range-space form on one rank decision (`isodyn.gauss.methods`); λ has least norm where rows
depend on each other.
"""

from __future__ import annotations

import numpy as np

from isodyn.gauss.methods import formula, on_rank
from isodyn.linear_solvers.rank import FloatArray, decide


class Reactions:
    """One M and A."""

    def __init__(self, M: FloatArray, A: FloatArray) -> None:
        self.M, self.A, self.rank = M, A, decide(A, M.diagonal(), None)

    def solve(self, F: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """a and λ."""
        return on_rank(formula("range-space"), self.M, F, self.A, b, self.rank)

    def multipliers(self, F: FloatArray, b: FloatArray) -> FloatArray:
        """λ of a force."""
        return self.solve(F, b)[1]

    def to_forces(self, forces: FloatArray) -> FloatArray:
        """λ to each column of forces, with b = 0."""
        m, still = self.A.shape[0], np.zeros(self.A.shape[0])
        columns = [self.multipliers(force, still) for force in np.ascontiguousarray(forces.T)]
        return np.array(columns).reshape(forces.shape[1], m).T

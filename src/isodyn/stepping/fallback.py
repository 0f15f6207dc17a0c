"""SuperLU for matrices [J Gᵀ; G 0] that the block factors cannot do: a model like the given one
that also solves, from Python.

Pivots are then chosen among all rows by size. Slow, since every question goes through Python; a
last resort that keeps a run alive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from isodyn.kernels.compiled import (
    CONSTRAINT,
    FACTORISE,
    JACOBIAN,
    OK,
    SINGULAR,
    SOLVE,
    SOLVES,
    SPARSE,
    FloatArray,
    IntArray,
)
from isodyn.linear_solvers.blocks import values_to_csr
from isodyn.systems.model import Model, Question, from_python

if TYPE_CHECKING:
    from isodyn.open_types import Matrix


class WithSuperLU:
    """Answers of a sparse model, and FACTORISE and SOLVE for the chosen rows."""

    solver = "SuperLU"

    def __init__(self, model: Model, chosen: IntArray, sizes: FloatArray) -> None:
        self.model, self.chosen, self.sizes = model, chosen, sizes
        self.factors: Matrix = None

    def answer(self, question: Question, out: FloatArray) -> int:
        if question.what == SOLVE:
            out[:] = self.sizes * self.factors.solve(self.sizes * out)
            return OK
        if question.what == FACTORISE:
            return self.factorise(question, out)
        return int(self.model.function(*question, self.model.tables, self.model.scratch, out))

    def factorise(self, question: Question, fault: FloatArray) -> int:
        """Factors of the matrix at a state; SINGULAR where SuperLU finds no pivot."""
        pattern = self.model.sparsity
        assert pattern is not None
        J, G = np.zeros(pattern.J_columns.size), np.zeros(pattern.G_columns.size)
        for what, values in ((JACOBIAN, J), (CONSTRAINT, G)):
            self.model.function(*question._replace(what=what), self.model.tables, self.model.scratch, values)
        rows = values_to_csr(pattern.G_starts, pattern.G_columns, G, pattern.n)[self.chosen]
        upper = values_to_csr(pattern.J_starts, pattern.J_columns, J, pattern.n)
        try:
            whole = sp.block_array([[upper, rows.T], [rows, None]], format="csc")
            sized = sp.diags_array(self.sizes)
            self.factors = splu(sp.csc_array(sized @ whole @ sized))
        except RuntimeError:
            fault[0] = pattern.n
            return SINGULAR
        return OK


def with_superlu(model: Model, chosen: IntArray, sizes: FloatArray) -> Model:
    """A model that solves with SuperLU for these constraint rows; `sizes` of unknowns and equations
    (isodyn.systems.scales)."""
    return from_python(WithSuperLU(model, chosen, sizes), (model.traits | SOLVES) & ~SPARSE)

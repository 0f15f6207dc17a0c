"""Dependent rows of a large sparse G, for callers outside compiled code; a module of its own,
compiled or loaded when first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.kernels.compiled import F, FloatArray, I, IntArray, f8, i8, kernel
from isodyn.linear_solvers.block_lu import PATTERN, fill_blocks
from isodyn.linear_solvers.choice import factor

if TYPE_CHECKING:
    from isodyn.linear_solvers.block_pattern import BlockPattern


@kernel(i8(F, F, F, F, PATTERN, f8, F, I))
def find_dependent(
    M: FloatArray,
    G: FloatArray,
    soft: FloatArray,
    sizes: FloatArray,
    S: BlockPattern,
    drop: float,
    A: FloatArray,
    dependent: IntArray,
) -> int:
    """dependent[k] = 1 for multipliers k whose row follows from rows before it, by the factors of
    [M Gᵀ; G 0]."""
    fill_blocks(M, G, soft, sizes, S, A)
    return factor(A, S, 0, drop, dependent)

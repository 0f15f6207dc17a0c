"""Constraint rows in the coordinates of a basis.

    φ̂(ξ) = φ(q̄ + V ξ),    Ĝ = G V

Three things can happen to a row. It may stay as it is. It may vanish, G V = 0, where every direction of the basis fulfils it: it is then
held by the basis and left out. Or it may take freedom that the motion needs: the basis locks the constraints.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import FloatArray, IntArray
from isodyn.errors import InputError

VANISHED = 1e-9  # rows of G V that are smaller than this part of the row of G are zero


def held_rows(G: FloatArray, reduced: FloatArray) -> IntArray:
    """Numbers of the rows that are left: those that do not vanish in the basis."""
    size = np.linalg.norm(G, axis=1)
    return np.flatnonzero(np.linalg.norm(reduced, axis=1) > VANISHED * np.where(size > 0, size, 1.0))


def refuse_offset(system: Any, gap: FloatArray) -> None:
    """A linear row G q = 0 has to hold for the offset too."""
    scale = np.abs(system.G).max() if gap.size else 1.0
    worst = int(np.abs(gap).argmax()) if gap.size else 0
    if gap.size and abs(gap[worst]) > 1e-9 * scale:
        raise InputError(
            f"the offset of the basis violates constraint {system.row_names[worst]!r} by {abs(gap[worst]):.3g}",
            hint="centre snapshots that fulfil the constraints, or pass about= a configuration that does",
        )

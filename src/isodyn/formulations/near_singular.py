"""The warning for motions that come close to a loss of rank of the constraints."""

from __future__ import annotations

import warnings

from isodyn.errors import AccuracyWarning

# relative size of a pivot of the independent rows below which results carry a warning
NEARLY = 1e-4


def warn_near_singular(pivot: float, t: float, what: str, stacklevel: int) -> None:
    """AccuracyWarning for a small pivot at a time: errors of q count there divided by its square.
    `what` is uncertain."""
    if pivot < NEARLY:
        warnings.warn(
            f"the constraints come close to losing rank at t = {t:.6g} (smallest pivot {pivot:.1e}): {what}"
            "\nhint: a singular configuration; the motion through it is one of several, or save other times",
            AccuracyWarning,
            stacklevel=stacklevel + 1,
        )

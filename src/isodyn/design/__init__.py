"""What gradients of runs are for: fits to measured data, designs, periodic motions and their stability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.later import names_from

if TYPE_CHECKING:
    from isodyn.design.estimate import Fit
    from isodyn.design.fitting import fit

__all__ = ["Fit", "fit"]

__getattr__ = names_from(__name__, {"Fit": "estimate", "fit": "fitting"})

"""Equations of motion in other accelerations than those of the test variables.

With ẍ* = X⁻¹ẍ + γ, where γ = (x*_{/x} ẋ)_{/x} ẋ (for rotation parameters γ = −Γ⁻¹Γ̇ġ), M ẍ + Aᵀλ = f and A ẍ = b become

    M* ẍ* + Aᵀλ = f + M*γ,    A* ẍ* = b + A*γ = b*,    M* = M X,  A* = A X

The printed (59b) and (60) have b for b*; with b the constraint is violated wherever A*γ ≠ 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.gauss.rank import FloatArray


def trial_variables(M_star: Any, f: Any, A_star: Any, b: Any, gamma: Any) -> tuple[FloatArray, FloatArray]:
    """Q and b* for `solve(M_star, Q, A, b_star, "non-symmetric", A_star=A_star)`."""
    Q = np.asarray(f + M_star @ np.asarray(gamma), dtype=np.float64)  # [Fumagalli2009 (58) adapted] M* a*
    return Q, np.asarray(b + A_star @ np.asarray(gamma), dtype=np.float64)  # [Fumagalli2009 (59b) adapted] b*

"""Equations of motion in other accelerations than those of the test variables.

With ẍ* = X⁻¹ẍ + γ, where γ = (x*_{/x} ẋ)_{/x} ẋ (for rotation parameters γ = −Γ⁻¹Γ̇ġ), M
ẍ + Aᵀλ = f and A ẍ = b become

    M* ẍ* + Aᵀλ = f + M*γ,    A* ẍ* = b + A*γ = b*,    M* = M X,  A* = A X

The printed (59b) and (60) have b for b*; with b the constraint is violated wherever A*γ ≠ 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from isodyn.gauss import checks
from isodyn.linear_solvers.rank import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import Matrix


def trial_variables(
    M_star: Matrix, f: ArrayLike, A_star: Matrix, b: ArrayLike, gamma: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return Q and b* for `solve(M_star, Q, A, b_star, "non-symmetric", A_star=A_star)`.

    Parameters
    ----------
    M_star
        Mass matrix M*.
    f
        Forces.
    A_star
        Trial rows.
    b
        Right-hand side for the original accelerations.
    gamma
        Difference between the two kinds of acceleration.

    Returns
    -------
    Q, b_star
        Forces and right-hand side for the trial accelerations.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import trial_variables
    >>> Q, b_star = trial_variables(np.eye(1), [1.0], [[1.0]], [0.0], [0.0])
    >>> Q.tolist(), b_star.tolist()
    ([1.0], [0.0])
    """
    gamma = checks.vector("gamma", gamma, None, "acceleration")
    n = gamma.size
    M_star = checks.matrix("M_star", M_star, (n, n), sparse=True)
    A_star = checks.matrix("A_star", A_star, (None, n), sparse=True)
    # [Fumagalli2009 (58) adapted] M* a*
    Q = checks.vector("f", f, n, "coordinate") + M_star @ gamma
    return Q, checks.vector(
        "b", b, A_star.shape[0], "row of A_star"
    ) + A_star @ gamma  # [Fumagalli2009 (59b) adapted] b*

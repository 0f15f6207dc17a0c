"""The matrices behind the formulas, for study rather than speed.

    K₁ = M^{-1/2}(A M^{-1/2})⁺ = M⁻¹Aᵀ(A M⁻¹Aᵀ)⁺      proportionality: a − a_f = K₁ e
    P  = K₁ A                                        projector, P² = P, M P symmetric
    a  = (I − P) a_f + K₁ b                          the acceleration, rewritten

P is perpendicular in the metric of M: for b = 0, |a|_M ≤ |a_f|_M. In the Euclidean norm the
constrained acceleration may be the longer one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import lapack

from isodyn.gauss import checks, formulas
from isodyn.linear_solvers.rank import FloatArray, decide

if TYPE_CHECKING:
    from isodyn.open_types import Matrix


def proportionality_matrix(M: Matrix, A: Matrix, rcond: float | None = None) -> FloatArray:
    """Return K₁, with the force of constraint M K₁ e.

    [Udwadia1992 (5c′)], [Fumagalli2009 (41)]

    Parameters
    ----------
    M
        Mass matrix.
    A
        Constraint matrix.
    rcond
        Relative tolerance of the rank.

    Returns
    -------
    K_1
        Matrix (n, m).

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import proportionality_matrix
    >>> proportionality_matrix(np.eye(2), [[0.0, 2.0]]).round(12).tolist()
    [[0.0], [0.5]]
    """
    A = checks.matrix("A", A, (None, np.shape(M)[0] if np.ndim(M) == 2 else 0), sparse=False)
    M = checks.symmetric_mass(checks.matrix("M", M, (A.shape[1], A.shape[1]), sparse=False))
    U = formulas.positive_definite(M)
    rank = decide(A, M.diagonal(), checks.tolerance(rcond))
    if not rank.rank:
        return np.zeros((A.shape[1], A.shape[0]))
    W = rank.scale[rank.chosen]
    H = lapack.dtrtrs(U, (W[:, None] * A[rank.chosen]).T, trans=1)[0]
    Q_1, R = np.linalg.qr(H)
    # U⁻¹ Hᵀ⁺ W = M⁻¹A_cᵀ S_c⁻¹
    inner = lapack.dtrtrs(U, Q_1 @ lapack.dtrtrs(R, np.diag(W), trans=1)[0])[0]
    return np.asarray(inner if rank.full else inner @ rank.unmixing)  # S⁺ = (T⁺)ᵀ S_c⁻¹ T⁺


def projector(M: Matrix, A: Matrix, rcond: float | None = None) -> FloatArray:
    """Return P, the part of an acceleration that the constraints take away [Fumagalli2009 (48)].

    Parameters
    ----------
    M
        Mass matrix.
    A
        Constraint matrix.
    rcond
        Relative tolerance of the rank.

    Returns
    -------
    P
        Matrix (n, n).

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import projector
    >>> projector(np.eye(2), [[0.0, 1.0]]).round(12).tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    return np.asarray(proportionality_matrix(M, A, rcond) @ A)


def rewritten(M: Matrix, Q: ArrayLike, A: Matrix, b: ArrayLike, rcond: float | None = None) -> FloatArray:
    """Return the acceleration as (I − P) a_f + K₁ b [Fumagalli2009 (47)].

    Parameters
    ----------
    M
        Mass matrix.
    Q
        Forces.
    A
        Constraint matrix.
    b
        Right-hand side of A a = b.
    rcond
        Relative tolerance of the rank.

    Returns
    -------
    a
        Acceleration (n,).

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import rewritten
    >>> rewritten(np.eye(2), [1.0, -9.81], [[0.0, 1.0]], [0.0]).round(12).tolist()
    [1.0, 0.0]
    """
    K_1 = proportionality_matrix(M, A, rcond)
    n, m = K_1.shape
    U = formulas.factor(checks.matrix("M", M, (n, n), sparse=False))
    a_f = lapack.dpotrs(U, checks.vector("Q", Q, n, "coordinate"))[0]
    return np.asarray(a_f - K_1 @ (A @ a_f) + K_1 @ checks.vector("b", b, m, "row of A"))

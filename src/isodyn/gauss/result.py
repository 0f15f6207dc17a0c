"""What `solve` returns: accelerations, multipliers, forces, and what was found about the rows.

    M a = Fᴺ + Fᴸ + Fᶜ,    Fᴺ = Q,    Fᴸ + Fᶜ = C − Aᵀλ = `force`

Fᴸ does no work in a virtual displacement v (A v = 0); vᵀFᶜ = vᵀC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.described import described
from isodyn.errors import InputError
from isodyn.linear_solvers.rank import FloatArray, Rank


@dataclass(frozen=True)
class Conflict:
    """Rows that no acceleration can satisfy together.

    Parameters
    ----------
    rows
        Numbers of the rows.
    names
        Names of the rows.
    residuals
        A a − b in each of them.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import solve
    >>> result = solve(np.eye(1), [0.0], [[1.0], [1.0]], [0.0, 1.0])
    >>> result.conflict.rows
    (0, 1)
    """

    rows: tuple[int, ...]
    names: tuple[str, ...]
    residuals: tuple[float, ...]

    @property
    def message(self) -> str:
        """One sentence with every row and its residual."""
        parts = (f"{name} by {value:.3g}" for name, value in zip(self.names, self.residuals, strict=True))
        return "constraints conflict; A a − b is least in the sum of squares and misses " + ", ".join(parts)

    __repr__ = described

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Work:
    """Work of the three parts of the force in a displacement.

    Parameters
    ----------
    newton
        Work of Fᴺ.
    lagrange
        Work of Fᴸ.
    coulomb
        Work of Fᶜ.

    Examples
    --------
    >>> from isodyn.gauss import Work
    >>> Work(1.0, 2.0, 3.0).constraint
    5.0
    """

    newton: float
    lagrange: float
    coulomb: float

    @property
    def constraint(self) -> float:
        """Work of the whole force of constraint Fᴸ + Fᶜ; vᵀC if v is virtual [Fan2005 (35)]."""
        return self.lagrange + self.coulomb


@dataclass(frozen=True, eq=False)
class Result:
    """The constrained acceleration and everything that came with it.

    Parameters
    ----------
    method
        Name of the method.
    a
        Acceleration (n,).
    lam
        Multipliers (m,).
    force
        Force of constraint.
    free
        Acceleration without constraints.
    error
        b − A · free.
    residual
        A a − b.
    gauss_value
        Value of Gauss' function at a.
    newton, lagrange, coulomb
        The three parts Fᴺ, Fᴸ, Fᶜ of M a.
    conflict
        Rows that contradict each other, or None.
    decision
        How the rank was decided, or None.
    names
        Names of the rows, if they were given.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import solve
    >>> result = solve(np.eye(2), [0.0, -9.81], [[0.0, 1.0]], [0.0])
    >>> result.a.tolist(), result.rank
    ([0.0, 0.0], 1)
    """

    method: str
    a: FloatArray
    """The acceleration: A a − b least in the sum of squares, Gauss' function least among such."""
    lam: FloatArray
    """Multipliers, M a + Aᵀλ = Q + C, of least Euclidean norm in the rows as given."""
    force: FloatArray
    """Force of constraint on the system, M a − Q = C − Aᵀλ."""
    free: FloatArray
    """a_f = M⁻¹Q, the acceleration without constraints."""
    error: FloatArray
    """e = b − A a_f, by how much the free acceleration misses the constraints
    [Udwadia1992 (5c′)]."""
    residual: FloatArray
    """A a − b."""
    gauss_value: float
    """½(a − a_f − M⁻¹C)ᵀ M (a − a_f − M⁻¹C), which the constraints make as small as they allow."""
    newton: FloatArray
    """Fᴺ = M a_f = Q [Fan2005 (19)]."""
    lagrange: FloatArray
    """Fᴸ, the part of the force of constraint that does no virtual work [Fan2005 (20)]."""
    coulomb: FloatArray
    """Fᶜ, the part that works as C does [Fan2005 (21)]."""
    conflict: Conflict | None
    decision: Rank | None
    """How the rank was decided; None where it was not (regularised, very large A)."""
    names: tuple[str, ...] | None = None

    @property
    def rank(self) -> int | None:
        """Number of independent rows."""
        return None if self.decision is None else self.decision.rank

    @property
    def redundant(self) -> tuple[Any, ...] | None:
        """Rows that follow from the others: names if they were given, else numbers."""
        if self.decision is None:
            return None
        return tuple(int(k) if self.names is None else self.names[k] for k in self.decision.dropped)

    @property
    def singular_values(self) -> FloatArray | None:
        """Singular values of A with rows and coordinates scaled, on which the rank was decided."""
        return None if self.decision is None else self.decision.singular_values

    def work(self, v: ArrayLike) -> Work:
        """Return the work of Fᴺ, Fᴸ and Fᶜ in a displacement.

        vᵀFᴸ vanishes if A v = 0 [Fan2005 (32), (34)].

        Parameters
        ----------
        v
            The displacement.

        Returns
        -------
        work
            The three works.
        """
        v = np.asarray(v, dtype=np.float64)
        if v.shape != self.a.shape:
            raise InputError(f"v must have shape {self.a.shape}, received {v.shape}")
        return Work(float(v @ self.newton), float(v @ self.lagrange), float(v @ self.coulomb))

    __repr__ = described

    def __str__(self) -> str:
        lines = [f"Gauss' principle by {self.method}: {self.a.size} coordinates, {self.lam.size} rows"]
        if self.decision is not None:
            with np.printoptions(precision=3):
                lines.append(f"rank {self.rank}, singular values of the scaled rows {self.singular_values}")
            lines.append(f"tolerance {self.decision.rcond:g}, redundant rows: {self.redundant or 'none'}")
        lines.append(
            f"largest |A a − b| {np.abs(self.residual).max(initial=0.0):.3g}, Gauss' function {self.gauss_value:.6g}"
        )
        return "\n".join(lines if self.conflict is None else [*lines, self.conflict.message])

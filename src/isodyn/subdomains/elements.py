"""A linear system as element matrices, M = Σ_e M_e and so on, before it is assembled or cut into
subdomains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from isodyn.errors import InputError
from isodyn.real_numbers import real_array
from isodyn.systems import LinearSystem

if TYPE_CHECKING:
    from isodyn.open_types import Matrix


@dataclass(frozen=True, eq=False)
class Elements:
    """A linear system as a list of elements.

    Parameters
    ----------
    dofs
        Coordinates of each element (e, k); negative ones are held fixed.
    M, K
        Matrices of each element (e, k, k).
    q0, v0
        Start of the undivided system.
    C
        Damping matrices, or None.
    f
        Load of the undivided system: a vector or a function of time.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> M, K = np.eye(2)[None], np.array([[[1.0, -1.0], [-1.0, 1.0]]])
    >>> bar = iso.subdomains.Elements(np.array([[0, 1]]), M, K, np.zeros(2), np.zeros(2))
    >>> bar.assemble().nq
    2
    """

    dofs: Any
    M: Matrix
    K: Matrix
    q0: Any
    v0: Any
    C: Matrix | None = None
    f: Any = None

    def __post_init__(self) -> None:
        try:
            dofs = np.asarray(self.dofs)
        except ValueError as error:
            raise InputError(
                "dofs must have one row of k whole numbers per element, received rows of unlike length"
            ) from error
        n = np.size(self.q0)
        if dofs.ndim != 2 or dofs.dtype.kind not in "iu" or (dofs.size and dofs.max() >= n):
            raise InputError(
                f"dofs must be whole numbers below {n} of shape (elements, k), received shape {dofs.shape}"
            )
        shape = (dofs.shape[0], dofs.shape[1], dofs.shape[1])
        for name in ("M", "K", "C"):
            value = getattr(self, name)
            if value is None and name != "C":
                raise InputError(f"{name} must have shape {shape}, received None")
            if value is not None and np.shape(value) != shape:
                raise InputError(f"{name} must have shape {shape}, received {np.shape(value)}")
            if value is not None:
                real_array(name, value)

    def matrix(self, name: str, chosen: Any = slice(None)) -> Matrix:
        """Return M, K or C assembled from elements, of the undivided size.

        Parameters
        ----------
        name
            "M", "K" or "C".
        chosen
            Numbers of the elements; all if left out.

        Returns
        -------
        matrix
            A sparse matrix, or None if there is none.
        """
        values = getattr(self, name)
        if values is None:
            return None
        dofs, n = np.asarray(self.dofs)[chosen], np.size(self.q0)
        k = dofs.shape[1]
        rows, columns = np.repeat(dofs, k, axis=1).ravel(), np.tile(dofs, (1, k)).ravel()
        kept = (rows >= 0) & (columns >= 0)
        entries = np.asarray(values, dtype=np.float64)[chosen].ravel()
        return sp.csr_array((entries[kept], (rows[kept], columns[kept])), shape=(n, n))

    def assemble(self) -> LinearSystem:
        """Return the undivided system.

        Returns
        -------
        system
            The system.
        """
        return LinearSystem(self.matrix("M"), self.matrix("C"), self.matrix("K"), self.f, self.q0, self.v0)

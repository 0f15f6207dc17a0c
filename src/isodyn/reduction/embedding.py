"""Reduced coordinates [ξ; others] in those of the full system.

    q = offset + T ξ,    v = T ξ̇                                    where coordinates add like vectors

Coordinates that are not reduced may be of another kind, such as orientations: they are copied, and
their velocities with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Embedding:
    """V and the offset of the reduced coordinates, their numbers, and those of the others in q and
    in v.

    The last directions are the coordinates of the `interface`, where there is one.
    """

    V: FloatArray
    mean: FloatArray
    columns: IntArray
    others_q: IntArray
    others_v: IntArray
    interface: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @staticmethod
    def of(
        V: FloatArray, mean: FloatArray, columns: IntArray | None, nq: int, nv: int, interface: IntArray | None = None
    ) -> Embedding:
        """For a system with nq coordinates and nv velocities."""
        if columns is None and nq != nv:
            raise InputError(
                "coordinates that are no vector space cannot be reduced as a whole",
                hint="columns= the coordinates of the flexible part",
            )
        every = np.arange(V.shape[0]) if columns is None else columns
        if every.size != V.shape[0] or every[-1] >= min(nq, nv) or (columns is None and every.size != nv):
            raise InputError(
                f"the basis has {V.shape[0]} coordinates, the system {nv}", hint="columns= reduces some of them"
            )
        others_q, others_v = (np.delete(np.arange(n), every) for n in (nq, nv))
        kept = np.zeros(0, dtype=np.int64) if interface is None else interface
        return Embedding(V, mean, every, others_q, others_v, kept)

    @property
    def nq(self) -> int:
        return self.V.shape[1] + self.others_q.size

    @property
    def nv(self) -> int:
        return self.V.shape[1] + self.others_v.size

    @property
    def T(self) -> FloatArray:
        """The whole matrix of velocities."""
        n, r = self.columns.size + self.others_v.size, self.V.shape[1]
        T = np.zeros((n, self.nv))
        T[self.columns, :r] = self.V
        T[self.others_v, r + np.arange(self.others_v.size)] = 1.0
        return T

    @property
    def offset(self) -> FloatArray:
        """The whole offset; zero for the others."""
        offset = np.zeros(self.columns.size + self.others_q.size)
        offset[self.columns] = self.mean
        return offset

    def q(self, xi: FloatArray) -> FloatArray:
        """Configurations of reduced coordinates (…, nq)."""
        r = self.V.shape[1]
        q = np.empty((*xi.shape[:-1], self.columns.size + self.others_q.size))
        q[..., self.columns] = self.mean + xi[..., :r] @ self.V.T
        q[..., self.others_q] = xi[..., r:]
        return q

    def v(self, eta: FloatArray) -> FloatArray:
        """Velocities or accelerations of reduced ones (…, nv)."""
        r = self.V.shape[1]
        v = np.empty((*eta.shape[:-1], self.columns.size + self.others_v.size))
        v[..., self.columns] = eta[..., :r] @ self.V.T
        v[..., self.others_v] = eta[..., r:]
        return v

    def names(self, names: tuple[str, ...], others: IntArray) -> tuple[str, ...]:
        """Names of the reduced coordinates; those of an interface keep theirs."""
        directions = self.V.shape[1] - self.interface.size
        return (*(f"xi{i}" for i in range(directions)), *(names[i] for i in (*self.interface, *others)))

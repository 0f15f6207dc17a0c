"""A basis of a few directions, and what lifts a reduced motion back.

    q = q̄ + V ξ,    v = V ξ̇,    a = V ξ̈                            [Shimada2014 (C.41), (C.42), (C.43) adapted]
    ξ = (Vᵀ W V)⁻¹ Vᵀ W (q − q̄)                                     [Shimada2014 (C.54) adapted]

A basis of some coordinates only leaves the others as they are: reduced coordinates are then
[ξ; the others].
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, cho_solve

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.notebook_views import ShownInNotebooks
from isodyn.reduction import rank as ranks
from isodyn.reduction.decomposition import decompose, inner_matrix, times
from isodyn.reduction.embedding import Embedding
from isodyn.reduction.lift import lift
from isodyn.reduction.snapshots import Kind, Witness, chosen, matrix, solutions, witnesses
from isodyn.results.solution import Solution
from isodyn.systems import checks

if TYPE_CHECKING:
    from isodyn.open_types import Matrix, Numbers


@dataclass(frozen=True, eq=False)
class Basis(ShownInNotebooks):
    """Directions V about a mean, and how they were found.

    Parameters
    ----------
    V
        Directions (n, r).
    mean
        Configuration (n,) about which they are taken.
    inner
        Matrix of the inner product; None for the Euclidean one.
    columns
        Coordinates that are reduced; None for all.
    singular_values
        All singular values, also of directions that were left out.
    omega
        Frequencies of modes.
    method
        How the directions were found.
    name
        Name in reports.
    witnesses
        States of the run, which show whether the basis locks constraints.
    left
        Left inverse of V in place of the projection, if some coordinates have to stay exactly as
        they are: those of the interface.
    interface
        Coordinates of the interface, which are the last directions.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> bar = iso.LinearSystem(np.eye(3), None, np.diag([1.0, 4.0, 9.0]), None, np.ones(3), np.zeros(3))
    >>> basis = iso.reduction.eigenmodes(bar, rank=2)
    >>> basis.V.shape, basis.rank
    ((3, 2), 2)
    """

    V: FloatArray
    mean: FloatArray
    inner: Matrix | None = None
    columns: IntArray | None = None
    singular_values: FloatArray = field(default_factory=lambda: np.zeros(0))
    omega: FloatArray = field(default_factory=lambda: np.zeros(0))
    method: str = ""
    name: str = ""
    witnesses: tuple[Witness, ...] = ()
    left: FloatArray | None = None
    interface: IntArray | None = None

    @property
    def rank(self) -> int:
        """Number of directions."""
        return self.V.shape[1]

    @property
    def error(self) -> float:
        """Squared part of the snapshots outside, ε = Σ_{i>s} σ_i² [Shimada2014 (C.36)]."""
        self._from_snapshots("error")
        return float(ranks.tails(self.singular_values)[self.rank])

    @property
    def relative_error(self) -> float:
        """Relative part of the snapshots outside, ε/Σσ² [Shimada2014 (C.37)]."""
        self._from_snapshots("relative_error")
        left_out = ranks.tails(self.singular_values)
        return float(left_out[self.rank] / left_out[0])

    @property
    def captured(self) -> float:
        """Σ_{i≤s} σ_i²/Σσ², the part of the snapshots' energy inside [Shimada2014 (C.38)]."""
        return 1.0 - self.relative_error

    def _from_snapshots(self, what: str) -> None:
        if self.singular_values.size == 0:
            raise InputError(f"{what} belongs to bases from snapshots; this one is made of {self.name}")

    def truncated(self, rank: int) -> Basis:
        """Return the first directions of a basis from snapshots or of modes.

        Parameters
        ----------
        rank
            Number of directions to keep.

        Returns
        -------
        basis
            The smaller basis.
        """
        if isinstance(rank, bool) or not isinstance(rank, int | np.integer) or not 1 <= rank <= self.rank:
            raise InputError(f"rank must be a whole number from 1 to {self.rank}, received {rank!r}")
        if self.left is not None:
            raise InputError("a basis with an interface cannot be truncated", hint="make it anew with another rank")
        return replace(self, V=self.V[:, :rank].copy(), omega=self.omega[:rank])

    @cached_property
    def _gram(self) -> Matrix:
        return cho_factor(self.V.T @ times(self.inner, self.V))

    def components(self, x: FloatArray) -> FloatArray:
        """Return (VᵀWV)⁻¹VᵀW x of increments x.

        Parameters
        ----------
        x
            Increments (…, n).

        Returns
        -------
        components
            Components (…, r).
        """
        if self.left is not None:
            return np.asarray(x @ self.left.T)
        weighted = times(self.inner, np.atleast_2d(x).T)
        return np.asarray(cho_solve(self._gram, self.V.T @ weighted).T).reshape(*np.shape(x)[:-1], self.rank)

    def embedding(self, nq: int, nv: int) -> Embedding:
        """Return how reduced coordinates sit in those of a system.

        Parameters
        ----------
        nq
            Number of coordinates of the system.
        nv
            Number of its velocities.

        Returns
        -------
        embedding
            The map and its derivatives.
        """
        return Embedding.of(self.V, self.mean, self.columns, nq, nv, self.interface)

    def coordinates(self, q: Numbers) -> FloatArray:
        """Return the reduced coordinates of configurations.

        Parameters
        ----------
        q
            Configurations (…, nq).

        Returns
        -------
        xi
            Reduced coordinates.
        """
        q = self._entries("q", q)
        if self.columns is None:
            return self.components(q - self.mean)
        rest = np.delete(q, self.columns, axis=-1)
        return np.concatenate([self.components(q[..., self.columns] - self.mean), rest], axis=-1)

    def rates(self, v: Numbers) -> FloatArray:
        """Return the reduced velocities of velocities, or accelerations.

        Parameters
        ----------
        v
            Velocities (…, nv).

        Returns
        -------
        rates
            Reduced velocities.
        """
        v = self._entries("v", v)
        if self.columns is None:
            return self.components(v)
        return np.concatenate([self.components(v[..., self.columns]), np.delete(v, self.columns, axis=-1)], axis=-1)

    def _entries(self, name: str, x: ArrayLike) -> FloatArray:
        """As an array with enough entries along the last axis."""
        array = np.asarray(x, dtype=np.float64)
        n = self.V.shape[0] if self.columns is None else int(self.columns[-1]) + 1
        size = array.shape[-1] if array.ndim else 1
        if array.ndim == 0 or size < n or (self.columns is None and size > n):
            raise InputError(
                f"{name} must have {n} entries{'' if self.columns is None else ' at least'}, received {size}"
            )
        return array

    def lift(self, sol: Solution) -> Solution:
        """Return the motion of the full system that a reduced solution stands for.

        [Shimada2014 (C.66) adapted]

        Parameters
        ----------
        sol
            Solution of the reduced system.

        Returns
        -------
        sol
            Solution of the full system.

        Raises
        ------
        InputError
            If the solution does not belong to this basis.
        """
        return lift(self, sol)

    def __repr__(self) -> str:
        text = f"<Basis: {self.rank} directions of {self.V.shape[0]} coordinates, {self.name}"
        return f"{text}, {self.captured:.6g} captured>" if self.singular_values.size else f"{text}>"


def pod(
    sol: Solution,
    of: Kind = "q",
    rank: int | None = None,
    energy: float | None = None,
    inner: Matrix | None = None,
    *,
    centred: bool = False,
    about: Numbers | None = None,
    columns: Any = None,
) -> Basis:
    """Return the directions that hold most of the snapshots: proper orthogonal decomposition.

    Parameters
    ----------
    sol
        A solution, or several of one system.
    of
        Displacements "q", velocities "v" or accelerations "a"; of a first-order system "q" is s and
        "v" its rate.
    rank
        Number of directions.
    energy
        Part of the sum of squares that they have to hold, in place of `rank`. If neither is given,
        all independent directions are taken.
    inner
        Matrix of the inner product, such as a mass matrix; Euclidean if left out.
    centred
        Subtract the mean from displacements, and keep it in the ansatz.
    about
        A configuration to subtract instead, such as q0.
    columns
        Coordinates that are reduced; the others stay as they are.

    Returns
    -------
    basis
        The directions.

    Raises
    ------
    InputError
        If the choices contradict each other, or the solutions do not fit.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> bar = iso.LinearSystem(np.eye(3), None, np.diag([1.0, 2.0, 3.0]), None, [1.0, 1.0, 1.0], np.zeros(3))
    >>> sol = iso.integrate(bar, iso.Scheme.optimal(1.0), dt=0.1, t_end=5.0)
    >>> iso.pod(sol, rank=2).V.shape
    (3, 2)
    """
    several = solutions(sol)
    n = several[0].system.nv if several[0].system.first_order or of != "q" else several[0].system.nq
    picked = chosen(columns, n)
    A = matrix(several, of, picked)
    n = A.shape[0]
    ranks.check(rank, energy, A.shape[1], n)
    mean = offset(of, centred, about, A, picked)
    if of == "q":
        A = A - mean[:, None]  # [Shimada2014 (C.1)]
    W = inner_matrix(sub_block(inner, picked, n), n)
    return from_matrix(A, W, rank, energy, mean, picked, f"POD of {of}", witnesses(several))


def from_matrix(
    A: FloatArray,
    W: Matrix,
    rank: int | None,
    energy: float | None,
    mean: FloatArray,
    columns: IntArray | None,
    name: str,
    states: tuple[Witness, ...],
) -> Basis:
    """The basis of a matrix of snapshots."""

    def wanted(sigma: FloatArray, independent: int) -> int | None:
        return ranks.wanted(rank, energy, sigma, independent)

    found = decompose(A, W, wanted)
    sigma = found.singular_values
    count = wanted(sigma, found.independent) or found.independent
    ranks.enough(count, found.independent, sigma)
    return Basis(found.U[:, :count].copy(), mean, W, columns, sigma, method=found.method, name=name, witnesses=states)


def offset(of: str, centred: bool, about: Numbers, A: FloatArray, columns: IntArray | None) -> FloatArray:
    """The constant part of the ansatz, besides V ξ."""
    if centred and about is not None:
        raise InputError("give centred or about, not both")
    if centred and of != "q":
        raise InputError(
            f"snapshots of {of!r} cannot be centred: their mean has no place in q = mean + V ξ",
            hint="centre displacements, or pass about= a configuration",
        )
    if centred:
        return np.asarray(A.mean(axis=1))  # [Shimada2014 (C.2)]
    if about is None:
        return np.zeros(A.shape[0])
    x = checks.vector("about", about)
    x = x[columns] if columns is not None and x.size > A.shape[0] else x
    if x.size != A.shape[0]:
        raise InputError(f"about must have {A.shape[0]} entries, received {x.size}")
    return x


def sub_block(inner: Matrix, columns: IntArray | None, n: int) -> Matrix:
    """The rows and columns of an inner product that belong to the coordinates that are reduced."""
    if inner is None or columns is None or np.shape(inner)[:1] == (n,):
        return inner
    W = sp.csr_array(inner) if sp.issparse(inner) else np.asarray(inner)
    if W.ndim != 2 or W.shape[0] <= columns[-1]:
        raise InputError(f"inner must be a matrix of {n} × {n}, received shape {W.shape}")
    return W[columns][:, columns]

"""Snapshots of long runs, taken while the run goes on: only directions are kept, not states.

A block B of snapshots is merged into what is there, U Σ, by the SVD of [U Σ, B]; with a mean to be
taken off, the block is centred by its own mean and the step between both means is one more column,

    [U Σ,  B − b̄,  √(k l/(k + l)) (ā − b̄)],      k and l snapshots with the means ā and b̄,

which is exact [Ross2008]. In an inner product W the factorisation B = Q R with QᵀW Q = I takes the
place of orthogonal ones. Memory: the coordinates times (`limit` + `block`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import svd

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.reduction import rank as ranks
from isodyn.reduction.basis import Basis, offset, sub_block
from isodyn.reduction.decomposition import EPS, gram_schmidt, inner_matrix, orthonormal
from isodyn.reduction.snapshots import WITNESSES, Kind, Witness, chosen, finite
from isodyn.results.solution import Sample, Solution

if TYPE_CHECKING:
    from isodyn.open_types import Matrix, Numbers


class Snapshots:
    """Collect snapshots during a run; `basis` is ready at any time.

    Pass it as `observe=` of a run, or `add` solutions.

    Parameters
    ----------
    of, inner, centred, about, columns
        As in `pod`.
    limit
        Largest number of directions that are kept.
    block
        Snapshots that are gathered before they are merged.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> bar = iso.LinearSystem(np.eye(3), None, np.diag([1.0, 2.0, 3.0]), None, [1.0, 1.0, 1.0], np.zeros(3))
    >>> seen = iso.reduction.Snapshots(of="v")
    >>> _ = iso.integrate(bar, dt=0.1, t_end=50.0, observe=seen, select=[])
    >>> seen.count, seen.basis(rank=2).rank
    (501, 2)
    """

    def __init__(
        self,
        of: Kind = "q",
        inner: Matrix | None = None,
        *,
        centred: bool = False,
        about: Numbers | None = None,
        columns: Any = None,
        limit: int = 64,
        block: int = 32,
    ) -> None:
        if of not in ("q", "v", "a"):
            raise InputError(f"snapshots are of 'q', 'v' or 'a', received {of!r}")
        for name, value in (("limit", limit), ("block", block)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} must be a positive whole number, received {value!r}")
        offset(of, centred, about, np.zeros((0 if about is None else np.size(about), 1)), None)
        self.of, self.inner, self.centred, self.about, self.columns = of, inner, centred, about, columns
        self.limit, self.block = limit, block
        self.count = 0
        self._merged = 0
        self._picked: IntArray | None = None
        self._W: Any = None
        self._U = np.zeros((0, 0))
        self._sigma = np.zeros(0)
        self._mean = np.zeros(0)
        self._lost = 0.0
        self._waiting: list[FloatArray] = []
        self._witnesses: list[Witness] = []
        self._stride = 1

    def __call__(self, sample: Sample) -> None:
        """Take the state of a sample."""
        x = np.asarray(getattr(sample, self.of) if sample.q.size else {"q": sample.v, "v": sample.a}[self.of])
        if self.count == 0:
            self._picked = chosen(self.columns, x.size)
        x = x if self._picked is None else x[self._picked]
        finite(x[None], np.atleast_1d(sample.t), self.of)
        self._witness(sample)
        self._take(x)

    def add(self, sol: Solution) -> None:
        """Take all rows of a solution.

        Parameters
        ----------
        sol
            The solution.
        """
        for row in zip(sol.t, sol.q, sol.v, sol.a, sol.lam, strict=True):
            self(Sample(*row))

    def _witness(self, sample: Sample) -> None:
        """Keep every n-th state; every other one goes when there are too many."""
        if self.count % self._stride == 0:
            self._witnesses.append(Witness(float(sample.t), sample.q.copy(), sample.v.copy()))
        if len(self._witnesses) > 2 * WITNESSES:
            self._witnesses, self._stride = self._witnesses[::2], 2 * self._stride

    def _take(self, x: FloatArray) -> None:
        if self.count == 0:
            self._W = inner_matrix(sub_block(self.inner, self._picked, x.size), x.size)
            self._U, self._mean = np.zeros((x.size, 0)), np.zeros(x.size)
        elif x.size != self._mean.size:
            raise InputError(f"snapshots have {self._mean.size} coordinates, received one with {x.size}")
        self.count += 1
        self._waiting.append(x.copy())
        if len(self._waiting) >= self.block:
            self._merge()

    def _merge(self) -> None:
        """[U Σ, B] → U Σ."""
        B = np.array(self._waiting).T
        if B.size == 0:
            return
        self._waiting.clear()
        k, new = self._merged, B.shape[1]
        self._merged += new
        if self.centred:
            mean = B.mean(axis=1)
            step = np.sqrt(k * new / (k + new)) * (self._mean - mean)
            self._mean = (k * self._mean + new * mean) / (k + new)
            B = np.column_stack([B - mean[:, None], step])
        elif self.of == "q" and self.about is not None:
            B = B - offset("q", False, self.about, B, self._picked)[:, None]
        Q, R = gram_schmidt(np.column_stack([self._U * self._sigma, B]), self._W)
        if R.size == 0:  # nothing moved so far
            return
        X, sigma, _ = svd(R, full_matrices=False)
        keep = min(self.limit, int((sigma > EPS * sigma[0]).sum()))
        self._lost += float((sigma[keep:] ** 2).sum())
        self._U, self._sigma = orthonormal(Q @ X[:, :keep], self._W), sigma[:keep]

    def basis(self, rank: int | None = None, energy: float | None = None) -> Basis:
        """Return the basis of the snapshots so far, as `pod` would.

        Directions beyond `limit` count as one.

        Parameters
        ----------
        rank
            Number of directions.
        energy
            Part of the sum of squares that they have to hold, in place of `rank`.

        Returns
        -------
        basis
            The basis.
        """
        ranks.check(rank, energy, self.count, max(1, self._mean.size))
        self._merge()
        sigma = self._sigma
        if sigma.size == 0:
            raise InputError(
                "all snapshots are zero: they hold no direction", hint="let the run move, or do not centre"
            )
        independent = int((sigma > max(self._mean.size, self.count) * EPS * sigma[0]).sum())
        lost = np.array([np.sqrt(self._lost)]) if self._lost > 0.0 else np.zeros(0)
        every = np.concatenate([sigma, lost])
        count = ranks.wanted(rank, energy, every, independent) or independent
        ranks.enough(count, independent, every)
        mean = self._mean if self.centred else offset(self.of, False, self.about, self._mean[:, None], self._picked)
        V = self._U[:, :count].copy()
        name, states = f"POD of {self.of}", tuple(self._witnesses)
        return Basis(
            V, mean.copy(), self._W, self._picked, every, method="incremental SVD", name=name, witnesses=states
        )

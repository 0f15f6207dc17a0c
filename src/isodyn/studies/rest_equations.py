"""Residual, matrices and stability of systems at rest, with loads that grow by a factor.

    r(q, s) + Gᵀλ + σ M (q ⊖ q_n) = 0,   φ(q) = 0,        s: part of the loads

A position is stable where K + σ M is positive definite on the motions that the rows allow, which is
seen from the signs of the pivots of K + σ M + c GᵀG with a large c. Pivots of motions without any
strain are rounding, of either sign: those are seen from the resistance of the softest motion.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.linalg import splu

from isodyn.errors import InputError
from isodyn.kernels.compiled import JACOBIAN, FloatArray
from isodyn.linear_solvers.blocks import values_to_csr
from isodyn.linear_solvers.rows import LARGE, choose
from isodyn.systems.base import System
from isodyn.systems.checks import vector
from isodyn.systems.compiled_system import settled
from isodyn.systems.manifold import moving
from isodyn.systems.questions import Questions
from isodyn.systems.scales import largest_or_one, pace, reach, row_sizes

if TYPE_CHECKING:
    from isodyn.linear_solvers.supernodal import SuperLU
    from isodyn.open_types import Matrix

EPS = float(np.finfo(np.float64).eps)
PENALTY = 1e3  # c, in units of the largest entry of K
ROUNDING = 1e-13  # pivots below this part of their own entry are zero
FREE = 10.0  # what motions without strain resist, in units of the rounding of K


class Found(NamedTuple):
    q: FloatArray
    lam: FloatArray
    iterations: int


class Equations:
    """Residual and matrices of statics."""

    def __init__(self, system: Any, t: float) -> None:
        self.system, self.t, self.pattern = system, t, system.layout.sparsity
        # a copy of the tables, whose factor of all loads is set here
        model = system.sparse_model()
        model = replace(model, tables=model.tables.copy())
        self.ask, self.still = Questions(system, model), np.zeros(system.nv)
        self.move = moving(system)
        self.rows = np.arange(system.m)
        if 0 < system.m * system.nv <= LARGE:
            self.rows = choose(self.ask.G(t, system.q0, self.still) * system.scales.v).chosen
        self.M = self.jacobian(system.q0, np.zeros(system.m), (1.0, 0.0, 0.0))
        self.sizes = self.sizes_of_matrix()

    def sizes_of_matrix(self) -> FloatArray:
        """Typical sizes of coordinates, and of rows beside the stiffness."""
        system, v = self.system, self.system.scales.v
        K = self.jacobian(system.q0, np.zeros(system.m), (0.0, 0.0, 1.0))
        rows = row_sizes(self.ask.G(self.t, system.q0, self.still)[self.rows], v)
        return np.concatenate([v, largest_or_one(np.abs(K.diagonal()) * v**2) / rows])

    def jacobian(self, q: FloatArray, lam: FloatArray, weights: tuple[float, float, float]) -> Matrix:
        p = self.pattern
        values = self.ask.ask(JACOBIAN, self.t, q, self.still, self.still, p.J_columns.size, lam, weights)
        return values_to_csr(p.J_starts, p.J_columns, values, p.n)

    def residual(self, s: float, q: FloatArray, lam: FloatArray) -> tuple[FloatArray, FloatArray]:
        self.ask.model.tables.load_factor = s
        phi = self.ask.position(self.t, q, self.still)
        return self.ask.balance(self.t, q, self.still, self.still, lam), phi[self.rows]

    def way(self, q1: FloatArray, q2: FloatArray) -> FloatArray:
        """q2 ⊖ q1."""
        return q2 - q1 if self.system.difference is None else self.system.difference(q1, q2)

    def solve(
        self,
        s: float,
        q: FloatArray,
        lam: FloatArray,
        tolerance: float,
        most: int,
        sigma: float = 0.0,
        anchor: FloatArray | None = None,
    ) -> Found | None:
        """Newton's method for one s and σ; None where it does not converge."""
        n, before = self.still.size, np.inf
        for k in range(1, most + 1):
            r, phi = self.residual(s, q, lam)
            K, G = self.jacobian(q, lam, (0.0, 0.0, 1.0)), self.ask.G(self.t, q, self.still)[self.rows]
            if anchor is not None:
                r, K = r + sigma * (self.M @ self.way(anchor, q)), K + sigma * self.M
            matrix = sp.block_array([[K, G.T], [G, None]], format="csc") if G.shape[0] else sp.csc_array(K)
            D = sp.diags_array(self.sizes)
            try:
                change = self.sizes * splu(sp.csc_array(D @ matrix @ D)).solve(-self.sizes * np.concatenate([r, phi]))
            except RuntimeError:  # exactly singular
                return None
            size = pace(self.system, change[:n]) / reach(self.system, q)
            if not np.isfinite(size) or size > 1e3:
                return None
            q, lam = self.move(q, change[:n]), lam.copy()
            lam[self.rows] += change[n:]
            if size < tolerance or (size < 1e3 * tolerance and size > 0.5 * before):
                return Found(q, lam, k)
            before = size
        return None

    def stable_at(self, s: float, found: Found) -> bool:
        """Whether an equilibrium under a part of the loads is stable."""
        self.ask.model.tables.load_factor = s
        return self.stable(found)

    def holds(self, q: FloatArray) -> bool:
        """Whether the unloaded system resists all motions, beyond rounding."""
        at = Found(q, np.zeros(self.system.m), 0)
        return self.stable_at(0.0, at) and self.softest(at)[1] > FREE

    def stable(self, found: Found, sigma: float = 0.0) -> bool:
        """Whether K + σ M is positive definite where the rows allow motion."""
        A = self.held(found, sigma)[1]
        try:
            factors = _factors(A)
        except RuntimeError:  # exactly singular
            return False
        # pivots in the order of the matrix, each beside its own entry: what is soft beside what is stiff counts
        pivots, own = factors.U.diagonal()[factors.perm_c], np.abs(A.diagonal())
        return bool((pivots > ROUNDING * own).all()) and np.array_equal(factors.perm_r, factors.perm_c)

    def held(self, found: Found, sigma: float) -> tuple[Any, Any]:
        """K + σ M in typical sizes, and the same with rows that resist like very stiff springs."""
        K = self.jacobian(found.q, found.lam, (0.0, 0.0, 1.0)) + sigma * self.M
        G = self.ask.G(self.t, found.q, self.still)[self.rows]
        D = sp.diags_array(self.system.scales.v)
        A = D @ (K + K.T) @ D / 2
        if not G.shape[0]:
            return A, A
        B = sp.diags_array(1.0 / row_sizes(G, self.system.scales.v)) @ G @ D
        return A, A + PENALTY * float(np.abs(A.data).max()) * (B.T @ B)

    def softest(self, found: Found, sigma: float = 0.0) -> tuple[FloatArray, float]:
        """The motion that K + σ M resists least, by two inverse iterations, in typical sizes and of
        length one; and its resistance beside the rounding of K."""
        A, held = self.held(found, sigma)
        x = np.random.default_rng(0).standard_normal(A.shape[0])
        try:
            solve = _factors(held + EPS * float(np.abs(A.data).max()) * sp.eye_array(A.shape[0])).solve
        except RuntimeError:
            return x / np.linalg.norm(x), 0.0
        for _ in range(2):
            x = solve(x)
            x /= np.linalg.norm(x)
        return x, float(x @ (A @ x)) / (EPS * float(np.abs(A.data).max()))


def _factors(A: Matrix) -> SuperLU:
    order = {"permc_spec": "MMD_AT_PLUS_A", "options": {"SymmetricMode": True}}
    return splu(sp.csc_array(A), diag_pivot_thresh=0.0, **order)


def at_start(system: System, q: ArrayLike) -> FloatArray:
    at = system.q0.copy() if q is None else vector("q", q)
    if at.size != system.nq:
        raise InputError(f"q must have {system.nq} entries, received {at.size}")
    return settled(system, at)

"""Static equilibrium of a beam: Newton's method along growing loads.

    ∂U/∂q + Gᵀλ = s (loads and weight),   φ(q) = 0,        s from 0 to 1

Each load step starts from the two before it and ends when the correction is negligible; steps that fail are halved, easy ones doubled. A
path is followed only as long as it is stable: K + ∂(Gᵀλ)/∂q must be positive definite on the motions that the supports allow. That is seen
from the signs of the pivots of K + c GᵀG with a large c.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from isodyn.beams.layout import F_FACTOR
from isodyn.beams.system import BeamSystem
from isodyn.compiled import JACOBIAN, FloatArray
from isodyn.errors import ConvergenceError, InputError, SingularError
from isodyn.linear_solvers.blocks import values_to_csr
from isodyn.systems.questions import Questions

PENALTY = 1e3  # c, in units of the largest entry of K


@dataclass(frozen=True, eq=False)
class LoadPath:
    """Equilibria along growing loads: factor (k,), q (k, nq), lam (k, m); the last one carries the loads in full."""

    system: BeamSystem
    factor: FloatArray
    q_path: FloatArray
    lam_path: FloatArray
    iterations: int

    @property
    def q(self) -> FloatArray:
        """Coordinates under full load."""
        return self.q_path[-1]

    @property
    def lam(self) -> FloatArray:
        """Multipliers under full load."""
        return self.lam_path[-1]

    def __repr__(self) -> str:
        return f"<LoadPath: {self.factor.size - 1} load steps, {self.iterations} iterations>"


class _Equations:
    """Residual and matrix of statics at a load factor."""

    def __init__(self, system: BeamSystem, t: float) -> None:
        pf, pi = system.sparse_tables
        self.system, self.t, self.pattern = system, t, system.tables.sparsity
        model = system.model() if system.model().sparsity is not None else None
        if model is None:
            from isodyn.systems.model import Model

            model = Model(system.function, system.traits, pf.copy(), pi, sparsity=self.pattern)
        self.ask, self.none = Questions(system, model), np.zeros(system.nv)
        self.factor_at = int(pi[F_FACTOR])

    def residual(self, s: float, q: FloatArray, lam: FloatArray) -> tuple[FloatArray, FloatArray]:
        self.ask.model.pf[self.factor_at] = s
        return self.ask.balance(self.t, q, self.none, self.none, lam), self.ask.position(self.t, q, self.none)

    def matrices(self, q: FloatArray, lam: FloatArray) -> tuple[Any, Any]:
        p = self.pattern
        values = self.ask.ask(JACOBIAN, self.t, q, self.none, self.none, p.J_columns.size, lam, (0.0, 0.0, 1.0))
        return values_to_csr(p.J_starts, p.J_columns, values, p.n), self.ask.G(self.t, q, self.none)

    def stable(self, K: Any, G: Any) -> bool:
        """Whether K is positive definite where G allows motion."""
        if K.shape[0] == 0:
            return True
        A = (K + K.T) / 2
        if G.shape[0]:
            A = A + PENALTY * float(np.abs(K.data).max()) * (G.T @ G)
        try:
            factors = splu(
                sp.csc_array(A),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        except RuntimeError:  # exactly singular
            return False
        diagonal = factors.U.diagonal()
        return bool((diagonal > 1e-13 * np.abs(diagonal).max()).all()) and np.array_equal(
            factors.perm_r, factors.perm_c
        )


def equilibrium(
    system: BeamSystem, *, t: float = 0.0, steps: int = 10, tolerance: float = 1e-10, max_iterations: int = 25
) -> LoadPath:
    """The equilibrium that is reached when loads and weight grow from nothing; functions of time are taken at t.

    `steps` is the number of load steps to begin with. A load at which the beam would buckle is a SingularError with its factor; a beam that
    can move freely is one too.
    """
    if not isinstance(steps, int) or steps < 1:
        raise InputError(f"steps must be a number ≥ 1, received {steps!r}")
    equations = _Equations(system, t)
    q, lam, s, total = system.q0.copy(), np.zeros(system.m), 0.0, 0
    found = _solve(equations, 0.0, q, lam, tolerance, max_iterations)
    if found is None:
        raise ConvergenceError("no equilibrium without loads near the start", hint="start from the undeformed line")
    q, lam, total = found
    if not equations.stable(*equations.matrices(q, lam)):
        raise SingularError(
            "the unloaded beam can move without deforming: there is no unique equilibrium",
            hint="clamp it, or hinge it at two places",
        )
    path = [(0.0, q, lam)]
    step = 1.0 / steps
    while s < 1.0:
        trial = min(1.0, s + step)
        guess_q, guess_lam = q, lam
        if len(path) > 1:
            before = path[-2]
            ahead = (trial - s) / (s - before[0])
            guess_q, guess_lam = q + ahead * (q - before[1]), lam + ahead * (lam - before[2])
        found = _solve(equations, trial, guess_q, guess_lam, tolerance, max_iterations)
        lost = found is not None and not equations.stable(*equations.matrices(found[0], found[1]))
        if found is None or lost:
            step = (trial - s) / 2
            if step > 1e-6:
                continue
            if lost:
                raise SingularError(
                    f"the equilibrium becomes unstable at {s:.6g} of the load: the beam buckles or snaps there",
                    hint="smaller loads, or an imperfection and dynamics to see where it goes",
                )
            raise ConvergenceError(
                f"no equilibrium found beyond {s:.6g} of the load, in steps down to {step:.1g}",
                hint="the path may turn back there (snap-through); dynamics with damping goes on",
            )
        q, lam, count = found
        total += count
        s = trial
        path.append((s, q, lam))
        if count <= 5:
            step *= 2
    return LoadPath(
        system, np.array([p[0] for p in path]), np.array([p[1] for p in path]), np.array([p[2] for p in path]), total
    )


def _solve(
    equations: _Equations, s: float, q: FloatArray, lam: FloatArray, tolerance: float, most: int
) -> tuple[FloatArray, FloatArray, int] | None:
    """Newton's method at one load; None where it does not converge."""
    n, before = q.size, np.inf
    for k in range(1, most + 1):
        r, phi = equations.residual(s, q, lam)
        K, G = equations.matrices(q, lam)
        matrix = sp.block_array([[K, G.T], [G, None]], format="csc") if G.shape[0] else sp.csc_array(K)
        try:
            change = splu(matrix).solve(-np.concatenate([r, phi]))
        except RuntimeError:
            if not np.abs(r).max() > 0:  # free and unloaded: the caller says so
                return q, lam, k
            return None
        q, lam = q + change[:n], lam + change[n:]
        size = float(np.abs(change[:n]).max()) / max(1.0, float(np.abs(q).max()))
        if not np.isfinite(size) or size > 1e3:
            return None
        if size < tolerance or (size < 1e3 * tolerance and size > 0.5 * before):
            return q, lam, k
        before = size
    return None

"""The questions of the loop, answered by a user's Python functions (isodyn.systems.mechanical)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    FACTORISE,
    JACOBIAN,
    MULTIPLIERS,
    OK,
    POSITION,
    RETRACT,
    SOLVE,
    VELOCITY,
    FloatArray,
)
from isodyn.later import sparse as sp
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.sparse import Factorisation, factorise
from isodyn.systems import checks
from isodyn.systems.differences import H1
from isodyn.systems.line_differences import ROOT
from isodyn.systems.model import Question
from isodyn.systems.multiplier_forces import slopes
from isodyn.systems.scales import reach
from isodyn.systems.trampoline import product

if TYPE_CHECKING:
    from isodyn.open_types import Matrix
    from isodyn.systems.mechanical import MechanicalSystem


class PythonAnswers:
    """The questions of the loop answered by a user's Python functions."""

    solver = ""

    def __init__(self, system: MechanicalSystem) -> None:
        self.system = system
        self.n = system.nv
        self.constant_mass = full(system.M) if sp.issparse(system.M) and system.m else system.M

    def mass(self, q: FloatArray, t: float) -> Matrix:
        M = self.constant_mass
        return checks.returned("M", M(q), (self.n, self.n), t) if callable(M) else M

    def multiply(self, q: FloatArray, a: FloatArray, t: float, out: FloatArray) -> None:
        product(np.ascontiguousarray(self.mass(q, t)), a, out)

    def force(self, q: FloatArray, v: FloatArray, t: float, lam: FloatArray) -> FloatArray:
        return checks.returned("Q", self.system.Q(*self.system._arguments(q, v, t, lam)), (self.n,), t)

    def jacobian(self, q: FloatArray, v: FloatArray, t: float, lam: FloatArray, c: FloatArray) -> Matrix:
        """c₀ M − c₂ ∂Q/∂q − c₁ ∂Q/∂v, in the order of the compiled twin."""
        system, shape = self.system, (self.n, self.n)
        J = c[0] * self.mass(q, t)
        if system.Q_q is not None and c[2] != 0.0:
            J = J - c[2] * checks.returned("Q_q", system.Q_q(*system._arguments(q, v, t, lam)), shape, t)
        if system.Q_v is not None and c[1] != 0.0:
            J = J - c[1] * checks.returned("Q_v", system.Q_v(*system._arguments(q, v, t, lam)), shape, t)
        return J

    def sketch(self, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, t: float, c: FloatArray) -> Matrix:
        """c₁ ∂/∂v + c₂ ∂/∂q of M a − Q + Gᵀλ by differences, as the compiled twin finds it."""
        constraints, sizes = self.system.constraints, self.system.scales.v

        def unbalanced(q: FloatArray, v: FloatArray) -> FloatArray:
            out = np.zeros(self.n)
            self.multiply(q, a, t, out)
            return out - self.force(q, v, t, lam)

        start, columns = unbalanced(q, v), []
        steps = ROOT * (reach(self.system, q) * sizes / c[2] if c[2] > 0.0 else constraints.steps.v / (H1 * abs(c[1])))
        for h, e in zip(steps, np.eye(self.n), strict=True):
            columns.append((unbalanced(constraints.move(q, c[2] * h * e), v + c[1] * h * e) - start) / h)
        J = np.array(columns).T
        return J + c[2] * constraints.curvature(q, lam, t) if c[2] != 0.0 and lam.any() else J

    def answer(self, question: Question, out: FloatArray) -> int:
        what, t, q, v, a, lam, c = question
        # user functions get copies: they may keep or change them
        q, v = q.copy(), v.copy()
        if what == BALANCE:
            self.multiply(q, a, t, out)
            out -= self.force(q, v, t, lam)
            if lam.size:
                out += lam @ self.system.constraints.matrix(q, v, t)
        elif what == CONSTRAINT:
            out[:] = self.system.constraints.matrix(q, v, t).ravel()
        elif what == MULTIPLIERS:
            out[:] = (self.system.constraints.matrix(q, v, t) - slopes(self.system, q, v, t, lam).T).ravel()
        elif what == POSITION:
            out[: self.system.m_phi] = self.system.constraints.position(q, t)
        elif what == VELOCITY:
            out[:] = self.system.constraints.velocity(q, v, t)
        elif what == ACCELERATION:
            out[:] = self.system.constraints.acceleration(q, v, a, t)
        elif what == JACOBIAN:
            J = self.jacobian(q, v, t, lam, c)
            sketched = self.system.constraints.sketches_tangent and self.system.Q_q is None
            out[:] = (J + self.sketch(q, v, a, lam, t, c) if sketched and (c[1] or c[2]) else J).ravel()
        elif what == RETRACT:
            assert self.system.retract is not None
            out[:] = checks.returned("retract", self.system.retract(q, v), (self.system.nq,), t)
        return OK


class SparseAnswers(PythonAnswers):
    """The same with a sparse mass matrix, sparse tangents and a sparse factorisation."""

    factors: Factorisation | None = None

    def multiply(self, q: FloatArray, a: FloatArray, t: float, out: FloatArray) -> None:
        out[:] = self.system.M @ a

    def jacobian(self, q: FloatArray, v: FloatArray, t: float, lam: FloatArray, c: FloatArray) -> Matrix:
        system = self.system
        J = c[0] * system.M
        if c[1] == 0.0 and c[2] == 0.0:
            return J
        if system.Q_q is None:
            raise InputError(
                "a sparse mass matrix and an implicit scheme need the derivatives of Q",
                hint="pass Q_q= (and Q_v=) returning sparse matrices, or use an explicit scheme",
            )
        J = J - c[2] * sp.csr_array(system.Q_q(q, v, t))
        return J if system.Q_v is None else J - c[1] * sp.csr_array(system.Q_v(q, v, t))

    def answer(self, question: Question, out: FloatArray) -> int:
        what, t, q, v, _, lam, c = question
        if what == FACTORISE:
            self.factors = factorise(self.jacobian(q.copy(), v.copy(), t, lam, c))
            self.solver = self.factors.name
        elif what == SOLVE:
            assert self.factors is not None
            out[:] = self.factors.solve(out)
        else:
            return super().answer(question, out)
        return OK

"""The derivative of a consistent start, through its three stages (isodyn.stepping.initial):

    q₀ ⊕ d = q:   M d + Gᵀμ = 0,  φ(q) = 0            v:  M (v − v₀) + Gᵀς = 0,  φ̇(q, v) = 0
    a, λ:         balance = 0,  φ̈(q, v, a) = 0

A start that was moved keeps its multipliers μ and ς in the derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from isodyn.kernels.compiled import BALANCE, NONIDEAL, FloatArray, IntArray
from isodyn.later import Later
from isodyn.linear_solvers.blocks import full
from isodyn.sensitivities.retraction import put_tangents
from isodyn.sensitivities.variations import CENTRAL, PART
from isodyn.systems.questions import Questions

linalg = Later("scipy.linalg")

POINTS, WEIGHTS = CENTRAL[0], CENTRAL[1]


def along(function: Callable[[float], FloatArray], size: float) -> FloatArray:
    """d(function)/dε at ε = 0, where ε = 1/size is a typical change."""
    h = PART / size
    return np.asarray(sum(w / h * function(k * h) for k, w in zip(POINTS, WEIGHTS, strict=True)))


class StartTangent:
    """Derivatives of one start by one parameter after the other.

    `ask` answers for the system itself; `rows` are those that are enforced, `given` the start
    before it was moved, (q, v, a, lam) the start of the run.
    """

    def __init__(
        self, ask: Questions, linear: Any, t: float, rows: IntArray, given: tuple[Any, Any], state: Any
    ) -> None:
        self.ask, self.t, self.rows, self.linear = ask, t, rows, linear
        self.system, self.n = ask.system, ask.system.nv
        self.q0, self.v0 = (x.copy() for x in given)
        self.q, self.v, self.a, self.lam = (np.array(x) for x in (state.q, state.v, state.a, state.lam))
        self.M, self.G = self.mass(), full(ask.G(t, self.q, self.v))[rows] if rows.size else np.zeros((0, self.n))
        difference = self.system.difference
        self.d = self.q - self.q0 if difference is None else np.asarray(difference(self.q0.copy(), self.q.copy()))
        self.A, self.T = (np.zeros((linear.rotations.size, 3, 3)) for _ in range(2))
        put_tangents(linear, self.d if self.d.size else np.zeros(self.n), self.A, self.T)
        self.factors: dict[str, Any] = {}
        self.mu = self.multipliers(self.d)
        self.sigma = self.multipliers(self.v - self.v0)

    def mass(self) -> FloatArray:
        """M by columns of the balance, which is linear in a."""
        zero, still = np.zeros(self.system.m), np.zeros(self.n)
        base = self.ask.balance(self.t, self.q, self.v, still, zero)
        return np.array([self.ask.balance(self.t, self.q, self.v, e, zero) - base for e in np.eye(self.n)]).T

    def multipliers(self, moved: FloatArray) -> FloatArray:
        """μ of M d + Gᵀμ = 0, for all rows."""
        mu = np.zeros(self.system.m)
        if self.rows.size and moved.size:
            mu[self.rows] = -np.linalg.lstsq(self.G.T, self.M @ moved, rcond=None)[0]
        return mu

    def moved(self, ask: Questions, q: FloatArray, x: FloatArray, lam: FloatArray) -> FloatArray:
        """M x + Gᵀλ."""
        zero, still = np.zeros(self.system.m), np.zeros(self.n)
        with_both = ask.ask(BALANCE, self.t, q, self.v, x, self.n, lam)
        return with_both - ask.ask(BALANCE, self.t, q, self.v, still, self.n, zero)

    def beside(self, dq: FloatArray, k: float) -> FloatArray:
        """q ⊕ k δq."""
        retract = self.system.retract
        return self.q + k * dq if retract is None else np.asarray(retract(self.q.copy(), k * dq))

    def along_q(self, function: Callable[[FloatArray], FloatArray], dq: FloatArray) -> FloatArray:
        """∂(function of q)/∂q δq."""
        size = float(np.abs(dq / self.system.scales.v).max(initial=0.0))
        if size == 0.0 or self.q.size == 0:
            return 0.0 * function(self.q)
        return along(lambda k: function(self.beside(dq, k)), size)

    def along_v(self, function: Callable[[FloatArray], FloatArray], dv: FloatArray) -> FloatArray:
        """∂(function of v)/∂v δv."""
        size = float(np.abs(dv).max(initial=0.0)) / max(1e-2, float(np.abs(self.v).max(initial=0.0)))
        return along(lambda k: function(self.v + k * dv), size) if size else 0.0 * function(self.v)

    def solved(self, stage: str, upper: FloatArray, lower: FloatArray) -> FloatArray:
        """[J Dᵀ; G 0]⁻¹ (−upper, −lower), with the matrices of a stage, factorised once for all
        parameters; all stages share one matrix where the start was not moved."""
        plain = not np.any(self.d) and not self.ask.model.traits & NONIDEAL
        stage = "velocity" if plain else stage
        if stage not in self.factors:
            m = self.rows.size
            J, D, G = self.M, self.G.T, self.G
            if stage == "position":
                J, G = self.M + self.K @ self.T_all, self.G @ self.T_all
            elif stage == "acceleration" and self.ask.model.traits & NONIDEAL:
                D = self.ask.columns(self.t, self.q, self.v, self.lam)[:, self.rows]
            self.factors[stage] = linalg.lu_factor(np.block([[J, D], [G, np.zeros((m, m))]]))
        return np.asarray(linalg.lu_solve(self.factors[stage], -np.concatenate([upper, lower[self.rows]])))

    @cached_property
    def T_all(self) -> FloatArray:
        """T as a matrix."""
        return np.array([self.move(self.T, e) for e in np.eye(self.n)]).T

    @cached_property
    def K(self) -> FloatArray:
        """∂(M d + Gᵀμ)/∂q."""
        if not np.any(self.d):
            return 0.0 * self.M

        def force(q: FloatArray) -> FloatArray:
            return self.moved(self.ask, q, self.d, self.mu)

        return np.array([self.along_q(force, e) for e in np.eye(self.n)]).T

    def move(self, A: FloatArray, x: FloatArray) -> FloatArray:
        """A x, or T x."""
        out = x.copy()
        for k, first in enumerate(self.linear.rotations):
            out[first : first + 3] = A[k] @ x[first : first + 3]
        return out

    def position(self, ask_by: Any, dq0: FloatArray) -> FloatArray:
        """δq of the start."""
        moved = self.move(self.A, dq0) if dq0.size else dq0
        if not self.rows.size or not self.q.size:
            return moved
        m_phi, lower = self.system.m_phi, np.zeros(self.system.m)
        lower[self.rows] = self.G @ moved
        lower[:m_phi] += ask_by(lambda ask: ask.position(self.t, self.q, self.v))
        lower[m_phi:] = 0.0
        upper = self.K @ moved + ask_by(lambda ask: self.moved(ask, self.q, self.d, self.mu))
        dd = self.solved("position", upper, lower)[: self.n]
        return moved + self.T_all @ dd

    def velocity(self, ask_by: Any, dq: FloatArray, dv0: FloatArray) -> FloatArray:
        """δv of the start."""
        if not self.rows.size:
            return dv0
        jump = self.v - self.v0
        upper = self.along_q(lambda q: self.moved(self.ask, q, jump, self.sigma), dq) - self.M @ dv0
        upper += ask_by(lambda ask: self.moved(ask, self.q, jump, self.sigma))
        lower = self.along_q(lambda q: self.ask.velocity(self.t, q, self.v), dq)
        lower += ask_by(lambda ask: ask.velocity(self.t, self.q, self.v))
        return np.asarray(self.solved("velocity", upper, lower)[: self.n])

    def acceleration(self, ask_by: Any, dq: FloatArray, dv: FloatArray) -> tuple[FloatArray, FloatArray]:
        """δa and δλ of the start."""
        ask, t = self.ask, self.t

        def balance(ask: Questions, q: FloatArray, v: FloatArray) -> FloatArray:
            return ask.balance(t, q, v, self.a, self.lam)

        upper = self.along_q(lambda q: balance(ask, q, self.v), dq) + self.along_v(
            lambda v: balance(ask, self.q, v), dv
        )
        upper += ask_by(lambda other: balance(other, self.q, self.v))
        if not self.rows.size:
            return self.solved("acceleration", upper, np.zeros(0)), np.zeros(0)
        lower = self.along_q(lambda q: ask.acceleration(t, q, self.v, self.a), dq)
        lower += self.along_v(lambda v: ask.acceleration(t, self.q, v, self.a), dv)
        lower += ask_by(lambda other: other.acceleration(t, self.q, self.v, self.a))
        found, lam = self.solved("acceleration", upper, lower), np.zeros(self.system.m)
        lam[self.rows] = found[self.n :]
        return found[: self.n], lam

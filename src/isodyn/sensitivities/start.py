"""The derivative of a consistent start, through its three stages (isodyn.stepping.initial):

    q₀ ⊕ d = q:   M d + Gᵀμ = 0,  φ(q) = 0            v:  M (v − v₀) + Gᵀς = 0,  φ̇(q, v) = 0
    a, λ:         balance = 0,  φ̈(q, v, a) = 0

A start that was moved keeps its multipliers μ and ς in the derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from isodyn.kernels.compiled import BALANCE, CONSTRAINT, JACOBIAN, NONIDEAL, REACTS, FloatArray, IntArray
from isodyn.later import Later, sparse
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.many_solves import SparseFactors
from isodyn.sensitivities.retraction import put_tangents
from isodyn.sensitivities.variations import CENTRAL, PART
from isodyn.systems.questions import Questions
from isodyn.systems.scales import weights

if TYPE_CHECKING:
    from isodyn.open_types import Matrix
    from isodyn.sensitivities.memory import Linear
    from isodyn.stepping.memory import State

linalg = Later("scipy.linalg")

POINTS, WEIGHTS = CENTRAL[0], CENTRAL[1]
# of six points farther apart, for functions of places alone: their rounding is seven times less
FAR = 2e-3
OF_STEP = 0.03  # of a step: distance of points in time
AGREES = 1e-8  # of the largest: differences with points close together have more rounding than this
FAR_POINTS, FAR_WEIGHTS = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0), (0.75, -0.75, -0.15, 0.15, 1.0 / 60.0, -1.0 / 60.0)

Along: TypeAlias = Callable[[Callable[[float], FloatArray], float], FloatArray]
"""A way to take a difference: of a function, with typical changes of 1/size."""

AskBy: TypeAlias = Callable[[Callable[[Questions], FloatArray]], FloatArray | float]
"""The derivative of what is asked by all parameters, one row for each."""


def along(function: Callable[[float], FloatArray], size: float) -> FloatArray:
    """d(function)/dε at ε = 0, where ε = 1/size is a typical change."""
    h = PART / size
    return np.asarray(sum(w / h * function(k * h) for k, w in zip(POINTS, WEIGHTS, strict=True)))


def far_along(function: Callable[[float], FloatArray], size: float) -> FloatArray:
    """`along` for functions that vary with lengths and speeds of the system, not with less."""
    h = FAR / size
    return np.asarray(sum(w / h * function(k * h) for k, w in zip(FAR_POINTS, FAR_WEIGHTS, strict=True)))


def of_forces(function: Callable[[float], FloatArray], size: float) -> FloatArray:
    """`far_along` for forces, which may vary within less: with points close together where these
    tell something else."""
    far, near = far_along(function, size), along(function, size)
    same = np.abs(far - near).max(initial=0.0) <= AGREES * np.abs(near).max(initial=0.0)
    return far if same else near


class StartTangent:
    """Derivatives of one start by all parameters: rows of arrays belong to parameters.

    `ask` answers for the system itself; `rows` are those that are enforced, `given` the start
    before it was moved, (q, v, a, lam) the start of the run, `dt` the size of steps. ∂/∂θ comes
    from `ask_by`, a function of what is asked, one row for each parameter.
    """

    def __init__(
        self,
        ask: Questions,
        linear: Linear,
        t: float,
        rows: IntArray,
        given: tuple[Any, Any],
        state: State,
        dt: float,
    ) -> None:
        self.ask, self.t, self.rows, self.linear, self.dt = ask, t, rows, linear, dt
        self.system, self.n = ask.system, ask.system.nv
        self.q0, self.v0 = (x.copy() for x in given)
        self.q, self.v, self.a, self.lam = (np.array(x) for x in (state.q, state.v, state.a, state.lam))
        difference = self.system.difference
        self.d = self.q - self.q0
        if self.d.any() and difference is not None:
            self.d = np.asarray(difference(self.q0.copy(), self.q.copy()))
        self.d = self.d if self.d.any() else np.zeros(self.n)
        self.A, self.T = (np.zeros((linear.rotations.size, 3, 3)) for _ in range(2))
        put_tangents(linear, self.d, self.A, self.T)
        self.factors: dict[str, Any] = {}
        self.mu = self.multipliers(self.d)
        self.sigma = self.multipliers(self.v - self.v0)

    @cached_property
    def sparse(self) -> Questions | None:
        """Who answers with sparse matrices, where these are all that is asked for: a start of a
        large system that was not moved."""
        ask = Questions(self.system, sparse=True)
        plain = not np.any(self.d) and not ask.model.traits & (NONIDEAL | REACTS)
        return ask if plain and ask.model.sparsity is not None else None

    @cached_property
    def M(self) -> Matrix:
        """The mass matrix, by columns of the balance, which is linear in a."""
        if self.sparse is not None:
            return self.sparse.mass(self.t, self.q, self.v)
        zero, still = np.zeros(self.system.m), np.zeros(self.n)
        base = self.ask.balance(self.t, self.q, self.v, still, zero)
        return np.array([self.ask.balance(self.t, self.q, self.v, e, zero) - base for e in np.eye(self.n)]).T

    @cached_property
    def G(self) -> Matrix:
        """The rows that are enforced."""
        if not self.rows.size:
            return np.zeros((0, self.n))
        if self.sparse is not None:
            return self.sparse.G(self.t, self.q, self.v)[self.rows]
        return full(self.ask.G(self.t, self.q, self.v))[self.rows]

    def multipliers(self, moved: FloatArray) -> FloatArray:
        """μ of M d + Gᵀμ = 0, for all rows."""
        mu = np.zeros(self.system.m)
        if self.rows.size and moved.any():
            mu[self.rows] = -np.linalg.lstsq(full(self.G).T, self.M @ moved, rcond=None)[0]
        return mu

    def moved(self, ask: Questions, q: FloatArray, x: FloatArray, lam: FloatArray) -> FloatArray:
        """M x + Gᵀλ."""
        if not x.any() and not lam.any():
            return np.zeros(self.n)
        zero, still = np.zeros(self.system.m), np.zeros(self.n)
        with_both = ask.ask(BALANCE, self.t, q, self.v, x, self.n, lam, ideal=True)
        return with_both - ask.ask(BALANCE, self.t, q, self.v, still, self.n, zero, ideal=True)

    def beside(self, dq: FloatArray, k: float) -> FloatArray:
        """q ⊕ k δq."""
        retract = self.system.retract
        return self.q + k * dq if retract is None else np.asarray(retract(self.q.copy(), k * dq))

    def along_q(
        self, function: Callable[[FloatArray], FloatArray], all_dq: FloatArray, how: Along | None = None
    ) -> FloatArray:
        """∂(function of q)/∂q δq."""
        found = np.zeros((len(all_dq), function(self.q).size))
        for j, dq in enumerate(all_dq):
            size = float(np.abs(dq / self.system.scales.v).max(initial=0.0))
            if size > 0.0 and self.q.size:
                found[j] = (how or far_along)(partial(lambda dq, k: function(self.beside(dq, k)), dq), size)
        return found

    def along_v(
        self, function: Callable[[FloatArray], FloatArray], all_dv: FloatArray, how: Along | None = None
    ) -> FloatArray:
        """∂(function of v)/∂v δv."""
        found, fast = np.zeros((len(all_dv), function(self.v).size)), np.abs(self.v).max(initial=1e-2)
        for j, dv in enumerate(all_dv):
            size = float(np.abs(dv).max(initial=0.0) / fast)
            if size > 0.0:
                found[j] = (how or far_along)(partial(lambda dv, k: function(self.v + k * dv), dv), size)
        return found

    def solved(self, stage: str, upper: FloatArray, lower: FloatArray) -> FloatArray:
        """[J Dᵀ; G 0]⁻¹ (−upper, −lower), with the matrices of a stage, factorised once; all stages
        share one matrix where the start was not moved."""
        plain = not np.any(self.d) and not self.ask.model.traits & (NONIDEAL | REACTS)
        stage = "velocity" if plain else stage
        if stage not in self.factors:
            self.factors[stage] = self.factorised(stage)
        right = -np.concatenate([upper, lower[:, self.rows]], axis=1)
        return np.asarray(self.factors[stage](np.ascontiguousarray(right.T)).T)

    def factorised(self, stage: str) -> Callable[[FloatArray], FloatArray]:
        """Solutions with the matrix of a stage."""
        if self.sparse is not None:
            ask: Questions = self.sparse
            pattern: Any = ask.model.sparsity
            sizes = weights(ask, self.t).matrix
            factors = SparseFactors(pattern, self.rows, np.concatenate([sizes[: self.n], sizes[self.n + self.rows]]))
            values = ask.ask(JACOBIAN, self.t, self.q, self.v, self.v, pattern.J_columns.size)
            factors.factorise(values, ask.ask(CONSTRAINT, self.t, self.q, self.v, self.v, pattern.G_columns.size))
            return factors.solve
        m = self.rows.size
        J, D, G = self.M, self.G.T, self.G
        if stage == "position":
            J, G = self.M + self.K @ self.T_all, self.G @ self.T_all
        elif stage == "acceleration" and self.ask.model.traits & (NONIDEAL | REACTS):
            D = self.ask.columns(self.t, self.q, self.v, self.lam)[:, self.rows]
        known = linalg.lu_factor(np.block([[J, D], [G, np.zeros((m, m))]]))
        return lambda right: np.asarray(linalg.lu_solve(known, right))

    @cached_property
    def T_all(self) -> FloatArray:
        """T as a matrix."""
        return self.move(self.T, np.eye(self.n)).T

    @cached_property
    def K(self) -> FloatArray:
        """∂(M d + Gᵀμ)/∂q."""
        return self.along_q(lambda q: self.moved(self.ask, q, self.d, self.mu), np.eye(self.n)).T

    def move(self, A: FloatArray, x: FloatArray) -> FloatArray:
        """A x, or T x."""
        out = x.copy()
        for k, first in enumerate(self.linear.rotations):
            out[:, first : first + 3] = x[:, first : first + 3] @ A[k].T
        return out

    def in_time(self, function: Callable[[float], FloatArray], at: FloatArray | None) -> FloatArray | float:
        """∂(function of t)/∂t δt, where the time of the start depends on parameters: δt in rows."""
        if at is None or not at.any():
            return 0.0
        return at * far_along(function, FAR / (OF_STEP * self.dt))

    def position(self, ask_by: AskBy, dq0: FloatArray, at: FloatArray | None = None) -> FloatArray:
        """δq of the start, along with its time."""
        if not self.q.size:
            return dq0
        was_moved = bool(np.any(self.d))
        moved = self.move(self.A, dq0) if was_moved else dq0
        if not self.rows.size:
            return moved
        m_phi, lower = self.system.m_phi, np.zeros((len(dq0), self.system.m))
        lower[:, self.rows] = (self.G @ moved.T).T
        lower[:, :m_phi] += ask_by(lambda ask: ask.position(self.t, self.q, self.v))
        lower[:, :m_phi] += self.in_time(lambda e: self.ask.position(self.t + e, self.q, self.v), at)
        lower[:, m_phi:] = 0.0
        upper = np.zeros_like(moved)
        if was_moved:
            upper = moved @ self.K.T + ask_by(lambda ask: self.moved(ask, self.q, self.d, self.mu))
        dd = self.solved("position", upper, lower)[:, : self.n]
        return moved + (dd @ self.T_all.T if was_moved else dd)

    def velocity(self, ask_by: AskBy, dq: FloatArray, dv0: FloatArray, at: FloatArray | None = None) -> FloatArray:
        """δv of the start, along with its time."""
        if not self.rows.size:
            return dv0
        jump = self.v - self.v0
        upper = -(self.M @ dv0.T).T
        if jump.any():
            upper = upper + self.along_q(lambda q: self.moved(self.ask, q, jump, self.sigma), dq)
            upper = upper + ask_by(lambda ask: self.moved(ask, self.q, jump, self.sigma))
        lower = self.along_q(lambda q: self.ask.velocity(self.t, q, self.v), dq)
        lower += ask_by(lambda ask: ask.velocity(self.t, self.q, self.v))
        lower += self.in_time(lambda e: self.ask.velocity(self.t + e, self.q, self.v), at)
        return self.solved("velocity", upper, lower)[:, : self.n]

    def balance_by(self, which: int, along: FloatArray) -> FloatArray:
        """∂balance/∂v or ∂balance/∂q (1, 2) along these rows, where the model knows them."""
        weights = (0.0, 1.0, 0.0) if which == 1 else (0.0, 0.0, 1.0)
        ask, n = self.sparse or self.ask, self.n
        pattern = None if self.sparse is None else self.sparse.model.sparsity
        size = n * n if pattern is None else pattern.J_columns.size
        values = ask.ask(JACOBIAN, self.t, self.q, self.v, self.a, size, self.lam, weights)
        if pattern is None:
            return np.asarray(along @ values.reshape(n, n).T)
        return np.asarray((sparse.csr_array((values, pattern.J_columns, pattern.J_starts), shape=(n, n)) @ along.T).T)

    def acceleration(self, ask_by: AskBy, dq: FloatArray, dv: FloatArray) -> tuple[FloatArray, FloatArray]:
        """δa and δλ of the start."""
        ask, t = self.ask, self.t

        def balance(ask: Questions, q: FloatArray, v: FloatArray) -> FloatArray:
            return ask.balance(t, q, v, self.a, self.lam)

        if self.linear.exact == 1:
            upper = self.balance_by(2, dq) + self.balance_by(1, dv)
        else:
            upper = self.along_q(lambda q: balance(ask, q, self.v), dq, of_forces)
            upper += self.along_v(lambda v: balance(ask, self.q, v), dv, of_forces)
        upper += ask_by(lambda other: balance(other, self.q, self.v))
        if not self.rows.size:
            none = np.zeros((len(dq), self.system.m))
            return self.solved("acceleration", upper, none), none
        lower = self.along_q(lambda q: ask.acceleration(t, q, self.v, self.a), dq)
        lower += self.along_v(lambda v: ask.acceleration(t, self.q, v, self.a), dv)
        lower += ask_by(lambda other: other.acceleration(t, self.q, self.v, self.a))
        found, lam = self.solved("acceleration", upper, lower), np.zeros((len(dq), self.system.m))
        lam[:, self.rows] = found[:, self.n :]
        return found[:, : self.n], lam

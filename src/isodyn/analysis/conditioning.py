"""Condition numbers of the matrix of a step, as printed and as this package scales it.

    J = [ J₁₁  W₁Gᵀ ]        J₁₁ = Ξ_C1 M + Ξ_C2 C_T + Ξ_C3 K_T                       [Shimada2014 (3.156a), (3.156b) adapted]
        [ J₂₁   0   ]        J₂₁ = Ξ^q G                                  index 3     [Shimada2014 (3.156c)]
                             J₂₁ = Ξ^q φ̇_q + Ξ^v G                        index 2     [Shimada2014 (3.156d)]
                             J₂₁ = Ξ^q φ̈_q + Ξ^v φ̈_v + Ξ^a (1 + φ) G      index 1     [Shimada2014 (3.156e)]

K_T = ∂balance/∂q (with ∂(Gᵀλ)/∂q) and C_T = ∂balance/∂v; closures of several levels add up with
their weights.

            a-form        v-form             d-form              what is solved for: Δa, Δv or Δq
    Ξ_C1    W₁Λ₆          W₁Λ₆/λ₅Δt          W₁Λ₆/λ₃Δt²          [Shimada2014 Table 2.4]
    Ξ_C2    W₂Λ₅Δt        W₂Λ₅/λ₅            W₂Λ₅/λ₃Δt
    Ξ_C3    W₃Λ₃Δt²       W₃Λ₃Δt/λ₅          W₃Λ₃/λ₃
    Ξ^q     λ₃Δt²         λ₃Δt/λ₅            1                   [Shimada2014 Table 3.1]
    Ξ^v     λ₅Δt          1                  λ₅/λ₃Δt
    Ξ^a     1             1/λ₅Δt             1/λ₃Δt²

Scaled: [J₁₁ Gᵀ; G 0], each closure row divided by its own dependence on Δa, multipliers at the
balance as unknowns; v- and d-form multiply the columns of the increment. With i the index and
f = 1, 2, 3 for a-, v-, d-form the unscaled condition grows like Δt^−(i+f−2) for small steps, the
scaled one like Δt^−(f−1), which a factorisation with row pivoting does not see; a-form, the default
of `integrate`, stays bounded. How it depends on masses is another matter: neither removes that.

The norm of the inverse is taken block by block [Shimada2014 (3.157)], so numbers beyond 1e16 are
right too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isodyn.errors import InputError
from isodyn.formulations import Formulation
from isodyn.kernels.compiled import FloatArray
from isodyn.linear_solvers.rows import choose
from isodyn.results.solution import Sample
from isodyn.schemes import Scheme
from isodyn.systems import System
from isodyn.systems.multiplier_forces import refuse_nonideal
from isodyn.systems.questions import Questions
from isodyn.systems.scales import pace, reach

_H = float(np.finfo(float).eps) ** (1 / 3)


@dataclass(frozen=True, eq=False)
class StepMatrix:
    """The matrix [J₁₁ J₁₂; J₂₁ 0] of one step, in blocks.

    Parameters
    ----------
    J_11, J_12, J_21
        The blocks.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum, scheme = iso.problems.get("pendulum").system(), iso.Scheme.optimal(0.5)
    >>> iso.analysis.step_matrix(pendulum, scheme, iso.PositionLevel(), 0.01).whole.shape
    (3, 3)
    """

    J_11: FloatArray
    J_12: FloatArray
    J_21: FloatArray

    @property
    def whole(self) -> FloatArray:
        """All blocks in one array."""
        m = self.J_21.shape[0]
        return np.block([[self.J_11, self.J_12], [self.J_21, np.zeros((m, m))]])

    def inverse(self) -> FloatArray:
        """Return the inverse by blocks, each accurate relative to its own size.

        Returns
        -------
        inverse
            The inverse, from S = J₂₁ J₁₁⁻¹ J₁₂.
        """
        inner = np.linalg.inv(self.J_11)
        S = np.linalg.inv(self.J_21 @ inner @ self.J_12)
        right, left = inner @ self.J_12, self.J_21 @ inner
        # [Shimada2014 (3.157)]
        return np.block([[inner - right @ S @ left, right @ S], [S @ left, -S]])

    def condition(self) -> float:
        """Return the condition number ‖J‖₂ ‖J⁻¹‖₂ [Shimada2014 (3.163)].

        Returns
        -------
        condition
            The number.
        """
        return float(np.linalg.norm(self.whole, 2) * np.linalg.norm(self.inverse(), 2))

    def equilibrated(self) -> StepMatrix:
        """Return the matrix with rows and columns scaled as well as possible.

        They are divided by the square roots of their largest entries until nothing changes.

        Returns
        -------
        matrix
            The scaled matrix.
        """
        n, A = self.J_11.shape[0], self.whole
        for _ in range(60):
            A = A / np.sqrt(np.outer(np.abs(A).max(axis=1), np.abs(A).max(axis=0)))
        return StepMatrix(A[:n, :n], A[:n, n:], A[n:, :n])


def condition_number(
    system: System,
    scheme: Scheme,
    formulation: Formulation,
    dt: float,
    *,
    form: int = 1,
    scaled: bool = False,
    state: Sample | None = None,
) -> float:
    """Return the condition number of the matrix of a step in the spectral norm.

    Parameters
    ----------
    system, scheme, formulation, dt
        As in `step_matrix`.
    form, scaled, state
        As in `step_matrix`.

    Returns
    -------
    condition
        The number.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.analysis import condition_number
    >>> import isodyn as iso
    >>> from isodyn import problems
    >>> pendulum, scheme = problems.get("pendulum").system(), iso.Scheme.optimal(0.5)
    >>> coarse, fine = (condition_number(pendulum, scheme, iso.PositionLevel(), dt) for dt in (1e-3, 1e-4))
    >>> round(float(np.log10(fine / coarse)), 1)
    2.0
    >>> condition_number(pendulum, scheme, iso.PositionLevel(), 1e-6, scaled=True) < 10.0
    True
    """
    return step_matrix(system, scheme, formulation, dt, form=form, scaled=scaled, state=state).condition()


def step_matrix(
    system: System,
    scheme: Scheme,
    formulation: Formulation,
    dt: float,
    *,
    form: int = 1,
    scaled: bool = False,
    state: Sample | None = None,
) -> StepMatrix:
    """Return the matrix of a step at a state.

    Parameters
    ----------
    system
        A mechanical system with holonomic constraints. An independent set of rows is taken.
    scheme
        An implicit member.
    formulation
        How the step closes: position, velocity or acceleration level, or another one with such a
        closure.
    dt
        Size of the step.
    form
        1 a-form, 2 v-form, 3 d-form, as in `Newton`.
    scaled
        As printed (False), or as this package forms it (True).
    state
        The state; the start of the system, with its accelerations and multipliers, if left out.

    Returns
    -------
    matrix
        The matrix in blocks.

    Raises
    ------
    InputError
        If the system or the formulation has no such matrix.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum, scheme = iso.problems.get("pendulum").system(), iso.Scheme.optimal(0.5)
    >>> iso.analysis.step_matrix(pendulum, scheme, iso.VelocityLevel(), 0.01).J_21.shape
    (1, 2)
    """
    _check(system, scheme, dt, form)
    tangents = Tangents.of(system, state)
    s, closure = scheme, formulation.closure(dt)
    if closure.at_balance:
        raise InputError(f"{formulation!r} closes at the balance; condition numbers are those of closures at t_{{n+1}}")
    increment = {1: 1.0, 2: s.l5 * dt, 3: s.l3 * dt**2}[form]  # of v or q per increment of a
    # [Shimada2014 Table 3.1]
    xi_a, xi_v, xi_q = (x / increment for x in (1.0, s.l5 * dt, s.l3 * dt**2))
    c = np.array([s.W1L6, s.W2L5 * dt, s.W3L3 * dt**2]) / increment  # [Shimada2014 Table 2.4]
    # [Shimada2014 (3.135) adapted]
    J_11 = c[0] * tangents.M + c[1] * tangents.C + c[2] * tangents.K
    G = tangents.G
    if scaled:
        return StepMatrix(J_11, G.T, G / increment)
    J_21 = closure.position * xi_q * G  # [Shimada2014 (3.137)]
    # [Shimada2014 (3.142)]
    J_21 = J_21 + closure.velocity * (xi_q * tangents.velocity_q + xi_v * G)
    J_21 = J_21 + closure.acceleration * (
        xi_q * tangents.acceleration_q + xi_v * tangents.acceleration_v + xi_a * (1.0 + s.phi) * G
    )  # [Shimada2014 (3.149)]
    return StepMatrix(J_11, s.W1 * G.T, J_21)  # [Shimada2014 (3.136)]


@dataclass(frozen=True, eq=False)
class Tangents:
    """Derivatives of balance and constraints at one state, from central differences."""

    M: FloatArray
    C: FloatArray
    K: FloatArray
    G: FloatArray
    velocity_q: FloatArray
    acceleration_q: FloatArray
    acceleration_v: FloatArray

    @staticmethod
    def of(system: System, state: Sample | None = None) -> Tangents:
        """At a state of the motion, or at the start."""
        ask = Questions(system)
        time, q, v, a, lam = start(system, ask) if state is None else state
        t, move = float(time), system.retract or (lambda q, d: q + d)
        rows = choose(ask.G(t, q, v) * ask.system.scales.v).chosen
        sizes, beat = (
            system.scales.v,
            max(1.0 if not (v.any() or a.any()) else 0.0, pace(system, v), float(np.sqrt(pace(system, a)))),
        )
        h_q, h_v = _H * reach(system, q), _H * beat

        def along(function: Callable[[FloatArray], FloatArray], h: float) -> FloatArray:
            columns = [
                (function(h * s * e) - function(-h * s * e)) / (2 * h * s)
                for s, e in zip(sizes, np.eye(system.nv), strict=True)
            ]
            return np.column_stack(columns)

        return Tangents(
            M=along(lambda d: ask.balance(t, q, v, a + d, lam), beat**2),
            C=along(lambda d: ask.balance(t, q, v + d, a, lam), h_v),
            K=along(lambda d: ask.balance(t, move(q, d), v, a, lam), h_q),
            G=ask.G(t, q, v)[rows],
            velocity_q=along(lambda d: ask.velocity(t, move(q, d), v), h_q)[rows],
            acceleration_q=along(lambda d: ask.acceleration(t, move(q, d), v, a), h_q)[rows],
            acceleration_v=along(lambda d: ask.acceleration(t, q, v + d, a), h_v)[rows],
        )


def start(system: System, ask: Questions) -> Sample:
    """The initial state with the a and λ that belong to it."""
    t, q, v, rest = np.zeros(()), system.q0, system.v0, np.zeros(system.nv)
    force, n = -ask.balance(0.0, q, v, rest), system.nv
    M = np.column_stack([ask.balance(0.0, q, v, e) + force for e in np.eye(n)])
    G, minus_b = ask.G(0.0, q, v), ask.acceleration(0.0, q, v, rest)
    free = np.linalg.solve(M, np.column_stack([force, G.T]))
    lam = np.asarray(np.linalg.lstsq(G @ free[:, 1:], G @ free[:, 0] + minus_b, rcond=None)[0], dtype=np.float64)
    return Sample(t, q, v, np.asarray(free[:, 0] - free[:, 1:] @ lam, dtype=np.float64), lam)


def _check(system: System, scheme: Scheme, dt: float, form: int) -> None:
    if system.first_order or system.m == 0 or system.m != system.m_phi:
        raise InputError("the matrix of a step needs a mechanical system with holonomic constraints only")
    refuse_nonideal(system, "the matrix of a step")
    if scheme.l3 == 0.0 and form == 3:
        raise InputError(f"d-form needs q at the end of the step to depend on Δa, which {scheme.name} does not have")
    if form not in (1, 2, 3):
        raise InputError(f"form must be 1 (a-form), 2 (v-form) or 3 (d-form), received {form!r}")
    if not dt > 0.0:
        raise InputError(f"dt must be positive, received {dt!r}")

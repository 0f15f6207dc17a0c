"""Formulations: how constraints enter a step. Frozen policies; coefficients and physics are
elsewhere.

A step is closed at t_{n+1} by γ₁φ + γ₂φ̇ + γ₃φ̈ = 0 [Shimada2014 (3.201)], one multiplier per row
at the balance:

    position level (index 3)       (1, 0, 0)
    velocity level (index 2)       (0, 1, 0)
    acceleration level (index 1)   (0, 0, 1)
    Baumgarte                      (β², 2α, 1)                [Shimada2014 (3.182)]

The others keep more than one level, by corrections of q_{n+1} and v_{n+1} in the range of S⁻¹Gᵀ:

    stabilised      φ̇ = 0 closes; a correction of q_{n+1} keeps φ = 0
    GGL             the same with q̇ = v − S⁻¹Gᵀμ, so that the correction counts at the balance too [Shimada2014 (3.93) adapted]
    overdetermined  φ̈ = 0 closes; corrections of q_{n+1} and v_{n+1} keep φ = 0 and φ̇ = 0
    [Shimada2014 (3.99) adapted]
    null space      φ = 0 closes; multipliers are eliminated from the balance instead of solved for
    projection      φ̈ = 0 closes; q_{n+1} and v_{n+1} are then projected in the mass norm [Shimada2014 (3.186)–(3.191)]

Nonholonomic rows close at velocity level in all of these. At the balance instead of t_{n+1} close

    Udwadia–Kalaba, null space     φ̈ + 2αφ̇ + β²φ = 0,  ψ̇ + 2αψ = 0     Gauss' principle (isodyn.formulations.gauss)
    penalty                        φ̈ + γω φ̇ + ω²φ = p λ                 springs, dampers and masses of weight 1/p [Shimada2014 (3.199)]
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from isodyn.errors import InputError, StabilityWarning
from isodyn.formulations.closure import Closure, InBalance, Where
from isodyn.formulations.protocol import Facts, Formulation, formulation
from isodyn.real_numbers import FloatArray, real_array
from isodyn.systems import checks
from isodyn.systems.base import System

MOST_ITERATIONS = 20  # of a projection


@formulation("stabilised", "stabilized")
@dataclass(frozen=True)
class Stabilised(Formulation):
    """Keep φ = 0 and φ̇ = 0 at every t_n, with second order in q, v, a and λ; the default.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.Stabilised(), dt=0.01, t_end=0.1)
    >>> drift = sol.drift()
    >>> bool(max(drift.position.max(), drift.velocity.max()) < 1e-12)
    True
    """

    facts: ClassVar[Facts] = Facts("φ, φ̇", (2, 2, 2, 2), remark="default")

    def closure(self, dt: float) -> Closure:
        return Closure(velocity=1.0, keep_position=True)


@formulation("position", "position-level")
@dataclass(frozen=True)
class PositionLevel(Formulation):
    """Keep φ = 0 at every t_n (index 3).

    Accelerations and multipliers have an alternating part of first order. In the constrained
    direction U0 members damp it by ρmin, ρmax a step, and are second order when it has faded. V0
    members and those with ρmax = 1 have the root −1 and keep it
    (`isodyn.analysis.position_level_roots`). A warning says so.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.PositionLevel().closure(0.01).position
    1.0
    """

    facts: ClassVar[Facts] = Facts(
        "φ",
        (2, 2, 1, 1),
        explicit=False,
        alternates=True,
        nonideal=False,
        remark="a, λ: U0 with ρmax < 1 is second order after the transient; V0 and ρmax = 1 alternate undamped",
    )

    def first_closure(self, dt: float) -> Closure | None:
        return Stabilised().closure(dt)  # the multipliers start without an alternating part

    def closure(self, dt: float) -> Closure:
        return Closure(position=1.0)


@formulation("velocity", "velocity-level")
@dataclass(frozen=True)
class VelocityLevel(Formulation):
    """Keep φ̇ = 0 at every t_n (index 2); φ drifts linearly in time.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.VelocityLevel(), dt=0.01, t_end=0.1)
    >>> bool(sol.drift().velocity.max() < 1e-12)
    True
    """

    facts: ClassVar[Facts] = Facts("φ̇", (2, 2, 2, 2), first_order=True, remark="φ drifts")

    def closure(self, dt: float) -> Closure:
        return Closure(velocity=1.0)


@formulation("acceleration", "acceleration-level")
@dataclass(frozen=True)
class AccelerationLevel(Formulation):
    """Keep φ̈ = 0 at every t_n (index 1); φ̇ drifts linearly in time, φ quadratically.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.AccelerationLevel(), dt=0.01, t_end=0.1)
    >>> bool(sol.drift().acceleration.max() < 1e-12)
    True
    """

    facts: ClassVar[Facts] = Facts("φ̈", (2, 2, 2, 2), first_order=True, remark="φ and φ̇ drift")

    def closure(self, dt: float) -> Closure:
        return Closure(acceleration=1.0)


@formulation("baumgarte")
@dataclass(frozen=True)
class Baumgarte(Formulation):
    """Keep φ̈ + 2αφ̇ + β²φ = 0 at every t_n.

    Parameters
    ----------
    alpha
        α; 1/Δt if left out.
    beta
        β; √2/Δt if left out.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.Baumgarte(20.0, 20.0), dt=0.01, t_end=0.1)
    >>> bool(sol.drift().position.max() < 1e-3)
    True
    """

    facts: ClassVar[Facts] = Facts(
        "",
        (2, 2, 1, 1),
        first_order=True,
        remark="gains 1/Δt: first order in a, λ in about ten steps after the start only;"
        " second order throughout with gains that do not grow",
    )

    alpha: float | None = None
    beta: float | None = None

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InputError(
                    f"{name} must be positive, received {value!r}", hint="negative gains make the drift grow"
                )

    def first_order_closure(self, dt: float) -> Closure:
        alpha = 1.0 / dt if self.alpha is None else float(self.alpha)
        # the derivative of a constraint of index 2, with Baumgarte's term [Shimada2014 (3.205)]
        return Closure(velocity=alpha, acceleration=1.0)

    def closure(self, dt: float) -> Closure:
        alpha = 1.0 / dt if self.alpha is None else float(self.alpha)
        beta = math.sqrt(2.0) / dt if self.beta is None else float(self.beta)
        if max(alpha, beta) * dt > 2.0:
            warnings.warn(
                f"Baumgarte's gains are stiff for this step: alpha dt = {alpha * dt:.3g}, beta dt = {beta * dt:.3g}\n"
                "hint: alpha = 1/dt, beta = sqrt(2)/dt are the usual choice",
                StabilityWarning,
                stacklevel=2,
            )
        return Closure(acceleration=1.0, velocity=2.0 * alpha, position=beta * beta)


@formulation("projection")
@dataclass(frozen=True)
class Projection(Formulation):
    """Keep φ̈ = 0, then project q and v onto the constraints in the mass norm.

    Parameters
    ----------
    acceleration
        Project a too.
    iterations
        Most iterations onto φ = 0, from 1 to 20; left out: until they converge. With 1 the cost of
        a step is known beforehand, for real time: one matrix serves q and v, and φ stays open by
        what Newton's first iteration leaves, O(Δt⁶), without growth in time.

    Raises
    ------
    InputError
        If `iterations` is not a whole number from 1 to 20.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.Projection(), dt=0.01, t_end=0.1)
    >>> bool(sol.drift().velocity.max() < 1e-9)
    True
    >>> sol = iso.integrate(pendulum, formulation=iso.Projection(iterations=1), dt=0.01, t_end=0.1)
    >>> sol.stats.projections, bool(sol.drift().position.max() < 1e-10)
    (10, True)
    """

    facts: ClassVar[tuple[Facts, ...]] = (
        Facts("φ, φ̇", (2, 2, 2, 2), settings=(("iterations", (None,)),)),
        Facts(
            "φ̇",
            (2, 2, 2, 2),
            remark="one matrix a step for the projection; φ = O(Δt⁶), without growth",
            settings=(("iterations", tuple(range(1, MOST_ITERATIONS + 1))),),
        ),
    )

    acceleration: bool = False
    iterations: int | None = None

    def __post_init__(self) -> None:
        if self.iterations is None:
            return
        if self.iterations not in range(1, MOST_ITERATIONS + 1):
            raise InputError(
                f"iterations must be a whole number from 1 to {MOST_ITERATIONS}, received {self.iterations!r}",
                hint="leave it out for a projection that converges",
            )
        object.__setattr__(self, "iterations", int(self.iterations))

    def closure(self, dt: float) -> Closure:
        # [Shimada2014 Remark 3.4.4]: one iteration does for real time
        return Closure(acceleration=1.0, project=3 if self.acceleration else 2, project_iterations=self.iterations or 0)


@formulation("overdetermined")
@dataclass(frozen=True)
class Overdetermined(Formulation):
    """Keep φ = 0, φ̇ = 0 and φ̈ = 0 at every t_n.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.Overdetermined(), dt=0.01, t_end=0.1)
    >>> drift = sol.drift()
    >>> bool(max(drift.position.max(), drift.velocity.max(), drift.acceleration.max()) < 1e-9)
    True
    """

    facts: ClassVar[Facts] = Facts("φ, φ̇, φ̈", (2, 2, 2, 2))

    def closure(self, dt: float) -> Closure:
        return Closure(acceleration=1.0, keep_position=True, keep_velocity=True)


@formulation("ggl")
@dataclass(frozen=True)
class GGL(Formulation):
    """Keep φ = 0 and φ̇ = 0 by the method of Gear, Gupta and Leimkuhler.

    It has a second multiplier μ, continuous in time, in S q̇ = S v − Gᵀμ.

    Parameters
    ----------
    S
        Constant symmetric, positive definite matrix. If it is left out, it is the (1,1) block of
        the matrix of the step, which is the mass matrix if forces do not depend on the state.

    Raises
    ------
    InputError
        If `S` is not symmetric and positive definite.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.GGL(), dt=0.01, t_end=0.1)
    >>> bool(sol.drift().position.max() < 1e-12)
    True
    """

    facts: ClassVar[Facts] = Facts("φ, φ̇", (2, 2, 2, 2))

    S: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.S is None:
            return
        S = real_array("S", self.S, "a symmetric, positive definite matrix")
        if (
            S.ndim != 2
            or not np.isfinite(S).all()
            or S.shape[0] != S.shape[1]
            or not np.allclose(S, S.T)
            or np.linalg.eigvalsh(S).min() <= 0
        ):
            raise InputError(f"S must be symmetric and positive definite, received an array of shape {S.shape}")
        object.__setattr__(self, "S", tuple(tuple(row) for row in S.tolist()))

    def scaling(self, system: System) -> FloatArray | None:
        return None if self.S is None else checks.square("S", self.S, system.nv)

    def closure(self, dt: float) -> Closure:
        own = InBalance.STEP if self.S is None else InBalance.MATRIX
        return Closure(velocity=1.0, keep_position=True, in_balance=own)


@formulation("penalty")
@dataclass(frozen=True)
class Penalty(Formulation):
    """Replace constraints by springs, dampers and masses; not exact for p > 0.

    (M + GᵀWG) a = Q − GᵀW (−b + γω φ̇ + ω² φ) with W = 1/p. The forces λ = W (φ̈ + γω φ̇ + ω² φ)
    are unknowns of their own, so that small p do not spoil the matrix. All redundant rows act, and
    share the force.

    Parameters
    ----------
    p
        Compliance: the weight of the constraints is 1/p.
    omega
        Frequency of the springs.
    gamma
        Damping, as a factor of `omega`.

    Raises
    ------
    InputError
        If a number is not positive; `gamma` may be 0.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.Penalty(p=1e-7), dt=0.01, t_end=0.1)
    >>> bool(sol.drift().position.max() < 1e-4)
    True
    """

    facts: ClassVar[Facts] = Facts(
        nonholonomic=False, constraints_only=True, remark="converges to the penalised motion"
    )

    p: float = 1e-5
    omega: float = 10.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        for name in ("p", "omega", "gamma"):
            value = getattr(self, name)
            if not (math.isfinite(value) and (value > 0 or (name == "gamma" and value == 0))):
                raise InputError(f"{name} must be positive, received {value!r}")

    def closure(self, dt: float) -> Closure:
        g1, g2 = float(self.omega**2), float(self.gamma * self.omega)  # [Shimada2014 (3.199)]
        return Closure(g1, g2, 1.0, where=Where.BALANCE, compliance=float(self.p))

"""A rigid body in rotation parameters: the same motion with three mass matrices
[Fumagalli2009 App. 2].

Newton and Euler in the world frame, x the centre of mass, ω the angular velocity, J = R J_body Rᵀ,

    m ẍ = f,     J ω̇ + ω × Jω = τ                                             [Fumagalli2009 (61)]

and parameters g with ω = Γ(g) ġ, here the angles of R = R_z(φ) R_x(θ) R_z(ψ), g = (φ, θ, ψ). A
point s of the body is held: x + R s = const, so A = [I, −(Rs)×] and b = −ω × (ω × Rs) in (ẍ, ω̇).
With X = diag(I, Γ), γ = (0, −Γ⁻¹Γ̇ġ), A* = A X, b* = b + A*γ:

    ω-form           M = diag(m I, J),        Q,                 A ẍ = b          unknown (ẍ, ω̇)
    non-symmetric    M* = diag(m I, J Γ),     Q + M*γ,           A* ẍ* = b*       test rows A, unknown (ẍ, g̈)
    symmetric        XᵀM*,                    Xᵀ(Q + M*γ),       A* ẍ* = b*       test rows A*

The angles are singular at sin θ = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError, SingularError
from isodyn.gauss.acceleration import solve
from isodyn.gauss.result import Result
from isodyn.gauss.trials import trial_variables
from isodyn.linear_solvers.rank import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

Form = Literal["omega", "non-symmetric", "symmetric"]


def cross(a: Numbers) -> FloatArray:
    """a×, the matrix of the cross product."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def rotation(g: Numbers) -> FloatArray:
    """R, body to world, of the angles (φ, θ, ψ) about the axes 3, 1, 3 [Fumagalli2009 (62a)]."""
    (a, b, c), (s, t, u) = np.cos(g), np.sin(g)
    return np.array(
        [
            [a * c - s * b * u, -a * u - s * b * c, s * t],
            [s * c + a * b * u, -s * u + a * b * c, -a * t],
            [t * u, t * c, b],
        ]
    )


def rate_matrix(g: Numbers) -> FloatArray:
    """Γ with ω = Γ ġ in the world frame [Fumagalli2009 (62b)]."""
    (a, b, _), (s, t, _) = np.cos(g), np.sin(g)
    return np.array([[0.0, a, s * t], [0.0, s, -a * t], [1.0, 0.0, b]])


def rate_derivative(g: Numbers, dg: Numbers) -> FloatArray:
    """Γ̇ ġ."""
    (a, b, _), (s, t, _) = np.cos(g), np.sin(g)
    p, q, r = dg
    return np.array([-s * p * q + (a * t * p + s * b * q) * r, a * p * q + (s * t * p - a * b * q) * r, -t * q * r])


@dataclass(frozen=True, eq=False)
class RigidBody:
    """Mass, inertia about the centre of mass in body axes, and the point of the body that is held,
    if any (from the centre)."""

    mass: float
    inertia: Numbers
    pivot: Numbers | None = None

    def __post_init__(self) -> None:
        J = np.asarray(self.inertia, dtype=np.float64)
        if J.shape != (3, 3) or not np.allclose(J, J.T) or np.linalg.eigvalsh(J)[0] <= 0 or not self.mass > 0:
            raise InputError("a rigid body needs a positive mass and a symmetric positive definite inertia (3, 3)")
        object.__setattr__(self, "inertia", J)

    def newton_euler(
        self, R: FloatArray, omega: FloatArray, force: ArrayLike, torque: ArrayLike
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """M, Q, A, b in (ẍ, ω̇); force and torque about the centre of mass in the world frame."""
        J = R @ self.inertia @ R.T
        M = np.zeros((6, 6))
        M[:3, :3], M[3:, 3:] = self.mass * np.eye(3), J  # [Fumagalli2009 (66)]
        Q = np.concatenate([force, torque - np.cross(omega, J @ omega)])
        if self.pivot is None:
            return M, Q, np.zeros((0, 6)), np.zeros(0)
        arm = R @ np.asarray(self.pivot, dtype=np.float64)
        A = np.concatenate([np.eye(3), -cross(arm)], axis=1)
        return M, Q, A, -np.cross(omega, np.cross(omega, arm))

    def acceleration(
        self,
        g: ArrayLike,
        dg: ArrayLike,
        force: Numbers,
        torque: Numbers,
        form: Form = "non-symmetric",
        *,
        as_printed: bool = False,
    ) -> Result:
        """(ẍ, g̈), or (ẍ, ω̇) in the ω-form. `as_printed` leaves b in the place of b*, which is
        wrong where a point is held."""
        g, dg = np.asarray(g, dtype=np.float64), np.asarray(dg, dtype=np.float64)
        Gamma = rate_matrix(g)
        M, Q, A, b = self.newton_euler(rotation(g), Gamma @ dg, force, torque)
        if form == "omega":
            return solve(M, Q, A, b)
        if abs(np.sin(g[1])) < 1e-8:
            raise SingularError(f"the angles are singular at sin θ = 0, received θ = {g[1]:g}", hint="use the ω-form")
        X = np.eye(6)
        X[3:, 3:] = Gamma  # [Fumagalli2009 (67)]
        gamma = np.concatenate([np.zeros(3), -np.linalg.solve(Gamma, rate_derivative(g, dg))])
        M_star, A_star = M @ X, A @ X
        Q_star, b_star = trial_variables(M_star, Q, A_star, b, gamma)  # [Fumagalli2009 (64)]
        if as_printed:
            b_star = b
        if form == "symmetric":
            return solve(X.T @ M_star, X.T @ Q_star, A_star, b_star)  # [Fumagalli2009 (68)]
        if form != "non-symmetric":
            raise InputError(f"form must be 'omega', 'non-symmetric' or 'symmetric', received {form!r}")
        # [Fumagalli2009 (60) adapted]
        return solve(M_star, Q_star, A, b_star, "non-symmetric", A_star=A_star)

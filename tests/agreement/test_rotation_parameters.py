"""A rigid body in angles with three mass matrices against quaternions, free and with a fixed
point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from isodyn.errors import InputError, SingularError
from isodyn.gauss.rotation_parameters import RigidBody, cross, rate_derivative, rate_matrix, rotation
from isodyn.kernels.compiled import FloatArray

MASS = 1.3
INERTIA = np.array([[0.9, 0.1, -0.05], [0.1, 0.7, 0.08], [-0.05, 0.08, 0.5]])
PIVOT = np.array([0.2, -0.1, 0.4])
G0, RATE0 = np.array([0.3, 1.1, -0.7]), np.array([0.9, -0.4, 1.6])
OPTIONS: dict[str, Any] = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13}
T_END = 1.0


def loads(t: float) -> tuple[FloatArray, FloatArray]:
    """Gravity, a varying force and a varying moment, in the world frame."""
    force = MASS * np.array([0.0, 0.0, -9.81]) + np.array([np.sin(2 * t), 0.7 * np.cos(3 * t), 0.4])
    return force, np.array([0.3 * np.cos(t), -0.2, 0.5 * np.sin(4 * t)])


def start(body: RigidBody) -> tuple[FloatArray, FloatArray]:
    """x and ẋ: the pivot, if there is one, rests in the origin."""
    if body.pivot is None:
        return np.array([0.1, 0.2, 0.3]), np.array([0.5, -0.3, 0.2])
    arm = rotation(G0) @ body.pivot
    return -arm, -np.cross(rate_matrix(G0) @ RATE0, arm)


def in_angles(body: RigidBody, form: Any, *, as_printed: bool = False) -> tuple[FloatArray, FloatArray]:
    """R and x at the end of the run in (x, g)."""
    x0, v0 = start(body)

    def rhs(t: float, y: FloatArray) -> FloatArray:
        a = body.acceleration(y[3:6], y[9:], *loads(t), form, as_printed=as_printed).a
        return np.concatenate([y[6:], a])

    y = solve_ivp(rhs, (0.0, T_END), np.concatenate([x0, G0, v0, RATE0]), **OPTIONS).y[:, -1]
    return rotation(y[3:6]), y[:3]


def in_quaternions(body: RigidBody) -> tuple[FloatArray, FloatArray]:
    """The reference: Euler's equations in the body frame and a quaternion; a fixed point by the
    moment about it."""
    x0, v0 = start(body)
    R0 = rotation(G0)
    q0, w0 = Rotation.from_matrix(R0).as_quat(scalar_first=True), R0.T @ (rate_matrix(G0) @ RATE0)
    # centre of mass seen from the pivot
    s = np.zeros(3) if body.pivot is None else -np.asarray(body.pivot)
    J = INERTIA + (0.0 if body.pivot is None else MASS) * ((s @ s) * np.eye(3) - np.outer(s, s))

    def rhs(t: float, y: FloatArray) -> FloatArray:
        q, w = y[3:7], y[10:]
        R = Rotation.from_quat(q, scalar_first=True).as_matrix()
        force, torque = loads(t)
        moment = R.T @ torque + (np.cross(s, R.T @ force) if body.pivot is not None else 0.0)
        dw = np.linalg.solve(J, moment - np.cross(w, J @ w))
        dq = 0.5 * np.concatenate([[-q[1:] @ w], q[0] * w + np.cross(q[1:], w)])
        dv = force / MASS if body.pivot is None else R @ (np.cross(dw, s) + np.cross(w, np.cross(w, s)))
        return np.concatenate([y[7:10], dq, dv, dw])

    y = solve_ivp(rhs, (0.0, T_END), np.concatenate([x0, q0, v0, w0]), **OPTIONS).y[:, -1]
    return Rotation.from_quat(y[3:7], scalar_first=True).as_matrix(), y[:3]


def in_omega(body: RigidBody) -> tuple[FloatArray, FloatArray]:
    """ω-form: (ẍ, ω̇) from Gauss' principle, angles from Γ⁻¹ω."""
    x0, v0 = start(body)

    def rhs(t: float, y: FloatArray) -> FloatArray:
        g, w = y[3:6], y[9:]
        dg = np.linalg.solve(rate_matrix(g), w)
        a = body.acceleration(g, dg, *loads(t), "omega").a
        return np.concatenate([y[6:9], dg, a])

    y = solve_ivp(rhs, (0.0, T_END), np.concatenate([x0, G0, v0, rate_matrix(G0) @ RATE0]), **OPTIONS).y[:, -1]
    return rotation(y[3:6]), y[:3]


# ---- the parts


def test_rotation_and_rates_by_complex_step() -> None:
    """R is a rotation, Ṙ = (Γġ)× R, and Γ̇ġ is the derivative of Γ along ġ."""
    rng = np.random.default_rng(3)
    for g, dg in rng.normal(size=(20, 2, 3)):
        R = rotation(g)
        assert np.abs(R @ R.T - np.eye(3)).max() < 1e-15
        assert np.abs(R - Rotation.from_euler("ZXZ", g).as_matrix()).max() < 1e-15
        e = 1e-30j
        assert np.abs(rotation(g + e * dg).imag / 1e-30 - cross(rate_matrix(g) @ dg) @ R).max() < 1e-14
        assert np.abs(rate_matrix(g + e * dg).imag / 1e-30 @ dg - rate_derivative(g, dg)).max() < 1e-14


@pytest.mark.parametrize("pivot", [None, PIVOT], ids=["free", "pivot"])
def test_three_forms_agree_at_one_instant(pivot: Any) -> None:
    """ω̇ = Γg̈ + Γ̇ġ and the same reaction, to rounding; the mass of (64) is not symmetric, that of
    (68) is."""
    body = RigidBody(MASS, INERTIA, pivot)
    omega = body.acceleration(G0, RATE0, *loads(0.3), "omega")
    for form in ("non-symmetric", "symmetric"):
        found = body.acceleration(G0, RATE0, *loads(0.3), form)
        spin = rate_matrix(G0) @ found.a[3:] + rate_derivative(G0, RATE0)
        assert np.abs(np.concatenate([found.a[:3], spin]) - omega.a).max() < 1e-13
        assert np.abs(found.lam - omega.lam).max(initial=0.0) < 1e-12
    R = rotation(G0)
    M = R @ INERTIA @ R.T @ rate_matrix(G0)
    assert np.abs(M - M.T).max() > 0.1


# ---- motions


@pytest.mark.parametrize("pivot", [None, PIVOT], ids=["free", "pivot"])
def test_the_same_motion_with_all_three(pivot: Any) -> None:
    """R and x after one second within 1e-10 of the quaternions, the pivot within 1e-11 of its
    place."""
    body = RigidBody(MASS, INERTIA, pivot)
    R_ref, x_ref = in_quaternions(body)
    for R, x in (in_angles(body, "non-symmetric"), in_angles(body, "symmetric"), in_omega(body)):
        assert np.abs(R - R_ref).max() < 1e-10
        assert np.abs(x - x_ref).max() < 1e-10
        if pivot is not None:
            assert np.abs(x + R @ pivot).max() < 1e-11


def test_the_printed_form_loses_the_pivot() -> None:
    """(60) with b in the place of b*: right for the free body, far off for the one that is held."""
    free = RigidBody(MASS, INERTIA)
    R, _ = in_angles(free, "non-symmetric", as_printed=True)
    assert np.abs(R - in_quaternions(free)[0]).max() < 1e-10
    held = RigidBody(MASS, INERTIA, PIVOT)
    R, x = in_angles(held, "non-symmetric", as_printed=True)
    assert np.abs(x + R @ PIVOT).max() > 0.05
    assert np.abs(R - in_quaternions(held)[0]).max() > 0.05


def test_bad_bodies_and_singular_angles() -> None:
    """Typed errors."""
    with pytest.raises(InputError, match="symmetric positive definite inertia"):
        RigidBody(1.0, -np.eye(3))
    with pytest.raises(SingularError, match="singular at sin θ = 0"):
        RigidBody(1.0, np.eye(3)).acceleration([0.1, 0.0, 0.2], RATE0, *loads(0.0))
    with pytest.raises(InputError, match="form must be"):
        RigidBody(1.0, np.eye(3)).acceleration(G0, RATE0, *loads(0.0), "other")  # type: ignore[arg-type]

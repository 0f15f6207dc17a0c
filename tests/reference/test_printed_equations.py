"""Printed equations that do not hold beside those that do, where no other test says it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.bodies.exponential import tilde
from isodyn.systems.questions import Questions

pytestmark = pytest.mark.filterwarnings("ignore:no joint and no spring holds")


def test_sign_of_4_32() -> None:
    """(λ₅ − λ₄)/λ₅ of GS4-2, λ₄ = 1: the opposite of the printed fraction."""
    assert iso.Scheme.U0(1.0, 1.0, 1.0).l5 == pytest.approx(0.5)
    for low, high, s in ((0.4, 0.7, 0.3), (0.9, 1.0, 0.0), (0.0, 0.5, 0.0)):
        member = iso.Scheme.U0(low, high, s)
        printed = (-1 + low + high + 3 * low * high) / (3 + low + high - low * high)
        assert (member.l5 - 1.0) / member.l5 == pytest.approx(-printed, rel=1e-12)


def test_motion_under_a_sine_of_4_36() -> None:
    """q of the split oscillator for f₁ = f₂ = sin t."""
    m, k, q0, v0 = 2.0, 18.0, 0.3, -0.4
    w, A, h = np.sqrt(k / m), 2.0 / (k - m), 1e-4
    t = np.linspace(0.0, 3.0, 7)

    def q(t):  # type: ignore[no-untyped-def]
        return q0 * np.cos(w * t) + (v0 - A) / w * np.sin(w * t) + A * np.sin(t)

    acceleration = (q(t + h) - 2 * q(t) + q(t - h)) / h**2
    np.testing.assert_allclose(m * acceleration + k * q(t), 2 * np.sin(t), atol=1e-5)
    assert q(0.0) == pytest.approx(q0)


def test_third_order_of_5_95() -> None:
    """A_n(Δφ) = 1 − Δφ n~ + ½Δφ² n~n~ + ⅙Δφ³ n~: the last with a plus sign and without n nᵀ."""
    n = np.array([0.6, 0.0, 0.8])
    x = 1e-3
    A = Rotation.from_rotvec(-x * n).as_matrix()
    left = (A - np.eye(3) + x * tilde(n) - 0.5 * x**2 * tilde(n) @ tilde(n)) / x**3
    np.testing.assert_allclose(left, tilde(n) / 6, atol=1e-3)


def test_slide_of_a_prismatic_pair_6_76() -> None:
    """Along axis 1 of the pair it is zero, along axis 3 it is the slide."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6)
    mech.add_body("block", 1.0, (1, 1, 1), (0.3, 0.1, 0.2), velocity=0.7 * axis)
    mech.add_joint(iso.Prismatic("slide", "ground", "block", axis=axis))
    sol = iso.integrate(mech, dt=0.1, t_end=1.0)
    pair = sol.system.joints["slide"].pair
    way = sol.body("block").position[-1] - sol.body("block").position[0]
    assert pair.a[0] @ way == pytest.approx(0.0, abs=1e-12)
    assert pair.a[2] @ way == pytest.approx(0.7)
    assert sol.joint("slide").displacement[-1] == pytest.approx(0.7)


def test_rows_of_a_screw_6_85() -> None:
    """Five rows of rank five leave an advance of the pitch per radian; a hinge, as printed, none."""
    mech = iso.Mechanism()
    mech.add_body("nut", 1.0, (1, 1, 1), (0, 0, 0))
    mech.add_joint(iso.Screw("thread", "ground", "nut", pitch=0.25, axis=(0, 0, 1)))
    system = mech.compile()
    G = Questions(system).G(0.0, system.q0, system.v0)
    assert np.linalg.matrix_rank(G) == 5
    free = np.linalg.svd(G)[2][-1]
    assert free[2] / free[5] == pytest.approx(0.25)


def test_two_roots_of_6_41() -> None:
    """sin(θ − α) is zero at α + π as well; a drive goes on to where it is told."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("arm", 1.0, (1, 1, 1))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("motor", "pin", iso.Polynomial(0, 4.0)))
    sol = iso.kinematics(mech.compile(), np.linspace(0, 2, 41))
    assert sol.joint("pin").angle[-1] == pytest.approx(8.0)
    assert np.sin(sol.joint("pin").angle[-1] + np.pi - 8.0) == pytest.approx(0.0, abs=1e-9)


def test_norm_of_a_product() -> None:
    """‖AB‖ ≤ ‖A‖ + ‖B‖ fails, ‖AB‖ ≤ ‖A‖‖B‖ does not."""
    A = 5.0 * np.eye(2)
    assert np.linalg.norm(A @ A, 2) > 2 * np.linalg.norm(A, 2)
    rng = np.random.default_rng(1)
    for _ in range(20):
        X, Y = rng.normal(size=(2, 3, 3))
        assert np.linalg.norm(X @ Y, 2) <= np.linalg.norm(X, 2) * np.linalg.norm(Y, 2) + 1e-12

"""Rate maps of all parametrisations of a rotation against differences; conversions there and back,
half turns included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from isodyn.bodies import exponential, rotations
from isodyn.bodies.angles import BRYANT_123, CARDAN_321, EULER_313, AngleSet
from isodyn.errors import InputError, SingularError, SingularityWarning

SETS = [EULER_313, CARDAN_321, BRYANT_123]
SCIPY = {"3-1-3": "ZXZ", "3-2-1": "ZYX", "1-2-3": "XYZ"}
OTHERS = [AngleSet("1-2-1", (0, 1, 0), ("a", "b", "c")), AngleSet("2-1-3", (1, 0, 2), ("a", "b", "c"))]
WEIGHTS = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)  # eighth order
H = 2e-3
rng = np.random.default_rng(7)


def slope(f: Any) -> Any:
    return sum(w * f((k - 4) * H) for k, w in enumerate(WEIGHTS)) / H


def random_quaternions(n: int) -> Any:
    e = rng.normal(size=(n, 4))
    return e / np.linalg.norm(e, axis=1, keepdims=True)


def vee(W: Any) -> Any:
    return np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)


# ---- angles


@pytest.mark.parametrize("kind", [*SETS, *OTHERS], ids=lambda s: s.name)
def test_angles_there_and_back(kind: AngleSet) -> None:
    """Random rotations and half turns about random axes, vectorised; matrices as SciPy has them."""
    axes = rng.normal(size=(50, 3))
    e = np.concatenate([random_quaternions(200), rotations.from_axis_angle(axes, np.full(50, np.pi))])
    x = kind.angles(e)
    assert x.shape == (250, 3)
    np.testing.assert_allclose(kind.matrix(x), rotations.matrix(e), atol=1e-14)
    scipy_name = SCIPY.get(kind.name, "".join("XYZ"[i] for i in kind.axes))
    np.testing.assert_allclose(kind.matrix(x), Rotation.from_euler(scipy_name, x).as_matrix(), atol=1e-14)
    np.testing.assert_allclose(x, Rotation.from_quat(np.roll(e, -1, 1)).as_euler(scipy_name), atol=1e-9)
    np.testing.assert_allclose(kind.angles(kind.matrix(x)), x, atol=1e-9)
    np.testing.assert_allclose(kind.angles(rotations.rotation(e[0])), x[0], atol=1e-12)


@pytest.mark.parametrize("kind", [*SETS, *OTHERS], ids=lambda s: s.name)
def test_rates_of_angles(kind: AngleSet) -> None:
    """ω from Ṙ = R ω~, ω̇ from its derivative, both inverted; world and body frame."""
    x, u, a = rng.normal(size=(3, 40, 3))

    def R(s: float) -> Any:
        return kind.matrix(x + s * u + 0.5 * s**2 * a)

    R_dot, R_0 = slope(R), R(0.0)
    omega = kind.body_velocity(x, u)
    np.testing.assert_allclose(omega, vee(np.swapaxes(R_0, 1, 2) @ R_dot), atol=1e-10)
    np.testing.assert_allclose(kind.world_velocity(x, u), vee(R_dot @ np.swapaxes(R_0, 1, 2)), atol=1e-10)
    np.testing.assert_allclose(kind.rates(x, omega), u, atol=1e-9)
    alpha = slope(lambda s: kind.body_velocity(x + s * u + 0.5 * s**2 * a, u + s * a))
    E, E_dot = kind.body_map(x), kind.body_map_rate(x, u)
    np.testing.assert_allclose(np.einsum("kij,kj->ki", E, a) + np.einsum("kij,kj->ki", E_dot, u), alpha, atol=1e-9)
    np.testing.assert_allclose(kind.accelerations(x, u, alpha), a, atol=1e-7)
    np.testing.assert_allclose(E_dot, slope(lambda s: kind.body_map(x + s * u)), atol=1e-10)
    np.testing.assert_allclose(np.abs(np.linalg.det(E)), np.abs(kind.determinant(x)), atol=1e-14)


@pytest.mark.parametrize("kind", SETS, ids=lambda s: s.name)
@pytest.mark.parametrize("side", [0, 1])
def test_singular_angles_are_reported(kind: AngleSet, side: int) -> None:
    """Conversions warn and still give the rotation; rates refuse; both tell the distance."""
    middle = (0.0, np.pi)[side] if kind.returning else (np.pi / 2, -np.pi / 2)[side]
    x = np.array([0.4, middle + 2e-9 * (1 - 2 * side) * (1 if kind.returning else -1), 0.9])
    assert float(kind.distance(x)) == pytest.approx(2e-9, rel=1e-6)
    with pytest.warns(SingularityWarning, match=rf"{kind.name} angles: {kind.symbols[1]} is (2e-09|2\.\d*e-09)"):
        y = kind.angles(kind.quaternion(x))
    np.testing.assert_allclose(kind.matrix(y), kind.matrix(x), atol=1e-15)
    with pytest.raises(SingularError, match=f"{kind.symbols[0]} and {kind.symbols[2]} turn about the same axis"):
        kind.rates(x, np.ones(3))
    with pytest.raises(SingularError, match="2e-09 rad"):
        kind.accelerations(x, np.ones(3), np.ones(3))


@pytest.mark.parametrize("kind", SETS, ids=lambda s: s.name)
def test_histories_of_angles_have_no_jumps(kind: AngleSet) -> None:
    """Ten turns of the outer angles are counted; a middle angle that runs through its singularity,
    sampled there, runs on."""
    s = np.linspace(0.0, 1.0, 401)[:, None]
    free = 0.8 if kind.returning else 0.3
    turning = np.array([0.1, free, -0.2]) + s * np.array([20 * np.pi, 0.0, -7.0]) + 0.2 * np.sin(9 * s) * [0, 1, 0]
    np.testing.assert_allclose(kind.history(kind.quaternion(turning)), turning, atol=1e-12)
    through = np.array([0.3, -1.0 if kind.returning else 0.5, 0.2]) + s * np.array([0.0, 8.0 * np.pi, 0.5])
    middle = 0.0 if kind.returning else np.pi / 2
    nearest = int(np.abs(through[:, 1] - middle).argmin())
    through[:, 1] += middle - through[nearest, 1]  # one sample at the singularity itself
    start = kind.angles(kind.quaternion(through[0]))
    found = kind.history(kind.quaternion(through))
    np.testing.assert_allclose(kind.matrix(found), kind.matrix(through), atol=1e-12)
    np.testing.assert_allclose(found[0], start, atol=1e-12)
    assert np.abs(np.diff(found, axis=0)).max() < 0.1
    assert abs(abs(found[-1, 1] - found[0, 1]) - 8 * np.pi) < 1e-9


def test_printed_matrices() -> None:
    """Entries of A = Rᵀ: corrected (5.56), (5.62), (5.63); extraction (5.59); (3.221) inverts E;
    (5.56) as printed exchanges φ and ψ."""
    a, b, c = rng.normal(size=3)
    b = abs(b)
    (s1, s2, s3), (c1, c2, c3) = np.sin([a, b, c]), np.cos([a, b, c])
    euler = EULER_313.matrix([a, b, c]).T  # φ, θ, ψ
    corrected = [
        [c3 * c1 - s3 * c2 * s1, c3 * s1 + s3 * c2 * c1, s3 * s2],
        [-s3 * c1 - c3 * c2 * s1, -s3 * s1 + c3 * c2 * c1, c3 * s2],
        [s2 * s1, -s2 * c1, c2],
    ]
    np.testing.assert_allclose(euler, corrected, atol=1e-15)
    printed = [
        [c3 * c1 - s3 * c2 * s1, s3 * c1 + c3 * c2 * s1, s2 * s1],
        [-c3 * s1 - s3 * c2 * c1, -s3 * s1 + c3 * c2 * c1, s2 * c1],
        [s3 * s2, -c3 * s2, c2],
    ]
    np.testing.assert_allclose(EULER_313.matrix([c, b, a]).T, printed, atol=1e-15)
    angles = [np.arctan2(euler[2, 0], -euler[2, 1]), np.arctan2(np.sqrt(1 - euler[2, 2] ** 2), euler[2, 2])]
    np.testing.assert_allclose([*angles, np.arctan2(euler[0, 2], euler[1, 2])], [a, b, c], atol=1e-12)
    inverse = [[s3 / s2, c3 / s2, 0], [c3, -s3, 0], [-s3 * c2 / s2, -c3 * c2 / s2, 1]]
    np.testing.assert_allclose(inverse @ EULER_313.body_map([a, b, c]), np.eye(3), atol=1e-14)
    cardan = [
        [c1 * c2, s1 * c2, -s2],
        [-s1 * c3 + c1 * s2 * s3, c1 * c3 + s1 * s2 * s3, c2 * s3],
        [s1 * s3 + c1 * s2 * c3, -c1 * s3 + s2 * s1 * c3, c2 * c3],
    ]
    np.testing.assert_allclose(CARDAN_321.matrix([a, b, c]).T, cardan, atol=1e-15)
    bryant = [
        [c2 * c3, c1 * s3 + s1 * s2 * c3, s1 * s3 - c1 * s2 * c3],
        [-c2 * s3, c1 * c3 - s1 * s2 * s3, s1 * c3 + c1 * s2 * s3],
        [s2, -s1 * c2, c1 * c2],
    ]
    np.testing.assert_allclose(BRYANT_123.matrix([a, b, c]).T, bryant, atol=1e-15)


# ---- Euler parameters


def test_euler_parameters() -> None:
    """R = A_E1 A_E2ᵀ, both angular velocities, ε̇ and ε̈ from ω and ω̇; matrices of half turns come
    back."""
    e, omega, alpha = random_quaternions(30), rng.normal(size=(30, 3)), rng.normal(size=(30, 3))
    body, world = rotations.parameter_map(e), rotations.parameter_map_world(e)
    np.testing.assert_allclose(0.25 * world @ np.swapaxes(body, 1, 2), rotations.matrix(e), atol=1e-14)

    # up to s²: the angular velocity of exp(sω + s²ω̇/2) is ω + sω̇ there
    def moved(s: float) -> Any:
        d = exponential.quaternion_of_vector(s * omega + 0.5 * s**2 * alpha)
        w, x = d[:, :1], d[:, 1:]
        scalar = e[:, :1] * w - np.sum(e[:, 1:] * x, axis=1, keepdims=True)
        return np.concatenate([scalar, e[:, :1] * x + w * e[:, 1:] + np.cross(e[:, 1:], x)], axis=1)

    e_dot = slope(moved)
    np.testing.assert_allclose(rotations.parameter_rates(e, omega), e_dot, atol=1e-10)
    np.testing.assert_allclose(np.einsum("kij,kj->ki", body, e_dot), omega, atol=1e-10)
    R = rotations.matrix(e)
    np.testing.assert_allclose(np.einsum("kij,kj->ki", world, e_dot), np.einsum("kij,kj->ki", R, omega), atol=1e-10)
    second = sum(w * moved((k - 2) * 1e-2) for k, w in enumerate((-1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12))) / 1e-4
    np.testing.assert_allclose(rotations.parameter_accelerations(e, omega, alpha), second, atol=1e-6)
    half = rotations.from_axis_angle(rng.normal(size=(40, 3)), np.full(40, np.pi))
    back = rotations.quaternions_of(rotations.matrix(half))
    np.testing.assert_allclose(np.abs(np.sum(back * half, axis=1)), 1.0, atol=1e-14)


def test_signs_of_quaternion_histories() -> None:
    """Signs that jump from row to row are taken out."""
    smooth = rotations.from_axis_angle([1.0, 2.0, 3.0], np.linspace(0.0, 20.0, 300))
    jumping = smooth * np.where(rng.random(300) < 0.5, -1.0, 1.0)[:, None]
    jumping[0] = smooth[0]
    np.testing.assert_array_equal(rotations.continuous(jumping), smooth)


# ---- axis, angle, rotation vectors


def test_axis_and_angle() -> None:
    """There and back, none and half turns included; an axis that is zero is refused."""
    axis = rng.normal(size=(20, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    angle = np.linspace(0.0, np.pi, 20)
    e = rotations.from_axis_angle(3.0 * axis, angle)
    found, size = rotations.axis_angle(e)
    np.testing.assert_allclose(size, angle, atol=1e-14)
    np.testing.assert_allclose(
        rotations.matrix(rotations.from_axis_angle(found, size)), rotations.matrix(e), atol=1e-14
    )
    np.testing.assert_allclose(found[1:-1], axis[1:-1], atol=1e-12)
    with pytest.raises(InputError, match="an axis must be three numbers that are not all zero"):
        rotations.from_axis_angle([0.0, 0.0, 0.0], 1.0)


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-5, 1e-3, 0.3, 0.9999999, 1.0000001, 2.0, np.pi, 5.0])
def test_tangent_of_the_exponential(size: float) -> None:
    """T, its inverse and its rate at all sizes, through the change from series to closed forms."""
    n = np.array([0.6, -0.64, 0.48])
    w, u, a = size * n, rng.normal(size=3), rng.normal(size=3)

    def R(s: float) -> Any:
        return Rotation.from_rotvec(w + s * u).as_matrix()

    T = exponential.dexp(w)
    R_dot = slope(R)
    np.testing.assert_allclose(T @ u, vee(R(0.0).T @ R_dot), atol=1e-10)
    np.testing.assert_allclose(T.T @ u, vee(R_dot @ R(0.0).T), atol=1e-10)
    np.testing.assert_allclose(exponential.dexp_inverse(w) @ T, np.eye(3), atol=1e-14)
    alpha = slope(lambda s: exponential.dexp(w + s * u + 0.5 * s**2 * a) @ (u + s * a))
    np.testing.assert_allclose(T @ a + exponential.dexp_rate(w, u) @ u, alpha, atol=1e-10)
    np.testing.assert_allclose(rotations.matrix(exponential.quaternion_of_vector(w)), R(0.0), atol=1e-15)


def test_stumpff_functions() -> None:
    """The series and the closed forms meet; histories give what single vectors give."""
    x = np.array([0.0, 1e-12, 1e-3, 0.5, 1 - 1e-12, 1 + 1e-12, 7.0, 30.0])
    for k in range(6):
        c = exponential.stumpff(k, x)
        next_but_one = exponential.stumpff(k + 2, x)
        np.testing.assert_allclose(c, 1.0 / np.prod(np.arange(1, k + 1)) - x * next_but_one, atol=1e-15)
        assert abs(c[4] - c[5]) < 1e-11
    w = rng.normal(size=(5, 3))
    np.testing.assert_array_equal(exponential.dexp(w)[3], exponential.dexp(w[3]))
    np.testing.assert_array_equal(exponential.dexp_inverse(w)[2], exponential.dexp_inverse(w[2]))


def test_whole_turns_are_refused() -> None:
    """T⁻¹ does not exist at 2π."""
    with pytest.raises(SingularError, match=r"whole turn: 1e-09 rad from it"):
        exponential.dexp_inverse([0.0, 0.0, 2 * np.pi - 1e-9])

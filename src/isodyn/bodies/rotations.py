"""Rotations in and out: quaternions (scalar first), matrices body → world, SciPy's Rotation, axis
and angle.

Euler parameters ε = (ε₀, η), |ε| = 1, with A_E1 = [−η, ε₀ I + η~] and A_E2 = [−η, ε₀ I − η~]
[Shimada2014 (5.120), (5.121)]:

    R = A_E1 A_E2ᵀ,    ω_body = 2 A_E2 ε̇,    ω_world = 2 A_E1 ε̇,    ε̇ = ½ A_E2ᵀ ω_body,    ε̈ = ½ A_E2ᵀ ω̇_body − ¼ |ω|² ε

The one place where SciPy's scalar-last quaternions are turned around. Angles: isodyn.bodies.angles;
rotation vectors and the tangent of the exponential map: isodyn.bodies.exponential.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.bodies.exponential import quaternion_of_vector, tilde
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.real_numbers import real_array

transform = Later("scipy.spatial.transform")  # takes a tenth of a second to load

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

    from isodyn.open_types import Numbers


def quaternion_of(orientation: Numbers, what: str = "orientation") -> FloatArray:
    """(w, x, y, z) of a SciPy Rotation, a matrix body → world, a quaternion scalar first, or None
    (no rotation)."""
    if orientation is None:
        return np.array([1.0, 0.0, 0.0, 0.0])
    wxyz = quaternions_of(orientation, what)
    if wxyz.ndim != 1:
        raise InputError(f"{what} must be one rotation, received {len(wxyz)} of them")
    return wxyz


def quaternions_of(orientations: ArrayLike, what: str = "orientation") -> FloatArray:
    """(…, 4) of one rotation or many: a SciPy Rotation, matrices (…, 3, 3) body → world, or unit
    quaternions (…, 4) scalar first."""
    if hasattr(orientations, "as_quat"):
        return scalar_first(orientations.as_quat())
    array = real_array(what, orientations, "a rotation")
    if not np.isfinite(array).all():
        raise InputError(f"{what} has entries that are not finite: {array.tolist()}")
    if array.shape[-2:] == (3, 3):
        return _of_matrices(array, what)
    if array.shape[-1:] == (4,):
        length = np.linalg.norm(array, axis=-1, keepdims=True)
        worst = float(length.ravel()[np.abs(length - 1).argmax()]) if length.size else 1.0
        if abs(worst - 1) > 1e-6:
            raise InputError(f"{what} is not a unit quaternion: its length is {worst:.6g}", hint="(w, x, y, z)")
        return np.asarray(array / length)
    raise InputError(
        f"{what} must be a SciPy Rotation, a 3 × 3 matrix or (w, x, y, z), received an array of shape {array.shape}"
    )


def _of_matrices(R: FloatArray, what: str) -> FloatArray:
    """Largest of ε₀ … ε₃ first, the others from it [Shimada2014 (5.114)–(5.118)]: SciPy does so,
    also at half turns."""
    off, det = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(), np.linalg.det(R).min()
    if off > 1e-6 or det < 0:
        raise InputError(
            f"{what} is not a rotation matrix: |R Rᵀ − I| = {off:.2g}, det R = {det:.3g}",
            hint="columns are the body axes in the world; they must be orthonormal and right-handed",
        )
    return scalar_first(transform.Rotation.from_matrix(R.reshape(-1, 3, 3)).as_quat()).reshape(*R.shape[:-2], 4)


def scalar_first(xyzw: FloatArray) -> FloatArray:
    """(w, x, y, z) of SciPy's (x, y, z, w)."""
    return np.roll(xyzw, 1, axis=-1)


def rotation(wxyz: FloatArray) -> Rotation:
    """SciPy's Rotation of quaternions scalar first, one or many."""
    return transform.Rotation.from_quat(np.roll(wxyz, -1, axis=-1))


def matrix(wxyz: FloatArray) -> FloatArray:
    """Matrices body → world of quaternions scalar first, one or many."""
    return np.asarray(rotation(wxyz).as_matrix(), dtype=np.float64)  # [Shimada2014 (5.113)]


def increment(e1: FloatArray, e2: FloatArray, cayley: bool = False) -> FloatArray:
    """ϖ with e1 ⊕ ϖ = e2, the shorter way; ⊕ by the exponential or by the Cayley map."""
    turned = rotation(e1).inv() * rotation(e2)
    if cayley:
        x, y, z, w = np.moveaxis(turned.as_quat(), -1, 0)
        return np.asarray(2.0 * np.stack([x, y, z], axis=-1) / w[..., None])
    return np.asarray(turned.as_rotvec(), dtype=np.float64)


def continuous(wxyz: FloatArray) -> FloatArray:
    """A history of quaternions without jumps of sign: ε and −ε are the same rotation."""
    history = np.asarray(wxyz, dtype=np.float64)
    turned = np.sum(history[1:] * history[:-1], axis=-1) < 0
    return np.asarray(history * np.concatenate([[1.0], np.cumprod(np.where(turned, -1.0, 1.0))])[:, None])


# ---- Euler parameters and their rates, one or a history


def parameter_map(wxyz: FloatArray) -> FloatArray:
    """2 A_E2 (…, 3, 4): ω_body = 2 A_E2 ε̇, for |ε| = 1."""
    return _twice(wxyz, -1.0)


def parameter_map_world(wxyz: FloatArray) -> FloatArray:
    """2 A_E1 (…, 3, 4): ω_world = 2 A_E1 ε̇, for |ε| = 1."""
    return _twice(wxyz, 1.0)


def _twice(wxyz: FloatArray, sign: float) -> FloatArray:
    e = np.asarray(wxyz, dtype=np.float64)
    right = e[..., :1, None] * np.eye(3) + sign * tilde(e[..., 1:])
    # [Shimada2014 (5.120), (5.121)]
    return 2.0 * np.concatenate([-e[..., 1:, None], right], axis=-1)


def parameter_rates(wxyz: FloatArray, omega: FloatArray) -> FloatArray:
    """ε̇ = ½ A_E2ᵀ ω_body."""
    return 0.25 * np.einsum("...ij,...i->...j", parameter_map(wxyz), np.asarray(omega, dtype=np.float64))


def parameter_accelerations(wxyz: FloatArray, omega: FloatArray, alpha: FloatArray) -> FloatArray:
    """ε̈ = ½ A_E2ᵀ ω̇_body − ¼ |ω|² ε."""
    square = np.sum(np.asarray(omega, dtype=np.float64) ** 2, axis=-1, keepdims=True)
    return parameter_rates(wxyz, alpha) - 0.25 * square * np.asarray(wxyz)


# ---- axis and angle


def axis_angle(orientations: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Unit axes and angles in [0, π]; the axis of no rotation is e₁."""
    turn = np.asarray(rotation(quaternions_of(orientations)).as_rotvec(), dtype=np.float64)
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    axis = np.where(angle > 0, turn / np.where(angle > 0, angle, 1.0), [1.0, 0.0, 0.0])
    return axis, angle[..., 0]


def from_axis_angle(axis: ArrayLike, angle: object) -> FloatArray:
    """Quaternions of rotations by `angle` about `axis`, which may have any length."""
    axis, angle = np.asarray(axis, dtype=np.float64), np.asarray(angle, dtype=np.float64)
    length = np.linalg.norm(axis, axis=-1, keepdims=True)
    if axis.shape[-1:] != (3,) or not np.all(length > 0):
        raise InputError(f"an axis must be three numbers that are not all zero, received {axis.tolist()}")
    return quaternion_of_vector(angle[..., None] * axis / length)

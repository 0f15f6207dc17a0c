"""Rotations in and out: quaternions (scalar first), matrices body → world, SciPy's Rotation.

The one place where SciPy's scalar-last quaternions are turned around.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from isodyn.compiled import FloatArray
from isodyn.errors import InputError


def quaternion_of(orientation: Any, what: str = "orientation") -> FloatArray:
    """(w, x, y, z) of a SciPy Rotation, a matrix body → world, a quaternion scalar first, or None (no rotation)."""
    if orientation is None:
        return np.array([1.0, 0.0, 0.0, 0.0])
    if isinstance(orientation, Rotation):
        if not orientation.single:
            raise InputError(f"{what} must be one rotation, received {len(orientation)} of them")
        return scalar_first(orientation.as_quat())
    array = np.asarray(orientation, dtype=np.float64)
    if not np.isfinite(array).all():
        raise InputError(f"{what} has entries that are not finite: {array.tolist()}")
    if array.shape == (3, 3):
        if np.abs(array @ array.T - np.eye(3)).max() > 1e-6 or np.linalg.det(array) < 0:
            raise InputError(
                f"{what} is not a rotation matrix: |R Rᵀ − I| = {np.abs(array @ array.T - np.eye(3)).max():.2g},"
                f" det R = {np.linalg.det(array):.3g}",
                hint="columns are the body axes in the world; they must be orthonormal and right-handed",
            )
        return scalar_first(Rotation.from_matrix(array).as_quat())
    if array.shape == (4,):
        length = float(np.linalg.norm(array))
        if abs(length - 1) > 1e-6:
            raise InputError(f"{what} is not a unit quaternion: its length is {length:.6g}", hint="(w, x, y, z)")
        return array / length
    raise InputError(
        f"{what} must be a SciPy Rotation, a 3 × 3 matrix or (w, x, y, z), received an array of shape {array.shape}"
    )


def scalar_first(xyzw: FloatArray) -> FloatArray:
    """(w, x, y, z) of SciPy's (x, y, z, w)."""
    return np.roll(xyzw, 1, axis=-1)


def rotation(wxyz: FloatArray) -> Rotation:
    """SciPy's Rotation of quaternions scalar first, one or many."""
    return Rotation.from_quat(np.roll(wxyz, -1, axis=-1))


def matrix(wxyz: FloatArray) -> FloatArray:
    """Matrices body → world of quaternions scalar first, one or many."""
    return np.asarray(rotation(wxyz).as_matrix(), dtype=np.float64)


def increment(e1: FloatArray, e2: FloatArray, cayley: bool = False) -> FloatArray:
    """ϖ with e1 ⊕ ϖ = e2, the shorter way; ⊕ by the exponential or by the Cayley map."""
    turned = rotation(e1).inv() * rotation(e2)
    if cayley:
        x, y, z, w = np.moveaxis(turned.as_quat(), -1, 0)
        return np.asarray(2.0 * np.stack([x, y, z], axis=-1) / w[..., None])
    return np.asarray(turned.as_rotvec(), dtype=np.float64)

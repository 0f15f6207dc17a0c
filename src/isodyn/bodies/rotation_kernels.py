"""Rotations inside compiled code: unit quaternions (scalar first) and matrices body → world.

    R = (2ε₀² − 1) I + 2 (η ηᵀ + ε₀ η~)                                     ε = (ε₀, η), |ε| = 1
    ε ⊕ ϖ = ε ∘ exp(ϖ/2),   exp(ϖ/2) = (cos |ϖ|/2, sin(|ϖ|/2) ϖ/|ϖ|)        ϖ a rotation vector in the body frame
"""

from __future__ import annotations

import numpy as np

from isodyn.compiled import FloatArray, kernel


@kernel()
def matrix_of(e: FloatArray, R: FloatArray) -> None:
    """R (nine numbers, row by row) of the quaternion e."""
    w, x, y, z = e[0], e[1], e[2], e[3]
    R[0] = w * w + x * x - y * y - z * z
    R[1] = 2.0 * (x * y - w * z)
    R[2] = 2.0 * (x * z + w * y)
    R[3] = 2.0 * (x * y + w * z)
    R[4] = w * w - x * x + y * y - z * z
    R[5] = 2.0 * (y * z - w * x)
    R[6] = 2.0 * (x * z - w * y)
    R[7] = 2.0 * (y * z + w * x)
    R[8] = w * w - x * x - y * y + z * z


@kernel()
def turn(e: FloatArray, d: FloatArray, out: FloatArray) -> None:
    """out = e ∘ exp(d/2), of unit length."""
    angle = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    half = 0.5 * angle
    s = 0.5 - angle * angle / 48.0 if angle < 1e-4 else np.sin(half) / angle
    w, x, y, z = np.cos(half), s * d[0], s * d[1], s * d[2]
    o0 = e[0] * w - e[1] * x - e[2] * y - e[3] * z
    o1 = e[0] * x + e[1] * w + e[2] * z - e[3] * y
    o2 = e[0] * y - e[1] * z + e[2] * w + e[3] * x
    o3 = e[0] * z + e[1] * y - e[2] * x + e[3] * w
    scale = 1.0 / np.sqrt(o0 * o0 + o1 * o1 + o2 * o2 + o3 * o3)
    out[0], out[1], out[2], out[3] = o0 * scale, o1 * scale, o2 * scale, o3 * scale


@kernel()
def rotate(R: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out = R x."""
    a, b, c = x[0], x[1], x[2]
    out[0] = R[0] * a + R[1] * b + R[2] * c
    out[1] = R[3] * a + R[4] * b + R[5] * c
    out[2] = R[6] * a + R[7] * b + R[8] * c


@kernel()
def rotate_back(R: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out = Rᵀ x."""
    a, b, c = x[0], x[1], x[2]
    out[0] = R[0] * a + R[3] * b + R[6] * c
    out[1] = R[1] * a + R[4] * b + R[7] * c
    out[2] = R[2] * a + R[5] * b + R[8] * c


@kernel()
def cross(x: FloatArray, y: FloatArray, out: FloatArray) -> None:
    """out = x × y."""
    a = x[1] * y[2] - x[2] * y[1]
    b = x[2] * y[0] - x[0] * y[2]
    c = x[0] * y[1] - x[1] * y[0]
    out[0], out[1], out[2] = a, b, c


@kernel()
def dot(x: FloatArray, y: FloatArray) -> float:
    """x · y."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@kernel()
def twice_cross(w: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out = w × (w × x)."""
    s = dot(w, x)
    n = dot(w, w)
    out[0] = w[0] * s - n * x[0]
    out[1] = w[1] * s - n * x[1]
    out[2] = w[2] * s - n * x[2]

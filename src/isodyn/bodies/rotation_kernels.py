"""Rotations inside compiled code: unit quaternions (scalar first) and matrices body → world.

    R = (2ε₀² − 1) I + 2 (η ηᵀ + ε₀ η~)                                     ε = (ε₀, η), |ε| = 1
    ε ⊕ ϖ = ε ∘ exp(ϖ/2),   exp(ϖ/2) = (cos |ϖ|/2, sin(|ϖ|/2) ϖ/|ϖ|)        ϖ a rotation vector in the body frame

Vectors of three are handed around as three numbers, parts of q and v with the place where they
begin: slices would cost more than the arithmetic.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import FloatArray, kernel

Vector = tuple[float, float, float]


@kernel()
def matrix_of(e: FloatArray, i: int, R: FloatArray) -> None:
    """R of the quaternion e[i:i+4]."""
    w, x, y, z = e[i], e[i + 1], e[i + 2], e[i + 3]
    R[0, 0] = w * w + x * x - y * y - z * z
    R[0, 1] = 2.0 * (x * y - w * z)
    R[0, 2] = 2.0 * (x * z + w * y)
    R[1, 0] = 2.0 * (x * y + w * z)
    R[1, 1] = w * w - x * x + y * y - z * z
    R[1, 2] = 2.0 * (y * z - w * x)
    R[2, 0] = 2.0 * (x * z - w * y)
    R[2, 1] = 2.0 * (y * z + w * x)
    R[2, 2] = w * w - x * x - y * y + z * z


@kernel()
def turn(e: FloatArray, i: int, d: FloatArray, j: int, out: FloatArray) -> None:
    """out[i:i+4] = e ∘ exp(d/2) of e[i:i+4] and d[j:j+3], of unit length."""
    angle = np.sqrt(d[j] * d[j] + d[j + 1] * d[j + 1] + d[j + 2] * d[j + 2])
    half = 0.5 * angle
    s = 0.5 - angle * angle / 48.0 if angle < 1e-4 else np.sin(half) / angle
    product(e, i, np.cos(half), s * d[j], s * d[j + 1], s * d[j + 2], out)


@kernel()
def turn_by_cayley(e: FloatArray, i: int, d: FloatArray, j: int, out: FloatArray) -> None:
    """out[i:i+4] = e ∘ (1, d/2)/|(1, d/2)|: R (I − d~/2)⁻¹(I + d~/2), which differs from the
    exponential by |d|³/12.

    With the midpoint rule it keeps the angular momentum: R₁(I − d~/2) = R₀(I + d~/2), and
    J(ω₁ − ω₀) = −d × Jω̃ with d = Δt ω̃.
    """
    product(e, i, 1.0, 0.5 * d[j], 0.5 * d[j + 1], 0.5 * d[j + 2], out)


@kernel()
def product(e: FloatArray, i: int, w: float, x: float, y: float, z: float, out: FloatArray) -> None:
    """out[i:i+4] = e[i:i+4] ∘ (w, x, y, z), brought to unit length."""
    o0 = e[i] * w - e[i + 1] * x - e[i + 2] * y - e[i + 3] * z
    o1 = e[i] * x + e[i + 1] * w + e[i + 2] * z - e[i + 3] * y
    o2 = e[i] * y - e[i + 1] * z + e[i + 2] * w + e[i + 3] * x
    o3 = e[i] * z + e[i + 1] * y - e[i + 2] * x + e[i + 3] * w
    scale = 1.0 / np.sqrt(o0 * o0 + o1 * o1 + o2 * o2 + o3 * o3)
    out[i], out[i + 1], out[i + 2], out[i + 3] = o0 * scale, o1 * scale, o2 * scale, o3 * scale


@kernel()
def rate_of(e: FloatArray, i: int, w: Vector, out: FloatArray) -> None:
    """out[i:i+4] = e[i:i+4] ∘ (0, w)/2, the rate of a quaternion whose body turns at w."""
    out[i] = -0.5 * (e[i + 1] * w[0] + e[i + 2] * w[1] + e[i + 3] * w[2])
    out[i + 1] = 0.5 * (e[i] * w[0] + e[i + 2] * w[2] - e[i + 3] * w[1])
    out[i + 2] = 0.5 * (e[i] * w[1] - e[i + 1] * w[2] + e[i + 3] * w[0])
    out[i + 3] = 0.5 * (e[i] * w[2] + e[i + 1] * w[1] - e[i + 2] * w[0])


@kernel()
def vector(A: FloatArray, o: int) -> Vector:
    """A[o:o+3]."""
    return A[o], A[o + 1], A[o + 2]


@kernel()
def triple(x: FloatArray) -> Vector:
    """An array of three."""
    return x[0], x[1], x[2]


@kernel()
def put(A: FloatArray, o: int, x: Vector) -> None:
    """A[o:o+3] = x."""
    A[o], A[o + 1], A[o + 2] = x[0], x[1], x[2]


@kernel()
def rotate(R: FloatArray, x: Vector) -> Vector:
    """R x."""
    return (
        R[0, 0] * x[0] + R[0, 1] * x[1] + R[0, 2] * x[2],
        R[1, 0] * x[0] + R[1, 1] * x[1] + R[1, 2] * x[2],
        R[2, 0] * x[0] + R[2, 1] * x[1] + R[2, 2] * x[2],
    )


@kernel()
def rotate_back(R: FloatArray, x: Vector) -> Vector:
    """Rᵀ x."""
    return (
        R[0, 0] * x[0] + R[1, 0] * x[1] + R[2, 0] * x[2],
        R[0, 1] * x[0] + R[1, 1] * x[1] + R[2, 1] * x[2],
        R[0, 2] * x[0] + R[1, 2] * x[1] + R[2, 2] * x[2],
    )


@kernel()
def cross(x: Vector, y: Vector) -> Vector:
    """x × y."""
    return x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]


@kernel()
def dot(x: Vector, y: Vector) -> float:
    """x · y."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@kernel()
def sum_of(x: Vector, f: float, y: Vector) -> Vector:
    """x + f y."""
    return x[0] + f * y[0], x[1] + f * y[1], x[2] + f * y[2]


@kernel()
def twice_cross(w: Vector, x: Vector) -> Vector:
    """w × (w × x)."""
    s, n = dot(w, x), dot(w, w)
    return w[0] * s - n * x[0], w[1] * s - n * x[1], w[2] * s - n * x[2]

"""Nodes of beams as bodies of a mechanism.

A node has the coordinates (r, t), t = ∂r/∂X. Its frame R has the first axis along t = ℓ R e₁; what
joints see of it is

    ω = (t × ṫ)/ℓ²  (in the frame, without twist: e₁ × Rᵀṫ/ℓ),       ω̇ = (t × ẗ)/ℓ² − 2 ρ ω,       ρ = t·ṫ/ℓ²

so (ṙ, ω) = T(t)(ṙ, ṫ): a force on r and a torque τ become Tᵀ(f, τ), that is f on r and R (τ × e₁)/ℓ
on t. With g = (f, τ) and ∂g/∂q = K along increments of the frame,

    ∂(Tᵀg)/∂(r, t) = TᵀK T + R C Rᵀ on t,     C = (1/ℓ²) [0 −τ₃ τ₂; −τ₃ 0 0; τ₂ 0 0]
    ∂(g·T(ṙ, ṫ))/∂t = … + R (−ω₂g₂ − ω₃g₃, −ρ g₃, ρ g₂)/ℓ          g₂, g₃ of the torque

In the plane ω and τ have a third component only. In space the second and third axis of R are
arbitrary: only measures that do not see twist are allowed (isodyn.joints.cables), and those are the
same for every choice.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.bodies.rotation_kernels import Vector, vector
from isodyn.joints.measures import POSE, R_, STRETCH, STRETCHING, TURN, V_, W_
from isodyn.kernels.compiled import F2, FloatArray, IntArray, i8, kernel
from isodyn.parts.layout import BLOCK, BODIES, BODY, CABLE, F_POSE, FREEDOM, I_BODY, KIND, NODE, PLANAR, STRIDE


@kernel()
def is_node(body: int, pi: IntArray) -> bool:
    """Whether this body is a node with a pose; the ground is none."""
    return body < pi[BODIES] and pi[pi[I_BODY] + BODY * body + KIND] >= NODE


@kernel()
def place_node(kind: int, q: FloatArray, v: FloatArray, o: int, A: FloatArray, p: int) -> None:
    """The pose of a node with coordinates from o on, at A[p]."""
    if kind == NODE:
        x, y, u, w = q[o + 2], q[o + 3], v[o + 2], v[o + 3]
        square = x * x + y * y
        length = np.sqrt(square)
        c, s = x / length, y / length
        A[p], A[p + 1], A[p + V_], A[p + V_ + 1] = q[o], q[o + 1], v[o], v[o + 1]
        A[p + R_], A[p + R_ + 1], A[p + R_ + 3], A[p + R_ + 4] = c, -s, s, c
        A[p + W_ + 2] = (x * w - y * u) / square
        A[p + TURN], A[p + STRETCH], A[p + STRETCHING] = np.arctan2(y, x), length, (x * u + y * w) / square
        return
    square, along = 0.0, 0.0
    for i in range(3):
        A[p + i], A[p + V_ + i] = q[o + i], v[o + i]
        square += q[o + 3 + i] * q[o + 3 + i]
        along += q[o + 3 + i] * v[o + 3 + i]
    length = np.sqrt(square)
    e = (q[o + 3] / length, q[o + 4] / length, q[o + 5] / length)
    u = (v[o + 3] / length, v[o + 4] / length, v[o + 5] / length)
    # an axis across: e × (the axis of the world that is farthest from e)
    if abs(e[0]) <= abs(e[1]) and abs(e[0]) <= abs(e[2]):
        d = (0.0, e[2], -e[1])
    elif abs(e[1]) <= abs(e[2]):
        d = (-e[2], 0.0, e[0])
    else:
        d = (e[1], -e[0], 0.0)
    size = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    d = (d[0] / size, d[1] / size, d[2] / size)
    n = (e[1] * d[2] - e[2] * d[1], e[2] * d[0] - e[0] * d[2], e[0] * d[1] - e[1] * d[0])
    for i in range(3):
        A[p + R_ + 3 * i], A[p + R_ + 3 * i + 1], A[p + R_ + 3 * i + 2] = e[i], d[i], n[i]
    A[p + W_] = 0.0
    A[p + W_ + 1] = -(n[0] * u[0] + n[1] * u[1] + n[2] * u[2])
    A[p + W_ + 2] = d[0] * u[0] + d[1] * u[1] + d[2] * u[2]
    A[p + STRETCH], A[p + STRETCHING] = length, along / square


@kernel(types.void(i8, F2, F2, F2))
def place_nodes(kind: int, q: FloatArray, v: FloatArray, poses: FloatArray) -> None:
    """Poses along histories of the coordinates of one node."""
    for k in range(q.shape[0]):
        for i in range(9):
            poses[k, R_ + i] = 1.0 if i % 4 == 0 else 0.0
        place_node(kind, q[k], v[k], 0, poses[k], 0)


@kernel()
def component(body: int, n: int, pf: FloatArray, pi: IntArray) -> tuple[int, float, int, float]:
    """Component n of the velocity of a body in (ṙ, ω): (k, w, l, u) for w in place k and u in place
    l."""
    b = pi[I_BODY] + BODY * body
    kind = pi[b + KIND]
    if kind < NODE:
        return 5 if n == 2 and kind == PLANAR else n, 1.0, 0, 0.0
    dim = 2 if kind == NODE else 3
    if n < dim:
        return n, 1.0, 0, 0.0
    p = pi[F_POSE] + POSE * body
    row = p + R_ + 3 * (n - dim)
    return 4, -pf[row + 2] / pf[p + STRETCH], 5, pf[row + 1] / pf[p + STRETCH]


@kernel()
def part(body: int, n: int, g: int, pf: FloatArray, pi: IntArray) -> float:
    """Component n of Tᵀg for six numbers g of pf."""
    k, w, m, u = component(body, n, pf, pi)
    return w * pf[g + k] + u * pf[g + m]


@kernel()
def add_matrix(
    body: int, other: int, block: int, K: int, f: float, pf: FloatArray, pi: IntArray, out: FloatArray
) -> None:
    """J += f Tᵀ B T in the block of two bodies, B being rows and columns of the 12 × 12 from pf[K]
    on."""
    b, d = pi[I_BODY] + BODY * body, pi[I_BODY] + BODY * other
    stride = pi[b + STRIDE]
    for i in range(pi[b + FREEDOM]):
        k, w, m, u = component(body, i, pf, pi)
        for j in range(pi[d + FREEDOM]):
            r, x, s, y = component(other, j, pf, pi)
            value = w * (x * pf[K + 12 * k + r] + y * pf[K + 12 * k + s])
            value += u * (x * pf[K + 12 * m + r] + y * pf[K + 12 * m + s])
            out[block + i * stride + j] += f * value


@kernel()
def add_curvature(body: int, torque: Vector, f: float, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """J += f R C Rᵀ: how a torque on a node, given in its frame, acts otherwise when the slope
    changes."""
    b, p = pi[I_BODY] + BODY * body, pi[F_POSE] + POSE * body
    dim, square = 3 if pi[b + KIND] == CABLE else 2, pf[p + STRETCH] * pf[p + STRETCH]
    y, z = -f * torque[2] / square, f * torque[1] / square
    for i in range(dim):
        r = p + R_ + 3 * i
        for j in range(dim):
            s = p + R_ + 3 * j
            value = pf[r] * (y * pf[s + 1] + z * pf[s + 2]) + pf[s] * (y * pf[r + 1] + z * pf[r + 2])
            out[pi[b + BLOCK] + (dim + i) * pi[b + STRIDE] + dim + j] += value


@kernel()
def rest_of_node(body: int, g: int, pf: FloatArray, pi: IntArray) -> float:
    """g·(ω̇ without ẗ) = −2 ρ g·ω."""
    p = pi[F_POSE] + POSE * body
    w = pf[p + W_ + 1] * pf[g + 4] + pf[p + W_ + 2] * pf[g + 5]
    return -2.0 * pf[p + STRETCHING] * w


@kernel()
def rate_slope(body: int, n: int, g: int, pf: FloatArray, pi: IntArray) -> float:
    """Component n of ∂(g·T(ṙ, ṫ))/∂(r, t) at constant g and frame increments."""
    b, p = pi[I_BODY] + BODY * body, pi[F_POSE] + POSE * body
    dim = 3 if pi[b + KIND] == CABLE else 2
    if n < dim:
        return 0.0
    row, w, rho = vector(pf, p + R_ + 3 * (n - dim)), vector(pf, p + W_), pf[p + STRETCHING]
    x = -(w[1] * pf[g + 4] + w[2] * pf[g + 5])
    return (row[0] * x - row[1] * rho * pf[g + 5] + row[2] * rho * pf[g + 4]) / pf[p + STRETCH]


@kernel()
def add_rate_slopes(
    body: int, i: int, node: int, j: int, block: int, f: float, pf: FloatArray, pi: IntArray, out: FloatArray
) -> None:
    """J += f (Tᵀg)(∂(g·T(ṙ, ṫ))/∂(r, t))ᵀ in the block of a body with its g at pf[i] and a node
    with its g at pf[j]."""
    b, d = pi[I_BODY] + BODY * body, pi[I_BODY] + BODY * node
    for r in range(pi[b + FREEDOM]):
        x = f * part(body, r, i, pf, pi)
        for s in range(pi[d + FREEDOM]):
            out[block + r * pi[b + STRIDE] + s] += x * rate_slope(node, s, j, pf, pi)

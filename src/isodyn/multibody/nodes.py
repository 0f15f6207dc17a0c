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

from isodyn.bodies.rotation_kernels import Vector, triple
from isodyn.joints.measures import Pose
from isodyn.kernels.compiled import FloatArray, kernel
from isodyn.multibody.tables import CABLE, NODE, PLANAR, BodyData, Tables


@kernel()
def is_node(k: int, tables: Tables) -> bool:
    """Whether body k is a node with a pose; the ground is none."""
    return k < tables.ground and tables.bodies[k].kind >= NODE


@kernel()
def place_node(kind: int, q: FloatArray, v: FloatArray, o: int, pose: Pose) -> None:
    """The pose of a node with coordinates from o on."""
    position, R = pose.position, pose.R
    if kind == NODE:
        x, y, u, w = q[o + 2], q[o + 3], v[o + 2], v[o + 3]
        square = x * x + y * y
        length = np.sqrt(square)
        c, s = x / length, y / length
        position[0], position[1], pose.v[0], pose.v[1] = q[o], q[o + 1], v[o], v[o + 1]
        R[0, 0], R[0, 1], R[1, 0], R[1, 1] = c, -s, s, c
        pose.w[2] = (x * w - y * u) / square
        pose.angle, pose.stretch, pose.stretching = np.arctan2(y, x), length, (x * u + y * w) / square
        return
    square, along = 0.0, 0.0
    for i in range(3):
        position[i], pose.v[i] = q[o + i], v[o + i]
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
        R[i, 0], R[i, 1], R[i, 2] = e[i], d[i], n[i]
    pose.w[0] = 0.0
    pose.w[1] = -(n[0] * u[0] + n[1] * u[1] + n[2] * u[2])
    pose.w[2] = d[0] * u[0] + d[1] * u[1] + d[2] * u[2]
    pose.stretch, pose.stretching = length, along / square


@kernel()
def component(body: BodyData, pose: Pose, n: int) -> tuple[int, float, int, float]:
    """Component n of the velocity of a body in (ṙ, ω): (k, w, l, u) for w in place k and u in place
    l."""
    kind = body.kind
    if kind < NODE:
        return 5 if n == 2 and kind == PLANAR else n, 1.0, 0, 0.0
    dim = 2 if kind == NODE else 3
    if n < dim:
        return n, 1.0, 0, 0.0
    row = n - dim
    return 4, -pose.R[row, 2] / pose.stretch, 5, pose.R[row, 1] / pose.stretch


@kernel()
def part(body: BodyData, pose: Pose, n: int, g: FloatArray, side: int) -> float:
    """Component n of Tᵀg for the six numbers of a side of a gradient."""
    k, w, m, u = component(body, pose, n)
    return w * g[6 * side + k] + u * g[6 * side + m]


@kernel()
def add_curvature(body: BodyData, pose: Pose, torque: Vector, f: float, out: FloatArray) -> None:
    """J += f R C Rᵀ: how a torque on a node, given in its frame, acts otherwise when the slope
    changes."""
    R, dim, square = pose.R, 3 if body.kind == CABLE else 2, pose.stretch * pose.stretch
    y, z = -f * torque[2] / square, f * torque[1] / square
    for i in range(dim):
        for j in range(dim):
            value = R[i, 0] * (y * R[j, 1] + z * R[j, 2]) + R[j, 0] * (y * R[i, 1] + z * R[i, 2])
            out[body.block + (dim + i) * body.stride + dim + j] += value


@kernel()
def rest_of_node(pose: Pose, g: FloatArray, side: int) -> float:
    """g·(ω̇ without ẗ) = −2 ρ g·ω."""
    w = pose.w[1] * g[6 * side + 4] + pose.w[2] * g[6 * side + 5]
    return -2.0 * pose.stretching * w


@kernel()
def rate_slope(body: BodyData, pose: Pose, n: int, g: FloatArray, side: int) -> float:
    """Component n of ∂(g·T(ṙ, ṫ))/∂(r, t) at constant g and frame increments."""
    dim = 3 if body.kind == CABLE else 2
    if n < dim:
        return 0.0
    R, row, w, rho = pose.R, n - dim, triple(pose.w), pose.stretching
    y, z = g[6 * side + 4], g[6 * side + 5]
    x = -(w[1] * y + w[2] * z)
    return (R[row, 0] * x - R[row, 1] * rho * z + R[row, 2] * rho * y) / pose.stretch

"""Measures along histories of poses, asked from Python: one state or many at a time."""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.bodies.body import Body
from isodyn.bodies.rotation_kernels import matrix_of, put, rotate
from isodyn.joints.contacts import points, touch
from isodyn.joints.measures import SLIP, MeasureWork, Pose, WordNumbers, measure, touching
from isodyn.joints.second_order import rest
from isodyn.joints.words import Word
from isodyn.kernels.compiled import F2, F, FloatArray, i8, kernel
from isodyn.kernels.struct import Struct, reals
from isodyn.kernels.struct_types import StructType
from isodyn.multibody.nodes import place_node


class Poses(Struct):
    """A history of poses, field by field as in isodyn.joints.measures.Pose."""

    position = reals("times", 3)
    R = reals("times", 3, 3)
    v, w = reals("times", 3), reals("times", 3)
    angle, stretch, stretching = reals("times"), reals("times"), reals("times")


POSE, POSES, WORD = StructType(Pose), StructType(Poses), StructType(WordNumbers)
WORK = StructType(MeasureWork)
TWIST = 6  # components of a gradient that belong to one body


@kernel()
def take(poses: Poses, k: int, pose: Pose) -> None:
    """One row of a history."""
    for i in range(3):
        pose.position[i], pose.v[i], pose.w[i] = poses.position[k, i], poses.v[k, i], poses.w[k, i]
        for j in range(3):
            pose.R[i, j] = poses.R[k, i, j]
    pose.angle, pose.stretch, pose.stretching = poses.angle[k], poses.stretch[k], poses.stretching[k]


@kernel()
def keep(pose: Pose, poses: Poses, k: int) -> None:
    """A pose as row k of a history."""
    for i in range(3):
        poses.position[k, i], poses.v[k, i], poses.w[k, i] = pose.position[i], pose.v[i], pose.w[i]
        for j in range(3):
            poses.R[k, i, j] = pose.R[i, j]
    poses.angle[k], poses.stretch[k], poses.stretching[k] = pose.angle, pose.stretch, pose.stretching


@kernel(types.void(i8, POSES, POSES, WORD, POSE, POSE, F, F2))
def histories(
    kind: int, p: Poses, q: Poses, word: WordNumbers, first: Pose, second: Pose, x: FloatArray, g: FloatArray
) -> None:
    """One measure along two histories of poses into x, gradients into g; the two poses are
    memory."""
    for k in range(x.size):
        take(p, k, first)
        take(q, k, second)
        x[k] = measure(kind, first, second, word, g[k])


@kernel()
def gradient_at(
    kind: int, p: Poses, q: Poses, k: int, word: WordNumbers, first: Pose, second: Pose, g: FloatArray
) -> float:
    """One measure at row k of two histories of poses, its gradient into g."""
    take(p, k, first)
    take(q, k, second)
    for i in range(2 * TWIST):
        g[i] = 0.0
    return measure(kind, first, second, word, g)


@kernel()
def along(g: FloatArray, base: int, v: FloatArray, w: FloatArray) -> float:
    """The part g[base:base + 6] of a gradient along (v, w)."""
    total = 0.0
    for i in range(3):
        total += g[base + i] * v[i] + g[base + 3 + i] * w[i]
    return total


@kernel(types.void(i8, POSES, POSES, WORD, POSE, POSE, F, F, F))
def rates(
    kind: int,
    p: Poses,
    q: Poses,
    word: WordNumbers,
    first: Pose,
    second: Pose,
    g: FloatArray,
    x: FloatArray,
    rate: FloatArray,
) -> None:
    """One measure along two histories of poses into x, and its rate."""
    for k in range(x.size):
        x[k] = gradient_at(kind, p, q, k, word, first, second, g)
        rate[k] = along(g, 0, first.v, first.w) + along(g, TWIST, second.v, second.w)


@kernel(types.void(i8, POSES, POSES, WORD, POSE, POSE, F, WORK, F2, F2, F))
def accelerations(
    kind: int,
    p: Poses,
    q: Poses,
    word: WordNumbers,
    first: Pose,
    second: Pose,
    g: FloatArray,
    work: MeasureWork,
    a: FloatArray,
    b: FloatArray,
    h: FloatArray,
) -> None:
    """The second derivative of one measure, with the accelerations (times, 6) of both bodies; none
    of one that does not move."""
    for k in range(h.size):
        gradient_at(kind, p, q, k, word, first, second, g)
        total = rest(kind, first, second, word, work)
        if a.shape[0] > 0:
            total += along(g, 0, a[k], a[k, 3:])
        if b.shape[0] > 0:
            total += along(g, TWIST, b[k], b[k, 3:])
        h[k] = total


@kernel(types.void(i8, POSES, POSES, WORD, POSE, POSE, F, i8, F, F2))
def actions(
    kind: int,
    p: Poses,
    q: Poses,
    word: WordNumbers,
    first: Pose,
    second: Pose,
    g: FloatArray,
    side: int,
    lam: FloatArray,
    both: FloatArray,
) -> None:
    """Subtract what a multiplier of one measure does to the first or the second body, force and
    torque, from `both`."""
    base = TWIST * side
    for k in range(lam.size):
        gradient_at(kind, p, q, k, word, first, second, g)
        for i in range(TWIST):
            both[k, i] -= lam[k] * g[base + i]


@kernel(types.void(i8, POSES, POSES, WORD, POSE, POSE, F2))
def touching_points(
    kind: int, p: Poses, q: Poses, word: WordNumbers, first: Pose, second: Pose, found: FloatArray
) -> None:
    """Where what rolls touches its surface along histories of poses, from its mass centre, in the
    world."""
    for k in range(found.shape[0]):
        take(p, k, first)
        take(q, k, second)
        x = (
            points(first, second, word, touch(first, second, word))[0]
            if kind == SLIP
            else touching(kind, first, word)[3]
        )
        put(found[k], 0, rotate(first.R, x))


@kernel(types.void(i8, F2, F2, POSE, POSES))
def place_nodes(kind: int, q: FloatArray, v: FloatArray, pose: Pose, poses: Poses) -> None:
    """Poses along histories of the coordinates of one node."""
    for i in range(3):
        for j in range(3):
            pose.R[i, j] = 1.0 if i == j else 0.0
    for k in range(q.shape[0]):
        place_node(kind, q[k], v[k], 0, pose)
        keep(pose, poses, k)


@kernel(types.void(F2, F2, i8, i8, POSES))
def place_planar_body(q: FloatArray, v: FloatArray, first_q: int, first_v: int, poses: Poses) -> None:
    """Poses of a body in the plane along histories of all of q and v."""
    for k in range(q.shape[0]):
        angle = q[k, first_q + 2]
        c, s = np.cos(angle), np.sin(angle)
        poses.position[k, 0], poses.position[k, 1] = q[k, first_q], q[k, first_q + 1]
        poses.v[k, 0], poses.v[k, 1], poses.w[k, 2] = v[k, first_v], v[k, first_v + 1], v[k, first_v + 2]
        poses.R[k, 0, 0], poses.R[k, 0, 1], poses.R[k, 1, 0], poses.R[k, 1, 1] = c, -s, s, c
        poses.R[k, 2, 2], poses.angle[k] = 1.0, angle


@kernel(types.void(F2, F2, i8, i8, POSES))
def place_spatial_body(q: FloatArray, v: FloatArray, first_q: int, first_v: int, poses: Poses) -> None:
    """Poses of a body in space along histories of all of q and v; quaternions of any length."""
    for k in range(q.shape[0]):
        size = 0.0
        for i in range(first_q + 3, first_q + 7):
            size += q[k, i] * q[k, i]
        matrix_of(q[k], first_q + 3, poses.R[k])
        for i in range(3):
            poses.position[k, i] = q[k, first_q + i]
            poses.v[k, i], poses.w[k, i] = v[k, first_v + i], v[k, first_v + 3 + i]
            for j in range(3):
                poses.R[k, i, j] /= size


def pose_at_start(body: Body) -> Poses:
    """The pose of a body at the start, a history of one row."""
    p = Poses(times=1)
    p.position[0], p.R[0], p.v[0], p.w[0] = body.position, body.R, body.velocity, body.angular_velocity
    p.angle[0] = body.angle
    return p


def value_at_start(word: Word, first: Body, second: Body) -> float:
    """The measure of a word at the start."""
    return float(measured(word, pose_at_start(first), pose_at_start(second))[0][0])


def measured(word: Word, p: Poses, q: Poses) -> tuple[FloatArray, FloatArray]:
    """A measure along two histories of poses, angles within half a turn, and its gradients (times,
    12)."""
    x, g = np.zeros(p.angle.size), np.zeros((p.angle.size, 12))
    histories(word.kind, p, q, word.numbers, Pose(), Pose(), x, g)
    return x, g


def rate_along(word: Word, p: Poses, q: Poses) -> tuple[FloatArray, FloatArray]:
    """A measure along two histories of poses, angles within half a turn, and its rate."""
    x, rate = np.zeros((2, p.angle.size))
    rates(word.kind, p, q, word.numbers, Pose(), Pose(), np.zeros(2 * TWIST), x, rate)
    return x, rate


def acceleration_along(
    word: Word, p: Poses, q: Poses, a: FloatArray | None = None, b: FloatArray | None = None
) -> FloatArray:
    """ẍ = g·(v̇_i, ω̇_i, v̇_j, ω̇_j) + h along two histories of poses, with the accelerations
    (times, 6) of the bodies that move."""
    found, still = np.zeros(p.angle.size), np.zeros((0, 6))
    a, b = (still if x is None else np.ascontiguousarray(x) for x in (a, b))
    accelerations(word.kind, p, q, word.numbers, Pose(), Pose(), np.zeros(2 * TWIST), MeasureWork(), a, b, found)
    return found


def subtract_action(word: Word, p: Poses, q: Poses, side: int, lam: FloatArray, both: FloatArray) -> None:
    """Subtract what multipliers of a measure do to its first (side 0) or second body from `both`
    (times, 6): force in the world, torque about the mass centre in the body."""
    actions(word.kind, p, q, word.numbers, Pose(), Pose(), np.zeros(2 * TWIST), side, lam, both)


def touched(word: Word, p: Poses, q: Poses) -> FloatArray:
    """Where what rolls by this word touches its surface, from the mass centre, in the world."""
    found = np.zeros((p.angle.size, 3))
    touching_points(word.kind, p, q, word.numbers, Pose(), Pose(), found)
    return found

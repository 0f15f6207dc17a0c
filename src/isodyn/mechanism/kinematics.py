"""Measures asked from Python, one state or many at a time."""

from __future__ import annotations

import numpy as np

from isodyn.bodies.body import Body
from isodyn.bodies.rotation_kernels import put, rotate
from isodyn.joints.measures import PARAMETERS, POSE, R_, TURN, V_, W_, WORK, measure, touching
from isodyn.joints.words import Word
from isodyn.kernels.compiled import F2, F, FloatArray, i8, kernel


@kernel(F(i8, F2, F2, F, F2), allocates=True)
def histories(kind: int, p: FloatArray, q: FloatArray, numbers: FloatArray, g: FloatArray) -> FloatArray:
    """One measure along two histories of poses; gradients into g."""
    first, second, third, fourth = 0, POSE, 2 * POSE, 2 * POSE + PARAMETERS
    A, x = np.zeros(fourth + WORK), np.zeros(p.shape[0])
    A[third:fourth] = numbers
    for k in range(p.shape[0]):
        A[first:second] = p[k]
        A[second:third] = q[k]
        x[k] = measure(kind, A, first, second, third, fourth)
        g[k] = A[fourth : fourth + 12]
    return x


@kernel(F2(i8, F2, F), allocates=True)
def touching_points(kind: int, p: FloatArray, numbers: FloatArray) -> FloatArray:
    """Where a sphere or a disc touches its plane along a history of poses, from the mass centre, in
    the world."""
    A, found = np.zeros(POSE + PARAMETERS), np.zeros((p.shape[0], 3))
    A[POSE:] = numbers
    for k in range(p.shape[0]):
        A[:POSE] = p[k]
        put(found[k], 0, rotate(A, R_, touching(kind, A, 0, POSE)[3]))
    return found


def pose(body: Body) -> FloatArray:
    """The pose of a body at the start, as compiled code keeps it."""
    p = np.zeros(POSE)
    p[:3], p[R_:V_], p[V_:W_], p[W_:TURN], p[TURN] = (
        body.position,
        body.R.ravel(),
        body.velocity,
        body.angular_velocity,
        body.angle,
    )
    return p


def value_at_start(word: Word, first: Body, second: Body) -> float:
    """The measure of a word at the start."""
    return float(histories(word.kind, pose(first)[None], pose(second)[None], word.numbers, np.zeros((1, 12)))[0])

"""Measures asked from Python, one state or many at a time."""

from __future__ import annotations

import numpy as np

from isodyn.bodies.body import Body
from isodyn.compiled import F2, F, FloatArray, f8, i8, kernel
from isodyn.joints.measures import POSE, R_, SCRATCH, TURN, V_, W_, measure
from isodyn.joints.words import Word

WORK = SCRATCH + 204


@kernel(f8(i8, F, F, F, F, F))
def value_and_gradient(
    kind: int, p: FloatArray, q: FloatArray, numbers: FloatArray, g: FloatArray, work: FloatArray
) -> float:
    """One measure between two poses."""
    return measure(kind, p, q, numbers, g, work)


@kernel(F(i8, F2, F2, F, F2))
def histories(kind: int, p: FloatArray, q: FloatArray, numbers: FloatArray, g: FloatArray) -> FloatArray:
    """One measure along two histories of poses; gradients into g."""
    work, x = np.zeros(WORK), np.zeros(p.shape[0])
    for k in range(p.shape[0]):
        x[k] = measure(kind, p[k], q[k], numbers, g[k], work)
    return x


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
    return value_and_gradient(word.kind, pose(first), pose(second), word.numbers, np.zeros(12), np.zeros(WORK))

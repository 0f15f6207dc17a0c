"""Poses inside compiled code, as users' functions see them, and differences of sixth order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.bodies.pose import PoseNumbers
from isodyn.kernels.compiled import FloatArray, closure

if TYPE_CHECKING:
    from isodyn.joints.measures import Pose
    from isodyn.kernels.struct import Many

OUTER = np.array([1.0, -1.0, 2.0, -2.0, 3.0, -3.0])  # where differences look …
FIRST = np.array([45.0, -45.0, -9.0, 9.0, 1.0, -1.0]) / 60.0  # … and their weights


@closure()
def read(poses: Many[Pose], k: int) -> PoseNumbers:
    """A pose as users' functions see it."""
    pose = poses[k]
    return PoseNumbers(pose.position.copy(), pose.R.copy(), pose.v.copy(), pose.w.copy())


@closure()
def moved(pose: PoseNumbers, d: FloatArray) -> PoseNumbers:
    """After an increment (dr in the world, dϖ in the body)."""
    x, y, z = d[3], d[4], d[5]
    square = x * x + y * y + z * z
    if square == 0.0:
        return PoseNumbers(pose.position + d[:3], pose.R, pose.velocity, pose.angular_velocity)
    angle = np.sqrt(square)
    s, h = np.sin(angle) / angle, 0.5 * (np.sin(0.5 * angle) / (0.5 * angle)) ** 2
    E = np.array(
        [
            [1.0 - h * (y * y + z * z), h * x * y - s * z, h * x * z + s * y],
            [h * x * y + s * z, 1.0 - h * (x * x + z * z), h * y * z - s * x],
            [h * x * z - s * y, h * y * z + s * x, 1.0 - h * (x * x + y * y)],
        ]
    )
    R = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                R[i, j] += pose.R[i, k] * E[k, j]
    return PoseNumbers(pose.position + d[:3], R, pose.velocity, pose.angular_velocity)


@closure()
def sped(pose: PoseNumbers, d: FloatArray) -> PoseNumbers:
    """With velocities changed by (dv, dω)."""
    return PoseNumbers(pose.position, pose.R, pose.velocity + d[:3], pose.angular_velocity + d[3:])

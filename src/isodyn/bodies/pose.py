"""The pose of a body as users' functions see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isodyn.kernels.compiled import FloatArray


class PoseNumbers(NamedTuple):
    """The same four arrays for functions that Numba has compiled, which know no methods."""

    position: FloatArray
    R: FloatArray
    velocity: FloatArray
    angular_velocity: FloatArray


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a body is and how it moves: mass centre and its velocity in the world, R body → world,
    angular velocity in the body."""

    position: FloatArray
    R: FloatArray
    velocity: FloatArray
    angular_velocity: FloatArray

    def point(self, s: FloatArray) -> FloatArray:
        """World place of the point s of the body, counted from the mass centre in body axes."""
        return self.position + self.R @ np.asarray(s)

    def velocity_of(self, s: FloatArray) -> FloatArray:
        """World velocity of that point."""
        return self.velocity + self.R @ np.cross(self.angular_velocity, s)

    def numbers(self) -> PoseNumbers:
        """What a compiled function is given."""
        return PoseNumbers(*(x.copy() for x in (self.position, self.R, self.velocity, self.angular_velocity)))

    def moved(self, d: FloatArray) -> Pose:
        """After an increment (dr in the world, dϖ in the body)."""
        R = self.R @ rotation_by(d[3:]) if d[3:].any() else self.R
        return Pose(self.position + d[:3], R, self.velocity, self.angular_velocity)

    def sped(self, d: FloatArray) -> Pose:
        """With velocities changed by (dv, dω)."""
        return Pose(self.position, self.R, self.velocity + d[:3], self.angular_velocity + d[3:])


def rotation_by(w: FloatArray) -> FloatArray:
    """exp(w~)."""
    x, y, z = w
    W = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angle = float(np.sqrt(w @ w))
    half = 0.5 * angle
    sine = np.sin(half) / half if half > 0 else 1.0
    return np.eye(3) + (np.sin(angle) / angle if angle > 0 else 1.0) * W + 0.5 * sine * sine * (W @ W)

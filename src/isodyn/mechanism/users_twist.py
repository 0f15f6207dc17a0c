"""Users' functions of poses that need more than a node of a cable has: a point and a tangent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from isodyn.bodies.pose import Pose, rotation_by
from isodyn.errors import InputError
from isodyn.joints.cables import NODE
from isodyn.joints.user import UserRows
from isodyn.kernels.compiled import FloatArray
from isodyn.loads.user import UserLoad

# away from a start where axes may happen to agree
_ASIDE = np.array([0.0, 0.0, 0.0, 0.3, -0.5, 0.7])


def refuse_users_twist(
    rows: Sequence[UserRows], loads: Sequence[UserLoad], pose: Callable[[str], Pose], cables: set[str]
) -> None:
    """InputError for users' functions whose value changes when a node of a cable turns about its
    tangent."""
    for part in rows:
        poses = [pose(name).moved(_ASIDE) for name in part.bodies]
        before = part.value(poses, 0.0)
        for k, name in enumerate(part.bodies):
            if name in cables:
                after = part.value([_twisted(p) if j == k else p for j, p in enumerate(poses)], 0.0)
                _refuse_change(f"rows {part.name!r}", name, before, after)
    for load in loads:
        if load.body in cables:
            one = pose(load.body).moved(_ASIDE)
            two = _twisted(one)
            (f, m), (g, n) = (x.reshape(2, 3) for x in (load.value(0.0, one), load.value(0.0, two)))
            _refuse_change(f"load {load.name!r}", load.body, np.append(f, one.R @ m), np.append(g, two.R @ n))


def _twisted(pose: Pose) -> Pose:
    """The same after a turn about its first axis."""
    X = rotation_by(np.array([1.0, 0.0, 0.0]))
    return Pose(pose.position, pose.R @ X, pose.velocity, X.T @ pose.angular_velocity)


def _refuse_change(what: str, name: str, before: FloatArray, after: FloatArray) -> None:
    if np.abs(after - before).max(initial=0.0) > 1e-9 * float(
        max(np.abs(before).max(initial=0.0), np.abs(after).max(initial=0.0))
    ):
        raise InputError(
            f"{what} needs a full frame, but {name!r} is {NODE}",
            hint="use pose.position and the tangent pose.R[:, 0] only",
        )

"""A load that a user writes as a Python function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isodyn.bodies.pose import Pose
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Part, Use, Value
from isodyn.systems.checks import returned


@dataclass(frozen=True)
class UserLoad(Part):
    """Force at the mass centre and torque on a body, both in the world: function(t, pose) → force,
    or (force, torque).

    `pose` tells position, R, velocity and angular_velocity (body frame); pose.point(s),
    pose.velocity_of(s) those of a point. The function must be smooth; its derivatives come from
    differences.
    """

    name: str
    body: str
    function: Callable[[float, Pose], Any]
    noun: ClassVar[str] = "load"

    def uses(self) -> list[Use]:
        """Its body."""
        return [Use(Value.BODY, self.body, "body")]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"load {self.name!r}: it needs a function of t and pose, received {self.function!r}")

    def value(self, t: float, pose: Pose) -> FloatArray:
        """(force in the world, torque in the body); the exception of a user's function carries the
        name of the load."""
        try:
            value = self.function(t, pose)
        except Exception as error:
            error.add_note(f"in the user-defined load {self.name!r}")
            raise
        both = returned(f"the function of {self.name!r}", value, np.shape(value) or (3,), t)
        if both.shape not in ((3,), (2, 3)):
            both = returned(f"the function of {self.name!r}", value, (2, 3), t)
        both = np.vstack([both, np.zeros(3)]) if both.ndim == 1 else both
        return np.concatenate([both[0], pose.R.T @ both[1]])

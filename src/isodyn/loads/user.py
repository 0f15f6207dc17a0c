"""A load that a user writes as a Python function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isodyn.bodies.pose import Pose
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.uncompiled import explained
from isodyn.parts import Part, Use, Value
from isodyn.systems.checks import returned
from isodyn.systems.joined import is_compiled


@dataclass(frozen=True)
class UserLoad(Part):
    """A force at the mass centre and a torque on a body, by a function.

    Derivatives come from differences, so the function must be smooth. A function under Numba's
    `@njit` runs inside the compiled step; its pose has the four arrays and no methods.

    Parameters
    ----------
    name
        Name of the load.
    body
        Name of the body, or of a node of a beam.
    function
        function(t, pose) → force, or (force, torque), both in the world. `pose` has position, R,
        velocity and angular_velocity (body frame); pose.point(s) and pose.velocity_of(s) are those
        of a point.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_load(iso.UserLoad("push", "rod", lambda t, pose: [0.0, 0.0, 9.81]))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> float(abs(sol.body("rod").velocity).max().round(9))
    0.0
    """

    name: str
    body: str
    function: Callable[[float, Any], Any]
    noun: ClassVar[str] = "load"

    def uses(self) -> list[Use]:
        return [Use(Value.BODY, self.body, "body")]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"load {self.name!r}: it needs a function of t and pose, received {self.function!r}")

    def value(self, t: float, pose: Pose) -> FloatArray:
        """Return the force and the torque at a state.

        Parameters
        ----------
        t
            Time.
        pose
            Pose of the body.

        Returns
        -------
        value
            Force in the world, then torque in the body.

        Raises
        ------
        CallableError
            If the function returns something else; an error of the function itself has the name of
            the load.
        """
        try:
            value = self.function(t, pose.numbers() if is_compiled(self.function) else pose)
        except Exception as error:
            told = explained(error)
            told.add_note(f"in the user-defined load {self.name!r}")
            if is_compiled(self.function):
                told.add_note("poses of @njit functions have four arrays and no methods")
            if told is error:
                raise
            raise told from error
        both = returned(f"the function of {self.name!r}", value, np.shape(value) or (3,), t)
        if both.shape not in ((3,), (2, 3)):
            both = returned(f"the function of {self.name!r}", value, (2, 3), t)
        both = np.vstack([both, np.zeros(3)]) if both.ndim == 1 else both
        return np.concatenate([both[0], pose.R.T @ both[1]])

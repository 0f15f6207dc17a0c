"""Constraint rows that a user writes as a Python function of poses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isodyn.bodies.body import GROUND
from isodyn.bodies.pose import Pose
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.uncompiled import explained
from isodyn.parts import Part, Use, Value
from isodyn.systems.checks import returned
from isodyn.systems.joined import is_compiled


@dataclass(frozen=True)
class UserRows(Part):
    """Rows φ = 0 from a function of poses, or rows ψ = 0 of their rates, of one or two bodies.

    Derivatives come from differences, so the function must be smooth. A function under Numba's
    `@njit` runs inside the compiled step; its poses have position, R, velocity and
    angular_velocity, and no methods. Rows ψ need not be integrable (a blade that cannot slip
    sideways); they act by forces along ∂ψ/∂v.

    Parameters
    ----------
    name
        Name of the rows.
    bodies
        One or two names of bodies or nodes of beams; "ground" is possible.
    phi
        Function phi(pose, t) or phi(first, second, t) → (m,). It gets `Pose` objects with position,
        R and point(s).
    scale
        Length over which φ or ψ changes, if it is far from the size of the mechanism.
    psi
        Function psi(pose, t) or psi(first, second, t) → (m,) in place of `phi`. It also reads
        velocity, angular_velocity (body frame) and velocity_of(s) of the poses.

    Raises
    ------
    InputError
        If a body is unknown, φ is not a vector, or not exactly one of `phi` and `psi` is given.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.UserRows("floor", "rod", lambda pose, t: [pose.position[2]]))
    >>> mech.compile().m
    1
    >>> across = lambda pose, t: [pose.R[:, 1] @ pose.velocity_of((-0.5, 0, 0))]
    >>> _ = mech.add_joint(iso.UserRows("blade", "rod", psi=across))
    >>> mech.compile().m
    2
    """

    name: str
    bodies: Any
    phi: Callable[..., Any] | None = None
    scale: float | None = None
    psi: Callable[..., Any] | None = None
    noun: ClassVar[str] = "rows"

    def uses(self) -> list[Use]:
        return [Use(Value.BODY, name, "bodies") for name in (GROUND, *self.bodies)[-2:]]

    def __post_init__(self) -> None:
        names = (self.bodies,) if isinstance(self.bodies, str) else tuple(self.bodies)
        if not 1 <= len(names) <= 2 or not all(isinstance(x, str) for x in names):
            raise InputError(f"rows {self.name!r}: bodies must be one or two names, received {self.bodies!r}")
        if len(set(names)) != len(names):
            raise InputError(f"rows {self.name!r} join {names[0]!r} to itself")
        if (self.phi is None) == (self.psi is None):
            raise InputError(
                f"rows {self.name!r} need either phi= or psi=",
                hint="phi of positions, psi of rates; rows of both kinds have two names",
            )
        what = "phi" if self.holonomic else "psi"
        if not callable(self.function):
            raise InputError(
                f"rows {self.name!r}: {what} must be a function of poses and t, received {self.function!r}"
            )
        if self.scale is not None and not (np.isfinite(self.scale) and self.scale > 0):
            raise InputError(f"rows {self.name!r}: scale must be positive, received {self.scale!r}")
        object.__setattr__(self, "bodies", names)

    @property
    def holonomic(self) -> bool:
        """Whether they are rows φ of positions."""
        return self.psi is None

    @property
    def function(self) -> Any:
        """The function that was given, φ or ψ."""
        return self.phi if self.holonomic else self.psi

    def value(self, poses: list[Pose], t: float, m: int | None = None) -> FloatArray:
        """Return φ or ψ at a state.

        Parameters
        ----------
        poses
            Poses of the bodies.
        t
            Time.
        m
            Number of rows that is expected.

        Returns
        -------
        phi
            The rows.

        Raises
        ------
        CallableError
            If the function returns something else; an error of the function itself has the name of
            the rows.
        """
        try:
            given = [pose.numbers() for pose in poses] if is_compiled(self.function) else poses
            value = self.function(*given, t)
        except Exception as error:
            told = explained(error)
            told.add_note(f"in the user-defined rows {self.name!r}")
            if is_compiled(self.function):
                told.add_note("poses of @njit functions have four arrays and no methods")
            if told is error:
                raise
            raise told from error
        size = np.size(value) if m is None else m
        return returned(
            f"{'phi' if self.holonomic else 'psi'} of {self.name!r}",
            np.ravel(value) if np.ndim(value) == 0 else value,
            (size,),
            t,
        )

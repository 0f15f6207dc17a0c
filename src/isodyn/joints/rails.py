"""Ellipsoids on planes and wheels on rails, rolling without slip (isodyn.joints.contacts)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from isodyn.bodies.body import Body, vector3
from isodyn.errors import InputError
from isodyn.joints import measures as words
from isodyn.joints.part import JointRows, JointWorld
from isodyn.joints.touching import SURFACE, Surface, refuse_radius, still, touching
from isodyn.joints.words import two, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Value, joint, optional, required
from isodyn.real_numbers import real_array

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@joint("rolling_ellipsoid")
@dataclass(frozen=True)
class RollingEllipsoid(Surface):
    """An ellipsoid that rolls on a plane without slip, such as a rattleback.

    Parameters
    ----------
    half_axes
        Its three half axes.
    axes
        Directions of the first two of them, in the world at the start; those of the body's frame if
        left out. The third is perpendicular to both.

    Raises
    ------
    InputError
        If half axes or directions are not admissible, once the joint is built.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("stone", mass=1.0, inertia=(0.02, 0.1, 0.1), position=(0, 0, 0.1))
    >>> _ = mech.add_joint(iso.RollingEllipsoid("table", "stone", half_axes=(0.5, 0.2, 0.1)))
    >>> mech.compile().m
    3
    """

    name: str
    body: str
    half_axes: Numbers
    axes: Numbers | None = None
    centre: Numbers | None = None
    plane_point: Numbers = (0.0, 0.0, 0.0)
    normal: Numbers = (0.0, 0.0, 1.0)
    keys: ClassVar[Keys] = {
        "body": required(Value.BODY),
        "half_axes": required(Value.VECTOR),
        "axes": optional(Value.TWO_VECTORS),
        **SURFACE,
    }

    def build(self, world: JointWorld) -> JointRows:
        half = vector3(f"{self.name!r}: half_axes", self.half_axes, "half_axes")
        if not (half > 0.0).all():
            raise InputError(f"{self.name!r}: half axes must be positive, received {half}", argument="half_axes")
        E = self._directions(world.body(self.body))
        return touching(self, world, (E * half**2) @ E.T)

    def _directions(self, body: Body) -> FloatArray:
        """Columns: directions of the half axes in the body."""
        if self.axes is None:
            return np.eye(3)
        what = f"{self.name!r}: axes"
        first, second = (unit(what, x, "axes") @ body.R for x in two(what, self.axes, "axes"))
        if abs(float(first @ second)) > 1e-6:
            raise InputError(f"{what} must be perpendicular to each other", argument="axes")
        third = np.cross(first, second)
        return np.column_stack([first, np.cross(third, first), third])


@joint("wheel_on_rail")
@dataclass(frozen=True)
class WheelOnRail(Surface):
    """A wheel that rolls without slip on a rail with a given profile.

    The rail is the surface z = Σ cₖ yᵏ, with x along the rail, z along the normal and y across,
    from `plane_point` on. The wheel is a disc of the given radius, whose rim is rounded by the
    radius `tread`, or a barrel whose half axis along its own axis is `barrel`. Where the wheel
    touches the rail follows from both; it must be the only place.

    Parameters
    ----------
    radius
        Radius of the wheel, the rounded rim included.
    axis
        Axis of the wheel in the world at the start.
    profile
        Coefficients c₀, c₁, … of the profile, nine at most; a plane if left out.
    tread
        Radius by which the rim is rounded.
    barrel
        Half axis of a barrel along the axis; zero is a disc.
    across
        Whether slip across the rail is held as well. Two wheels of one axle hold it once.

    Raises
    ------
    InputError
        If the numbers are not admissible, or a rail with a profile moves by `lift` or `slide`: let
        a driven body carry it.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("wheel", mass=1.0, inertia=(0.1, 0.2, 0.1), position=(0, 0, 0.5))
    >>> _ = mech.add_joint(iso.WheelOnRail("rail", "wheel", 0.5, (0, 1, 0), profile=(0, 0, -2.0), tread=0.1))
    >>> mech.compile().m
    3
    """

    name: str
    body: str
    radius: float
    axis: Numbers
    profile: Numbers = ()
    tread: float = 0.0
    barrel: float = 0.0
    across: bool = True
    centre: Numbers | None = None
    plane_point: Numbers = (0.0, 0.0, 0.0)
    normal: Numbers = (0.0, 0.0, 1.0)
    keys: ClassVar[Keys] = {
        "body": required(Value.BODY),
        "radius": required(Value.POSITIVE),
        "axis": required(Value.VECTOR),
        "profile": optional(Value.NUMBERS),
        "tread": optional(Value.NOT_NEGATIVE),
        "barrel": optional(Value.NOT_NEGATIVE),
        "across": optional(Value.TRUTH),
        **SURFACE,
    }

    def build(self, world: JointWorld) -> JointRows:
        refuse_radius(self.name, self.radius)
        for key in ("tread", "barrel"):
            value = getattr(self, key)
            if not (np.isfinite(value) and value >= 0.0) or (key == "tread" and value > self.radius):
                raise InputError(
                    f"{self.name!r}: {key} must not be negative, nor a tread larger than the radius, received {value!r}",
                    argument=key,
                )
        axis = unit(f"{self.name!r}: axis", self.axis, "axis") @ world.body(self.body).R
        along = np.outer(axis, axis)
        shape = (self.radius - self.tread) ** 2 * (np.eye(3) - along) + self.barrel**2 * along
        return touching(self, world, shape, self.tread, self._profile(), self.across)

    def _profile(self) -> FloatArray:
        """Coefficients, with zeros for those that are not given."""
        what = f"{self.name!r}: profile"
        given = np.atleast_1d(real_array(what, self.profile))
        if given.ndim != 1 or given.size > words.PROFILE or not np.isfinite(given).all():
            raise InputError(f"{what} must be {words.PROFILE} numbers or fewer", argument="profile")
        found = np.zeros(words.PROFILE)
        found[: given.size] = given
        if found[1:].any() and not still(self):
            raise InputError(
                f"{self.name!r}: a rail with a profile does not move by lift= or slide=",
                hint="let a body carry it, on=, and drive that body",
                argument="profile",
            )
        return found

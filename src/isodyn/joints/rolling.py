"""Rolling without slip: balls, discs, ellipsoids and wheels, on planes and rails that may move.

    height    the round body touches the surface: CONTACT = lift(t), a holonomic row
    slip      along and across:  SLIP = rate of slide(t), and SLIP = 0; rates only

A ball or a disc on a plane of the ground that does not move has words of its own
(isodyn.joints.measures); everything else goes by isodyn.joints.contacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isodyn.bodies.body import GROUND, Body, vector3
from isodyn.errors import InputError
from isodyn.joints import measures as words
from isodyn.joints.actions import of_rolling
from isodyn.joints.part import JointPart, JointRows, JointWorld
from isodyn.joints.words import Pair, Row, RowKind, arm, ground_body, triad, two, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Value, joint, optional, required
from isodyn.real_numbers import real_array


@dataclass(frozen=True, kw_only=True)
class _Surface:
    """Where a round body rolls: on a plane through a point, which a body carries and which may move
    by itself."""

    on: str = GROUND
    along: Any = None
    lift: Any = 0.0
    slide: Any = 0.0


_SURFACE: Keys = {
    "centre": optional(Value.VECTOR),
    "plane_point": optional(Value.VECTOR),
    "normal": optional(Value.VECTOR),
    "on": optional(Value.BODY),
    "along": optional(Value.VECTOR),
    "lift": optional(Value.TIME),
    "slide": optional(Value.TIME),
}


@joint("rolling_sphere")
@dataclass(frozen=True)
class RollingSphere(_Surface, JointPart):
    """A sphere that rolls on a plane without slip.

    Parameters
    ----------
    name
        Name of the contact.
    body
        Name of the body.
    radius
        Radius.
    centre
        Centre in the world at the start; the mass centre if left out.
    plane_point
        A point of the plane, in the world at the start.
    normal
        Normal of the plane, in the world at the start.
    on
        Name of the body that carries the plane, or "ground".
    along
        A direction in the plane, in the world at the start: that of `slide` and of the first row of
        slip.
    lift, slide
        Functions of time by which the plane moves along its normal and along `along`, beside what
        its body does.

    Raises
    ------
    InputError
        If the body does not touch the plane at the start.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("wheel", mass=1.0, inertia=(0.1, 0.2, 0.1), position=(0, 0, 0.5))
    >>> _ = mech.add_joint(iso.RollingSphere("floor", "wheel", radius=0.5))
    >>> mech.compile().m
    3
    """

    name: str
    body: str
    radius: float
    centre: Any = None
    plane_point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)
    keys: ClassVar[Keys] = {"body": required(Value.BODY), "radius": required(Value.POSITIVE), **_SURFACE}

    def build(self, world: JointWorld) -> JointRows:
        _refuse_radius(self.name, self.radius)
        if _rests(self):
            return _on_ground(self, world.body(self.body), None)
        return _touching(self, world, self.radius**2 * np.eye(3))


@joint("rolling_disc")
@dataclass(frozen=True)
class RollingDisc(_Surface, JointPart):
    """A thin disc or wheel that rolls on a plane without slip.

    Parameters
    ----------
    name
        Name of the contact.
    body
        Name of the body.
    radius
        Radius.
    axis
        Axis of the disc in the world at the start.
    centre
        Centre in the world at the start; the mass centre if left out.
    plane_point
        A point of the plane, in the world at the start.
    normal
        Normal of the plane, in the world at the start.
    on
        Name of the body that carries the plane, or "ground".
    along
        A direction in the plane, in the world at the start: that of `slide` and of the first row of
        slip.
    lift, slide
        Functions of time by which the plane moves along its normal and along `along`, beside what
        its body does.

    Raises
    ------
    InputError
        If the body does not touch the plane at the start.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("wheel", mass=1.0, inertia=(0.1, 0.2, 0.1), position=(0, 0, 0.5))
    >>> _ = mech.add_joint(iso.RollingDisc("floor", "wheel", radius=0.5, axis=(0, 1, 0)))
    >>> mech.compile().m
    3
    """

    name: str
    body: str
    radius: float
    axis: Any
    centre: Any = None
    plane_point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)
    keys: ClassVar[Keys] = {**RollingSphere.keys, "axis": required(Value.VECTOR)}

    def build(self, world: JointWorld) -> JointRows:
        _refuse_radius(self.name, self.radius)
        body = world.body(self.body)
        axis = unit(f"{self.name!r}: axis", self.axis, "axis") @ body.R
        if _rests(self):
            return _on_ground(self, body, axis)
        return _touching(self, world, self.radius**2 * (np.eye(3) - np.outer(axis, axis)))


@joint("rolling_ellipsoid")
@dataclass(frozen=True)
class RollingEllipsoid(_Surface, JointPart):
    """An ellipsoid that rolls on a plane without slip, such as a rattleback.

    Parameters
    ----------
    name
        Name of the contact.
    body
        Name of the body.
    half_axes
        Its three half axes.
    axes
        Directions of the first two of them, in the world at the start; those of the body's frame if
        left out. The third is perpendicular to both.
    centre
        Centre in the world at the start; the mass centre if left out.
    plane_point
        A point of the plane, in the world at the start.
    normal
        Normal of the plane, in the world at the start.
    on
        Name of the body that carries the plane, or "ground".
    along
        A direction in the plane, in the world at the start: that of `slide` and of the first row of
        slip.
    lift, slide
        Functions of time by which the plane moves along its normal and along `along`, beside what
        its body does.

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
    half_axes: Any
    axes: Any = None
    centre: Any = None
    plane_point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)
    keys: ClassVar[Keys] = {
        "body": required(Value.BODY),
        "half_axes": required(Value.VECTOR),
        "axes": optional(Value.TWO_VECTORS),
        **_SURFACE,
    }

    def build(self, world: JointWorld) -> JointRows:
        half = vector3(f"{self.name!r}: half_axes", self.half_axes, "half_axes")
        if not (half > 0.0).all():
            raise InputError(f"{self.name!r}: half axes must be positive, received {half}", argument="half_axes")
        E = self._directions(world.body(self.body))
        return _touching(self, world, (E * half**2) @ E.T)

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
class WheelOnRail(_Surface, JointPart):
    """A wheel that rolls without slip on a rail with a given profile.

    The rail is the surface z = Σ cₖ yᵏ, with x along the rail, z along the normal and y across, from
    `plane_point` on. The wheel is a disc of the given radius, whose rim is rounded by the radius
    `tread`, or a barrel whose half axis along its own axis is `barrel`. Where the wheel touches the
    rail follows from both; it must be the only place.

    Parameters
    ----------
    name
        Name of the contact.
    body
        Name of the body.
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
    centre
        Centre in the world at the start; the mass centre if left out.
    plane_point
        A point of the plane, in the world at the start.
    normal
        Normal of the plane, in the world at the start.
    on
        Name of the body that carries the plane, or "ground".
    along
        A direction in the plane, in the world at the start: that of `slide` and of the first row of
        slip.
    lift, slide
        Functions of time by which the plane moves along its normal and along `along`, beside what
        its body does.

    Raises
    ------
    InputError
        If the numbers are not admissible, or a rail with a profile moves by `lift` or `slide`: let a
        driven body carry it.

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
    axis: Any
    profile: Any = ()
    tread: float = 0.0
    barrel: float = 0.0
    across: bool = True
    centre: Any = None
    plane_point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)
    keys: ClassVar[Keys] = {
        "body": required(Value.BODY),
        "radius": required(Value.POSITIVE),
        "axis": required(Value.VECTOR),
        "profile": optional(Value.NUMBERS),
        "tread": optional(Value.NOT_NEGATIVE),
        "barrel": optional(Value.NOT_NEGATIVE),
        "across": optional(Value.TRUTH),
        **_SURFACE,
    }

    def build(self, world: JointWorld) -> JointRows:
        _refuse_radius(self.name, self.radius)
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
        return _touching(self, world, shape, self.tread, self._profile(), self.across)

    def _profile(self) -> FloatArray:
        """Coefficients, with zeros for those that are not given."""
        what = f"{self.name!r}: profile"
        given = np.atleast_1d(real_array(what, self.profile))
        if given.ndim != 1 or given.size > words.PROFILE or not np.isfinite(given).all():
            raise InputError(f"{what} must be {words.PROFILE} numbers or fewer", argument="profile")
        found = np.zeros(words.PROFILE)
        found[: given.size] = given
        if found[1:].any() and not _still(self):
            raise InputError(
                f"{self.name!r}: a rail with a profile does not move by lift= or slide=",
                hint="let a body carry it, on=, and drive that body",
                argument="profile",
            )
        return found


_Rolling = RollingSphere | RollingDisc | RollingEllipsoid | WheelOnRail


def _refuse_radius(name: str, radius: float) -> None:
    if not (np.isfinite(radius) and radius > 0):
        raise InputError(f"{name!r}: the radius must be positive, received {radius!r}", argument="radius")


def _still(joint: _Rolling) -> bool:
    """Whether the surface moves with its body only."""
    return all(isinstance(x, int | float) and x == 0 for x in (joint.lift, joint.slide))


def _rests(joint: _Rolling) -> bool:
    """Whether the surface is a plane of the ground that does not move."""
    return joint.on == GROUND and joint.along is None and _still(joint)


def _place(joint: _Rolling, body: Body) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Centre, point of the plane and normal, in the world at the start."""
    if body.kind != "spatial":
        raise InputError(f"{joint.name!r}: rolling needs a spatial body, {body.name!r} is {body.kind}", argument="body")
    n = unit(f"{joint.name!r}: normal", joint.normal, "normal")
    at = vector3(f"{joint.name!r}: plane_point", joint.plane_point, "plane_point")
    centre = body.position
    if joint.centre is not None:
        centre = vector3(f"{joint.name!r}: centre", joint.centre, "centre")
    return centre, at, n


def _on_ground(joint: RollingSphere | RollingDisc, body: Body, axis: FloatArray | None) -> JointRows:
    """A ball, or a disc with this axis, on a plane of the ground."""
    centre, at, n = _place(joint, body)
    pair = Pair.of(joint.name, body, ground_body(), centre, None)
    height = float(n @ at)
    if axis is None:
        up = pair.word(words.POINT, u=n, s_j=np.zeros(3))
        held, kind, more = (
            pair.row("height", RowKind.HEIGHT, up, height + joint.radius),
            words.ROLL_SPHERE,
            {},
        )
    else:
        more = {"a": axis}
        up = pair.word(words.DISC_HEIGHT, n=n, radius=joint.radius, **more)
        held, kind = pair.row("height", RowKind.HEIGHT, up, height), words.ROLL_DISC
    slip = [_slip(joint, k, pair.word(kind, n=n, u=u, radius=joint.radius, **more)) for k, u in enumerate(triad(n)[:2])]
    rows = [held, *slip]
    return JointRows(rows, of_rolling(rows))


def _touching(
    joint: _Rolling,
    world: JointWorld,
    shape: FloatArray,
    rounding: float = 0.0,
    profile: Sequence[float] | FloatArray = (),
    across: bool = True,
) -> JointRows:
    """An ellipsoid with Σ aₖ² eₖeₖᵀ = shape in the body, on a surface of any body."""
    body, carrier = world.body(joint.body), world.body(joint.on)
    if carrier.kind not in ("spatial", "ground"):
        raise InputError(
            f"{joint.name!r}: a plane needs a spatial body or the ground to carry it, {carrier.name!r} is {carrier.kind}",
            argument="on",
        )
    if body.name == carrier.name:
        raise InputError(f"{joint.name!r}: {body.name!r} cannot roll on itself", argument="on")
    centre, at, n = _place(joint, body)
    frame = triad(n)
    if joint.along is not None:
        d = unit(f"{joint.name!r}: along", joint.along, "along")
        d = d - (d @ n) * n
        if np.linalg.norm(d) < 1e-6:
            raise InputError(f"{joint.name!r}: along points along the normal", argument="along")
        frame = np.array([d / np.linalg.norm(d), np.cross(n, d) / np.linalg.norm(d), n])
    axes = frame @ carrier.R
    pair = Pair(joint.name, body, carrier, arm(body, centre), arm(carrier, at), axes, axes)
    numbers: dict[str, Any] = {"shape": shape, "radius": rounding, "c1": axes[0], "c": axes[2]}
    if len(profile):
        numbers["profile"] = profile
    height = pair.row("height", RowKind.HEIGHT, pair.word(words.CONTACT, **numbers), joint.lift)
    ways = [((1.0, 0.0, 0.0), joint.slide), ((0.0, 1.0, 0.0), 0.0)][: 2 if across else 1]
    slip = [_slip(joint, k, pair.word(words.SLIP, u=u, **numbers), target) for k, (u, target) in enumerate(ways)]
    rows = [height, *slip]
    return JointRows(rows, of_rolling(rows))


def _slip(joint: _Rolling, k: int, word: Any, target: Any = 0.0) -> Row:
    return Row(joint.name, f"slip {k + 1}", RowKind.SLIP, ((1.0, word),), target, holonomic=False)

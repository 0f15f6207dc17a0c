"""Balls on balls, boxes and capsules; journals in bearings with clearance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from isodyn.bodies.body import Body
from isodyn.bodies.shapes import Placed
from isodyn.bodies.solids import Capsule, Solid, Sphere
from isodyn.errors import InputError
from isodyn.joints import measures as words
from isodyn.joints.on_planes import ball_of, box_of, place
from isodyn.joints.part import JointWorld
from isodyn.joints.touching import refuse_radius
from isodyn.joints.unilateral import PLANAR, TOUCH, ContactPart, Gap, Touch
from isodyn.joints.words import Pair, Word, arm, between_points, triad, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Value, contact, optional, required

if TYPE_CHECKING:
    import numpy.typing as npt

    from isodyn.open_types import Numbers

SKEW = np.array([0.48, 0.6, 0.64])  # far from the normals of all faces and edges of a box


def slips_of_ball(pair: Pair, part: Any, facing: FloatArray, **numbers: npt.ArrayLike) -> tuple[Word, ...]:
    """Words of the slips of a ball, in the plane one, in space two; `facing` a normal, from which
    the tangents are turned to others."""
    if not part.friction_at_rest > 0.0:
        return ()
    if PLANAR[0] in (pair.first.kind, pair.second.kind) or PLANAR[1] in (pair.first.kind, pair.second.kind):
        return (pair.word(words.BALL_SLIP, along=(0.0, 0.0, 1.0), facing=np.zeros(3), **numbers),)
    axes = triad(facing)
    return tuple(pair.word(words.BALL_SLIP, along=axis, facing=axes[2], **numbers) for axis in axes[:2])


def centres_of(pair: Pair) -> tuple[FloatArray, FloatArray]:
    """The two points in the world at the start."""
    first, second = pair.first, pair.second
    return first.position + first.R @ pair.s_i, second.position + second.R @ pair.s_j


def two_radii(part: SphereCapsule | SphereSphere) -> FloatArray:
    """The radii of two balls; at least one is not zero."""
    radii = np.asarray(part.radii, dtype=np.float64)
    if radii.shape != (2,) or not (radii >= 0).all() or not radii.sum() > 0:
        raise InputError(f"{part.what}: radii must be two lengths, received {part.radii!r}", argument="radii")
    return radii


def on_box(
    part: SphereBox | SphereCapsule, ball: Body, box: Body, centres: tuple[Any, Any], radius: float, half: FloatArray, frame: FloatArray,
    rounding: float, facing: FloatArray,
) -> Gap:  # fmt: skip
    """A ball above a rounded box whose axes are the rows of `frame`, in its body."""
    pair = Pair(part.name, ball, box, arm(ball, centres[0]), arm(box, centres[1]), frame, frame)
    numbers: dict[str, Any] = {"radius": radius, "half": half, "rounding": rounding, "c1": frame[0], "c": frame[2]}
    return Gap("", ((1.0, pair.word(words.BALL, **numbers)),), 0.0, slips_of_ball(pair, part, facing, **numbers))


@contact("sphere_sphere")
@dataclass(frozen=True)
class SphereSphere(Touch, ContactPart):
    """Two balls that stay outside each other; in the plane two discs.

    Parameters
    ----------
    first, second
        Names of the bodies.
    radii
        Radii of the balls.
    points
        Their centres in the world at the start; the mass centres if left out.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, 0))
    >>> _ = mech.add_body("one", 1.0, kind="particle", velocity=(1, 0, 0))
    >>> _ = mech.add_body("two", 1.0, kind="particle", position=(1, 0, 0))
    >>> _ = mech.add_contact(iso.SphereSphere("hit", "one", "two", radii=(0.1, 0.1), restitution=1.0))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=1.0)
    >>> [round(float(x), 9) for x in sol.body("two").velocity[-1]]
    [1.0, 0.0, 0.0]
    """

    name: str
    first: str
    second: str
    radii: Numbers
    points: Numbers | None = None
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "radii": required(Value.NUMBERS),
        "points": optional(Value.TWO_VECTORS),
        **TOUCH,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        radii = two_radii(self)
        pair = between_points(self.name, world.body(self.first), world.body(self.second), self.points)
        one, two = centres_of(pair)
        apart = one - two if (one != two).any() else np.array([0.0, 0.0, 1.0])
        slips = slips_of_ball(pair, self, apart, radius=radii[0], rounding=radii[1])
        return [Gap("", ((1.0, pair.length_word()),), float(radii.sum()), slips)]

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        points = (None, None) if self.points is None else self.points
        found: dict[str, Solid | Placed] = {}
        for name, radius, point in zip((self.first, self.second), self.radii, points, strict=True):
            if name in bodies and radius > 0.0:
                place_of = place(self.what, point, bodies[name], "points")
                found[name] = Placed(Sphere(float(radius), mass=1.0), arm(bodies[name], place_of))
        return found


@contact("sphere_box")
@dataclass(frozen=True)
class SphereBox(Touch, ContactPart):
    """A ball that stays outside a box; in the plane a disc and a rectangle.

    Parameters
    ----------
    first
        Name of the body with the ball.
    second
        Name of the body with the box, or "ground".
    radius
        Radius of the ball.
    size
        Lengths of the edges of the box along the axes of its body; three, or two in the plane.
    centre
        Centre of the ball in the world at the start; its mass centre if left out.
    box_centre
        Centre of the box in the world at the start; its mass centre if left out.
    rounding
        Radius by which the box is rounded, beyond its size.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("ball", 1.0, (0.01, 0.01, 0.01), position=(0, 0, 0.3))
    >>> _ = mech.add_contact(iso.SphereBox("table", "ball", "ground", radius=0.2, size=(1, 1, 0.2)))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.2)
    >>> round(float(sol.contact("table").normal[-1]), 9)
    9.81
    """

    name: str
    first: str
    second: str
    radius: float
    size: Any
    centre: Numbers | None = None
    box_centre: Numbers | None = None
    rounding: float = 0.0
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "radius": required(Value.POSITIVE),
        "size": required(Value.VECTOR),
        "centre": optional(Value.VECTOR),
        "box_centre": optional(Value.VECTOR),
        "rounding": optional(Value.NOT_NEGATIVE),
        **TOUCH,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        refuse_radius(self.name, self.radius)
        if not (np.isfinite(self.rounding) and self.rounding >= 0.0):
            raise InputError(f"{self.what}: rounding must not be negative", argument="rounding")
        ball, box = world.body(self.first), world.body(self.second)
        flat = ball.kind in PLANAR or box.kind in PLANAR
        size = np.asarray(self.size, dtype=np.float64).ravel()
        if size.size != (2 if flat else 3) or not (size > 0).all():
            many = "two" if flat else "three"
            raise InputError(
                f"{self.what}: size must be {many} positive lengths, received {self.size!r}", argument="size"
            )
        half = 0.5 * np.append(size, np.inf)[:3]
        centres = place(self.what, self.centre, ball, "centre"), place(self.what, self.box_centre, box, "box_centre")
        return [on_box(self, ball, box, centres, self.radius, half, np.eye(3), self.rounding, SKEW)]

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        found = ball_of(self, bodies)
        if self.second in bodies:
            box = bodies[self.second]
            centre = place(self.what, self.box_centre, box, "box_centre")
            edges = np.asarray(self.size, dtype=np.float64).ravel() + 2.0 * self.rounding
            found[self.second] = Placed(box_of(edges), arm(box, centre))
        return found


@contact("sphere_capsule")
@dataclass(frozen=True)
class SphereCapsule(Touch, ContactPart):
    """A ball that stays outside a capsule: a line of some length, rounded by a radius.

    Parameters
    ----------
    first
        Name of the body with the ball.
    second
        Name of the body with the capsule, or "ground".
    radii
        Radii of ball and capsule.
    length
        Length of the straight part of the capsule.
    axis
        Its axis in the world at the start.
    points
        Centres of ball and capsule in the world at the start; the mass centres if left out.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("ball", 1.0, (0.01, 0.01, 0.01), position=(0, 0, 0.3))
    >>> _ = mech.add_contact(iso.SphereCapsule("rail", "ball", "ground", radii=(0.2, 0.1), length=1.0, axis=(1, 0, 0)))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.2)
    >>> round(float(sol.contact("rail").normal[-1]), 9)
    9.81
    """

    name: str
    first: str
    second: str
    radii: Numbers
    length: float
    axis: Numbers = (1.0, 0.0, 0.0)
    points: Numbers | None = None
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "radii": required(Value.NUMBERS),
        "length": required(Value.POSITIVE),
        "axis": optional(Value.VECTOR),
        "points": optional(Value.TWO_VECTORS),
        **TOUCH,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        radii = two_radii(self)
        if not (np.isfinite(self.length) and self.length > 0):
            raise InputError(f"{self.what}: the length must be positive, received {self.length!r}", argument="length")
        ball, capsule = world.body(self.first), world.body(self.second)
        frame = triad(unit(f"{self.what}: axis", self.axis, "axis")) @ capsule.R
        centres = centres_of(between_points(self.name, ball, capsule, self.points))
        half = np.array([0.0, 0.0, 0.5 * self.length])
        return [on_box(self, ball, capsule, centres, radii[0], half, frame, radii[1], np.array([0.0, 0.0, 1.0]))]

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        points = (None, None) if self.points is None else self.points
        ball = bodies[self.first]
        at = arm(ball, place(self.what, points[0], ball, "points"))
        found: dict[str, Solid | Placed] = {self.first: Placed(Sphere(float(self.radii[0]), mass=1.0), at)}
        if self.second in bodies:
            body = bodies[self.second]
            axis = np.asarray(self.axis, dtype=np.float64) @ body.R
            at = arm(body, place(self.what, points[1], body, "points"))
            found[self.second] = Placed(Capsule(float(self.radii[1]), self.length, mass=1.0), at, triad(axis).T)
        return found


@contact("journal")
@dataclass(frozen=True)
class Journal(Touch, ContactPart):
    """A journal in a bearing with clearance: two points no farther apart than it.

    In space the bodies must be held in a plane across the axis by something else, unless the axis
    of the bearing is given: along it the journal is free.

    Parameters
    ----------
    first, second
        Names of the bodies with the bearing and with the journal.
    clearance
        Radius of the bearing less that of the journal.
    points
        Centres of bearing and journal in the world at the start; the mass centres if left out.
    radius
        Radius of the journal, at which friction acts.
    axis
        Axis of the bearing in the world at the start.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, -9.81, 0))
    >>> _ = mech.add_body("rod", mass=1.0, inertia=0.1, kind="planar", position=(0.5, 0.0))
    >>> points = ((0, 0, 0), (0, 0, 0))
    >>> _ = mech.add_contact(iso.Journal("bearing", "ground", "rod", clearance=1e-3, points=points))
    >>> sol = iso.integrate(mech, dt=0.002, t_end=0.2)
    >>> bool(sol.contact("bearing").gap.min() > -1e-13)
    True
    """

    name: str
    first: str
    second: str
    clearance: float
    points: Numbers | None = None
    radius: float | None = None
    axis: Numbers | None = None
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "clearance": required(Value.POSITIVE),
        "points": optional(Value.TWO_VECTORS),
        "radius": optional(Value.POSITIVE),
        "axis": optional(Value.VECTOR),
        **TOUCH,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        if not (np.isfinite(self.clearance) and self.clearance > 0):
            raise InputError(
                f"{self.what}: the clearance must be positive, received {self.clearance!r}", argument="clearance"
            )
        pair = between_points(self.name, world.body(self.first), world.body(self.second), self.points)
        flat = pair.first.kind in PLANAR or pair.second.kind in PLANAR
        if self.axis is None and not self.friction_at_rest:
            return [Gap("", ((-1.0, pair.length_word()),), -self.clearance)]
        if self.friction_at_rest and self.radius is None:
            raise InputError(f"{self.what}: friction needs the radius of the journal", argument="radius")
        if self.axis is None and not flat:
            raise InputError(f"{self.what}: friction in space needs the axis of the bearing", argument="axis")
        if self.radius is not None:
            refuse_radius(self.name, self.radius)
        bearing, journal = pair.first, pair.second
        axis = unit(f"{self.what}: axis", (0, 0, 1) if self.axis is None else self.axis, "axis")
        frame = triad(axis) @ bearing.R
        one, two = centres_of(pair)
        turned = Pair(self.name, journal, bearing, arm(journal, two), arm(bearing, one), frame, frame)
        numbers: dict[str, Any] = {"half": (0.0, 0.0, np.inf), "c1": frame[0], "c": frame[2]}
        word = turned.word(words.BALL, **numbers)
        inside = -float(self.radius or 0.0)  # the journal touches on the far side of its centre
        slips = slips_of_ball(turned, self, np.array([0.0, 0.0, 1.0]), radius=inside, **numbers)
        return [Gap("", ((-1.0, word),), -self.clearance, slips)]

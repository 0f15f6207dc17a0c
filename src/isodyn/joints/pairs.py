"""Kinematic pairs as sentences of words (isodyn.joints.words).

    spherical   points coincide                              prismatic     offsets 1, 2; axes (1,2) (2,3) (3,1)
    hinge       points coincide; axes (1,3) (2,3)            cylindrical   offsets 1, 2; axes (1,3) (2,3)
    universal   points coincide; axes (3,3)                  screw         cylindrical; offset 3 − pitch·angle
    fixed       points coincide; axes (1,2) (2,3) (3,1)      planar        offset 3; axes (1,3) (2,3)
    distance    length                                       point on plane   offset 3

Axis 3 is the joint's own. Source: [Shimada2014 (6.26)–(6.100)], corrected. Between planar bodies
the rows across the plane are left out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from isodyn.bodies.body import Body
from isodyn.errors import InputError, about
from isodyn.joints import measures as words
from isodyn.joints.actions import of_pair
from isodyn.joints.part import JointPart, JointRows, JointWorld, Symbol
from isodyn.joints.words import Pair, Row, RowKind, Word, between_points, length_of, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Value, joint, optional, required
from isodyn.real_numbers import real_number

_TURNS = (*words.WHOLE_TURNS, words.PLANAR_ANGLE)


@dataclass(frozen=True, kw_only=True)
class _Where:
    """Where a joint is: in the world at the start, or by points and axes of the two bodies."""

    point: Any = None
    axis: Any = None
    points: Any = None
    axes: Any = None


@dataclass(frozen=True)
class _Named:
    name: str
    first: str
    second: str


@dataclass(frozen=True)
class Joint(_Where, _Named, JointPart):
    """A pair between two bodies. `point` and `axis` are in the world at the start; `points`, `axes`
    in the two bodies instead."""

    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "point": optional(Value.VECTOR),
        "axis": optional(Value.VECTOR),
        "points": optional(Value.TWO_VECTORS),
        "axes": optional(Value.TWO_VECTORS),
    }
    in_plane: ClassVar[bool] = True
    oriented: ClassVar[bool] = True

    def pair(self, first: Body, second: Body) -> Pair:
        """Points and triads in the bodies; what makes no sense is refused."""
        pair = Pair.of(self.name, first, second, self.point, self.axis, self.points, self.axes)
        if self.oriented:
            pair.oriented(type(self).__name__.lower())
        if pair.planar and not self.in_plane:
            raise InputError(
                f"joint {self.name!r}: a {type(self).__name__} has no meaning between planar bodies", argument="between"
            )
        return pair

    @abstractmethod
    def rows(self, pair: Pair) -> list[Row]:
        """The rows of the constraint."""

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        """Relative coordinates that can be read out, driven and loaded."""
        return {}

    def symbol(self, rows: list[Row], coordinates: dict[str, Word]) -> Symbol:
        """How it is drawn: by what moves."""
        kinds = {word.kind for word in coordinates.values()}
        if words.LENGTH in kinds:
            return Symbol.NONE
        if kinds:
            turns, slides = not kinds.isdisjoint(_TURNS), words.OFFSET in kinds
            return Symbol.CYLINDER if turns and slides else Symbol.HINGE if turns else Symbol.SLIDER
        if not rows or rows[0].kind is not RowKind.POINT:
            return Symbol.PLANE
        turning = sum(row.kind in (RowKind.AXES, RowKind.ANGLE) for row in rows)
        return Symbol.BALL if turning == 0 else Symbol.UNIVERSAL if turning == 1 and len(rows) == 4 else Symbol.FIXED

    def build(self, world: JointWorld) -> JointRows:
        """Its rows and coordinates between the two bodies."""
        pair = self.pair(world.body(self.first), world.body(self.second))
        rows, coordinates = self.rows(pair), self.coordinates(pair)
        return JointRows(rows, of_pair(pair), pair, coordinates, self.symbol(rows, coordinates))

    @classmethod
    def check_table(cls, given: Mapping[str, Any]) -> None:
        """A place is given in the world or in the bodies, and an axis has a direction."""
        for one, many in (("point", "points"), ("axis", "axes")):
            if given.get(one) is not None and given.get(many) is not None:
                raise InputError(f"{one} (in the world) and {many} (in the bodies) exclude each other", argument=many)
        if given.get("axis") is not None and not any(given["axis"]):
            raise InputError("the axis has no direction", argument="axis")


@joint("spherical")
@dataclass(frozen=True)
class Spherical(Joint):
    """A joint that keeps a point of one body at a point of the other.

    Parameters
    ----------
    name
        Name of the joint.
    first, second
        Names of the bodies, or "ground".
    point
        Point of the joint in the world at the start; the mass centre of the second body if left
        out.
    axis
        Axis in the world at the start.
    points, axes
        Points and axes in the frames of the two bodies, in place of `point` and `axis`. The joint
        may then be open until the mechanism is assembled.

    Raises
    ------
    InputError
        If points or axes do not fit, once the joint is built.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Spherical("ball", "ground", "rod", point=(0, 0, 0)))
    >>> mech.compile().m
    3
    """

    oriented: ClassVar[bool] = False

    def rows(self, pair: Pair) -> list[Row]:
        """Return the constraint rows.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        rows
            The rows.
        """
        return pair.coincide()


@joint("hinge")
@dataclass(frozen=True)
class Hinge(Joint):
    """A joint that turns about one axis; its coordinate is the angle.

    Parameters
    ----------
    name
        Name of the joint.
    first, second
        Names of the bodies, or "ground".
    start
        Angle at the start.
    point
        Point of the joint in the world at the start; the mass centre of the second body if left
        out.
    axis
        Axis in the world at the start.
    points, axes
        Points and axes in the frames of the two bodies, in place of `point` and `axis`. The joint
        may then be open until the mechanism is assembled.

    Raises
    ------
    InputError
        If points or axes do not fit, once the joint is built.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> mech.compile().m
    5
    """

    start: float = 0.0
    keys: ClassVar[Keys] = {**Joint.keys, "start": optional(Value.NUMBER)}

    def rows(self, pair: Pair) -> list[Row]:
        """Return the constraint rows.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        rows
            The rows.
        """
        if not pair.planar:
            about = [(3, 1), (3, 2)] if pair.first.kind == "cable" else [(1, 3), (2, 3)]
            return [*pair.coincide(), *(pair.axes(i, j) for i, j in about)]
        if abs(abs(pair.a[2] @ pair.first.R.T[2]) - 1) > 1e-9:
            raise InputError(
                f"joint {self.name!r}: the axis of a hinge between planar bodies is the z axis", argument="axis"
            )
        return pair.coincide()

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        """Return the coordinates of the joint by name.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        coordinates
            A measure for each name.
        """
        start = _finite_start(self.name, self.start)
        if abs(start) > np.pi:
            raise InputError(
                f"joint {self.name!r}: start must lie within half a turn, received {start:g}", argument="start"
            )
        if start == 0.0:
            return _angle_of(pair)
        a, c, s = pair.a, np.cos(start), np.sin(start)
        counted = np.array([c * a[0] - s * a[1], s * a[0] + c * a[1], a[2]])
        return _angle_of(replace(pair, a=counted, zero=pair.zero - start))


@joint("prismatic")
@dataclass(frozen=True)
class Prismatic(Joint):
    """A joint that slides along one axis without turning.

    Its coordinate is the displacement.

    Parameters
    ----------
    name
        Name of the joint.
    first, second
        Names of the bodies, or "ground".
    start
        Displacement at the start.
    point
        Point of the joint in the world at the start; the mass centre of the second body if left
        out.
    axis
        Axis in the world at the start.
    points, axes
        Points and axes in the frames of the two bodies, in place of `point` and `axis`. The joint
        may then be open until the mechanism is assembled.

    Raises
    ------
    InputError
        If points or axes do not fit, once the joint is built.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Prismatic("slide", "ground", "rod", axis=(1, 0, 0)))
    >>> mech.compile().m
    5
    """

    start: float = 0.0
    keys: ClassVar[Keys] = {**Joint.keys, "start": optional(Value.NUMBER)}

    def rows(self, pair: Pair) -> list[Row]:
        """Return the constraint rows.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        rows
            The rows.
        """
        if not pair.planar:
            return [pair.offset(1), pair.offset(2), pair.axes(1, 2), pair.axes(2, 3), pair.axes(3, 1)]
        return [_across(pair), _unturned(pair)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        """Return the coordinates of the joint by name.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        coordinates
            A measure for each name.
        """
        start = _finite_start(self.name, self.start)
        counted = pair if start == 0.0 else replace(pair, s_i=pair.s_i - start * pair.a[2])
        return {"displacement": counted.offset_word(3)}


@joint("cylindrical")
@dataclass(frozen=True)
class Cylindrical(Joint):
    """A joint that turns about and slides along one axis.

    Its coordinates are the angle and the displacement.

    Parameters
    ----------
    name
        Name of the joint.
    first, second
        Names of the bodies, or "ground".
    point
        Point of the joint in the world at the start; the mass centre of the second body if left
        out.
    axis
        Axis in the world at the start.
    points, axes
        Points and axes in the frames of the two bodies, in place of `point` and `axis`. The joint
        may then be open until the mechanism is assembled.

    Raises
    ------
    InputError
        If points or axes do not fit, once the joint is built.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Cylindrical("pin", "ground", "rod", axis=(0, 1, 0)))
    >>> mech.compile().m
    4
    """

    in_plane: ClassVar[bool] = False

    def rows(self, pair: Pair) -> list[Row]:
        """Return the constraint rows.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        rows
            The rows.
        """
        return [pair.offset(1), pair.offset(2), pair.axes(1, 3), pair.axes(2, 3)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        """Return the coordinates of the joint by name.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        coordinates
            A measure for each name.
        """
        return _angle_of(pair) | {"displacement": pair.offset_word(3)}


@joint("screw")
@dataclass(frozen=True)
class Screw(Joint):
    """A joint that turns about one axis and moves along it.

    Its coordinates are the angle and the displacement.

    The angle at the start follows from the displacement at the start.

    Parameters
    ----------
    name
        Name of the joint.
    first, second
        Names of the bodies, or "ground".
    pitch
        Displacement per radian.
    point
        Point of the joint in the world at the start; the mass centre of the second body if left
        out.
    axis
        Axis in the world at the start.
    points, axes
        Points and axes in the frames of the two bodies, in place of `point` and `axis`. The joint
        may then be open until the mechanism is assembled.

    Raises
    ------
    InputError
        If points or axes do not fit, once the joint is built.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Screw("nut", "ground", "rod", pitch=0.01, axis=(1, 0, 0)))
    >>> mech.compile().m
    5
    """

    pitch: float = 0.0
    keys: ClassVar[Keys] = {**Joint.keys, "pitch": required(Value.NOT_ZERO)}
    in_plane: ClassVar[bool] = False

    def rows(self, pair: Pair) -> list[Row]:
        """Return the constraint rows.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        rows
            The rows.
        """
        if not (np.isfinite(self.pitch) and self.pitch != 0):
            raise InputError(
                f"joint {self.name!r}: the pitch of a screw must not be zero, received {self.pitch!r}",
                hint="displacement per radian; a Hinge does not advance",
                argument="pitch",
            )
        advance = Row(
            self.name,
            "advance",
            RowKind.ADVANCE,
            ((1.0, pair.offset_word(3)), (-float(self.pitch), pair.angle_word())),
            any_turn=True,
        )  # [Shimada2014 (6.85) adapted]
        return [pair.offset(1), pair.offset(2), pair.axes(1, 3), pair.axes(2, 3), advance]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        """Return the coordinates of the joint by name.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        coordinates
            A measure for each name.
        """
        return _angle_of(pair) | {"displacement": pair.offset_word(3)}


@joint("planar")
@dataclass(frozen=True)
class Planar(Joint):
    """A joint that slides in the plane ⟂ axis and turns about the axis.

    Its coordinates are x, y and the angle: the way from the point of the first body to that of the
    second, in axes of the first body, and the turn about the axis.

    Parameters
    ----------
    name
        Name of the joint.
    first, second
        Names of the bodies, or "ground".
    direction
        Direction of x, in the world at the start, or in the first body if `axes` are given; its part
        along the axis is left out. If left out, the axis of the world that is farthest from `axis`.
    point
        Point of the joint in the world at the start; the mass centre of the second body if left
        out.
    axis
        Axis in the world at the start.
    points, axes
        Points and axes in the frames of the two bodies, in place of `point` and `axis`. The joint
        may then be open until the mechanism is assembled.

    Raises
    ------
    InputError
        If points or axes do not fit, once the joint is built.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Planar("table", "ground", "rod", axis=(0, 0, 1)))
    >>> mech.compile().m
    3
    """

    direction: Any = None
    keys: ClassVar[Keys] = {**Joint.keys, "direction": optional(Value.VECTOR)}
    in_plane: ClassVar[bool] = False

    def rows(self, pair: Pair) -> list[Row]:
        """Return the constraint rows.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        rows
            The rows.
        """
        return [pair.offset(3), pair.axes(1, 3), pair.axes(2, 3)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        """Return the coordinates of the joint by name.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        coordinates
            A measure for each name.
        """
        pair = _along_direction(pair, self.direction, self.axes is not None)
        return {"x": pair.offset_word(1), "y": pair.offset_word(2)} | _angle_of(pair)

    def symbol(self, rows: list[Row], coordinates: dict[str, Word]) -> Symbol:
        """Return how the joint is drawn.

        Parameters
        ----------
        rows
            Its rows.
        coordinates
            Its coordinates.

        Returns
        -------
        symbol
            The symbol.
        """
        return Symbol.PLANE


@joint("universal")
@dataclass(frozen=True)
class Universal(Joint):
    """A cross of two axes, one fixed in each body, that stay perpendicular.

    Its coordinates are the turn of the cross against the first body about `axis` (`angle`), and
    that of the second body against the cross about `second_axis` (`second_angle`); both are zero
    at the start.

    Parameters
    ----------
    name
        Name of the joint.
    first, second
        Names of the bodies, or "ground".
    second_axis
        Axis in the second body, in the world at the start; `axis` is that of the first body.
    point
        Point of the joint in the world at the start; the mass centre of the second body if left
        out.
    axis
        Axis in the world at the start.
    points, axes
        Points and axes in the frames of the two bodies, in place of `point` and `axis`. The joint
        may then be open until the mechanism is assembled.

    Raises
    ------
    InputError
        If points or axes do not fit, once the joint is built.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Universal("cross", "ground", "rod", axis=(1, 0, 0), second_axis=(0, 1, 0)))
    >>> mech.compile().m
    4
    """

    second_axis: Any = None
    keys: ClassVar[Keys] = {**Joint.keys, "second_axis": optional(Value.VECTOR)}
    in_plane: ClassVar[bool] = False

    def rows(self, pair: Pair) -> list[Row]:
        """Return the constraint rows.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        rows
            The rows.
        """
        word = pair.word(words.AXES, a=pair.a[2], c=self._second(pair))
        return [*pair.coincide(), pair.row("axis ⟂ axis", RowKind.AXES, word)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        """Return the coordinates of the joint by name.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        coordinates
            A measure for each name.
        """
        if "cable" in (pair.first.kind, pair.second.kind):
            return {}
        return {word.called: word for word in pair.cross_words(pair.a[2], self._second(pair))}

    def symbol(self, rows: list[Row], coordinates: dict[str, Word]) -> Symbol:
        """Return how the joint is drawn.

        Parameters
        ----------
        rows
            Its rows.
        coordinates
            Its coordinates.

        Returns
        -------
        symbol
            The symbol.
        """
        return Symbol.UNIVERSAL

    def _second(self, pair: Pair) -> FloatArray:
        """The axis in the second body."""
        if self.axes is not None:
            return np.asarray(pair.c[2])
        if self.second_axis is None:
            raise InputError(f"joint {self.name!r}: a universal joint needs second_axis=, the axis in {self.second!r}")
        second = unit(f"joint {self.name!r}: second_axis", self.second_axis, "second_axis") @ pair.second.R
        cosine = float(pair.first.R @ pair.a[2] @ (pair.second.R @ second))
        if abs(cosine) > 1e-6:
            raise InputError(
                f"joint {self.name!r}: axis and second_axis of a universal joint must be perpendicular,"
                f" received {np.degrees(np.arccos(min(abs(cosine), 1.0))):.4g}° between them",
                argument="second_axis",
            )
        return np.asarray(second)


@joint("point_on_plane")
@dataclass(frozen=True)
class PointOnPlane(Joint):
    """A point of the second body stays in a plane of the first.

    The plane goes through `point`, ⟂ `axis`, and moves with the first body. Its coordinates are x
    and y, the place of the point in the plane; between planar bodies x alone.

    Parameters
    ----------
    name
        Name of the joint.
    first, second
        Names of the bodies, or "ground".
    direction
        Direction of x, as in a `Planar` joint.
    lift
        A function of time by which the plane moves along its axis in the first body.
    point
        Point of the joint in the world at the start; the mass centre of the second body if left
        out.
    axis
        Axis in the world at the start.
    points, axes
        Points and axes in the frames of the two bodies, in place of `point` and `axis`. The joint
        may then be open until the mechanism is assembled.

    Raises
    ------
    InputError
        If points or axes do not fit, once the joint is built.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.PointOnPlane("touch", "ground", "rod", axis=(0, 0, 1)))
    >>> mech.compile().m
    1
    """

    direction: Any = None
    lift: Any = 0.0
    keys: ClassVar[Keys] = {**Joint.keys, "direction": optional(Value.VECTOR), "lift": optional(Value.TIME)}
    oriented: ClassVar[bool] = False

    def rows(self, pair: Pair) -> list[Row]:
        """Return the constraint rows.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        rows
            The rows.
        """
        if pair.first.kind == "particle":
            raise InputError(
                f"joint {self.name!r}: the plane belongs to the first body, which is a particle",
                argument=("between", 0),
            )
        return [replace(pair.offset(3), target=self.lift)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        """Return the coordinates of the joint by name.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        coordinates
            A measure for each name.
        """
        if pair.planar:
            across = np.cross(np.array([0.0, 0.0, 1.0]), pair.a[2])
            return {"x": pair.word(words.OFFSET, a=-across)} if np.linalg.norm(across) > 0.5 else {}
        pair = _along_direction(pair, self.direction, self.axes is not None)
        return {"x": pair.offset_word(1), "y": pair.offset_word(2)}

    def symbol(self, rows: list[Row], coordinates: dict[str, Word]) -> Symbol:
        """Return how the joint is drawn.

        Parameters
        ----------
        rows
            Its rows.
        coordinates
            Its coordinates.

        Returns
        -------
        symbol
            The symbol.
        """
        return Symbol.PLANE


@joint("fixed")
@dataclass(frozen=True)
class Fixed(Joint):
    """A joint without relative motion.

    Parameters
    ----------
    name
        Name of the joint.
    first, second
        Names of the bodies, or "ground".
    point
        Point of the joint in the world at the start; the mass centre of the second body if left
        out.
    axis
        Axis in the world at the start.
    points, axes
        Points and axes in the frames of the two bodies, in place of `point` and `axis`. The joint
        may then be open until the mechanism is assembled.

    Raises
    ------
    InputError
        If points or axes do not fit, once the joint is built.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Fixed("weld", "ground", "rod"))
    >>> mech.compile().m
    6
    """

    def rows(self, pair: Pair) -> list[Row]:
        """Return the constraint rows.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        rows
            The rows.
        """
        if pair.planar:
            return [*pair.coincide(), _unturned(pair)]
        return [*pair.coincide(), pair.axes(1, 2), pair.axes(2, 3), pair.axes(3, 1)]


@joint("distance")
@dataclass(frozen=True)
class Distance(Joint):
    """A massless rod between a point of each body.

    Its coordinate is the length.

    Parameters
    ----------
    name
        Name of the joint.
    first, second
        Names of the bodies, or "ground".
    length
        Length of the rod; that at the start if left out.
    point, axis
        Not used by this joint.
    points
        Its ends in the world at the start.
    axes
        Not used by this joint.

    Raises
    ------
    InputError
        If the points do not fit, once the joint is built.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Distance("rod 2", "ground", "rod", points=[(0, 0, 1), (0.5, 0, 0)]))
    >>> mech.compile().m
    1
    """

    length: float | None = None
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "points": optional(Value.TWO_VECTORS),
        "length": optional(Value.POSITIVE),
    }
    oriented: ClassVar[bool] = False

    def pair(self, first: Body, second: Body) -> Pair:
        """Return the points and axes in the two bodies.

        Parameters
        ----------
        first, second
            The bodies.

        Returns
        -------
        pair
            Points and axes in the frames of the bodies.
        """
        return between_points(self.name, first, second, self.points)

    def rows(self, pair: Pair) -> list[Row]:
        """Return the constraint rows.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        rows
            The rows.
        """
        now = length_of(pair)
        length = now if self.length is None else float(self.length)
        if not length > 0:
            raise InputError(
                f"joint {self.name!r}: the distance must be positive, received {length:g}",
                argument="points" if self.length is None else "length",
            )
        return [pair.row("distance", RowKind.LENGTH, pair.length_word(), length)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        """Return the coordinates of the joint by name.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        coordinates
            A measure for each name.
        """
        return {"length": pair.length_word()}


def _angle_of(pair: Pair) -> dict[str, Word]:
    """The turn about axis 3; nothing turns with the node of a cable, which has no twist."""
    return {} if "cable" in (pair.first.kind, pair.second.kind) else {"angle": pair.angle_word()}


def _along_direction(pair: Pair, direction: Any, in_body: bool) -> Pair:
    """The same with axis 1 along a direction in the world at the start, or in the first body; axes
    1 and 2 of the second body turn with it."""
    if direction is None:
        return pair
    what = f"joint {pair.name!r}: direction"
    d = unit(what, direction, "direction")
    d = d if in_body else d @ pair.first.R
    across = d - (d @ pair.a[2]) * pair.a[2]
    if np.linalg.norm(across) < 1e-6:
        raise InputError(f"{what} points along the axis", argument="direction")
    e1 = across / np.linalg.norm(across)
    c, s = float(e1 @ pair.a[0]), float(e1 @ pair.a[1])
    turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return replace(pair, a=turn @ pair.a, c=turn @ pair.c)


def _finite_start(name: str, start: float) -> float:
    with about(None, "start"):
        return real_number(f"joint {name!r}: start", start)


def _across(pair: Pair) -> Row:
    """In the plane: no offset across the axis."""
    normal = np.cross(np.array([0.0, 0.0, 1.0]), pair.a[2])
    if np.linalg.norm(normal) < 1 - 1e-9:
        raise InputError(
            f"joint {pair.name!r}: the axis between planar bodies must lie in their plane", argument="axis"
        )
    return pair.row("offset across the axis", RowKind.OFFSET, pair.word(words.OFFSET, a=normal))


def _unturned(pair: Pair) -> Row:
    """In the plane: no relative rotation."""
    return pair.row("angle", RowKind.ANGLE, pair.angle_word())

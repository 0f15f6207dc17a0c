"""Kinematic pairs that turn about or slide along an axis, as sentences of words
(isodyn.joints.words).

    hinge       points coincide; axes (1,3) (2,3)            prismatic     offsets 1, 2; axes (1,2) (2,3) (3,1)
    screw       cylindrical; offset 3 − pitch·angle          cylindrical   offsets 1, 2; axes (1,3) (2,3)
    fixed       points coincide; axes (1,2) (2,3) (3,1)      planar        offset 3; axes (1,3) (2,3)

Axis 3 is the joint's own. Source: [Shimada2014 (6.26)–(6.100)], corrected. Between planar bodies
the rows across the plane are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from isodyn.errors import InputError, about
from isodyn.joints import measures as words
from isodyn.joints.actions import of_section
from isodyn.joints.joint import Joint
from isodyn.joints.part import JointRows, JointWorld, Symbol
from isodyn.joints.words import Pair, Row, RowKind, Word
from isodyn.parts import Keys, Value, joint, optional, required
from isodyn.real_numbers import real_number

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@joint("hinge")
@dataclass(frozen=True)
class Hinge(Joint):
    """A joint that turns about one axis; its coordinate is the angle.

    Parameters
    ----------
    start
        Angle at the start.

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
        if not pair.planar:
            about = [(3, 1), (3, 2)] if pair.first.kind == "cable" else [(1, 3), (2, 3)]
            return [*pair.coincide(), *(pair.axes(i, j) for i, j in about)]
        if abs(abs(pair.a[2] @ pair.first.R.T[2]) - 1) > 1e-9:
            raise InputError(
                f"joint {self.name!r}: the axis of a hinge between planar bodies is the z axis", argument="axis"
            )
        return pair.coincide()

    def coordinates(self, pair: Pair) -> dict[str, Word]:
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
    start
        Displacement at the start.

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
        if not pair.planar:
            return [pair.offset(1), pair.offset(2), pair.axes(1, 2), pair.axes(2, 3), pair.axes(3, 1)]
        return [_across(pair), _unturned(pair)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        start = _finite_start(self.name, self.start)
        counted = pair if start == 0.0 else replace(pair, s_i=pair.s_i - start * pair.a[2])
        return {"displacement": counted.offset_word(3)}


@joint("cylindrical")
@dataclass(frozen=True)
class Cylindrical(Joint):
    """A joint that turns about and slides along one axis.

    Its coordinates are the angle and the displacement.

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
        return [pair.offset(1), pair.offset(2), pair.axes(1, 3), pair.axes(2, 3)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        return _angle_of(pair) | {"displacement": pair.offset_word(3)}


@joint("screw")
@dataclass(frozen=True)
class Screw(Joint):
    """A joint that turns about one axis and moves along it.

    Its coordinates are the angle and the displacement.

    The angle at the start follows from the displacement at the start.

    Parameters
    ----------
    pitch
        Displacement per radian.

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
        return _angle_of(pair) | {"displacement": pair.offset_word(3)}


@joint("planar")
@dataclass(frozen=True)
class Planar(Joint):
    """A joint that slides in the plane ⟂ axis and turns about the axis.

    Its coordinates are x, y and the angle: the way from the point of the first body to that of the
    second, in axes of the first body, and the turn about the axis.

    Parameters
    ----------
    direction
        Direction of x, in the world at the start, or in the first body if `axes` are given; its
        part along the axis is left out. If left out, the axis of the world that is farthest from
        `axis`.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Planar("table", "ground", "rod", axis=(0, 0, 1)))
    >>> mech.compile().m
    3
    """

    direction: Numbers | None = None
    keys: ClassVar[Keys] = {**Joint.keys, "direction": optional(Value.VECTOR)}
    in_plane: ClassVar[bool] = False

    def rows(self, pair: Pair) -> list[Row]:
        return [pair.offset(3), pair.axes(1, 3), pair.axes(2, 3)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        pair = pair.along(self.direction, self.axes is not None)
        return {"x": pair.offset_word(1), "y": pair.offset_word(2)} | _angle_of(pair)

    def symbol(self, rows: list[Row], coordinates: dict[str, Word]) -> Symbol:
        return Symbol.PLANE


@joint("fixed")
@dataclass(frozen=True)
class Fixed(Joint):
    """A joint without relative motion.

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
        if pair.planar:
            return [*pair.coincide(), _unturned(pair)]
        return [*pair.coincide(), pair.axes(1, 2), pair.axes(2, 3), pair.axes(3, 1)]

    def build(self, world: JointWorld) -> JointRows:
        sections = {name: world.section(name) for name in (self.first, self.second)}
        held = [name for name, points in sections.items() if points]
        if not held:
            return super().build(world)
        body = world.body(self.first if held == [self.second] else self.second)
        if len(held) == 2 or body.kind == "particle":
            raise InputError(
                f"joint {self.name!r}: a cross-section of points can be welded to a body, not to another or to a particle",
                hint="put a body between them",
                argument="between",
            )
        points = sections[held[0]]
        pairs = [Pair.of(self.name, body, point, point.position, None) for point in points]
        rows = [
            replace(row, label=f"{row.label}{place}")
            for pair, place in zip(pairs, ("", " of y", " of z"), strict=True)
            for row in pair.coincide()
        ]
        on = points[0].name if held == [self.second] else body.name
        action = of_section(pairs[0], (point.name for point in points), on)
        return JointRows(rows, action, pairs[0], {}, Symbol.FIXED)


def _angle_of(pair: Pair) -> dict[str, Word]:
    """The turn about axis 3; nothing turns with the node of a cable, which has no twist."""
    return {} if "cable" in (pair.first.kind, pair.second.kind) else {"angle": pair.angle_word()}


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

"""Kinematic pairs that act at points, as sentences of words (isodyn.joints.words).

    spherical        points coincide                   point on plane   offset 3
    universal        points coincide; axes (3,3)       distance         length

Axis 3 is the joint's own. Source: [Shimada2014 (6.26)–(6.100)], corrected. Between planar bodies
the rows across the plane are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from isodyn.bodies.body import Body
from isodyn.errors import InputError
from isodyn.joints import measures as words
from isodyn.joints.joint import Joint
from isodyn.joints.part import Symbol
from isodyn.joints.words import Pair, Row, RowKind, Word, between_points, length_of, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Value, joint, optional, required

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@joint("spherical")
@dataclass(frozen=True)
class Spherical(Joint):
    """A joint that keeps a point of one body at a point of the other.

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
        return pair.coincide()


@joint("universal")
@dataclass(frozen=True)
class Universal(Joint):
    """A cross of two axes, one fixed in each body, that stay perpendicular.

    Its coordinates are the turn of the cross against the first body about `axis` (`angle`), and
    that of the second body against the cross about `second_axis` (`second_angle`); both are zero
    at the start.

    Parameters
    ----------
    second_axis
        Axis in the second body, in the world at the start; `axis` is that of the first body.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Universal("cross", "ground", "rod", axis=(1, 0, 0), second_axis=(0, 1, 0)))
    >>> mech.compile().m
    4
    """

    second_axis: Numbers | None = None
    keys: ClassVar[Keys] = {**Joint.keys, "second_axis": optional(Value.VECTOR)}
    in_plane: ClassVar[bool] = False

    def rows(self, pair: Pair) -> list[Row]:
        word = pair.word(words.AXES, a=pair.a[2], c=self._second(pair))
        return [*pair.coincide(), pair.row("axis ⟂ axis", RowKind.AXES, word)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        if "cable" in (pair.first.kind, pair.second.kind):
            return {}
        return {word.called: word for word in pair.cross_words(pair.a[2], self._second(pair))}

    def symbol(self, rows: list[Row], coordinates: dict[str, Word]) -> Symbol:
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
    direction
        Direction of x, as in a `Planar` joint.
    lift
        A function of time by which the plane moves along its axis in the first body.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.PointOnPlane("touch", "ground", "rod", axis=(0, 0, 1)))
    >>> mech.compile().m
    1
    """

    direction: Numbers | None = None
    lift: Any = 0.0
    keys: ClassVar[Keys] = {**Joint.keys, "direction": optional(Value.VECTOR), "lift": optional(Value.TIME)}
    oriented: ClassVar[bool] = False

    def rows(self, pair: Pair) -> list[Row]:
        if pair.first.kind == "particle":
            raise InputError(
                f"joint {self.name!r}: the plane belongs to the first body, which is a particle",
                argument=("between", 0),
            )
        return [replace(pair.offset(3), target=self.lift)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        if pair.planar:
            across = np.cross(np.array([0.0, 0.0, 1.0]), pair.a[2])
            return {"x": pair.word(words.OFFSET, a=-across)} if np.linalg.norm(across) > 0.5 else {}
        pair = pair.along(self.direction, self.axes is not None)
        return {"x": pair.offset_word(1), "y": pair.offset_word(2)}

    def symbol(self, rows: list[Row], coordinates: dict[str, Word]) -> Symbol:
        return Symbol.PLANE


@joint("distance")
@dataclass(frozen=True)
class Distance(Joint):
    """A massless rod between a point of each body.

    Its coordinate is the length.

    Parameters
    ----------
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
        return between_points(self.name, first, second, self.points)

    def rows(self, pair: Pair) -> list[Row]:
        now = length_of(pair)
        length = now if self.length is None else float(self.length)
        if not length > 0:
            raise InputError(
                f"joint {self.name!r}: the distance must be positive, received {length:g}",
                argument="points" if self.length is None else "length",
            )
        return [pair.row("distance", RowKind.LENGTH, pair.length_word(), length)]

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        return {"length": pair.length_word()}

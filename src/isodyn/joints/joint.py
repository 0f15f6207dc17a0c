"""What all kinematic pairs have in common: two bodies, the place of the joint on them, and its
symbol in drawings.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from isodyn.bodies.body import Body
from isodyn.errors import InputError
from isodyn.joints import measures as words
from isodyn.joints.actions import of_pair
from isodyn.joints.part import JointPart, JointRows, JointWorld, Symbol
from isodyn.joints.words import Pair, Row, RowKind, Word
from isodyn.parts import Keys, Value, optional, required

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

_TURNS = (*words.WHOLE_TURNS, words.PLANAR_ANGLE)


@dataclass(frozen=True, kw_only=True)
class _Where:
    """Where a joint is: in the world at the start, or by points and axes of the two bodies."""

    point: Any = None
    axis: Numbers | None = None
    points: Numbers | None = None
    axes: Numbers | None = None


@dataclass(frozen=True)
class _Named:
    name: str
    first: str
    second: str


@dataclass(frozen=True)
class Joint(_Where, _Named, JointPart):
    """A pair between two bodies.

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
    """

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
        """Return the points and axes in the two bodies.

        Parameters
        ----------
        first, second
            The bodies.

        Returns
        -------
        pair
            Points and axes in the frames of the bodies.

        Raises
        ------
        InputError
            If points or axes do not fit these bodies.
        """
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

    def coordinates(self, pair: Pair) -> dict[str, Word]:
        """Return the coordinates of the joint, which can be read out, driven and loaded.

        Parameters
        ----------
        pair
            The two bodies, with points and axes.

        Returns
        -------
        coordinates
            A measure for each name.
        """
        return {}

    def symbol(self, rows: list[Row], coordinates: dict[str, Word]) -> Symbol:
        """Return how the joint is drawn, which follows from what moves.

        Parameters
        ----------
        rows
            The constraint rows.
        coordinates
            A measure for each coordinate.

        Returns
        -------
        symbol
            The symbol.
        """
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
        pair = self.pair(world.body(self.first), world.body(self.second))
        rows, coordinates = self.rows(pair), self.coordinates(pair)
        return JointRows(rows, of_pair(pair), pair, coordinates, self.symbol(rows, coordinates))

    @classmethod
    def check_table(cls, given: Mapping[str, Any]) -> None:
        for one, many in (("point", "points"), ("axis", "axes")):
            if given.get(one) is not None and given.get(many) is not None:
                raise InputError(f"{one} (in the world) and {many} (in the bodies) exclude each other", argument=many)
        if given.get("axis") is not None and not any(given["axis"]):
            raise InputError("the axis has no direction", argument="axis")

"""Words and rows: measures between two named bodies, and constraint rows as sums of them.

A joint is written with points and axes in the world at the start; `Pair` turns them into points and
right-handed triads of the two bodies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.bodies.body import GROUND, Body, vector3
from isodyn.errors import Argument, InputError, about
from isodyn.joints import measures as words
from isodyn.joints.measures import WordNumbers
from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    import numpy.typing as npt

    from isodyn.open_types import Numbers


@dataclass(frozen=True, eq=False)
class Word:
    """One measure between two bodies."""

    kind: int
    first: str
    second: str
    numbers: WordNumbers
    owner: str = ""  # the part that it is written for
    called: str = ""  # its name among the coordinates of a joint, where that is not the usual one

    @property
    def key(self) -> tuple[int, str, str, bytes]:
        """The same for words that measure the same."""
        return self.kind, self.first, self.second, self.numbers.words.tobytes()


class RowKind(Enum):
    """What a constraint row holds."""

    POINT = "a component of the offset between two points that coincide"
    AXES = "the angle between two axes"
    OFFSET = "an offset along an axis of the first body"
    ANGLE = "a relative rotation in the plane"
    LENGTH = "a distance, or a sum of them"
    ADVANCE = "the advance of a screw"
    DRIVE = "a coordinate that follows a function of time"
    COUPLING = "a sum of coordinates"
    HEIGHT = "the height of what rolls above its plane"
    SLIP = "a rate of slip"
    USER = "a function of a user"


@dataclass(frozen=True, eq=False)
class Row:
    """φ = Σ weight·word − target(t), a row of the named joint; `label` tells it from the joint's
    other rows.

    Rates only: not holonomic. `any_turn`: the whole turns that its angle has at the start are free.
    """

    joint: str
    label: str
    kind: RowKind
    terms: tuple[tuple[float, Word], ...]
    target: Any = 0.0
    holonomic: bool = True
    any_turn: bool = False
    as_at_start: bool = False  # the target is what the sum is at the start

    @property
    def name(self) -> str:
        """As messages and results call it."""
        return f"{self.joint}: {self.label}" if self.label else self.joint


def ground_body() -> Body:
    """The world itself."""
    zero = np.zeros(3)
    return Body(GROUND, "ground", 0.0, np.zeros((3, 3)), zero, np.array([1.0, 0, 0, 0]), zero, zero, zero)


def triad(axis: FloatArray) -> FloatArray:
    """Orthonormal rows (e₁, e₂, e₃) with e₃ along the axis."""
    e3 = axis / np.linalg.norm(axis)
    e1 = np.zeros(3)
    e1[int(np.argmin(np.abs(e3)))] = 1.0
    e1 -= (e1 @ e3) * e3
    e1 /= np.linalg.norm(e1)
    return np.array([e1, np.cross(e3, e1), e3])


def unit(what: str, axis: Numbers, argument: Argument = ()) -> FloatArray:
    """An axis of length one; a zero axis is refused."""
    array = vector3(what, axis, argument)
    length = float(np.linalg.norm(array))
    if not length > 0.0:
        raise InputError(f"{what} has no direction: its length is {length:g}", argument=argument)
    return array / length


def arm(body: Body, P: FloatArray) -> FloatArray:
    """A point of the world in the body; the point of a node itself exactly zero."""
    d = P - body.position
    if body.is_node and np.abs(d).max() <= 1e-12 * float(np.abs(np.append(P, body.position)).max()):
        return np.zeros(3)
    return np.asarray(body.R.T @ d)


def _usual_point(what: str, first: Body, second: Body) -> FloatArray | tuple[int, int, int]:
    """Where a joint is when nothing is said: at the node of a beam that it holds, or else in the
    origin."""
    if first.is_node and second.is_node and arm(first, second.position).any():
        raise InputError(
            f"{what}: {first.name!r} at {first.position} and {second.name!r} at {second.position} are apart",
            hint="let the beams meet, or give point= where a rigid arm shall hold them",
            argument="between",
        )
    return next((body.position for body in (second, first) if body.is_node), (0, 0, 0))


def two(what: str, given: Any, argument: Argument) -> Any:
    """Two vectors, one in each body."""
    if np.ndim(given) != 2 or len(given) != 2:
        raise InputError(
            f"{what} must be two vectors, one in the frame of each body, received {given!r}", argument=argument
        )
    return given


@dataclass(frozen=True, eq=False)
class Pair:
    """The two bodies of a joint with its point and triad in each of them; `zero` is where planar
    angles count from."""

    name: str
    first: Body
    second: Body
    s_i: FloatArray
    s_j: FloatArray
    a: FloatArray
    c: FloatArray
    planar: bool = False
    zero: float = 0.0

    @classmethod
    def of(
        cls,
        name: str,
        first: Body,
        second: Body,
        point: ArrayLike,
        axis: Numbers,
        points: ArrayLike | None = None,
        axes: ArrayLike | None = None,
    ) -> Pair:
        """From a point and an axis in the world, or `points`, `axes` given in the frames of the two
        bodies."""
        what = f"joint {name!r}"
        if points is None:
            P = vector3(f"{what}: point", _usual_point(what, first, second) if point is None else point, "point")
            s_i, s_j = arm(first, P), arm(second, P)
        else:
            s_i, s_j = (vector3(f"{what}: points", p, "points") for p in two(f"{what}: points", points, "points"))
            s_i, s_j = s_i - first.centre, s_j - second.centre
        if axes is None:
            world = triad(unit(f"{what}: axis", (0, 0, 1) if axis is None else axis, "axis"))
            a, c = world @ first.R, world @ second.R
        else:
            a, c = (triad(unit(f"{what}: axes", x, "axes")) for x in two(f"{what}: axes", axes, "axes"))
        planar = {first.kind, second.kind} <= {"planar", "node", "ground"}
        zero = second.angle - first.angle if axes is None else 0.0
        return cls(name, first, second, s_i, s_j, a, c, planar, zero)

    def oriented(self, what: str) -> None:
        """Refuse particles where axes of both bodies are needed."""
        for body in (self.first, self.second):
            if body.kind == "particle":
                raise InputError(
                    f"joint {self.name!r}: a {what} needs orientations, but {body.name!r} is a particle",
                    argument="between",
                )

    def along(self, direction: Numbers, in_body: bool) -> Pair:
        """The same with axis 1 along a direction in the world at the start, or in the first body;
        axes 1 and 2 of the second body turn with it."""
        if direction is None:
            return self
        what = f"joint {self.name!r}: direction"
        d = unit(what, direction, "direction")
        d = d if in_body else d @ self.first.R
        across = d - (d @ self.a[2]) * self.a[2]
        if np.linalg.norm(across) < 1e-6:
            raise InputError(f"{what} points along the axis", argument="direction")
        e1 = across / np.linalg.norm(across)
        c, s = float(e1 @ self.a[0]), float(e1 @ self.a[1])
        turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        return replace(self, a=turn @ self.a, c=turn @ self.c)

    # ---- words

    def word(self, kind: int, **numbers: npt.ArrayLike) -> Word:
        """A measure of this pair; numbers by the names of isodyn.joints.measures.WordNumbers."""
        own = WordNumbers()
        for name, value in {"s_i": self.s_i, "s_j": self.s_j, **numbers}.items():
            setattr(own, name, value)
        return Word(kind, self.first.name, self.second.name, own, self.name)

    def row(self, label: str, kind: RowKind, word: Word, target: Any = 0.0) -> Row:
        """A row of this joint that holds one measure."""
        return Row(self.name, label, kind, ((1.0, word),), target)

    def coincide(self) -> list[Row]:
        """P_i = P_j: three rows, two in the plane."""
        names, directions = ("x", "y", "z"), np.eye(3)
        return [
            self.row(f"point {names[k]}", RowKind.POINT, self.word(words.POINT, u=directions[k]))
            for k in range(2 if self.planar else 3)
        ]

    def axes(self, i: int, j: int) -> Row:
        """Axis i of the first body ⟂ axis j of the second (1, 2, 3)."""
        word = self.word(words.AXES, a=self.a[i - 1], c=self.c[j - 1])
        return self.row(f"axis {i} ⟂ axis {j}", RowKind.AXES, word)

    def offset_word(self, i: int) -> Word:
        return self.word(words.OFFSET, a=self.a[i - 1])

    def offset(self, i: int) -> Row:
        """Axis i of the first body ⟂ the way from P_i to P_j."""
        return self.row(f"offset along axis {i}", RowKind.OFFSET, self.offset_word(i))

    def angle_word(self) -> Word:
        """The turn of the second body against the first about axis 3."""
        if self.planar:
            kind = words.TANGENT_ANGLE if self.first.of_beam or self.second.of_beam else words.PLANAR_ANGLE
            return self.word(kind, zero=self.zero)
        return self.word(words.ANGLE, a=self.a[2], c=self.c[2], a1=self.a[0], a2=self.a[1], c1=self.c[0])

    def twist_word(self) -> Word:
        """The same where nothing keeps axis 3 of the two bodies together."""
        word = self.angle_word()
        return word if self.planar else Word(words.TWIST, word.first, word.second, word.numbers, word.owner)

    def cross_words(self, axis: FloatArray, second: FloatArray) -> tuple[Word, Word]:
        """The turns of a cross that carries `axis` of the first body and `second` of the second,
        perpendicular to each other: of the cross against the first body, and of the second body
        against the cross.

        Relative angular velocity = rate₁ axis + rate₂ second. The first is the turn of `second`
        about `axis` in the first body. The cross turns backwards in the second body: the other is
        the turn of `axis` about −second there.
        """
        R_i, R_j = self.first.R, self.second.R
        one = axis, second @ R_j.T @ R_i, second
        two = -second, axis @ R_i.T @ R_j, axis
        found = []
        for k, (a, a1, c1) in enumerate((one, two)):
            across = a1 - (a1 @ a) * a  # apart before a mechanism is assembled
            a1 = across / np.linalg.norm(across) if np.linalg.norm(across) > 1e-3 else triad(a)[0]
            own = WordNumbers()
            own.s_i, own.s_j = (self.s_i, self.s_j) if k == 0 else (self.s_j, self.s_i)
            own.a, own.a1, own.a2, own.c1 = a, a1, np.cross(a, a1), c1
            first, second_ = (self.first, self.second) if k == 0 else (self.second, self.first)
            called = ("angle", "second_angle")[k]
            found.append(Word(words.CROSS, first.name, second_.name, own, self.name, called))
        return found[0], found[1]

    def length_word(self) -> Word:
        return self.word(words.LENGTH)


def between_points(name: str, first: Body, second: Body, points: Numbers) -> Pair:
    """The pair of two points given in the world at the start; mass centres when left out."""
    if points is None:
        points = (first.position, second.position)
    try:
        P_i, P_j = points
    except (TypeError, ValueError):
        raise InputError(
            f"{name!r}: points must be two points of the world, received {points!r}", argument="points"
        ) from None
    with about(None, inside="points"):
        pair = Pair.of(name, first, second, P_i, None)
        other = Pair.of(name, first, second, P_j, None)
    return Pair(name, first, second, pair.s_i, other.s_j, pair.a, pair.c, pair.planar)


def length_of(pair: Pair) -> float:
    """|P_j − P_i| at the start."""
    P_i = pair.first.position + pair.first.R @ pair.s_i
    P_j = pair.second.position + pair.second.R @ pair.s_j
    return float(np.linalg.norm(P_j - P_i))

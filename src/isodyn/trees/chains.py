"""Joints as chains of nodes.

A link of a chain says how a frame moves against the one before it: with triads A, C (rows) and
points s, s' fixed in the two,

    hinge   R' = R Aᵀ R_z(θ) C        P' = P             slide   R' = R Aᵀ C        P' = P + x A₃
    ball    R' = R E, E free          P' = P             fixed   the same with x = 0

Read backwards a link is one of the same kind, with A and C exchanged and the other sign of its
coordinate. A joint of several coordinates is a chain of links; frames between them have no mass.
Numbers come from the measures that the coordinates of joints are (isodyn.joints.words), so that q
has their values, those at the start included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from isodyn.joints import Cylindrical, Fixed, Hinge, Planar, Prismatic, Screw, Spherical, Universal
from isodyn.joints.words import Pair, Word
from isodyn.kernels.compiled import FloatArray
from isodyn.trees.tables import BALL, FIXED, HINGE, SLIDE

NONE, STRAIGHT = np.zeros(3), np.eye(3)


@dataclass(frozen=True, eq=False)
class Link:
    """One link; `coordinate` is its name in the joint, `zero` the turn of planar bodies at the
    coordinate zero."""

    kind: int
    coordinate: str = ""
    A: FloatArray = field(default_factory=lambda: STRAIGHT)
    s: FloatArray = field(default_factory=lambda: NONE)
    C: FloatArray = field(default_factory=lambda: STRAIGHT)
    s_after: FloatArray = field(default_factory=lambda: NONE)
    zero: float = 0.0
    sign: float = 1.0

    def backwards(self) -> Link:
        """The way back."""
        return replace(self, A=self.C, s=self.s_after, C=self.A, s_after=self.s, zero=-self.zero, sign=-self.sign)


def hinge(pair: Pair, words: dict[str, Word]) -> list[Link]:
    """A turn about one axis."""
    if "angle" not in words:  # a ball between planar bodies
        return [Link(HINGE, "angle", s=pair.s_i, s_after=pair.s_j)]
    return [_turn("angle", words["angle"], pair.planar)]


def prismatic(pair: Pair, words: dict[str, Word]) -> list[Link]:
    """A slide along one axis."""
    own = words["displacement"].numbers
    return [Link(SLIDE, "displacement", pair.a, own.s_i.copy(), pair.c, own.s_j.copy(), pair.zero)]


def cylindrical(pair: Pair, words: dict[str, Word]) -> list[Link]:
    """A slide along an axis, then a turn about it."""
    turn = _turn("angle", words["angle"], False)
    return [Link(SLIDE, "displacement", turn.A, turn.s), replace(turn, A=STRAIGHT, s=NONE)]


def planar(pair: Pair, words: dict[str, Word]) -> list[Link]:
    """Slides along two axes, then a turn about the third."""
    turn = _turn("angle", words["angle"], False)
    x, y = (np.roll(STRAIGHT, -k - 1, axis=0) for k in range(2))  # triads whose third axes are x and y
    first = Link(SLIDE, "x", x @ turn.A, turn.s, x)
    return [first, Link(SLIDE, "y", y, NONE, y), replace(turn, A=STRAIGHT, s=NONE)]


def universal(pair: Pair, words: dict[str, Word]) -> list[Link]:
    """A turn of the cross, whose first and third axes are those of the joint, then one about its
    first."""
    one, two = words["angle"].numbers, words["second_angle"].numbers
    first = Link(HINGE, "angle", np.array([one.a1, one.a2, one.a]), pair.s_i)
    axes = np.array([two.a2, two.a1, -two.a])
    return [first, Link(HINGE, "second_angle", np.roll(STRAIGHT, -1, axis=0), NONE, axes, pair.s_j)]


def spherical(pair: Pair, words: dict[str, Word]) -> list[Link]:
    """A turn about a point."""
    return hinge(pair, words) if pair.planar else [Link(BALL, "", s=pair.s_i, s_after=pair.s_j)]


def fixed(pair: Pair, words: dict[str, Word]) -> list[Link]:
    """No motion."""
    return [Link(FIXED, "", pair.a, pair.s_i, pair.c, pair.s_j, pair.zero)]


def _turn(name: str, word: Word, in_plane: bool) -> Link:
    """A turn by an angle as its measure has it."""
    own = word.numbers
    if in_plane:
        return Link(HINGE, name, s=own.s_i.copy(), s_after=own.s_j.copy(), zero=float(own.zero))
    A, C = np.array([own.a1, own.a2, own.a]), np.array([own.c1, np.cross(own.c, own.c1), own.c])
    return Link(HINGE, name, A, own.s_i.copy(), C, own.s_j.copy())


Chain = Callable[[Pair, dict[str, Word]], list[Link]]
CHAINS: dict[type, Chain] = {
    Hinge: hinge,
    Prismatic: prismatic,
    Cylindrical: cylindrical,
    Planar: planar,
    Universal: universal,
    Spherical: spherical,
    Fixed: fixed,
}
REASONS: dict[type, str] = {Screw: "its angle and displacement are coupled by a row"}

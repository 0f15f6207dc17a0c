"""On which bodies a joint acts, and where.

    pair                 on its two bodies, at its point in each of them
    rolling              on the body that rolls and on what carries the surface, where they touch
    drive                on the bodies of the joint that it drives, where that joint acts
    gear, coupling       on all bodies of the joints that it couples, where the first of these acts on each of them
    pulley               on the two ends of the rope, and on the ground at the first point that the rope runs over
    a user's rows        on the bodies that they name and on the ground, at mass centres

A joint is described by what it does to all its bodies: forces, and torques about any one point,
add up to zero with the ground among them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from isodyn.bodies.body import GROUND
from isodyn.joints.measures import SLIP
from isodyn.joints.words import Pair, Row, Word, triad
from isodyn.kernels.compiled import FloatArray


@dataclass(frozen=True, eq=False)
class Action:
    """`points` by body, counted from its mass centre in its own axes, of the ground in the world;
    `on` is meant when no body is named.

    `contact`: a rolling contact acts where this measure touches instead. `axes` (rows) are those of
    the joint, fixed in `axes_of`. `members`: a body that consists of several, such as the points of
    a cross-section, has what acts on all of them.
    """

    on: str
    points: dict[str, FloatArray]
    contact: Word | None = None
    axes: FloatArray | None = None
    axes_of: str = GROUND
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def all_of(self, body: str) -> tuple[str, ...]:
        """The names of what a body consists of."""
        return self.members.get(body, (body,))

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(self.points)


def of_pair(pair: Pair) -> Action:
    """A kinematic pair, or a drive of its coordinate."""
    points = {pair.first.name: pair.s_i, pair.second.name: pair.s_j}
    return Action(pair.second.name, points, axes=pair.a, axes_of=pair.first.name)


def of_section(pair: Pair, points: Iterable[str], on: str) -> Action:
    """A cross-section of points that is welded to a body, the first of `pair`; its second is the
    point that names it."""
    return replace(of_pair(pair), on=on, members={pair.second.name: tuple(points)})


def of_rolling(rows: list[Row]) -> Action:
    """A round body on a surface; the third axis of the joint is the normal of its plane, fixed in
    the body that carries it."""
    touching = rows[-1].terms[0][1]
    points = {touching.first: np.zeros(3), touching.second: np.zeros(3)}
    if touching.kind != SLIP:
        return Action(touching.first, points, touching, triad(touching.numbers.n))
    e1, e3 = touching.numbers.c1, touching.numbers.c
    axes = np.array([e1, np.cross(e3, e1), e3])
    return Action(touching.first, points, touching, axes, touching.second)


def of_couplings(pairs: Iterable[Pair]) -> Action:
    """Several coordinates at once; meant is the second body of the first of them."""
    points: dict[str, FloatArray] = {}
    actions = [of_pair(pair) for pair in pairs]
    for action in actions:
        points = {**action.points, **points}
    named = dict.fromkeys(body for action in actions for body in action.points)
    return Action(actions[0].on, {body: points[body] for body in named})


def of_rope(ends: list[Pair]) -> Action:
    """A rope between two ends, each the pair (ground, body)."""
    points = {end.second.name: end.s_j for end in ends if end.second.name != GROUND}
    return Action(list(points)[-1], {**points, GROUND: ends[0].s_i})


def of_user(bodies: Iterable[str]) -> Action:
    """Rows that a user wrote for these bodies."""
    named = list(bodies)
    return Action(named[-1], {body: np.zeros(3) for body in dict.fromkeys((*named, GROUND))})

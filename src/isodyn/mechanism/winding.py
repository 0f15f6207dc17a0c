"""Increments between two positions of a mechanism, with the whole turns that its counted angles
tell.

A body that turned from one position to the other has ϖ + 2πk n, n = ϖ/|ϖ|, in the place of its
shortest rotation vector ϖ. Bodies are visited from the ground, or from one body of a group, along
counted angles; k brings c₃·d_j − a₃·d_i nearest to the change of the angle
(isodyn.multibody.turns). Bodies without such a joint move the shorter way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isodyn.bodies.rotations import increment
from isodyn.joints.measures import CROSS, TANGENT_ANGLE
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.mechanism.layout import MechanismLayout

# cosine between a rotation vector and the axis of a joint from which on the joint tells its whole
# turns
ALONG = 0.5
SMALL = 1e-9  # rad: a rotation vector shorter than this has the direction of the joint


class Visit(NamedTuple):
    """A spatial body, and the angle that tells its turns: place in q, axis in the body and its
    sign, the other body and its axis."""

    body: int
    angle: int = -1
    axis: FloatArray | None = None
    sign: float = 1.0
    other: int = -1
    other_axis: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Winding:
    """q₁, q₂ ↦ d with q₁ ⊕ d = q₂."""

    layout: MechanismLayout
    straight: tuple[IntArray, IntArray]
    visits: tuple[Visit, ...]

    def difference(self, q1: FloatArray, q2: FloatArray) -> FloatArray:
        """The increment from q1 to q2."""
        layout = self.layout
        d = np.empty(layout.nv)
        d[self.straight[0]] = q2[self.straight[1]] - q1[self.straight[1]]
        for visit in self.visits:
            o, p = int(layout.first_v[visit.body]) + 3, int(layout.first_q[visit.body]) + 3
            x = increment(q1[p : p + 4], q2[p : p + 4], layout.cayley)
            if visit.axis is not None and not layout.cayley:
                x = x + self.whole_turns(visit, x, q2[visit.angle] - q1[visit.angle], d)
            d[o : o + 3] = x
        return d

    def whole_turns(self, visit: Visit, x: FloatArray, change: float, d: FloatArray) -> FloatArray:
        """2πk n for a body whose shortest way is x."""
        assert visit.axis is not None
        length = float(np.linalg.norm(x))
        n = x / length if length > SMALL else visit.axis
        along = float(visit.axis @ n)
        if abs(along) < ALONG:
            return np.zeros(3)
        wanted = visit.sign * change
        if visit.other >= 0 and visit.other_axis is not None:
            wanted += float(visit.other_axis @ _turned(self.layout, visit.other, d))
        k = round((wanted - float(visit.axis @ x)) / (2 * np.pi * along))
        return np.asarray(2 * np.pi * k * n)


def _turned(layout: MechanismLayout, body: int, d: FloatArray) -> FloatArray:
    """The rotation vector of a body in d."""
    o, kind = int(layout.first_v[body]), layout.bodies[body].kind
    if kind == "spatial":
        return d[o + 3 : o + 6]
    return np.array([0.0, 0.0, d[o + 2] if kind == "planar" else 0.0])


def winding_of(layout: MechanismLayout) -> Winding:
    """Bodies in the order in which their turns are counted."""
    ground, nodes = len(layout.bodies), [k for k, body in enumerate(layout.bodies) if body.of_beam]
    spatial = [k for k, body in enumerate(layout.bodies) if body.kind == "spatial"]
    links: dict[int, list[Visit]] = {}
    for number, angle in enumerate(layout.angles):
        word = angle.word
        i, j, place = layout.number[word.first], layout.number[word.second], int(layout.first_q[-1]) + number
        # axes of a cross are fixed in one body each: they tell no turns of the other
        if word.kind in (TANGENT_ANGLE, CROSS) or i in nodes or j in nodes:
            continue
        a, c = word.numbers.a, word.numbers.c
        links.setdefault(i, []).append(Visit(j, place, c, 1.0, -1 if i == ground else i, a))
        links.setdefault(j, []).append(Visit(i, place, a, -1.0, -1 if j == ground else j, c))
    visits: list[Visit] = []
    seen = {ground, *(k for k, body in enumerate(layout.bodies) if body.kind != "spatial")}
    waiting = sorted(seen, reverse=True)
    for root in [None, *spatial]:
        if root is not None:
            if root in seen:
                continue
            visits.append(Visit(root))
            seen.add(root)
            waiting = [root]
        while waiting:
            for visit in links.get(waiting.pop(), []):
                if visit.body not in seen:
                    visits.append(visit)
                    seen.add(visit.body)
                    waiting.append(visit.body)
    return Winding(layout, _straight(layout), tuple(visits))


def _straight(layout: MechanismLayout) -> tuple[IntArray, IntArray]:
    """Components of v and of q that add like vectors."""
    v, q = [], []
    for k, body in enumerate(layout.bodies):
        many = 3 if body.kind == "spatial" else body.v0.size
        v += [int(layout.first_v[k]) + i for i in range(many)]
        q += [int(layout.first_q[k]) + i for i in range(many)]
    return np.array(v, dtype=np.int64), np.array(q, dtype=np.int64)

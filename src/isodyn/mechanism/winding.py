"""Increments between two positions of a mechanism, with the whole turns that its counted angles
tell.

A body that turned from one position to the other has ϖ + 2πk n, n = ϖ/|ϖ|, in the place of its
shortest rotation vector ϖ. Bodies are visited from the ground, or from one body of a group, along
counted angles; k brings c₃·d_j − a₃·d_i nearest to the change of the angle
(isodyn.mechanism.turns). Bodies without such a joint move the shorter way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isodyn.bodies.rotations import increment
from isodyn.joints.measures import A_I, C_J, TANGENT_ANGLE
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.mechanism.tables import Tables

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

    tables: Tables
    straight: tuple[IntArray, IntArray]
    visits: tuple[Visit, ...]

    def difference(self, q1: FloatArray, q2: FloatArray) -> FloatArray:
        """The increment from q1 to q2."""
        tables = self.tables
        d = np.empty(tables.nv)
        d[self.straight[0]] = q2[self.straight[1]] - q1[self.straight[1]]
        for visit in self.visits:
            o, p = int(tables.first_v[visit.body]) + 3, int(tables.first_q[visit.body]) + 3
            x = increment(q1[p : p + 4], q2[p : p + 4], tables.cayley)
            if visit.axis is not None and not tables.cayley:
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
            wanted += float(visit.other_axis @ _turned(self.tables, visit.other, d))
        k = round((wanted - float(visit.axis @ x)) / (2 * np.pi * along))
        return np.asarray(2 * np.pi * k * n)


def _turned(tables: Tables, body: int, d: FloatArray) -> FloatArray:
    """The rotation vector of a body in d."""
    o, kind = int(tables.first_v[body]), tables.bodies[body].kind
    if kind == "spatial":
        return d[o + 3 : o + 6]
    return np.array([0.0, 0.0, d[o + 2] if kind == "planar" else 0.0])


def winding_of(tables: Tables) -> Winding:
    """Bodies in the order in which their turns are told."""
    ground, nodes = len(tables.bodies), [k for k, body in enumerate(tables.bodies) if body.of_beam]
    spatial = [k for k, body in enumerate(tables.bodies) if body.kind == "spatial"]
    links: dict[int, list[Visit]] = {}
    for number, angle in enumerate(tables.angles):
        word = angle.word
        i, j, place = tables.number[word.first], tables.number[word.second], int(tables.first_q[-1]) + number
        if word.kind == TANGENT_ANGLE or i in nodes or j in nodes:
            continue
        a, c = word.numbers[A_I : A_I + 3], word.numbers[C_J : C_J + 3]
        links.setdefault(i, []).append(Visit(j, place, c, 1.0, -1 if i == ground else i, a))
        links.setdefault(j, []).append(Visit(i, place, a, -1.0, -1 if j == ground else j, c))
    visits: list[Visit] = []
    seen = {ground, *(k for k, body in enumerate(tables.bodies) if body.kind != "spatial")}
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
    return Winding(tables, _straight(tables), tuple(visits))


def _straight(tables: Tables) -> tuple[IntArray, IntArray]:
    """Components of v and of q that add like vectors."""
    v, q = [], []
    for k, body in enumerate(tables.bodies):
        many = 3 if body.kind == "spatial" else body.v0.size
        v += [int(tables.first_v[k]) + i for i in range(many)]
        q += [int(tables.first_q[k]) + i for i in range(many)]
    return np.array(v, dtype=np.int64), np.array(q, dtype=np.int64)

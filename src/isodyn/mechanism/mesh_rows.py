"""Gaps and slips of convex meshes beside those of the compiled contacts.

Rows stand in the order [gaps; gaps of meshes; slips; slips of meshes]. Gaps of meshes are computed
in Python (isodyn.joints.meshes). What is left of their second derivatives when accelerations are
zero comes from differences of the rates along the motion.

Where two meshes touch is chosen before each step and stays so in it: gaps are smooth functions
then. While they are apart their gap is that of what is nearest, anywhere in the step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np

from isodyn.bodies.body import GROUND
from isodyn.bodies.pose import Pose
from isodyn.joints.hulls import SAME, Manifold, Touches, cross
from isodyn.joints.meshes import Measure, Pair
from isodyn.joints.unilateral import Gap
from isodyn.joints.words import Row
from isodyn.kernels.compiled import CONSTRAINT, POSITION, VELOCITY, FloatArray
from isodyn.mechanism.placed import PlacedBodies
from isodyn.mechanism.system import MechanismSystem
from isodyn.multibody.rows import FAR
from isodyn.systems.differences import H1, first
from isodyn.systems.model import Met, Model, Question, from_python

Poses = tuple[Pose, Pose]
MISSED = 100.0 * SAME  # of the size: how much deeper than what was chosen others may be


@dataclass(frozen=True, eq=False, repr=False)
class MeshTwin(MechanismSystem):
    """Rows of contacts, those of meshes among them; `pairs` with the number of slips per gap."""

    base: MechanismSystem = None  # type: ignore[assignment]
    pairs: tuple[tuple[Pair, int], ...] = ()
    all_rows: list[Row] = field(default_factory=list)

    @property
    def rows(self) -> list[Row]:
        return self.all_rows

    def model(self) -> Model:
        """Answers from Python."""
        answers = MeshAnswers(self)
        return replace(from_python(answers, self.traits), meet=answers.meet)

    def dense_model(self) -> Model:
        """The same."""
        return self.model()


def with_meshes(base: MechanismSystem, meshed: list[tuple[str, Any, Gap]]) -> MechanismSystem:
    """The rows of `base`, and those of gaps between meshes."""
    if not meshed:
        return base
    pairs = {id(gap.pair): (gap.pair, 2 if part.friction_at_rest > 0.0 else 0) for _, part, gap in meshed}
    gaps = [gap.normal(name) for name, _, gap in meshed]
    slips = [row for name, part, gap in meshed for row in gap.mesh_tangents(name, part.friction_at_rest > 0.0)]
    rows = [*base.rows[: base.m_phi], *gaps, *base.rows[base.m_phi :], *slips]
    given: dict[str, Any] = {f.name: getattr(base, f.name) for f in fields(base)}
    given |= {"m": len(rows), "m_phi": base.m_phi + len(gaps), "row_names": tuple(row.name for row in rows)}
    return MeshTwin(**given, base=base, pairs=tuple(pairs.values()), all_rows=rows)


class MeshAnswers:
    """The questions of a run about its contacts."""

    solver = ""

    def __init__(self, twin: MeshTwin) -> None:
        self.twin, self.state = twin, PlacedBodies(twin.base)
        base = twin.base
        self.slots = np.array([pair.slots for pair, _ in twin.pairs])
        gaps = int(self.slots.sum())
        self.own = np.concatenate([np.arange(base.m_phi), np.arange(base.m_phi, base.m) + gaps])
        self.gaps, self.slips = base.m_phi + np.arange(gaps), np.arange(base.m + gaps, twin.m)
        self.held: list[Manifold | None] | None = None  # None: chosen whenever asked
        self.place, self.rows = np.full(twin.nq, np.nan), (np.zeros((0, 0)), np.zeros((0, 0)))  # where asked last

    def answer(self, question: Question, out: FloatArray) -> int:
        what, t, q, v, a, _, c = question
        base, n = self.twin.base, self.twin.nv
        own = np.zeros(base.m * n if what == CONSTRAINT else base.m)
        status = self.state.ask(what, t, q, v, a, np.zeros(base.m), c, own)
        if what == POSITION:
            out[: base.m_phi] = own[: base.m_phi]
            out[self.gaps] = self.distances()
            return status
        if not np.array_equal(q, self.place):
            self.rows, self.place = self.matrix(), q.copy()
        G = self.rows
        if what == CONSTRAINT:
            whole = np.zeros((self.twin.m, n))
            whole[self.own], whole[self.gaps], whole[self.slips] = own.reshape(base.m, n), *G
            out[:] = whole.ravel()
            return status
        out[self.own] = own
        rest: tuple[Any, Any] = (0.0, 0.0) if what == VELOCITY else self.bent()
        way = v if what == VELOCITY else a
        out[self.gaps], out[self.slips] = (part @ way + more for part, more in zip(G, rest, strict=True))
        return status

    # ---- where meshes touch

    def poses(self, pair: Pair) -> Poses:
        """Where the bodies of a pair are."""
        return self.state.pose(pair.bodies[0]), self.state.pose(pair.bodies[1])

    def meet(self, q: FloatArray, v: FloatArray, first: bool = False) -> Met:
        """Choose where meshes touch, until it is chosen again; `first` where nothing was chosen
        before that counts."""
        self.held = None if first else self.held
        self.state.place(q, v)
        self.place[0] = np.nan
        moved: list[int] = []
        found, missed, begin = [], False, self.twin.base.m_phi
        before = [None] * len(self.twin.pairs) if self.held is None else self.held
        for (pair, _), old in zip(self.twin.pairs, before, strict=True):
            poses = self.poses(pair)
            gap, where = pair.touching(*poses)
            found.append(where)
            if self.held is not None and where is not old and not (where is not None and where.is_same(old)):
                moved += range(begin, begin + pair.slots)
            if old is not None:
                lowest = pair.measure(*poses, old)(*poses).gap.min()
                missed |= bool(gap < min(lowest, 0.0) - MISSED * pair.size)
            begin += pair.slots
        if not missed:
            self.held = found
        return Met(np.array(moved, dtype=np.int64), missed)

    def measures(self) -> Iterator[tuple[Pair, int, Poses, Measure]]:
        """Pairs, how many slips they have, where their bodies are, and how gaps are measured."""
        for k, (pair, many) in enumerate(self.twin.pairs):
            poses = self.poses(pair)
            where = pair.touching(*poses)[1] if self.held is None else self.held[k]
            yield pair, many, poses, pair.measure(*poses, where)

    def acting(self, q: FloatArray, v: FloatArray) -> list[Touches]:
        """Normals and places of all gaps at a state, pair by pair."""
        self.state.place(q, v)
        return [measure(*poses) for _, _, poses, measure in self.measures()]

    # ---- rows

    def distances(self) -> FloatArray:
        """Gaps."""
        found = []
        for pair, _, poses, measure in self.measures():
            gap = measure(*poses).gap
            found.append(np.full(pair.slots, gap.min() if self.held is None else FAR))
            found[-1][: gap.size] = gap
        return np.concatenate(found)

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        """Rows of gaps and of slips."""
        gaps, slips = [], [np.zeros((0, self.twin.nv))]
        for pair, many, poses, measure in self.measures():
            at = measure(*poses)
            gaps.append(padded(self.spread(pair, poses, at, at.normal[:, None]), pair.slots))
            if many:
                slips.append(padded(self.spread(pair, poses, at, at.tangents), many * pair.slots))
        return np.concatenate(gaps), np.concatenate(slips)

    def spread(self, pair: Pair, poses: Poses, at: Touches, ways: FloatArray) -> FloatArray:
        """Rows of the rates of pairs of points along some ways each (points, ways, 3)."""
        G = np.zeros((ways.shape[0] * ways.shape[1], self.twin.nv))
        for name, pose, x, sign in zip(pair.bodies, poses, (at.first, at.second), (1.0, -1.0), strict=True):
            kept, where = self.state.places(name)
            if where.size == 0:
                continue
            turned = cross((x - pose.position)[:, None], ways) @ pose.R
            G[:, where] += sign * np.concatenate([ways, turned], axis=2).reshape(-1, 6)[:, kept]
        return G

    def bent(self) -> tuple[FloatArray, FloatArray]:
        """Accelerations of gaps and slips when bodies have none: differences of their rates."""
        gaps, slips = [], [np.zeros(0)]
        for pair, many, poses, measure in self.measures():
            ways = [np.concatenate([pose.velocity, pose.angular_velocity]) for pose in poses]
            speed = max(max(np.abs(way[:3]).max() / pair.size, np.abs(way[3:]).max()) for way in ways)
            rates = np.zeros((len(measure(*poses).gap), 3))
            if speed > 0.0:
                along = partial(rates_along, poses=poses, ways=ways, measure=measure)
                rates = first(along, H1 / float(speed))
            gaps.append(padded(rates[:, 0], pair.slots))
            slips.append(padded(rates[:, 1:].ravel(), many * pair.slots) if many else np.zeros(0))
        return np.concatenate(gaps), np.concatenate(slips)


def padded(rows: FloatArray, many: int) -> FloatArray:
    """With zeros up to so many rows."""
    return np.concatenate([rows, np.zeros((many - len(rows), *rows.shape[1:]))])


def rates_along(s: float, poses: Poses, ways: list[FloatArray], measure: Measure) -> FloatArray:
    """Rates of gaps and slips (points, 3) where bodies are after a time s at steady velocities."""
    one, two = (pose.moved(s * way) for pose, way in zip(poses, ways, strict=True))
    at = measure(one, two)
    u = rate(one, at.first) - rate(two, at.second)
    return np.column_stack([(at.normal * u).sum(axis=1), (at.tangents * u[:, None]).sum(axis=2)])


def rate(pose: Pose, x: FloatArray) -> FloatArray:
    """The velocities of points of a body."""
    return np.asarray(pose.velocity + cross(pose.R @ pose.angular_velocity, x - pose.position))


def forces_of_meshes(sol: Any) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Names of contacts of meshes that push in some row, where they act (rows, 3) and the forces on
    the first body, or on the second where the first is the ground."""
    known, twin, forces = sol.system.contacts, sol.system.contacts.twin, sol.aux["contact_force"]
    if not isinstance(twin, MeshTwin) or not forces[:, twin.base.m_phi : twin.m_phi].any():
        return
    answers, k = MeshAnswers(twin), twin.base.m_phi
    at = [answers.acting(q, v) for q, v in zip(sol.q, sol.v, strict=True)]
    for i, (pair, many) in enumerate(twin.pairs):
        for slot in range(pair.slots):
            if forces[:, k].any():
                places, total = np.full((sol.t.size, 3), np.nan), np.zeros((sol.t.size, 3))
                tangent = int(known.tangent[k])
                for row, touches in enumerate(one[i] for one in at):
                    if slot < touches.gap.size and forces[row, k] > 0.0:
                        slips = forces[row, tangent : tangent + many] @ touches.tangents[slot][:many]
                        places[row], total[row] = touches.first[slot], forces[row, k] * touches.normal[slot] + slips
                yield known.names[k], places, total if pair.bodies[0] != GROUND else -total
            k += 1

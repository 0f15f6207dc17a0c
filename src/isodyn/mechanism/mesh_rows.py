"""Gaps and slips of convex meshes beside those of the compiled contacts.

Rows stand in the order [gaps; gaps of meshes; slips; slips of meshes]. Distances of meshes are
asked for in Python (isodyn.joints.meshes). What is left of their second derivatives when
accelerations are zero comes from differences of the rates along the motion.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from isodyn.bodies.pose import Pose
from isodyn.joints.meshes import BallAndHull, Touched, tangents_of
from isodyn.joints.unilateral import Gap
from isodyn.joints.words import Row
from isodyn.kernels.compiled import CONSTRAINT, POSITION, VELOCITY, FloatArray
from isodyn.mechanism.placed import PlacedBodies
from isodyn.mechanism.system import MechanismSystem
from isodyn.systems.differences import H1
from isodyn.systems.model import Model, Question, from_python


@dataclass(frozen=True, eq=False, repr=False)
class MeshTwin(MechanismSystem):
    """Rows of contacts, those of meshes among them; `pairs` with the number of slips per gap."""

    base: MechanismSystem = None  # type: ignore[assignment]
    pairs: tuple[tuple[BallAndHull, int], ...] = ()
    all_rows: list[Row] = field(default_factory=list)

    @property
    def rows(self) -> list[Row]:
        return self.all_rows

    def model(self) -> Model:
        """Answers from Python."""
        return from_python(MeshAnswers(self), self.traits)

    def dense_model(self) -> Model:
        """The same."""
        return self.model()


def with_meshes(base: MechanismSystem, meshed: list[tuple[str, Any, Gap]]) -> MechanismSystem:
    """The rows of `base`, and those of gaps between meshes."""
    if not meshed:
        return base
    pairs = [(gap.pair, 2 if part.friction_at_rest > 0.0 else 0) for _, part, gap in meshed]
    gaps = [gap.normal(name) for name, _, gap in meshed]
    slips = [row for name, part, gap in meshed for row in gap.mesh_tangents(name, part.friction_at_rest > 0.0)]
    rows = [*base.rows[: base.m_phi], *gaps, *base.rows[base.m_phi :], *slips]
    given: dict[str, Any] = {f.name: getattr(base, f.name) for f in fields(base)}
    given |= {"m": len(rows), "m_phi": base.m_phi + len(gaps), "row_names": tuple(row.name for row in rows)}
    return MeshTwin(**given, base=base, pairs=tuple(pairs), all_rows=rows)


class MeshAnswers:
    """The questions of a run about its contacts."""

    solver = ""

    def __init__(self, twin: MeshTwin) -> None:
        self.twin, self.state = twin, PlacedBodies(twin.base)
        base, gaps = twin.base, len(twin.pairs)
        self.own = np.concatenate([np.arange(base.m_phi), np.arange(base.m_phi, base.m) + gaps])
        self.gaps = base.m_phi + np.arange(gaps)
        self.slips = np.arange(base.m + gaps, twin.m)

    def answer(self, question: Question, out: FloatArray) -> int:
        what, t, q, v, a, _, c = question
        base, n = self.twin.base, self.twin.nv
        own = np.zeros(base.m * n if what == CONSTRAINT else base.m)
        status = self.state.ask(what, t, q, v, a, np.zeros(base.m), c, own)
        if what == POSITION:
            out[: base.m_phi] = own[: base.m_phi]
            out[self.gaps] = [pair.touched(*self.poses(pair)).gap for pair, _ in self.twin.pairs]
            return status
        G = self.matrix()
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

    def poses(self, pair: BallAndHull) -> list[Pose]:
        """Where the bodies of a pair are."""
        return [self.state.pose(name) for name in pair.bodies]

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        """Rows of gaps and of slips."""
        gaps, slips = [], [np.zeros((0, self.twin.nv))]
        for pair, many in self.twin.pairs:
            poses = self.poses(pair)
            at = pair.touched(*poses)
            gaps.append(self.spread(pair, poses, at, at.normal[None]))
            if many:
                slips.append(self.spread(pair, poses, at, tangents_of(at.normal, poses[1].R)))
        return np.concatenate(gaps), np.concatenate(slips)

    def spread(self, pair: BallAndHull, poses: list[Pose], at: Touched, ways: FloatArray) -> FloatArray:
        """Rows of the rates of two points to each other along some ways."""
        G = np.zeros((len(ways), self.twin.nv))
        for name, pose, x, sign in zip(pair.bodies, poses, (at.first, at.second), (1.0, -1.0), strict=True):
            kept, where = self.state.places(name)
            full = np.concatenate([ways, np.cross(x - pose.position, ways) @ pose.R], axis=1)
            G[:, where] += sign * full[:, kept]
        return G

    def bent(self) -> tuple[FloatArray, FloatArray]:
        """Accelerations of gaps and slips when bodies have none: differences of their rates."""
        gaps, slips = [], [np.zeros(0)]
        for pair, many in self.twin.pairs:
            poses = self.poses(pair)
            ways = [np.concatenate([pose.velocity, pose.angular_velocity]) for pose in poses]
            h, ends = H1 / max(float(np.abs(ways).max()), 1.0), []
            for s in (h, -h):
                one, two = (pose.moved(s * way) for pose, way in zip(poses, ways, strict=True))
                at = pair.touched(one, two)
                u = _rate(one, at.first) - _rate(two, at.second)
                ends.append((at.normal @ u, tangents_of(at.normal, two.R) @ u))
            gaps.append((ends[0][0] - ends[1][0]) / (2.0 * h))
            slips.append((ends[0][1] - ends[1][1])[:many] / (2.0 * h))
        return np.array(gaps), np.concatenate(slips)


def _rate(pose: Pose, x: FloatArray) -> FloatArray:
    """The velocity of a point of a body."""
    return np.asarray(pose.velocity + np.cross(pose.R @ pose.angular_velocity, x - pose.position))

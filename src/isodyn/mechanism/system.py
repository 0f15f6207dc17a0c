"""A mechanism that is compiled: a system like any other, that still knows its parts by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from isodyn.bodies.body import Body
from isodyn.bodies.rotations import increment
from isodyn.compiled import (
    CONSTANT_MASS,
    KNOWS_LEVELS,
    KNOWS_MASS,
    KNOWS_RATE,
    KNOWS_TANGENT,
    RETRACT,
    RETRACTS,
    FloatArray,
    IntArray,
)
from isodyn.joints.words import Pair, Row, Word
from isodyn.mechanism.beam_part import BeamPart, resolve
from isodyn.mechanism.layout import BY_FORMULA, F_FACTOR, LIMIT, SPRING
from isodyn.mechanism.model import mechanism_energy, mechanism_model
from isodyn.mechanism.scales import typical_sizes
from isodyn.mechanism.tables import Tables
from isodyn.systems.tabled import TabledSystem

ELASTIC = (SPRING, LIMIT, BY_FORMULA)  # laws whose forces follow from a measure
LENGTH, ANGLE, SLOPE = range(3)  # units of velocities, but for the time
_ALIKE = {
    "spatial": (LENGTH,) * 3 + (ANGLE,) * 3,
    "planar": (LENGTH, LENGTH, ANGLE),
    "particle": (LENGTH,) * 3,
    "node": (LENGTH,) * 2 + (SLOPE,) * 2,
    "cable": (LENGTH,) * 3 + (SLOPE,) * 3,
}


@dataclass(frozen=True, eq=False)
class JointParts:
    """What is left of a joint after compilation: its geometry, its rows, its coordinates."""

    name: str
    pair: Pair | None
    rows: tuple[int, ...]
    coordinates: dict[str, Word] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class MechanismSystem(TabledSystem):
    """The compiled system of a `Mechanism`."""

    tables: Tables = None  # type: ignore[assignment]
    joints: dict[str, JointParts] = field(default_factory=dict)

    small: ClassVar[int] = 24
    factor_in_pi: ClassVar[int] = F_FACTOR

    @property
    def bodies(self) -> list[Body]:
        return self.tables.bodies

    @property
    def rows(self) -> list[Row]:
        return self.tables.rows

    @cached_property
    def beams(self) -> dict[str, BeamPart]:
        return {beam.name: beam for beam in self.tables.beams}

    def number_of(self, name: str) -> int:
        """Number of a body, or of a node of a beam by any of its names."""
        return self.tables.number[resolve(name, self.beams)]

    def q_of(self, name: str) -> slice:
        """Where the coordinates of a body are in q."""
        k = self.number_of(name)
        return slice(int(self.tables.first_q[k]), int(self.tables.first_q[k + 1]))

    def v_of(self, name: str) -> slice:
        """Where the velocities of a body are in v and a."""
        k = self.number_of(name)
        return slice(int(self.tables.first_v[k]), int(self.tables.first_v[k + 1]))


def make_system(tables: Tables, joints: dict[str, JointParts]) -> MechanismSystem:
    """The system of these tables."""
    pf, pi = tables.build(sparse=False)
    scratch, none = pf.copy(), np.zeros(0)
    c = np.array([1.0, 0.0, 0.0, 1.0])
    spatial = [k for k, body in enumerate(tables.bodies) if body.kind == "spatial"]
    straight = _straight(tables)

    def retract(q: FloatArray, d: FloatArray) -> FloatArray:
        out = np.empty(q.size)
        mechanism_model(RETRACT, 0.0, np.ascontiguousarray(q), np.ascontiguousarray(d), none, none, c, scratch, pi, out)
        return out

    def difference(q1: FloatArray, q2: FloatArray) -> FloatArray:
        d = np.empty(tables.nv)
        d[straight[0]] = q2[straight[1]] - q1[straight[1]]
        for k in spatial:
            o, p = tables.first_v[k] + 3, tables.first_q[k] + 3
            d[o : o + 3] = increment(q1[p : p + 4], q2[p : p + 4], tables.cayley)
        return d

    def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        out = np.empty(2 + tables.nodal)
        mechanism_energy(t, np.ascontiguousarray(q), np.ascontiguousarray(v), none, scratch, pi, out)
        return float(out[0]), float(out[1])

    names = [body.coordinate_names() for body in tables.bodies]
    q0 = np.concatenate([body.q0 for body in tables.bodies])
    return MechanismSystem(
        mechanism_model,
        KNOWS_MASS | KNOWS_TANGENT | KNOWS_LEVELS | CONSTANT_MASS | (RETRACTS | KNOWS_RATE if spatial else 0),
        q0,
        np.concatenate([body.v0 for body in tables.bodies]),
        pf,
        pi,
        energy,
        retract if spatial else None,
        difference if spatial else None,
        names=tuple(x for q, _ in names for x in q),
        v_names=tuple(x for _, v in names for x in v),
        m=len(tables.rows),
        m_phi=sum(row.holonomic for row in tables.rows),
        row_names=tuple(row.name for row in tables.rows),
        alike=tuple(k for body in tables.bodies for k in _ALIKE[body.kind]),
        elastic=bool(tables.beams) or any(law.kind in ELASTIC for law in tables.laws),
        scales=typical_sizes(tables, q0),
        tables=tables,
        joints=joints,
    )


def _straight(tables: Tables) -> tuple[IntArray, IntArray]:
    """Components of v and of q that add like vectors."""
    v, q = [], []
    for k, body in enumerate(tables.bodies):
        many = 3 if body.kind == "spatial" else body.v0.size
        v += [int(tables.first_v[k]) + i for i in range(many)]
        q += [int(tables.first_q[k]) + i for i in range(many)]
    return np.array(v, dtype=np.int64), np.array(q, dtype=np.int64)

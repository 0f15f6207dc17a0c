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
from isodyn.mechanism.actions import Action
from isodyn.mechanism.beam_part import BeamPart, resolve
from isodyn.mechanism.layout import F_FACTOR
from isodyn.mechanism.model import mechanism_energy, mechanism_model
from isodyn.mechanism.tables import Tables
from isodyn.systems.tabled import TabledSystem


@dataclass(frozen=True, eq=False)
class JointParts:
    """What is left of a joint after compilation: its geometry, its rows, its coordinates, and where it acts on which bodies."""

    name: str
    pair: Pair | None
    rows: tuple[int, ...]
    coordinates: dict[str, Word]
    action: Action


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
    return MechanismSystem(
        mechanism_model,
        KNOWS_MASS | KNOWS_TANGENT | KNOWS_LEVELS | CONSTANT_MASS | (RETRACTS | KNOWS_RATE if spatial else 0),
        np.concatenate([body.q0 for body in tables.bodies]),
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

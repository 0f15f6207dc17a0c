"""A mechanism that is compiled: a system like any other, that still knows its parts by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from isodyn.bodies.body import Body
from isodyn.bodies.rotations import increment
from isodyn.compiled import (
    CONSTANT_MASS,
    KNOWS_MASS,
    KNOWS_RATE,
    KNOWS_TANGENT,
    RETRACT,
    RETRACTS,
    SPARSE,
    FloatArray,
    IntArray,
)
from isodyn.joints.words import Pair, Row, Word
from isodyn.mechanism.beam_part import BeamPart, resolve
from isodyn.mechanism.layout import F_FACTOR
from isodyn.mechanism.model import mechanism_energy, mechanism_model
from isodyn.mechanism.tables import Tables
from isodyn.systems.compiled_system import CompiledSystem
from isodyn.systems.model import Model

SMALL = 24  # unknowns of a step up to which full matrices are faster


@dataclass(frozen=True, eq=False)
class JointParts:
    """What is left of a joint after compilation: its geometry, its rows, its coordinates."""

    name: str
    pair: Pair | None
    rows: tuple[int, ...]
    coordinates: dict[str, Word] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class MechanismSystem(CompiledSystem):
    """The compiled system of a `Mechanism`."""

    tables: Tables = None  # type: ignore[assignment]
    joints: dict[str, JointParts] = field(default_factory=dict)

    @property
    def bodies(self) -> list[Body]:
        return self.tables.bodies

    @property
    def rows(self) -> list[Row]:
        return self.tables.rows

    def model(self) -> Model:
        """The function that the loop calls, with scratch memory of its own; sparse beyond a few bodies."""
        if self.nv + self.m <= SMALL:
            return self.dense_model()
        pf, pi = self.sparse_tables
        return Model(
            self.function, self.traits | SPARSE, pf.copy(), pi, sparsity=self.tables.sparsity, dense=self.dense_model
        )

    def dense_model(self) -> Model:
        """The same with full matrices."""
        return Model(self.function, self.traits, self.pf.copy(), self.pi)

    @cached_property
    def sparse_tables(self) -> tuple[FloatArray, IntArray]:
        """pf and pi for sparse matrices."""
        return self.tables.build(sparse=True)

    @staticmethod
    def load_factor_at(pi: IntArray) -> int:
        """Where the factor of weight, forces and torques is in pf."""
        return int(pi[F_FACTOR])

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
        KNOWS_MASS | KNOWS_TANGENT | CONSTANT_MASS | (RETRACTS | KNOWS_RATE if spatial else 0),
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

"""A beam that is compiled: a system like any other, that still knows its shape."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from isodyn.beams.hermite import shape
from isodyn.beams.layout import CAUCHY_TANGENT, GREEN_LAGRANGE, GREEN_LAGRANGE_DIRAC, GREEN_LAGRANGE_TANGENT, SIMPLIFIED
from isodyn.beams.model import beam_energy, beam_model
from isodyn.beams.tables import BeamTables
from isodyn.compiled import CONSTANT_MASS, KNOWS_MASS, KNOWS_TANGENT, SPARSE, FloatArray, IntArray
from isodyn.systems.compiled_system import CompiledSystem
from isodyn.systems.model import Model

SMALL = 12  # unknowns of a step up to which full matrices are faster


@dataclass(frozen=True, eq=False)
class BeamEnergy:
    """Parts of the energy."""

    kinetic: float
    strain: float
    weight: float


@dataclass(frozen=True, eq=False)
class BeamSystem(CompiledSystem):
    """The compiled system of a `Beam`. q holds (position, slope) of node after node."""

    tables: BeamTables = None  # type: ignore[assignment]
    arc: FloatArray = None  # type: ignore[assignment]

    def model(self) -> Model:
        """The function that the loop calls, with scratch memory of its own; sparse beyond a few elements."""
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

    def nodes(self, q: Any) -> FloatArray:
        """Positions (…, nodes, dim)."""
        return self._split(q)[..., 0, :]

    def slopes(self, q: Any) -> FloatArray:
        """Derivatives of the position by the undeformed length, (…, nodes, dim)."""
        return self._split(q)[..., 1, :]

    def curve(self, q: Any, points: int = 8, derivative: int = 0) -> FloatArray:
        """R, R' or R'' at `points` per element, evenly from end to end: (…, elements, points, dim)."""
        xi = np.linspace(0.0, 1.0, points)
        node = self._split(q)
        a = node[..., [e.first for e in self.tables.elements], :, :]
        b = node[..., [e.second for e in self.tables.elements], :, :]
        coordinates = np.concatenate([a, b], axis=-2)
        S = np.stack([shape(xi, e.length, derivative) for e in self.tables.elements])
        return np.asarray(np.einsum("epk,...ekd->...epd", S, coordinates))

    def curvature(self, q: Any, points: int = 8) -> FloatArray:
        """Curvature of the line, (…, elements, points): counter-clockwise positive in the plane, |κ| in space."""
        first, second = self.curve(q, points, 1), self.curve(q, points, 2)
        return np.asarray(_cross(first, second) / np.linalg.norm(first, axis=-1) ** 3)

    def bending_moment(self, q: Any, points: int = 8) -> FloatArray:
        """EI n·R'' with n across the line, (…, elements, points)."""
        first, second = self.curve(q, points, 1), self.curve(q, points, 2)
        EI = np.array([e.section.EI for e in self.tables.elements])[:, None]
        return np.asarray(EI * _cross(first, second) / np.linalg.norm(first, axis=-1))

    def axial_force(self, q: Any, points: int = 8) -> FloatArray:
        """EA ε with the strain of the energy in use: chord, e·R' − 1 or ½(|R'|² − 1); (…, elements, points)."""
        lengths = np.array([e.length for e in self.tables.elements])[:, None]
        EA = np.array([e.section.EA for e in self.tables.elements])[:, None]
        kind, first = self.tables.energy, self.curve(q, points, 1)
        ends = self.curve(q, 2)
        chord = ends[..., 1, :] - ends[..., 0, :]
        size = np.linalg.norm(chord, axis=-1)
        if kind == SIMPLIFIED:
            return np.asarray(EA * (size[..., None] / lengths - 1) * np.ones(points))
        if kind in (GREEN_LAGRANGE, GREEN_LAGRANGE_TANGENT, GREEN_LAGRANGE_DIRAC):
            return np.asarray(EA * 0.5 * ((first**2).sum(axis=-1) - 1))
        e = first[..., 0, :] if kind == CAUCHY_TANGENT else chord
        e = e / np.linalg.norm(e, axis=-1)[..., None]
        return np.asarray(EA * ((first * e[..., None, :]).sum(axis=-1) - 1))

    def parts_of_energy(self, q: Any, v: Any) -> BeamEnergy:
        """Kinetic energy, strain energy and potential of the weight."""
        out = np.empty(3 + self.nv)
        beam_energy(np.ascontiguousarray(q, float), np.ascontiguousarray(v, float), self.pf.copy(), self.pi, out)
        return BeamEnergy(*(float(x) for x in out[:3]))

    def momentum(self, v: Any) -> FloatArray:
        """Linear momentum (…, dim)."""
        total = np.zeros((*np.shape(v)[:-1], self.tables.dim))
        node = self._split(v)
        for e in self.tables.elements:
            m = e.section.rhoA * e.length
            a, b = node[..., e.first, :, :], node[..., e.second, :, :]
            total += m * ((a[..., 0, :] + b[..., 0, :]) / 2 + e.length / 12 * (a[..., 1, :] - b[..., 1, :]))
        return total

    def _split(self, q: Any) -> FloatArray:
        q = np.asarray(q, dtype=np.float64)
        return q.reshape(*q.shape[:-1], self.tables.nodes, 2, self.tables.dim)


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """a × b in the plane, |a × b| in space."""
    if a.shape[-1] == 2:
        return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
    return np.asarray(np.linalg.norm(np.cross(a, b), axis=-1))


def make_system(tables: BeamTables, q0: FloatArray, v0: FloatArray, arc: FloatArray) -> BeamSystem:
    """The system of these tables."""
    pf, pi = tables.build(sparse=False)
    scratch, out = pf.copy(), np.empty(3 + tables.n)

    def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        beam_energy(np.ascontiguousarray(q), np.ascontiguousarray(v), scratch, pi, out)
        return float(out[0]), float(out[1] + out[2])

    letters = [*"xyz"[: tables.dim], *(f"d{x}" for x in "xyz"[: tables.dim])]
    return BeamSystem(
        beam_model,
        KNOWS_MASS | KNOWS_TANGENT | CONSTANT_MASS,
        q0,
        v0,
        pf,
        pi,
        energy,
        names=tuple(f"{x}{k}" for k in range(tables.nodes) for x in letters),
        m=len(tables.rows),
        m_phi=len(tables.rows),
        row_names=tuple(row.name for row in tables.rows),
        tables=tables,
        arc=arc,
    )

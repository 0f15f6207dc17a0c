"""A beam that is compiled: a system like any other, that still knows its shape."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from isodyn.beams.layout import BeamLayout
from isodyn.beams.model import Scratch, Tables, beam_energy, beam_model
from isodyn.beams.shape import BeamShape
from isodyn.kernels.compiled import CONSTANT_MASS, KNOWS_MASS, KNOWS_TANGENT, FloatArray
from isodyn.systems.scales import Scales, power_of_two
from isodyn.systems.tabled import TabledSystem


@dataclass(frozen=True, eq=False)
class BeamEnergy:
    """Parts of the energy."""

    kinetic: float
    strain: float
    weight: float


@dataclass(frozen=True, eq=False)
class BeamSystem(TabledSystem):
    """The compiled system of a `Beam`. q holds (position, slope) of node after node."""

    tables: Tables = None  # type: ignore[assignment]
    scratch: Scratch = None  # type: ignore[assignment]
    layout: BeamLayout = None  # type: ignore[assignment]
    arc: FloatArray = None  # type: ignore[assignment]

    small: ClassVar[int] = 12

    @cached_property
    def shape(self) -> BeamShape:
        """Curve, forces and energies from nodal coordinates."""
        t = self.layout
        return BeamShape(t.dim, t.energy, t.nodes, tuple(t.elements))

    def nodes(self, q: Any) -> FloatArray:
        """Positions (…, nodes, dim)."""
        return self.shape.split(q)[..., 0, :]

    def slopes(self, q: Any) -> FloatArray:
        """Derivatives of the position by the undeformed length, (…, nodes, dim)."""
        return self.shape.split(q)[..., 1, :]

    def curve(self, q: Any, points: int = 8, derivative: int = 0) -> FloatArray:
        """R, R' or R'' at `points` per element, evenly from end to end: (…, elements, points,
        dim)."""
        return self.shape.curve(q, np.linspace(0.0, 1.0, points), derivative)

    def curvature(self, q: Any, points: int = 8) -> FloatArray:
        """Curvature of the line, (…, elements, points): counter-clockwise positive in the plane,
        |κ| in space."""
        return self.shape.curvature(q, np.linspace(0.0, 1.0, points))

    def bending_moment(self, q: Any, points: int = 8) -> FloatArray:
        """EI n·R'' with n across the line, (…, elements, points)."""
        return self.shape.of_section("EI")[:, None] * self.shape.bend(q, np.linspace(0.0, 1.0, points))

    def axial_force(self, q: Any, points: int = 8) -> FloatArray:
        """EA ε with the strain of the energy in use: chord, e·R' − 1 or ½(|R'|² − 1); (…, elements,
        points)."""
        return self.shape.of_section("EA")[:, None] * self.shape.strain(q, np.linspace(0.0, 1.0, points))

    def stress(self, q: Any, points: int = 8, y: float | None = None) -> FloatArray:
        """Axial stress at the distance y from the axis; at both edges of the section (last axis)
        where y is left out."""
        return self.shape.stress(q, np.linspace(0.0, 1.0, points), y)

    def parts_of_energy(self, q: Any, v: Any) -> BeamEnergy:
        """Kinetic energy, strain energy and potential of the weight."""
        out = np.empty(3 + self.nv)
        q, v = np.ascontiguousarray(q, float), np.ascontiguousarray(v, float)
        beam_energy(q, v, self.tables, self.scratch.copy(), out)
        return BeamEnergy(*(float(x) for x in out[:3]))

    def momentum(self, v: Any) -> FloatArray:
        """Linear momentum (…, dim)."""
        return self.shape.momentum(v)


def make_system(layout: BeamLayout, q0: FloatArray, v0: FloatArray, arc: FloatArray) -> BeamSystem:
    """The system of this beam."""
    tables, scratch = layout.build(sparse=False)
    work, out = scratch.copy(), np.empty(3 + layout.n)

    def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        beam_energy(np.ascontiguousarray(q), np.ascontiguousarray(v), tables, work, out)
        return float(out[0]), float(out[1] + out[2])

    sizes = np.tile(np.repeat([power_of_two(arc[-1] - arc[0]), 1.0], layout.dim), layout.nodes)
    letters = [*"xyz"[: layout.dim], *(f"d{x}" for x in "xyz"[: layout.dim])]
    return BeamSystem(
        beam_model,
        KNOWS_MASS | KNOWS_TANGENT | CONSTANT_MASS,
        q0,
        v0,
        tables,
        scratch,
        energy,
        names=tuple(f"{x}{k}" for k in range(layout.nodes) for x in letters),
        m=len(layout.rows),
        m_phi=len(layout.rows),
        row_names=tuple(row.name for row in layout.rows),
        alike=((0,) * layout.dim + (1,) * layout.dim) * layout.nodes,
        elastic=True,
        scales=Scales(sizes, sizes, q0.copy()),
        layout=layout,
        arc=arc,
    )

"""A beam that is compiled: a system like any other, that still knows its shape."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from isodyn.beams.layout import BeamLayout
from isodyn.beams.model import Scratch, Tables, beam_energy, beam_model
from isodyn.beams.shape import BeamShape
from isodyn.kernels.compiled import CONSTANT_MASS, KNOWS_MASS, KNOWS_TANGENT, FloatArray
from isodyn.systems.scales import Scales, power_of_two
from isodyn.systems.tabled import TabledSystem

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@dataclass(frozen=True, eq=False)
class BeamEnergy:
    """Parts of the energy of a beam.

    Parameters
    ----------
    kinetic
        Kinetic energy.
    strain
        Strain energy.
    weight
        Potential of the weight.

    Examples
    --------
    >>> import isodyn as iso
    >>> strip = iso.problems.get("flexible_pendulum").system()
    >>> strip.parts_of_energy(strip.q0, strip.v0).kinetic
    0.0
    """

    kinetic: float
    strain: float
    weight: float


@dataclass(frozen=True, eq=False, repr=False)
class BeamSystem(TabledSystem):
    """The compiled system of a `Beam`; q holds (position, slope) of node after node.

    Parameters
    ----------
    function, traits, q0, v0, tables, scratch, energy, retract, difference
        As in `CompiledSystem`.
    names, first_order, m, m_phi, row_names, v_names, alike, elastic, scales
        As in `CompiledSystem`.
    turns, whole_turns, fastest
        As in `CompiledSystem`.
    layout
        Nodes and elements of the beam.
    arc
        Lengths from the start to the nodes.

    Examples
    --------
    >>> import isodyn as iso
    >>> strip = iso.problems.get("flexible_pendulum").system()
    >>> strip.nodes(strip.q0).shape
    (9, 2)
    """

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

    def nodes(self, q: ArrayLike) -> FloatArray:
        """Return the positions of the nodes.

        Parameters
        ----------
        q
            Nodal coordinates (…, nq).

        Returns
        -------
        nodes
            Positions (…, nodes, dim).
        """
        return self.shape.split(q)[..., 0, :]

    def slopes(self, q: ArrayLike) -> FloatArray:
        """Return the derivatives of the position by the undeformed length.

        Parameters
        ----------
        q
            Nodal coordinates (…, nq).

        Returns
        -------
        slopes
            Derivatives (…, nodes, dim).
        """
        return self.shape.split(q)[..., 1, :]

    def curve(self, q: Numbers, points: int = 8, derivative: int = 0) -> FloatArray:
        """Return the line, or a derivative of it, at points of each element.

        Parameters
        ----------
        q
            Nodal coordinates (…, nq).
        points
            Points per element, evenly from end to end.
        derivative
            0, 1 or 2.

        Returns
        -------
        values
            R, R' or R'' (…, elements, points, dim).
        """
        return self.shape.curve(q, np.linspace(0.0, 1.0, points), derivative)

    def curvature(self, q: Numbers, points: int = 8) -> FloatArray:
        """Return the curvature of the line.

        Parameters
        ----------
        q
            Nodal coordinates (…, nq).
        points
            Points per element.

        Returns
        -------
        curvature
            (…, elements, points); counter-clockwise positive in the plane, |κ| in space.
        """
        return self.shape.curvature(q, np.linspace(0.0, 1.0, points))

    def bending_moment(self, q: Numbers, points: int = 8) -> FloatArray:
        """Return the bending moment EI n·R'', with n across the line.

        Parameters
        ----------
        q
            Nodal coordinates (…, nq).
        points
            Points per element.

        Returns
        -------
        moment
            (…, elements, points).
        """
        return self.shape.of_section("EI")[:, None] * self.shape.bend(q, np.linspace(0.0, 1.0, points))

    def axial_force(self, q: Numbers, points: int = 8) -> FloatArray:
        """Return the axial force EA ε, with the strain of the energy in use.

        The strain is that of the chord, e·R' − 1 or ½(|R'|² − 1).

        Parameters
        ----------
        q
            Nodal coordinates (…, nq).
        points
            Points per element.

        Returns
        -------
        force
            (…, elements, points).
        """
        return self.shape.of_section("EA")[:, None] * self.shape.strain(q, np.linspace(0.0, 1.0, points))

    def stress(self, q: Numbers, points: int = 8, y: float | None = None) -> FloatArray:
        """Return the axial stress at a distance from the axis.

        Parameters
        ----------
        q
            Nodal coordinates (…, nq).
        points
            Points per element.
        y
            The distance; both edges of the section (last axis) if left out.

        Returns
        -------
        stress
            (…, elements, points), or (…, elements, points, 2).

        Raises
        ------
        InputError
            If the section does not know E, or its edge.
        """
        return self.shape.stress(q, np.linspace(0.0, 1.0, points), y)

    def parts_of_energy(self, q: ArrayLike, v: ArrayLike) -> BeamEnergy:
        """Return the kinetic energy, the strain energy and the potential of the weight.

        Parameters
        ----------
        q, v
            Nodal coordinates and velocities.

        Returns
        -------
        energy
            The three parts.
        """
        out = np.empty(3 + self.nv)
        q, v = np.ascontiguousarray(q, float), np.ascontiguousarray(v, float)
        beam_energy(q, v, self.tables, self.scratch.copy(), out)
        return BeamEnergy(*(float(x) for x in out[:3]))

    def momentum(self, v: Numbers) -> FloatArray:
        """Return the linear momentum.

        Parameters
        ----------
        v
            Nodal velocities (…, nv).

        Returns
        -------
        momentum
            (…, dim).
        """
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

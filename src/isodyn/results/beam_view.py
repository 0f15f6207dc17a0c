"""What a solution says about a beam: its shape, forces, stresses and energies along time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isodyn.beams.elements import damping_power
from isodyn.beams.layout import tables_of_elements
from isodyn.beams.shape import BeamShape
from isodyn.beams.system import BeamSystem
from isodyn.beams.tables import ElementScratch
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.system import MechanismSystem
from isodyn.results.at_balance import from_balance
from isodyn.results.history_view import HistoryView

if TYPE_CHECKING:
    from isodyn.results.solution import Solution


class BeamEnergies(NamedTuple):
    """Along the solution: kinetic energy, energy of stretching and of bending, and what internal
    damping has taken since the start."""

    kinetic: FloatArray
    axial: FloatArray
    bending: FloatArray
    dissipated: FloatArray


class BeamView(HistoryView):
    """One beam along a solution; histories have the times first. `points` are spread evenly over
    each element, ends included."""

    def __init__(self, sol: Solution, name: str | None = None) -> None:
        sol._whole("beam()")
        system: Any = sol.system
        if isinstance(system, BeamSystem):
            self.shape, own, self.arc = system.shape, slice(None), system.arc
        elif isinstance(system, MechanismSystem):
            if name not in system.beams:
                raise InputError(
                    f"there is no beam named {name!r}",
                    hint=f"beams: {', '.join(system.lines) or 'none in this mechanism'}",
                )
            beam = system.beams[name]
            mesh = beam.mesh
            self.shape = BeamShape(mesh.dim, mesh.energy, len(beam.nodes), mesh.elements)
            own, self.arc = slice(system.v_of(beam.start).start, system.v_of(beam.end).stop), mesh.arc
        else:
            raise InputError(
                f"beam() needs the solution of a Beam or a Mechanism; this one comes from {type(system).__name__}"
            )
        self.name, self.t, self.q, self.v = name, sol.t, sol.q[:, own], sol.v[:, own]
        self._sol, self._own = sol, own

    def about(self) -> str:
        """Its name and size."""
        name = "" if self.name is None else f"{self.name!r} "
        return f"{name}with {len(self.shape.elements)} elements"

    def histories(self) -> tuple[str, ...]:
        """What there is to read without further choices; curve, strain, stress and the like take
        points."""
        return ("nodes", "slopes")

    def _by_forces(self, history: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """A quantity of nodal coordinates that goes with forces, from where the balance holds."""
        return from_balance(self._sol, lambda t, q, v: history(np.ascontiguousarray(q[:, self._own])))

    @property
    def nodes(self) -> FloatArray:
        """Positions of nodes (times, nodes, dim)."""
        return self.shape.split(self.q)[..., 0, :]

    @property
    def slopes(self) -> FloatArray:
        """Derivatives of the position by the undeformed length at the nodes."""
        return self.shape.split(self.q)[..., 1, :]

    def curve(self, points: int = 8, derivative: int = 0) -> FloatArray:
        """R, R' or R'' (times, elements, points, dim)."""
        return self.shape.curve(self.q, _places(points), derivative)

    def curvature(self, points: int = 8) -> FloatArray:
        """(times, elements, points): counter-clockwise positive in the plane, |κ| in space."""
        return self.shape.curvature(self.q, _places(points))

    def bending_moment(self, points: int = 8) -> FloatArray:
        """EI n·R'' (times, elements, points), from where the balance holds
        (isodyn.results.at_balance)."""
        return self.shape.of_section("EI")[:, None] * self._by_forces(lambda q: self.shape.bend(q, _places(points)))

    def axial_force(self, points: int = 8) -> FloatArray:
        """EA ε (times, elements, points), from where the balance holds."""
        return self.shape.of_section("EA")[:, None] * self.strain(points)

    def strain(self, points: int = 8) -> FloatArray:
        """ε (times, elements, points), from where the balance holds."""
        return self._by_forces(lambda q: self.shape.strain(q, _places(points)))

    def stress(self, points: int = 8, y: float | None = None) -> FloatArray:
        """Axial stress at the distance y from the axis; at both edges of the section (last axis)
        where y is left out."""
        return self._by_forces(lambda q: self.shape.stress(q, _places(points), y))

    @cached_property
    def energies(self) -> BeamEnergies:
        """Kinetic, axial, bending; and what damping dissipated, by the trapezoidal rule over the
        saved times."""
        shape = self.shape
        tables = tables_of_elements(shape.elements, shape.energy, shape.dim)
        q, v = np.ascontiguousarray(self.q), np.ascontiguousarray(self.v)
        power = damping_power(q, v, tables, ElementScratch())
        work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(self.t))])
        return BeamEnergies(shape.kinetic_energy(self.v), *shape.strain_energy(self.q), work)


def _places(points: int) -> FloatArray:
    return np.linspace(0.0, 1.0, points)

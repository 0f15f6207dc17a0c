"""What a solution says about a rod: its shape, strains, sectional forces, stresses and energies.

    ε = (h − h₀)/L,    s = C ε + C_d ε̇ = (N, Q_y, Q_z, T, M_y, M_z)           in the axes of the cross-section

Strains and forces belong to the middle of elements; those at the ends are what the element exerts
on its nodes, in equilibrium with s. All are taken where the balance holds
(isodyn.results.at_balance), so that they go with the accelerations at t_n.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.mechanism.point_rod_part import PointRodPart
from isodyn.mechanism.poses import poses
from isodyn.mechanism.rod_writer import damping_of
from isodyn.mechanism.system import MechanismSystem
from isodyn.results.at_balance import from_balance
from isodyn.results.beam_view import BeamView
from isodyn.results.history_view import HistoryView

rod_passes = Later("isodyn.multibody.rod_passes")

if TYPE_CHECKING:
    from isodyn.bodies.body import Body
    from isodyn.mechanism.rod_part import RodPart
    from isodyn.results.solution import Solution

SCREW, RATE, FORCE, ON_A, ON_B = (slice(k, k + 6) for k in range(0, 30, 6))  # numbers of an element in a row


class RodEnergies(NamedTuple):
    """Along the solution: kinetic energy, strain energy, and what internal damping has taken since
    the start."""

    kinetic: FloatArray
    strain: FloatArray
    dissipated: FloatArray


class RodView(HistoryView):
    """One rod along a solution; histories have the times first, then nodes or elements."""

    def __init__(self, sol: Solution, name: str) -> None:
        sol._whole("beam()")
        system: MechanismSystem = sol.system
        self.name, self.t, self._sol, self._system = name, sol.t, sol, system
        self.rod: RodPart = system.rods[name]
        self.by_points = isinstance(self.rod, PointRodPart)
        alike = [rod for rod in system.rods.values() if isinstance(rod, PointRodPart) == self.by_points]
        before = [rod.name for rod in alike].index(name)
        self._first = sum(rod.lengths.size for rod in alike[:before])
        self.arc = self.rod.arcs

    def about(self) -> str:
        """Its name and size."""
        return f"{self.name!r} with {self.rod.lengths.size} elements"

    def histories(self) -> tuple[str, ...]:
        """What there is to read without further choices; curve, stress and the like take
        arguments."""
        return ("nodes", "strain", "force", "moment")

    # ---- shape

    @cached_property
    def nodes(self) -> FloatArray:
        """Positions of nodes (times, nodes, 3)."""
        return np.stack([poses(self._system, b.name, self._sol.q, self._sol.v).position for b in self.rod.nodes], 1)

    @cached_property
    def frames(self) -> FloatArray:
        """Axes of the cross-section at the nodes, in the world, as columns (times, nodes, 3, 3)."""
        if not isinstance(self.rod, PointRodPart):
            return np.stack([poses(self._system, b.name, self._sol.q, self._sol.v).R for b in self.rod.nodes], 1)
        y, z = (
            np.stack([self._sol.q[:, self._system.q_of(p.name)] for p in self.rod.points[k::3]], 1) - self.nodes
            for k in (1, 2)
        )
        x = np.cross(y, z)
        x, y = (u / np.linalg.norm(u, axis=-1, keepdims=True) for u in (x, y))
        return np.stack([x, y, np.cross(x, y)], axis=-1)

    def curve(self, points: int = 8) -> FloatArray:
        """Places along the axis of every element (times, elements, points, 3), ends included."""
        xi, nodes = np.linspace(0.0, 1.0, points), self.nodes
        if self.by_points:
            a, b = nodes[:, :-1, None], nodes[:, 1:, None]
            return np.asarray(a + xi[:, None] * (b - a))
        R, h = self.frames[:, :-1], self._of_rows(self._sol.q, self._sol.v)[..., SCREW]
        d, phi = h[..., :3], h[..., 3:]
        out = np.empty((*h.shape[:2], points, 3))
        y = np.einsum("...i,...i->...", phi, phi)[..., None]
        turned, twice = np.cross(phi, d), np.cross(phi, np.cross(phi, d))
        for k, s in enumerate(xi):  # ∫ exp(u φ~) d du from 0 to s
            z = np.sqrt(y) * s
            small = z < 1e-3
            safe = np.where(small, 1.0, z)
            first = s**2 * np.where(small, 0.5 - z**2 / 24, (1 - np.cos(safe)) / safe**2)
            second = s**3 * np.where(small, 1 / 6 - z**2 / 120, (safe - np.sin(safe)) / safe**3)
            out[:, :, k] = nodes[:, :-1] + np.einsum("keij,kej->kei", R, s * d + first * turned + second * twice)
        return out

    # ---- strains and forces

    def _of_rows(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """All numbers of the elements for rows of q and v."""
        out = rod_passes.RodRows(rows=q.shape[0], elements=self.rod.lengths.size)
        read = rod_passes.points_of_rows if self.by_points else rod_passes.rods_of_rows
        q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
        read(q, v, self._system.tables, self._system.scratch.copy(), self._first, out)
        return np.concatenate([out.screw, out.rate, out.force, out.on_a, out.on_b], axis=-1)

    @cached_property
    def _read(self) -> FloatArray:
        return from_balance(self._sol, lambda t, q, v: self._of_rows(q, v))

    @cached_property
    def strain(self) -> FloatArray:
        """Stretch, shear y, z, torsion and bending about y, z in the middle of elements (times,
        elements, 6)."""
        if self.by_points:
            return self._read[..., SCREW]
        return np.asarray((self._read[..., SCREW] - self.rod.unstrained) / self.rod.lengths[:, None])

    @cached_property
    def _sectional(self) -> FloatArray:
        s = self._read[..., FORCE]
        return s / self.rod.lengths[:, None] if self.by_points else s

    @property
    def force(self) -> FloatArray:
        """N, Q_y, Q_z in the middle of elements, axes of the cross-section (times, elements, 3)."""
        return self._sectional[..., :3]

    @property
    def moment(self) -> FloatArray:
        """T, M_y, M_z in the middle of elements, axes of the cross-section (times, elements, 3)."""
        return self._sectional[..., 3:]

    def at_ends(self) -> tuple[FloatArray, FloatArray]:
        """Return sectional forces and moments at the ends of elements.

        Returns
        -------
        force, moment
            N, Q_y, Q_z and T, M_y, M_z at both ends of every element, in the axes of the nodes
            there (times, elements, 2, 3).

        Raises
        ------
        InputError
            For beams in absolute nodal coordinates, whose cross-sections deform.
        """
        if self.by_points:
            raise InputError(f"beam {self.name!r}: forces at ends are for model='exact'", hint="force and moment")
        R = self.frames
        found = []
        for on, sign, R_end in ((ON_A, -1.0, R[:, :-1]), (ON_B, 1.0, R[:, 1:])):
            both = sign * self._read[..., on]
            found.append((np.einsum("keji,kej->kei", R_end, both[..., :3]), both[..., 3:]))
        return np.stack([f for f, _ in found], 2), np.stack([m for _, m in found], 2)

    def stress(self, y: float | None = None, z: float | None = None) -> FloatArray:
        """Return the axial stress E (ε + z κ_y − y κ_z) in the middle of elements.

        Parameters
        ----------
        y, z
            A point of the cross-section; the outermost fibres if both are left out.

        Returns
        -------
        stress
            (times, elements), or least and largest (times, elements, 2) over the cross-section.

        Raises
        ------
        InputError
            If the section has no E, or no edge where it is needed.
        """
        section, strain = self.rod.section, self.strain
        if not np.isfinite(section.E):
            raise InputError(f"beam {self.name!r}: stresses need E= of its section", argument="section")
        axial, k_y, k_z = strain[..., 0], strain[..., 4], strain[..., 5]
        if y is not None or z is not None:
            return np.asarray(section.E * (axial + (z or 0.0) * k_y - (y or 0.0) * k_z))
        if not np.isfinite(section.edge):
            raise InputError(f"beam {self.name!r}: its section has no edge", hint="give y and z", argument="section")
        if np.isfinite(section.edge_z):
            most = section.edge_z * np.abs(k_y) + section.edge * np.abs(k_z)
        else:
            most = section.edge * np.hypot(k_y, k_z)
        return np.asarray(section.E * np.stack([axial - most, axial + most], axis=-1))

    @cached_property
    def energies(self) -> RodEnergies:
        """Kinetic and strain energy at t_n, and what damping dissipated, by the trapezoidal rule
        over the saved times."""
        return RodEnergies(self._kinetic(), self._strain_energy(), self._dissipated())

    def _strain_energy(self) -> FloatArray:
        rod, read = self.rod, self._of_rows(self._sol.q, self._sol.v)
        if self.by_points:
            return self._by_points()[1]
        h = read[..., SCREW] - rod.unstrained
        return np.asarray(0.5 * np.einsum("kei,ij,kej,e->k", h, rod.section.stiffness, h, 1 / rod.lengths))

    def _dissipated(self) -> FloatArray:
        rod, section = self.rod, self.rod.section
        rate = self._of_rows(self._sol.q, self._sol.v)[..., RATE]
        rate = rate if self.by_points else rate / rod.lengths[:, None]
        D = damping_of(section.stiffness, np.repeat(section.times, (3, 3)))
        power = np.einsum("kei,ij,kej,e->k", rate, D, rate, rod.lengths)
        return np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(self.t))])

    def _velocities(self, body: Body) -> FloatArray:
        return self._sol.v[:, self._system.v_of(body.name)]

    def _kinetic(self) -> FloatArray:
        rod, v = self.rod, self._point_velocities()
        total = 0.5 * np.einsum("n,kni->k", [b.mass for b in rod.nodes], v**2)
        if isinstance(rod, PointRodPart):
            return np.asarray(total + self._by_points()[0])
        for body in rod.nodes:
            w = poses(self._system, body.name, self._sol.q, self._sol.v).w
            total += 0.5 * np.einsum("ki,ij,kj->k", w, body.inertia, w)
        return np.asarray(total - 0.5 * np.einsum("e,kei->k", self._sixths, np.diff(v, axis=1) ** 2))

    def _point_velocities(self) -> FloatArray:
        return np.stack([poses(self._system, b.name, self._sol.q, self._sol.v).v for b in self.rod.nodes], 1)

    @property
    def _sixths(self) -> FloatArray:
        """How a consistent mass couples both ends of elements."""
        return self.rod.section.rhoA * self.rod.lengths / 6 * (self.rod.mass == "consistent")

    def _by_points(self) -> tuple[FloatArray, FloatArray]:
        """Kinetic energy beyond that of the axis, and strain energy, of elements between points."""
        rod = self.rod
        assert isinstance(rod, PointRodPart)
        x, v = (np.stack([a[:, self._system.v_of(p.name)] for p in rod.points], 1) for a in (self._sol.q, self._sol.v))
        kinetic, potential = np.zeros((2, self.t.size))
        for k, L in enumerate(map(float, rod.lengths)):
            six, u = x[:, 3 * k : 3 * k + 6] - x[:, 3 * k : 3 * k + 1], v[:, 3 * k : 3 * k + 6]
            strain = 0.5 * np.einsum("inm,knd,kmd->ki", rod.forms(L), six, six) - rod.unstrained[k]
            potential += 0.5 * np.einsum("ki,ij,kj->k", strain, rod.stiffness(L), strain)
            kinetic += 0.5 * np.einsum("nm,knd,kmd->k", rod.coupled_mass(L), u, u)
        return kinetic, potential

    def coupled_momentum(self) -> FloatArray:
        """Angular momentum about the origin beyond that of the nodes as bodies (times, 3)."""
        rod = self.rod
        if isinstance(rod, PointRodPart):
            x, v = (
                np.stack([a[:, self._system.v_of(p.name)] for p in rod.points], 1) for a in (self._sol.q, self._sol.v)
            )
            return np.asarray(
                sum(
                    np.cross(
                        x[:, 3 * k : 3 * k + 6],
                        np.einsum("nm,kmd->knd", rod.coupled_mass(float(L)), v[:, 3 * k : 3 * k + 6]),
                    ).sum(1)
                    for k, L in enumerate(rod.lengths)
                )
            )
        way, relative = np.diff(self.nodes, axis=1), np.diff(self._point_velocities(), axis=1)
        return np.asarray(-np.einsum("e,kei->ki", self._sixths, np.cross(way, relative)))


def view_of_line(sol: Solution, name: str | None) -> BeamView | RodView:
    """A beam or rod along a solution."""
    system = sol.system
    if isinstance(system, MechanismSystem) and name in system.rods:
        return RodView(sol, str(name))
    return BeamView(sol, name)

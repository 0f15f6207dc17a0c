"""What a solution tells about a flexible body: displacements, stresses, energies, momenta,
files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.mechanism_views import BodyView, mechanism_of

if TYPE_CHECKING:
    from isodyn.flexible.craig_bampton import ReducedBody
    from isodyn.flexible.solid import Solid
    from isodyn.results.solution import Solution

meshio = Later("meshio")


class FlexibleView(ShownInNotebooks):
    """A flexible body along a solution.

    Displacements are those of the points of the finite elements in the floating frame, which moves
    with the first interface.

    Parameters
    ----------
    sol
        The solution.
    name
        Name of the body.
    """

    def __init__(self, sol: Solution, name: str) -> None:
        system = mechanism_of(sol, f"flexible_body({name!r})")
        parts = {part.name: part for part in system.layout.flexible}
        if name not in parts:
            raise InputError(f"there is no flexible body named {name!r}", hint=f"known: {', '.join(parts) or 'none'}")
        self.sol, self.name, self.part = sol, name, parts[name]
        self.frame = BodyView(sol, self.part.interfaces[0].name)

    def __repr__(self) -> str:
        return f"<FlexibleView {self.name!r}: {len(self.reduced.elements.points)} points, {self.sol.t.size} rows>"

    def description(self) -> list[tuple[str, str]]:
        """Lines of the notebook view."""
        return [("points", str(len(self.reduced.elements.points))), ("modes", str(self.reduced.modes))]

    @property
    def reduced(self) -> ReducedBody:
        """The reduced finite elements."""
        return self.part.reduced

    @cached_property
    def deformation(self) -> FloatArray:
        """Displacements and rotations of the other interfaces in the frame, then modes, (times,
        N)."""
        system, R = mechanism_of(self.sol, "flexible_body()"), self.frame.R
        columns = []
        for k, one in enumerate(self.part.interfaces[1:], 1):
            view = BodyView(self.sol, one.name)
            place = np.einsum("kji,kj->ki", R, view.position - self.frame.position)
            columns += [place - (self.reduced.centres[k] - self.reduced.centres[0]), _axial(R, view.R)]
        columns += [self.sol.q[:, system.q_of(one.name)] for one in self.part.modes]
        return np.hstack([np.zeros((self.sol.t.size, 0)), *columns])

    @cached_property
    def deformation_rate(self) -> FloatArray:
        """Its rate, (times, N)."""
        system, R, w = mechanism_of(self.sol, "flexible_body()"), self.frame.R, self.frame.angular_velocity
        columns = []
        for one in self.part.interfaces[1:]:
            view = BodyView(self.sol, one.name)
            place = np.einsum("kji,kj->ki", R, view.position - self.frame.position)
            rate = np.einsum("kji,kj->ki", R, view.velocity - self.frame.velocity) - np.cross(w, place)
            E = np.einsum("kji,kjl->kil", R, view.R)
            turning = E @ _tilde(view.angular_velocity) - _tilde(w) @ E
            columns += [rate, _half_difference(turning)]
        columns += [self.sol.v[:, system.v_of(one.name)] for one in self.part.modes]
        return np.hstack([np.zeros((self.sol.t.size, 0)), *columns])

    @cached_property
    def strain(self) -> FloatArray:
        """The coordinates of strain, (times, N): with stiffening, those of `deformation` and how
        much bending shortens the body."""
        p, stiff = self.deformation, self.reduced.stiffening
        if stiff is None:
            return p
        shorter = 0.5 * np.einsum("ki,cij,kj->kc", p, stiff[-(p.shape[1] - self.reduced.modes) or len(stiff) :], p)
        return p + np.hstack([shorter, np.zeros((len(p), p.shape[1] - shorter.shape[1]))])

    def displacement(self, row: int = -1) -> FloatArray:
        """Return displacements of all points in the floating frame.

        Parameters
        ----------
        row
            Row of the solution.

        Returns
        -------
        u
            Displacements, (points, 3).
        """
        return np.asarray(self.reduced.basis @ self.deformation[row])

    def positions(self, row: int = -1) -> FloatArray:
        """Return places of all points in the world.

        Parameters
        ----------
        row
            Row of the solution.

        Returns
        -------
        x
            Places, (points, 3).
        """
        y = self.reduced.elements.points - self.reduced.centres[0] + self.displacement(row)
        return np.asarray(self.frame.position[row] + y @ self.frame.R[row].T)

    def velocities(self, row: int = -1) -> FloatArray:
        """Return velocities of all points in the world.

        Parameters
        ----------
        row
            Row of the solution.

        Returns
        -------
        v
            Velocities, (points, 3).
        """
        y = self.reduced.elements.points - self.reduced.centres[0] + self.displacement(row)
        local = np.cross(self.frame.angular_velocity[row], y) + self.reduced.basis @ self.deformation_rate[row]
        return np.asarray(self.frame.velocity[row] + local @ self.frame.R[row].T)

    def stress(self, row: int = -1) -> FloatArray:
        """Return the stress at the corners of the mesh, in axes of the body.

        Parameters
        ----------
        row
            Row of the solution.

        Returns
        -------
        stress
            Stress, (corners, 3, 3), the mean of the elements around a corner.

        Raises
        ------
        InputError
            If the body was not made from a mesh.
        """
        return np.asarray(self._solid().nodal_stress(self.reduced.basis @ self.strain[row]))

    def von_mises(self, row: int = -1) -> FloatArray:
        """Return von Mises' stress at the corners of the mesh.

        Parameters
        ----------
        row
            Row of the solution.

        Returns
        -------
        stress
            Stress, (corners,).

        Raises
        ------
        InputError
            If the body was not made from a mesh.
        """
        stress = self.stress(row)
        deviator = stress - np.trace(stress, axis1=1, axis2=2)[:, None, None] * np.eye(3) / 3
        return np.asarray(np.sqrt(1.5 * np.einsum("kij,kij->k", deviator, deviator)))

    @property
    def strain_energy(self) -> FloatArray:
        """Energy of strain, (times,)."""
        return 0.5 * np.einsum("ki,ij,kj->k", self.strain, self.reduced.stiffness, self.strain)

    @cached_property
    def kinetic_energy(self) -> FloatArray:
        """Kinetic energy, (times,)."""
        m, speeds = self.reduced.elements.mass, (self.velocities(k) for k in range(self.sol.t.size))
        return np.array([0.5 * float(np.sum(v * (m @ v))) for v in speeds])

    @cached_property
    def potential_energy(self) -> FloatArray:
        """Energy of strain and weight, (times,)."""
        gravity = mechanism_of(self.sol, "flexible_body()").layout.gravity
        return np.asarray(self.strain_energy - self._sums(self.positions) @ gravity)

    @cached_property
    def momentum(self) -> FloatArray:
        """Linear momentum in the world, (times, 3)."""
        return self._sums(self.velocities)

    @cached_property
    def angular_momentum(self) -> FloatArray:
        """Angular momentum about the origin of the world, (times, 3)."""
        m = self.reduced.elements.mass
        both = ((self.positions(k), m @ self.velocities(k)) for k in range(self.sol.t.size))
        return np.array([np.cross(x, p).sum(axis=0) for x, p in both])

    def _sums(self, field: Callable[..., FloatArray]) -> FloatArray:
        shares = np.asarray(self.reduced.elements.mass.sum(axis=0)).ravel()
        return np.array([shares @ field(k) for k in range(self.sol.t.size)])

    def _solid(self) -> Solid:
        solid = self.reduced.elements.solid
        if solid is None:
            raise InputError(
                f"flexible body {self.name!r} has no mesh", hint="make it with iso.FiniteElements.from_mesh"
            )
        return solid

    def write_vtk(self, folder: str | Path, rows: Iterable[int] | None = None) -> Path:
        """Write the moving mesh with displacements and stresses as VTK files.

        Stresses are there as tensors (xx, xy, … zz) and after von Mises.

        Parameters
        ----------
        folder
            Where to write: one file for each row, and a collection that names them with their
            times.
        rows
            Rows of the solution, also from its end (-1); all if left out.

        Returns
        -------
        path
            The collection, which ParaView opens.

        Raises
        ------
        InputError
            If the body was not made from a mesh.
        """
        solid, folder = self._solid(), Path(folder)
        kind, cells = solid.cells
        folder.mkdir(parents=True, exist_ok=True)
        corners = solid.mesh.p.shape[1]
        lines = []
        every = range(self.sol.t.size)
        for row in every if rows is None else [every[k] for k in rows]:
            stress = self.stress(row)
            fields = {"displacement": self.displacement(row)[:corners], "von Mises": self.von_mises(row)}
            fields["stress"] = stress.reshape(len(stress), 9)
            file = f"{self.name}_{row:06d}.vtu"
            meshio.write(folder / file, meshio.Mesh(self.positions(row)[:corners], {kind: cells}, point_data=fields))
            lines.append(f'<DataSet timestep="{float(self.sol.t[row])!r}" file="{file}"/>')
        path = folder / f"{self.name}.pvd"
        text = ['<?xml version="1.0"?>', '<VTKFile type="Collection" version="0.1">', "<Collection>"]
        path.write_text("\n".join([*text, *lines, "</Collection>", "</VTKFile>", ""]), encoding="utf-8")
        return path


def _half_difference(B: FloatArray) -> FloatArray:
    """½ (B₃₂ − B₂₃, B₁₃ − B₃₁, B₂₁ − B₁₂)."""
    d = 0.5 * (B - np.swapaxes(B, 1, 2))
    return np.stack([d[:, 2, 1], d[:, 0, 2], d[:, 1, 0]], axis=1)


def _axial(R: FloatArray, other: FloatArray) -> FloatArray:
    return _half_difference(np.einsum("kji,kjl->kil", R, other))


def _tilde(w: FloatArray) -> FloatArray:
    out = np.zeros((len(w), 3, 3))
    out[:, 2, 1], out[:, 0, 2], out[:, 1, 0] = w.T
    return out - np.swapaxes(out, 1, 2)

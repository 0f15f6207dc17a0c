"""Solids of tetrahedra or hexahedra by scikit-fem: matrices, stresses, geometric stiffness.

K = ∫ σ(u):ε(w),   m = ∫ ρ u w,   K_σ = ∫ ∇u : σ ∇w  of a state of stress σ
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later
from isodyn.later import sparse as sp

if TYPE_CHECKING:
    from meshio import Mesh as FileMesh
    from skfem import Basis, Mesh
    from skfem.element import DiscreteField, Element

    from isodyn.open_types import Matrix

skfem = Later("skfem")
meshio, skfem_meshio = Later("meshio"), Later("skfem.io.meshio")
LINEAR = {"MeshTet": "ElementTetP1", "MeshHex": "ElementHex1"}  # elements with a value at every corner
KINDS = {"tetra": "MeshTet", "hexahedron": "MeshHex"}  # names in files, classes of scikit-fem


@dataclass(frozen=True, eq=False)
class Solid:
    """A mesh of scikit-fem with a material."""

    mesh: Mesh
    E: float
    nu: float
    rho: float
    order: int

    @classmethod
    def of(cls, mesh: str | Path | Mesh | FileMesh, E: float, nu: float, rho: float, order: int) -> Solid:
        """The solid of a mesh in any of its forms."""
        if not E > 0.0 or not -1.0 < nu < 0.5 or not rho > 0.0:
            raise InputError(
                f"a solid needs E > 0, −1 < nu < 0.5 and rho > 0, received E = {E:g}, nu = {nu:g}, rho = {rho:g}"
            )
        if order not in (1, 2):
            raise InputError(f"order must be 1 or 2, received {order!r}", argument="order")
        mesh = _mesh_of(mesh)
        if type(mesh).__name__ not in ("MeshTet1", "MeshHex1"):
            raise InputError(
                f"a solid needs a mesh of tetrahedra or hexahedra, received {type(mesh).__name__}",
                hint="for scikit-fem: MeshTet or MeshHex",
                argument="mesh",
            )
        return cls(mesh, E, nu, rho, order)

    @cached_property
    def _element(self) -> Element:
        tet = self._kind == "MeshTet"
        names = ("ElementTetP1", "ElementTetP2") if tet else ("ElementHex1", "ElementHex2")
        return getattr(skfem, names[self.order - 1])()

    @cached_property
    def scalar(self) -> Basis:
        """Shape functions of one direction."""
        return skfem.Basis(self.mesh, self._element, intorder=2 * self.order)

    @cached_property
    def vector(self) -> Basis:
        """The same of displacements."""
        return skfem.Basis(self.mesh, skfem.ElementVector(self._element), intorder=2 * self.order)

    @cached_property
    def _order(self) -> IntArray:
        """Number of (point, direction) among the unknowns of scikit-fem."""
        found = np.empty((self.scalar.N, 3), dtype=np.int64)
        for kind in ("nodal_dofs", "edge_dofs", "facet_dofs", "interior_dofs"):
            one, many = getattr(self.scalar, kind), getattr(self.vector, kind)
            for k in range(one.shape[0]):
                found[one[k]] = many[3 * k : 3 * k + 3].T
        return found.ravel()

    @property
    def points(self) -> FloatArray:
        """Places of all points, those on edges and faces too."""
        return np.ascontiguousarray(self.scalar.doflocs.T)

    @property
    def lame(self) -> tuple[float, float]:
        """Lamé's λ and μ."""
        return self.E * self.nu / ((1 + self.nu) * (1 - 2 * self.nu)), self.E / (2 * (1 + self.nu))

    def _ours(self, A: Matrix) -> Matrix:
        return sp.csr_array(A)[self._order][:, self._order]

    def stiffness(self) -> Matrix:
        """K."""
        lam, mu = self.lame

        def form(u: DiscreteField, v: DiscreteField, w: object) -> FloatArray:
            a, b = _strain(u.grad), _strain(v.grad)
            return lam * _trace(a) * _trace(b) + 2 * mu * np.einsum("ij...,ij...->...", a, b)

        return self._ours(skfem.BilinearForm(form).assemble(self.vector))

    def mass(self) -> Matrix:
        """m, of one direction."""

        def form(u: DiscreteField, v: DiscreteField, w: object) -> FloatArray:
            return self.rho * u * v

        return sp.csr_array(skfem.BilinearForm(form).assemble(self.scalar))

    @cached_property
    def at_corners(self) -> FloatArray:
        """Shape functions of displacements at the corners of the elements."""
        corners = self.mesh.refdom.p
        quadrature = corners, np.ones(corners.shape[1])
        return skfem.Basis(self.mesh, skfem.ElementVector(self._element), quadrature=quadrature)

    def stress_fields(self, u: FloatArray, basis: Basis | None = None) -> FloatArray:
        """σ at the points of a basis, (3, 3, elements, points), of displacements (n, 3); at those
        of integration if it is left out."""
        x = np.empty(self.vector.N)
        x[self._order] = u.ravel()
        e = _strain((self.vector if basis is None else basis).interpolate(x).grad)
        lam, mu = self.lame
        return np.asarray(2 * mu * e + lam * _trace(e) * np.eye(3)[:, :, None, None])

    def geometric_stiffness(self, u: FloatArray) -> Matrix:
        """K_σ of the stresses of displacements u, (3 n, 3 n)."""
        stress = self.stress_fields(u)

        def form(a: Any, b: Any, w: Any) -> Any:
            return np.einsum("i...,ij...,j...->...", a.grad, stress, b.grad)

        return sp.csr_array(sp.kron(skfem.BilinearForm(form).assemble(self.scalar), sp.eye_array(3)))

    def nodal_stress(self, u: FloatArray) -> FloatArray:
        """σ at the corners of the mesh, (corners, 3, 3): the mean of their elements."""
        found = np.moveaxis(self.stress_fields(u, self.at_corners), (2, 3), (0, 1))
        corners = self.mesh.t
        total = np.zeros((self.mesh.p.shape[1], 3, 3))
        count = np.bincount(corners.ravel(), minlength=len(total))
        for k, line in enumerate(corners):
            np.add.at(total, line, found[:, k])
        return np.asarray(total / count[:, None, None])

    def stress_jumps(self, u: FloatArray) -> float:
        """Part of the strain energy of displacements u that is in the difference between stresses
        and their means at the corners: the estimate of Zienkiewicz and Zhu (1987) of what the mesh
        makes wrong."""
        linear = skfem.Basis(self.mesh, getattr(skfem, LINEAR[self._kind])(), intorder=2 * self.order)
        stress, means = self.stress_fields(u), self.nodal_stress(u)
        smooth = np.array([[np.asarray(linear.interpolate(means[:, i, j])) for j in range(3)] for i in range(3)])
        return self._energy(stress - smooth) / self._energy(stress)

    def _energy(self, stress: FloatArray) -> float:
        """Twice the strain energy of stresses at the points of integration."""
        lam, mu = self.lame
        squares = np.einsum("ij...,ij...->...", stress, stress) - lam / (3 * lam + 2 * mu) * _trace(stress) ** 2
        return float(np.sum(squares * self.vector.dx)) / (2 * mu)

    @property
    def cells(self) -> tuple[str, FloatArray]:
        """Kind of cells by its name in meshio, and their corners in the order there."""
        if self._kind == "MeshTet":
            return "tetra", self.mesh.t.T
        return "hexahedron", np.asarray(skfem_meshio.to_meshio(self.mesh).cells_dict["hexahedron"])

    def arrays(self) -> dict[str, FloatArray]:
        """The mesh as arrays, which a `.npz` file holds: points, and corners in the order of
        scikit-fem."""
        return {"points": self.mesh.p.T, next(k for k, one in KINDS.items() if one == self._kind): self.mesh.t.T}

    @property
    def _kind(self) -> str:
        return type(self.mesh).__name__.removesuffix("1")

    def points_of(self, name: str) -> FloatArray:
        """Numbers of the points on a boundary of the mesh that has a name."""
        known = self.mesh.boundaries or {}
        if name not in known:
            raise InputError(
                f"the mesh has no boundary {name!r}", hint=f"it has: {', '.join(known) or 'none with a name'}"
            )
        return np.asarray(self.scalar.get_dofs(name).all())

    @cached_property
    def surface(self) -> FloatArray:
        """Triangles of the surface, as corners of the mesh; they look outward."""
        mesh = self.mesh
        outer = mesh.boundary_facets()
        facets, inside = mesh.facets[:, outer].T, mesh.p[:, mesh.t[:, mesh.f2t[0, outer]]].mean(axis=1).T
        a, b, c = (mesh.p.T[facets[:, k]] for k in range(3))
        inward = np.einsum("ki,ki->k", np.cross(b - a, c - a), a - inside) < 0
        facets = np.where(inward[:, None], facets[:, ::-1], facets)
        if facets.shape[1] == 3:
            return np.asarray(facets)
        return np.asarray(np.concatenate([facets[:, [0, 1, 2]], facets[:, [0, 2, 3]]]))


def _mesh_of(mesh: Any) -> Mesh:
    """A mesh of scikit-fem."""
    if isinstance(mesh, str | Path):
        mesh = _read(Path(mesh))
    if hasattr(mesh, "cells_dict"):
        _one_kind(mesh.cells_dict)
        mesh = skfem_meshio.from_meshio(mesh)
    return mesh


def _read(path: Path) -> Mesh | FileMesh:
    """The mesh of a file: arrays of `Solid.arrays`, or what meshio reads."""
    if not path.is_file():
        raise InputError(f"there is no file {path}", argument="mesh")
    try:
        if path.suffix != ".npz":
            return meshio.read(path)
        with np.load(path, allow_pickle=False) as found:
            kind = _one_kind([name for name in found.files if name != "points"])
            points, cells = np.asarray(found["points"], dtype=np.float64), np.asarray(found[kind], dtype=np.int64)
            if cells.min() < 0 or cells.max() >= len(points):
                raise ValueError("corners that are no points")
            return getattr(skfem, KINDS[kind])(np.ascontiguousarray(points.T), np.ascontiguousarray(cells.T))
    except InputError:
        raise
    except Exception as error:  # readers of meshio raise what they like, and end the program by SystemExit
        raise InputError(f"the mesh {path} cannot be read: {str(error)[:200]}", argument="mesh") from error
    except SystemExit as error:
        raise InputError(f"the mesh {path} cannot be read by meshio", argument="mesh") from error


def _one_kind(known: Iterable[str]) -> str:
    """The kind of cells in a mesh."""
    found = [kind for kind in KINDS if kind in known]
    if len(found) != 1:
        raise InputError(
            f"a solid needs cells of one kind, tetrahedra or hexahedra; the mesh has {', '.join(known) or 'none'}",
            argument="mesh",
        )
    return found[0]


def _strain(gradient: FloatArray) -> FloatArray:
    return 0.5 * (gradient + np.swapaxes(gradient, 0, 1))


def _trace(a: FloatArray) -> FloatArray:
    return a[0, 0] + a[1, 1] + a[2, 2]

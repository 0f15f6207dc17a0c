"""Finite elements of a body at rest: points, stiffness, mass, and a mesh where there is one.

Every point has three displacements. The mass matrix is the same in all directions, M = m ⊗ I, as it
is for solid elements and for lumped masses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.flexible.solid import Solid
from isodyn.kernels.compiled import FloatArray
from isodyn.later import sparse as sp
from isodyn.notebook_views import ShownInNotebooks
from isodyn.real_numbers import real_array, real_number

if TYPE_CHECKING:
    from isodyn.open_types import Matrix, Numbers

RIGID = 1e-6  # of the stiffness of single points: forces that rigid motions may cause
SYMMETRIC = 1e-8  # how far K and M may be from symmetric, and M from equal in all directions, relative


@dataclass(frozen=True, eq=False, repr=False)
class FiniteElements(ShownInNotebooks):
    """A linear elastic body, given by finite elements.

    `from_mesh` makes one from a mesh of tetrahedra or hexahedra.

    Parameters
    ----------
    points
        Places of the points, (n, 3).
    stiffness
        Stiffness matrix, (3 n, 3 n), dense or sparse: x, y, z of the first point, then of the next.
    mass
        Mass matrix, (3 n, 3 n), or (n, n) for one direction.
    solid
        What knows strains and stresses (made by `from_mesh`).

    Raises
    ------
    InputError
        If sizes do not fit, a matrix is not symmetric, mass is not the same in all directions, or
        rigid motions cause forces.

    Examples
    --------
    >>> import numpy as np
    >>> import isodyn as iso
    >>> spring = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.diag([1.0, 0.0, 0.0]))  # along x
    >>> body = iso.FiniteElements(points=[(0, 0, 0), (1, 0, 0)], stiffness=1e3 * spring, mass=np.eye(2))
    >>> body
    <FiniteElements: 2 points, mass 2>
    """

    points: Numbers
    stiffness: Matrix
    mass: Matrix
    solid: Solid | None = None

    def __post_init__(self) -> None:
        points = real_array("points", self.points, "an array (n, 3)")
        if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0 or not np.isfinite(points).all():
            raise InputError(
                f"points must be finite, of shape (n, 3), received shape {points.shape}", argument="points"
            )
        n = len(points)
        K, m = _matrix("stiffness", self.stiffness, (3 * n,)), _matrix("mass", self.mass, (n, 3 * n))
        if m.shape[0] != n:
            m = _one_direction(m)
        _refuse_supports(points, K)
        for name, value in (("points", points), ("stiffness", K), ("mass", m)):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<FiniteElements: {len(self.points)} points, mass {self.total_mass:.4g}>"

    @property
    def total_mass(self) -> float:
        """Mass of the body."""
        return float(self.mass.sum())

    @classmethod
    def from_mesh(cls, mesh: Any, *, E: float, nu: float, rho: float, order: int = 2) -> FiniteElements:
        """Make finite elements of a solid from a mesh.

        Parameters
        ----------
        mesh
            A mesh of scikit-fem (tetrahedra or hexahedra), a mesh of meshio, or the path of a file
            that meshio reads.
        E, nu, rho
            Young's modulus, Poisson's ratio, density.
        order
            1 for linear displacements in an element, 2 for quadratic ones, which bend well.

        Returns
        -------
        body
            Its finite elements.

        Raises
        ------
        InputError
            If a number is not admissible, or the mesh has neither tetrahedra nor hexahedra.
        MissingPackageError
            If scikit-fem or meshio is not installed.

        Examples
        --------
        >>> import skfem
        >>> import isodyn as iso
        >>> mesh = skfem.MeshTet.init_tensor([0, 0.5, 1.0], [0, 0.1], [0, 0.1])
        >>> body = iso.FiniteElements.from_mesh(mesh, E=2e11, nu=0.3, rho=7800.0)
        >>> round(body.total_mass, 6)
        78.0
        """
        solid = Solid.of(mesh, real_number("E", E), real_number("nu", nu), real_number("rho", rho), order)
        return cls(solid.points, solid.stiffness(), solid.mass(), solid)


def _matrix(name: str, value: Matrix, sizes: tuple[int, ...]) -> Matrix:
    """A symmetric sparse matrix of one of these sizes."""
    A = value.tocsr() if sp.issparse(value) else sp.csr_array(real_array(name, value, "a square matrix"))
    A = sp.csr_array(A).astype(np.float64)
    if A.shape[0] != A.shape[1] or A.shape[0] not in sizes:
        wanted = " or ".join(f"({n}, {n})" for n in sizes)
        raise InputError(f"{name} must have the shape {wanted}, received {A.shape}", argument=name)
    if not np.isfinite(A.data).all():
        raise InputError(f"{name} must be finite", argument=name)
    if abs(A - A.T).max() > SYMMETRIC * max(abs(A).max(), 1e-300):
        raise InputError(f"{name} must be symmetric", argument=name)
    return A


def _refuse_supports(points: FloatArray, K: Matrix) -> None:
    """InputError for a body that resists when it is moved or turned as a whole."""
    x, y, z = (points - points.mean(axis=0)).T
    size = max(float(np.abs(points - points.mean(axis=0)).max()), 1e-300)
    none = np.zeros_like(x)
    turns = np.stack([(none, -z, y), (z, none, -x), (-y, x, none)]).transpose(2, 1, 0).reshape(-1, 3) / size
    for motion, moved in (("moved", np.tile(np.eye(3), (len(points), 1))), ("turned", turns)):
        if np.abs(K @ moved).max(initial=0.0) > RIGID * np.abs(K.diagonal()).max(initial=0.0):
            raise InputError(
                f"stiffness resists when the whole body is {motion}: a free body does not",
                hint="leave supports, springs to the ground and boundary conditions out: joints and loads do that",
                argument="stiffness",
            )


def _one_direction(M: Matrix) -> Matrix:
    """m of M = m ⊗ I."""
    m = sp.csr_array(M[0::3, 0::3])
    if abs(M - sp.kron(m, sp.eye_array(3))).max() > SYMMETRIC * abs(M).max():
        raise InputError(
            "mass must be the same in x, y and z, without coupling between them",
            hint="lump the masses of beams and shells at their points",
            argument="mass",
        )
    return m

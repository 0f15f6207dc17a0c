"""Shapes: mass, mass centre and inertia from dimensions and a density (or a mass), and triangles to
draw.

A shape lies about the origin of the body frame, with its axis along z where it has one:
`mech.add_body("roller", shape=Cylinder(radius=0.1, length=0.5, density=7800))`.
`Placed` moves and turns one, `Composite` joins several:

    m = Σ mᵢ,     c = Σ mᵢ cᵢ/m,     J = Σ [ Rᵢ Jᵢ Rᵢᵀ + mᵢ (|dᵢ|² I − dᵢ dᵢᵀ) ],    dᵢ = cᵢ − c          (parallel axes)

`inertia` is about the mass centre `centre`, in the axes of the frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.bodies.body import vector3
from isodyn.bodies.polyhedron import checked_surface, moments
from isodyn.bodies.rotations import matrix, quaternion_of
from isodyn.bodies.solids import Box, Capsule, Cone, Cylinder, Disc, Ellipsoid, Plate, Rod, Solid, Sphere, Tube
from isodyn.bodies.surfaces import Surface
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

__all__ = ["Box", "Capsule", "Composite", "Cone", "Cylinder", "Disc", "Ellipsoid", "Mesh", "Placed", "Plate", "Rod"]
__all__ += ["Solid", "Sphere", "Tube", "from_mesh"]


@dataclass(frozen=True, eq=False)
class Mesh(Solid):
    """The body inside a closed triangulated surface, exactly as triangulated; faces
    counter-clockwise from outside."""

    vertices: FloatArray
    faces: Any
    _moments: tuple[float, FloatArray, FloatArray] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        vertices, faces = checked_surface(self.vertices, self.faces)
        for name, value in (("vertices", vertices), ("faces", faces), ("_moments", moments(vertices, faces))):
            object.__setattr__(self, name, value)
        super().__post_init__()

    @property
    def volume(self) -> float:
        return self._moments[0]

    @property
    def centre(self) -> FloatArray:
        return self._moments[1]

    @property
    def gyration(self) -> FloatArray:
        return self._moments[2] / self.volume

    def triangles(self, n: int = 24) -> Surface:
        """As given, equal vertices joined."""
        return self.vertices, self.faces


@dataclass(frozen=True, eq=False)
class Placed:
    """A shape moved to `position` and turned by `orientation` (as of add_body) in the frame of the
    whole."""

    shape: Solid | Placed | Composite
    position: Numbers = (0.0, 0.0, 0.0)
    orientation: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Solid | Placed | Composite):
            raise InputError(f"Placed takes a shape, received {type(self.shape).__name__}")
        object.__setattr__(self, "position", vector3("position of a shape", self.position))
        object.__setattr__(self, "orientation", quaternion_of(self.orientation, "orientation of a shape"))

    @property
    def R(self) -> FloatArray:
        """Frame of the shape → frame of the whole."""
        return matrix(self.orientation)

    @property
    def mass(self) -> float:
        """Mass."""
        return self.shape.mass

    @property
    def centre(self) -> FloatArray:
        """Mass centre in the frame of the whole."""
        return np.asarray(self.position + self.R @ self.shape.centre)

    @property
    def inertia(self) -> FloatArray:
        """Inertia about the mass centre, in the axes of the whole."""
        return self.R @ self.shape.inertia @ self.R.T

    def triangles(self, n: int = 24) -> Surface:
        """Those of the shape, moved."""
        points, faces = self.shape.triangles(n)
        return self.position + points @ self.R.T, faces


@dataclass(frozen=True, eq=False)
class Composite:
    """Shapes that move as one; where they overlap, both count."""

    parts: Iterable[Solid | Placed | Composite]

    def __post_init__(self) -> None:
        parts = tuple(self.parts)
        if not parts or not all(isinstance(part, Solid | Placed | Composite) for part in parts):
            raise InputError(f"Composite takes at least one shape, received {parts!r}")
        object.__setattr__(self, "parts", parts)

    @property
    def mass(self) -> float:
        """Mass of all parts."""
        return float(sum(part.mass for part in self.parts))

    @property
    def centre(self) -> FloatArray:
        """Common mass centre."""
        return np.asarray(sum(part.mass * part.centre for part in self.parts) / self.mass)

    @property
    def inertia(self) -> FloatArray:
        """Inertia about the common mass centre."""
        centre, total = self.centre, np.zeros((3, 3))
        for part in self.parts:
            d = part.centre - centre
            total += part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
        return total

    def triangles(self, n: int = 24) -> Surface:
        """Those of all parts."""
        surfaces = [part.triangles(n) for part in self.parts]
        before = np.cumsum([0, *(len(points) for points, _ in surfaces)])
        faces = [faces + k for (_, faces), k in zip(surfaces, before, strict=False)]
        return np.concatenate([points for points, _ in surfaces]), np.concatenate(faces)


def from_mesh(
    source: str | Path | ArrayLike,
    faces: ArrayLike | None = None,
    *,
    density: float = 0.0,
    mass: float = 0.0,
    scale: float = 1.0,
) -> Mesh:
    """A body from vertices and faces, or from a file that trimesh reads (STL, OBJ, PLY, …); `scale`
    turns its unit into metres."""
    if isinstance(source, str | Path):
        if faces is not None:
            raise InputError("from_mesh takes a file or (vertices, faces), received both")
        source, faces = _read(Path(source))
    elif faces is None:
        raise InputError("from_mesh needs faces with the vertices", hint="or the path of a mesh file")
    if not (isinstance(scale, int | float) and 0 < scale < math.inf):
        raise InputError(f"scale must be positive, received {scale!r}", hint="1e-3 for files in millimetres")
    return Mesh(scale * np.asarray(source, dtype=np.float64), faces, density=density, mass=mass)


def _read(path: Path) -> tuple[Any, Any]:
    try:
        import trimesh
    except ImportError:
        raise InputError(
            f"reading {path.name} needs trimesh, which is not installed",
            hint='pip install "isodyn[mesh]", or pass vertices and faces',
        ) from None
    if not path.is_file():
        raise InputError(f"there is no mesh file {path}")
    mesh: Any = trimesh.load(path, force="mesh")
    return mesh.vertices, mesh.faces

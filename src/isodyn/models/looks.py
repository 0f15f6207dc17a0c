"""How an imported link looks: surfaces in its frame, for drawing only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.bodies import shapes
from isodyn.bodies.surfaces import Surface
from isodyn.errors import InputError
from isodyn.models.lumps import Frame


@dataclass(frozen=True, eq=False)
class Looks:
    """Surfaces that are drawn together; mass and inertia come from elsewhere."""

    parts: tuple[tuple[Any, Frame], ...] = ()

    def joined(self, other: Looks) -> Looks:
        """Both."""
        return Looks((*self.parts, *other.parts))

    def seen_from(self, frame: Frame) -> Looks:
        """The same in the frame that `frame` is given in."""
        return Looks(tuple((shape, frame.then(own)) for shape, own in self.parts))

    def triangles(self, n: int = 24) -> Surface:
        """Vertices and faces of all surfaces."""
        points, faces, before = [], [], 0
        for shape, frame in self.parts:
            vertices, corners = shape.triangles(n)
            points.append(frame.p + np.asarray(vertices) @ frame.R.T)
            faces.append(np.asarray(corners) + before)
            before += len(vertices)
        return np.concatenate(points), np.concatenate(faces)


@dataclass(frozen=True, eq=False)
class Triangles:
    """A surface that need not be closed."""

    surface: Surface

    def triangles(self, n: int = 24) -> Surface:
        """As read."""
        return self.surface


def mesh_looks(path: Path, scale: ArrayLike) -> Triangles:
    """The surface of a mesh file, scaled along its axes."""
    try:
        import trimesh
    except ImportError:
        raise InputError(f"{path.name} needs trimesh", hint='pip install "isodyn[mesh]"') from None
    try:
        mesh: Any = trimesh.load(path, force="mesh")
        vertices, faces = np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces)
    except Exception as error:  # whatever a reader of forty formats may raise
        raise InputError(f"{path}: not a mesh that can be read: {error}") from None
    if not len(faces) or not np.isfinite(vertices).all():
        raise InputError(f"{path}: a mesh without triangles")
    return Triangles((vertices * np.asarray(scale, dtype=np.float64), faces))


def primitive(kind: str, sizes: Any) -> Any:
    """A box, sphere, cylinder, capsule or ellipsoid of unit mass; sizes as of isodyn.shapes."""
    made = {
        "box": shapes.Box,
        "sphere": shapes.Sphere,
        "cylinder": shapes.Cylinder,
        "capsule": shapes.Capsule,
        "ellipsoid": shapes.Ellipsoid,
    }[kind]
    return made(*(float(x) for x in np.atleast_1d(sizes)), mass=1.0)


def missing_mesh(name: str, packages: dict[str, Path]) -> str:
    """Why there is no such mesh, and what would help."""
    package = name.split("://", 1)[1].partition("/")[0] if name.startswith(("package://", "model://")) else None
    if package is None or package in packages:
        return "there is no such file"
    return f'not found; packages={{"{package}": folder}} tells where it is'


def found_mesh(name: str, folder: Path | None, packages: dict[str, Path]) -> Path | None:
    """The file of a mesh: package://NAME/…, file://…, or beside the model; None where there is
    none."""
    if name.startswith(("package://", "model://")):
        package, _, rest = name.split("://", 1)[1].partition("/")
        places = [packages[package] / rest] if package in packages else []
        if folder is not None:
            places += [up / package / rest for up in (folder, *folder.parents)]
            places += [up / rest for up in (folder, *folder.parents) if up.name == package]
    else:
        path = Path(name.removeprefix("file://"))
        places = [path] if path.is_absolute() else [] if folder is None else [folder / path]
    try:
        return next((path for path in places if path.is_file()), None)
    except (OSError, ValueError):
        return None

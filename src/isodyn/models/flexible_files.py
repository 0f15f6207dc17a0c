"""Flexible bodies in model files: a mesh or matrices in files beside the model, and the points of
interfaces by numbers, ranges of coordinates or names of boundaries.

What is written: the mesh as `NAME.npz` (points, corners), or `NAME_points.npz`,
`NAME_stiffness.npz` and `NAME_mass.npz`; interfaces as numbers of points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.flexible.finite_elements import FiniteElements
from isodyn.later import sparse as sp
from isodyn.mechanism.flexible_part import FlexiblePart
from isodyn.models.matrices import read_matrix
from isodyn.models.parts import FlexibleBody
from isodyn.models.reader import Source
from isodyn.results.files import arrays_bytes, matrix_bytes

if TYPE_CHECKING:
    from isodyn.kernels.compiled import FloatArray


def elements_of(source: Source, table: FlexibleBody) -> FiniteElements:
    """The finite elements of a table."""
    if table.mesh is not None:
        with source.file(table.mesh) as path:
            assert table.E is not None
            assert table.nu is not None
            assert table.rho is not None
            return FiniteElements.from_mesh(path, E=table.E, nu=table.nu, rho=table.rho, order=table.order)
    found = {}
    for key in ("points", "stiffness", "mass"):
        with source.file(getattr(table, key)) as path:
            found[key] = read_matrix(path)
    points = found["points"].toarray() if sp.issparse(found["points"]) else found["points"]
    return FiniteElements(points, found["stiffness"], found["mass"])


def interface_of(table: FlexibleBody) -> dict[str, Any]:
    """Interfaces as `add_flexible_body` takes them."""
    return {name: _Box(given) if isinstance(given, dict) else given for name, given in table.interface.items()}


class _Box:
    """Points within ranges of their coordinates."""

    def __init__(self, ranges: dict[str, tuple[float, float]]) -> None:
        self.ranges = ranges

    def __call__(self, x: FloatArray) -> FloatArray:
        inside = np.ones(x.shape[1], dtype=bool)
        for axis, (low, high) in self.ranges.items():
            value = x["xyz".index(axis)]
            inside &= (value >= low) & (value <= high)
        return inside


def table_of(part: FlexiblePart, stem: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The table of a body, and the files that it names."""
    reduced, solid = part.reduced, part.reduced.elements.solid
    if solid is not None:
        files = {f"{stem}.npz": arrays_bytes(**solid.arrays())}
        table: dict[str, Any] = {"mesh": f"{stem}.npz", "E": solid.E, "nu": solid.nu, "rho": solid.rho}
        table["order"] = solid.order
    else:
        body = reduced.elements
        files = {f"{stem}_points.npz": arrays_bytes(points=body.points)}
        files[f"{stem}_stiffness.npz"] = matrix_bytes(body.stiffness)
        files[f"{stem}_mass.npz"] = matrix_bytes(body.mass)
        table = dict(zip(("points", "stiffness", "mass"), files, strict=True))
    table["interface"] = {name: points.tolist() for name, points in zip(reduced.names, reduced.sets, strict=True)}
    table |= {"modes": reduced.modes, "damping": np.asarray(part.damping, dtype=np.float64).tolist()}
    table["stiffening"] = reduced.stiffening is not None
    return table | {key: value.tolist() for key, value in part.placement.items()}, files

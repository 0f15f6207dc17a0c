"""What a flexible body looks like: its surface in colours of stress; where that would be too much,
and for exports, the sharp edges of its mesh, or straight lines between its interfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray

if TYPE_CHECKING:
    from isodyn.flexible.solid import Solid
    from isodyn.mechanism.flexible_part import FlexiblePart
    from isodyn.mechanism.system import MechanismSystem
    from isodyn.results.solution import Solution

SHARP = np.cos(np.radians(30.0))  # of the angle between two faces that meet in an edge
MOST = 400  # edges that are drawn
MOST_TRIANGLES = 6000


@dataclass(frozen=True, eq=False)
class Skin:
    """The surface of a flexible body: places of its corners (frames, n, 3), triangles (m, 3), and
    for every corner a number from 0 to 1 that chooses its colour (frames, n)."""

    name: str
    points: FloatArray
    triangles: IntArray
    values: FloatArray
    label: str

    def at(
        self, points: FloatArray, values: FloatArray, shades: int = 24
    ) -> list[tuple[FloatArray, FloatArray, float]]:
        """Corners and normals of the triangles, those of one shade together, with the number of the
        shade."""
        corners = points[self.triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        shade = np.round(values[self.triangles].mean(axis=1) * shades).astype(int)
        return [
            (corners[own].reshape(-1, 3), np.repeat(normals[own], 3, axis=0), float(k) / shades)
            for k in np.unique(shade)
            if (own := shade == k).any()
        ]


def surface_points(part: FlexiblePart) -> int:
    """How many corners are drawn of a body; none if its surface is too large."""
    solid = part.reduced.elements.solid
    if solid is None or len(solid.surface) > MOST_TRIANGLES:
        return 0
    return int(np.unique(solid.surface).size)


def skins_of(sol: Solution, system: MechanismSystem) -> tuple[Skin, ...]:
    """Surfaces of flexible bodies in colours of von Mises' stress."""
    found = []
    for part in system.layout.flexible:
        solid = part.reduced.elements.solid
        if solid is None or surface_points(part) == 0:
            continue
        view, surface = sol.flexible_body(part.name), solid.surface
        corners, triangles = np.unique(surface, return_inverse=True)
        rows = range(sol.t.size)
        points = np.stack([view.positions(k)[corners] for k in rows])
        stress = np.stack([view.von_mises(k)[corners] for k in rows])
        most = float(stress.max())
        label = f"{part.name}: von Mises' stress, 0 to {most:.3g} Pa"
        found.append(Skin(part.name, points, triangles.reshape(surface.shape), stress / (most or 1.0), label))
    return tuple(found)


def lines_of(sol: Solution, system: MechanismSystem) -> list[tuple[str, FloatArray]]:
    """Lines of all flexible bodies with their names, each (times, points, 3)."""
    found = []
    for part in system.layout.flexible:
        view, solid = sol.flexible_body(part.name), part.reduced.elements.solid
        if solid is None:
            places = [sol.body(one.name).position for one in part.interfaces]
            found.append((part.name, np.stack(places, axis=1)))
            continue
        moved = np.stack([view.positions(k)[: solid.mesh.p.shape[1]] for k in range(sol.t.size)])
        found += [(part.name, moved[:, chain]) for chain in chains(sharp_edges(solid))]
    return found


def lines_by_name(sol: Solution, system: MechanismSystem) -> dict[str, list[FloatArray]]:
    """The same lines in their order, by body."""
    found: dict[str, list[FloatArray]] = {}
    for name, points in lines_of(sol, system):
        found.setdefault(name, []).append(points)
    return found


def sharp_edges(solid: Solid) -> list[tuple[int, int]]:
    """Edges of the surface in which faces meet at an angle."""
    corners, triangles = solid.mesh.p.T, solid.surface
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    owners: dict[tuple[int, int], list[int]] = {}
    for k, triangle in enumerate(triangles):
        for i, j in ((0, 1), (1, 2), (2, 0)):
            one, other = sorted((int(triangle[i]), int(triangle[j])))
            owners.setdefault((one, other), []).append(k)
    # which way a face looks depends on the order of its corners: compare up to the sign
    flat = {
        edge for edge, near in owners.items() if len(near) == 2 and abs(normals[near[0]] @ normals[near[1]]) > SHARP
    }
    return [edge for edge in owners if edge not in flat][:MOST]


def chains(edges: list[tuple[int, int]]) -> list[list[int]]:
    """Edges one after the other, as far as there is one way to go on."""
    near: dict[int, list[int]] = {}
    for i, j in edges:
        near.setdefault(i, []).append(j)
        near.setdefault(j, []).append(i)
    left, found = {frozenset(edge) for edge in edges}, []
    ends = [point for point, others in near.items() if len(others) != 2]
    for first in [*ends, *near]:
        for second in near[first]:
            if frozenset((first, second)) not in left:
                continue
            line = [first, second]
            left.discard(frozenset(line))
            while len(near[line[-1]]) == 2:
                onward = [p for p in near[line[-1]] if frozenset((line[-1], p)) in left]
                if not onward:
                    break
                left.discard(frozenset((line[-1], onward[0])))
                line.append(onward[0])
            found.append(line)
    return found

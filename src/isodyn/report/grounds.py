"""What of the ground bodies touch: planes, profiles and solids, cut to the scene.

Planes and profiles have no end and no thickness. They are drawn as a slab of some per cent of the
scene, as wide as what moves above them; those that are farther away than the scene is large are
left out. Solids of the ground are cut to a box somewhat larger than the scene.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isodyn.bodies.body import GROUND
from isodyn.joints.on_planes import WheelProfile
from isodyn.joints.unilateral import PLANAR, OnPlane, frame_of
from isodyn.joints.words import ground_body
from isodyn.report import meshes
from isodyn.report.drawings import Drawing
from isodyn.report.extents import box_corners

if TYPE_CHECKING:
    from isodyn.bodies.body import Body
    from isodyn.bodies.shapes import Placed
    from isodyn.bodies.solids import Solid
    from isodyn.kernels.compiled import FloatArray
    from isodyn.mechanism.system import MechanismSystem

THICK = 0.015  # of the scene: a slab
ROOM = 0.3  # of the scene: how far solids are drawn beyond it
SAMPLES = 48  # of a profile


class Slab(NamedTuple):
    """A plane, or a profile of heights that change along the second axis: a point of it, its axes
    (two tangents and the normal), and the coefficients of the height."""

    at: FloatArray
    axes: FloatArray
    heights: FloatArray


def ground_drawing(
    system: MechanismSystem, low: FloatArray, high: FloatArray, flat: bool
) -> tuple[FloatArray, Drawing] | None:
    """What contacts say of the ground, about the middle of it, and where that is; None if they say
    nothing. `low` and `high` bound what moves, in three dimensions."""
    size = float(np.linalg.norm(high - low)) or 1.0
    bricks = [brick for slab in _slabs(system) for brick in _bricks(slab, low, high, size, flat)]
    low, high = low - ROOM * size, high + ROOM * size
    if flat:
        shown = [polygon for solid in _solids(system) for polygon in meshes.outlines(solid, np.zeros(3))]
        cut = [_cut(polygon, low[:2], high[:2]) for polygon in shown]
        return _flat([*(brick[:, :2] for brick in bricks), *(x for x in cut if len(x) > 2)])
    parts = [meshes.triangles((brick, BRICK)) for brick in bricks]
    parts += [_inside(meshes.of_shape(solid, np.zeros(3)), low, high) for solid in _solids(system)]
    surface = meshes.joined([part for part in parts if len(part.points)])
    if not len(surface.points):
        return None
    middle = 0.5 * (surface.points.min(axis=0) + surface.points.max(axis=0))
    return middle, Drawing(meshes.Triangles(surface.points - middle, surface.normals))


def _flat(polygons: list[FloatArray]) -> tuple[FloatArray, Drawing] | None:
    """Polygons about their middle."""
    if not polygons:
        return None
    points = np.concatenate(polygons)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return np.append(middle, 0.0), Drawing(polygons=tuple(polygon - middle for polygon in polygons))


def _solids(system: MechanismSystem) -> Iterator[Solid | Placed]:
    """Solids of the ground, in the world."""
    known = system.description if system.contacts is not None else None
    bodies: dict[str, Body] = {body.name: body for body in system.bodies} | {GROUND: ground_body()}
    for part in () if known is None else known.parts.contacts.values():
        found = part.solids(bodies)
        if GROUND in found:
            yield found[GROUND]


def _slabs(system: MechanismSystem) -> list[Slab]:
    """Planes and profiles of the ground, each once."""
    known = system.description if system.contacts is not None else None
    bodies: dict[str, Body] = {body.name: body for body in system.bodies}
    found: dict[tuple[float, ...], Slab] = {}
    for part in () if known is None else known.parts.contacts.values():
        if not isinstance(part, OnPlane) or getattr(part, "second", "") != GROUND:
            continue
        body = bodies.get(getattr(part, "first", ""))
        if body is None:
            continue
        at, axes = frame_of(part, body)
        heights = np.zeros(1)
        if isinstance(part, WheelProfile):
            heights = np.asarray(part.profile, dtype=np.float64)
        if body.kind in PLANAR:  # heights change in the plane
            axes = np.array([-axes[1], axes[0], axes[2]])
        found.setdefault((*np.round(axes[2], 9), round(float(axes[2] @ at), 9), *heights), Slab(at, axes, heights))
    return list(found.values())


# corners of a brick: below and above, of two ends, on two sides
BRICK = np.array(
    [
        *((4, 5, 7), (4, 7, 6), (0, 3, 1), (0, 2, 3), (0, 1, 5), (0, 5, 4)),
        *((2, 7, 3), (2, 6, 7), (0, 4, 6), (0, 6, 2), (1, 7, 5), (1, 3, 7)),
    ]
)


def _bricks(slab: Slab, low: FloatArray, high: FloatArray, size: float, flat: bool) -> list[FloatArray]:
    """The eight corners of each part of a slab, one of a plane and many of a profile; in the plane
    its outline."""
    places = (box_corners(np.array([low, high])) - slab.at) @ slab.axes.T
    if np.abs(places[:, 2]).min() > size and np.ptp(np.sign(places[:, 2])) == 0.0:
        return []
    (x_0, y_0, _), (x_1, y_1, _) = places.min(axis=0), places.max(axis=0)
    y = np.linspace(y_0, y_1, 2 if slab.heights.size == 1 else SAMPLES)
    top, thick = np.polynomial.polynomial.polyval(y, slab.heights), THICK * size
    if flat:
        line = np.column_stack([np.zeros(y.size), y, top])
        return [slab.at + np.concatenate([line, (line - (0.0, 0.0, thick))[::-1]]) @ slab.axes]
    found = []
    for k in range(y.size - 1):
        corners = [(x, y[i], top[i] - down) for down in (thick, 0.0) for i in (k, k + 1) for x in (x_0, x_1)]
        found.append(slab.at + np.array(corners) @ slab.axes)
    return found


def _cut(polygon: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """The part of a convex polygon, in the plane or in space, that is inside of a box."""
    for k in range(low.size):
        for sign, bound in ((1.0, high[k]), (-1.0, -low[k])):
            far = sign * polygon[:, k] - bound
            if (far <= 0.0).all():
                continue
            kept: list[FloatArray] = []
            for i in range(len(polygon)):
                j = (i + 1) % len(polygon)
                if far[i] <= 0.0:
                    kept.append(polygon[i])
                if (far[i] <= 0.0) != (far[j] <= 0.0):
                    kept.append(polygon[i] + far[i] / (far[i] - far[j]) * (polygon[j] - polygon[i]))
            if not kept:
                return np.zeros((0, low.size))
            polygon = np.array(kept)
    return polygon


def _inside(surface: meshes.Triangles, low: FloatArray, high: FloatArray) -> meshes.Triangles:
    """Triangles cut to a box."""
    if ((surface.points >= low) & (surface.points <= high)).all():
        return surface
    points, normals = [], []
    for corners, normal in zip(surface.points.reshape(-1, 3, 3), surface.normals.reshape(-1, 3, 3), strict=True):
        polygon = _cut(corners, low, high)
        for k in range(1, len(polygon) - 1):
            points += [polygon[0], polygon[k], polygon[k + 1]]
            normals += [normal[0]] * 3
    return meshes.Triangles(np.array(points).reshape(-1, 3), np.array(normals).reshape(-1, 3))

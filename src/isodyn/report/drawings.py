"""How a body looks: by its shape, or without one by what is known about it.

    shape given                  its surface, or its outline in the plane
    points held by joints        bars between them and to the mass centre; on to the other side where it is held in one point and the
                                 inertia is that of a rod (k² ≈ d²/3)
    inertia                      the solid of the same moments at the mass centre (ball, round bar, disc or box), where the bars do not
                                 show it already: where they are not a rod of that inertia
    mass centre                  a mark

Sizes that are out of proportion to the scene are brought into it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from isodyn.bodies.body import Body
from isodyn.bodies.rotations import quaternion_of
from isodyn.bodies.shapes import Box, Cylinder, Disc, Ellipsoid, Placed, Solid, Sphere
from isodyn.joints import measures as at
from isodyn.joints.words import triad
from isodyn.kernels.compiled import FloatArray
from isodyn.report import meshes

if TYPE_CHECKING:
    from isodyn.joints.measures import WordNumbers
    from isodyn.mechanism.system import MechanismSystem

SMALLEST, LARGEST = 0.02, 0.2  # of a solid from its inertia, as parts of the scene
THICK = 0.009  # radius of bars as a part of the scene
ROD = (0.2, 0.5)  # k²/d² of bodies that are drawn as rods; a uniform rod has 1/3
LINK = (0.5, 1.8)  # 12 k²/l² of bodies whose inertia is that of the bar between two points; a uniform one has 1


@dataclass(frozen=True, eq=False)
class Drawing:
    """Triangles in space; in the plane polygons and bars (polylines with round ends), all in the
    body about its mass centre, which is marked where `centre` says so. Polygons are `faint` where
    they show an inertia beside bars, which they must not hide."""

    surface: meshes.Triangles = field(default_factory=lambda: meshes.joined([]))
    polygons: tuple[FloatArray, ...] = ()
    bars: tuple[FloatArray, ...] = ()
    centre: bool = False
    faint: bool = False

    @property
    def corners(self) -> FloatArray:
        """All points of it, (n, 3), the mass centre among them."""
        flat = [np.pad(points, ((0, 0), (0, 1))) for points in (*self.polygons, *self.bars) if len(points)]
        return np.unique(np.concatenate([np.zeros((1, 3)), self.surface.points, *flat]), axis=0)


def solids_of_contacts(system: MechanismSystem) -> dict[str, Solid | Placed]:
    """The shapes that contacts of a mechanism give to its bodies."""
    bodies: dict[str, Body] = {body.name: body for body in system.bodies}
    found: dict[str, Solid | Placed] = {}
    known = system.description if system.contacts is not None else None
    for part in () if known is None else known.parts.contacts.values():
        for name, solid in part.solids(bodies).items():
            found.setdefault(name, solid)
    return found


def rolling_solids(system: MechanismSystem) -> dict[str, Solid | Placed]:
    """Balls and wheels of bodies that roll, and the shapes that contacts give."""
    found = solids_of_contacts(system)
    for row in system.rows:
        for _, word in row.terms:
            radius = float(word.numbers.radius)
            if word.kind == at.ROLL_SPHERE:
                found[word.first] = Placed(Sphere(radius, mass=1.0), word.numbers.s_i)
            elif word.kind == at.ROLL_DISC:
                wheel = Disc(radius, 0.12 * radius, mass=1.0)
                found[word.first] = Placed(wheel, word.numbers.s_i, triad(word.numbers.a).T)
            elif word.kind == at.SLIP:
                found[word.first] = _round(word.numbers)
    return found


def _round(numbers: WordNumbers) -> Placed:
    """The ellipsoid of a contact; one without thickness as a wheel."""
    squares, E = np.linalg.eigh(numbers.shape)
    half = np.sqrt(np.clip(squares, 0.0, None))
    if half[0] < 1e-6 * half[2]:
        radius = float(half[2] + numbers.radius)
        wide = float(max(2.0 * numbers.radius, 0.12 * radius))
        return Placed(Disc(radius, wide, mass=1.0), numbers.s_i, triad(E[:, 0]).T)
    E = E * np.array([1.0, 1.0, np.sign(np.linalg.det(E))])
    return Placed(Ellipsoid(*map(float, half + numbers.radius), mass=1.0), numbers.s_i, E)


def drawing(body: Body, held: list[FloatArray], scene: float, flat: bool, rolling: Solid | Placed | None) -> Drawing:
    """What to draw for a body held at these points of it; `scene` is the size of everything."""
    shape = body.shape or rolling
    if shape is not None:
        centre = body.centre if body.shape is not None else np.zeros(3)
        if flat:
            return Drawing(polygons=tuple(meshes.outlines(shape, centre)))
        return Drawing(meshes.of_shape(shape, centre))
    if body.kind == "particle":
        shape = Sphere(0.5 * _kept(0.0, scene) * 1.6, mass=1.0)
        return _solid(shape, flat)
    arms = _distinct(held, 1e-6 * scene)
    bars, shown = _bars(body, arms, scene, flat)
    solid = None if shown else of_inertia(body, scene)
    if flat:
        polygons = _solid(solid, flat).polygons if solid is not None else ()
        return Drawing(polygons=polygons, bars=tuple(line[:, :2] for line in bars), centre=True, faint=bool(bars))
    parts = [meshes.bar(line[0], line[-1], THICK * scene) for line in bars]
    if solid is not None:
        parts.append(meshes.of_shape(solid, np.zeros(3)))
    return Drawing(meshes.joined(parts), centre=True)


def _bars(body: Body, arms: list[FloatArray], scene: float, flat: bool) -> tuple[list[FloatArray], bool]:
    """Bars between the points where a body is held, and whether they show its inertia too."""
    centre, near = np.zeros(3), 0.02 * scene
    if not arms:
        return [], False
    if len(arms) == 1:
        d = float(np.linalg.norm(arms[0]))
        if d <= near:
            return [], False
        if ROD[0] < radius_of_gyration(body) ** 2 / d**2 < ROD[1]:
            return [np.array([arms[0], -arms[0]])], True
        return [np.array([arms[0], centre])], False
    if len(arms) == 2:
        along = arms[1] - arms[0]
        length = float(np.linalg.norm(along))
        u = float(np.clip(-arms[0] @ along / length**2, 0.0, 1.0))
        foot = arms[0] + u * along
        bars = [np.array(arms)]
        if np.linalg.norm(foot) > near:
            bars.append(np.array([foot, centre]))
        uniform = LINK[0] < 12.0 * radius_of_gyration(body) ** 2 / length**2 < LINK[1]
        return bars, uniform and abs(u - 0.5) < 0.2 and len(bars) == 1
    bars = _star(arms, flat)
    middle = np.mean(arms, axis=0)
    if np.linalg.norm(middle) > near:
        bars.append(np.array([middle, centre]))
    return bars, False


def _solid(shape: Solid | Placed, flat: bool) -> Drawing:
    if flat:
        return Drawing(polygons=tuple(meshes.outlines(shape, np.zeros(3))))
    return Drawing(meshes.of_shape(shape, np.zeros(3)))


def of_inertia(body: Body, scene: float) -> Solid | Placed:
    """The simplest solid with the moments of inertia of a body, about its mass centre."""
    if body.kind == "planar":
        side = _kept(np.sqrt(6.0) * radius_of_gyration(body), scene)
        return Box(side, side, side, mass=1.0)
    if radius_of_gyration(body) == 0.0:
        return Sphere(0.5 * _kept(0.0, scene), mass=1.0)
    moments, axes = np.linalg.eigh(body.inertia / body.mass)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    if moments[2] - moments[0] < 0.02 * moments[2]:
        return Sphere(0.5 * _kept(2.0 * np.sqrt(2.5 * moments.mean()), scene), mass=1.0)
    for axial, order in ((moments[2], [0, 1, 2]), (moments[0], [1, 2, 0])):
        across = moments[order[:2]]
        if abs(across[1] - across[0]) < 0.05 * moments[2]:
            radius = np.sqrt(2.0 * axial)
            length = np.sqrt(max(12.0 * (across.mean() - radius**2 / 4), (0.3 * radius) ** 2))
            scale = _kept(max(2 * radius, length), scene) / max(2 * radius, length)
            return Placed(Cylinder(scale * radius, scale * length, mass=1.0), orientation=quaternion_of(axes[:, order]))
    edges = np.sqrt(np.maximum(6.0 * (moments.sum() - 2 * moments), 0.0))
    scale = _kept(float(edges.max()), scene) / float(edges.max())
    x, y, z = np.maximum(scale * edges, 0.1 * scale * edges.max())
    return Placed(Box(x, y, z, mass=1.0), orientation=quaternion_of(axes))


def radius_of_gyration(body: Body) -> float:
    """k with k² = J/m, of a body in space with its largest moment; 0 of a particle."""
    J = body.inertia[2, 2] if body.kind == "planar" else np.linalg.eigvalsh(body.inertia)[-1]
    return float(np.sqrt(max(float(J), 0.0) / body.mass)) if body.mass > 0.0 else 0.0


def _kept(size: float, scene: float) -> float:
    return float(np.clip(size, SMALLEST * scene, LARGEST * scene))


def _distinct(points: list[FloatArray], near: float) -> list[FloatArray]:
    kept: list[FloatArray] = []
    for p in points:
        if all(np.linalg.norm(p - other) > near for other in kept):
            kept.append(p)
    return kept


def _star(arms: list[FloatArray], flat: bool) -> list[FloatArray]:
    """Around the hull in the plane; in space from the middle of the points."""
    if flat:
        around = meshes.hull(np.array(arms)[:, :2])
        lines = [np.column_stack([np.vstack([around, around[:1]]), np.zeros(len(around) + 1)])]
        inside = [p for p in arms if np.abs(around - p[:2]).sum(axis=1).min() > 1e-9 * np.abs(around).max()]
        middle = np.mean(arms, axis=0)
        return lines + [np.array([middle, p]) for p in inside]
    middle = np.mean(arms, axis=0)
    return [np.array([middle, p]) for p in arms]

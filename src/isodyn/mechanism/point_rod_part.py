"""A beam in absolute nodal coordinates as a part of a mechanism: a node is three particles,
"rod[0]" on the axis and "rod[0]y", "rod[0]z" of the cross-section (isodyn.beams.point_element).

The two lie a radius of gyration aside. Mass is at the points of the axis; what directors carry,
ρI_z|ḋ_y|² + ρI_y|ḋ_z|², and what a consistent mass has beyond a lumped one, belongs to the
elements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from isodyn.bodies.body import Body, make_body
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.rod_part import RodPart, RodShape, make_rod, motion_of_rod, shares_of

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

RodModel = Literal["exact", "absolute-nodal"]

COUPLED = np.array([[1.0, -1.0], [-1.0, 1.0]])


@dataclass(frozen=True, eq=False)
class PointRodPart(RodPart):
    """A rod whose nodes are three points each; `arms` are how far the two of the cross-section lie
    aside of the axis."""

    points: tuple[Body, ...] = ()
    arms: tuple[float, float] = (1.0, 1.0)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All points."""
        return self.points

    def section_at(self, node: Body) -> tuple[Body, ...]:
        """The three points of a node."""
        k = 3 * next(k for k, known in enumerate(self.nodes) if known.name == node.name)
        return self.points[k : k + 3]

    def fields(self) -> FloatArray:
        """(r, d_y, d_z) of both ends from six points, a matrix."""
        b, c = self.arms
        one = np.array([[1.0, 0.0, 0.0], [-1 / b, 1 / b, 0.0], [-1 / c, 0.0, 1 / c]])
        return np.kron(np.eye(2), one)

    def forms(self, length: float) -> FloatArray:
        """Symmetric matrices S of the strains ½ Σ S_kl x_k·x_l over six points, (12, 6, 6)."""
        r_a, y_a, z_a, r_b, y_b, z_b = self.fields()
        X, Y, Z = (r_b - r_a) / length, (y_a + y_b) / 2, (z_a + z_b) / 2
        dY, dZ = (y_b - y_a) / length, (z_b - z_a) / length
        pairs: list[Any] = [[(0.5, X, X)], [(1, X, Y)], [(1, X, Z)]]
        pairs += [[(0.5, dY, Z), (-0.5, dZ, Y)], [(1, X, dZ)], [(-1, X, dY)]]
        for y, z in ((y_a, z_a), (y_b, z_b)):
            pairs += [[(0.5, y, y)], [(0.5, z, z)], [(1, y, z)]]
        return np.array([sum(w * (np.outer(u, v) + np.outer(v, u)) for w, u, v in pair) for pair in pairs])

    def stiffness(self, length: float) -> FloatArray:
        """C over the twelve strains, times the length."""
        section, C = self.section, np.zeros((12, 12))
        C[:6, :6] = length * section.stiffness
        shear = min(section.GAy, section.GAz)
        C[range(6, 12), range(6, 12)] = length / 2 * np.array([section.EA, section.EA, shear] * 2)
        return C

    def times(self) -> FloatArray:
        """Damping times of the twelve strains: stretching and shear, torsion and bending, the
        section."""
        stretch, bend = self.section.times
        return np.repeat([stretch, bend, stretch], (3, 3, 6))

    def coupled_mass(self, length: float) -> FloatArray:
        """The mass matrix of six points beyond the masses at the axis."""
        section, fields = self.section, self.fields()
        densities = np.array([section.rhoA, section.rhoIz, section.rhoIy])
        lumped = np.diag(np.tile(length / 2 * densities * [0.0, 1.0, 1.0], 2))
        if self.mass == "consistent":
            lumped -= np.kron(COUPLED, np.diag(length / 6 * densities))
        return np.asarray(fields.T @ lumped @ fields)


def make_point_rod(name: str, shape: RodShape, velocity: Numbers, angular_velocity: Numbers) -> PointRodPart:
    """A rod of this shape in absolute nodal coordinates that moves like a rigid body."""
    section, places = shape.section, shape.places
    if shape.dim == 2:
        raise InputError(f"{shape.what}: absolute nodal coordinates are for rods in space", argument="model")
    arms = float(np.sqrt(section.rhoIz / section.rhoA)), float(np.sqrt(section.rhoIy / section.rhoA))
    v, w = motion_of_rod(shape, velocity, angular_velocity)
    share, points = shares_of(shape.lengths), []
    for k, (r, R) in enumerate(zip(places, shape.frames, strict=True)):
        for end, d in (("", np.zeros(3)), ("y", arms[0] * R[:, 1]), ("z", arms[1] * R[:, 2])):
            at, mass = r + d, section.rhoA * share[k]
            speed = v + np.cross(w, at - places[0])
            point = make_body(f"{name}[{k}]{end}", "particle", mass, None, at, None, speed, None, (0.0, 0.0, 0.0), None)
            points.append(replace(point, of_rod=True, mass=mass if end == "" else 0.0))
    nodes = tuple(points[::3])
    lengths = shape.lengths
    frames = tuple(shape.frames)
    part = PointRodPart(name, section, nodes, np.zeros((0, 12)), lengths, shape.mass, frames, w, tuple(points), arms)
    return replace(part, unstrained=np.array([_unstrained(part, k) for k in range(lengths.size)]))


def _unstrained(part: PointRodPart, k: int) -> FloatArray:
    """Strains of an element as it lies."""
    x = np.array([point.position for point in part.points[3 * k : 3 * k + 6]])
    x = x - x[0]
    return 0.5 * np.einsum("ikl,kd,ld->i", part.forms(float(part.lengths[k])), x, x)


RODS: dict[str, Callable[[str, RodShape, Any, Any], RodPart]] = {"exact": make_rod, "absolute-nodal": make_point_rod}

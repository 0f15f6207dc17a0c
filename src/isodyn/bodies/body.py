"""What a body is: how much of it there is, where it starts, which of its coordinates it has.

spatial    q = (mass centre r, unit quaternion scalar first), v = (ṙ in the world, ω in the body)
planar     q = (x, y, θ), in the plane z = 0
particle   q = r
node       of a planar beam, q = (x, y, x', y') with the slope r' = ∂r/∂X; its first axis lies along the slope
cable      of a cable in space, q = (r, r'); it has a point and a tangent, but no twist
mode       of a flexible body, q = the largest displacement in this shape; it has no place
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.bodies.rotations import matrix, quaternion_of
from isodyn.described import short
from isodyn.errors import Argument, InputError, about
from isodyn.kernels.compiled import FloatArray
from isodyn.notebook_views import ShownInNotebooks
from isodyn.real_numbers import real_array, real_number

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

GROUND = "ground"
NODES = {"node": 2, "cable": 3}  # kinds of nodes of beams, and their space


class Quantity(IntEnum):
    """What a coordinate is; velocities are called after what they are the rate of."""

    LENGTH, ANGLE, SLOPE, QUATERNION, STATE = range(5)


_L, _A, _S, _E, _Z = Quantity
QUANTITIES: dict[str, tuple[tuple[Quantity, ...], tuple[Quantity, ...]]] = {
    "spatial": ((_L, _L, _L, _E, _E, _E, _E), (_L, _L, _L, _A, _A, _A)),
    "planar": ((_L, _L, _A), (_L, _L, _A)),
    "particle": ((_L, _L, _L), (_L, _L, _L)),
    "state": ((_Z,), (_Z,)),
    "node": ((_L, _L, _S, _S), (_L, _L, _S, _S)),
    "cable": ((_L, _L, _L, _S, _S, _S), (_L, _L, _L, _S, _S, _S)),
    "mode": ((_L,), (_L,)),
}
"""Of q and v of a body, by its kind."""
TRIANGLE = 1e-9  # how much the triangle inequality of an inertia may be missed, relative


@dataclass(frozen=True, eq=False)
class Body(ShownInNotebooks):
    """A rigid body, a planar one or a particle, as the user gave it, with the mass centre worked
    out.

    `position`, `velocity` are those of the mass centre; `centre` is the mass centre in the frame
    that the user's position meant.
    """

    name: str
    kind: str
    mass: float
    inertia: FloatArray
    position: FloatArray
    orientation: FloatArray
    velocity: FloatArray
    angular_velocity: FloatArray
    centre: FloatArray
    angle: float = 0.0
    shape: Any = None
    slope: FloatArray | None = None
    slope_rate: FloatArray | None = None
    of_rod: bool = False  # a node of a rod, or a point of its cross-section

    def __repr__(self) -> str:
        at = ", ".join(f"{x + 0.0:.4g}" for x in self.position)
        return f"<Body {self.name!r} ({self.kind}): mass {self.mass:.4g}, mass centre at ({at})>"

    @property
    def of_beam(self) -> bool:
        """Whether this is a node of a beam or cable."""
        return self.kind in NODES

    @property
    def is_node(self) -> bool:
        """Whether this is a node of a beam, cable or rod."""
        return self.of_beam or self.of_rod

    @property
    def is_point_of_rod(self) -> bool:
        """Whether it is a point of a rod in absolute nodal coordinates, which has no axes."""
        return self.of_rod and self.kind == "particle"

    @property
    def is_body(self) -> bool:
        """Whether this is a body by itself: no node of a beam or rod, and no mode."""
        return not self.is_node and not self.is_mode

    @property
    def is_mode(self) -> bool:
        """Whether this is no body, but a coordinate of a flexible one."""
        return self.kind == "mode"

    @property
    def R(self) -> FloatArray:
        """Body → world at the start."""
        return self._R.copy()

    @cached_property
    def _R(self) -> FloatArray:
        return matrix(self.orientation)

    @property
    def q0(self) -> FloatArray:
        if self.slope is not None:
            return _nodal(self.kind, self.position, self.slope)
        if self.is_mode:
            return np.zeros(1)
        if self.kind == "planar":
            return np.array([*self.position[:2], self.angle])
        if self.kind == "state":
            return self.position[:1]
        return self.position if self.kind == "particle" else np.concatenate([self.position, self.orientation])

    @property
    def v0(self) -> FloatArray:
        if self.slope_rate is not None:
            return _nodal(self.kind, self.velocity, self.slope_rate)
        if self.is_mode:
            return np.zeros(1)
        if self.kind == "planar":
            return np.array([*self.velocity[:2], self.angular_velocity[2]])
        if self.kind == "state":
            return self.velocity[:1]
        return self.velocity if self.kind == "particle" else np.concatenate([self.velocity, self.angular_velocity])

    def coordinate_names(self) -> tuple[list[str], list[str]]:
        """Names of q and v."""
        if self.is_mode:
            return [self.name], [f"{self.name}'"]
        if self.of_beam:
            letters = "xyz"[: NODES[self.kind]]
            q = [*letters, *(f"d{x}" for x in letters)]
            v = [*(f"v{x}" for x in letters), *(f"d{x}'" for x in letters)]
        elif self.kind == "planar":
            q, v = ["x", "y", "θ"], ["vx", "vy", "θ'"]
        elif self.kind == "state":
            q, v = ["integral"], ["value"]
        else:
            q, v = ["x", "y", "z"], ["vx", "vy", "vz"]
        if self.kind == "spatial":
            q, v = [*q, "e0", "e1", "e2", "e3"], [*v, "ωx", "ωy", "ωz"]
        return [f"{self.name}.{x}" for x in q], [f"{self.name}.{x}" for x in v]


def _nodal(kind: str, one: FloatArray, other: FloatArray) -> FloatArray:
    return np.concatenate([one[: NODES[kind]], other[: NODES[kind]]])


def make_node(
    name: str, dim: int, position: FloatArray, slope: FloatArray, velocity: FloatArray, slope_rate: FloatArray
) -> Body:
    """A node of a beam (dim 2) or cable (dim 3) from vectors of three."""
    length = float(np.linalg.norm(slope))
    e = slope / length
    side = np.array([-e[1], e[0], 0.0]) if dim == 2 else across(e)
    R = np.column_stack([e, side, np.cross(e, side)])
    spin = R.T @ np.cross(slope, slope_rate) / length**2
    angle = float(np.arctan2(e[1], e[0])) if dim == 2 else 0.0
    kind, zero = "node" if dim == 2 else "cable", np.zeros(3)
    J, turned = np.zeros((3, 3)), quaternion_of(R, f"node {name!r}")
    return Body(name, kind, 0.0, J, position, turned, velocity, spin, zero, angle, None, slope, slope_rate)


def across(e: FloatArray) -> FloatArray:
    """A unit vector across a unit vector."""
    helper = np.eye(3)[int(np.abs(e).argmin())]
    side = np.cross(e, helper)
    return np.asarray(side / np.linalg.norm(side))


def vector3(what: str, value: object, argument: Argument = ()) -> FloatArray:
    """A finite vector of three; (x, y) gets z = 0."""
    with about(None, argument):
        array = real_array(what, value, "3 numbers")
    if array.shape == (2,):
        array = np.append(array, 0.0)
    if array.shape != (3,):
        raise InputError(f"{what} must be 3 numbers, received {short(value)}", argument=argument)
    if not np.isfinite(array).all():
        raise InputError(f"{what} has entries that are not finite: {array.tolist()}", argument=argument)
    return array


def make_body(
    name: str,
    kind: str,
    mass: Any,
    inertia: Numbers,
    position: ArrayLike,
    orientation: Numbers | None,
    velocity: ArrayLike,
    angular_velocity: Numbers,
    centre: ArrayLike,
    shape: Any,
) -> Body:
    """A checked body; errors speak of it by name."""
    what = f"body {name!r}"
    if not isinstance(name, str) or not name or name == GROUND:
        raise InputError(f"a body needs a name other than {GROUND!r}, received {name!r}")
    if kind not in ("spatial", "planar", "particle"):
        raise InputError(f"{what}: kind must be 'spatial', 'planar' or 'particle', received {kind!r}", argument="kind")
    mass = _positive(f"{what}: mass", mass, "mass")
    r, c = (
        vector3(f"{what}: position", position, "position"),
        vector3(f"{what}: centre_of_mass", centre, "centre_of_mass"),
    )
    v = vector3(f"{what}: velocity", velocity, "velocity")
    if kind == "planar":
        if r[2] != 0 or v[2] != 0 or c[2] != 0:
            off = next(name for name, x in (("position", r), ("velocity", v), ("centre_of_mass", c)) if x[2] != 0)
            raise InputError(
                f"{what} is planar, so z of its position, velocity and centre of mass must be 0", argument=off
            )
        with about(None, "orientation"):
            angle = real_number(f"{what}: orientation of a planar body", 0.0 if orientation is None else orientation)
        with about(None, "angular_velocity"):
            spin = real_number(f"{what}: angular_velocity of a planar body", angular_velocity or 0.0)
        omega, J = np.array([0.0, 0.0, spin]), np.zeros((3, 3))
        J[2, 2] = _positive(f"{what}: inertia of a planar body", inertia, "inertia")
        e = np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
    else:
        angle, turning = 0.0, (0, 0, 0) if angular_velocity is None else angular_velocity
        with about(None, "orientation"):
            e = quaternion_of(orientation, f"{what}: orientation")
        omega = vector3(f"{what}: angular_velocity", turning, "angular_velocity")
        with about(None, "inertia"):
            J = np.zeros((3, 3)) if kind == "particle" else inertia_matrix(what, inertia)
        if kind == "particle" and (np.any(omega) or orientation is not None or np.any(c)):
            raise InputError(
                f"{what} is a particle: it has no orientation, angular velocity or centre of mass of its own"
            )
    R = matrix(e)
    offset = R @ c
    made = Body(name, kind, mass, J, r + offset, e, v + np.cross(R @ omega, offset), omega, c, angle, shape)
    made.__dict__["_R"] = R  # worked out once
    return made


def inertia_matrix(what: str, inertia: ArrayLike) -> FloatArray:
    """A 3 × 3 inertia from three principal moments or a matrix, symmetric, positive definite,
    within the triangle inequality."""
    if inertia is None:
        raise InputError(
            f"{what}: inertia is missing",
            hint="three principal moments, a 3 × 3 matrix, or shape=; particles need none",
        )
    J = real_array(f"{what}: inertia", inertia, "three moments or a finite 3 × 3 matrix")
    if J.shape == (3,):
        J = np.diag(J)
    if J.shape != (3, 3) or not np.isfinite(J).all():
        raise InputError(
            f"{what}: inertia must be three moments or a finite 3 × 3 matrix, received {short(inertia)}",
            hint="one moment is enough for kind='planar'" if J.ndim == 0 else None,
        )
    if np.abs(J - J.T).max() > 1e-12 * np.abs(J).max():
        raise InputError(f"{what}: inertia is not symmetric: differs by {np.abs(J - J.T).max():.3g}")
    moments = np.linalg.eigvalsh(J)
    if moments[0] <= 0:
        raise InputError(f"{what}: inertia is not positive definite: principal moments {moments.tolist()}")
    if moments[0] + moments[1] < moments[2] * (1 - TRIANGLE):
        raise InputError(
            f"{what}: no body has the principal moments {moments.tolist()}: the largest exceeds the sum of the others",
            hint="moments of inertia are about the mass centre; check units and axes",
        )
    return J


def _positive(what: str, value: object, argument: str) -> float:
    with about(None, argument):
        number = real_number(what, value)
    if number <= 0:
        raise InputError(f"{what} must be positive, received {number:g}", argument=argument)
    return number

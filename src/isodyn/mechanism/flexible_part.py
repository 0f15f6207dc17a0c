"""A flexible body from finite elements as a part of a mechanism.

Its interfaces are bodies with the names "rod.left", "rod.right", …: frames in the axes of the body,
at the centres of their points. Its modes are "rod.mode[0]", "rod.mode[1]", ….
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.bodies.body import Body, vector3
from isodyn.bodies.rotations import matrix, quaternion_of
from isodyn.errors import InputError
from isodyn.flexible.craig_bampton import ReducedBody, reduce_body
from isodyn.flexible.finite_elements import FiniteElements
from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@dataclass(frozen=True, eq=False)
class FlexiblePart:
    """A reduced body with its interfaces and modes."""

    name: str
    reduced: ReducedBody
    interfaces: tuple[Body, ...]
    modes: tuple[Body, ...]
    damping: Numbers = 0.0

    @property
    def placement(self) -> dict[str, FloatArray]:
        """Where the frame of the finite elements starts, and how it moves."""
        first, X = self.interfaces[0], self.reduced.centres[0]
        w = first.angular_velocity
        return {
            "position": first.position - first.R @ X,
            "orientation": first.orientation,
            "velocity": first.velocity - first.R @ np.cross(w, X),
            "angular_velocity": w,
        }

    @property
    def members(self) -> tuple[Body, ...]:
        """Interfaces, then modes."""
        return *self.interfaces, *self.modes

    def __repr__(self) -> str:
        places = ", ".join(repr(one.name) for one in self.interfaces)
        return (
            f"<FlexiblePart {self.name!r}: mass {self.reduced.mass:.4g}, {len(self.modes)} modes, interfaces {places}>"
        )


def make_flexible(
    name: str,
    elements: Any,
    interface: Mapping[str, Any],
    modes: int,
    position: Any,
    orientation: Numbers,
    velocity: ArrayLike,
    angular_velocity: ArrayLike,
    damping: Numbers,
    stiffening: bool,
) -> FlexiblePart:
    """Reduce finite elements, and put the body where it starts, without strain."""
    what = f"flexible body {name!r}"
    if not isinstance(elements, FiniteElements):
        raise InputError(
            f"{what} needs iso.FiniteElements, received {type(elements).__name__}",
            hint="FiniteElements.from_mesh(mesh, E=…, nu=…, rho=…), or FiniteElements(points, stiffness, mass)",
            argument="elements",
        )
    reduced = reduce_body(what, elements, interface, modes, damping, stiffening)
    turned = quaternion_of(orientation, f"{what}: orientation")
    R, at = matrix(turned), vector3(f"{what}: position", position, "position")
    v = vector3(f"{what}: velocity", velocity, "velocity")
    w = vector3(f"{what}: angular_velocity", (0, 0, 0) if angular_velocity is None else angular_velocity)
    interfaces = tuple(
        _frame(f"{name}.{place}", at + R @ x, turned, v + R @ np.cross(w, x), w)
        for place, x in zip(reduced.names, reduced.centres, strict=True)
    )
    modes_of = tuple(_mode(f"{name}.mode[{k}]") for k in range(reduced.modes))
    return FlexiblePart(name, reduced, interfaces, modes_of, damping)


def _frame(name: str, at: FloatArray, turned: FloatArray, v: FloatArray, w: FloatArray) -> Body:
    """A frame without a mass of its own."""
    return Body(name, "spatial", 0.0, np.zeros((3, 3)), at, turned, v, w, np.zeros(3))


def _mode(name: str) -> Body:
    zero = np.zeros(3)
    return Body(name, "mode", 0.0, np.zeros((3, 3)), zero, np.array([1.0, 0, 0, 0]), zero, zero, zero)

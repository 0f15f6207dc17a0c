"""Flexible bodies that are added to a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from isodyn.mechanism.flexible_part import FlexiblePart, make_flexible
from isodyn.mechanism.parts import Parts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from isodyn.flexible.finite_elements import FiniteElements
    from isodyn.open_types import Numbers


class WithFlexibleBodies:
    """A mechanism to which bodies from finite elements are added."""

    flexible_bodies: dict[str, FlexiblePart]

    @property
    def _parts(self) -> Parts:
        raise NotImplementedError

    def add_flexible_body(
        self,
        name: str,
        elements: FiniteElements,
        *,
        interface: Mapping[str, Any],
        modes: int = 12,
        position: ArrayLike = (0.0, 0.0, 0.0),
        orientation: Numbers = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: Any = None,
        damping: Any = 0.0,
        stiffening: bool = False,
    ) -> FlexiblePart:
        """Add a body from finite elements that bends a little and moves as far as it likes.

        Joints and loads name its interfaces like bodies: "rod.left". The floating frame moves with
        the first interface; deformations are small in this frame. Gravity acts on the body.

        Parameters
        ----------
        name
            Its name.
        elements
            An `iso.FiniteElements`.
        interface
            Names of interfaces, with their points: numbers, a mask, or a function of the
            coordinates such as `lambda x: x[0] < 1e-6`. The points of an interface move like a
            rigid body.
        modes
            Number of modes with held interfaces.
        position, orientation
            Where the frame of the finite elements is at the start.
        velocity
            Velocity of the origin of that frame.
        angular_velocity
            Angular velocity in that frame.
        damping
            A damping ratio for all modes of the body held at its first interface, or two factors of
            mass and stiffness.
        stiffening
            Whether inertia forces of the frame stiffen or soften the body (geometric stiffness);
            the body needs a mesh.

        Returns
        -------
        part
            The reduced body.

        Raises
        ------
        InputError
            If the name is taken, an interface has no rotation of its own, or a part of the body can
            move without strain.
        """
        self._parts.refuse_known(name)
        motion = position, orientation, velocity, angular_velocity
        part = make_flexible(name, elements, interface, modes, *motion, damping, stiffening)
        for one in part.members:
            self._parts.refuse_known(one.name)
        self.flexible_bodies[name] = part
        return part

"""Sensors: points of bodies, distances and relative angles that are read after a run, by name.

A sensor adds nothing to the equations. It is a description like a joint: points and axes stand in
the world at the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.body import GROUND, Body, vector3
from isodyn.errors import InputError
from isodyn.joints.cables import refuse_point_aside
from isodyn.joints.words import Pair, Word, between_points, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.parts import Parts
from isodyn.notebook_views import Told

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@dataclass(frozen=True)
class Sensor(Told):
    """A point of a body that is watched: position, velocity and acceleration in the world.

    With `to`, another body or the ground, also the distance between the two points and its rate;
    with `axis` also the angle by which the body turns against `to` about that axis, with its rate.

    The angle is the twist of the rotation: the axis is brought from where `to` carries it to where
    the body carries it by the shortest way, and what is left is a turn about it. That is the angle
    of a hinge where the axis stays the same in both. With the matrix S of the body against `to` in
    axes of which the third is the given one, it is atan2(S₂₁ − S₁₂, S₁₁ + S₂₂), and its rate
    Ω·(a + n)/(1 + a·n), with Ω the angular velocity of the body against `to`, a and n the axis as
    `to` and as the body carries it. This is not the integral of Ω·a: an axis that goes around a
    cone and comes back leaves no twist. Where the two axes point in opposite directions there is no
    twist, and reading it is an error.

    Parameters
    ----------
    name
        The name of the sensor; names of bodies, joints, loads and sensors are all different.
    body
        The body, or a place on a beam such as "rod.end".
    point
        The point in the world at the start; the mass centre when left out.
    to
        What distance and angle are measured against: a body, a place on a beam, or "ground".
    to_point
        The point of `to` for the distance, in the world at the start; its mass centre, or the
        origin of the world, when left out.
    axis
        The axis of the angle in the world at the start; it moves with `to`.

    Raises
    ------
    InputError
        When the sensor is added to a mechanism that does not know its bodies, or when it is read.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, -9.81))
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    >>> _ = mech.add_sensor(iso.Sensor("tip", "rod", point=(1, 0, 0), to="ground"))
    >>> tip = iso.integrate(mech.compile(), dt=0.01, t_end=0.5).sensor("tip")
    >>> tip.position.shape, bool(abs(tip.distance - 1.0).max() < 1e-9)
    ((51, 3), True)
    """

    name: str
    body: str
    point: Any = None
    to: str | None = None
    to_point: Any = None
    axis: Numbers | None = None

    def check(self, parts: Parts) -> None:
        """Refuse a sensor that the mechanism cannot read.

        Parameters
        ----------
        parts
            The parts of the mechanism.

        Raises
        ------
        InputError
            If a body is unknown, or a point or axis makes no sense.
        """
        what = f"sensor {self.name!r}"
        parts.refuse_unknown(what, self.body)
        refuse_point_aside(what, parts.body(self.body), self.place(parts.body(self.body)))
        if self.to is None:
            for key in ("to_point", "axis"):
                if getattr(self, key) is not None:
                    raise InputError(f"{what}: {key} needs `to`", hint='to="ground", or another body', argument=key)
            return
        if self.to != GROUND:
            parts.refuse_unknown(what, self.to)
        if parts.body(self.body).name == parts.body(self.to).name:
            raise InputError(f"{what} measures {self.body!r} against itself", argument="to")
        refuse_point_aside(what, parts.body(self.to), self.other_place(parts.body(self.to)))
        self.length_word(parts)
        if self.axis is not None:
            body, other = parts.body(self.body), parts.body(self.to)
            lacking = next((x for x in (body, other) if x.kind in ("particle", "cable")), None)
            if lacking is not None:
                raise InputError(f"{what}: {lacking.name!r} is a {lacking.kind} and has no angle", argument="axis")
            self.axes(parts)

    def place(self, body: Body) -> FloatArray:
        """Return the point in the world at the start.

        Parameters
        ----------
        body
            The body of the sensor.

        Returns
        -------
        point
            The point.
        """
        return body.position if self.point is None else vector3(f"sensor {self.name!r}: point", self.point, "point")

    def other_place(self, to: Body) -> FloatArray:
        """Return the point of `to` in the world at the start.

        Parameters
        ----------
        to
            The body that the sensor measures against.

        Returns
        -------
        point
            The point.
        """
        if self.to_point is None:
            return np.zeros(3) if self.to == GROUND else to.position
        return vector3(f"sensor {self.name!r}: to_point", self.to_point, "to_point")

    def length_word(self, parts: Parts) -> Word:
        """Return the measure of the distance between the two points.

        Parameters
        ----------
        parts
            The parts of the mechanism.

        Returns
        -------
        word
            The measure.
        """
        assert self.to is not None
        first, second = parts.body(self.to), parts.body(self.body)
        return between_points(self.name, first, second, (self.other_place(first), self.place(second))).length_word()

    def axes(self, parts: Parts) -> Pair:
        """Return the axis in both bodies.

        Parameters
        ----------
        parts
            The parts of the mechanism.

        Returns
        -------
        pair
            The bodies with axes of which the third is that of the angle.
        """
        assert self.to is not None
        first, second = parts.body(self.to), parts.body(self.body)
        axis = unit(f"sensor {self.name!r}: axis", self.axis, "axis")
        pair = Pair.of(self.name, first, second, self.place(second), axis)
        if pair.planar and abs(axis[2]) < 1.0 - 1e-9:
            raise InputError(f"sensor {self.name!r}: planar bodies turn about z, received axis={self.axis!r}")
        return pair

"""Balls and discs that roll without slip.

On a plane of the ground that does not move they have words of their own (isodyn.joints.measures);
everything else goes by isodyn.joints.contacts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from isodyn.bodies.body import Body
from isodyn.joints import measures as words
from isodyn.joints.actions import of_rolling
from isodyn.joints.part import JointRows, JointWorld
from isodyn.joints.touching import SURFACE, Surface, place, refuse_radius, rests, slip, touching
from isodyn.joints.words import Pair, RowKind, ground_body, triad, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Value, joint, required

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@joint("rolling_sphere")
@dataclass(frozen=True)
class RollingSphere(Surface):
    """A sphere that rolls on a plane without slip.

    Parameters
    ----------
    radius
        Radius.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("wheel", mass=1.0, inertia=(0.1, 0.2, 0.1), position=(0, 0, 0.5))
    >>> _ = mech.add_joint(iso.RollingSphere("floor", "wheel", radius=0.5))
    >>> mech.compile().m
    3
    """

    name: str
    body: str
    radius: float
    centre: Numbers | None = None
    plane_point: Numbers = (0.0, 0.0, 0.0)
    normal: Numbers = (0.0, 0.0, 1.0)
    keys: ClassVar[Keys] = {"body": required(Value.BODY), "radius": required(Value.POSITIVE), **SURFACE}

    def build(self, world: JointWorld) -> JointRows:
        refuse_radius(self.name, self.radius)
        if rests(self):
            return _on_ground(self, world.body(self.body), None)
        return touching(self, world, self.radius**2 * np.eye(3))


@joint("rolling_disc")
@dataclass(frozen=True)
class RollingDisc(Surface):
    """A thin disc or wheel that rolls on a plane without slip.

    Parameters
    ----------
    radius
        Radius.
    axis
        Axis of the disc in the world at the start.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("wheel", mass=1.0, inertia=(0.1, 0.2, 0.1), position=(0, 0, 0.5))
    >>> _ = mech.add_joint(iso.RollingDisc("floor", "wheel", radius=0.5, axis=(0, 1, 0)))
    >>> mech.compile().m
    3
    """

    name: str
    body: str
    radius: float
    axis: Numbers
    centre: Numbers | None = None
    plane_point: Numbers = (0.0, 0.0, 0.0)
    normal: Numbers = (0.0, 0.0, 1.0)
    keys: ClassVar[Keys] = {**RollingSphere.keys, "axis": required(Value.VECTOR)}

    def build(self, world: JointWorld) -> JointRows:
        refuse_radius(self.name, self.radius)
        body = world.body(self.body)
        axis = unit(f"{self.name!r}: axis", self.axis, "axis") @ body.R
        if rests(self):
            return _on_ground(self, body, axis)
        return touching(self, world, self.radius**2 * (np.eye(3) - np.outer(axis, axis)))


def _on_ground(joint: RollingSphere | RollingDisc, body: Body, axis: FloatArray | None) -> JointRows:
    """A ball, or a disc with this axis, on a plane of the ground."""
    centre, at, n = place(joint, body)
    pair = Pair.of(joint.name, body, ground_body(), centre, None)
    height = float(n @ at)
    if axis is None:
        up = pair.word(words.POINT, u=n, s_j=np.zeros(3))
        held, kind, more = (
            pair.row("height", RowKind.HEIGHT, up, height + joint.radius),
            words.ROLL_SPHERE,
            {},
        )
    else:
        more = {"a": axis}
        up = pair.word(words.DISC_HEIGHT, n=n, radius=joint.radius, **more)
        held, kind = pair.row("height", RowKind.HEIGHT, up, height), words.ROLL_DISC
    slips = [slip(joint, k, pair.word(kind, n=n, u=u, radius=joint.radius, **more)) for k, u in enumerate(triad(n)[:2])]
    rows = [held, *slips]
    return JointRows(rows, of_rolling(rows))

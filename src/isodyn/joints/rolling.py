"""Rolling without slip on a plane: the velocity of the touching point is zero, the height of the
centre is held.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isodyn.bodies.body import Body, vector3
from isodyn.errors import InputError
from isodyn.joints import measures as words
from isodyn.joints.actions import of_rolling
from isodyn.joints.part import JointPart, JointRows, JointWorld
from isodyn.joints.words import Pair, Row, RowKind, ground_body, triad, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Value, joint, optional, required


@joint("rolling_sphere")
@dataclass(frozen=True)
class RollingSphere(JointPart):
    """A sphere that rolls on a plane without slip.

    Parameters
    ----------
    name
        Name of the contact.
    body
        Name of the body.
    radius
        Radius.
    centre
        Centre in the world at the start; the mass centre if left out.
    plane_point
        A point of the plane.
    normal
        Normal of the plane.

    Raises
    ------
    InputError
        If the body does not touch the plane at the start.

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
    centre: Any = None
    plane_point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)
    keys: ClassVar[Keys] = {
        "body": required(Value.BODY),
        "radius": required(Value.POSITIVE),
        "centre": optional(Value.VECTOR),
        "plane_point": optional(Value.VECTOR),
        "normal": optional(Value.VECTOR),
    }

    def build(self, world: JointWorld) -> JointRows:
        return _rolling(self, world.body(self.body), None)


@joint("rolling_disc")
@dataclass(frozen=True)
class RollingDisc(JointPart):
    """A thin disc or wheel that rolls on a plane without slip.

    Parameters
    ----------
    name
        Name of the contact.
    body
        Name of the body.
    radius
        Radius.
    axis
        Axis of the disc in the world at the start.
    centre
        Centre in the world at the start; the mass centre if left out.
    plane_point
        A point of the plane.
    normal
        Normal of the plane.

    Raises
    ------
    InputError
        If the body does not touch the plane at the start.

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
    axis: Any
    centre: Any = None
    plane_point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)
    keys: ClassVar[Keys] = {**RollingSphere.keys, "axis": required(Value.VECTOR)}

    def build(self, world: JointWorld) -> JointRows:
        body = world.body(self.body)
        return _rolling(self, body, unit(f"{self.name!r}: axis", self.axis, "axis") @ body.R)


def _rolling(joint: RollingSphere | RollingDisc, body: Body, axis: FloatArray | None) -> JointRows:
    if body.kind != "spatial":
        raise InputError(f"{joint.name!r}: rolling needs a spatial body, {body.name!r} is {body.kind}", argument="body")
    if not (np.isfinite(joint.radius) and joint.radius > 0):
        raise InputError(f"{joint.name!r}: the radius must be positive, received {joint.radius!r}", argument="radius")
    n = unit(f"{joint.name!r}: normal", joint.normal, "normal")
    at = vector3(f"{joint.name!r}: plane_point", joint.plane_point, "plane_point")
    centre = body.position
    if joint.centre is not None:
        centre = vector3(f"{joint.name!r}: centre", joint.centre, "centre")
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
    slip = [
        Row(
            joint.name,
            f"slip {k + 1}",
            RowKind.SLIP,
            ((1.0, pair.word(kind, n=n, u=u, radius=joint.radius, **more)),),
            holonomic=False,
        )
        for k, u in enumerate(triad(n)[:2])
    ]
    rows = [held, *slip]
    return JointRows(rows, of_rolling(rows))

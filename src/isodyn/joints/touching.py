"""What round bodies touch: planes and rails, where they are, who carries them and how they move.

height    the round body touches the surface: CONTACT = lift(t), a holonomic row
slip      along and across:  SLIP = rate of slide(t), and SLIP = 0; rates only
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.body import GROUND, Body, vector3
from isodyn.errors import InputError
from isodyn.joints import measures as words
from isodyn.joints.actions import of_rolling
from isodyn.joints.part import JointPart, JointRows, JointWorld
from isodyn.joints.words import Pair, Row, RowKind, Word, arm, triad, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Value, optional

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


class Rolling(JointPart):
    """A round body that rolls on a plane or rail.

    Parameters
    ----------
    name
        Name of the contact.
    body
        Name of the body.
    centre
        Centre in the world at the start; the mass centre if left out.
    plane_point
        A point of the plane, in the world at the start.
    normal
        Normal of the plane, in the world at the start.
    on
        Name of the body that carries the plane, or "ground".
    along
        A direction in the plane, in the world at the start: that of `slide` and of the first row of
        slip.
    lift, slide
        Functions of time by which the plane moves along its normal and along `along`, beside what
        its body does.

    Raises
    ------
    InputError
        If the body does not touch the plane at the start.
    """

    body: str
    centre: Numbers
    plane_point: Numbers
    normal: Numbers


@dataclass(frozen=True, kw_only=True)
class Surface(Rolling):
    """Where a round body rolls: on a plane through a point, which a body carries and which may move
    by itself."""

    on: str = GROUND
    along: Numbers | None = None
    lift: Any = 0.0
    slide: Numbers = 0.0


SURFACE: Keys = {
    "centre": optional(Value.VECTOR),
    "plane_point": optional(Value.VECTOR),
    "normal": optional(Value.VECTOR),
    "on": optional(Value.BODY),
    "along": optional(Value.VECTOR),
    "lift": optional(Value.TIME),
    "slide": optional(Value.TIME),
}


def refuse_radius(name: str, radius: float) -> None:
    if not (np.isfinite(radius) and radius > 0):
        raise InputError(f"{name!r}: the radius must be positive, received {radius!r}", argument="radius")


def refuse_length(what: str, length: float) -> None:
    """InputError for what has no length."""
    if not (np.isfinite(length) and length > 0):
        raise InputError(f"{what}: the length must be positive, received {length!r}", argument="length")


def still(joint: Surface) -> bool:
    """Whether the surface moves with its body only."""
    return all(isinstance(x, int | float) and x == 0 for x in (joint.lift, joint.slide))


def rests(joint: Surface) -> bool:
    """Whether the surface is a plane of the ground that does not move."""
    return joint.on == GROUND and joint.along is None and still(joint)


def place(joint: Surface, body: Body) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Centre, point of the plane and normal, in the world at the start."""
    if body.kind != "spatial":
        raise InputError(f"{joint.name!r}: rolling needs a spatial body, {body.name!r} is {body.kind}", argument="body")
    n = unit(f"{joint.name!r}: normal", joint.normal, "normal")
    at = vector3(f"{joint.name!r}: plane_point", joint.plane_point, "plane_point")
    centre = body.position
    if joint.centre is not None:
        centre = vector3(f"{joint.name!r}: centre", joint.centre, "centre")
    return centre, at, n


def touching(
    joint: Surface,
    world: JointWorld,
    shape: FloatArray,
    rounding: float = 0.0,
    profile: Sequence[float] | FloatArray = (),
    across: bool = True,
) -> JointRows:
    """An ellipsoid with Σ aₖ² eₖeₖᵀ = shape in the body, on a surface of any body."""
    body, carrier = world.body(joint.body), world.body(joint.on)
    if carrier.kind not in ("spatial", "ground"):
        raise InputError(
            f"{joint.name!r}: a plane needs a spatial body or the ground to carry it, {carrier.name!r} is {carrier.kind}",
            argument="on",
        )
    if body.name == carrier.name:
        raise InputError(f"{joint.name!r}: {body.name!r} cannot roll on itself", argument="on")
    centre, at, n = place(joint, body)
    frame = triad(n)
    if joint.along is not None:
        d = unit(f"{joint.name!r}: along", joint.along, "along")
        d = d - (d @ n) * n
        if np.linalg.norm(d) < 1e-6:
            raise InputError(f"{joint.name!r}: along points along the normal", argument="along")
        frame = np.array([d / np.linalg.norm(d), np.cross(n, d) / np.linalg.norm(d), n])
    axes = frame @ carrier.R
    pair = Pair(joint.name, body, carrier, arm(body, centre), arm(carrier, at), axes, axes)
    numbers: dict[str, Any] = {"shape": shape, "radius": rounding, "c1": axes[0], "c": axes[2]}
    if len(profile):
        numbers["profile"] = profile
    height = pair.row("height", RowKind.HEIGHT, pair.word(words.CONTACT, **numbers), joint.lift)
    ways = [((1.0, 0.0, 0.0), joint.slide), ((0.0, 1.0, 0.0), 0.0)][: 2 if across else 1]
    slips = [slip(joint, k, pair.word(words.SLIP, u=u, **numbers), target) for k, (u, target) in enumerate(ways)]
    rows = [height, *slips]
    return JointRows(rows, of_rolling(rows))


def slip(joint: Surface, k: int, word: Word, target: object = 0.0) -> Row:
    return Row(joint.name, f"slip {k + 1}", RowKind.SLIP, ((1.0, word),), target, holonomic=False)

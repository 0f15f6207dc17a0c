"""What a contact adds to a mechanism: gaps that must not become negative, and slips.

point on a plane    g = n·(P − P₀), slips: rates of the offsets along two tangents of the plane
round on a surface  CONTACT and SLIP (isodyn.joints.contacts)
balls               BALL and BALL_SLIP (isodyn.joints.balls)
joint stop          g = x − low, g = high − x, for any coordinate x of a joint
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from isodyn.bodies.body import Body, vector3
from isodyn.bodies.shapes import Placed
from isodyn.bodies.solids import Solid
from isodyn.errors import InputError
from isodyn.joints import measures as words
from isodyn.joints.part import JointWorld
from isodyn.joints.words import Pair, Row, RowKind, Word, arm, triad, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Part, Value, optional

if TYPE_CHECKING:
    from isodyn.joints.hull_pairs import HullPair
    from isodyn.open_types import Numbers

PLANAR = ("planar", "node")
SCALARS = (Value.POSITIVE, Value.NOT_NEGATIVE)
ARRAYS = (Value.VECTOR, Value.NUMBERS)


def dimensions(given: object) -> int:
    """Of a number (0) or an array of numbers; −1 of all else, words that say a number among it."""
    try:
        found = np.asarray(given)
    except (TypeError, ValueError):  # rows of different lengths
        return -1
    return found.ndim if found.dtype.kind in "fiub" and not np.isnan(found).any() else -1


@dataclass(frozen=True, eq=False)
class Gap:
    """A gap Σ weight·word − target ≥ 0, and the words whose rates, times `lever`, are its slips. A
    two-sided contact has the joint `carrier`, whose reaction is its normal force; a gap of convex
    bodies is of a `pair` of them (isodyn.joints.meshes)."""

    label: str
    terms: tuple[tuple[float, Word], ...]
    target: Any = 0.0
    slips: tuple[Word, ...] = field(default=())
    lever: float = 1.0
    carrier: str | None = None
    pair: HullPair | None = None

    def normal(self, name: str) -> Row:
        """The row of the gap."""
        return Row(name, self.label, RowKind.HEIGHT, self.terms, self.target)

    def tangents(self, name: str) -> list[Row]:
        """The rows of the slips."""
        return [
            Row(name, f"{self.label} slip {k + 1}".strip(), RowKind.SLIP, ((self.lever, word),), holonomic=False)
            for k, word in enumerate(self.slips)
        ]


class ContactPart(Part):
    """Everything that `add_contact` takes: a frozen dataclass with `restitution` and `mu`."""

    noun: ClassVar[str] = "contact"
    restitution: float
    mu: float
    mu_static: float | None = None

    @abstractmethod
    def build(self, world: JointWorld) -> list[Gap]:
        """Return the gaps of the contact.

        Parameters
        ----------
        world
            The bodies and joints of the mechanism.

        Returns
        -------
        gaps
            One gap, or several.
        """

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        """How bodies without a shape of their own are drawn.

        Parameters
        ----------
        bodies
            The bodies of the mechanism by their names.

        Returns
        -------
        solids
            Shapes by the names of bodies, in their frames from the mass centre.
        """
        return {}

    def check_numbers(self) -> None:
        """InputError for what is no number, and for numbers that no contact has."""
        self.refuse_words()
        if not (np.isfinite(self.restitution) and 0.0 <= self.restitution <= 1.0):
            raise InputError(
                f"{self.what}: restitution must lie between 0 and 1, received {self.restitution!r}",
                argument="restitution",
            )
        if not (np.isfinite(self.mu) and self.mu >= 0.0):
            raise InputError(f"{self.what}: mu must not be negative, received {self.mu!r}", argument="mu")
        if self.mu_static is not None and not (np.isfinite(self.mu_static) and self.mu_static >= self.mu):
            raise InputError(
                f"{self.what}: mu_static must not be less than mu = {self.mu:g}, received {self.mu_static!r}",
                argument="mu_static",
            )

    def refuse_words(self) -> None:
        """InputError for arguments that are no numbers where numbers are meant."""
        usual = self.defaults()
        for name, key in self.keys.items():
            value = getattr(self, name, None)
            if value is None and usual.get(name, value) is None and not key.required:
                continue
            if key.value in SCALARS and dimensions(value) != 0:
                raise InputError(f"{self.what}: {name} must be a number, received {value!r}", argument=name)
            if key.value in ARRAYS and dimensions(value) < 1:
                raise InputError(f"{self.what}: {name} must be several numbers, received {value!r}", argument=name)

    @property
    def friction_at_rest(self) -> float:
        """The coefficient of friction where it sticks."""
        return self.mu if self.mu_static is None else self.mu_static


@dataclass(frozen=True, kw_only=True)
class Touch:
    """What contacts of bodies tell: restitution, and friction.

    Parameters
    ----------
    name
        Name of the contact.
    restitution
        Coefficient of restitution.
    mu
        Coefficient of friction.
    mu_static
        Coefficient of friction where it sticks; `mu` if left out.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.
    """

    restitution: float = 0.0
    mu: float = 0.0
    mu_static: float | None = None


TOUCH: Keys = {
    "restitution": optional(Value.NOT_NEGATIVE),
    "mu": optional(Value.NOT_NEGATIVE),
    "mu_static": optional(Value.NOT_NEGATIVE),
}


@dataclass(frozen=True, kw_only=True)
class OnPlane(Touch):
    """… and where the plane is that a body carries, in the world at the start.

    Parameters
    ----------
    second
        Name of the body that carries the plane, or "ground".
    plane_point
        A point of the plane, in the world at the start.
    normal
        Normal of the plane, out of which bodies stay; upwards if left out.
    """

    plane_point: Numbers = (0.0, 0.0, 0.0)
    normal: Numbers | None = None


ON_PLANE: Keys = {**TOUCH, "plane_point": optional(Value.VECTOR), "normal": optional(Value.VECTOR)}


def frame_of(part: Any, body: Body) -> tuple[FloatArray, FloatArray]:
    """A point of the plane and (tangent, tangent, normal), in the world at the start; in the plane
    of planar bodies the second tangent stands across."""
    flat = body.kind in PLANAR
    n = part.normal if part.normal is not None else (0, 1, 0) if flat else (0, 0, 1)
    n = unit(f"{part.what}: normal", n, "normal")
    at = vector3(f"{part.what}: plane_point", part.plane_point, "plane_point")
    if not flat:
        return at, triad(n)
    if abs(n[2]) > 1e-12:
        raise InputError(f"{part.what}: the normal must lie in the plane of {body.name!r}", argument="normal")
    along = np.array([n[1], -n[0], 0.0])
    return at, np.array([along, np.cross(n, along), n])


def on_plane(part: Any, world: JointWorld, points: FloatArray, labels: Sequence[str], lift: float = 0.0) -> list[Gap]:
    """Points of the first body, given in the world at the start, above a plane of the second."""
    body, carrier = world.body(part.first), world.body(part.second)
    at, axes = frame_of(part, body)
    ways = axes[:1] if body.kind in PLANAR else axes[:2]
    gaps = []
    for point, label in zip(points, labels, strict=True):
        local = axes @ carrier.R
        pair = Pair(part.name, carrier, body, arm(carrier, at), arm(body, point), local, local)
        word = pair.word(words.OFFSET, a=axes[2] @ carrier.R)
        slips = tuple(pair.word(words.OFFSET, a=way @ carrier.R) for way in ways) if part.friction_at_rest > 0.0 else ()
        gaps.append(Gap(label, ((1.0, word),), lift, slips))
    return gaps


def round_on(
    part: Any,
    world: JointWorld,
    centre: FloatArray,
    radius: float,
    label: str = "",
    profile: Sequence[float] = (),
    rim: FloatArray | None = None,
) -> Gap:
    """A ball of the first body, a disc in the plane, on a plane or a profile of the second; the rim
    of a disc in space if its axis is given, in the body."""
    body, carrier = world.body(part.first), world.body(part.second)
    at, axes = frame_of(part, body)
    flat = body.kind in PLANAR
    if len(profile) and flat:  # heights change along y of the surface, which lies in the plane then
        axes = np.array([-axes[1], axes[0], axes[2]])
    local = axes @ carrier.R
    pair = Pair(part.name, body, carrier, arm(body, centre), arm(carrier, at), local, local)
    numbers: dict[str, Any] = {"shape": radius**2 * np.eye(3), "c1": local[0], "c": local[2]}
    if rim is not None:
        numbers |= {"shape": radius**2 * (np.eye(3) - np.outer(rim, rim)), "rim": radius, "a1": triad(rim)[0]}
    if len(profile):
        numbers["profile"] = np.pad(np.asarray(profile, dtype=np.float64), (0, words.PROFILE - len(profile)))
    ways: tuple[tuple[float, float, float], ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    if flat:
        ways = ways[1:] if len(profile) else ways[:1]
    slips = tuple(pair.word(words.SLIP, u=u, **numbers) for u in ways) if part.friction_at_rest > 0.0 else ()
    return Gap(label, ((1.0, pair.word(words.CONTACT, **numbers)),), 0.0, slips)

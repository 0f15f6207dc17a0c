"""A rod as a part of a mechanism: a beam in space, or in the plane, whose nodes are bodies with the
names "rod[0]", "rod[1]", … (isodyn.beams.rod_element).

The axes of a node are those of the cross-section there, x along the rod. Elements are unstrained at
the start, straight, curved or twisted as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from isodyn.beams.section import IN_PLANE, Section
from isodyn.bodies.body import Body, across, make_body, vector3
from isodyn.bodies.rigid_motions import screw_between
from isodyn.bodies.rotations import matrix
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.beam_part import refuse_name
from isodyn.real_numbers import real_array, real_number

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

Mass = Literal["consistent", "lumped"]
FARTHEST = 2.0944  # radians that an element may turn or be twisted by at the start, 120°
BETWEEN = 8  # pieces of an element that tell how far a curve turns in it
ROUNDING = 1e-13  # of coordinates
PARALLEL = 1e-6  # sine of the angle between a rod and `up` below which `up` says nothing
SAME_PLACE = 1e-9  # of the length of a rod: how near to a node its place must be given


@dataclass(frozen=True, eq=False)
class RodPart:
    """Nodes and elements of a rod in a mechanism.

    `unstrained` holds the screw between the ends of every element, `lengths` their lengths, `arcs`
    the way from the start to every node.
    """

    name: str
    section: Section
    nodes: tuple[Body, ...]
    unstrained: FloatArray
    lengths: FloatArray
    mass: Mass
    frames: tuple[FloatArray, ...]  # axes of the cross-sections at the start
    spin: FloatArray  # angular velocity at the start, in the world

    @property
    def is_straight(self) -> bool:
        """Whether it is straight and not twisted at the start."""
        return not any((self.frames[0] != R).any() for R in self.frames)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All bodies that it consists of."""
        return self.nodes

    @property
    def dim(self) -> int:
        """2 in the plane, 3 in space."""
        return 2 if self.nodes[0].kind == "planar" else 3

    @property
    def arcs(self) -> FloatArray:
        """The way from the start to every node."""
        return np.concatenate([[0.0], np.cumsum(self.lengths)])

    @property
    def shares(self) -> FloatArray:
        """The length that belongs to every node: half of its elements."""
        return shares_of(self.lengths)

    @property
    def start(self) -> str:
        """Name of the first node."""
        return self.nodes[0].name

    @property
    def end(self) -> str:
        """Name of the last node."""
        return self.nodes[-1].name

    def at(self, place: str | float) -> str:
        """Name of the node at a place: "start", "end", its number, or its way from the start."""
        if isinstance(place, str):
            if place not in ("start", "end"):
                raise InputError(f"rod {self.name!r} has a start and an end, received {place!r}")
            return self.start if place == "start" else self.end
        if isinstance(place, int):
            if not -len(self.nodes) <= place < len(self.nodes):
                raise InputError(f"rod {self.name!r} has {len(self.nodes)} nodes, received number {place}")
            return self.nodes[place].name
        k = int(np.abs(self.arcs - place).argmin())
        if abs(self.arcs[k] - place) > SAME_PLACE * self.arcs[-1]:
            raise InputError(
                f"rod {self.name!r} has no node {place:g} from its start",
                hint=f"the nearest is at {self.arcs[k]:g}; choose elements so that a node is there",
            )
        return self.nodes[k].name


@dataclass(frozen=True, eq=False)
class RodShape:
    """The line of a rod before it moves: places and axes of its nodes, screws and lengths of
    elements."""

    what: str
    section: Section
    dim: int
    places: FloatArray
    frames: list[FloatArray]
    screws: FloatArray
    mass: Mass

    @property
    def lengths(self) -> FloatArray:
        """Of the elements."""
        return np.asarray(np.linalg.norm(self.screws[:, :3], axis=1))


def shape_of_rod(
    name: str,
    start: Numbers,
    end: Numbers,
    curve: Any,
    elements: Any,
    section: Section,
    up: Numbers,
    twist: float,
    mass: Mass,
) -> RodShape:
    """A rod between two points, or along a curve r(s), 0 ≤ s ≤ 1; in the plane where both ends
    are."""
    refuse_name(name)
    what = f"rod {name!r}"
    if isinstance(elements, bool) or not isinstance(elements, int | np.integer) or elements < 1:
        raise InputError(f"{what}: elements must be a whole number > 0, received {elements!r}", argument="elements")
    if mass not in ("consistent", "lumped"):
        raise InputError(f"{what}: mass must be 'consistent' or 'lumped', received {mass!r}", argument="mass")
    if (curve is None) == (start is None or end is None):
        raise InputError(f"{what} takes start and end, or curve=")
    dim = 2 if curve is None and np.shape(start) == np.shape(end) == (2,) else 3
    if dim == 2:
        section.refuse_incomplete(what, IN_PLANE)
        section = section.in_plane()
        if up is not None or twist != 0.0:
            raise InputError(f"{what} lies in the plane: up and twist are for rods in space", argument="up")
    section.refuse_incomplete(what)
    if curve is None or callable(curve):
        places, tangents = _line(what, start, end, curve, int(elements))
        if np.linalg.norm(tangents, axis=1).min() <= 0:
            raise _same_point(what)
        frames = _frames(what, tangents, up, _twist(what, twist, int(elements)))
    else:
        if up is not None or twist != 0.0:
            raise InputError(f"{what}: poses of nodes say where axes point; leave up and twist out", argument="curve")
        places, frames = _poses(what, curve, int(elements))
    if np.linalg.norm(np.diff(places, axis=0), axis=1).min() <= ROUNDING * np.abs(places).max():
        raise _same_point(what)
    screws = [
        np.concatenate(screw_between(places[k], frames[k], places[k + 1], frames[k + 1])[:2]) for k in range(elements)
    ]
    return RodShape(what, section, dim, places, frames, np.array(screws), mass)


def _same_point(what: str) -> InputError:
    return InputError(f"{what}: two of its nodes are the same point", hint="check start, end and curve")


def _too_far(what: str, does: str) -> InputError:
    """An element only knows how its ends stand to each other: more than half a turn is another."""
    return InputError(f"{what} {does} by more than 120° in one element", hint="use more elements")


def _twist(what: str, given: object, elements: int) -> float:
    twist = real_number(f"{what}: twist", given)
    if abs(twist) > FARTHEST * elements:
        raise _too_far(what, "is twisted")
    return twist


def _poses(what: str, given: object, elements: int) -> tuple[FloatArray, list[FloatArray]]:
    """Places and axes from rows (x, y, z, w, x, y, z)."""
    poses = real_array(f"{what}: curve", given, "a function of s, or rows of 7 numbers")
    if poses.shape != (elements + 1, 7) or not np.isfinite(poses).all():
        raise InputError(
            f"{what}: curve must be a function of s, or the poses (x, y, z, w, x, y, z) of its {elements + 1} nodes,"
            f" received an array of shape {poses.shape}",
            argument="curve",
        )
    if np.linalg.norm(poses[:, 3:], axis=1).min() == 0.0:
        raise InputError(f"{what}: curve has a quaternion that is zero", argument="curve")
    return poses[:, :3], [matrix(e / np.linalg.norm(e)) for e in poses[:, 3:]]


def _line(
    what: str, start: ArrayLike, end: ArrayLike, curve: Callable[[float], Any] | None, elements: int
) -> tuple[FloatArray, FloatArray]:
    """Places and tangents of the nodes."""
    shares = np.linspace(0.0, 1.0, elements + 1)
    if curve is None:
        first, last = vector3(f"{what}: start", start, "start"), vector3(f"{what}: end", end, "end")
        return first + shares[:, None] * (last - first), np.tile(last - first, (elements + 1, 1))
    line = np.array([_on_curve(what, curve, s) for s in np.linspace(0.0, 1.0, BETWEEN * elements + 1)])
    for k in range(elements):
        if _turns(line[BETWEEN * k : BETWEEN * (k + 1) + 1]) > FARTHEST:
            raise _too_far(what, "turns")
    places = np.array([_on_curve(what, curve, s) for s in shares])
    return places, np.array([_slope(what, curve, s) for s in shares])


def _turns(points: FloatArray) -> float:
    """How far a line of points turns, all corners counted."""
    along = np.diff(points, axis=0)
    sines = np.linalg.norm(np.cross(along[:-1], along[1:]), axis=1)
    return float(np.arctan2(sines, (along[:-1] * along[1:]).sum(axis=1)).sum())


def make_rod(name: str, shape: RodShape, velocity: Numbers, angular_velocity: Numbers) -> RodPart:
    """A rod of this shape that moves like a rigid body."""
    section, places, frames = shape.section, shape.places, shape.frames
    v, w = motion_of_rod(shape, velocity, angular_velocity)
    share = shares_of(shape.lengths)
    nodes = []
    for k, (r, R) in enumerate(zip(places, frames, strict=True)):
        flat = shape.dim == 2
        node = make_body(
            f"{name}[{k}]",
            "planar" if flat else "spatial",
            section.rhoA * share[k],
            float(section.rotary[2] * share[k]) if flat else section.rotary * share[k],
            r,
            float(np.arctan2(R[1, 0], R[0, 0])) if flat else R,
            v + np.cross(w, r - places[0]),
            float(w[2]) if flat else R.T @ w,
            (0.0, 0.0, 0.0),
            None,
        )
        nodes.append(replace(node, of_rod=True))
    return RodPart(name, section, tuple(nodes), shape.screws, shape.lengths, shape.mass, tuple(frames), w)


def motion_of_rod(shape: RodShape, velocity: Numbers, angular_velocity: Numbers) -> tuple[FloatArray, FloatArray]:
    """Velocity of its start, and angular velocity in the world."""
    v = vector3(f"{shape.what}: velocity", velocity, "velocity")
    turning = (0.0, 0.0, 0.0) if angular_velocity is None else angular_velocity
    turning = (0.0, 0.0, turning) if np.ndim(turning) == 0 else turning
    w = vector3(f"{shape.what}: angular_velocity", turning, "angular_velocity")
    if shape.dim == 2 and (v[2] != 0 or w[:2].any()):
        raise InputError(
            f"{shape.what} is planar: it moves in the plane z = 0 and turns about z",
            argument="velocity" if v[2] != 0 else "angular_velocity",
        )
    return v, w


def shares_of(lengths: FloatArray) -> FloatArray:
    """Half of the elements on both sides of every node."""
    return (np.append(lengths, 0.0) + np.append(0.0, lengths)) / 2


def _on_curve(what: str, curve: Callable[[float], Any], s: float) -> FloatArray:
    point = real_array(f"{what}: curve({s:g})", curve(float(s)), "3 numbers")
    if point.shape != (3,) or not np.isfinite(point).all():
        raise InputError(f"{what}: curve({s:g}) must be 3 finite numbers, received {point!r}", argument="curve")
    return point


def _slope(what: str, curve: Callable[[float], Any], s: float) -> FloatArray:
    """dr/ds by differences of fourth order, one-sided at the ends."""
    h = 1e-3
    steps = {0.0: (0, 1, 2, 3, 4), 1.0: (0, -1, -2, -3, -4)}.get(float(s), (-2, -1, 1, 2))
    weights = (1 / 12, -2 / 3, 2 / 3, -1 / 12) if len(steps) == 4 else (-25 / 12, 4.0, -3.0, 4 / 3, -1 / 4)
    sign = -1.0 if s == 1.0 else 1.0
    if len(steps) == 4:
        h = min(h, s / 2, (1 - s) / 2)
    return np.asarray(
        sum(w * _on_curve(what, curve, s + k * h) for k, w in zip(steps, weights, strict=True)) * sign / h
    )


def _frames(what: str, tangents: FloatArray, up: ArrayLike, twist: float) -> list[FloatArray]:
    """Section axes at the nodes: z as near to `up` as it can be at the start, carried along without
    turning about the tangent, and twisted evenly from start to end."""
    e = tangents / np.linalg.norm(tangents, axis=1, keepdims=True)
    wanted = np.array([0.0, 0.0, 1.0]) if up is None else vector3(f"{what}: up", up, "up")
    size = np.linalg.norm(wanted)
    if size == 0 or (np.linalg.norm(np.cross(wanted, e[0])) < PARALLEL * size and up is not None):
        raise InputError(f"{what}: up must not be parallel to the rod, received {wanted.tolist()}", argument="up")
    y = np.cross(wanted, e[0])
    y = across(e[0]) if np.linalg.norm(y) < PARALLEL * size else y / np.linalg.norm(y)
    frames = []
    for k, x in enumerate(e):
        if k > 0:
            if e[k - 1] @ x < np.cos(FARTHEST):
                raise _too_far(what, "turns")
            y = _carried(e[k - 1], x, y)
        angle = twist * k / max(len(e) - 1, 1)
        side = np.cos(angle) * y + np.sin(angle) * np.cross(x, y)
        frames.append(np.column_stack([x, side, np.cross(x, side)]))
    return frames


def _carried(before: FloatArray, after: FloatArray, y: FloatArray) -> FloatArray:
    """y turned by the smallest rotation that takes one tangent to the next."""
    axis, c = np.cross(before, after), float(before @ after)
    y = y + np.cross(axis, y) + np.cross(axis, np.cross(axis, y)) / (1.0 + c)
    y -= after * (after @ y)
    return np.asarray(y / np.linalg.norm(y))

"""What moves, ready to be drawn: bodies with their poses, beams with their curves, joints, springs,
points and a floor.

A mechanism gives all of it, a `Beam` its curve, any other system the points that its problem names
as points of a plane. Poses are (x, y, z, e₀ … e₃) in space and (x, y, θ) in the plane, frame by
frame; marks and lines are fixed in bodies, −1 being the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.body import GROUND, Body
from isodyn.bodies.rotations import continuous, matrix, quaternions_of
from isodyn.bodies.shapes import Disc, Placed, Solid, Sphere
from isodyn.joints import measures as at
from isodyn.joints.part import Symbol
from isodyn.joints.words import triad
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.poses import poses
from isodyn.report.drawings import Drawing, drawing
from isodyn.report.kinds import is_beam, is_mechanism, is_parametrised
from isodyn.results import Solution
from isodyn.results.at_balance import NAMES as BALANCE
from isodyn.results.beam_view import BeamView
from isodyn.results.mechanism_views import JointView

if TYPE_CHECKING:  # they bring compiled code, which systems of other kinds do not need
    from isodyn.mechanism.system import JointParts, MechanismSystem
    from isodyn.results.beam_view import BeamView

FRAMES = 1500
NUMBERS = 1_500_000  # of all poses and curves together
POINTS = 6  # of a curve in an element of a beam


@dataclass(frozen=True, eq=False)
class Moving:
    """A body: its poses (frames, 3 or 7) and what it looks like; nodes of beams are there for what
    is fixed in them."""

    name: str
    pose: FloatArray
    drawing: Drawing
    node: bool = False


@dataclass(frozen=True, eq=False)
class Curve:
    """A beam: points (frames, n, dim)."""

    name: str
    points: FloatArray


@dataclass(frozen=True, eq=False)
class Mark:
    """A joint: where it is in a body, and its axis there. `reach` of a slider: how far it goes
    along the axis."""

    name: str
    kind: str
    body: int
    point: FloatArray
    axis: FloatArray
    reach: tuple[float, float] = (0.0, 0.0)
    grounded: bool = False


@dataclass(frozen=True, eq=False)
class Line:
    """A spring, rod or rope between points of two bodies."""

    kind: str
    first: int
    second: int
    points: tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that moves; `flat` in the plane. `low`, `high` bound it, `up` points against
    gravity."""

    t: FloatArray
    flat: bool
    low: FloatArray
    high: FloatArray
    up: FloatArray
    bodies: tuple[Moving, ...] = ()
    curves: tuple[Curve, ...] = ()
    marks: tuple[Mark, ...] = ()
    lines: tuple[Line, ...] = ()
    points: FloatArray | None = None  # (frames, n, 2)
    point_names: tuple[str, ...] = ()

    @property
    def size(self) -> float:
        """Diagonal of the box around everything."""
        return float(np.linalg.norm(self.high - self.low)) or 1.0


def mechanical(sol: Solution) -> Solution:
    """The same solution in the default coordinates of its mechanism, where it has one."""
    return sol.system.lift(sol) if is_parametrised(sol.system) else sol


def thinned(sol: Solution, rows: int) -> Solution:
    """At most so many rows of a solution, the first and the last among them; of `aux` what forces are
    read from."""
    kept = np.unique(np.linspace(0, sol.t.size - 1, min(rows, sol.t.size)).astype(int))
    aux = {name: np.asarray(sol.aux[name])[kept] for name in BALANCE if name in sol.aux}
    return replace(sol, aux=aux, **{name: getattr(sol, name)[kept] for name in ("t", "q", "v", "a", "lam")})


def scene_of(sol: Solution, plane: Sequence[tuple[int, int]] = (), frames: int = FRAMES) -> Scene | None:
    """The scene of a solution; None where nothing is known about how the system looks.

    `plane` are pairs of columns of q that are points of a plane, for systems that are neither
    mechanisms nor beams.
    """
    if sol.t.size < 2 or sol.system.first_order or sol.columns["q"].size != sol.system.nq:
        return None
    if is_mechanism(sol.system) or is_parametrised(sol.system):
        wide = 7 * len(sol.system.bodies if is_mechanism(sol.system) else sol.system.mechanism.bodies)
        return _of_mechanism(mechanical(thinned(sol, _affordable(frames, wide))))
    if is_beam(sol.system):
        few = thinned(sol, _affordable(frames, 3 * POINTS * len(sol.system.layout.elements)))
        return _of_beam(few)
    return _of_points(thinned(sol, frames), plane) if plane else None


def _affordable(frames: int, numbers: int) -> int:
    return max(2, min(frames, NUMBERS // max(numbers, 1)))


# ---- mechanisms


def _of_mechanism(sol: Solution) -> Scene:
    system: MechanismSystem = sol.system
    kinds = {body.kind for body in system.bodies}
    level = all(body.kind != "particle" or not np.any(sol.q[:, system.q_of(body.name)][:, 2]) for body in system.bodies)
    flat = kinds <= {"planar", "node", "particle"} and level
    lines = _lines(system)
    curves = tuple(Curve(name, _curve(BeamView(sol, name))) for name in system.beams)
    held = _held(system, lines)
    shown = [body for body in system.bodies if not body.of_beam or body.name in held]
    number = {body.name: k for k, body in enumerate(shown)} | {GROUND: -1}
    all_poses = {body.name: _poses(sol, body, flat) for body in shown}
    low, high = _bounds(list(all_poses.values()), curves, shown, held, flat)
    scene = float(np.linalg.norm(high - low)) or 1.0
    rolling = _rolling(system)
    bodies = tuple(
        Moving(
            body.name,
            all_poses[body.name],
            Drawing() if body.of_beam else drawing(body, held.get(body.name, []), scene, flat, rolling.get(body.name)),
            body.of_beam,
        )
        for body in shown
    )
    marks = tuple(m for parts in system.joints.values() for m in _marks(sol, parts, number))
    gravity = system.layout.gravity
    up = np.array([0.0, 0.0, 1.0]) if not gravity.any() else -gravity / np.linalg.norm(gravity)
    drawn = tuple(
        Line(kind, number[word.first], number[word.second], (word.numbers.s_i, word.numbers.s_j))
        for kind, word in lines
    )
    if flat:
        low, high = low[:2], high[:2]
    return Scene(sol.t, flat, low, high, up, bodies, curves, marks, drawn)


def _poses(sol: Solution, body: Body, flat: bool) -> FloatArray:
    p = poses(sol.system, body.name, sol.q, sol.v)
    if flat:
        return np.column_stack([p.position[:, :2], np.unwrap(np.arctan2(p.R[:, 1, 0], p.R[:, 0, 0]))])
    return np.hstack([p.position, continuous(quaternions_of(p.R))])


def _curve(beam: BeamView) -> FloatArray:
    """All points of a beam from end to end, those where elements meet once."""
    points = beam.curve(POINTS)
    k, elements, n, dim = points.shape
    joined = points[:, :, : n - 1].reshape(k, elements * (n - 1), dim)
    return np.concatenate([joined, points[:, -1, -1:]], axis=1)


def _lines(system: MechanismSystem) -> list[tuple[str, Any]]:
    """Springs, and the massless rods and ropes of constraints."""
    found = [(law.line, law.word) for law in system.layout.laws if law.line and law.word.kind == at.LENGTH]
    for row in system.rows:
        lengths = [word for _, word in row.terms if word.kind == at.LENGTH]
        found += [("rod" if len(row.terms) == 1 else "rope", word) for word in lengths]
    return found


def _held(system: MechanismSystem, lines: list[tuple[str, Any]]) -> dict[str, list[FloatArray]]:
    """By body, the points where joints and lines hold it."""
    found: dict[str, list[FloatArray]] = {}
    for parts in system.joints.values():
        if parts.pair is not None and parts.symbol is not Symbol.NONE:
            found.setdefault(parts.pair.first.name, []).append(parts.pair.s_i)
            found.setdefault(parts.pair.second.name, []).append(parts.pair.s_j)
    for _, word in lines:
        found.setdefault(word.first, []).append(word.numbers.s_i)
        found.setdefault(word.second, []).append(word.numbers.s_j)
    return found


def _rolling(system: MechanismSystem) -> dict[str, Solid | Placed]:
    """Balls and wheels of bodies that roll."""
    found: dict[str, Solid | Placed] = {}
    for row in system.rows:
        for _, word in row.terms:
            radius = float(word.numbers.radius)
            if word.kind == at.ROLL_SPHERE:
                found[word.first] = Placed(Sphere(radius, mass=1.0), word.numbers.s_i)
            elif word.kind == at.ROLL_DISC:
                wheel = Disc(radius, 0.12 * radius, mass=1.0)
                found[word.first] = Placed(wheel, word.numbers.s_i, triad(word.numbers.a).T)
    return found


def _marks(sol: Solution, parts: JointParts, number: dict[str, int]) -> list[Mark]:
    pair = parts.pair
    if pair is None or parts.symbol is Symbol.NONE:
        return []
    grounded = GROUND in (pair.first.name, pair.second.name)
    reach = (0.0, 0.0)
    slides = next((name for name, word in parts.coordinates.items() if word.kind == at.OFFSET), None)
    if slides is not None:
        way = JointView(sol, parts.name).coordinate(slides)
        reach = (float(way.min()), float(way.max()))
    return [Mark(parts.name, parts.symbol.value, number[pair.first.name], pair.s_i, pair.a[2], reach, grounded)]


def _bounds(
    histories: list[FloatArray],
    curves: tuple[Curve, ...],
    shown: list[Body],
    held: dict[str, list[FloatArray]],
    flat: bool,
) -> tuple[FloatArray, FloatArray]:
    """The box around mass centres, joints, shapes and curves, over all frames."""
    dim = 2 if flat else 3
    corners = [np.reshape([p[:dim] for p in held.get(GROUND, [])], (-1, dim))]
    corners += [curve.points.reshape(-1, curve.points.shape[-1])[:, :dim] for curve in curves]
    for body, history in zip(shown, histories, strict=True):
        local = [np.zeros(3), *held.get(body.name, [])]
        if body.shape is not None:
            surface = body.shape.triangles(8)[0] - body.centre
            local += list(
                np.array(np.meshgrid(*zip(surface.min(axis=0), surface.max(axis=0), strict=True))).reshape(3, 8).T
            )
        corners += [_way(history, p, flat) for p in local]
    everything = np.concatenate([np.pad(c, ((0, 0), (0, dim - c.shape[1]))) for c in corners])
    low, high = np.zeros((2, 3))
    low[:dim], high[:dim] = everything.min(axis=0), everything.max(axis=0)
    pad = 0.03 * (float(np.linalg.norm(high - low)) or 1e-9)
    return low - pad, high + pad


def _way(history: FloatArray, p: FloatArray, flat: bool) -> FloatArray:
    """The way of a point of a body along its poses."""
    if not flat:
        return np.asarray(history[:, :3] + matrix(history[:, 3:]) @ p)
    c, s = np.cos(history[:, 2]), np.sin(history[:, 2])
    return history[:, :2] + np.column_stack([c * p[0] - s * p[1], s * p[0] + c * p[1]])


# ---- a beam, and points of a plane


def _of_beam(sol: Solution) -> Scene:
    curve = Curve("beam", _curve(BeamView(sol)))
    low, high = curve.points.min(axis=(0, 1)), curve.points.max(axis=(0, 1))
    pad = 0.05 * (float(np.linalg.norm(high - low)) or 1e-9)
    return Scene(sol.t, low.size == 2, low - pad, high + pad, np.array([0.0, 0.0, 1.0]), curves=(curve,))


def _of_points(sol: Solution, plane: Sequence[tuple[int, int]]) -> Scene:
    points = np.stack([sol.q[:, list(pair)] for pair in plane], axis=1)
    low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
    pad = 0.06 * (float(np.linalg.norm(high - low)) or 1e-9)
    names = tuple(", ".join(sol.system.names[i] for i in pair) for pair in plane)
    return Scene(sol.t, True, low - pad, high + pad, np.array([0.0, 0.0, 1.0]), points=points, point_names=names)

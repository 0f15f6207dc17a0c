"""What moves, ready to be drawn: bodies with their poses, beams with their curves, joints, springs,
points and a floor.

A mechanism gives all of it, a `Beam` its curve, any other system the points that its problem names
as points of a plane. Poses are (x, y, z, e₀ … e₃) in space and (x, y, θ) in the plane, frame by
frame; marks and lines are fixed in bodies, −1 being the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.body import GROUND, Body
from isodyn.bodies.rotations import continuous, quaternions_of
from isodyn.bodies.shapes import Placed, Solid
from isodyn.joints import measures as at
from isodyn.joints.part import Symbol
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.poses import poses
from isodyn.report.arrows import Arrow, arrows_of
from isodyn.report.drawings import Drawing, drawing, radius_of_gyration, rolling_solids
from isodyn.report.extents import Reach, way
from isodyn.report.grounds import ground_drawing
from isodyn.report.kinds import is_beam, is_mechanism, is_parametrised, is_tree
from isodyn.report.outlines import Skin, lines_by_name, lines_of, skins_of, surface_points
from isodyn.report.thinning import thinned
from isodyn.results import Solution
from isodyn.results.beam_view import BeamView
from isodyn.results.mechanism_views import JointView
from isodyn.results.rod_view import RodView, view_of_line
from isodyn.results.units import is_whole

if TYPE_CHECKING:  # they bring compiled code, which systems of other kinds do not need
    from isodyn.mechanism.system import JointParts, MechanismSystem

FRAMES = 1500
NUMBERS = 1_500_000  # of all poses and curves together
POINTS = 6  # of a curve in an element of a beam


@dataclass(frozen=True, eq=False)
class Moving:
    """A body: its poses (frames, 3 or 7) and what it looks like; nodes of beams are there for what
    is fixed in them. What bodies touch of the ground comes last."""

    name: str
    pose: FloatArray
    drawing: Drawing
    node: bool = False

    @property
    def ground(self) -> bool:
        """Whether it never moves."""
        return self.name == GROUND


@dataclass(frozen=True, eq=False)
class Curve:
    """A beam: points (frames, n, dim). Of rods `values` (frames, elements), from 0 to 1, choose the
    colours, and `label` says what they are."""

    name: str
    points: FloatArray
    values: FloatArray | None = None
    label: str = ""


@dataclass(frozen=True, eq=False)
class Mark:
    """A joint: where it is in its first body, and its axis there; where in the second. `reach` of a
    slider: how far it goes along the axis."""

    name: str
    kind: Symbol
    body: int
    point: FloatArray
    axis: FloatArray
    reach: tuple[float, float] = (0.0, 0.0)
    grounded: bool = False
    second: int = -1
    second_point: FloatArray = field(default_factory=lambda: np.zeros(3))

    @property
    def rail(self) -> FloatArray | None:
        """The ends of the rail of a slider in the first body, with some room."""
        low, high = self.reach
        if low == high:
            return None
        room = 0.2 * (high - low)
        return np.array([self.point + d * self.axis for d in (low - room, high + room)])


@dataclass(frozen=True, eq=False)
class Line:
    """A spring, rod or rope between points of two bodies."""

    kind: str
    first: int
    second: int
    points: tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that moves; `flat` in the plane. `low`, `high` bound all that is drawn over the
    whole run, `low_with_arrows`, `high_with_arrows` the arrows too; `up` points against gravity."""

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
    arrows: tuple[Arrow, ...] = ()
    newtons: float = 0.0  # that one unit of length of an arrow stands for
    low_with_arrows: FloatArray | None = None
    high_with_arrows: FloatArray | None = None
    skins: tuple[Skin, ...] = ()
    impacts: FloatArray = field(default_factory=lambda: np.zeros(0))  # when contacts close

    @property
    def bare_curves(self) -> tuple[Curve, ...]:
        """Curves, without the edges of bodies whose surface is there."""
        return tuple(one for one in self.curves if one.name not in {skin.name for skin in self.skins})

    @property
    def size(self) -> float:
        """Diagonal of the box around everything."""
        return float(np.linalg.norm(self.high - self.low)) or 1.0


def mechanical(sol: Solution) -> Solution:
    """The same solution in the default coordinates of its mechanism, where it has one.

    Coordinates of joints come back with all columns only.
    """
    lifts = is_parametrised(sol.system) and (is_whole(sol) or not is_tree(sol.system))
    return sol.system.lift(sol) if lifts else sol


def scene_of(
    sol: Solution,
    plane: Sequence[tuple[int, int]] = (),
    frames: int = FRAMES,
    arrows: bool = False,
    space: bool = False,
) -> Scene | None:
    """The scene of a solution; None where nothing is known about how the system looks.

    `plane` are pairs of columns of q that are points of a plane, for systems that are neither
    mechanisms nor beams. With `arrows` the scene holds the forces of joints and loads; with `space`
    planar mechanisms are bodies in space too.
    """
    if sol.t.size < 2 or sol.system.first_order or sol.columns["q"].size != sol.system.nq:
        return None
    if is_tree(sol.system) and not is_whole(sol):
        return None
    if is_mechanism(sol.system) or is_parametrised(sol.system):
        mechanism = sol.system if is_mechanism(sol.system) else sol.system.mechanism
        wide = 7 * len(mechanism.bodies) + (6 * (len(mechanism.joints) + len(mechanism.loads)) if arrows else 0)
        wide += sum(4 * surface_points(part) for part in mechanism.layout.flexible)
        return _of_mechanism(mechanical(thinned(sol, _affordable(frames, wide))), arrows and is_whole(sol), space)
    if is_beam(sol.system):
        few = thinned(sol, _affordable(frames, 3 * POINTS * len(sol.system.layout.elements)))
        return _of_beam(few)
    return _of_points(thinned(sol, frames), plane) if plane else None


def _affordable(frames: int, numbers: int) -> int:
    return max(2, min(frames, NUMBERS // max(numbers, 1)))


# ---- mechanisms


def _of_mechanism(sol: Solution, arrows: bool, space: bool) -> Scene:
    system: MechanismSystem = sol.system
    kinds = {body.kind for body in system.bodies}
    level = all(body.kind != "particle" or not np.any(sol.q[:, system.q_of(body.name)][:, 2]) for body in system.bodies)
    flat = kinds <= {"planar", "node", "particle"} and level and not space
    dim = 2 if flat else 3
    lines = _lines(system)
    curves = tuple(_drawn_line(sol, name, dim) for name in system.lines)
    held = _held(system, lines)
    curves += tuple(Curve(name, points) for name, points in lines_of(sol, system))
    shown = [body for body in system.bodies if body.is_body or body.name in held]
    number = {body.name: k for k, body in enumerate(shown)} | {GROUND: -1}
    all_poses = [_poses(sol, body, flat) for body in shown]
    rough = _skeleton(all_poses, curves, shown, held, dim)
    least = max((radius_of_gyration(body) for body in shown if not body.is_node), default=0.0)
    low, high = rough.box(least)
    size, rolling = float(np.linalg.norm(high - low)), rolling_solids(system)
    bodies = tuple(
        Moving(body.name, pose, _drawn(body, held, size, flat, rolling), body.is_node)
        for body, pose in zip(shown, all_poses, strict=True)
    )
    marks = tuple(m for parts in system.joints.values() for m in _marks(sol, parts, number))
    drawn = tuple(
        Line(kind, number[word.first], number[word.second], (word.numbers.s_i, word.numbers.s_j))
        for kind, word in lines
    )
    reach = _skeleton(all_poses, curves, shown, held, dim)
    for body in bodies:
        reach.body(body.pose, body.drawing.corners)
    for mark in marks:
        if mark.rail is not None:
            ends = [mark.rail] if mark.body < 0 else [way(all_poses[mark.body], p, dim) for p in mark.rail]
            for points in ends:
                reach.points(points)
    bodies += _ground(system, reach, least, sol.t.size)
    low, high = reach.box(least)
    gravity = system.layout.gravity
    up = np.array([0.0, 0.0, 1.0]) if not gravity.any() else -gravity / np.linalg.norm(gravity)
    scene = Scene(sol.t, flat, low[:dim], high[:dim], up, bodies, curves, marks, drawn, skins=skins_of(sol, system))
    scene = replace(scene, impacts=np.unique(sol.aux.get("impact_t", np.zeros(0))))
    return _with_arrows(scene, sol, reach) if arrows else scene


def _ground(system: MechanismSystem, reach: Reach, least: float, frames: int) -> tuple[Moving, ...]:
    """What bodies touch of the ground, if they do."""
    found = ground_drawing(system, *reach.box(least), reach.dim == 2)
    if found is None:
        return ()
    middle, drawing_ = found
    still = np.append(middle[:2], 0.0) if reach.dim == 2 else np.append(middle, (1.0, 0.0, 0.0, 0.0))
    reach.points(middle + drawing_.corners)
    return (Moving(GROUND, np.tile(still, (frames, 1)), drawing_),)


def _with_arrows(scene: Scene, sol: Solution, reach: Reach) -> Scene:
    arrows, newtons = arrows_of(sol, scene.size, reach.dim)
    for arrow in arrows:
        reach.points(arrow.points)
        reach.points(arrow.points + arrow.vectors)
    low, high = (corner[: reach.dim] for corner in reach.box(0.5 * scene.size))
    return replace(scene, arrows=arrows, newtons=newtons, low_with_arrows=low, high_with_arrows=high)


def _drawn(
    body: Body, held: dict[str, list[FloatArray]], size: float, flat: bool, rolling: dict[str, Solid | Placed]
) -> Drawing:
    if body.is_node or body.mass == 0.0:  # an interface
        return Drawing()
    return drawing(body, held.get(body.name, []), size, flat, rolling.get(body.name))


def _poses(sol: Solution, body: Body, flat: bool) -> FloatArray:
    p = poses(sol.system, body.name, sol.q, sol.v)
    if flat:
        return np.column_stack([p.position[:, :2], np.unwrap(np.arctan2(p.R[:, 1, 0], p.R[:, 0, 0]))])
    return np.hstack([p.position, continuous(quaternions_of(p.R))])


def _drawn_line(sol: Solution, name: str, dim: int) -> Curve:
    """A beam, or a rod in colours of its axial stress, or of its moments where no stress is
    known."""
    view = view_of_line(sol, name)
    points = _curve(view)[..., :dim]
    if isinstance(view, BeamView):
        return Curve(name, points)
    section = view.rod.section
    if np.isfinite(section.E) and np.isfinite(section.edge):
        values, label, unit = np.abs(view.stress()).max(axis=-1), "axial stress", "Pa"
    else:
        values, label, unit = np.linalg.norm(view.moment, axis=-1), "moment", "N m"
    most = float(values.max(initial=0.0))
    return Curve(name, points, values / (most or 1.0), f"{name}: {label}, 0 to {most:.3g} {unit}")


def _curve(beam: BeamView | RodView) -> FloatArray:
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
    """By body, the points where joints, lines, bearings and points of contacts hold it."""
    found: dict[str, list[FloatArray]] = {}
    for parts in system.joints.values():
        if parts.pair is not None and parts.symbol is not Symbol.NONE:
            found.setdefault(parts.pair.first.name, []).append(parts.pair.s_i)
            found.setdefault(parts.pair.second.name, []).append(parts.pair.s_j)
    for _, word in lines:
        found.setdefault(word.first, []).append(word.numbers.s_i)
        found.setdefault(word.second, []).append(word.numbers.s_j)
    for row in () if system.contacts is None else system.contacts.twin.rows[: system.contacts.twin.m_phi]:
        weight, word = row.terms[0]
        if word.kind == at.OFFSET and len(row.terms) == 1:  # a point above a plane
            found.setdefault(word.second, []).append(word.numbers.s_j)
        elif word.kind in (at.LENGTH, at.BALL) and weight < 0.0:  # a journal in its bearing
            found.setdefault(word.first, []).append(word.numbers.s_i)
            found.setdefault(word.second, []).append(word.numbers.s_j)
    return found


def _marks(sol: Solution, parts: JointParts, number: dict[str, int]) -> list[Mark]:
    pair = parts.pair
    if pair is None or parts.symbol is Symbol.NONE:
        return []
    grounded = GROUND in (pair.first.name, pair.second.name)
    reach = (0.0, 0.0)
    slides = next((name for name, word in parts.coordinates.items() if word.kind == at.OFFSET), None)
    if slides is not None:
        travel = JointView(sol, parts.name).coordinate(slides)
        reach = (float(travel.min()), float(travel.max()))
    ends = number[pair.first.name], number[pair.second.name]
    return [Mark(parts.name, parts.symbol, ends[0], pair.s_i, pair.a[2], reach, grounded, ends[1], pair.s_j)]


def _skeleton(
    histories: list[FloatArray],
    curves: tuple[Curve, ...],
    shown: list[Body],
    held: dict[str, list[FloatArray]],
    dim: int,
) -> Reach:
    """What mass centres, joints, shapes and curves reach."""
    reach = Reach(dim)
    if held.get(GROUND):
        reach.points(np.array(held[GROUND]))
    for curve in curves:
        reach.points(curve.points)
    for body, history in zip(shown, histories, strict=True):
        local = np.array([np.zeros(3), *held.get(body.name, [])])
        if body.shape is not None:
            local = np.concatenate([local, body.shape.triangles(8)[0] - body.centre])
        reach.body(history, local)
    return reach


def frame_of(
    sol: Solution, scene: Scene, plane: Sequence[tuple[int, int]] = ()
) -> tuple[list[FloatArray], list[FloatArray], FloatArray | None]:
    """Poses of the bodies of a scene, curves and points along other rows of its system."""
    if is_mechanism(sol.system) or is_parametrised(sol.system):
        sol = mechanical(sol)
        system: MechanismSystem = sol.system
        poses_of = [
            np.tile(body.pose[0], (sol.t.size, 1))
            if body.ground
            else _poses(sol, system.bodies[system.number_of(body.name)], scene.flat)
            for body in scene.bodies
        ]
        known, dim = lines_by_name(sol, system), 2 if scene.flat else 3
        names = [curve.name for curve in scene.curves]
        return (
            poses_of,
            [known[x].pop(0) if x in known else _curve(view_of_line(sol, x))[..., :dim] for x in names],
            None,
        )
    if is_beam(sol.system):
        return [], [_curve(BeamView(sol))], None
    return [], [], np.stack([sol.q[:, list(pair)] for pair in plane], axis=1)


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

"""Scenes by matplotlib, for pictures and animation files: the plane as it is, space in perspective,
far triangles first.

camera  e = target + d·(cos p cos y, cos p sin y, sin p),   screen = f (r·x, u·x)/(w·x),  x from e;  r, u, w right, up, forward
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.rotations import matrix
from isodyn.bodies.shapes import Box
from isodyn.joints.part import Symbol
from isodyn.joints.words import triad
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.report.arrow_kinds import Force
from isodyn.report.drawings import Drawing
from isodyn.report.figures import COLOURS
from isodyn.report.meshes import bar, moved, of_shape
from isodyn.report.scenes import Curve, Line, Mark, Scene

collections, colors, patches = Later("matplotlib.collections"), Later("matplotlib.colors"), Later("matplotlib.patches")
markers, transforms = Later("matplotlib.markers"), Later("matplotlib.transforms")

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isodyn.open_types import BoolArray
    from isodyn.report.arrows import Arrow

YAW, PITCH = -0.9, 0.42
STEEL, FLOOR, GROUND_COLOUR = "#3b4552", "#d5dbe3", "#c3ccd6"
TRAIL = 3  # the last third of the run


# colours from small to large, evenly spaced; assets/core.js has the same
HEAT = ("#2b5fd9", "#20b2c8", "#57b947", "#f2c230", "#d7301f")


def heat(x: float) -> tuple[float, float, float]:
    """A colour for 0 ≤ x ≤ 1."""
    at = min(max(float(x), 0.0), 1.0) * (len(HEAT) - 1)
    k = min(int(at), len(HEAT) - 2)
    low, high = (np.array(colors.to_rgb(HEAT[k + i])) for i in (0, 1))
    mixed = low + (at - k) * (high - low)
    return float(mixed[0]), float(mixed[1]), float(mixed[2])


@dataclass(frozen=True, eq=False)
class Camera:
    """Where the eye is and how it is turned."""

    eye: FloatArray
    right: FloatArray
    above: FloatArray
    forward: FloatArray

    def screen(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Positions on the screen and depths."""
        x = points - self.eye
        depth = x @ self.forward
        depth = np.maximum(depth, 1e-9 * np.abs(depth).max(initial=1e-300))
        return np.stack([x @ self.right, x @ self.above], axis=-1) / depth[..., None], depth


def camera_of(scene: Scene, yaw: float = YAW, pitch: float = PITCH) -> Camera:
    """A camera that sees the whole scene, up being up."""
    east, north = _floor_axes(scene.up)
    out = np.cos(pitch) * (np.cos(yaw) * east + np.sin(yaw) * north) + np.sin(pitch) * scene.up
    right = np.cross(-out, scene.up)
    right /= np.linalg.norm(right)
    eye = 0.5 * (scene.low + scene.high) + 1.25 * scene.size * out
    return Camera(eye, right, np.cross(right, -out), -out)


def _floor_axes(up: FloatArray) -> tuple[FloatArray, FloatArray]:
    axis = np.eye(3)[int(np.argmin(np.abs(up)))]
    east = axis - (axis @ up) * up
    east /= np.linalg.norm(east)
    return east, np.cross(up, east)


class Moment:
    """Poses, curves and points of a scene at one time, between frames where need be."""

    def __init__(self, scene: Scene, t: float) -> None:
        k = int(np.clip(np.searchsorted(scene.t, t, side="right") - 1, 0, scene.t.size - 2))
        u = float(np.clip((t - scene.t[k]) / (scene.t[k + 1] - scene.t[k]), 0.0, 1.0))
        self.scene, self.k, self.t = scene, k, t

        self.u = u
        self.poses = [self.at(body.pose) for body in scene.bodies]
        self.curves = [self.at(curve.points) for curve in scene.bare_curves]
        self.colours = [self.colours_of(k, curve) for k, curve in enumerate(scene.bare_curves)]
        self.points = None if scene.points is None else self.at(scene.points)
        self.R = [_turn(pose, scene.flat) for pose in self.poses]

    def at(self, history: FloatArray) -> FloatArray:
        """A history of the scene now."""
        return (1 - self.u) * history[self.k] + self.u * history[self.k + 1]

    def colours_of(self, k: int, curve: Curve) -> list[Any]:
        """A colour for every piece of a curve."""
        pieces = curve.points.shape[1] - 1
        if curve.values is None:
            return [COLOURS[(k + 4) % len(COLOURS)]] * pieces
        return [heat(x) for x in np.repeat(self.at(curve.values), pieces // curve.values.shape[1])]

    def place(self, body: int, p: FloatArray) -> FloatArray:
        """Points (…, 3) of a body in the world; −1 is the ground."""
        if body < 0:
            return p
        r = self.poses[body][:2] if self.scene.flat else self.poses[body][:3]
        return np.asarray(np.append(r, 0.0)[:3] + p @ self.R[body].T)


def _turn(pose: FloatArray, flat: bool) -> FloatArray:
    if not flat:
        return matrix(pose[3:] / np.linalg.norm(pose[3:]))
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def draw(
    axes: Axes,
    scene: Scene,
    t: float,
    camera: Camera | None = None,
    trails: bool = False,
    arrows: Collection[Force] = (),
) -> None:
    """The scene at time t on empty axes, with arrows of these kinds."""
    now = Moment(scene, t)
    axes.set_aspect("equal")
    if scene.flat:
        _flat(axes, now, trails)
    else:
        _deep(axes, now, camera or camera_of(scene), trails)
    labels = [curve.label for curve in scene.bare_curves] + [skin.label for skin in scene.skins]
    for k, label in enumerate(filter(None, labels)):
        axes.text(0.01, 0.99 - 0.04 * k, label, transform=axes.transAxes, va="top", fontsize=8, color="#777777")
    shown = [arrow for arrow in scene.arrows if arrow.kind in arrows]
    low, high = scene.low, scene.high
    if shown:
        assert scene.low_with_arrows is not None
        assert scene.high_with_arrows is not None
        low, high = scene.low_with_arrows, scene.high_with_arrows
        _arrows(axes, now, shown, None if scene.flat else camera or camera_of(scene))
    if not scene.flat:
        box = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, 8).T
        corners, _ = (camera or camera_of(scene)).screen(box)
        low, high = corners.min(axis=0), corners.max(axis=0)
    room = 0.02 * (high - low)  # for what has a size in points, such as pins
    axes.set(xlim=(low[0] - room[0], high[0] + room[0]), ylim=(low[1] - room[1], high[1] + room[1]))


def _arrows(axes: Axes, now: Moment, shown: list[Arrow], camera: Camera | None) -> None:
    for arrow in shown:
        start = now.at(arrow.points)
        ends = np.array([start, start + now.at(arrow.vectors)])
        if camera is not None:
            ends, _ = camera.screen(ends)
        colour = COLOURS[1 if arrow.kind is Force.REACTION else 2]
        style = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.6, "shrinkA": 0.0, "shrinkB": 0.0}
        axes.annotate("", ends[1], ends[0], arrowprops=style, zorder=6)


# ---- in the plane


def _flat(axes: Axes, now: Moment, trails: bool) -> None:
    scene = now.scene
    axes.tick_params(labelsize=8, length=0, labelcolor="#777777")
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    if trails or scene.points is not None:
        _ways(axes, now, None)
    round_ends: dict[str, Any] = {"solid_capstyle": "round", "solid_joinstyle": "round"}
    for mark in scene.marks:
        if mark.rail is not None:
            axes.plot(*now.place(mark.body, mark.rail)[:, :2].T, color=FLOOR, linewidth=3, **round_ends)
    for line in scene.lines:
        axes.plot(*_line(now, line).T, color=STEEL, linewidth=1.2)
    for k, body in enumerate(scene.bodies):
        _flat_body(axes, now, k, body.drawing, round_ends)
    _flat_curves(axes, now, round_ends)
    for mark in scene.marks:
        _mark(axes, now, mark)
    for k, body in enumerate(scene.bodies):
        if body.drawing.centre:
            x, y = now.poses[k][:2]
            axes.plot(x, y, "o", fillstyle="left", color=STEEL, markerfacecoloralt="white", markersize=5, zorder=5)
    for k, point in enumerate(() if now.points is None else now.points):
        axes.plot(*point, "o", color=COLOURS[k % len(COLOURS)], markersize=6)


def _flat_curves(axes: Axes, now: Moment, round_ends: dict[str, Any]) -> None:
    """Beams in the plane, in one colour or in those of their elements."""
    for points, paints in zip(now.curves, now.colours, strict=True):
        if len(set(paints)) == 1:
            axes.plot(points[:, 0], points[:, 1], color=paints[0], linewidth=3, **round_ends)
            continue
        lines = collections.LineCollection(
            list(np.stack([points[:-1], points[1:]], axis=1)), colors=paints, linewidths=3
        )
        axes.add_collection(lines)


def _flat_body(axes: Axes, now: Moment, k: int, drawing: Drawing, ends: dict[str, Any]) -> None:
    """Bars and polygons of a body in the plane."""
    colour = STEEL if now.scene.bodies[k].ground else COLOURS[k % len(COLOURS)]
    for way in drawing.bars:
        p = now.place(k, np.column_stack([way, np.zeros(len(way))]))
        axes.plot(p[:, 0], p[:, 1], color=colour, linewidth=5, **ends)
    look: dict[str, Any] = {"facecolor": f"{colour}88", "edgecolor": colour}
    if drawing.faint:
        look = {"facecolor": f"{colour}14", "edgecolor": f"{colour}66", "linestyle": (0, (3, 3)), "zorder": 0.5}
    for way in drawing.polygons:
        p = now.place(k, np.column_stack([way, np.zeros(len(way))]))
        axes.add_patch(patches.Polygon(p[:, :2], closed=True, **look))


def _mark(axes: Axes, now: Moment, mark: Mark) -> None:
    """A joint in the plane by its kind."""
    edge: dict[str, Any] = {"markeredgecolor": "black", "zorder": 4}
    if mark.kind in (Symbol.SLIDER, Symbol.PLANE):
        x, y, _ = now.place(mark.second, mark.second_point)
        along = now.place(mark.body, np.array([np.zeros(3), mark.axis]))
        turn = float(np.degrees(np.arctan2(*(along[1] - along[0])[1::-1])))
        block = markers.MarkerStyle("s", transform=transforms.Affine2D().scale(1.5, 1.0).rotate_deg(turn))
        axes.plot(x, y, marker=block, color="white", markersize=7, **edge)
        return
    x, y, _ = now.place(mark.body, mark.point)
    if mark.grounded:
        axes.plot(x, y, marker="^", color=FLOOR, markeredgecolor=STEEL, markersize=11, zorder=3)
    fixed = mark.kind is Symbol.FIXED
    axes.plot(x, y, "s" if fixed else "o", color="black" if fixed else "white", markersize=4.5, **edge)


def _line(now: Moment, line: Line) -> FloatArray:
    a, b = (now.place(k, p)[:2] for k, p in zip((line.first, line.second), line.points, strict=True))
    if line.kind != "spring":
        return np.array([a, b])
    along = b - a
    aside = 0.012 * now.scene.size * np.array([-along[1], along[0]]) / max(float(np.linalg.norm(along)), 1e-12)
    turns = np.arange(1, 20)
    zigzag = [a + along * (0.1 + 0.8 * k / 20) + (aside if k % 2 else -aside) for k in turns]
    return np.array([a, a + 0.1 * along, *zigzag, a + 0.9 * along, b])


# ---- in space


def _deep(axes: Axes, now: Moment, camera: Camera, trails: bool) -> None:
    scene = now.scene
    axes.set_axis_off()
    _floor(axes, scene, camera)
    if trails:
        _ways(axes, now, camera)
    light = -0.55 * camera.forward + 0.75 * scene.up - 0.35 * camera.right
    light /= np.linalg.norm(light)
    corners, shades, shadows = [], [], []
    low, solids = _lowest(scene), _solids(now)
    for points, normals, colour in solids:
        lit = normals.reshape(-1, 3, 3).mean(axis=1) @ light
        shade = 0.64 + 0.28 * lit + 0.26 * np.maximum(lit, 0.0) ** 3
        corners.append(points.reshape(-1, 3, 3))
        shades.append(np.clip(shade[:, None] * np.array(colors.to_rgb(colour)), 0.0, 1.0))
        upper = normals.reshape(-1, 3, 3).mean(axis=1) @ scene.up > (1 if colour == GROUND_COLOUR else 0)
        fallen = corners[-1][upper]
        shadows.append(fallen + (low - fallen @ scene.up)[..., None] * scene.up)
    if not corners:
        return
    triangles, colours = np.concatenate(corners), np.concatenate(shades)
    flat, depth = camera.screen(triangles)
    fallen, _ = camera.screen(np.concatenate(shadows))
    axes.add_collection(collections.PolyCollection(list(fallen), facecolors=FLOOR, edgecolors="none", zorder=1))
    a, b, c = flat[:, 0], flat[:, 1], flat[:, 2]
    seen = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0] > 0
    ground = np.repeat([colour == GROUND_COLOUR for *_, colour in solids], [len(x) for x in corners])
    far = np.where(_below(triangles, ground, 1e-3 * scene.size), np.inf, depth.mean(axis=1))
    order = np.argsort(-far[seen])
    shown, paint = flat[seen][order], colours[seen][order]
    axes.add_collection(
        collections.PolyCollection(list(shown), facecolors=paint, edgecolors=paint, linewidths=0.3, zorder=2)
    )


def _below(triangles: FloatArray, ground: BoolArray, room: float) -> BoolArray:
    """Triangles of the ground above which everything else is: from above they hide nothing."""
    found, rest = np.zeros(len(triangles), dtype=bool), triangles[~ground].reshape(-1, 3)
    for k in np.flatnonzero(ground):
        a, b, c = triangles[k]
        n = np.cross(b - a, c - a)
        found[k] = ((rest - a) @ n).min(initial=0.0) >= -room * np.linalg.norm(n)
    return found


def _solids(now: Moment) -> list[tuple[FloatArray, FloatArray, Any]]:
    """Corners, normals and colour of everything solid, in the world."""
    scene = now.scene
    found: list[tuple[FloatArray, FloatArray, Any]] = []
    for k, body in enumerate(scene.bodies):
        surface = body.drawing.surface
        if surface.points.size:
            colour = GROUND_COLOUR if body.ground else COLOURS[k % len(COLOURS)]
            found.append((now.place(k, surface.points), surface.normals @ now.R[k].T, colour))
    r = 0.013 * scene.size
    for mark in scene.marks:
        found += _symbol(now, mark, r)
        if mark.rail is not None:
            one, other = now.place(mark.body, mark.rail)
            found.append((*bar(one, other, 0.4 * r), "#a9b3bf"))
    for k, body in enumerate(scene.bodies):
        if body.drawing.centre:
            found.append(_ball(now.place(k, np.zeros(3)), 0.9 * r))
    for line in scene.lines:
        a, b = (now.place(k, p) for k, p in zip((line.first, line.second), line.points, strict=True))
        found.append((*bar(a, b, 0.3 * r), STEEL))
    for skin in scene.skins:
        found += [(x, n, heat(value)) for x, n, value in skin.at(now.at(skin.points), now.at(skin.values))]
    for points, paints in zip(now.curves, now.colours, strict=True):
        curve = np.pad(points, ((0, 0), (0, 3 - points.shape[1])))
        found += [(*bar(a, b, 0.5 * r), colour) for (a, b), colour in zip(pairwise(curve), paints, strict=True)]
    return found


def _ball(at: FloatArray, radius: float) -> tuple[FloatArray, FloatArray, str]:
    return (*bar(at, at, radius), STEEL)


def _symbol(now: Moment, mark: Mark, r: float) -> list[tuple[FloatArray, FloatArray, str]]:
    """A joint in space by its kind."""
    if mark.kind is Symbol.BALL:
        return [_ball(now.place(mark.body, mark.point), 1.45 * r)]
    if mark.kind in (Symbol.HINGE, Symbol.CYLINDER, Symbol.UNIVERSAL):
        axes = triad(mark.axis)[:2] if mark.kind is Symbol.UNIVERSAL else [mark.axis]
        thick = 0.7 * r if mark.kind is Symbol.UNIVERSAL else 1.3 * r
        ends = [now.place(mark.body, np.array([mark.point - 1.6 * r * e, mark.point + 1.6 * r * e])) for e in axes]
        return [(*bar(one, other, thick), STEEL) for one, other in ends]
    edges = {Symbol.SLIDER: (2.2, 2.2, 3.2), Symbol.FIXED: (2.2, 2.2, 2.2), Symbol.PLANE: (4.0, 4.0, 0.3)}[mark.kind]
    block = of_shape(Box(*(r * edge for edge in edges), mass=1.0), np.zeros(3))
    slides = mark.kind is Symbol.SLIDER
    at = now.place(mark.second, mark.second_point) if slides else now.place(mark.body, mark.point)
    R = (np.eye(3) if mark.body < 0 else now.R[mark.body]) @ triad(mark.axis).T
    return [(*moved(block, at, R), STEEL)]


def _lowest(scene: Scene) -> float:
    box = np.array(np.meshgrid(*zip(scene.low, scene.high, strict=True))).reshape(3, 8).T
    return float((box @ scene.up).min())


def _floor(axes: Axes, scene: Scene, camera: Camera) -> None:
    east, north = _floor_axes(scene.up)
    middle = 0.5 * (scene.low + scene.high)
    middle = middle + (_lowest(scene) - middle @ scene.up) * scene.up
    ticks = np.linspace(-0.7, 0.7, 9) * scene.size
    for x in ticks:
        for one, other in ((east, north), (north, east)):
            ends, _ = camera.screen(np.array([middle + x * one + y * other for y in (ticks[0], ticks[-1])]))
            axes.plot(*ends.T, color="#e3e7ed", linewidth=0.7, zorder=0)


def _ways(axes: Axes, now: Moment, camera: Camera | None) -> None:
    """The last part of the way of bodies, ends of beams and points."""
    scene, k = now.scene, now.k
    first = max(0, k - scene.t.size // TRAIL)
    dim = 2 if scene.flat else 3
    ways = [
        (i, body.pose[first : k + 1, :dim]) for i, body in enumerate(scene.bodies) if not (body.node or body.ground)
    ]
    ways += [(i + 4, _end(curve)[first : k + 1]) for i, curve in enumerate(scene.bare_curves)]
    if scene.points is not None:
        ways += [(i, scene.points[first : k + 1, i]) for i in range(scene.points.shape[1])]
    for i, way in ways:
        shown = way if camera is None else camera.screen(np.pad(way, ((0, 0), (0, 3 - way.shape[1]))))[0]
        axes.plot(*shown.T, color=COLOURS[i % len(COLOURS)], linewidth=1.0, alpha=0.5, zorder=1)


def _end(curve: Curve) -> FloatArray:
    return curve.points[:, -1]

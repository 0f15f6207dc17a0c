"""Animations as glTF 2.0, binary (.glb): one file for viewers, presentations and modelling
programs.

Every body is a node with its mesh, its translation and rotation given frame by frame. What changes
its length between two points (springs, rods, ropes, pieces of beams) is a unit bar or coil along z
whose scale follows the distance. The world is turned so that up is +y, as glTF wants it, and a
scene far from the origin is moved to it, since numbers have seven digits.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.rotations import continuous, matrix, quaternions_of
from isodyn.bodies.shapes import Box, Sphere
from isodyn.errors import InputError
from isodyn.joints.part import Symbol
from isodyn.joints.words import triad
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.report.figures import COLOURS, check_folder
from isodyn.report.meshes import Triangles, bar, joined, moved, of_shape
from isodyn.report.paint import GROUND_COLOUR, Moment
from isodyn.report.scenes import FRAMES, Mark, Scene, scene_of
from isodyn.results import Solution
from isodyn.results.files import write_file
from isodyn.version import __version__

colors = Later("matplotlib.colors")

if TYPE_CHECKING:
    from isodyn.problems import Problem

STEEL, GREY = "#3b4552", "#a9b3bf"
FLOAT, TRIANGLES, VERTICES = 5126, 4, 34962  # numbers of the format
COILS, AROUND = 8, 6  # of a spring, and sides of its wire
ORIGIN = np.zeros(3)


def write_gltf(
    sol: Solution,
    path: Path | str,
    *,
    problem: Problem | None = None,
    plane: Sequence[tuple[int, int]] = (),
    frames: int = FRAMES,
) -> Path:
    """Write the animation of a solution as a .glb file.

    Parameters
    ----------
    sol
        A solution of a mechanism or a beam, or of any system whose points are named.
    path
        The file; its ending must be .glb.
    problem
        Tells which coordinates are points of a plane, for systems that are no mechanisms.
    plane
        The same as pairs of columns of q.
    frames
        At most so many rows of the solution are kept.

    Returns
    -------
    Path
        The file that was written.

    Raises
    ------
    InputError
        For another ending, and for systems of which nothing is known about how they look.

    Examples
    --------
    >>> import tempfile
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     iso.report.write_gltf(sol, f"{folder}/rod.glb").read_bytes()[:4]
    b'glTF'
    """
    path = Path(path)
    if path.suffix.lower() != ".glb":
        raise InputError(f"cannot write glTF into {path.name!r}: its ending must be .glb", hint=f"{path.stem}.glb")
    check_folder(path.parent)
    scene = scene_of(sol, plane or (problem.plane if problem is not None else ()), frames, space=True)
    if scene is None:
        raise InputError(
            f"nothing is known about how a {type(sol.system).__name__} looks",
            hint="mechanisms and beams are drawn; for other systems name pairs of coordinates by plane=",
        )
    return write_file(path, Document(scene).bytes())


class Document:
    """Collects nodes, meshes and animations of a scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.data = scene, bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self._colours: dict[str, int] = {}
        self.origin = 0.5 * (_deep(scene.low) + _deep(scene.high))
        if np.abs(self.origin).max() < 20.0 * scene.size:
            self.origin = ORIGIN
        self.times = self.accessor(scene.t - scene.t[0], "SCALAR", bounds=True)
        self.bodies: list[int] = []
        self.roots: list[int] = []
        self.fill()

    # ---- what is drawn

    def fill(self) -> None:
        """All nodes of the scene."""
        scene, r = self.scene, 0.013 * self.scene.size
        for k, body in enumerate(scene.bodies):
            parts = [(body.drawing.surface, GROUND_COLOUR if body.ground else COLOURS[k % len(COLOURS)])]
            if body.drawing.centre:
                parts.append((_ball(ORIGIN, 0.9 * r), STEEL))
            node = self.node(body.name, parts)
            self.move(node, body.pose[:, :3] - self.origin, body.pose[:, 3:])
            self.bodies.append(node)
            self.roots.append(node)
        for mark in scene.marks:
            self.mark(mark, r)
        for n, line in enumerate(scene.lines):
            ends = [self.way(body, p) for body, p in zip((line.first, line.second), line.points, strict=True)]
            mesh = _coil(0.016 * scene.size, 0.0028 * scene.size) if line.kind == "spring" else _unit_bar(0.3 * r)
            self.between(f"{line.kind} {n + 1}", mesh, STEEL, ends[0], ends[1])
        for k, curve in enumerate(scene.curves):
            points = _deep(curve.points) - self.origin
            first = Moment(scene, float(scene.t[-1])).colours[k]  # glTF does not move colours: those at the end
            for i in range(points.shape[1] - 1):
                colour = first[i] if isinstance(first[i], str) else colors.to_hex(first[i])
                self.between(f"{curve.name} {i + 1}", _unit_bar(0.5 * r), colour, points[:, i], points[:, i + 1])
        if scene.points is not None:
            points = _deep(scene.points) - self.origin
            for k, name in enumerate(scene.point_names):
                node = self.node(name, [(_ball(ORIGIN, 1.2 * r), COLOURS[k % len(COLOURS)])])
                self.move(node, points[:, k])
                self.roots.append(node)

    def way(self, body: int, p: FloatArray) -> FloatArray:
        """A point of a body, or of the ground, frame by frame."""
        if body < 0:
            return np.tile(p - self.origin, (self.scene.t.size, 1))
        pose = self.scene.bodies[body].pose
        return np.asarray(pose[:, :3] - self.origin + matrix(pose[:, 3:]) @ p)

    def mark(self, mark: Mark, r: float) -> None:
        """A joint, fixed in its first body; the block of a slider in its second."""
        body, parts = mark.body, []
        shift = self.origin if body < 0 else ORIGIN
        at = mark.point - shift
        if mark.kind is Symbol.BALL:
            parts.append((_ball(at, 1.45 * r), STEEL))
        elif mark.kind in (Symbol.HINGE, Symbol.CYLINDER, Symbol.UNIVERSAL):
            axes = triad(mark.axis)[:2] if mark.kind is Symbol.UNIVERSAL else [mark.axis]
            thick = 0.7 * r if mark.kind is Symbol.UNIVERSAL else 1.3 * r
            parts += [(bar(at - 1.6 * r * e, at + 1.6 * r * e, thick), STEEL) for e in axes]
        elif mark.kind in (Symbol.FIXED, Symbol.PLANE):
            parts.append(
                (_block(mark.axis, at, (2.2, 2.2, 2.2) if mark.kind is Symbol.FIXED else (4, 4, 0.3), r), STEEL)
            )
        if mark.rail is not None:
            one, other = mark.rail - shift
            parts.append((bar(one, other, 0.4 * r), GREY))
        if parts:
            self.child(body, self.node(mark.name, parts))
        if mark.kind is Symbol.SLIDER:
            along = self.turn(mark.body) @ mark.axis
            shift = self.origin if mark.second < 0 else ORIGIN
            block = _block(self.turn(mark.second).T @ along, mark.second_point - shift, (2.2, 2.2, 3.2), r)
            self.child(mark.second, self.node(f"{mark.name} block", [(block, STEEL)]))

    def turn(self, body: int) -> FloatArray:
        """How a body is turned at the start."""
        return np.eye(3) if body < 0 else matrix(self.scene.bodies[body].pose[0, 3:])

    def between(self, name: str, mesh: Triangles, colour: str, start: FloatArray, end: FloatArray) -> None:
        """A mesh from z = 0 to z = 1 that reaches from one way to another."""
        node = self.node(name, [(mesh, colour)])
        along = end - start
        length = np.linalg.norm(along, axis=1)
        along = np.where(length[:, None] > 0.0, along / np.maximum(length, 1e-300)[:, None], (0.0, 0.0, 1.0))
        # the shortest turn from z to the direction; half a turn about x where that is −z
        turns = np.column_stack([1.0 + along[:, 2], -along[:, 1], along[:, 0], np.zeros(len(along))])
        turns[along[:, 2] < -1.0 + 1e-12] = (0.0, 1.0, 0.0, 0.0)
        turns = continuous(turns / np.linalg.norm(turns, axis=1, keepdims=True))
        scale = np.ones((len(length), 3))
        scale[:, 2] = np.maximum(length, 1e-9 * self.scene.size)
        self.move(node, start, turns, scale)
        self.roots.append(node)

    # ---- pieces of the format

    def node(self, name: str, parts: list[tuple[Triangles, str]]) -> int:
        """A node, with a mesh where there is anything to show."""
        found: dict[str, Any] = {"name": name}
        primitives = [self.primitive(mesh, colour) for mesh, colour in parts if len(mesh.points)]
        if primitives:
            self.meshes.append({"name": name, "primitives": primitives})
            found["mesh"] = len(self.meshes) - 1
        self.nodes.append(found)
        return len(self.nodes) - 1

    def child(self, body: int, node: int) -> None:
        """Put a node below that of a body, or into the world."""
        if body < 0:
            self.roots.append(node)
        else:
            self.nodes[self.bodies[body]].setdefault("children", []).append(node)

    def primitive(self, mesh: Triangles, colour: str) -> dict[str, Any]:
        """Triangles of one colour."""
        attributes = {
            "POSITION": self.accessor(mesh.points, "VEC3", VERTICES, bounds=True),
            "NORMAL": self.accessor(mesh.normals, "VEC3", VERTICES),
        }
        return {"attributes": attributes, "mode": TRIANGLES, "material": self.material(colour)}

    def material(self, colour: str) -> int:
        """A dull plastic of a colour; the format counts light, not steps of a screen."""
        if colour not in self._colours:
            steps = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0
            light = np.where(steps <= 0.04045, steps / 12.92, ((steps + 0.055) / 1.055) ** 2.4)
            surface = {"baseColorFactor": [*light.tolist(), 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.6}
            self.materials.append({"name": colour, "pbrMetallicRoughness": surface})
            self._colours[colour] = len(self.materials) - 1
        return self._colours[colour]

    def move(
        self, node: int, places: FloatArray, turns: FloatArray | None = None, scale: FloatArray | None = None
    ) -> None:
        """Give a node its first pose, and the others frame by frame where they change."""
        xyzw = None if turns is None else turns[:, [1, 2, 3, 0]] / np.linalg.norm(turns, axis=1, keepdims=True)
        for path, values in (("translation", places), ("rotation", xyzw), ("scale", scale)):
            if values is None:
                continue
            self.nodes[node][path] = values[0].tolist()
            if (values == values[0]).all():
                continue
            kind = "VEC4" if path == "rotation" else "VEC3"
            self.samplers.append(
                {"input": self.times, "output": self.accessor(values, kind), "interpolation": "LINEAR"}
            )
            self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def accessor(self, values: FloatArray, kind: str, target: int | None = None, *, bounds: bool = False) -> int:
        """Numbers behind those that are there."""
        numbers = np.ascontiguousarray(values, dtype="<f4")
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": numbers.nbytes}
        self.views.append(view | ({"target": target} if target is not None else {}))
        self.data += numbers.tobytes()
        found: dict[str, Any] = {
            "bufferView": len(self.views) - 1,
            "componentType": FLOAT,
            "count": len(numbers),
            "type": kind,
        }
        if bounds:
            flat = numbers.reshape(len(numbers), -1)
            found |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        self.accessors.append(found)
        return len(self.accessors) - 1

    def bytes(self) -> bytes:
        """The file."""
        across, other, up = triad(self.scene.up)
        world = quaternions_of(np.array([across, up, -other])[None])[0]  # glTF has up in y
        self.nodes.append({"name": "world", "rotation": world[[1, 2, 3, 0]].tolist(), "children": self.roots})
        document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"isodyn {__version__}"},
            "scene": 0,
            "scenes": [{"nodes": [len(self.nodes) - 1]}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.data)}],
        }
        if self.channels:
            document["animations"] = [{"name": "run", "channels": self.channels, "samplers": self.samplers}]
        if self.origin.any():
            document["asset"]["extras"] = {"origin": self.origin.tolist()}
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self.data)
        size = 12 + 8 + len(text) + 8 + len(data)
        head = struct.pack("<4sII", b"glTF", 2, size)
        return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data


def _deep(points: FloatArray) -> FloatArray:
    """Points of the plane in space."""
    return np.pad(points, [(0, 0)] * (points.ndim - 1) + [(0, 3 - points.shape[-1])])


def _ball(at: FloatArray, radius: float) -> Triangles:
    ball = of_shape(Sphere(radius, mass=1.0), ORIGIN)
    return Triangles(ball.points + at, ball.normals)


def _block(axis: FloatArray, at: FloatArray, edges: tuple[float, ...], r: float) -> Triangles:
    return moved(of_shape(Box(*(r * edge for edge in edges), mass=1.0), ORIGIN), at, triad(axis).T)


def _unit_bar(radius: float) -> Triangles:
    """From z = 0 to z = 1; its scale along z follows."""
    return _tube(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), radius)


def _coil(radius: float, wire: float) -> Triangles:
    u = np.linspace(0.0, 1.0, 97)
    wide = radius * np.minimum(1.0, 12.0 * np.minimum(u, 1.0 - u))
    angle = 2 * np.pi * COILS * u
    return _tube(np.column_stack([wide * np.cos(angle), wide * np.sin(angle), u]), wire)


def _tube(points: FloatArray, radius: float) -> Triangles:
    """Rings across z around points, joined; scaling along z does not change their width."""
    angle = 2 * np.pi * np.arange(AROUND + 1) / AROUND
    normals = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(AROUND + 1)])
    parts = []
    for a, b in pairwise(points):
        for k in range(AROUND):
            n, m = normals[k], normals[k + 1]
            corners = [a + radius * n, a + radius * m, b + radius * m, a + radius * n, b + radius * m, b + radius * n]
            parts.append(Triangles(np.array(corners), np.array([n, m, m, n, m, n])))
    return joined(parts)

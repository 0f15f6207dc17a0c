"""Numbers and scenes as plain data for a page: arrays as base64 of 32-bit floats, everything else
as JSON."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.kernels.compiled import FloatArray
from isodyn.report.scenes import Scene
from isodyn.report.summary import finite

IMPACTS = 400  # that are marked on the time line, the first of a run
FAR = 20.0  # sizes of a scene from the origin of the world, beyond which numbers are told from a nearer point


def packed(array: ArrayLike) -> dict[str, Any]:
    """Shape and numbers of an array, little-endian 32-bit floats in base64.

    >>> packed([[1.0, 2.0]])
    {'shape': [1, 2], 'f32': 'AACAPwAAAEA='}
    """
    numbers = np.ascontiguousarray(array, dtype="<f4")
    return {"shape": list(numbers.shape), "f32": base64.b64encode(numbers.tobytes()).decode("ascii")}


def for_script(data: object) -> str:
    """JSON that may stand inside a <script> element."""
    text = json.dumps(finite(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def scene_data(scene: Scene) -> dict[str, Any]:
    """A scene for the player of the page; one that lies far from the origin of the world is told
    from a point near it, since 32-bit floats have seven digits."""
    middle = 0.5 * (scene.low + scene.high)
    origin = middle if np.abs(middle).max() > FAR * scene.size else np.zeros_like(middle)
    dim = origin.size
    moved = np.append(origin, np.zeros(3 - dim))

    def near(points: FloatArray) -> FloatArray:
        return points - np.append(origin, np.zeros(points.shape[-1] - dim)) if points.shape[-1] >= dim else points

    def held(body: int, point: FloatArray) -> list[float]:
        return (point - moved if body < 0 else point).tolist()

    wide = (scene.low, scene.high) if scene.low_with_arrows is None else (scene.low_with_arrows, scene.high_with_arrows)
    return {
        "t": packed(scene.t - scene.t[0]),
        "t0": float(scene.t[0]),
        "flat": scene.flat,
        "origin": origin.tolist(),
        "low": near(scene.low).tolist(),
        "high": near(scene.high).tolist(),
        "wide": [near(np.asarray(corner)).tolist() for corner in wide],
        "up": scene.up.tolist(),
        "bodies": [
            {
                "name": body.name,
                "node": body.node,
                "ground": body.ground,
                "pose": packed(near(body.pose)),
                "points": packed(body.drawing.surface.points),
                "normals": packed(body.drawing.surface.normals),
                "polygons": [_short(p) for p in body.drawing.polygons],
                "bars": [_short(p) for p in body.drawing.bars],
                "centre": body.drawing.centre,
                "faint": body.drawing.faint,
            }
            for body in scene.bodies
        ],
        "curves": [
            {
                "name": curve.name,
                "points": packed(near(curve.points)),
                "values": None if curve.values is None else packed(curve.values),
                "label": curve.label,
            }
            for curve in scene.bare_curves
        ],
        "skins": [
            {
                "name": skin.name,
                "points": packed(near(skin.points)),
                "triangles": skin.triangles.ravel().tolist(),
                "values": packed(skin.values),
                "label": skin.label,
            }
            for skin in scene.skins
        ],
        "marks": [
            {
                "name": mark.name,
                "kind": mark.kind.value,
                "body": mark.body,
                "point": held(mark.body, mark.point),
                "axis": mark.axis.tolist(),
                "rail": None if mark.rail is None else [held(mark.body, p) for p in mark.rail],
                "grounded": mark.grounded,
                "second": mark.second,
                "secondPoint": held(mark.second, mark.second_point),
            }
            for mark in scene.marks
        ],
        "lines": [
            {
                "kind": line.kind,
                "first": line.first,
                "second": line.second,
                "points": [held(body, p) for body, p in zip((line.first, line.second), line.points, strict=True)],
            }
            for line in scene.lines
        ],
        "arrows": [
            {
                "name": arrow.name,
                "kind": arrow.kind.value,
                "points": packed(np.hstack([near(arrow.points), arrow.vectors])),
            }
            for arrow in scene.arrows
        ],
        "newtons": scene.newtons,
        "impacts": [float(t - scene.t[0]) for t in scene.impacts[:IMPACTS]],
        "points": None if scene.points is None else packed(near(scene.points)),
        "pointNames": list(scene.point_names),
    }


def _short(points: FloatArray) -> list[list[float]]:
    return [[float(f"{x:.6g}") for x in p] for p in points.tolist()]

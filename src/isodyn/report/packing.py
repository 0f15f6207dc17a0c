"""Numbers and scenes as plain data for a page: arrays as base64 of 32-bit floats, everything else
as JSON."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.report.scenes import Scene
from isodyn.report.summary import finite


def packed(array: Any) -> dict[str, Any]:
    """Shape and numbers of an array, little-endian 32-bit floats in base64.

    >>> packed([[1.0, 2.0]])
    {'shape': [1, 2], 'f32': 'AACAPwAAAEA='}
    """
    numbers = np.ascontiguousarray(array, dtype="<f4")
    return {"shape": list(numbers.shape), "f32": base64.b64encode(numbers.tobytes()).decode("ascii")}


def for_script(data: Any) -> str:
    """JSON that may stand inside a <script> element."""
    text = json.dumps(finite(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def scene_data(scene: Scene) -> dict[str, Any]:
    """A scene for the player of the page."""
    return {
        "t": packed(scene.t - scene.t[0]),
        "t0": float(scene.t[0]),
        "flat": scene.flat,
        "low": scene.low.tolist(),
        "high": scene.high.tolist(),
        "up": scene.up.tolist(),
        "bodies": [
            {
                "name": body.name,
                "node": body.node,
                "pose": packed(body.pose),
                "points": packed(body.drawing.surface.points),
                "normals": packed(body.drawing.surface.normals),
                "polygons": [_short(p) for p in body.drawing.polygons],
                "bars": [_short(p) for p in body.drawing.bars],
            }
            for body in scene.bodies
        ],
        "curves": [{"name": curve.name, "points": packed(curve.points)} for curve in scene.curves],
        "marks": [
            {
                "name": mark.name,
                "kind": mark.kind,
                "body": mark.body,
                "point": mark.point.tolist(),
                "axis": mark.axis.tolist(),
                "reach": list(mark.reach),
                "grounded": mark.grounded,
            }
            for mark in scene.marks
        ],
        "lines": [
            {
                "kind": line.kind,
                "first": line.first,
                "second": line.second,
                "points": [p.tolist() for p in line.points],
            }
            for line in scene.lines
        ],
        "points": None if scene.points is None else packed(scene.points),
        "pointNames": list(scene.point_names),
    }


def _short(points: FloatArray) -> list[list[float]]:
    return [[float(f"{x:.6g}") for x in p] for p in points.tolist()]

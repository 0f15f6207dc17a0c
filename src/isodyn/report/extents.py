"""How far everything reaches that is drawn, over all frames.

Of a body with poses (r, R) and points p of its drawing the reach along an axis e of the world is
max over p and frames of e·r + (Rᵀe)·p.
"""

from __future__ import annotations

import numpy as np

from isodyn.bodies.rotations import matrix
from isodyn.kernels.compiled import FloatArray

MANY = 400  # points of a drawing; of more the corners of their box are taken, which reach further


class Reach:
    """Collects what is drawn; `box()` is around all of it."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.low, self.high = np.full(dim, np.inf), np.full(dim, -np.inf)

    def points(self, points: FloatArray) -> None:
        """Points of the world, (…, 2 or 3)."""
        flat = np.reshape(points, (-1, np.shape(points)[-1]))[:, : self.dim]
        if flat.size:
            flat = np.pad(flat, ((0, 0), (0, self.dim - flat.shape[1])))
            self.low, self.high = np.minimum(self.low, flat.min(axis=0)), np.maximum(self.high, flat.max(axis=0))

    def body(self, history: FloatArray, points: FloatArray) -> None:
        """Points (n, 3) of a body along its poses."""
        if len(points) > MANY:
            points = box_corners(points)
        R = turns(history, self.dim)
        for k in range(self.dim):
            along = R[:, k, :] @ points.T  # (frames, n)
            self.low[k] = min(self.low[k], float((history[:, k] + along.min(axis=1)).min()))
            self.high[k] = max(self.high[k], float((history[:, k] + along.max(axis=1)).max()))

    def box(self, least: float = 0.0) -> tuple[FloatArray, FloatArray]:
        """Corners with a margin of some per cent, in three dimensions; `least` is the size where
        everything is one point."""
        low, high = np.zeros((2, 3))
        if np.isfinite(self.low).all():
            low[: self.dim], high[: self.dim] = self.low, self.high
        size = float(np.linalg.norm(high - low))
        pad = 0.03 * size if size > 1e-12 * float(np.abs([low, high]).max()) else least or 1.0
        return low - pad, high + pad


def box_corners(points: FloatArray) -> FloatArray:
    """The corners of the box around points in space, (8, 3)."""
    ends = zip(points.min(axis=0), points.max(axis=0), strict=True)
    return np.array(np.meshgrid(*ends)).reshape(3, 8).T


def turns(history: FloatArray, dim: int) -> FloatArray:
    """Matrices body → world of poses (x, y, θ) or (x, y, z, e₀ … e₃)."""
    if dim == 3:
        return matrix(history[:, 3:])
    R = np.zeros((len(history), 3, 3))
    c, s = np.cos(history[:, 2]), np.sin(history[:, 2])
    R[:, 0, 0], R[:, 0, 1], R[:, 1, 0], R[:, 1, 1], R[:, 2, 2] = c, -s, s, c, 1.0
    return R


def way(history: FloatArray, p: FloatArray, dim: int) -> FloatArray:
    """The way of a point of a body along its poses."""
    return np.asarray(history[:, :dim] + (turns(history, dim) @ p)[:, :dim])

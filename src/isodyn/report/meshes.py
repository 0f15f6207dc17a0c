"""Surfaces and outlines to draw: triangles with normals at their corners in space, polygons in the
plane.

A corner's normal is the mean of the normals of the faces that meet there within 40°, weighted by
area: round shapes look round and edges stay edges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isodyn.bodies.rotations import matrix
from isodyn.bodies.shapes import Capsule, Composite, Placed, Solid
from isodyn.bodies.surfaces import Surface
from isodyn.joints.words import triad
from isodyn.kernels.compiled import FloatArray

CREASE = np.cos(np.radians(40.0))
AROUND = 16  # sides of round shapes


class Triangles(NamedTuple):
    """Corners of triangles one after the other, and the normals there; both (3 n, 3)."""

    points: FloatArray
    normals: FloatArray


def triangles(surface: Surface) -> Triangles:
    """Corners and their normals of a triangulated surface."""
    points, faces = surface
    corners = points[faces]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(area, axis=1, keepdims=True)
    unit = area / np.where(size > 0, size, 1.0)
    # every corner with all corners at the same point, whose faces share its normal where there is no crease
    at = faces.reshape(-1)
    order, count = np.argsort(at, kind="stable"), np.bincount(at, minlength=len(points))
    many = count[at]
    corner = np.repeat(np.arange(at.size), many)
    place = np.arange(corner.size) - np.repeat(np.cumsum(many) - many, many)
    face, other = corner // 3, order[(np.cumsum(count) - count)[at[corner]] + place] // 3
    smooth = np.einsum("ij,ij->i", unit[face], unit[other]) > CREASE
    normals = np.zeros((at.size, 3))
    np.add.at(normals, corner[smooth], area[other[smooth]])
    alone = np.bincount(corner[smooth], minlength=at.size) == 0
    normals[alone] = unit[np.flatnonzero(alone) // 3]
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return Triangles(corners.reshape(-1, 3), normals)


def joined(parts: list[Triangles]) -> Triangles:
    """Several as one."""
    if not parts:
        return Triangles(np.zeros((0, 3)), np.zeros((0, 3)))
    return Triangles(np.concatenate([p.points for p in parts]), np.concatenate([p.normals for p in parts]))


def moved(surface: Triangles, position: FloatArray, R: FloatArray) -> Triangles:
    """Turned by R, then moved."""
    return Triangles(position + surface.points @ R.T, surface.normals @ R.T)


def bar(start: FloatArray, end: FloatArray, radius: float) -> Triangles:
    """A round bar with round ends between two points."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length < 1e-9 * radius:
        along, length = np.array([0.0, 0.0, 1.0]), 1e-9 * radius
    round_bar = triangles(Capsule(radius, length, density=1.0).triangles(12))
    return moved(round_bar, 0.5 * (start + end), triad(along).T)


def of_shape(shape: Solid | Placed | Composite, centre: FloatArray) -> Triangles:
    """A shape of isodyn.bodies.shapes about the mass centre of its body."""
    surface = triangles(shape.triangles(AROUND))
    return Triangles(surface.points - centre, surface.normals)


# ---- in the plane


def outlines(shape: Solid | Placed | Composite, centre: FloatArray) -> list[FloatArray]:
    """Convex outlines of the parts of a shape, seen along z, about the mass centre of its body."""
    return [hull(points[:, :2] - centre[:2]) for points in _pieces(shape)]


def _pieces(shape: Solid | Placed | Composite) -> list[FloatArray]:
    if isinstance(shape, Composite):
        return [points for part in shape.parts for points in _pieces(part)]
    if isinstance(shape, Placed):
        R = matrix(shape.orientation)
        return [shape.position + points @ R.T for points in _pieces(shape.shape)]
    return [shape.triangles(32)[0]]


def hull(points: FloatArray) -> FloatArray:
    """Convex hull of points of the plane, counter-clockwise.

    >>> hull(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [1.0, 1.0]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]]
    """
    ordered = sorted(map(tuple, np.unique(np.round(points, 12), axis=0).tolist()))
    if len(ordered) < 3:
        return np.array(ordered)

    def half(sequence: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        kept: list[tuple[float, ...]] = []
        for p in sequence:
            while len(kept) > 1:
                a, b = kept[-2], kept[-1]
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0:
                    break
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))

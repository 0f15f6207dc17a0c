"""Triangulated surfaces of primitive shapes: vertices (n, 3) and faces (k, 3), closed, seen
counter-clockwise from outside."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isodyn.kernels.compiled import FloatArray, IntArray

Surface = tuple[FloatArray, IntArray]


def box_surface(size: FloatArray) -> Surface:
    """A box about the origin."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [f for a, b, c, d in sides for f in ((a, b, c), (a, c, d))]
    return corners, np.array(faces, dtype=np.int64)


def revolved(profile: npt.ArrayLike, n: int, ring: bool = False) -> Surface:
    """The surface that a profile (r, z) sweeps about the z axis in n steps.

    The profile runs upwards (from the lower end of the axis to the upper one), or around
    counter-clockwise when it is a `ring`.
    """
    angle = 2 * np.pi * np.arange(n) / n
    vertices: list[FloatArray] = []
    numbers: list[IntArray] = []
    count = 0
    for r, z in np.asarray(profile, dtype=np.float64):
        points = (
            np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(n, z)])
            if r > 0
            else np.array([[0.0, 0.0, z]])
        )
        vertices.append(points)
        numbers.append(count + np.arange(n) % len(points))
        count += len(points)
    faces = []
    pairs = list(zip(numbers, [*numbers[1:], numbers[0]], strict=True))
    for low, high in pairs if ring else pairs[:-1]:
        a, b, c, d = low, np.roll(low, -1), np.roll(high, -1), high
        for face in (np.column_stack([a, b, c]), np.column_stack([a, c, d])):
            different = (face[:, 0] != face[:, 1]) & (face[:, 1] != face[:, 2]) & (face[:, 2] != face[:, 0])
            faces.append(face[different])
    return np.concatenate(vertices), np.concatenate(faces).astype(np.int64)


def arc(radius: float, centre: float, start: float, end: float, n: int) -> FloatArray:
    """(r, z) on a circle about (0, centre), latitudes from start to end."""
    latitude = np.linspace(start, end, n + 1)
    r = radius * np.cos(latitude)
    r[np.abs(r) < 1e-14 * radius] = 0.0
    return np.column_stack([r, centre + radius * np.sin(latitude)])

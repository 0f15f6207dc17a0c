"""Volume, mass centre and second moments of a closed triangulated surface, exactly.

Every face (a, b, c) spans a tetrahedron with the origin, of signed volume det/6, det = a·(b × c):

    V = Σ det/6,     ∫ x = Σ det (a + b + c)/24,     ∫ x xᵀ = Σ det (s sᵀ + a aᵀ + b bᵀ + c cᵀ)/120,   s = a + b + c

What lies outside the body is counted once with each sign. That needs a surface that is closed and
seen counter-clockwise from outside: every edge belongs to two faces, which run along it in opposite
directions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.real_numbers import real_array


def checked_surface(vertices: ArrayLike, faces: object) -> tuple[FloatArray, IntArray]:
    """Vertices and faces as arrays, equal vertices joined; InputError for a surface that does not
    bound a body."""
    try:
        points, corners = real_array("vertices", vertices), np.asarray(faces)
        whole = corners.astype(np.int64)
    except (TypeError, ValueError):
        raise InputError(
            "a mesh needs vertices of shape (n, 3) and faces of shape (k, 3), received no such arrays"
        ) from None
    if points.ndim != 2 or points.shape[1] != 3 or whole.ndim != 2 or whole.shape[1] != 3 or len(whole) < 4:
        raise InputError(
            f"a mesh needs vertices of shape (n, 3) and at least four faces of shape (k, 3), received {points.shape} and {whole.shape}",
            hint="faces are triangles, three numbers of vertices each",
        )
    if not np.isfinite(points).all():
        raise InputError("a mesh has vertices that are not finite")
    if np.any(whole != corners) or whole.min() < 0 or whole.max() >= len(points):
        raise InputError(
            f"faces must hold numbers of vertices from 0 to {len(points) - 1}, received {corners.min()} to {corners.max()}"
        )
    points, joined = np.unique(points, axis=0, return_inverse=True)
    whole = joined.reshape(-1)[whole]
    twice = (whole == np.roll(whole, 1, axis=1)).any(axis=1)
    if twice.any():
        raise InputError(f"face {int(np.flatnonzero(twice)[0])} of the mesh has two corners in one place")
    _check_edges(whole, len(points))
    if moments(points, whole)[0] <= 0:
        raise InputError(
            "the faces of the mesh look inwards: its volume is negative", hint="reverse all faces: faces[:, ::-1]"
        )
    return points, whole


def _check_edges(faces: IntArray, n: int) -> None:
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    there, counts = np.unique(start * n + end, return_counts=True)
    back = np.isin(there, end * n + start)
    if not back.all():
        lone = int((~back).sum())
        if (counts > 1).any():
            raise InputError(
                f"neighbouring faces of the mesh disagree about their outer side at {int((counts > 1).sum())} edges",
                hint="corners of every face run counter-clockwise as seen from outside",
            )
        raise InputError(f"the mesh is not closed: {lone} edges belong to one face only", hint="fill the holes")
    if (counts > 1).any():
        raise InputError(f"{int((counts > 1).sum()) // 2} edges of the mesh belong to more than two faces")


def moments(vertices: FloatArray, faces: IntArray) -> tuple[float, FloatArray, FloatArray]:
    """Volume V, its centre, and the inertia about that centre of a body of density one."""
    middle = vertices.mean(axis=0)  # little is lost to cancellation from here
    a, b, c = (vertices[faces[:, i]] - middle for i in range(3))
    det = np.einsum("ki,ki->k", a, np.cross(b, c))
    s = a + b + c
    volume = float(det.sum()) / 6
    first = det @ s / 24
    second = sum(np.einsum("k,ki,kj->ij", det, x, x) for x in (s, a, b, c)) / 120
    second = second - np.outer(first, first) / volume if volume else second
    return volume, middle + (first / volume if volume else 0.0), np.trace(second) * np.eye(3) - second

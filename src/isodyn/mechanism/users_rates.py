"""Rows ψ(q, v, t) = 0 that users write: how they change with rates.

    G = ∂ψ/∂v      first differences        ψ̇ = G a + dψ/ds along t + s, q ⊕ s v, with v held
    ∂(Gᵀλ)/∂q, ∂(Gᵀλ)/∂v                    mixed second differences of λ·ψ; they steer Newton's method only

Forces −Gᵀλ do no work where ψ is linear in v and homogeneous [Shimada2014 (6.14)–(6.22) adapted].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.bodies.pose import Pose
from isodyn.joints.user import UserRows
from isodyn.kernels.compiled import FloatArray

MIXED = 3e-4  # step of mixed second differences


def size_of(rows: UserRows) -> FloatArray:
    """Typical sizes of displacements and rotations beside these rows."""
    assert rows.scale is not None
    return np.array([rows.scale] * 3 + [1.0] * 3)


def changed(rows: UserRows, pose: Pose, d: FloatArray) -> Pose:
    """A pose after the change that a gradient of these rows is taken along: moved, or with other
    rates."""
    return pose.moved(d) if rows.holonomic else pose.sped(d)


def curvatures_of_rates(
    rows: UserRows, t: float, poses: list[Pose], lam: FloatArray, kept: tuple[Any, ...], beat: float
) -> tuple[FloatArray, FloatArray]:
    """∂g/∂v and ∂g/∂q along the frames of the bodies of these rows, with forces g = λ ∂ψ/∂(ṙ,
    ω)."""
    index = [(k, int(i)) for k, some in enumerate(kept) for i in some]
    sizes = size_of(rows)

    def value(sped: tuple[int, float], other: tuple[int, float], moves: bool) -> float:
        now = list(poses)
        for (x, s), shift in ((other, moves), (sped, False)):
            k, i = index[x]
            d = np.zeros(6)
            d[i] = s
            now[k] = now[k].moved(d) if shift else now[k].sped(d)
        return float(lam @ rows.value(now, t, lam.size))

    found = np.zeros((2, len(index), len(index)))
    for moves in (False, True):
        for x, (_, i) in enumerate(index):
            for y, (_, j) in enumerate(index):
                hx, hy = MIXED * sizes[i] * beat, MIXED * sizes[j] * (1.0 if moves else beat)
                four = value((x, hx), (y, hy), moves) + value((x, -hx), (y, -hy), moves)
                four -= value((x, hx), (y, -hy), moves) + value((x, -hx), (y, hy), moves)
                found[int(moves), x, y] = four / (4.0 * hx * hy)
    return found[0], found[1]

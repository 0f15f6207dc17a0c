"""Rows ψ(q, v, t) = 0 that users write: how they change with rates.

    G = ∂ψ/∂v      first differences        ψ̇ = G a + dψ/ds along t + s, q ⊕ s v, with v held
    ∂(Gᵀλ)/∂q, ∂(Gᵀλ)/∂v                    mixed second differences of λ·ψ; they steer Newton's method only

Forces −Gᵀλ do no work where ψ is linear in v and homogeneous [Shimada2014 (6.14)–(6.22) adapted].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isodyn.bodies.body import Body
from isodyn.bodies.pose import Pose
from isodyn.errors import InputError
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


def refuse_rates_of_nodes(rows: Sequence[UserRows], bodies: Sequence[Body]) -> None:
    """InputError for rows ψ that speak of nodes of beams."""
    nodes = {body.name for body in bodies if body.of_beam}
    for part in rows:
        named = [name for name in part.bodies if name in nodes]
        if named and not part.holonomic:
            raise InputError(
                f"rows {part.name!r}: psi speaks of {named[0]!r}, a node of a beam; bodies are possible only"
            )


def curvatures_of_rates(
    rows: UserRows, t: float, poses: list[Pose], lam: FloatArray, kept: Any, beat: float
) -> tuple[FloatArray, FloatArray]:
    """∂(Gᵀλ)/∂v and ∂(Gᵀλ)/∂q over the velocities of the bodies of these rows."""
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

"""Typical sizes of a mechanism (isodyn.systems.scales): one length for positions, one for angles
and slopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from isodyn.bodies.body import NODES, Body
from isodyn.bodies.rotations import matrix
from isodyn.joints.measures import ANGLE, AXES, PLANAR_ANGLE, TANGENT_ANGLE, TWIST
from isodyn.kernels.compiled import FloatArray
from isodyn.systems.scales import Scales, power_of_two

if TYPE_CHECKING:
    from isodyn.mechanism.layout import MechanismLayout

# lengths among the coordinates of bodies, which come first
_LENGTHS = {"spatial": 3, "planar": 2, "particle": 3, "mode": 1}
ROUNDING = 1e-12  # of the distance from the origin
# measures that are angles, or cosines of them
WITHOUT_LENGTH = {AXES, ANGLE, PLANAR_ANGLE, TANGENT_ANGLE, TWIST}


def extent(layout: MechanismLayout) -> tuple[float, float]:
    """How far mass centres, the points of joints and force elements and the ends of flexible bodies
    lie apart, and how far from the origin."""
    bodies, number = layout.bodies, layout.number
    points = [body.position for body in bodies if not body.is_mode and body.kind != "state"]
    for word in layout.words:
        if any(
            number[name] < len(bodies) and bodies[number[name]].kind == "state" for name in (word.first, word.second)
        ):
            continue
        for name, arm in ((word.first, word.numbers.s_i), (word.second, word.numbers.s_j)):
            body = bodies[number[name]] if number[name] < len(bodies) else None
            points.append(arm if body is None else body.position + body.R @ arm)
    for part in layout.flexible:
        places, frame = part.reduced.elements.points, part.placement
        R = matrix(frame["orientation"])
        points += [frame["position"] + R @ corner for corner in (places.min(axis=0), places.max(axis=0))]
    return float(np.ptp(np.array(points), axis=0).max()), float(np.abs(np.array(points)).max(initial=0.0))


def typical_length(bodies: Sequence[Body], apart: float, far: float) -> float:
    """How large the model is: its extent (`extent`), or a radius of gyration.

    Where all of that is nothing (one particle), its distance from the origin; one where that is
    nothing, too.
    """
    gyration = [np.sqrt(np.abs(np.diag(np.atleast_2d(b.inertia))).max() / b.mass) for b in bodies if b.mass > 0.0]
    apart = apart if apart > ROUNDING * far else 0.0  # points that were meant to be one
    found = max(apart, float(max(gyration, default=0.0))) or far
    return float(power_of_two(found)) if np.isfinite(found) and found > 0.0 else 1.0


def typical_sizes(layout: MechanismLayout, q0: FloatArray) -> Scales:
    """Positions by the length of the model, orientations and slopes by one; rows by what they are
    sums of.

    What q0 holds behind the coordinates of the bodies is never compared.
    """
    L = typical_length(layout.bodies, *extent(layout))
    q: list[float] = []
    v: list[float] = []
    for body in layout.bodies[: len(layout.bodies) - len(layout.states)]:
        lengths = NODES[body.kind] if body.of_beam else _LENGTHS[body.kind]
        q += [L if i < lengths else 1.0 for i in range(body.q0.size)]
        v += [L if i < lengths else 1.0 for i in range(body.v0.size)]
    of_states = [float(power_of_two(state.typical)) for state in layout.states]
    q, v = q + of_states, v + of_states
    rows = [max(abs(w) * (1.0 if word.kind in WITHOUT_LENGTH else L) for w, word in row.terms) for row in layout.rows]
    sizes = np.full(q0.size, np.inf)
    sizes[: len(q)] = q
    return Scales(sizes, np.array(v), q0.copy(), np.asarray(power_of_two(np.array(rows, dtype=np.float64))))

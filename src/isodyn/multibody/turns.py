"""Angles of joints with their whole turns: coordinates of the state, behind those of the bodies in
q.

An angle has no velocity of its own; θ̇ = g·v, g the gradient of its measure. Poses tell it up to
whole turns, an increment d of the bodies tells how far it turned on the way:

    told(d) = c₃·d_j − a₃·d_i        rotation vectors in the bodies, along the axis of the joint
    q ⊕ d    θ₁ = w + 2π round((θ + told(d) − w)/2π),      w the angle within half a turn, from the poses after d

With an axis that keeps its direction told(d) is exact, over as many turns as you like. Where the
axis turns too, rotation vectors do not add: told(d) is off by about ½|d_i||d_j|, and θ₁ is right as
long as that is less than half a turn. What is seen of it is the distance of θ₁ from θ + told(d). Up
to TOLD it is taken: an angle that is wrong by a whole turn would need an error of 2π − TOLD, while
one of TOLD already means that bodies turned by more than a radian about different axes in one step.
Beyond, the answer is UNTOLD, and the step is repeated with smaller ones. Slopes of beams tell their
turn by the angle between the old and the new slope. A cross is carried by an axis in each body:
told(d) = a·(R_ij d_j − d_i), with R_ij at q.

Angles that no row, law or formula reads are only carried along by told(d) inside a step; SETTLE
brings them to the poses at its end.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.bodies.rotation_kernels import Vector, cross, dot, sum_of, triple, vector
from isodyn.joints.measures import (
    CROSS,
    R_I,
    R_J,
    TANGENT_ANGLE,
    TWO_PI,
    W_I,
    W_J,
    turn_gradient,
    within_half_a_turn,
)
from isodyn.kernels.compiled import OK, UNTOLD, F, FloatArray, f8, i8, kernel
from isodyn.kernels.lowering import natural
from isodyn.multibody.tables import NODE, PLANAR, SCRATCH, SPATIAL, TABLES, Scratch, Tables, TurnData

TOLD = 1.0  # rad: how far what an increment tells may be from what the poses say


@kernel()
def rotated(k: int, sign: float, x: Vector, q: FloatArray, tables: Tables) -> Vector:
    """R x (sign 1) or Rᵀ x (sign −1) of body k at q; the ground does not turn."""
    if k == tables.ground:
        return x
    kind, o = tables.bodies[k].kind, tables.bodies[k].first_q
    if kind == SPATIAL:
        e = (sign * q[o + 4], sign * q[o + 5], sign * q[o + 6])
        t = cross(e, x)
        return sum_of(sum_of(x, 2.0 * q[o + 3], t), 2.0, cross(e, t))
    if kind == PLANAR:
        c, s = np.cos(q[o + 2]), sign * np.sin(q[o + 2])
    elif kind == NODE:
        size = np.sqrt(q[o + 2] * q[o + 2] + q[o + 3] * q[o + 3])
        c, s = q[o + 2] / size, sign * q[o + 3] / size
    else:
        return x
    return c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]


@kernel()
def direction(k: int, q: FloatArray, tables: Tables) -> float:
    """Angle of a planar body or of a slope in the plane."""
    if k == tables.ground:
        return 0.0
    o = tables.bodies[k].first_q
    return q[o + 2] if tables.bodies[k].kind == PLANAR else np.arctan2(q[o + 3], q[o + 2])


@kernel()
def within(angle: TurnData, q: FloatArray, tables: Tables) -> float:
    """A counted angle at q, within half a turn."""
    i, j, word = angle.bodies[0], angle.bodies[1], angle.word
    if angle.kind == TANGENT_ANGLE:
        return within_half_a_turn(direction(j, q, tables) - direction(i, q, tables) - word.zero)
    y = rotated(i, -1.0, rotated(j, 1.0, triple(word.c1), q, tables), q, tables)
    return np.arctan2(dot(triple(word.a2), y), dot(triple(word.a1), y))


@kernel()
def told(k: int, axis: Vector, q: FloatArray, d: FloatArray, tables: Tables) -> float:
    """How far body k turns about an axis of its own by an increment d."""
    if k == tables.ground:
        return 0.0
    body = tables.bodies[k]
    kind, o, v = body.kind, body.first_q, body.first_v
    if kind == SPATIAL:
        x = vector(d, v + 3)
        turned = dot(axis, x)
        if tables.cayley == 1:
            half = 0.5 * np.sqrt(dot(x, x))
            turned *= np.arctan(half) / half if half > 1e-8 else 1.0
        return turned
    if kind == PLANAR:
        return axis[2] * d[v + 2]
    if kind == NODE:
        x, y, u, w = q[o + 2], q[o + 3], q[o + 2] + d[v + 2], q[o + 3] + d[v + 3]
        return axis[2] * np.arctan2(x * w - y * u, x * u + y * w)
    return 0.0


@kernel()
def told_by_cross(angle: TurnData, q: FloatArray, d: FloatArray, tables: Tables) -> float:
    """a·(R_ij d_j − d_i): how far a cross turns about an axis of the first body."""
    i, j, a = angle.bodies[0], angle.bodies[1], triple(angle.word.a)
    a_j = rotated(j, -1.0, rotated(i, 1.0, a, q, tables), q, tables)
    return told(j, a_j, q, d, tables) - told(i, a, q, d, tables)


@kernel(f8(i8, F, F, TABLES))
def told_turn(k: int, q: FloatArray, d: FloatArray, tables: Tables) -> float:
    """How far counted angle k turns by an increment d from q."""
    angle = tables.turns[k]
    if angle.kind == CROSS:
        return told_by_cross(angle, q, d, tables)
    a, c = angle.word.a, angle.word.c
    i, j, turned = angle.rotations[0], angle.rotations[1], 0.0
    if i > -2 and j > -2:  # the usual, in short
        if j >= 0:
            turned += c[0] * d[natural(j)] + c[1] * d[natural(j) + 1] + c[2] * d[natural(j) + 2]
        if i >= 0:
            turned -= a[0] * d[natural(i)] + a[1] * d[natural(i) + 1] + a[2] * d[natural(i) + 2]
        return turned
    along_i, along_j = (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)
    if angle.kind != TANGENT_ANGLE:
        along_i, along_j = triple(a), triple(c)
    return told(angle.bodies[1], along_j, q, d, tables) - told(angle.bodies[0], along_i, q, d, tables)


@kernel()
def nearest_turn(angle: TurnData, expected: float, q: FloatArray, tables: Tables) -> float:
    """A counted angle at q, with the whole turns that bring it nearest to what is expected."""
    w = within(angle, q, tables)
    return w + TWO_PI * np.round((expected - w) / TWO_PI)


@kernel(i8(F, F, TABLES, F), inner=True, apart=True)
def count_turns(q: FloatArray, d: FloatArray, tables: Tables, out: FloatArray) -> int:
    """Counted angles after an increment d from q into out, which holds the bodies already; UNTOLD
    where one turned too far."""
    status = OK
    for k in range(len(tables.turns)):
        angle = tables.turns[k]
        place = natural(angle.place)
        expected = q[place] + told_turn(k, q, d, tables)
        if angle.is_read == 1:
            seen = nearest_turn(angle, expected, out, tables)
            if abs(seen - expected) > TOLD:
                status = UNTOLD
            expected = seen
        out[place] = expected
    return status


@kernel(i8(TABLES, F), inner=True, apart=True)
def settle_turns(tables: Tables, out: FloatArray) -> int:
    """Bring the angles that nothing reads to the poses; UNTOLD where one turned too far."""
    status = OK
    for k in range(len(tables.turns)):
        angle = tables.turns[k]
        if angle.is_read == 0:
            seen = nearest_turn(angle, out[angle.place], out, tables)
            if abs(seen - out[angle.place]) > TOLD:
                status = UNTOLD
            out[angle.place] = seen
    return status


@kernel()
def read_turns(q: FloatArray, tables: Tables, scratch: Scratch) -> None:
    """Counted angles for the measures that read them."""
    for r in range(len(tables.readers)):
        reader = tables.readers[r]
        scratch.counted[reader.measure] = q[reader.place]


@kernel(types.void(TABLES, SCRATCH, F), inner=True, apart=True)
def rates_of_turns(tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """θ̇ = g·v of the counted angles, for bodies in their places."""
    g = scratch.measure.gradient
    for k in range(len(tables.turns)):
        angle = tables.turns[k]
        p, q = scratch.poses[angle.bodies[0]], scratch.poses[angle.bodies[1]]
        turn_gradient(angle.kind, p, q, angle.word, g)
        rate = 0.0
        for i in range(3):
            rate += g[R_I + i] * p.v[i] + g[R_J + i] * q.v[i]
        for i in range(3):
            rate += g[W_I + i] * p.w[i] + g[W_J + i] * q.w[i]
        out[angle.place] = rate

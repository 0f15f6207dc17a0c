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
turn by the angle between the old and the new slope.

Angles that no row, law or formula reads are only carried along by told(d) inside a step; SETTLE
brings them to the poses at its end.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.bodies.rotation_kernels import Vector, cross, dot, sum_of, vector
from isodyn.joints.measures import (
    A1_I,
    A2_I,
    A_I,
    C1_J,
    C_J,
    COUNTED,
    GRADIENT,
    PARAMETERS,
    POSE,
    RADIUS,
    TANGENT_ANGLE,
    TURN,
    TWO_PI,
    V_,
    measure,
    within_half_a_turn,
)
from isodyn.kernels.compiled import OK, UNTOLD, F, FloatArray, I, IntArray, f8, i8, kernel
from isodyn.kernels.lowering import natural
from isodyn.parts.layout import (
    BODIES,
    BODY,
    CAYLEY,
    F_MEASURE,
    F_POSE,
    F_TURN,
    F_WORK,
    FIRST_Q,
    FIRST_V,
    I_BODY,
    I_READER,
    I_TURN,
    IS_READ,
    KIND,
    NODE,
    PLANAR,
    READER,
    READERS,
    SPATIAL,
    TURN_I,
    TURN_J,
    TURN_SIZE,
    TURNS,
)

TOLD = 1.0  # rad: how far what an increment tells may be from what the poses say


@kernel()
def rotated(body: int, sign: float, x: Vector, q: FloatArray, pi: IntArray) -> Vector:
    """R x (sign 1) or Rᵀ x (sign −1) of a body at q; the ground does not turn."""
    if body == pi[BODIES]:
        return x
    b = pi[I_BODY] + BODY * body
    kind, o = pi[b + KIND], pi[b + FIRST_Q]
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
def direction(body: int, q: FloatArray, pi: IntArray) -> float:
    """Angle of a planar body or of a slope in the plane."""
    if body == pi[BODIES]:
        return 0.0
    b = pi[I_BODY] + BODY * body
    o = pi[b + FIRST_Q]
    return q[o + 2] if pi[b + KIND] == PLANAR else np.arctan2(q[o + 3], q[o + 2])


@kernel()
def within(k: int, q: FloatArray, pf: FloatArray, pi: IntArray) -> float:
    """Counted angle k at q, within half a turn."""
    n, p = pi[I_TURN] + TURN_SIZE * k, pi[F_TURN] + PARAMETERS * k
    if pi[n] == TANGENT_ANGLE:
        return within_half_a_turn(direction(pi[n + 2], q, pi) - direction(pi[n + 1], q, pi) - pf[p + RADIUS])
    y = rotated(pi[n + 1], -1.0, rotated(pi[n + 2], 1.0, vector(pf, p + C1_J), q, pi), q, pi)
    return np.arctan2(dot(vector(pf, p + A2_I), y), dot(vector(pf, p + A1_I), y))


@kernel()
def told(body: int, axis: Vector, q: FloatArray, d: FloatArray, pi: IntArray) -> float:
    """How far a body turns about an axis of its own by an increment d."""
    if body == pi[BODIES]:
        return 0.0
    b = pi[I_BODY] + BODY * body
    kind, o, v = pi[b + KIND], pi[b + FIRST_Q], pi[b + FIRST_V]
    if kind == SPATIAL:
        x = vector(d, v + 3)
        turned = dot(axis, x)
        if pi[CAYLEY] == 1:
            half = 0.5 * np.sqrt(dot(x, x))
            turned *= np.arctan(half) / half if half > 1e-8 else 1.0
        return turned
    if kind == PLANAR:
        return axis[2] * d[v + 2]
    if kind == NODE:
        x, y, u, w = q[o + 2], q[o + 3], q[o + 2] + d[v + 2], q[o + 3] + d[v + 3]
        return axis[2] * np.arctan2(x * w - y * u, x * u + y * w)
    return 0.0


@kernel(f8(i8, F, F, F, I))
def told_turn(k: int, q: FloatArray, d: FloatArray, pf: FloatArray, pi: IntArray) -> float:
    """How far counted angle k turns by an increment d from q."""
    n, p = natural(pi[I_TURN] + TURN_SIZE * k), natural(pi[F_TURN] + PARAMETERS * k)
    i, j, turned = pi[n + TURN_I], pi[n + TURN_J], 0.0
    if i > -2 and j > -2:  # the usual, in short
        if j >= 0:
            turned += (
                pf[p + C_J] * d[natural(j)] + pf[p + C_J + 1] * d[natural(j) + 1] + pf[p + C_J + 2] * d[natural(j) + 2]
            )
        if i >= 0:
            turned -= (
                pf[p + A_I] * d[natural(i)] + pf[p + A_I + 1] * d[natural(i) + 1] + pf[p + A_I + 2] * d[natural(i) + 2]
            )
        return turned
    a, c = (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)
    if pi[n] != TANGENT_ANGLE:
        a, c = vector(pf, p + A_I), vector(pf, p + C_J)
    return told(pi[n + 2], c, q, d, pi) - told(pi[n + 1], a, q, d, pi)


@kernel()
def nearest_turn(k: int, expected: float, q: FloatArray, pf: FloatArray, pi: IntArray) -> float:
    """Counted angle k at q, with the whole turns that bring it nearest to what is expected."""
    w = within(k, q, pf, pi)
    return w + TWO_PI * np.round((expected - w) / TWO_PI)


@kernel(i8(F, F, F, I, F), inner=True, apart=True)
def count_turns(q: FloatArray, d: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> int:
    """Counted angles after an increment d from q into out, which holds the bodies already; UNTOLD
    where one turned too far."""
    status = OK
    for k in range(pi[TURNS]):
        n = natural(pi[I_TURN] + TURN_SIZE * k)
        expected = q[natural(pi[n + 3])] + told_turn(k, q, d, pf, pi)
        if pi[n + IS_READ] == 1:
            angle = nearest_turn(k, expected, out, pf, pi)
            if abs(angle - expected) > TOLD:
                status = UNTOLD
            expected = angle
        out[natural(pi[n + 3])] = expected
    return status


@kernel(i8(F, I, F), inner=True, apart=True)
def settle_turns(pf: FloatArray, pi: IntArray, out: FloatArray) -> int:
    """Bring the angles that nothing reads to the poses; UNTOLD where one turned too far."""
    status = OK
    for k in range(pi[TURNS]):
        n = pi[I_TURN] + TURN_SIZE * k
        if pi[n + IS_READ] == 0:
            angle = nearest_turn(k, out[pi[n + 3]], out, pf, pi)
            if abs(angle - out[pi[n + 3]]) > TOLD:
                status = UNTOLD
            out[pi[n + 3]] = angle
    return status


@kernel()
def read_turns(q: FloatArray, pf: FloatArray, pi: IntArray) -> None:
    """Counted angles into the numbers of the measures that read them."""
    for r in range(pi[READERS]):
        o = pi[I_READER] + READER * r
        pf[pi[F_MEASURE] + PARAMETERS * pi[o] + COUNTED] = q[pi[pi[I_TURN] + TURN_SIZE * pi[o + 1] + 3]]


@kernel(types.void(F, I, F), inner=True, apart=True)
def rates_of_turns(pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """θ̇ = g·v of the counted angles, for bodies in their places."""
    g = pi[F_WORK] + GRADIENT
    for k in range(pi[TURNS]):
        n = pi[I_TURN] + TURN_SIZE * k
        p, q = pi[F_POSE] + POSE * pi[n + 1], pi[F_POSE] + POSE * pi[n + 2]
        measure(pi[n], pf, p, q, pi[F_TURN] + PARAMETERS * k, g)
        rate = 0.0
        for i in range(TURN - V_):
            rate += pf[g + i] * pf[p + V_ + i] + pf[g + 6 + i] * pf[q + V_ + i]
        out[pi[n + 3]] = rate

"""Bodies of a mechanism: poses, inertia, weight, increments and rates of their coordinates.

    m r̈ = m g + …,    𝔍 ω̇ + ω × 𝔍ω = …         about the mass centre, rotations in the body's own frame [Shimada2014 (7.55)]

A planar body has (x, y, θ) of (r, ω), a particle has r. A state of first order is one velocity
whose rate is given by a law: no mass, no weight. Nodes of beams: isodyn.multibody.nodes.
"""

from __future__ import annotations

import numpy as np

from isodyn.bodies.rotation_kernels import cross, matrix_of, put, rate_of, rotate, triple, turn, turn_by_cayley, vector
from isodyn.joints.measures import Pose
from isodyn.joints.second_order import unit_column
from isodyn.kernels.compiled import FloatArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.multibody.nodes import place_node
from isodyn.multibody.tables import NODE, PARTICLE, PLANAR, SPATIAL, STATE, UNHELD, Scratch, Tables


@kernel()
def place_bodies(q: FloatArray, v: FloatArray, tables: Tables, scratch: Scratch) -> None:
    """Poses and velocities of all bodies; the ground lies behind them and does not move."""
    for k in range(tables.ground):
        body, pose = tables.bodies[k], scratch.poses[k]
        kind, first_q, first_v = body.kind, natural(body.first_q), natural(body.first_v)
        if kind >= NODE:
            if kind != UNHELD:
                place_node(kind, q, v, first_q, pose)
        elif kind == PLANAR:
            place_planar(q, v, first_q, first_v, pose)
        elif kind == STATE:
            pose.position[0], pose.v[0] = q[first_q], v[first_v]
        else:
            put(pose.position, 0, vector(q, first_q))
            put(pose.v, 0, vector(v, first_v))
            if kind != PARTICLE:
                matrix_of(q, first_q + 3, pose.R)
                put(pose.w, 0, vector(v, first_v + 3))


@kernel()
def place_planar(q: FloatArray, v: FloatArray, first_q: int, first_v: int, pose: Pose) -> None:
    """The pose of a planar body."""
    pose.position[0], pose.position[1] = q[first_q], q[first_q + 1]
    # the last question may have been about the same state, or the one before it: a step asks about
    # its balance and its end by turns
    angle = q[first_q + 2]
    if angle != pose.angle:
        s, c = pose.sine, pose.cosine
        if angle != pose.angle_before or (s == 0.0 and c == 0.0):
            s, c = np.sin(angle), np.cos(angle)
        pose.angle_before, pose.sine, pose.cosine = pose.angle, pose.R[1, 0], pose.R[0, 0]
        pose.angle = angle
        pose.R[0, 0], pose.R[0, 1], pose.R[1, 0], pose.R[1, 1] = c, -s, s, c
    pose.v[0], pose.v[1], pose.w[2] = v[first_v], v[first_v + 1], v[first_v + 2]


@kernel()
def inertia_forces(a: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out = M a + gyroscopic torques − weights, of bodies."""
    gravity, factor = tables.gravity, tables.load_factor
    for k in range(tables.ground):
        body = tables.bodies[k]
        kind, first, mass = body.kind, natural(body.first_v), body.mass
        if kind >= NODE:
            continue
        if kind == PLANAR:
            out[first] = mass * (a[first] - factor * gravity[0])
            out[first + 1] = mass * (a[first + 1] - factor * gravity[1])
            out[first + 2] = body.inertia[2, 2] * a[first + 2]
            continue
        if kind == STATE:
            out[first] = a[first]
            continue
        for i in range(3):
            out[first + i] = mass * (a[first + i] - factor * gravity[i])
        if kind != PARTICLE:
            w = triple(scratch.poses[k].w)
            x, y = rotate(body.inertia, vector(a, first + 3)), cross(w, rotate(body.inertia, w))
            for i in range(3):
                out[first + 3 + i] = x[i] + y[i]


@kernel()
def inertia_tangents(c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out += c₀ M + c₁ ∂(ω × 𝔍ω)/∂ω."""
    for k in range(tables.ground):
        body = tables.bodies[k]
        kind, block, stride = body.kind, body.block, body.stride
        if kind >= NODE:
            continue
        if kind == STATE:
            out[block] += c[0]
            continue
        for i in range(2 if kind == PLANAR else 3):
            out[block + i * stride + i] += c[0] * body.mass
        if kind == PLANAR:
            out[block + 2 * stride + 2] += c[0] * body.inertia[2, 2]
        elif kind != PARTICLE:
            w, inertia = triple(scratch.poses[k].w), body.inertia
            Jw = rotate(inertia, w)
            for j in range(3):
                x = (inertia[0, j], inertia[1, j], inertia[2, j])
                y, z = cross(w, x), unit_column(Jw, j)  # columns of ω~𝔍 and (𝔍ω)~
                for i in range(3):
                    out[block + (3 + i) * stride + 3 + j] += c[0] * x[i] + c[1] * (y[i] - z[i])


@kernel()
def move_bodies(q: FloatArray, d: FloatArray, tables: Tables, out: FloatArray) -> None:
    """out = q ⊕ d."""
    for k in range(tables.ground):
        body = tables.bodies[k]
        kind, first_q, first_v = body.kind, natural(body.first_q), natural(body.first_v)
        for i in range(3 if kind < STATE else body.freedom):
            out[first_q + i] = q[first_q + i] + d[first_v + i]
        if kind == SPATIAL:
            if tables.cayley == 1:
                turn_by_cayley(q, first_q + 3, d, first_v + 3, out)
            else:
                turn(q, first_q + 3, d, first_v + 3, out)


@kernel()
def rates_of_bodies(q: FloatArray, v: FloatArray, tables: Tables, out: FloatArray) -> None:
    """out = q̇; of quaternions ė = e ∘ (0, ω)/2."""
    for k in range(tables.ground):
        body = tables.bodies[k]
        kind, first_q, first_v = body.kind, body.first_q, body.first_v
        for i in range(3 if kind < STATE else body.freedom):
            out[first_q + i] = v[first_v + i]
        if kind == SPATIAL:
            rate_of(q, first_q + 3, vector(v, first_v + 3), out)

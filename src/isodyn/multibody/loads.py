"""Forces, torques and drag on single bodies, with their tangents column by column of (r, ϖ)."""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.bodies.rotation_kernels import Vector, cross, dot, put, rotate, rotate_back, sum_of, triple
from isodyn.expressions.time_kernels import at_time
from isodyn.joints.measures import R_I, W_I, Pose
from isodyn.joints.second_order import axis_column
from isodyn.kernels.compiled import F, FloatArray, f8, kernel
from isodyn.loads.laws import BODY_TORQUE, DRAG, FOLLOWER, FORCE, TORQUE
from isodyn.multibody.nodes import add_curvature
from isodyn.multibody.places import add_matrix, add_to_body
from isodyn.multibody.tables import NODE, SCRATCH, TABLES, LoadData, Scratch, Tables


@kernel()
def force_and_torque(load: LoadData, pose: Pose) -> tuple[Vector, Vector]:
    """Force in the world and torque in the body."""
    x, s = triple(load.vector), triple(load.point)
    if load.kind == FORCE:
        return x, cross(s, rotate_back(pose.R, x))
    if load.kind == FOLLOWER:
        return rotate(pose.R, x), cross(s, x)
    if load.kind == TORQUE:
        return (0.0, 0.0, 0.0), rotate_back(pose.R, x)
    if load.kind == BODY_TORQUE:
        return (0.0, 0.0, 0.0), x
    u = velocity_of_point(load, pose)
    f = -load.coefficient * np.sqrt(dot(u, u))
    force = (f * u[0], f * u[1], f * u[2])
    return force, cross(s, rotate_back(pose.R, force))


@kernel()
def velocity_of_point(load: LoadData, pose: Pose) -> Vector:
    """Velocity of the load's point of a body less that of the medium."""
    u = rotate(pose.R, cross(triple(pose.w), triple(load.point)))
    return sum_of(sum_of(u, 1.0, triple(pose.v)), -1.0, triple(load.vector))


@kernel()
def scale_of_load(load: LoadData, t: float, tables: Tables, scratch: Scratch) -> float:
    """Its function of time, and the factor of all loads."""
    scale = at_time(load.time, t, tables.time, scratch.formulas)[0] if load.time >= 0 else 1.0
    return tables.load_factor * scale


@kernel(types.void(f8, TABLES, SCRATCH, F), inner=True, apart=True)
def add_loads(t: float, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out −= forces and torques on single bodies."""
    g = scratch.measure.gradient
    for k in range(len(tables.loads)):
        load = tables.loads[k]
        force, torque = force_and_torque(load, scratch.poses[load.body])
        put(g, R_I, force)
        put(g, W_I, torque)
        add_to_body(load.body, g, 0, -scale_of_load(load, t, tables, scratch), tables, scratch, out)


@kernel(types.void(f8, F, TABLES, SCRATCH, F), inner=True, apart=True)
def add_load_tangents(t: float, c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """J −= c₁ ∂Q/∂v + c₂ ∂Q/∂q of forces and torques on single bodies."""
    g = scratch.measure.gradient
    for k in range(len(tables.loads)):
        load = tables.loads[k]
        body, pose, scale = tables.bodies[load.body], scratch.poses[load.body], scale_of_load(load, t, tables, scratch)
        if body.kind >= NODE:
            add_tangent_on_node(load, scale, c, tables, scratch, out)
            continue
        for j in range(6):
            column = body.columns[j]
            if column < 0 or (j < 3 and load.kind != DRAG):
                continue
            load_column(load, pose, j, c, g)
            for i in range(6):
                row = body.columns[i]
                if row >= 0:
                    out[body.block + row * body.stride + column] -= scale * g[i]


@kernel()
def add_tangent_on_node(
    load: LoadData, scale: float, c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """The same of a load on a node of a beam."""
    body, pose = tables.bodies[load.body], scratch.poses[load.body]
    g, K = scratch.measure.gradient, scratch.measure.K
    for j in range(6):
        load_column(load, pose, j, c, g)
        for i in range(6):
            K[i, j] = g[i] if j >= 3 or load.kind == DRAG else 0.0
    add_matrix(load.body, load.body, body.block, K, 0, 0, -scale, tables, scratch, out)
    add_curvature(body, pose, force_and_torque(load, pose)[1], -c[2] * scale, out)


@kernel()
def load_column(load: LoadData, pose: Pose, j: int, c: FloatArray, g: FloatArray) -> None:
    """c₁ ∂Q/∂v_j + c₂ ∂Q/∂q_j of one load, into the first six of g."""
    R, s, x, e = pose.R, triple(load.point), triple(load.vector), axis_column(j % 3)
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if load.kind == DRAG:
        drag_column(load, pose, j, c, g)
        return
    if load.kind == FORCE:
        torque = cross(s, cross(rotate_back(R, x), e))
    elif load.kind == TORQUE:
        torque = cross(rotate_back(R, x), e)
    elif load.kind == FOLLOWER:
        force = rotate(R, cross(e, x))
    put(g, R_I, (c[2] * force[0], c[2] * force[1], c[2] * force[2]))
    put(g, W_I, (c[2] * torque[0], c[2] * torque[1], c[2] * torque[2]))


@kernel()
def drag_column(load: LoadData, pose: Pose, j: int, c: FloatArray, g: FloatArray) -> None:
    """The same of drag."""
    R, s, e = pose.R, triple(load.point), axis_column(j % 3)
    u = velocity_of_point(load, pose)
    speed = np.sqrt(dot(u, u))
    # of the point's velocity with v_j, and with q_j
    change = e if j < 3 else rotate(R, cross(e, s))
    change = (c[1] * change[0], c[1] * change[1], c[1] * change[2])
    if j >= 3:
        change = sum_of(change, c[2], rotate(R, cross(e, cross(triple(pose.w), s))))
    slope = dot(u, change) / speed if speed > 0.0 else 0.0
    f = -load.coefficient
    force = sum_of((f * speed * change[0], f * speed * change[1], f * speed * change[2]), f * slope, u)
    turned = rotate_back(R, force)
    if j >= 3:
        turned = sum_of(turned, c[2] * f * speed, cross(rotate_back(R, u), e))
    put(g, R_I, force)
    put(g, W_I, cross(s, turned))

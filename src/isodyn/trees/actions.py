"""What acts on a tree besides inertia and weight.

Laws along the coordinates of its joints add their force f(x, ẋ, t) there. Everything else acts on
bodies by their poses, with the kernels of isodyn.multibody, and is handed inward like inertia
forces. The tangents of the latter are central differences of the whole recursion, one pair for
every coordinate and one for every rate.
"""

from __future__ import annotations

from numba import types

from isodyn.bodies.rotation_kernels import put, rotate, rotate_back, triple, turn, vector
from isodyn.kernels.compiled import F, FloatArray, f8, kernel
from isodyn.kernels.lowering import natural
from isodyn.kernels.struct_types import address_of, opened
from isodyn.multibody.laws import add_laws, force_of_law
from isodyn.multibody.loads import add_loads
from isodyn.multibody.tables import Scratch, Tables
from isodyn.trees.planar import collect_flat, move_flat, place_flat
from isodyn.trees.spatial import collect_deep, move_deep, place_deep
from isodyn.trees.tables import BALL, TREE, WORK, TreeScratch, TreeTables

STEP = 1e-6  # of typical sizes: increments of central differences


@kernel(types.void(f8, F, F, TREE, WORK, F), inner=True, apart=True)
def add_efforts(
    t: float, q: FloatArray, v: FloatArray, tables: TreeTables, scratch: TreeScratch, out: FloatArray
) -> None:
    """out += f of the laws along coordinates of joints."""
    given, work = opened(Tables, address_of(tables.laws)), opened(Scratch, address_of(scratch.laws))
    for k in range(len(tables.actuators)):
        one = tables.actuators[k]
        x, rate = q[natural(one.place_q)], v[natural(one.place_v)]
        out[natural(one.place_v)] += force_of_law(given.laws[natural(one.law)], t, x, rate, v, given, work)[0]


@kernel(types.void(f8, F, F, F, TREE, WORK, F), inner=True, apart=True)
def add_effort_tangents(
    t: float, q: FloatArray, v: FloatArray, c: FloatArray, tables: TreeTables, scratch: TreeScratch, out: FloatArray
) -> None:
    """J += c₁ f_ẋ + c₂ f_x of the same."""
    given, work = opened(Tables, address_of(tables.laws)), opened(Scratch, address_of(scratch.laws))
    for k in range(len(tables.actuators)):
        one = tables.actuators[k]
        i = natural(one.place_v)
        _, f_x, f_rate = force_of_law(given.laws[natural(one.law)], t, q[natural(one.place_q)], v[i], v, given, work)
        out[i * v.size + i] += c[1] * f_rate + c[2] * f_x


@kernel()
def show_bodies(tables: TreeTables, scratch: TreeScratch, given: Tables, work: Scratch) -> None:
    """Poses and velocities of bodies, as the kernels of mechanisms read them."""
    rates = scratch.body_rates
    for k in range(len(tables.nodes)):
        node = tables.nodes[k]
        if node.body < 0:
            continue
        pose, i = work.poses[natural(node.body)], natural(given.bodies[natural(node.body)].first_v)
        if k < tables.planar:
            flat = scratch.flat[natural(k)]
            pose.position[0], pose.position[1], pose.angle = flat.x, flat.y, flat.angle
            pose.R[0, 0], pose.R[0, 1], pose.R[1, 0], pose.R[1, 1] = flat.cosine, -flat.sine, flat.sine, flat.cosine
            pose.v[0], pose.v[1], pose.w[2] = flat.v_x, flat.v_y, flat.w
            rates[i], rates[i + 1], rates[i + 2] = flat.v_x, flat.v_y, flat.w
            continue
        deep = scratch.deep[natural(k - tables.planar)]
        put(pose.position, 0, triple(deep.r))
        put(pose.v, 0, triple(deep.v))
        put(pose.w, 0, rotate_back(deep.R, triple(deep.w)))
        put(rates, i, triple(deep.v))
        if given.bodies[natural(node.body)].freedom == 6:
            put(rates, i + 3, triple(pose.w))
        for row in range(3):
            for j in range(3):
                pose.R[row, j] = deep.R[row, j]


@kernel(types.void(f8, TREE, WORK), inner=True, apart=True)
def add_body_forces(t: float, tables: TreeTables, scratch: TreeScratch) -> None:
    """Forces and torques on bodies, less those of loads, for poses and velocities in place."""
    given, work = opened(Tables, address_of(tables.loads)), opened(Scratch, address_of(scratch.loads))
    r, rates = scratch.body_forces, scratch.body_rates
    show_bodies(tables, scratch, given, work)
    for i in range(r.size):
        r[i] = 0.0
    if len(given.laws) > 0:
        add_laws(t, rates, rates, False, given, work, r)
    if len(given.loads) > 0:
        add_loads(t, given, work, r)
    for k in range(len(tables.nodes)):
        node = tables.nodes[k]
        if node.body < 0:
            continue
        i = natural(given.bodies[natural(node.body)].first_v)
        if k < tables.planar:
            flat = scratch.flat[natural(k)]
            flat.f_x += r[i]
            flat.f_y += r[i + 1]
            flat.torque += r[i + 2]
            continue
        deep = scratch.deep[natural(k - tables.planar)]
        for j in range(3):
            deep.f[j] += r[i + j]
        if given.bodies[natural(node.body)].freedom == 6:
            torque = rotate(deep.R, vector(r, i + 3))
            for j in range(3):
                deep.torque[j] += torque[j]


@kernel()
def load_forces(
    t: float, q: FloatArray, v: FloatArray, tables: TreeTables, scratch: TreeScratch, out: FloatArray
) -> None:
    """out = what loads on bodies do along the coordinates of joints, less."""
    place_flat(q, tables, scratch)
    move_flat(v, tables, scratch)
    place_deep(q, tables, scratch)
    move_deep(v, tables, scratch)
    for k in range(len(scratch.flat)):
        flat = scratch.flat[k]
        flat.f_x, flat.f_y, flat.torque = 0.0, 0.0, 0.0
    for k in range(len(scratch.deep)):
        for j in range(3):
            scratch.deep[k].f[j], scratch.deep[k].torque[j] = 0.0, 0.0
    add_body_forces(t, tables, scratch)
    collect_flat(tables, scratch, out)
    collect_deep(tables, scratch, out)


@kernel()
def step_along(q: FloatArray, i: int, d: FloatArray, tables: TreeTables, out: FloatArray) -> None:
    """out = q ⊕ d, d being along the velocity i."""
    for k in range(q.size):
        out[k] = q[k]
    for k in range(len(tables.nodes)):
        node = tables.nodes[k]
        if node.first_v <= i < node.first_v + node.freedom:
            if node.kind == BALL:
                turn(q, natural(node.first_q), d, natural(node.first_v), out)
            else:
                out[natural(node.first_q)] += d[natural(i)]


@kernel(types.void(f8, F, F, F, TREE, WORK, F), inner=True, apart=True)
def add_load_slopes(
    t: float, q: FloatArray, v: FloatArray, c: FloatArray, tables: TreeTables, scratch: TreeScratch, out: FloatArray
) -> None:
    """J += c₁ ∂/∂v + c₂ ∂/∂q of the loads on bodies, from central differences."""
    n, fast = natural(v.size), 0.0
    for i in range(n):
        fast = max(fast, abs(v[i]) / tables.typical[i])
    for i in range(n):
        for level in range(1, 3):
            h = STEP * tables.typical[i] * (max(1.0, fast) if level == 1 else 1.0)
            if c[level] == 0.0:
                continue
            for k in range(n):
                scratch.v[k] = v[k] if level == 1 else 0.0
            for side in range(2):
                sign, answer = (1.0, scratch.plus) if side == 0 else (-1.0, scratch.minus)
                scratch.v[i] = (v[i] if level == 1 else 0.0) + sign * h
                if level == 1:
                    load_forces(t, q, scratch.v, tables, scratch, answer)
                else:
                    step_along(q, i, scratch.v, tables, scratch.q)
                    load_forces(t, scratch.q, v, tables, scratch, answer)
            for k in range(n):
                out[k * n + i] += c[level] * (scratch.plus[k] - scratch.minus[k]) / (2.0 * h)

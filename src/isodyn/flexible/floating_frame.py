"""Forces of one flexible body, in a frame that moves with its first interface.

A point of the body is at r₀ + R₀ y, y = Ŝ p̂ (isodyn.flexible.tables). Its acceleration, in axes of
the frame and with A₀ = R₀ᵀ(r̈₀ − g), W = ω~, L = ω̇~ + ω~², is

    A₀ + L y + 2 W ẏ + ÿ

so that with the sums m = Σ m, ŝ = Σ m Ŝ, N̂_αβ = Σ m Ŝ_αᵀŜ_β over all points, none of them left
out,

    on the frame      f = m A₀ + L ŝp̂ + 2 W ŝp̂' + ŝp̂''
    about its origin  τ_γ = ε_γαβ T_αβ,   T_αβ = ŝ_αp̂ A₀_β + Σ_δ p̂ᵀN̂_αδ (L_βδ p̂ + 2 W_βδ p̂') + p̂ᵀN̂_αβ p̂''
    on p              ŝᵀA₀ + Σ_αβ N̂_αβ (L_αβ p̂ + 2 W_αβ p̂') + Σ_α N̂_αα p̂'' + K p + D p'

(and on request geometric stiffness: isodyn.flexible.stiffening). Interfaces are bodies: with y =
R₀ᵀ(r − r₀), E = R₀ᵀR and V(B) = ½ (B₃₂ − B₂₃, B₁₃ − B₃₁, B₂₁ − B₁₂) their parts of p and its rates
are

    y − X,   ẏ = R₀ᵀ(ṙ − ṙ₀) − ω × y,   ÿ = R₀ᵀ(r̈ − r̈₀) − 2ω × ẏ − ω × (ω × y) − ω̇ × y
    ϑ = V(E),   V(Ė),  Ė = E ω_j~ − ω~ E,   V(Ë)

and forces (n, m) on these parts act on the interface as R₀ n and V(Eᵀ m~), on the frame as −n, −y ×
n and −V(m~ Eᵀ). Derivation: docs/derivations/flexible_bodies.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.bodies.rotation_kernels import Vector, cross, dot, put, rotate, rotate_back, sum_of, triple, vector
from isodyn.flexible.stiffening import shorten, size_of, stiffen
from isodyn.flexible.tables import FlexibleData, FlexibleScratch, FlexibleTables
from isodyn.kernels.compiled import FloatArray, kernel

if TYPE_CHECKING:
    from isodyn.joints.measures import Pose
    from isodyn.kernels.struct import Many


@kernel()
def half_difference(B: FloatArray) -> Vector:
    """V(B)."""
    return 0.5 * (B[2, 1] - B[1, 2]), 0.5 * (B[0, 2] - B[2, 0]), 0.5 * (B[1, 0] - B[0, 1])


@kernel()
def add_turning(f: float, E: FloatArray, w: Vector, w_frame: Vector, out: FloatArray) -> None:
    """out += f (E w~ − w_frame~ E)."""
    for i in range(3):
        x, y = cross((E[i, 0], E[i, 1], E[i, 2]), w), cross(w_frame, (E[0, i], E[1, i], E[2, i]))
        for j in range(3):
            out[i, j] += f * x[j]  # a row of E times w~ is the row × w
            out[j, i] -= f * y[j]


@kernel()
def clear(A: FloatArray) -> None:
    """A = 0, 3 × 3."""
    for i in range(3):
        for j in range(3):
            A[i, j] = 0.0


@kernel()
def deform(
    body: FlexibleData,
    tables: FlexibleTables,
    poses: Many[Pose],
    q: FloatArray,
    v: FloatArray,
    scratch: FlexibleScratch,
) -> None:
    """p̂ and its rate, with places and turns of the interfaces."""
    frame = poses[tables.members[body.first_member].body]
    R0, w0 = frame.R, triple(frame.w)
    scratch.p[0], scratch.p_rate[0], scratch.p_acceleration[0] = 1.0, 0.0, 0.0
    for j in range(1, body.interfaces):
        pose, at = poses[tables.members[body.first_member + j].body], 6 * j - 5
        place = rotate_back(R0, sum_of(triple(pose.position), -1.0, triple(frame.position)))
        rate = sum_of(rotate_back(R0, sum_of(triple(pose.v), -1.0, triple(frame.v))), -1.0, cross(w0, place))
        E, E_rate = scratch.R[j], scratch.R_rate[j]
        for i in range(3):
            for k in range(3):
                E[i, k] = R0[0, i] * pose.R[0, k] + R0[1, i] * pose.R[1, k] + R0[2, i] * pose.R[2, k]
        clear(E_rate)
        add_turning(1.0, E, triple(pose.w), w0, E_rate)
        put(scratch.place[j], 0, place)
        put(scratch.rate[j], 0, rate)
        put(scratch.p, at, sum_of(place, -1.0, triple(tables.points[body.first_point + j])))
        put(scratch.p, at + 3, half_difference(E))
        put(scratch.p_rate, at, rate)
        put(scratch.p_rate, at + 3, half_difference(E_rate))
    at = 6 * body.interfaces - 5
    for k in range(body.modes):
        mode = tables.members[body.first_member + body.interfaces + k]
        scratch.p[at + k], scratch.p_rate[at + k] = q[mode.first_q], v[mode.first_v]


@kernel()
def accelerate(
    body: FlexibleData,
    tables: FlexibleTables,
    poses: Many[Pose],
    gravity: Vector,
    a: FloatArray,
    scratch: FlexibleScratch,
) -> None:
    """A₀, W, L and p̂''."""
    first = tables.members[body.first_member]
    frame = poses[first.body]
    w, w_rate, origin = triple(frame.w), vector(a, first.first_v + 3), vector(a, first.first_v)
    put(scratch.A0, 0, rotate_back(frame.R, sum_of(origin, -1.0, gravity)))
    turn_of_frame(w, w_rate, scratch)
    for j in range(1, body.interfaces):
        member, at = tables.members[body.first_member + j], 6 * j - 5
        pose, w_j = poses[member.body], vector(a, member.first_v + 3)
        place, rate = triple(scratch.place[j]), triple(scratch.rate[j])
        relative = rotate_back(frame.R, sum_of(vector(a, member.first_v), -1.0, origin))
        put(scratch.acceleration[j], 0, relative)
        carried = sum_of(cross(w, cross(w, place)), 1.0, cross(w_rate, place))
        put(scratch.p_acceleration, at, sum_of(sum_of(relative, -2.0, cross(w, rate)), -1.0, carried))
        E_acceleration = scratch.dR
        clear(E_acceleration)
        add_turning(1.0, scratch.R[j], w_j, w_rate, E_acceleration)
        add_turning(1.0, scratch.R_rate[j], triple(pose.w), w, E_acceleration)
        put(scratch.p_acceleration, at + 3, half_difference(E_acceleration))
    at = 6 * body.interfaces - 5
    for k in range(body.modes):
        scratch.p_acceleration[at + k] = a[tables.members[body.first_member + body.interfaces + k].first_v]


@kernel()
def turn_of_frame(w: Vector, w_rate: Vector, scratch: FlexibleScratch) -> None:
    """W = ω~ and L = ω̇~ + ω~²."""
    square = dot(w, w)
    for i in range(3):
        for j in range(3):
            scratch.W[i, j], scratch.L[i, j] = 0.0, w[i] * w[j]
        scratch.L[i, i] -= square
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        scratch.W[k, j], scratch.W[j, k] = w[i], -w[i]
        scratch.L[k, j] += w_rate[i]
        scratch.L[j, k] -= w_rate[i]


@kernel()
def contract(body: FlexibleData, tables: FlexibleTables, scratch: FlexibleScratch) -> None:
    """p̂ᵀN̂_αβ and p̂'ᵀN̂_αβ; ŝp̂ and ŝp̂'."""
    n = size_of(body) + 1
    for a in range(3):
        s = tables.moments[body.first_moment + a * n : body.first_moment + (a + 1) * n]
        scratch.moment[a] = scratch.moment_rate[a] = 0.0
        for k in range(n):
            scratch.moment[a] += s[k] * scratch.p[k]
            scratch.moment_rate[a] += s[k] * scratch.p_rate[k]
        for b in range(3):
            row, row_rate = scratch.row[a, b], scratch.row_rate[a, b]
            for k in range(n):
                row[k] = row_rate[k] = 0.0
            first = body.first_inertia + (3 * a + b) * n * n
            for i in range(n):
                line = tables.inertia[first + i * n : first + (i + 1) * n]
                x, y = scratch.p[i], scratch.p_rate[i]
                for k in range(n):
                    row[k] += x * line[k]
                    row_rate[k] += y * line[k]


@kernel()
def turning_moments(n: int, scratch: FlexibleScratch) -> None:
    """Σ m y yᵀ, Σ m y ẏᵀ and T without p̂''."""
    for a in range(3):
        for b in range(3):
            row, x, y = scratch.row[a, b], 0.0, 0.0
            for k in range(n):
                x += row[k] * scratch.p[k]
                y += row[k] * scratch.p_rate[k]
            scratch.second[a, b], scratch.second_rate[a, b] = x, y
    L, W = scratch.L, scratch.W
    for a in range(3):
        for b in range(3):
            value = scratch.moment[a] * scratch.A0[b]
            for d in range(3):
                value += L[b, d] * scratch.second[a, d] + 2.0 * W[b, d] * scratch.second_rate[a, d]
            scratch.T[a, b] = value


@kernel()
def forces_in_frame(body: FlexibleData, tables: FlexibleTables, scratch: FlexibleScratch) -> None:
    """Forces on the frame, about its origin, and on p."""
    n = size_of(body) + 1
    contract(body, tables, scratch)
    turning_moments(n, scratch)
    L, W, A0, force, T = scratch.L, scratch.W, scratch.A0, scratch.force, scratch.T
    for k in range(n):
        force[5 + k] = 0.0
    for a in range(3):
        s = tables.moments[body.first_moment + a * n : body.first_moment + (a + 1) * n]
        f = body.mass * A0[a]
        for b in range(3):
            f += L[a, b] * scratch.moment[b] + 2.0 * W[a, b] * scratch.moment_rate[b]
            row, x, y = scratch.row[a, b], scratch.row[b, a], scratch.row_rate[b, a]
            for k in range(n):
                T[a, b] += row[k] * scratch.p_acceleration[k]
            for k in range(1, n):
                force[5 + k] += L[a, b] * x[k] + 2.0 * W[a, b] * y[k]
        for k in range(1, n):
            f += s[k] * scratch.p_acceleration[k]
            force[5 + k] += s[k] * A0[a]
        force[a] = f
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        force[3 + i] = T[j, k] - T[k, j]
    add_accelerating_modes(body, tables, scratch)
    add_elastic(body, tables, scratch)


@kernel()
def add_accelerating_modes(body: FlexibleData, tables: FlexibleTables, scratch: FlexibleScratch) -> None:
    """force on p += Σ_α N̂_αα p̂''."""
    n = size_of(body) + 1
    for a in range(3):
        first = body.first_inertia + 4 * a * n * n
        for i in range(1, n):
            line, f = tables.inertia[first + i * n : first + (i + 1) * n], 0.0
            for k in range(1, n):
                f += line[k] * scratch.p_acceleration[k]
            scratch.force[5 + i] += f


@kernel()
def add_elastic(body: FlexibleData, tables: FlexibleTables, scratch: FlexibleScratch) -> None:
    """force on p += K p + D p' and the geometric stiffness."""
    n = size_of(body)
    for i in range(n):
        first, f = body.first_matrix + i * n, 0.0
        for k in range(n):
            f += tables.stiffness[first + k] * scratch.p[1 + k] + tables.damping[first + k] * scratch.p_rate[1 + k]
        on_p = 6 + i
        scratch.force[on_p] += f
    if body.stiffens == 1:
        stiffen(body, tables, scratch)


@kernel()
def torque_of(f: float, m: Vector, E: FloatArray, transposed: int, out: FloatArray) -> Vector:
    """f V(Eᵀ m~), or f V(m~ Eᵀ) where `transposed` is 1."""
    for i in range(3):
        for j in range(3):
            out[i, j] = 0.0
    for i in range(3):
        if transposed == 1:
            x = cross(m, (E[i, 0], E[i, 1], E[i, 2]))  # m~ times row i of E: column i of m~ Eᵀ
            out[0, i], out[1, i], out[2, i] = x[0], x[1], x[2]
        else:
            x = cross((E[0, i], E[1, i], E[2, i]), m)  # column i of E times m~: row i of Eᵀ m~
            out[i, 0], out[i, 1], out[i, 2] = x[0], x[1], x[2]
    y = half_difference(out)
    return f * y[0], f * y[1], f * y[2]


@kernel()
def add_forces(
    body: FlexibleData, tables: FlexibleTables, poses: Many[Pose], scratch: FlexibleScratch, out: FloatArray
) -> None:
    """out += forces on the interfaces; those on the modes are set."""
    first, force = tables.members[body.first_member], scratch.force
    R0 = poses[first.body].R
    f, torque = (force[0], force[1], force[2]), (force[3], force[4], force[5])
    for j in range(1, body.interfaces):
        at, to = 6 * j, tables.members[body.first_member + j].first_v
        n, m = vector(force, at), vector(force, at + 3)
        f, torque = sum_of(f, -1.0, n), sum_of(torque, -1.0, cross(triple(scratch.place[j]), n))
        torque = sum_of(torque, -1.0, torque_of(1.0, m, scratch.R[j], 1, scratch.dR))
        add_vector(out, to, rotate(R0, n))
        add_vector(out, to + 3, torque_of(1.0, m, scratch.R[j], 0, scratch.dR))
    add_vector(out, first.first_v, rotate(R0, f))
    add_vector(out, first.first_v + 3, torque)
    first_mode = 6 * body.interfaces
    for k in range(body.modes):
        mode = tables.members[body.first_member + body.interfaces + k]
        out[mode.first_v] = force[first_mode + k]


@kernel()
def add_vector(out: FloatArray, at: int, x: Vector) -> None:
    """out += x, from a place on."""
    out[at] += x[0]
    out[at + 1] += x[1]
    out[at + 2] += x[2]


@kernel()
def energies_of_body(
    body: FlexibleData, tables: FlexibleTables, poses: Many[Pose], gravity: Vector, scratch: FlexibleScratch
) -> tuple[float, float]:
    """Kinetic energy, and that of strain and weight; after `deform` and `contract`."""
    n, frame = size_of(body) + 1, poses[tables.members[body.first_member].body]
    U, w = rotate_back(frame.R, triple(frame.v)), triple(frame.w)
    moment, moment_rate = triple(scratch.moment), triple(scratch.moment_rate)
    kinetic = 0.5 * body.mass * dot(U, U) + dot(U, sum_of(cross(w, moment), 1.0, moment_rate))
    turn_of_frame(w, (0.0, 0.0, 0.0), scratch)
    turning_moments(n, scratch)
    square = dot(w, w)
    for a in range(3):
        kinetic += 0.5 * square * scratch.second[a, a]
        for b in range(3):
            kinetic -= 0.5 * w[a] * w[b] * scratch.second[a, b]
            kinetic += scratch.W[b, a] * scratch.second_rate[a, b]  # ẏ·(ω × y)
        for k in range(n):
            kinetic += 0.5 * scratch.row_rate[a, a][k] * scratch.p_rate[k]
    potential = -dot(gravity, sum_of(rotate(frame.R, moment), body.mass, triple(frame.position)))
    for i in range(n - 1):
        scratch.force[i] = scratch.p[1 + i]
    if body.stiffens == 1:
        shorten(body, tables, scratch)
        for c in range(6 * (body.interfaces - 1)):
            scratch.force[c] += scratch.shortening[c]
    for i in range(n - 1):
        for k in range(n - 1):
            K = tables.stiffness[body.first_matrix + i * (n - 1) + k]
            potential += 0.5 * K * scratch.force[i] * scratch.force[k]
    return kinetic, potential

"""Slopes of the forces of one flexible body over positions, velocities and accelerations of its
members.

The forces in the frame (isodyn.flexible.floating_frame) are differentiated in two steps: over (A₀,
ω̇, p''), (ω, p') and p, which gives M_w, C_w and K_w; and these over the members. With increments
(δr, δϑ) of the frame (0) and of an interface, scaled by c₀, c₁, c₂ for accelerations, velocities
and positions,

    δA₀ = c₀ R₀ᵀδr₀ + c₂ A₀ × δϑ₀,     δω̇ = c₀ δϑ₀,     δω = c₁ δϑ₀
    δy = c₂ (R₀ᵀ(δr − δr₀) + y × δϑ₀),     the same of R₀ᵀ(ṙ − ṙ₀) and R₀ᵀ(r̈ − r̈₀) with c₁, c₀ and c₂
    δE = c₂ (E δϑ~ − δϑ₀~ E)

and so on by the product rule. Nothing is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.bodies.rotation_kernels import Vector, cross, put, rotate, rotate_back, sum_of, triple, vector
from isodyn.flexible.floating_frame import (
    add_turning,
    add_vector,
    clear,
    half_difference,
    torque_of,
)
from isodyn.flexible.stiffening import size_of, slope_of_turn, unit
from isodyn.flexible.tables import FlexibleData, FlexibleScratch, FlexibleTables
from isodyn.kernels.compiled import FloatArray, kernel

if TYPE_CHECKING:
    from isodyn.joints.measures import Pose
    from isodyn.kernels.struct import Many

NONE = (0.0, 0.0, 0.0)


@kernel()
def mass_in_frame(body: FlexibleData, tables: FlexibleTables, scratch: FlexibleScratch) -> None:
    """M_w: forces over (A₀, ω̇, p'')."""
    n, M, Y = size_of(body) + 1, scratch.M_w, scratch.second
    moment, trace = triple(scratch.moment), Y[0, 0] + Y[1, 1] + Y[2, 2]
    for a in range(3):
        s = tables.moments[body.first_moment + a * n : body.first_moment + (a + 1) * n]
        turned = cross(unit(a), moment)
        for b in range(3):
            M[a, b] = M[3 + a, 3 + b] = 0.0
            M[b, 3 + a] = M[3 + a, b] = turned[b]
        for b in range(3):
            M[3 + a, 3 + b] -= Y[a, b]
        M[a, a], M[3 + a, 3 + a] = body.mass, M[3 + a, 3 + a] + trace
        i, j = (a + 1) % 3, (a + 2) % 3
        for k in range(1, n):
            M[a, 5 + k] = M[5 + k, a] = s[k]
            M[3 + a, 5 + k] = M[5 + k, 3 + a] = scratch.row[i, j][k] - scratch.row[j, i][k]
    for i in range(1, n):
        for k in range(1, n):
            value = 0.0
            for a in range(3):
                value += tables.inertia[body.first_inertia + (4 * a * n + i) * n + k]
            M[5 + i, 5 + k] = value


@kernel()
def slopes_over_turning(body: FlexibleData, w: Vector, scratch: FlexibleScratch) -> None:
    """C_w over ω."""
    n, C = size_of(body) + 1, scratch.C_w
    T = scratch.dR_acceleration
    for c in range(3):
        slope_of_turn(c, w, scratch)
        dL, dW = scratch.dR, scratch.dR_rate
        for k in range(6 + n - 1):
            scratch.column[k] = 0.0
        for a in range(3):
            for b in range(3):
                C[a, 3 + c] = 0.0 if b == 0 else C[a, 3 + c]
                C[a, 3 + c] += dL[a, b] * scratch.moment[b] + 2.0 * dW[a, b] * scratch.moment_rate[b]
                T[a, b] = 0.0
                for d in range(3):
                    T[a, b] += dL[b, d] * scratch.second[a, d] + 2.0 * dW[b, d] * scratch.second_rate[a, d]
                x, y = scratch.row[b, a], scratch.row_rate[b, a]
                for k in range(1, n):
                    scratch.column[5 + k] += dL[a, b] * x[k] + 2.0 * dW[a, b] * y[k]
        for k in range(1, n):
            C[5 + k, 3 + c] = scratch.column[5 + k]
        for i in range(3):
            C[3 + i, 3 + c] = T[(i + 1) % 3, (i + 2) % 3] - T[(i + 2) % 3, (i + 1) % 3]


@kernel()
def slopes_over_deformation(body: FlexibleData, tables: FlexibleTables, scratch: FlexibleScratch) -> None:
    """C_w over p' and K_w over p."""
    n, C, K, L, W = size_of(body) + 1, scratch.C_w, scratch.K_w, scratch.L, scratch.W
    for k in range(1, n):
        for a in range(3):
            x = y = 0.0
            for b in range(3):
                s = tables.moments[body.first_moment + b * n + k]
                x += 2.0 * W[a, b] * s
                y += L[a, b] * s
            C[a, 5 + k], K[a, 5 + k] = x, y
        for c in range(3):
            a, b = (c + 1) % 3, (c + 2) % 3
            one, other = torque_slope(body, tables, a, b, k, scratch), torque_slope(body, tables, b, a, k, scratch)
            C[3 + c, 5 + k], K[3 + c, 5 + k] = one[0] - other[0], one[1] - other[1]
    for i in range(1, n):
        first = body.first_matrix + (i - 1) * (n - 1) - 1
        for k in range(1, n):
            x = y = 0.0
            for a in range(3):
                for b in range(3):
                    N = tables.inertia[body.first_inertia + ((3 * a + b) * n + i) * n + k]
                    x += 2.0 * W[a, b] * N
                    y += L[a, b] * N
            C[5 + i, 5 + k], K[5 + i, 5 + k] = x + tables.damping[first + k], y + tables.stiffness[first + k]


@kernel()
def torque_slope(
    body: FlexibleData, tables: FlexibleTables, a: int, b: int, k: int, scratch: FlexibleScratch
) -> tuple[float, float]:
    """∂T_ab over p'_k and over p_k."""
    n, L, W = size_of(body) + 1, scratch.L, scratch.W
    x, y = 0.0, tables.moments[body.first_moment + a * n + k] * scratch.A0[b]
    for d in range(3):
        x += 2.0 * W[b, d] * scratch.row[a, d][k]
        y += L[b, d] * (scratch.row[a, d][k] + scratch.row[d, a][k]) + 2.0 * W[b, d] * scratch.row_rate[d, a][k]
    first = body.first_inertia + ((3 * a + b) * n + k) * n
    for i in range(1, n):
        y += tables.inertia[first + i] * scratch.p_acceleration[i]
    return x, y


@kernel()
def vary_interface(
    j: int,
    of_frame: int,
    c: FloatArray,
    d: Vector,
    turn: Vector,
    frame: Pose,
    pose: Pose,
    column: int,
    scratch: FlexibleScratch,
) -> None:
    """p, p', p'' of interface j along an increment of its position (d, in the frame) and
    orientation (in its own axes), or with `of_frame` = 1 of those of the frame; angular
    accelerations are in scratch.column."""
    at, w, w_rate = 6 * j, triple(frame.w), vector(scratch.column, 0)
    place, rate = triple(scratch.place[j]), triple(scratch.rate[j])
    if of_frame == 1:
        relative = sum_of(rate, 1.0, cross(w, place))  # R₀ᵀ(ṙ − ṙ₀)
        dy = scaled_sum(-c[2], d, c[2], cross(place, turn))
        db = scaled_sum(-c[1], d, c[2], cross(relative, turn))
        dd = scaled_sum(-c[0], d, c[2], cross(triple(scratch.acceleration[j]), turn))
        own, frame_turn = NONE, turn
    else:
        dy, db, dd = scaled(c[2], d), scaled(c[1], d), scaled(c[0], d)
        own, frame_turn = turn, NONE
    dw, dw_rate = scaled(c[1], frame_turn), scaled(c[0], frame_turn)
    dy_rate = sum_of(sum_of(db, -1.0, cross(dw, place)), -1.0, cross(w, dy))
    carried = sum_of(cross(dw, cross(w, place)), 1.0, cross(w, sum_of(cross(dw, place), 1.0, cross(w, dy))))
    carried = sum_of(sum_of(carried, 1.0, cross(dw_rate, place)), 1.0, cross(w_rate, dy))
    coriolis = sum_of(cross(dw, rate), 1.0, cross(w, dy_rate))
    put_column(scratch.along_q, at, column, dy)
    put_column(scratch.along_v, at, column, dy_rate)
    put_column(scratch.along_a, at, column, sum_of(sum_of(dd, -2.0, coriolis), -1.0, carried))
    vary_turn(j, c, own, frame_turn, frame, pose, scratch)
    put_column(scratch.along_q, at + 3, column, half_difference(scratch.dR))
    put_column(scratch.along_v, at + 3, column, half_difference(scratch.dR_rate))
    put_column(scratch.along_a, at + 3, column, half_difference(scratch.dR_acceleration))


@kernel()
def vary_turn(
    j: int, c: FloatArray, own: Vector, of_frame: Vector, frame: Pose, pose: Pose, scratch: FlexibleScratch
) -> None:
    """δE, δĖ, δË of interface j."""
    dE, dE_rate, dE_acceleration = scratch.dR, scratch.dR_rate, scratch.dR_acceleration
    E, E_rate, w, w_j = scratch.R[j], scratch.R_rate[j], triple(frame.w), triple(pose.w)
    clear(dE)
    clear(dE_rate)
    clear(dE_acceleration)
    add_turning(c[2], E, own, of_frame, dE)
    add_turning(1.0, dE, w_j, w, dE_rate)
    add_turning(c[1], E, own, of_frame, dE_rate)
    add_turning(1.0, dE, vector(scratch.column, 3), vector(scratch.column, 0), dE_acceleration)
    add_turning(c[0], E, own, of_frame, dE_acceleration)
    add_turning(1.0, dE_rate, w_j, w, dE_acceleration)
    add_turning(c[1], E_rate, own, of_frame, dE_acceleration)


@kernel()
def scaled(f: float, x: Vector) -> Vector:
    """f x."""
    return f * x[0], f * x[1], f * x[2]


@kernel()
def scaled_sum(f: float, x: Vector, g: float, y: Vector) -> Vector:
    """f x + g y."""
    return f * x[0] + g * y[0], f * x[1] + g * y[1], f * x[2] + g * y[2]


@kernel()
def put_column(A: FloatArray, row: int, column: int, x: Vector) -> None:
    """Three numbers of a column of A."""
    A[row, column], A[row + 1, column], A[row + 2, column] = x[0], x[1], x[2]


@kernel()
def vary_members(
    body: FlexibleData,
    tables: FlexibleTables,
    poses: Many[Pose],
    c: FloatArray,
    a: FloatArray,
    scratch: FlexibleScratch,
) -> None:
    """Slopes of (A₀, ω̇, p''), (ω, p') and p over all members."""
    size, columns = 6 + size_of(body), 6 * body.interfaces + body.modes
    for i in range(size):
        for k in range(columns):
            scratch.along_a[i, k] = scratch.along_v[i, k] = scratch.along_q[i, k] = 0.0
    first = tables.members[body.first_member]
    frame = poses[first.body]
    put(scratch.column, 0, vector(a, first.first_v + 3))
    for k in range(3):
        axis = unit(k)
        put_column(scratch.along_a, 0, k, scaled(c[0], rotate_back(frame.R, axis)))
        put_column(scratch.along_a, 0, 3 + k, scaled(c[2], cross(triple(scratch.A0), axis)))
        scratch.along_a[3 + k, 3 + k], scratch.along_v[3 + k, 3 + k] = c[0], c[1]
    for j in range(1, body.interfaces):
        member = tables.members[body.first_member + j]
        pose = poses[member.body]
        put(scratch.column, 3, vector(a, member.first_v + 3))
        for k in range(3):
            axis = unit(k)
            d = rotate_back(frame.R, axis)
            vary_interface(j, 1, c, d, NONE, frame, pose, k, scratch)
            vary_interface(j, 1, c, NONE, axis, frame, pose, 3 + k, scratch)
            vary_interface(j, 0, c, d, NONE, frame, pose, 6 * j + k, scratch)
            vary_interface(j, 0, c, NONE, axis, frame, pose, 6 * j + 3 + k, scratch)
    for k in range(body.modes):
        at = 6 * body.interfaces + k
        scratch.along_a[at, at], scratch.along_v[at, at], scratch.along_q[at, at] = c[0], c[1], c[2]


@kernel()
def multiply_slopes(body: FlexibleData, scratch: FlexibleScratch) -> None:
    """slopes = M_w along_a + C_w along_v + K_w along_q."""
    size, columns, out = 6 + size_of(body), 6 * body.interfaces + body.modes, scratch.slopes
    for i in range(size):
        for k in range(columns):
            out[i, k] = 0.0
        for r in range(size):
            m, d, s = scratch.M_w[i, r], scratch.C_w[i, r] if r > 2 else 0.0, scratch.K_w[i, r] if r > 5 else 0.0
            for k in range(columns):
                out[i, k] += m * scratch.along_a[r, k] + d * scratch.along_v[r, k] + s * scratch.along_q[r, k]


@kernel()
def forces_on_members(
    body: FlexibleData, poses: Many[Pose], tables: FlexibleTables, c: float, k: int, scratch: FlexibleScratch
) -> None:
    """Column k of J into scratch.column: slopes of the forces on all members."""
    frame, out, force = poses[tables.members[body.first_member].body], scratch.column, scratch.force
    turn = scaled(c, unit(k - 3)) if 3 <= k < 6 else NONE
    f = vector(force, 0)
    df, torque = column_of(scratch.slopes, 0, k), column_of(scratch.slopes, 3, k)
    for i in range(6 * body.interfaces):
        out[i] = 0.0
    for j in range(1, body.interfaces):
        n, m, place, E = vector(force, 6 * j), vector(force, 6 * j + 3), triple(scratch.place[j]), scratch.R[j]
        dn, dm = column_of(scratch.slopes, 6 * j, k), column_of(scratch.slopes, 6 * j + 3, k)
        f, df = sum_of(f, -1.0, n), sum_of(df, -1.0, dn)
        torque = sum_of(torque, -1.0, cross(column_of(scratch.along_q, 6 * j, k), n))
        torque = sum_of(torque, -1.0, cross(place, dn))
        clear(scratch.dR)
        own = scaled(c, unit(k - 6 * j - 3)) if 6 * j + 3 <= k < 6 * j + 6 else NONE
        add_turning(1.0, E, own, turn, scratch.dR)
        add_vector(out, 6 * j, rotate(frame.R, sum_of(dn, 1.0, cross(turn, n))))
        for moment, turned in ((dm, E), (m, scratch.dR)):
            torque = sum_of(torque, -1.0, torque_of(1.0, moment, turned, 1, scratch.dR_rate))
            add_vector(out, 6 * j + 3, torque_of(1.0, moment, turned, 0, scratch.dR_rate))
    put(out, 0, rotate(frame.R, sum_of(df, 1.0, cross(turn, f))))
    put(out, 3, torque)
    for i in range(6 * body.interfaces, 6 * body.interfaces + body.modes):
        out[i] = scratch.slopes[i, k]


@kernel()
def column_of(A: FloatArray, row: int, k: int) -> Vector:
    """Three numbers of column k."""
    return A[row, k], A[row + 1, k], A[row + 2, k]


@kernel()
def add_column(body: FlexibleData, tables: FlexibleTables, k: int, scratch: FlexibleScratch, out: FloatArray) -> None:
    """J += scratch.column in the column of unknown k of the body."""
    members, rigid = body.interfaces + body.modes, 6 * body.interfaces
    other, column = (k // 6, k % 6) if k < rigid else (body.interfaces + k - rigid, 0)
    for i in range(members):
        block = tables.blocks[body.first_block + i * members + other]
        stride = tables.members[body.first_member + i].stride
        if i >= body.interfaces:
            out[block + column] += scratch.column[rigid + i - body.interfaces]
            continue
        first = 6 * i
        for r in range(6):
            out[block + r * stride + column] += scratch.column[first + r]

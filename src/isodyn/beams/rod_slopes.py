"""The tangent of an element of a rod (isodyn.beams.rod_element): forces in the axes of the world
and torques in those of the bodies, over (r, ϑ) of both, ϑ in the axes of the bodies.

One block is enough, that of b over itself in its own axes,

    S = ∂(P(h)ᵀs)/∂h P(h) = ([0 X; X Y] + P(h)ᵀC) P(h).

Columns of a: moving a is moving b the other way, as seen from a, E = R_aᵀR_b, p = R_aᵀ(r_b − r_a):

    η_b = −Eᵀ(η_a − p × ϑ_a),    ϑ_b = −Eᵀϑ_a.

Rows of a: an element is in balance. With F, τ_b on b, in the world and in the axes of b,

    F_a = −F,    τ_a = −E τ_b − p × R_aᵀF.

Damping adds C_d ∂ḣ to s; velocities do not turn with the bodies, so its columns are its own.
Derivation: docs/derivations/rods.md.
"""

from __future__ import annotations

from isodyn.beams.rod_element import load_rod, rate_rod, strain_rod
from isodyn.beams.rod_tables import RodElementData, RodScratch
from isodyn.bodies.rigid_motions import add_skew, forces_of_screw, rate_matrix, slope_blocks
from isodyn.bodies.rotation_kernels import Vector, cross, rotate, rotate_back, sum_of, triple
from isodyn.joints.measures import Pose
from isodyn.kernels.compiled import FloatArray, kernel

Row = tuple[float, float, float, float, float, float]


@kernel(inline=True, fused=True)
def sum_of_rows(x: float, y: float, z: float, A: FloatArray, k: int) -> Row:
    """Rows k, k + 1, k + 2 of A with these weights."""
    return (
        x * A[k, 0] + y * A[k + 1, 0] + z * A[k + 2, 0],
        x * A[k, 1] + y * A[k + 1, 1] + z * A[k + 2, 1],
        x * A[k, 2] + y * A[k + 1, 2] + z * A[k + 2, 2],
        x * A[k, 3] + y * A[k + 1, 3] + z * A[k + 2, 3],
        x * A[k, 4] + y * A[k + 1, 4] + z * A[k + 2, 4],
        x * A[k, 5] + y * A[k + 1, 5] + z * A[k + 2, 5],
    )


@kernel(inline=True)
def put_row(f: float, x: Row, y: Row, out: FloatArray, i: int) -> None:
    """Row i of out = f (x + y)."""
    out[i, 0], out[i, 1], out[i, 2] = f * (x[0] + y[0]), f * (x[1] + y[1]), f * (x[2] + y[2])
    out[i, 3], out[i, 4], out[i, 5] = f * (x[3] + y[3]), f * (x[4] + y[4]), f * (x[5] + y[5])


@kernel()
def times_forces(c: float, P: FloatArray, C: FloatArray, out: FloatArray) -> None:
    """out = c PᵀC, P = [A B; 0 A]."""
    none = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(3):
        put_row(c, sum_of_rows(P[0, i], P[1, i], P[2, i], C, 0), none, out, i)
        upper = sum_of_rows(P[0, 3 + i], P[1, 3 + i], P[2, 3 + i], C, 0)
        put_row(c, upper, sum_of_rows(P[0, i], P[1, i], P[2, i], C, 3), out, 3 + i)


@kernel()
def slopes_over_b(element: RodElementData, c: float, scratch: RodScratch) -> None:
    """over_b = c S."""
    X, Y, P, slope = scratch.X, scratch.Y, scratch.P, scratch.over_screw
    times_forces(c, P, element.stiffness, slope)
    for i in range(3):
        for j in range(3):
            slope[i, 3 + j] += c * X[i, j]
            slope[3 + i, j] += c * X[i, j]
            slope[3 + i, 3 + j] += c * Y[i, j]
    for i in range(6):
        left = sum_of_rows(slope[i, 0], slope[i, 1], slope[i, 2], P, 0)
        put_row(1.0, left, sum_of_rows(slope[i, 3], slope[i, 4], slope[i, 5], P, 3), scratch.over_b, i)


@kernel(fused=True)
def spread_columns(p: Pose, q: Pose, arm: Vector, scratch: RodScratch) -> None:
    """K_bb and the columns ϑ of K_ba, rows still in the axes of b; arm = p."""
    S, E, K_bb, K_ba = scratch.over_b, scratch.E, scratch.K_bb, scratch.K_ba
    for i in range(6):
        s, r = (S[i, 0], S[i, 1], S[i, 2]), (S[i, 3], S[i, 4], S[i, 5])
        x = rotate(q.R, s)
        y = sum_of(cross(rotate(E, s), arm), -1.0, rotate(E, r))
        for j in range(3):
            K_bb[i, j], K_bb[i, 3 + j], K_ba[i, 3 + j] = x[j], r[j], y[j]


@kernel(fused=True)
def spread_rows(first: int, K_b: FloatArray, R: FloatArray, arm: Vector, E: FloatArray, K_a: FloatArray) -> None:
    """Three columns from `first` on: rows of b from its axes to those of the world, and the rows of
    a that balance them."""
    for j in range(first, first + 3):
        force, torque = (K_b[0, j], K_b[1, j], K_b[2, j]), (K_b[3, j], K_b[4, j], K_b[5, j])
        x = rotate(R, force)
        y = sum_of(rotate(E, torque), 1.0, cross(arm, rotate(E, force)))
        for i in range(3):
            K_b[i, j], K_a[i, j], K_a[3 + i, j] = x[i], -x[i], -y[i]


@kernel()
def negate_columns(K: FloatArray, out: FloatArray) -> None:
    """Columns r of one body from those of the other: shifts of both change nothing."""
    for i in range(6):
        for j in range(3):
            out[i, j] = -K[i, j]


@kernel()
def turn_arms(c: float, p: Pose, on_a: tuple[Vector, Vector], torque: Vector, scratch: RodScratch) -> None:
    """Add what the torque on a gets from arms and axes that move: on_a = P(−h)ᵀs, in the axes of a,
    torque on b in its own."""
    E, K_ab = scratch.E, scratch.K_ab
    for j in range(3):
        x = cross(on_a[0], (p.R[j, 0], p.R[j, 1], p.R[j, 2]))
        y = cross((E[j, 0], E[j, 1], E[j, 2]), torque)
        for i in range(3):
            K_ab[3 + i, j] += c * x[i]
            K_ab[3 + j, 3 + i] += c * y[i]
    add_skew(-c, on_a[1], 3, 3, scratch.K_aa)


@kernel()
def relative_axes(Ra: FloatArray, Rb: FloatArray, E: FloatArray) -> None:
    """E = RaᵀRb."""
    for i in range(3):
        for j in range(3):
            E[i, j] = Ra[0, i] * Rb[0, j] + Ra[1, i] * Rb[1, j] + Ra[2, i] * Rb[2, j]


@kernel()
def add_damping_slopes(
    element: RodElementData,
    c: FloatArray,
    p: Pose,
    q: Pose,
    d: Vector,
    phi: Vector,
    coefficients: tuple[float, float, float],
    scratch: RodScratch,
) -> None:
    """Add the slopes of damping to K_bb and to the columns ϑ of K_ba: rates of the screw over
    velocities and positions."""
    X, Y, P, back, W_a, W_b = scratch.X, scratch.Y, scratch.P, scratch.P_back, scratch.W_a, scratch.W_b
    A, B = scratch.rate_a, scratch.rate_b
    u_a, u_b, w_a, w_b = rotate_back(p.R, triple(p.v)), rotate_back(q.R, triple(q.v)), triple(p.w), triple(q.w)
    rate_matrix(-1.0, d, phi, coefficients[0], coefficients[1], back)
    # ∂ḣ/∂h, as ∂(P(h)η_b)/∂h and ∂(P(−h)η_a)/∂h
    slope_blocks(-1.0, d, phi, coefficients, w_b, u_b, X, Y)
    place_slopes(X, Y, B)
    slope_blocks(1.0, d, phi, coefficients, w_a, u_a, X, Y)
    place_slopes(X, Y, A)
    for i in range(6):
        for j in range(6):
            x = y = 0.0
            for k in range(6):
                slope = B[i, k] - A[i, k]
                x += slope * back[k, j]
                y += slope * P[k, j]
            W_a[i, j] = -c[2] * x - c[1] * back[i, j]
            W_b[i, j] = c[2] * y + c[1] * P[i, j]
        # u = Rᵀṙ changes by u × ϑ
        x_a, x_b = cross((back[i, 0], back[i, 1], back[i, 2]), u_a), cross((P[i, 0], P[i, 1], P[i, 2]), u_b)
        for j in range(3):
            W_a[i, 3 + j] -= c[2] * x_a[j]
            W_b[i, 3 + j] += c[2] * x_b[j]
        turned = rotate(q.R, (W_b[i, 0], W_b[i, 1], W_b[i, 2]))
        W_b[i, 0], W_b[i, 1], W_b[i, 2] = turned[0], turned[1], turned[2]
    times_forces(1.0, P, element.damping, scratch.over_screw)
    for i in range(6):
        for k in range(6):
            x = scratch.over_screw[i, k]
            for j in range(6):
                scratch.K_bb[i, j] += x * W_b[k, j]
            for j in range(3, 6):
                scratch.K_ba[i, j] += x * W_a[k, j]


@kernel()
def place_slopes(X: FloatArray, Y: FloatArray, out: FloatArray) -> None:
    """out = [X Y; 0 X]."""
    for i in range(3):
        for j in range(3):
            out[i, j] = out[3 + i, 3 + j] = X[i, j]
            out[i, 3 + j], out[3 + i, j] = Y[i, j], 0.0


@kernel()
def rod_tangent(element: RodElementData, damped: int, c: FloatArray, p: Pose, q: Pose, scratch: RodScratch) -> None:
    """K_aa … K_bb = c₁ ∂/∂v + c₂ ∂/∂q of the forces on both bodies, along (r, ϑ) of a and b."""
    d, phi, e, e_y, e_yy = strain_rod(p, q, scratch)
    if damped == 1:
        rate_rod(p, q, d, phi, e, e_y, scratch)
    n, m = load_rod(element, damped, scratch)
    rate_matrix(1.0, d, phi, e, e_y, scratch.P)
    slope_blocks(1.0, d, phi, (e, e_y, e_yy), n, m, scratch.X, scratch.Y)
    slopes_over_b(element, c[2], scratch)
    relative_axes(p.R, q.R, scratch.E)
    arm = rotate_back(
        p.R, (q.position[0] - p.position[0], q.position[1] - p.position[1], q.position[2] - p.position[2])
    )
    spread_columns(p, q, arm, scratch)
    if damped == 1:
        add_damping_slopes(element, c, p, q, d, phi, (e, e_y, e_yy), scratch)
    on_b, on_a = forces_of_screw(d, phi, e, e_y, n, m)
    add_skew(-c[2], on_b[0], 0, 3, scratch.K_bb)  # the force R f turns with its body: ∂(R f)/∂ϑ = −R f~
    spread_rows(0, scratch.K_bb, q.R, arm, scratch.E, scratch.K_ab)
    spread_rows(3, scratch.K_bb, q.R, arm, scratch.E, scratch.K_ab)
    spread_rows(3, scratch.K_ba, q.R, arm, scratch.E, scratch.K_aa)
    turn_arms(c[2], p, on_a, on_b[1], scratch)
    negate_columns(scratch.K_bb, scratch.K_ba)
    negate_columns(scratch.K_ab, scratch.K_aa)

"""One element of a rod: a beam in space between two bodies.

Its strain is the screw h from the frame of body a to that of body b (isodyn.bodies.rigid_motions)
against the screw h₀ of the unstrained element, constant along the element of length L:

    ε = (h − h₀)/L,    U = ½ L εᵀC ε,    s = C ε + C_d ε̇ = (N, Q_y, Q_z, T, M_y, M_z)

    on b:  P(h)ᵀ s      on a:  −P(−h)ᵀ s        in the axes of the bodies, as forces and torques

A rigid motion of both bodies leaves h as it is, so that the strain does not see it, and curved and
twisted elements are unstrained exactly. Because h bends the line between the ends, bending and
shear do not lock. Tangents are exact.

Mass is lumped at the nodes, which are bodies. A consistent mass, ρA ∫|ṙ|² with ṙ linear between the
ends, adds the coupling ρAL/6 (r̈_b − r̈_a) to a and the opposite to b.
"""

from __future__ import annotations

from isodyn.beams.rod_tables import RodElementData, RodScratch
from isodyn.bodies.rigid_motions import (
    add_skew,
    force_of_screw,
    rate_matrix,
    rate_of_screw,
    screw_between,
    slope_blocks,
)
from isodyn.bodies.rotation_kernels import Vector, cross, rotate, rotate_back, triple
from isodyn.joints.measures import Pose
from isodyn.kernels.compiled import FloatArray, kernel


@kernel()
def strain_rod(p: Pose, q: Pose, scratch: RodScratch) -> tuple[Vector, Vector, float, float, float]:
    """The screw between two poses into scratch; as vectors, with its coefficients."""
    d, phi, e, e_y, e_yy = screw_between(p.position, p.R, q.position, q.R)
    for i in range(3):
        scratch.screw[i], scratch.screw[3 + i] = d[i], phi[i]
    return d, phi, e, e_y, e_yy


@kernel()
def rate_rod(p: Pose, q: Pose, d: Vector, phi: Vector, e: float, e_y: float, scratch: RodScratch) -> None:
    """The rate of the screw into scratch."""
    x = rate_of_screw(1.0, d, phi, e, e_y, rotate_back(q.R, triple(q.v)), triple(q.w))
    y = rate_of_screw(-1.0, d, phi, e, e_y, rotate_back(p.R, triple(p.v)), triple(p.w))
    for i in range(3):
        scratch.rate[i], scratch.rate[3 + i] = x[0][i] - y[0][i], x[1][i] - y[1][i]


@kernel()
def load_rod(element: RodElementData, damped: int, scratch: RodScratch) -> tuple[Vector, Vector]:
    """The sectional force and moment s, also into scratch."""
    for i in range(6):
        s = 0.0
        for j in range(6):
            s += element.stiffness[i, j] * (scratch.screw[j] - element.unstrained[j])
            if damped == 1:
                s += element.damping[i, j] * scratch.rate[j]
        scratch.force[i] = s
    f = scratch.force
    return (f[0], f[1], f[2]), (f[3], f[4], f[5])


@kernel()
def rod_forces(element: RodElementData, damped: int, p: Pose, q: Pose, scratch: RodScratch) -> None:
    """on_a, on_b = what the balance of both bodies gets: forces in the world, torques in their
    axes."""
    d, phi, e, e_y, _ = strain_rod(p, q, scratch)
    if damped == 1:
        rate_rod(p, q, d, phi, e, e_y, scratch)
    n, m = load_rod(element, damped, scratch)
    on_b = force_of_screw(1.0, d, phi, e, e_y, n, m)
    on_a = force_of_screw(-1.0, d, phi, e, e_y, n, m)
    f_b, f_a = rotate(q.R, on_b[0]), rotate(p.R, on_a[0])
    for i in range(3):
        scratch.on_a[i], scratch.on_a[3 + i] = -f_a[i], -on_a[1][i]
        scratch.on_b[i], scratch.on_b[3 + i] = f_b[i], on_b[1][i]


@kernel()
def add_coupled_inertia(element: RodElementData, acc: FloatArray, a: int, b: int, dim: int, out: FloatArray) -> None:
    """out += what a consistent mass has beyond a lumped one, in the plane or in space."""
    for i in range(dim):
        f = element.sixth * (acc[b + i] - acc[a + i])
        out[a + i] += f
        out[b + i] -= f


@kernel()
def slopes_of_ends(element: RodElementData, c: FloatArray, scratch: RodScratch, n: Vector, m: Vector) -> None:
    """slope_a, slope_b = c₂ ∂/∂h of the forces on a and b, sectional forces following h."""
    X, Y, P, back = scratch.X, scratch.Y, scratch.P, scratch.P_back
    A, B = scratch.slope_a, scratch.slope_b
    for i in range(3):
        for j in range(3):
            B[i, j] = A[i, j] = 0.0
            B[i, 3 + j] = B[3 + i, j] = c[2] * X[i, j]
            B[3 + i, 3 + j] = c[2] * Y[i, j]
            A[i, 3 + j] = A[3 + i, j] = -c[2] * X[i, j]
            A[3 + i, 3 + j] = -c[2] * Y[i, j]
    # −P(−h)ᵀs = −(P(h)ᵀs − adᵀs), and ∂(adᵀs)/∂h = [0 n~; n~ m~]
    add_skew(c[2], n, 0, 3, A)
    add_skew(c[2], n, 3, 0, A)
    add_skew(c[2], m, 3, 3, A)
    for i in range(6):
        for j in range(6):
            x = y = 0.0
            for k in range(6):
                x += P[k, i] * element.stiffness[k, j]
                y += back[k, i] * element.stiffness[k, j]
            B[i, j] += c[2] * x
            A[i, j] -= c[2] * y


@kernel()
def spread_slopes(scratch: RodScratch) -> None:
    """The tangent: slopes of the ends times [−P(−h)  P(h)], in axes of the bodies."""
    P, back, A, B = scratch.P, scratch.P_back, scratch.slope_a, scratch.slope_b
    for i in range(6):
        for j in range(6):
            aa = ab = ba = bb = 0.0
            for k in range(6):
                aa += A[i, k] * back[k, j]
                ab += A[i, k] * P[k, j]
                ba += B[i, k] * back[k, j]
                bb += B[i, k] * P[k, j]
            scratch.K_aa[i, j], scratch.K_ab[i, j] = -aa, ab
            scratch.K_ba[i, j], scratch.K_bb[i, j] = -ba, bb


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
    """Add the slopes of damping to the tangent: rates of the screw over velocities and
    positions."""
    X, Y, P, back, W_a, W_b = scratch.X, scratch.Y, scratch.P, scratch.P_back, scratch.W_a, scratch.W_b
    A, B = scratch.rate_a, scratch.rate_b
    u_a, u_b, w_a, w_b = rotate_back(p.R, triple(p.v)), rotate_back(q.R, triple(q.v)), triple(p.w), triple(q.w)
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
    for i in range(6):
        for k in range(6):
            x = y = 0.0
            for r in range(6):
                x += back[r, i] * element.damping[r, k]
                y += P[r, i] * element.damping[r, k]
            for j in range(6):
                scratch.K_aa[i, j] -= x * W_a[k, j]
                scratch.K_ab[i, j] -= x * W_b[k, j]
                scratch.K_ba[i, j] += y * W_a[k, j]
                scratch.K_bb[i, j] += y * W_b[k, j]


@kernel()
def place_slopes(X: FloatArray, Y: FloatArray, out: FloatArray) -> None:
    """out = [X Y; 0 X]."""
    for i in range(3):
        for j in range(3):
            out[i, j] = out[3 + i, 3 + j] = X[i, j]
            out[i, 3 + j], out[3 + i, j] = Y[i, j], 0.0


@kernel()
def turn_block(R: FloatArray, S: FloatArray, K: FloatArray) -> None:
    """Rows of forces by R and columns of positions by S: from axes of bodies to those of the
    world."""
    for j in range(6):
        x = rotate(R, (K[0, j], K[1, j], K[2, j]))
        K[0, j], K[1, j], K[2, j] = x[0], x[1], x[2]
    for i in range(6):
        x = rotate(S, (K[i, 0], K[i, 1], K[i, 2]))
        K[i, 0], K[i, 1], K[i, 2] = x[0], x[1], x[2]


@kernel()
def rod_tangent(element: RodElementData, damped: int, c: FloatArray, p: Pose, q: Pose, scratch: RodScratch) -> None:
    """K_aa … K_bb = c₁ ∂/∂v + c₂ ∂/∂q of the forces on both bodies, along (r, ϑ) of a and b."""
    d, phi, e, e_y, e_yy = strain_rod(p, q, scratch)
    if damped == 1:
        rate_rod(p, q, d, phi, e, e_y, scratch)
    n, m = load_rod(element, damped, scratch)
    rate_matrix(1.0, d, phi, e, e_y, scratch.P)
    rate_matrix(-1.0, d, phi, e, e_y, scratch.P_back)
    slope_blocks(1.0, d, phi, (e, e_y, e_yy), n, m, scratch.X, scratch.Y)
    slopes_of_ends(element, c, scratch, n, m)
    spread_slopes(scratch)
    if damped == 1:
        add_damping_slopes(element, c, p, q, d, phi, (e, e_y, e_yy), scratch)
    # the force R f turns with its body: ∂(R f)/∂ϑ = −R f~
    add_skew(-c[2], force_of_screw(1.0, d, phi, e, e_y, n, m)[0], 0, 3, scratch.K_bb)
    add_skew(c[2], force_of_screw(-1.0, d, phi, e, e_y, n, m)[0], 0, 3, scratch.K_aa)
    turn_block(p.R, p.R, scratch.K_aa)
    turn_block(p.R, q.R, scratch.K_ab)
    turn_block(q.R, p.R, scratch.K_ba)
    turn_block(q.R, q.R, scratch.K_bb)


@kernel()
def rod_energy(element: RodElementData, p: Pose, q: Pose, scratch: RodScratch) -> float:
    """U."""
    strain_rod(p, q, scratch)
    load_rod(element, 0, scratch)
    energy = 0.0
    for i in range(6):
        energy += 0.5 * scratch.force[i] * (scratch.screw[i] - element.unstrained[i])
    return energy


@kernel()
def coupled_energy(element: RodElementData, p: Pose, q: Pose) -> float:
    """Kinetic energy of a consistent mass beyond that of a lumped one."""
    x = (q.v[0] - p.v[0], q.v[1] - p.v[1], q.v[2] - p.v[2])
    return -0.5 * element.sixth * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2])

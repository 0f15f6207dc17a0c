"""One element of a rod: a beam in space between two bodies.

Its strain is the screw h from the frame of body a to that of body b (isodyn.bodies.rigid_motions)
against the screw h₀ of the unstrained element, constant along the element of length L:

    ε = (h − h₀)/L,    U = ½ L εᵀC ε,    s = C ε + C_d ε̇ = (N, Q_y, Q_z, T, M_y, M_z)

    on b:  P(h)ᵀ s      on a:  −P(−h)ᵀ s        in the axes of the bodies, as forces and torques

A rigid motion of both bodies leaves h as it is, so that the strain does not see it, and curved and
twisted elements are unstrained exactly. Because h bends the line between the ends, bending and
shear do not lock. Tangents are exact (isodyn.beams.rod_slopes).

Mass is lumped at the nodes, which are bodies. A consistent mass, ρA ∫|ṙ|² with ṙ linear between the
ends, adds the coupling ρAL/6 (r̈_b − r̈_a) to a and the opposite to b.
"""

from __future__ import annotations

from isodyn.beams.rod_tables import RodElementData, RodScratch
from isodyn.bodies.rigid_motions import forces_of_screw, rate_of_screw, screw_between
from isodyn.bodies.rotation_kernels import Vector, rotate, rotate_back, triple
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
        scratch.force[i] = s
    if damped == 1:
        for i in range(6):
            for j in range(6):
                scratch.force[i] += element.damping[i, j] * scratch.rate[j]
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
    on_b, on_a = forces_of_screw(d, phi, e, e_y, n, m)
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

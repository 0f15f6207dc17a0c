"""The memory of flexible bodies in compiled code: tables of all bodies, and scratch memory of one.

Members of a body are its interfaces, which are rigid frames with six velocities, and its modes with
one coordinate each; the first interface carries the floating frame. The deformation

    p = (y₁ − X₁, ϑ₁, y₂ − X₂, ϑ₂, …, η₁, η₂, …)

holds the displacements and rotations of the other interfaces in that frame, then the modes. With
p̂ = (1, p) a point of the body is at Ŝ p̂ in the frame, Ŝ = [X, S].
"""

from __future__ import annotations

from isodyn.kernels.struct import Struct, integer, integers, many, real, reals
from isodyn.kernels.struct_types import StructType


class MemberData(Struct):
    """An interface or mode: its number among the bodies of the mechanism, where its coordinates and
    velocities begin, and the length of its rows in J."""

    body, first_q, first_v, stride = integer, integer, integer, integer


class FlexibleData(Struct):
    """A flexible body: its mass, how many interfaces and modes it has, whether inertia forces
    stiffen it, and where its numbers begin in the arrays of `FlexibleTables`."""

    mass = real
    interfaces, modes, stiffens = integer, integer, integer
    first_member, first_block, first_point = integer, integer, integer
    first_moment, first_inertia, first_matrix, first_stiffening = integer, integer, integer, integer


class FlexibleTables(Struct):
    """All flexible bodies.

    With N the size of p: `points` has the places X of interfaces; `moments` Σ m Ŝ, (3, N + 1);
    `inertia` Σ m Ŝ_αᵀŜ_β, (3, 3, N + 1, N + 1); `stiffness` and `damping` (N, N); `stiffening` the
    geometric stiffness under unit loads, (12 and six for each interface but the first, N, N);
    `blocks` the first entries of the blocks of J between members.
    """

    bodies = many(FlexibleData, "flexible_bodies")
    members = many(MemberData, "flexible_members")
    blocks = integers("flexible_blocks")
    points = reals("flexible_points", 3)
    moments = reals("flexible_moments")
    inertia = reals("flexible_inertia")
    stiffness, damping = reals("flexible_matrices"), reals("flexible_matrices")
    stiffening = reals("flexible_stiffening")


class FlexibleScratch(Struct):
    """Numbers of one body.

    p̂ with rate and acceleration; Σ p̂ᵀ(inertia) and the same of the rate; forces on the frame (in
    its axes) and on p; accelerations of the frame: A₀ of its origin without weight, W = ω~, L = ω̇~
    + ω~²; turns of interfaces against the frame with rates; slopes of the forces over
    accelerations, velocities and p; slopes of these over the velocities of all members; slopes of
    the forces over the latter, and forces on members; forces at interfaces, what unit loads there
    do to p, how bending shortens the body, and K times the slopes of that.
    """

    p, p_rate, p_acceleration = reals("flexible_hat"), reals("flexible_hat"), reals("flexible_hat")
    row, row_rate = reals(3, 3, "flexible_hat"), reals(3, 3, "flexible_hat")
    force = reals("flexible_size")
    A0, moment, moment_rate = reals(3), reals(3), reals(3)
    W, L = reals(3, 3), reals(3, 3)
    second, second_rate, T = reals(3, 3), reals(3, 3), reals(3, 3)
    place, rate, acceleration = (
        reals("flexible_interfaces", 3),
        reals("flexible_interfaces", 3),
        reals("flexible_interfaces", 3),
    )
    R, R_rate = reals("flexible_interfaces", 3, 3), reals("flexible_interfaces", 3, 3)
    M_w, C_w, K_w = (
        reals("flexible_size", "flexible_size"),
        reals("flexible_size", "flexible_size"),
        reals("flexible_size", "flexible_size"),
    )
    along_a, along_v, along_q, slopes = (
        reals("flexible_size", "flexible_size"),
        reals("flexible_size", "flexible_size"),
        reals("flexible_size", "flexible_size"),
        reals("flexible_size", "flexible_size"),
    )
    dR, dR_rate, dR_acceleration = reals(3, 3), reals(3, 3), reals(3, 3)
    column, at_interfaces = reals("flexible_size"), reals("flexible_size")
    levers, shortened = reals("flexible_size", "flexible_size"), reals("flexible_size", "flexible_size")
    shortening = reals("flexible_size")


FLEXIBLE, FLEXIBLE_SCRATCH = StructType(FlexibleTables), StructType(FlexibleScratch)

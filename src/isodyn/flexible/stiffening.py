"""Geometric stiffness of a flexible body: stresses of inertia forces and of forces at its interfaces.

Stresses are those of statics, held at the first interface, under the body forces −ρ(A₀ + L X) and the
forces F at the other interfaces, which are the balance of the interfaces itself, without this term:

    force on p += K_σ p,   K_σ = −A₀_α K_α − L_αβ K_αβ + Σ_c F_c K_c

K_α, K_αβ, K_c are geometric stiffnesses under unit loads (`ReducedBody.stiffening`). F depends on positions,
velocities and accelerations like all forces on p do; its slopes are their rows.
"""

from __future__ import annotations

from isodyn.bodies.rotation_kernels import Vector
from isodyn.flexible.tables import FlexibleData, FlexibleScratch, FlexibleTables
from isodyn.joints.second_order import unit_column
from isodyn.kernels.compiled import FloatArray, kernel

INERTIA = 12  # unit loads of inertia, before those of interfaces


@kernel()
def size_of(body: FlexibleData) -> int:
    """How many numbers p has."""
    return 6 * (body.interfaces - 1) + body.modes


@kernel()
def load_of(body: FlexibleData, case: int, scratch: FlexibleScratch) -> float:
    """How large a unit load is."""
    if case < 3:
        return -scratch.A0[case]
    if case < INERTIA:
        return -scratch.L[case // 3 - 1, case % 3]
    return scratch.at_interfaces[case - INERTIA]


@kernel()
def cases_of(body: FlexibleData) -> int:
    """How many unit loads there are."""
    return INERTIA + 6 * (body.interfaces - 1)


@kernel()
def stiffen(body: FlexibleData, tables: FlexibleTables, scratch: FlexibleScratch) -> None:
    """force on p += K_σ p."""
    for c in range(6 * (body.interfaces - 1)):
        on_p = 6 + c
        scratch.at_interfaces[c] = scratch.force[on_p]
    for case in range(cases_of(body)):
        add_stiffened(body, case, load_of(body, case, scratch), tables, scratch.p, scratch.force)


@kernel()
def add_stiffened(
    body: FlexibleData, case: int, f: float, tables: FlexibleTables, p: FloatArray, out: FloatArray
) -> None:
    """out += f K_case p, behind the six numbers of the frame."""
    n = size_of(body)
    for i in range(n):
        first, x = body.first_stiffening + (case * n + i) * n, 0.0
        for k in range(n):
            x += tables.stiffening[first + k] * p[1 + k]
        on_p = 6 + i
        out[on_p] += f * x


@kernel()
def stiffen_slopes(body: FlexibleData, tables: FlexibleTables, w: Vector, scratch: FlexibleScratch) -> None:
    """Slopes of K_σ p, added to M_w, C_w and K_w."""
    n, held = size_of(body), 6 * (body.interfaces - 1)
    for c in range(held):
        clear_column(6 + n, scratch)
        add_stiffened(body, INERTIA + c, 1.0, tables, scratch.p, scratch.column)
        for i in range(n):
            on_p = 6 + i
            scratch.levers[i, c] = scratch.column[on_p]
    add_slopes_of_interfaces(n, held, scratch.M_w, scratch)
    add_slopes_of_interfaces(n, held, scratch.C_w, scratch)
    add_slopes_of_interfaces(n, held, scratch.K_w, scratch)
    for c in range(3):
        clear_column(6 + n, scratch)
        add_stiffened(body, c, -1.0, tables, scratch.p, scratch.column)
        add_column_to(n, c, scratch.M_w, scratch)
        clear_column(6 + n, scratch)
        i, j = (c + 1) % 3, (c + 2) % 3
        add_stiffened(body, 3 + 3 * j + i, -1.0, tables, scratch.p, scratch.column)
        add_stiffened(body, 3 + 3 * i + j, 1.0, tables, scratch.p, scratch.column)
        add_column_to(n, 3 + c, scratch.M_w, scratch)
        clear_column(6 + n, scratch)
        slope_of_turn(c, w, scratch)
        for a in range(3):
            for b in range(3):
                add_stiffened(body, 3 + 3 * a + b, -scratch.dR[a, b], tables, scratch.p, scratch.column)
        add_column_to(n, 3 + c, scratch.C_w, scratch)
    for case in range(cases_of(body)):
        f = load_of(body, case, scratch)
        for i in range(n):
            row, first = 6 + i, body.first_stiffening + (case * n + i) * n
            for k in range(n):
                column = 6 + k
                scratch.K_w[row, column] += f * tables.stiffening[first + k]


@kernel()
def clear_column(size: int, scratch: FlexibleScratch) -> None:
    """column = 0."""
    for k in range(size):
        scratch.column[k] = 0.0


@kernel()
def add_column_to(n: int, at: int, A: FloatArray, scratch: FlexibleScratch) -> None:
    """Column `at` of A, behind the six rows of the frame, += column."""
    for k in range(6, 6 + n):
        A[k, at] += scratch.column[k]


@kernel()
def add_slopes_of_interfaces(n: int, held: int, A: FloatArray, scratch: FlexibleScratch) -> None:
    """Rows of A on p += Σ_c (K_c p) (row of A on F_c)."""
    for k in range(6 + n):
        for c in range(held):
            row = 6 + c
            scratch.column[c] = A[row, k]
        for i in range(n):
            row, x = 6 + i, 0.0
            for c in range(held):
                x += scratch.levers[i, c] * scratch.column[c]
            A[row, k] += x


@kernel()
def unit(k: int) -> Vector:
    """The axis k."""
    return 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)


@kernel()
def slope_of_turn(c: int, w: Vector, scratch: FlexibleScratch) -> None:
    """∂L/∂ω_c = e_c ωᵀ + ω e_cᵀ − 2 ω_c I, into dR; e_c~ into dR_rate."""
    e = unit(c)
    for i in range(3):
        for j in range(3):
            scratch.dR[i, j] = e[i] * w[j] + w[i] * e[j]
            scratch.dR_rate[i, j] = unit_column(e, j)[i]
        scratch.dR[i, i] -= 2.0 * w[c]

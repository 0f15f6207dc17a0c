"""Geometric stiffness of a flexible body: stresses of inertia forces and of forces at its
interfaces.

Stresses are those of statics, held at the first interface, under the body forces −ρ(A₀ + L X) and
the forces F at the other interfaces. K_α, K_αβ, K_c are geometric stiffnesses under unit loads
(`ReducedBody.stiffening`). By the symmetry of energy K_c is also how far bending shortens the body:
the coordinates of strain are p + s, with

    s_c = ½ pᵀK_c p                       of interfaces; 0 of modes
    F_c = (ŝᵀA₀ + L_αβ N̂_αβ p̂ + K (p + s))_c
    force on p += K s + Σ_c F_c K_c p − (A₀_α K_α + L_αβ K_αβ) p

Without inertia these are the slopes of ½ (p + s)ᵀK (p + s).
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
def load_of(case: int, scratch: FlexibleScratch) -> float:
    """How large a unit load is."""
    if case < 3:
        return -scratch.A0[case]
    if case < INERTIA:
        return -scratch.L[case // 3 - 1, case % 3]
    c = case - INERTIA
    return scratch.at_interfaces[c]


@kernel()
def cases_of(body: FlexibleData) -> int:
    """How many unit loads there are."""
    return INERTIA + 6 * (body.interfaces - 1)


@kernel()
def shorten(body: FlexibleData, tables: FlexibleTables, scratch: FlexibleScratch) -> None:
    """levers = K_c p, column by column, and s."""
    n, held = size_of(body), 6 * (body.interfaces - 1)
    for c in range(held):
        clear_column(6 + n, scratch)
        add_stiffened(body, INERTIA + c, 1.0, tables, scratch.p, scratch.column)
        scratch.shortening[c] = 0.0
        for i in range(n):
            on_p = 6 + i
            scratch.levers[i, c] = scratch.column[on_p]
            scratch.shortening[c] += 0.5 * scratch.p[1 + i] * scratch.column[on_p]


@kernel()
def stiffen(body: FlexibleData, tables: FlexibleTables, scratch: FlexibleScratch) -> None:
    """Add all of it to the force on p."""
    n, held = size_of(body), 6 * (body.interfaces - 1)
    shorten(body, tables, scratch)
    for c in range(held):
        f, first = 0.0, body.first_matrix + c * n
        for a in range(3):
            moments = tables.moments[body.first_moment + a * (n + 1) : body.first_moment + (a + 1) * (n + 1)]
            f += moments[1 + c] * scratch.A0[a]
            for b in range(3):
                f += scratch.L[a, b] * scratch.row[b, a][1 + c]
        for k in range(n):
            f += tables.stiffness[first + k] * (scratch.p[1 + k] + (scratch.shortening[k] if k < held else 0.0))
        scratch.at_interfaces[c] = f
    for i in range(n):
        on_p, first, f = 6 + i, body.first_matrix + i * n, 0.0
        for c in range(held):
            f += tables.stiffness[first + c] * scratch.shortening[c] + scratch.levers[i, c] * scratch.at_interfaces[c]
        scratch.force[on_p] += f
    for case in range(INERTIA):
        add_stiffened(body, case, load_of(case, scratch), tables, scratch.p, scratch.force)


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
    """The slopes of it, added to M_w, C_w and K_w; after `stiffen`."""
    n, held = size_of(body), 6 * (body.interfaces - 1)
    for k in range(6):
        for c in range(held):
            row = 6 + c
            scratch.column[c] = scratch.M_w[row, k]
        add_by_levers(n, held, k, scratch.M_w, scratch)
    for k in range(3):
        slope_of_turn(k, w, scratch)
        for c in range(held):
            scratch.column[c] = 0.0
            for a in range(3):
                for b in range(3):
                    scratch.column[c] += scratch.dR[a, b] * scratch.row[b, a][1 + c]
        add_by_levers(n, held, 3 + k, scratch.C_w, scratch)
    add_curvature(body, tables, scratch)
    add_slopes_of_inertia(body, tables, w, scratch)
    for case in range(cases_of(body)):
        f = load_of(case, scratch)
        for i in range(n):
            row, first = 6 + i, body.first_stiffening + (case * n + i) * n
            for k in range(n):
                column = 6 + k
                scratch.K_w[row, column] += f * tables.stiffening[first + k]


@kernel()
def add_curvature(body: FlexibleData, tables: FlexibleTables, scratch: FlexibleScratch) -> None:
    """K_w += K ∂s/∂p + levers (∂F/∂p)."""
    n, held, shortened = size_of(body), 6 * (body.interfaces - 1), scratch.shortened
    for i in range(n):
        first = body.first_matrix + i * n
        for k in range(n):
            x = 0.0
            for c in range(held):
                x += tables.stiffness[first + c] * scratch.levers[k, c]
            shortened[i, k] = x
    for k in range(n):
        at = 6 + k
        for c in range(held):
            row = 6 + c
            scratch.column[c] = scratch.K_w[row, at] + shortened[c, k]
        add_by_levers(n, held, at, scratch.K_w, scratch)
        for i in range(n):
            row = 6 + i
            scratch.K_w[row, at] += shortened[i, k]


@kernel()
def add_slopes_of_inertia(body: FlexibleData, tables: FlexibleTables, w: Vector, scratch: FlexibleScratch) -> None:
    """−(A₀_α K_α + L_αβ K_αβ) p over A₀, ω̇ and ω."""
    n = size_of(body)
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
def add_by_levers(n: int, held: int, at: int, A: FloatArray, scratch: FlexibleScratch) -> None:
    """Column `at` of A, behind the six rows of the frame, += levers column."""
    for i in range(n):
        row, x = 6 + i, 0.0
        for c in range(held):
            x += scratch.levers[i, c] * scratch.column[c]
        A[row, at] += x


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

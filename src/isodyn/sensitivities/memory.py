"""Memory of tangents and adjoints: the equations of one step, linearised where it converged.

With q̃ = q ⊕ d̃ and q_{n+1} = q ⊕ d₁, increments of configurations in the tangent space of each,

    δq̃ = Ã δq + T̃ δd̃,   δq_{n+1} = A₁ δq + T₁ δd₁      A = exp(−d), T the right tangent of the retraction
    K δq̃ + C δṽ + M δã + Dᵀδλ̃ + ∂balance/∂θ = 0         at the balance
    G₁ δv_{n+1} + Γ δq_{n+1} + ∂φ̇/∂θ = 0                at t_{n+1}; Γ = ∂φ̇/∂q
    G₁ δâ + ∂φ̈/∂v δv_{n+1} + ∂φ̈/∂q δq_{n+1} + ∂φ̈/∂θ = 0   where φ̈ closes; δâ = δa + (1 + φ)δx
    G₁ δq_{n+1} + ∂φ/∂θ = 0
    M_n δp − G_nᵀδμ = H δq + ∂(G_nᵀμ − M_n p)/∂θ          range of the correction; H = ∂(G_nᵀμ − M_n p)/∂q

K, C, M, H are values in the pattern of J, D and G₁ in that of G; full matrices have full patterns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import IntArray
from isodyn.kernels.struct import Struct, integer, integers, reals
from isodyn.kernels.struct_types import StructType
from isodyn.systems.base import System

if TYPE_CHECKING:
    from isodyn.systems.model import Model


class Linear(Struct):
    """One step, linearised."""

    # where rotation vectors are in v, and whether rotations are moved by the Cayley map
    rotations, cayley = integers("rotations"), integer
    # whether the model's own matrices are the derivatives; differences otherwise
    exact = integer
    J_starts, J_columns = integers("J_lines"), integers("J_size")
    G_starts, G_columns = integers("G_lines"), integers("G_size")
    K, C, M, H = reals("J_size"), reals("J_size"), reals("J_size"), reals("J_size")
    D, G_1 = reals("G_size"), reals("G_size")
    S = reals("J_size")  # c₀M + c₁C
    gamma = reals("G_size")  # Γ
    # columns of Γ that share no row are asked for together: columns by groups,
    # and entries with their rows
    groups, columns = integers("groups_and_one"), integers("nv")
    entries_of, entries, rows_of = integers("groups_and_one"), integers("G_size"), integers("G_size")
    second_v, second_q = reals("G_second"), reals("G_second")  # ∂φ̈/∂v and ∂φ̈/∂q, where φ̈ closes
    a_hat = reals("nv")  # the acceleration that φ̈ is asked for with
    polar = integer  # whether Γ comes from φ̈, which is quadratic in v
    M_n, G_n = reals("J_back"), reals("G_back")  # of the range: for adjoints
    A_b, T_b, A_e, T_e = (reals("rotations", 3, 3),) * 4  # at the balance and at the end
    size_v = reals("nv")  # typical sizes, of which differences take a part
    # ---- work
    work, work_m, levels = reals("nv"), reals("m"), reals("m")
    q_plus, big = reals("nq"), reals("four_nv")
    minus_p, no_a, no_lam = reals("nv"), reals("nv"), reals("m")


class Tangents(Struct):
    """Derivatives of the state with respect to every parameter, and of the equations of a step."""

    step, known = integer, integer  # of the run, and since its last start
    q, v, a, da = (reals("parameters", "nv"),) * 4
    lam = reals("parameters", "m")
    old_da, old_lam = reals("parameters", "nv"), reals("parameters", "m")  # one step before
    # ∂/∂θ of balance, of G_nᵀμ − M_n p, and of φ, φ̇ and φ̈, in a step
    f, g = (reals("parameters", "nv"),) * 2
    phi, rate, second = (reals("parameters", "m"),) * 3


class Many(Struct):
    """Several parameters at a time, side by side: derivatives before the step, unknowns,
    residuals."""

    q, v, a, q_1, v_1 = (reals("nv", "width"),) * 5
    x, p, lam = reals("nv", "width"), reals("nv", "width"), reals("m", "width")  # unknowns δΔa, δp, δλ̃
    # what the residuals of balance, q_{n+1} and v_{n+1} are without the unknowns
    base, base_q, base_v = (reals("nv", "width"),) * 3
    r, d, turned = (reals("nv", "width"),) * 3
    phi, rate, second, gap_q, gap_v, gap_a = (reals("m", "width"),) * 6
    B, P, X = (reals("unknowns", "width"),) * 3  # right-hand sides, and memory for solutions
    change, before = reals("width"), reals("width")


class Varied(Struct):
    """The equations that each parameter stands in (isodyn.sensitivities.pieces): addresses of
    tables at the points of a difference, those at its own value last, and of scratch memory; the
    weights with which their answers make a derivative; which equations these are."""

    tables, scratch = integers("parameters", 5), integers("parameters")
    weights = reals("parameters", 5)
    in_balance, in_rows, in_range = integers("parameters"), integers("parameters"), integers("parameters")
    # places in the whole, those of one parameter behind those of the one before it
    first_q, first_v, first_row = (integers("parameters_and_one"),) * 3
    q_of, v_of, row_of = integers("of_q"), integers("of_v"), integers("of_rows")
    # ---- of the parameter at hand: a state, an answer, derivatives of balance, range, φ, φ̇ and φ̈
    q, v, a, lam = reals("most_q"), reals("most_v"), reals("most_v"), reals("most_rows")
    answer, answer_m = reals("most_v"), reals("most_rows")
    f, g = reals("most_v"), reals("most_v")
    phi, rate, second = (reals("most_rows"),) * 3


class Derivatives(Struct):
    """Derivatives of the rows of a solution."""

    q, v, a = (reals("rows", "parameters", "nv"),) * 3
    lam = reals("rows", "parameters", "m")


class Together(Struct):
    """Addresses of what a march with derivatives works on: Linear, Varied, Tangents, Many and
    Derivatives."""

    linear, varied, tangents, many, out = (integer,) * 5


class Tape(Struct):
    """Steps of a run, one after the other: their beginnings, their unknowns, their ends."""

    count = integer
    t, dt, dt_before, t_after = (reals("steps"),) * 4
    leg = integers("steps")
    shift, row = reals("steps"), integers("steps")  # of a at the end of the step; row of the solution, or −1
    q, v, a, da, lam = (
        reals("steps", "nq"),
        reals("steps", "nv"),
        reals("steps", "nv"),
        reals("steps", "nv"),
        reals("steps", "m"),
    )
    x, p, lam_b, mu = reals("steps", "nv"), reals("steps", "nv"), reals("steps", "m"), reals("steps", "m")
    q_1, v_1 = reals("steps", "nq"), reals("steps", "nv")


class Adjoint(Struct):
    """Derivatives of an objective by the state, and the multipliers of one step."""

    q, v, a, da, lam = reals("nv"), reals("nv"), reals("nv"), reals("nv"), reals("m")
    by = reals("parameters")  # derivatives of the objective by the parameters
    w_1, w_2, w_3, w_4 = reals("nv"), reals("m"), reals("m"), reals("nv")
    # those of the two steps after, and of how many steps since the last jump
    old_1, old_2, old_3, old_4, known = reals("nv"), reals("m"), reals("m"), reals("nv"), integer
    older_1, older_2, older_3, older_4 = reals("nv"), reals("m"), reals("m"), reals("nv")
    Q_1, V_1, A_1, D_1, Kw, D_b, Cw, Mw = (reals("nv"),) * 8
    u, u_2, B, X = reals("m"), reals("m"), reals("unknowns", 1), reals("unknowns", 1)
    # of the rows of a solution: derivatives of the objective
    row_q, row_v, row_a, row_lam = reals("rows", "nv"), reals("rows", "nv"), reals("rows", "nv"), reals("rows", "m")


TAPE, ADJOINT = StructType(Tape), StructType(Adjoint)
TOGETHER = StructType(Together)


def patterns(model: Model, nv: int, m: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Patterns of J and G; full ones where a model has none."""
    known = model.sparsity
    if known is not None:
        return known.J_starts, known.J_columns, known.G_starts, known.G_columns
    full_J, full_G = np.tile(np.arange(nv), nv), np.tile(np.arange(nv), m)
    return np.arange(nv + 1) * nv, full_J, np.arange(m + 1) * nv, full_G


def groups_of(starts: IntArray, columns: IntArray, nv: int) -> list[list[int]]:
    """Columns of a pattern in groups, of which no two in a group share a row.

    >>> groups_of(np.array([0, 2, 4]), np.array([0, 1, 1, 2]), 3)
    [[0, 2], [1]]
    """
    rows_of: list[list[int]] = [[] for _ in range(nv)]
    for i in range(starts.size - 1):
        for j in columns[starts[i] : starts[i + 1]]:
            rows_of[j].append(i)
    groups: list[tuple[list[int], set[int]]] = []
    for j, rows in enumerate(rows_of):
        for members, taken in groups:
            if taken.isdisjoint(rows):
                members.append(j)
                taken.update(rows)
                break
        else:
            groups.append(([j], set(rows)))
    return [members for members, _ in groups]


def new_linear(
    system: System,
    model: Model,
    *,
    exact: bool,
    rotations: IntArray,
    cayley: bool,
    transposed: bool,
    second: bool,
    groups: list[list[int]],
) -> Linear:
    """Memory for the linearised steps of a system; with what adjoints need where they are asked
    for, and with `second` what φ̈ needs. `groups` are the columns of Γ that may be other than zero,
    those together that share no row."""
    nq, nv, m = system.nq, system.nv, system.m
    J_starts, J_columns, G_starts, G_columns = patterns(model, nv, m)
    linear = Linear(
        nq=nq,
        nv=nv,
        m=m,
        four_nv=4 * nv,
        rotations=rotations.size,
        J_lines=J_starts.size,
        J_size=J_columns.size,
        G_lines=G_starts.size,
        G_size=G_columns.size,
        groups_and_one=len(groups) + 1,
        G_second=G_columns.size if second else 0,
        J_back=J_columns.size if transposed else 0,
        G_back=G_columns.size if transposed else 0,
    )
    linear.J_starts, linear.J_columns, linear.G_starts, linear.G_columns = J_starts, J_columns, G_starts, G_columns
    linear.rotations, linear.cayley, linear.exact = rotations, int(cayley), int(exact)
    linear.size_v = system.scales.v
    if groups:
        group = np.full(nv, len(groups), dtype=np.int64)  # columns of zeros come last, in no group
        for k, members in enumerate(groups):
            group[members] = k
        of_entries = group[G_columns]
        linear.columns, linear.entries = np.argsort(group, kind="stable"), np.argsort(of_entries, kind="stable")
        linear.rows_of = np.repeat(np.arange(m), np.diff(G_starts))[linear.entries]
        linear.groups = np.searchsorted(group[linear.columns], np.arange(len(groups) + 1))
        linear.entries_of = np.searchsorted(of_entries[linear.entries], np.arange(len(groups) + 1))
    return linear

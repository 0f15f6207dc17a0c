"""Memory of tangents and adjoints: the equations of one step, linearised where it converged.

With q̃ = q ⊕ d̃ and q_{n+1} = q ⊕ d₁, increments of configurations in the tangent space of each,

    δq̃ = Ã δq + T̃ δd̃,   δq_{n+1} = A₁ δq + T₁ δd₁      A = exp(−d), T the right tangent of the retraction
    K δq̃ + C δṽ + M δã + Dᵀδλ̃ + ∂balance/∂θ = 0         at the balance
    G₁ δv_{n+1} + Γ δq_{n+1} + ∂φ̇/∂θ = 0                at t_{n+1}; Γ = ∂φ̇/∂q
    G₁ δq_{n+1} + ∂φ/∂θ = 0
    M_n δp − G_nᵀδμ = H δq + ∂(G_nᵀμ − M_n p)/∂θ          range of the correction; H = ∂(G_nᵀμ − M_n p)/∂q

K, C, M, H are values in the pattern of J, D and G₁ in that of G; full matrices have full patterns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.kernels.compiled import IntArray
from isodyn.kernels.struct import Struct, integer, integers, reals
from isodyn.kernels.struct_types import StructType
from isodyn.systems.base import System


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
    gamma = reals("gamma_size")  # Γ where it is needed as a matrix
    # of the range, and ∂balance/∂q without multipliers at t_{n+1}: for adjoints
    M_n, K_1, G_n = reals("J_back"), reals("J_back"), reals("G_back")
    A_b, T_b, A_e, T_e = (reals("rotations", 3, 3),) * 4  # at the balance and at the end
    size_v = reals("nv")  # typical sizes, of which differences take a part
    # ---- one parameter at a time
    dq, dv, da, dlam = reals("nv"), reals("nv"), reals("nv"), reals("m")  # at the balance
    d, x, p, lam = reals("nv"), reals("nv"), reals("nv"), reals("m")  # unknowns δΔa, δp, δλ̃
    q_1, v_1 = reals("nv"), reals("nv")
    r, gap_q, gap_v = reals("nv"), reals("m"), reals("m")
    work, work_m, levels = reals("nv"), reals("m"), reals("two_m")
    q_plus, big = reals("nq"), reals("four_nv")
    minus_p, no_a, no_lam = reals("nv"), reals("nv"), reals("m")


class Tangents(Struct):
    """Derivatives of the state with respect to every parameter, and of the equations of a step."""

    step = integer  # of the run
    q, v, a, da = (reals("parameters", "nv"),) * 4
    lam = reals("parameters", "m")
    # ∂/∂θ of balance, φ, φ̇ and of G_nᵀμ − M_n p, in a step
    f, phi, rate, g = (
        reals("parameters", "nv"),
        reals("parameters", "m"),
        reals("parameters", "m"),
        reals("parameters", "nv"),
    )


class Varied(Struct):
    """The same model with other values of one parameter: addresses of its tables at five values, and
    the weights with which their answers make a derivative; which equations the parameter stands
    in."""

    tables = integers("parameters", 5)
    weights = reals("parameters", 5)
    in_balance, in_rows, in_range = integers("parameters"), integers("parameters"), integers("parameters")


class Derivatives(Struct):
    """Derivatives of the rows of a solution."""

    q, v, a = (reals("rows", "parameters", "nv"),) * 3
    lam = reals("rows", "parameters", "m")


class Together(Struct):
    """Addresses of what a march with derivatives works on: Linear, Varied, Tangents,
    scratch memory of the varied model, and Derivatives."""

    linear, varied, tangents, scratch, out = (integer,) * 5


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
    Q_1, V_1, D_1, Kw, D_b, Cw, Mw = (reals("nv"),) * 7
    u, B, X = reals("m"), reals("unknowns", 1), reals("unknowns", 1)
    K_u = reals("J_back")
    # of the rows of a solution: derivatives of the objective
    row_q, row_v, row_a, row_lam = reals("rows", "nv"), reals("rows", "nv"), reals("rows", "nv"), reals("rows", "m")


LINEAR, TANGENTS, VARIED = StructType(Linear), StructType(Tangents), StructType(Varied)
TAPE, ADJOINT = StructType(Tape), StructType(Adjoint)
TOGETHER = StructType(Together)


def patterns(model: Any, nv: int, m: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Patterns of J and G; full ones where a model has none."""
    known = model.sparsity
    if known is not None:
        return known.J_starts, known.J_columns, known.G_starts, known.G_columns
    full_J, full_G = np.tile(np.arange(nv), nv), np.tile(np.arange(nv), m)
    return np.arange(nv + 1) * nv, full_J, np.arange(m + 1) * nv, full_G


def new_linear(
    system: System, model: Any, *, exact: bool, rotations: IntArray, cayley: bool, transposed: bool
) -> Linear:
    """Memory for the linearised steps of a system; with Γ as a matrix where adjoints need it."""
    nq, nv, m = system.nq, system.nv, system.m
    J_starts, J_columns, G_starts, G_columns = patterns(model, nv, m)
    linear = Linear(
        nq=nq,
        nv=nv,
        m=m,
        two_m=2 * m,
        four_nv=4 * nv,
        rotations=rotations.size,
        J_lines=J_starts.size,
        J_size=J_columns.size,
        G_lines=G_starts.size,
        G_size=G_columns.size,
        gamma_size=m * nv if transposed and not exact else 0,
        J_back=J_columns.size if transposed else 0,
        G_back=G_columns.size if transposed else 0,
    )
    linear.J_starts, linear.J_columns, linear.G_starts, linear.G_columns = J_starts, J_columns, G_starts, G_columns
    linear.rotations, linear.cayley, linear.exact = rotations, int(cayley), int(exact)
    linear.size_v = system.scales.v
    return linear

"""Force laws by formulas: values and tangents.

F(t, y, ẏ) acts along a measure with gradient g, so f = −F in the words of isodyn.mechanism.forces;
y are other measures with gradients g_y:

    ∂(g f)/∂q = −g Σ [F_y g_yᵀ + F_ẏ (vᵀK_y)] + f K        ∂(g f)/∂v = −g Σ F_ẏ g_yᵀ

The slopes F_y come from the program of the formula, one run for each name.
"""

from __future__ import annotations

from numba import types

from isodyn.joints.measures import GRADIENT, POSE, SECOND, SLOPES, STIFFNESS, V_
from isodyn.kernels.compiled import F, FloatArray, I, IntArray, f8, i8, kernel
from isodyn.mechanism.nodes import is_node, part
from isodyn.mechanism.places import add_blocks, add_curvatures, along, has_nodes, measure_of, stiffness_of
from isodyn.parts.formulas import run_program
from isodyn.parts.layout import (
    BODIES,
    BODY,
    COLUMNS,
    F_FACTOR,
    F_POSE,
    F_TIME,
    F_WORK,
    FREEDOM,
    I_BODY,
    I_INPUT,
    I_LAW,
    I_MEASURE,
    I_TIME,
    INPUT,
    LAW,
    MEASURE,
    STRIDE,
    TIME,
)


@kernel(f8(i8, f8, F, F, I), inner=True, apart=True)
def formula_force(k: int, t: float, v: FloatArray, pf: FloatArray, pi: IntArray) -> float:
    """f of law k."""
    set_inputs(k, t, v, pf, pi)
    return -pf[pi[F_FACTOR]] * run_program(pf, program_of(k, pi))[0]


@kernel()
def program_of(k: int, pi: IntArray) -> int:
    """Where the program of law k is in pf."""
    return pi[F_TIME] + pi[pi[I_TIME] + TIME * pi[pi[I_LAW] + LAW * k + 2] + 1]


@kernel()
def set_inputs(k: int, t: float, v: FloatArray, pf: FloatArray, pi: IntArray) -> None:
    """Values of the names of law k into its program; no slopes."""
    o, p = pi[I_LAW] + LAW * k, program_of(k, pi)
    names = pi[o + 4]
    for i in range(names):
        n = pi[I_INPUT] + INPUT * (pi[o + 3] + i)
        value = t
        if pi[n + 1] < 2:
            value = measure_of(pi[n], SECOND, pf, pi)
            if pi[n + 1] == 1:
                value = along(pi[n], SECOND, v, pf, pi)
        pf[p + 2 + i] = value
        pf[p + 2 + names + i] = 0.0


@kernel()
def component(body: int, k: int, g: int, pf: FloatArray, pi: IntArray) -> float:
    """Component k of the velocities of a body in six numbers at g."""
    if is_node(body, pi):
        return part(body, k, g, pf, pi)
    b = pi[I_BODY] + BODY * body
    for i in range(6):
        if pi[b + COLUMNS + i] == k:
            return pf[g + i]
    return 0.0


@kernel()
def add_outer(m: int, n: int, g: int, h: int, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """J += g hᵀ, g over the bodies of measure m and h over those of input n."""
    a, c = pi[I_MEASURE] + MEASURE * m, pi[I_MEASURE] + MEASURE * pi[n]
    for side in range(2):
        one = pi[a + 1 + side]
        if one == pi[BODIES]:
            continue
        b = pi[I_BODY] + BODY * one
        for other in range(2):
            two, block = pi[c + 1 + other], pi[n + 2 + 2 * side + other]
            if two == pi[BODIES] or block < 0:
                continue
            for i in range(pi[b + FREEDOM]):
                x = component(one, i, g + 6 * side, pf, pi)
                for j in range(pi[pi[I_BODY] + BODY * two + FREEDOM]):
                    out[block + i * pi[b + STRIDE] + j] += x * component(two, j, h + 6 * other, pf, pi)


@kernel()
def rate_slopes(m: int, y: int, pf: FloatArray, pi: IntArray) -> None:
    """vᵀK of measure m, whose stiffness is in its place, into pf[y:y+12]."""
    n, K = pi[I_MEASURE] + MEASURE * m, pi[F_WORK] + STIFFNESS
    p, q = (pi[F_POSE] + POSE * pi[n + 1] + V_, pi[F_POSE] + POSE * pi[n + 2] + V_)
    for b in range(12):
        pf[y + b] = 0.0
        for a in range(6):
            pf[y + b] += pf[p + a] * pf[K + a * 12 + b] + pf[q + a] * pf[K + (6 + a) * 12 + b]


@kernel(types.void(i8, f8, F, F, F, I, F), inner=True, apart=True)
def add_formula_tangent(
    k: int, t: float, v: FloatArray, c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> None:
    """J += c₁ ∂(g f)/∂v + c₂ ∂(g f)/∂q of a law by a formula."""
    o, p, w = pi[I_LAW] + LAW * k, program_of(k, pi), pi[F_WORK]
    m, names, factor = pi[o + 1], pi[o + 4], -pf[pi[F_FACTOR]]
    set_inputs(k, t, v, pf, pi)
    for i in range(names):
        n = pi[I_INPUT] + INPUT * (pi[o + 3] + i)
        if pi[n + 1] == 2:
            continue
        pf[p + 2 + names + i] = 1.0
        slope = factor * run_program(pf, p)[1]
        pf[p + 2 + names + i] = 0.0
        f_x, f_rate = (slope, 0.0) if pi[n + 1] == 0 else (0.0, slope)
        measure_of(pi[n], GRADIENT, pf, pi)
        stiffness_of(pi[n], pf, pi)
        rate_slopes(pi[n], w + SECOND, pf, pi)
        for b in range(12):
            along_g = (c[2] * f_x + c[1] * f_rate) * pf[w + GRADIENT + b]
            pf[w + SLOPES + b] = along_g + c[2] * f_rate * pf[w + SECOND + b]
        measure_of(m, GRADIENT, pf, pi)
        add_outer(m, n, w + GRADIENT, w + SLOPES, pf, pi, out)
    f = factor * run_program(pf, p)[0]
    measure_of(m, GRADIENT, pf, pi)
    stiffness_of(m, pf, pi)
    add_blocks(m, STIFFNESS, c[2] * f, pf, pi, out)
    if has_nodes(m, pi) and c[2] != 0.0:
        add_curvatures(m, c[2] * f, pf, pi, out)

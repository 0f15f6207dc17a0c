"""Force laws by formulas: values and tangents.

F(t, y, ẏ) acts along a measure with gradient g, so f = −F in the words of isodyn.multibody.laws;
y are other measures with gradients g_y:

    ∂(g f)/∂q = −g Σ [F_y (∂y/∂q)ᵀ + F_ẏ (vᵀK_y)] + f K        ∂(g f)/∂v = −g Σ F_ẏ g_yᵀ

The slopes F_y come from the program of the formula, one run for each name.
"""

from __future__ import annotations

from numba import types

from isodyn.expressions.formula_kernels import run_formula
from isodyn.expressions.time_kernels import at_time
from isodyn.joints.measures import R_I, R_J, W_I, W_J
from isodyn.kernels.compiled import F, FloatArray, f8, i8, kernel
from isodyn.multibody.nodes import part
from isodyn.multibody.places import add_blocks, add_curvatures, along, has_nodes, measure_of, slope_of, stiffness_of
from isodyn.multibody.tables import (
    NODE,
    RATE_OF,
    SCRATCH,
    TABLES,
    TIME,
    VALUE_OF,
    BodyData,
    InputData,
    LawData,
    Scratch,
    Tables,
)


@kernel(f8(i8, f8, F, TABLES, SCRATCH), inner=True, apart=True)
def formula_force(k: int, t: float, v: FloatArray, tables: Tables, scratch: Scratch) -> float:
    """f of law k."""
    law = tables.laws[k]
    set_inputs(law, t, v, tables, scratch)
    return -tables.load_factor * run_formula(law.formula, tables.time.formulas, scratch.formulas)[0]


@kernel()
def set_inputs(law: LawData, t: float, v: FloatArray, tables: Tables, scratch: Scratch) -> None:
    """Values of the names of a law for its formula; no slopes. In the place of the time a law may
    have a function of it."""
    first, g = tables.time.formulas.formulas[law.formula].first_name, scratch.measure.second
    for i in range(law.inputs):
        item = tables.inputs[law.first_input + i]
        value = t
        if item.meaning == TIME and law.shift >= 0:
            value = at_time(law.shift, t, tables.time, scratch.formulas)[0]
        elif item.meaning != TIME:
            value = measure_of(item.measure, g, tables, scratch)
            if item.meaning == RATE_OF:
                value = along(item.measure, g, v, tables, scratch)
        scratch.formulas.given[first + i] = value
        scratch.formulas.slopes[first + i] = 0.0


@kernel()
def component_of(k: int, n: int, g: FloatArray, side: int, tables: Tables, scratch: Scratch) -> float:
    """Component n of the velocities of body k in the six numbers of a side of g."""
    body: BodyData = tables.bodies[k]
    if body.kind >= NODE:
        return part(body, scratch.poses[k], n, g, side)
    for i in range(6):
        if body.columns[i] == n:
            return g[6 * side + i]
    return 0.0


@kernel()
def add_outer(
    m: int, item: InputData, g: FloatArray, h: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """J += g hᵀ, g over the bodies of measure m and h over those of an input."""
    own, others = tables.measures[m].bodies, tables.measures[item.measure].bodies
    for side in range(2):
        one = own[side]
        if one == tables.ground:
            continue
        body = tables.bodies[one]
        for other in range(2):
            two, block = others[other], item.blocks[side, other]
            if two == tables.ground or block < 0:
                continue
            for i in range(body.freedom):
                x = component_of(one, i, g, side, tables, scratch)
                for j in range(tables.bodies[two].freedom):
                    y = component_of(two, j, h, other, tables, scratch)
                    out[block + i * body.stride + j] += x * y


@kernel()
def rate_slopes(m: int, y: FloatArray, tables: Tables, scratch: Scratch) -> None:
    """vᵀK of measure m, whose stiffness is in its place, into y."""
    own, K = tables.measures[m], scratch.measure.K
    p, q = scratch.poses[own.bodies[0]], scratch.poses[own.bodies[1]]
    for b in range(12):
        y[b] = 0.0
        for a in range(3):
            y[b] += p.v[a] * K[R_I + a, b] + q.v[a] * K[R_J + a, b]
        for a in range(3):
            y[b] += p.w[a] * K[W_I + a, b] + q.w[a] * K[W_J + a, b]


@kernel(types.void(i8, f8, F, F, TABLES, SCRATCH, F), inner=True, apart=True)
def add_formula_tangent(
    k: int, t: float, v: FloatArray, c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """J += c₁ ∂(g f)/∂v + c₂ ∂(g f)/∂q of a law by a formula."""
    law, formulas, factor = tables.laws[k], tables.time.formulas, -tables.load_factor
    m, g, y, h = law.measure, scratch.measure.gradient, scratch.measure.second, scratch.input_slopes
    first = formulas.formulas[law.formula].first_name
    set_inputs(law, t, v, tables, scratch)
    for i in range(law.inputs):
        item = tables.inputs[law.first_input + i]
        if item.meaning == TIME:
            continue
        scratch.formulas.slopes[first + i] = 1.0
        slope = factor * run_formula(law.formula, formulas, scratch.formulas)[1]
        scratch.formulas.slopes[first + i] = 0.0
        f_x, f_rate = (slope, 0.0) if item.meaning == VALUE_OF else (0.0, slope)
        measure_of(item.measure, g, tables, scratch)
        stiffness_of(item.measure, tables, scratch)
        rate_slopes(item.measure, y, tables, scratch)
        if item.meaning == VALUE_OF:
            slope_of(item.measure, g, g, tables, scratch)
        for b in range(12):
            h[b] = (c[2] * f_x + c[1] * f_rate) * g[b] + c[2] * f_rate * y[b]
        measure_of(m, g, tables, scratch)
        add_outer(m, item, g, h, tables, scratch, out)
    f = factor * run_formula(law.formula, formulas, scratch.formulas)[0]
    measure_of(m, g, tables, scratch)
    stiffness_of(m, tables, scratch)
    add_blocks(m, scratch.measure.K, c[2] * f, tables, scratch, out)
    if has_nodes(m, tables) and c[2] != 0.0:
        add_curvatures(m, c[2] * f, tables, scratch, out)

"""Force laws along a measure, with their tangents.

A law adds −g f(x, ẋ, t) to the forces, so +g f to the balance; its tangents follow from those of f
and from K = ∂g/∂q:

    ∂(g f)/∂q = g f_x (∂x/∂q)ᵀ + g f_ẋ (vᵀK) + f K        ∂(g f)/∂v = g f_ẋ gᵀ

∂x/∂q = g but for turns in space off the constraints of their joints: g is the axis of the joint
there.

    SPRING    f = k y + k₃ y³ + c ẋ,  y = x − x₀ − s(t)             LIMIT     k and c outside of [low, high] only
    SPEED     f = c (ẋ − s(t)), or −s(t) as an effort (motors: speed or torque)
    FRICTION  f = N (μ_k + (μ_s − μ_k) exp(−(ẋ/v_s)²)) tanh(ẋ/v_r), N = N₀ + arm·|λ| of the joint's own rows  [Fan2005 (33) adapted]
    BY_FORMULA   isodyn.multibody.formula_laws

With friction the balance depends on λ beyond Gᵀλ; that derivative is left out of the step's matrix,
and is part of what MULTIPLIERS answers:

    ∂(g f)/∂λ = g arm μ(ẋ) tanh(ẋ/v_r) λᵀ/|λ|
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.expressions.time_kernels import at_time
from isodyn.kernels.compiled import IDEAL, F, FloatArray, f8, kernel
from isodyn.loads.laws import BY_FORMULA, FRICTION, LIMIT, SPEED, SPRING
from isodyn.multibody.formula_laws import add_formula_tangent, formula_force, rate_slopes
from isodyn.multibody.places import (
    add_blocks,
    add_curvatures,
    add_slopes_of_rate,
    add_to_bodies,
    add_to_row,
    along,
    has_nodes,
    measure_of,
    slope_of,
    stiffness_of,
)
from isodyn.multibody.tables import SCRATCH, TABLES, LawData, Scratch, Tables


@kernel()
def force_of_law(
    law: LawData, t: float, x: float, rate: float, lam: FloatArray, tables: Tables, scratch: Scratch
) -> tuple[float, float, float]:
    """f, f_x, f_ẋ."""
    s = at_time(law.shift, t, tables.time, scratch.formulas)[0]
    if law.kind == SPRING:
        y = x - law.rest - s
        f = law.stiffness * y + law.cubic * y * y * y + law.damping * rate
        return f, law.stiffness + 3.0 * law.cubic * y * y, law.damping
    if law.kind == LIMIT:
        over = max(x - law.high, 0.0) - max(law.low - x, 0.0)
        if over == 0.0:
            return 0.0, 0.0, 0.0
        return law.stiffness * over + law.damping * rate, law.stiffness, law.damping
    if law.kind == SPEED:
        if law.is_effort == 1:
            return -tables.load_factor * s, 0.0, 0.0
        return law.damping * (rate - s), 0.0, law.damping
    return friction(law, rate, lam)


@kernel()
def friction(law: LawData, rate: float, lam: FloatArray) -> tuple[float, float, float]:
    """f, f_x, f_ẋ of friction."""
    normal = law.preload + law.arm * reaction(law, lam)
    level, slope = resistance(law, rate)
    return normal * level, 0.0, normal * slope


@kernel()
def reaction(law: LawData, lam: FloatArray) -> float:
    """|λ| of the joint of a friction."""
    squares = 0.0
    for r in range(law.first_row, law.first_row + law.rows):
        squares += lam[r] * lam[r]
    return np.sqrt(squares)


@kernel()
def resistance(law: LawData, rate: float) -> tuple[float, float]:
    """Friction by a unit normal force, and its slope by the rate."""
    bump = np.exp(-((rate / law.stribeck) ** 2))
    mu, sign = law.mu + (law.mu_static - law.mu) * bump, np.tanh(rate / law.creep)
    slope = (
        mu * (1.0 - sign * sign) / law.creep
        - 2.0 * (law.mu_static - law.mu) * bump * rate / (law.stribeck * law.stribeck) * sign
    )
    return mu * sign, slope


@kernel(types.void(f8, F, F, types.boolean, TABLES, SCRATCH, F), inner=True, apart=True)
def add_laws(
    t: float, v: FloatArray, lam: FloatArray, ideal: bool, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """out += g f over all laws, or over those that do not depend on λ."""
    g = scratch.measure.gradient
    for k in range(len(tables.laws)):
        law = tables.laws[k]
        m = law.measure
        if law.kind == FRICTION and ideal:
            continue
        if law.kind == BY_FORMULA:
            f = formula_force(k, t, v, tables, scratch)
            measure_of(m, g, tables, scratch)
        else:
            x = measure_of(m, g, tables, scratch)
            f = force_of_law(law, t, x, along(m, g, v, tables, scratch), lam, tables, scratch)[0]
        add_to_bodies(m, g, f, tables, scratch, out)


@kernel(types.void(f8, F, F, F, TABLES, SCRATCH, F), inner=True, apart=True)
def add_law_tangents(
    t: float, v: FloatArray, lam: FloatArray, c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """J += c₁ ∂(g f)/∂v + c₂ ∂(g f)/∂q over all laws."""
    g, K, y, h = scratch.measure.gradient, scratch.measure.K, scratch.measure.second, scratch.input_slopes
    for k in range(len(tables.laws)):
        law = tables.laws[k]
        m = law.measure
        if law.kind == BY_FORMULA:
            add_formula_tangent(k, t, v, c, tables, scratch, out)
            continue
        if law.kind == FRICTION and c[3] == IDEAL:
            continue
        x = measure_of(m, g, tables, scratch)
        f, f_x, f_rate = force_of_law(law, t, x, along(m, g, v, tables, scratch), lam, tables, scratch)
        slope_of(m, g, h, tables, scratch)
        stiffness_of(m, tables, scratch)
        rate_slopes(m, y, tables, scratch)
        for a in range(12):
            for b in range(12):
                along_g = c[2] * (f_x * h[b] + f_rate * y[b]) + c[1] * f_rate * g[b]
                K[a, b] = c[2] * f * K[a, b] + g[a] * along_g
        add_blocks(m, K, 1.0, tables, scratch, out)
        if has_nodes(m, tables) and c[2] != 0.0:
            add_curvatures(m, c[2] * f, tables, scratch, out)
            add_slopes_of_rate(m, c[2] * f_rate, tables, scratch, out)


@kernel(types.void(F, F, TABLES, SCRATCH, F), inner=True, apart=True)
def add_reaction_slopes(v: FloatArray, lam: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out += ∂(g f)/∂λ over all frictions, in the places of G."""
    g = scratch.measure.gradient
    for k in range(len(tables.laws)):
        law = tables.laws[k]
        if law.kind != FRICTION:
            continue
        size = reaction(law, lam)
        if size == 0.0:
            continue
        measure_of(law.measure, g, tables, scratch)
        slope = law.arm * resistance(law, along(law.measure, g, v, tables, scratch))[0] / size
        for r in range(law.first_row, law.first_row + law.rows):
            add_to_row(r, law.measure, g, slope * lam[r], tables, scratch, out)


@kernel()
def potential_of_law(law: LawData, t: float, tables: Tables, scratch: Scratch) -> float:
    """Energy stored in a law: of springs and limits."""
    if law.kind == SPRING:
        x = measure_of(law.measure, scratch.measure.gradient, tables, scratch)
        y = x - law.rest - at_time(law.shift, t, tables.time, scratch.formulas)[0]
        return 0.5 * law.stiffness * y * y + 0.25 * law.cubic * y**4
    if law.kind == LIMIT:
        x = measure_of(law.measure, scratch.measure.gradient, tables, scratch)
        over = max(x - law.high, 0.0) - max(law.low - x, 0.0)
        return 0.5 * law.stiffness * over * over
    return 0.0


@kernel()
def potential_of_laws(t: float, tables: Tables, scratch: Scratch) -> float:
    """Energy stored in springs and limits."""
    energy = 0.0
    for k in range(len(tables.laws)):
        energy += potential_of_law(tables.laws[k], t, tables, scratch)
    return energy

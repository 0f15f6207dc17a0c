"""Force elements of a mechanism: laws along a measure, and loads on one body, with their tangents.

A law adds −g f(x, ẋ, t) to the forces, so +g f to the balance; its tangents follow from those of f
and from K = ∂g/∂q:

    ∂(g f)/∂q = g f_x gᵀ + g f_ẋ (vᵀK) + f K        ∂(g f)/∂v = g f_ẋ gᵀ

    SPRING    f = k y + k₃ y³ + c ẋ,  y = x − x₀ − s(t)             LIMIT     k and c outside of [low, high] only
    SPEED     f = c (ẋ − s(t)) − s₀(t)  (motors: speed or torque)
    BY_FORMULA  f = −F(t, y, ẏ), y other measures with their own g_y: ∂f/∂q = −Σ F_y g_yᵀ + F_ẏ
    (vᵀK_y), ∂f/∂v = −Σ F_ẏ g_yᵀ FRICTION  f = N (μ_k + (μ_s − μ_k) exp(−(ẋ/v_s)²)) tanh(ẋ/v_r),
    N = N₀ + arm·|λ| of the joint's own rows  [Fan2005 (33) adapted]

With friction the balance depends on λ beyond Gᵀλ; that derivative is left out of the step's matrix.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.bodies.rotation_kernels import Vector, cross, dot, put, rotate, rotate_back, sum_of, vector
from isodyn.joints.measures import GRADIENT, POSE, R_, SECOND, STIFFNESS, V_, W_, axis_column
from isodyn.kernels.compiled import F, FloatArray, I, IntArray, f8, kernel
from isodyn.mechanism.formula_laws import add_formula_tangent, formula_force, rate_slopes
from isodyn.mechanism.nodes import add_curvature, add_matrix, is_node
from isodyn.mechanism.places import (
    add_blocks,
    add_curvatures,
    add_slopes_of_rate,
    add_to_bodies,
    add_to_body,
    along,
    has_nodes,
    measure_of,
    stiffness_of,
)
from isodyn.parts.layout import (
    BLOCK,
    BODY,
    BODY_TORQUE,
    BY_FORMULA,
    COLUMNS,
    DRAG,
    F_FACTOR,
    F_LAW,
    F_LOAD,
    F_POSE,
    F_WORK,
    FOLLOWER,
    FORCE,
    I_BODY,
    I_LAW,
    I_LOAD,
    LAW,
    LAW_NUMBERS,
    LAWS,
    LIMIT,
    LOAD,
    LOAD_NUMBERS,
    LOADS,
    SPEED,
    SPRING,
    STRIDE,
    TORQUE,
)
from isodyn.parts.time_functions import at_time


@kernel()
def law(
    k: int, t: float, x: float, rate: float, lam: FloatArray, pf: FloatArray, pi: IntArray
) -> tuple[float, float, float]:
    """f, f_x, f_ẋ of law k."""
    o, c = pi[I_LAW] + LAW * k, pi[F_LAW] + LAW_NUMBERS * k
    s = at_time(pi[o + 2], t, pf, pi)[0]
    if pi[o] == SPRING:
        y = x - pf[c + 2] - s
        return pf[c + 0] * y + pf[c + 3] * y * y * y + pf[c + 1] * rate, pf[c + 0] + 3.0 * pf[c + 3] * y * y, pf[c + 1]
    if pi[o] == LIMIT:
        over = max(x - pf[c + 3], 0.0) - max(pf[c + 2] - x, 0.0)
        if over == 0.0:
            return 0.0, 0.0, 0.0
        return pf[c + 0] * over + pf[c + 1] * rate, pf[c + 0], pf[c + 1]
    if pi[o] == SPEED:
        if pf[c + 1] != 0.0:
            return -pf[pi[F_FACTOR]] * s, 0.0, 0.0
        return pf[c + 0] * (rate - s), 0.0, pf[c + 0]
    normal = 0.0  # FRICTION
    for r in range(pi[o + 3], pi[o + 3] + pi[o + 4]):
        normal += lam[r] * lam[r]
    normal = pf[c + 5] + pf[c + 4] * np.sqrt(normal)
    bump = np.exp(-((rate / pf[c + 2]) ** 2))
    mu, sign = pf[c + 0] + (pf[c + 1] - pf[c + 0]) * bump, np.tanh(rate / pf[c + 3])
    slope = (
        mu * (1.0 - sign * sign) / pf[c + 3]
        - 2.0 * (pf[c + 1] - pf[c + 0]) * bump * rate / (pf[c + 2] * pf[c + 2]) * sign
    )
    return normal * mu * sign, 0.0, normal * slope


@kernel(types.void(f8, F, F, F, I, F), inner=True, apart=True)
def add_laws(t: float, v: FloatArray, lam: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += g f over all laws."""
    for k in range(pi[LAWS]):
        m = pi[pi[I_LAW] + LAW * k + 1]
        if pi[pi[I_LAW] + LAW * k] == BY_FORMULA:
            f = formula_force(k, t, v, pf, pi)
            measure_of(m, GRADIENT, pf, pi)
        else:
            x = measure_of(m, GRADIENT, pf, pi)
            f = law(k, t, x, along(m, GRADIENT, v, pf, pi), lam, pf, pi)[0]
        add_to_bodies(m, GRADIENT, f, pf, pi, out)


@kernel(types.void(f8, F, F, F, F, I, F), inner=True, apart=True)
def add_law_tangents(
    t: float, v: FloatArray, lam: FloatArray, c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> None:
    """J += c₁ ∂(g f)/∂v + c₂ ∂(g f)/∂q over all laws."""
    g, K, y = pi[F_WORK] + GRADIENT, pi[F_WORK] + STIFFNESS, pi[F_WORK] + SECOND
    for k in range(pi[LAWS]):
        m = pi[pi[I_LAW] + LAW * k + 1]
        if pi[pi[I_LAW] + LAW * k] == BY_FORMULA:
            add_formula_tangent(k, t, v, c, pf, pi, out)
            continue
        x = measure_of(m, GRADIENT, pf, pi)
        f, f_x, f_rate = law(k, t, x, along(m, GRADIENT, v, pf, pi), lam, pf, pi)
        stiffness_of(m, pf, pi)
        rate_slopes(m, y, pf, pi)
        for a in range(12):
            for b in range(12):
                along_g = c[2] * (f_x * pf[g + b] + f_rate * pf[y + b]) + c[1] * f_rate * pf[g + b]
                pf[K + a * 12 + b] = c[2] * f * pf[K + a * 12 + b] + pf[g + a] * along_g
        add_blocks(m, STIFFNESS, 1.0, pf, pi, out)
        if has_nodes(m, pi) and c[2] != 0.0:
            add_curvatures(m, c[2] * f, pf, pi, out)
            add_slopes_of_rate(m, c[2] * f_rate, pf, pi, out)


@kernel()
def potential_of_law(k: int, t: float, pf: FloatArray, pi: IntArray) -> float:
    """Energy stored in law k: of springs and limits."""
    o, c = pi[I_LAW] + LAW * k, pi[F_LAW] + LAW_NUMBERS * k
    if pi[o] == SPRING:
        y = measure_of(pi[o + 1], GRADIENT, pf, pi) - pf[c + 2] - at_time(pi[o + 2], t, pf, pi)[0]
        return 0.5 * pf[c] * y * y + 0.25 * pf[c + 3] * y**4
    if pi[o] == LIMIT:
        x = measure_of(pi[o + 1], GRADIENT, pf, pi)
        over = max(x - pf[c + 3], 0.0) - max(pf[c + 2] - x, 0.0)
        return 0.5 * pf[c] * over * over
    return 0.0


@kernel()
def potential_of_laws(t: float, pf: FloatArray, pi: IntArray) -> float:
    """Energy stored in springs and limits."""
    energy = 0.0
    for k in range(pi[LAWS]):
        energy += potential_of_law(k, t, pf, pi)
    return energy


@kernel()
def load_on_body(k: int, pf: FloatArray, pi: IntArray) -> tuple[Vector, Vector]:
    """Force in the world and torque in the body of load k."""
    o, c = pi[I_LOAD] + LOAD * k, pi[F_LOAD] + LOAD_NUMBERS * k
    kind, p = pi[o], pi[F_POSE] + POSE * pi[o + 1]
    x, s = vector(pf, c), vector(pf, c + 3)
    if kind == FORCE:
        return x, cross(s, rotate_back(pf, p + R_, x))
    if kind == FOLLOWER:
        return rotate(pf, p + R_, x), cross(s, x)
    if kind == TORQUE:
        return (0.0, 0.0, 0.0), rotate_back(pf, p + R_, x)
    if kind == BODY_TORQUE:
        return (0.0, 0.0, 0.0), x
    u = velocity_of_point(pf, p, c)
    f = -pf[c + 6] * np.sqrt(dot(u, u))
    force = (f * u[0], f * u[1], f * u[2])
    return force, cross(s, rotate_back(pf, p + R_, force))


@kernel()
def scale_of_load(k: int, t: float, pf: FloatArray, pi: IntArray) -> float:
    """The function of time of load k, and the factor of all loads (statics applies them step by
    step)."""
    time = pi[pi[I_LOAD] + LOAD * k + 2]
    return pf[pi[F_FACTOR]] * (at_time(time, t, pf, pi)[0] if time >= 0 else 1.0)


@kernel(types.void(f8, F, I, F), inner=True, apart=True)
def add_loads(t: float, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out −= forces and torques on single bodies."""
    g = pi[F_WORK] + GRADIENT
    for k in range(pi[LOADS]):
        force, torque = load_on_body(k, pf, pi)
        put(pf, g, force)
        put(pf, g + 3, torque)
        add_to_body(pi[pi[I_LOAD] + LOAD * k + 1], g, -scale_of_load(k, t, pf, pi), pf, pi, out)


@kernel()
def velocity_of_point(pf: FloatArray, p: int, c: int) -> tuple[float, float, float]:
    """Velocity of the load's point of a body less that of the medium."""
    u = rotate(pf, p + R_, cross(vector(pf, p + W_), vector(pf, c + 3)))
    return sum_of(sum_of(u, 1.0, vector(pf, p + V_)), -1.0, vector(pf, c))


@kernel(types.void(f8, F, F, I, F), inner=True, apart=True)
def add_load_tangents(t: float, c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """J −= c₁ ∂Q/∂v + c₂ ∂Q/∂q of forces and torques on single bodies, column by column of (r,
    ϖ)."""
    g = pi[F_WORK] + GRADIENT
    for k in range(pi[LOADS]):
        o, n = pi[I_LOAD] + LOAD * k, pi[F_LOAD] + LOAD_NUMBERS * k
        kind, body = pi[o], pi[o + 1]
        b = pi[I_BODY] + BODY * body
        scale = scale_of_load(k, t, pf, pi)
        if is_node(body, pi):
            K = pi[F_WORK] + STIFFNESS
            for j in range(6):
                load_column(kind, pi[F_POSE] + POSE * body, n, j, c, pf, g)
                for i in range(6):
                    pf[K + 12 * i + j] = pf[g + i] if j >= 3 or kind == DRAG else 0.0
            add_matrix(body, body, pi[b + BLOCK], K, -scale, pf, pi, out)
            add_curvature(body, load_on_body(k, pf, pi)[1], -c[2] * scale, pf, pi, out)
            continue
        for j in range(6):
            if pi[b + COLUMNS + j] < 0 or (j < 3 and kind != DRAG):
                continue
            load_column(kind, pi[F_POSE] + POSE * body, n, j, c, pf, g)
            for i in range(6):
                row = pi[b + COLUMNS + i]
                if row >= 0:
                    out[pi[b + BLOCK] + row * pi[b + STRIDE] + pi[b + COLUMNS + j]] -= scale * pf[g + i]


@kernel()
def load_column(kind: int, p: int, n: int, j: int, c: FloatArray, pf: FloatArray, g: int) -> None:
    """c₁ ∂Q/∂v_j + c₂ ∂Q/∂q_j of one load, into pf[g:g+6]."""
    R, s, x, e = p + R_, vector(pf, n + 3), vector(pf, n), axis_column(j % 3)
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if kind == FORCE:
        torque = cross(s, cross(rotate_back(pf, R, x), e))
    elif kind == TORQUE:
        torque = cross(rotate_back(pf, R, x), e)
    elif kind == FOLLOWER:
        force = rotate(pf, R, cross(e, x))
    elif kind == DRAG:
        u = velocity_of_point(pf, p, n)
        speed = np.sqrt(dot(u, u))
        # of the point's velocity with v_j, and with q_j
        change = e if j < 3 else rotate(pf, R, cross(e, s))
        change = (c[1] * change[0], c[1] * change[1], c[1] * change[2])
        if j >= 3:
            change = sum_of(change, c[2], rotate(pf, R, cross(e, cross(vector(pf, p + W_), s))))
        slope = dot(u, change) / speed if speed > 0.0 else 0.0
        f = -pf[n + 6]
        force = sum_of((f * speed * change[0], f * speed * change[1], f * speed * change[2]), f * slope, u)
        turned = rotate_back(pf, R, force)
        if j >= 3:
            turned = sum_of(turned, c[2] * f * speed, cross(rotate_back(pf, R, u), e))
        put(pf, g, force)
        put(pf, g + 3, cross(s, turned))
        return
    put(pf, g, (c[2] * force[0], c[2] * force[1], c[2] * force[2]))
    put(pf, g + 3, (c[2] * torque[0], c[2] * torque[1], c[2] * torque[2]))

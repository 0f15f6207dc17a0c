"""Force elements of a mechanism: laws along a measure, and loads on one body, with their tangents.

A law adds −g f(x, ẋ, t) to the forces, so +g f to the balance; its tangents follow from those of f and from K = ∂g/∂q:

    ∂(g f)/∂q = g f_x gᵀ + g f_ẋ (vᵀK) + f K        ∂(g f)/∂v = g f_ẋ gᵀ

    SPRING    f = k y + k₃ y³ + c ẋ,  y = x − x₀ − s(t)             LIMIT     k and c outside of [low, high] only
    SPEED     f = c (ẋ − s(t)) − s₀(t)  (motors: speed or torque)
    FRICTION  f = N (μ_k + (μ_s − μ_k) exp(−(ẋ/v_s)²)) tanh(ẋ/v_r),  N = N₀ + arm·|λ| of the joint's own rows  [Fan2005 (33) adapted]

With friction the balance depends on λ beyond Gᵀλ; that derivative is left out of the step's matrix.
"""

from __future__ import annotations

import numpy as np

from isodyn.bodies.rotation_kernels import cross, dot, rotate, rotate_back
from isodyn.compiled import FloatArray, IntArray, kernel
from isodyn.joints.measures import R_, SCRATCH, V_, W_, TURN, measure, stiffness
from isodyn.mechanism.layout import (
    BLOCK,
    BODIES,
    BODY,
    BODY_TORQUE,
    COLUMNS,
    DRAG,
    F_LAW,
    F_LOAD,
    F_WORK,
    FIRST_V,
    FOLLOWER,
    FORCE,
    FRICTION,
    I_BODY,
    I_LAW,
    I_LOAD,
    I_MEASURE,
    LAW,
    LAW_NUMBERS,
    LAWS,
    LIMIT,
    LOAD,
    LOAD_NUMBERS,
    LOADS,
    MEASURE,
    SPEED,
    SPRING,
    STRIDE,
    TORQUE,
)
from isodyn.mechanism.places import add_blocks, add_to_bodies, along, numbers_of, pose_of
from isodyn.mechanism.time_functions import at_time


@kernel()
def law(
    k: int, t: float, x: float, rate: float, lam: FloatArray, pf: FloatArray, pi: IntArray
) -> tuple[float, float, float]:
    """f, f_x, f_ẋ of law k."""
    o, c = pi[I_LAW] + LAW * k, pf[pi[F_LAW] + LAW_NUMBERS * k : pi[F_LAW] + LAW_NUMBERS * (k + 1)]
    s = at_time(pi[o + 2], t, pf, pi)[0]
    if pi[o] == SPRING:
        y = x - c[2] - s
        return c[0] * y + c[3] * y * y * y + c[1] * rate, c[0] + 3.0 * c[3] * y * y, c[1]
    if pi[o] == LIMIT:
        over = max(x - c[3], 0.0) - max(c[2] - x, 0.0)
        if over == 0.0:
            return 0.0, 0.0, 0.0
        return c[0] * over + c[1] * rate, c[0], c[1]
    if pi[o] == SPEED:
        return c[0] * (rate - s) if c[1] == 0.0 else -s, 0.0, c[0] if c[1] == 0.0 else 0.0
    normal = 0.0  # FRICTION
    for r in range(pi[o + 3], pi[o + 3] + pi[o + 4]):
        normal += lam[r] * lam[r]
    normal = c[5] + c[4] * np.sqrt(normal)
    bump = np.exp(-((rate / c[2]) ** 2))
    mu, sign = c[0] + (c[1] - c[0]) * bump, np.tanh(rate / c[3])
    slope = mu * (1.0 - sign * sign) / c[3] - 2.0 * (c[1] - c[0]) * bump * rate / (c[2] * c[2]) * sign
    return normal * mu * sign, 0.0, normal * slope


@kernel()
def add_laws(t: float, v: FloatArray, lam: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += g f over all laws."""
    work = pf[pi[F_WORK] :]
    g = work[SCRATCH + 180 : SCRATCH + 192]
    for k in range(pi[LAWS]):
        m = pi[pi[I_LAW] + LAW * k + 1]
        n = pi[I_MEASURE] + MEASURE * m
        i, j = pi[n + 1], pi[n + 2]
        x = measure(pi[n], pose_of(i, pf, pi), pose_of(j, pf, pi), numbers_of(m, pf, pi), g, work)
        f = law(k, t, x, along(i, j, g, v, pi), lam, pf, pi)[0]
        add_to_bodies(i, j, g, f, pi, out)


@kernel()
def add_law_tangents(
    t: float, v: FloatArray, lam: FloatArray, c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> None:
    """J += c₁ ∂(g f)/∂v + c₂ ∂(g f)/∂q over all laws."""
    work = pf[pi[F_WORK] :]
    g, K = work[SCRATCH + 180 : SCRATCH + 192], work[SCRATCH : SCRATCH + 144]
    y = work[SCRATCH + 192 : SCRATCH + 204]
    for k in range(pi[LAWS]):
        m = pi[pi[I_LAW] + LAW * k + 1]
        n = pi[I_MEASURE] + MEASURE * m
        i, j = pi[n + 1], pi[n + 2]
        p, q = pose_of(i, pf, pi), pose_of(j, pf, pi)
        x = measure(pi[n], p, q, numbers_of(m, pf, pi), g, work)
        f, f_x, f_rate = law(k, t, x, along(i, j, g, v, pi), lam, pf, pi)
        stiffness(pi[n], p, q, numbers_of(m, pf, pi), K, work)
        for b in range(12):  # vᵀK
            y[b] = 0.0
            for a in range(6):
                y[b] += p[V_ + a] * K[a * 12 + b] + q[V_ + a] * K[(6 + a) * 12 + b]
        for a in range(12):
            for b in range(12):
                K[a * 12 + b] = c[2] * (f * K[a * 12 + b] + g[a] * (f_x * g[b] + f_rate * y[b])) + c[1] * f_rate * g[a] * g[b]
        add_blocks(m, K, 1.0, pi, out)


@kernel()
def potential_of_laws(t: float, pf: FloatArray, pi: IntArray) -> float:
    """Energy stored in springs and limits."""
    work = pf[pi[F_WORK] :]
    g = work[SCRATCH + 180 : SCRATCH + 192]
    energy = 0.0
    for k in range(pi[LAWS]):
        o, c = pi[I_LAW] + LAW * k, pf[pi[F_LAW] + LAW_NUMBERS * k : pi[F_LAW] + LAW_NUMBERS * (k + 1)]
        m = pi[o + 1]
        n = pi[I_MEASURE] + MEASURE * m
        x = measure(pi[n], pose_of(pi[n + 1], pf, pi), pose_of(pi[n + 2], pf, pi), numbers_of(m, pf, pi), g, work)
        if pi[o] == SPRING:
            y = x - c[2] - at_time(pi[o + 2], t, pf, pi)[0]
            energy += 0.5 * c[0] * y * y + 0.25 * c[3] * y**4
        elif pi[o] == LIMIT:
            over = max(x - c[3], 0.0) - max(c[2] - x, 0.0)
            energy += 0.5 * c[0] * over * over
    return energy


@kernel()
def add_loads(t: float, v: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out −= forces and torques on single bodies."""
    w = pf[pi[F_WORK] : pi[F_WORK] + SCRATCH]
    g = w[12:24]
    for k in range(pi[LOADS]):
        o, c = pi[I_LOAD] + LOAD * k, pf[pi[F_LOAD] + LOAD_NUMBERS * k : pi[F_LOAD] + LOAD_NUMBERS * (k + 1)]
        kind, p = pi[o], pose_of(pi[o + 1], pf, pi)
        scale = at_time(pi[o + 2], t, pf, pi)[0] if pi[o + 2] >= 0 else 1.0
        for i in range(6):
            g[i] = 0.0
        if kind == FORCE:
            rotate_back(p[R_:V_], c[0:3], w[0:3])
            cross(c[3:6], w[0:3], g[3:6])
            g[0], g[1], g[2] = c[0], c[1], c[2]
        elif kind == FOLLOWER:
            rotate(p[R_:V_], c[0:3], g[0:3])
            cross(c[3:6], c[0:3], g[3:6])
        elif kind == TORQUE:
            rotate_back(p[R_:V_], c[0:3], g[3:6])
        elif kind == BODY_TORQUE:
            g[3], g[4], g[5] = c[0], c[1], c[2]
        else:
            speed = velocity_of_point(p, c, w)
            for i in range(3):
                g[i] = -c[6] * speed * w[3 + i]
            rotate_back(p[R_:V_], g[0:3], w[0:3])
            cross(c[3:6], w[0:3], g[3:6])
        add_to_bodies(pi[o + 1], pi[BODIES], g, -scale, pi, out)


@kernel()
def velocity_of_point(p: FloatArray, c: FloatArray, w: FloatArray) -> float:
    """Velocity of the point c[3:6] of a body less that of the medium c[0:3], into w[3:6]; returns its size."""
    cross(p[W_:TURN], c[3:6], w[0:3])
    rotate(p[R_:V_], w[0:3], w[3:6])
    for i in range(3):
        w[3 + i] += p[V_ + i] - c[i]
    return np.sqrt(dot(w[3:6], w[3:6]))


@kernel()
def add_load_tangents(t: float, c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """J −= c₁ ∂Q/∂v + c₂ ∂Q/∂q of forces and torques on single bodies, column by column of (r, ϖ)."""
    work = pf[pi[F_WORK] :]
    w, e, dg = work[0:12], work[12:15], work[15:21]
    for k in range(pi[LOADS]):
        o = pi[I_LOAD] + LOAD * k
        kind, body, n = pi[o], pi[o + 1], pf[pi[F_LOAD] + LOAD_NUMBERS * k : pi[F_LOAD] + LOAD_NUMBERS * (k + 1)]
        b = pi[I_BODY] + BODY * body
        scale = at_time(pi[o + 2], t, pf, pi)[0] if pi[o + 2] >= 0 else 1.0
        for j in range(6):
            if pi[b + COLUMNS + j] < 0 or (j < 3 and kind != DRAG):
                continue
            for i in range(3):
                e[i] = 1.0 if i == j % 3 else 0.0
            load_column(kind, pose_of(body, pf, pi), n, j, e, c, dg, w)
            for i in range(6):
                row = pi[b + COLUMNS + i]
                if row >= 0:
                    out[pi[b + BLOCK] + row * pi[b + STRIDE] + pi[b + COLUMNS + j]] -= scale * dg[i]


@kernel()
def load_column(
    kind: int, p: FloatArray, n: FloatArray, j: int, e: FloatArray, c: FloatArray, dg: FloatArray, w: FloatArray
) -> None:
    """c₁ ∂Q/∂v_j + c₂ ∂Q/∂q_j of one load."""
    R, s = p[R_:V_], n[3:6]
    for i in range(6):
        dg[i] = 0.0
    if kind == FORCE or kind == TORQUE:
        rotate_back(R, n[0:3], w[0:3])
        cross(w[0:3], e, w[3:6])  # change of Rᵀf
        if kind == FORCE:
            cross(s, w[3:6], w[3:6])
        for i in range(3):
            dg[3 + i] = c[2] * w[3 + i]
    elif kind == FOLLOWER:
        cross(e, n[0:3], w[0:3])
        rotate(R, w[0:3], w[3:6])
        for i in range(3):
            dg[i] = c[2] * w[3 + i]
    elif kind == DRAG:
        speed = velocity_of_point(p, n, w)
        if speed == 0.0:
            return
        for i in range(3):
            w[6 + i] = c[1] * e[i] if j < 3 else 0.0
        if j >= 3:  # velocity of the point: c₁ R(e × s) + c₂ R(e × (ω × s))
            cross(e, s, w[0:3])
            rotate(R, w[0:3], w[9:12])
            for i in range(3):
                w[6 + i] += c[1] * w[9 + i]
            cross(p[W_:TURN], s, w[0:3])
            cross(e, w[0:3], w[0:3])
            rotate(R, w[0:3], w[9:12])
            for i in range(3):
                w[6 + i] += c[2] * w[9 + i]
        slope = dot(w[3:6], w[6:9]) / speed
        for i in range(3):
            dg[i] = -n[6] * (speed * w[6 + i] + slope * w[3 + i])
        rotate_back(R, dg[0:3], w[0:3])
        if j >= 3:
            for i in range(3):
                w[6 + i] = -n[6] * speed * w[3 + i]
            rotate_back(R, w[6:9], w[9:12])
            cross(w[9:12], e, w[9:12])
            for i in range(3):
                w[i] += c[2] * w[9 + i]
        cross(s, w[0:3], dg[3:6])

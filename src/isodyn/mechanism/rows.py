"""Constraint rows of a mechanism: φ = Σ w x − f(t) over measures x, with G, Gᵀλ, ∂(Gᵀλ)/∂q and the
rates of φ."""

from __future__ import annotations

from isodyn.joints.measures import GRADIENT, STIFFNESS
from isodyn.kernels.compiled import ACCELERATION, POSITION, VELOCITY, FloatArray, IntArray, kernel
from isodyn.mechanism.nodes import is_node, part
from isodyn.mechanism.places import (
    add_blocks,
    add_curvatures,
    add_to_bodies,
    along,
    has_nodes,
    measure_of,
    rest_of,
    stiffness_of,
)
from isodyn.mechanism.points import (
    add_coincidence_forces,
    add_coincidence_tangents,
    coincidence,
    put_coincidence,
)
from isodyn.parts.layout import (
    BODIES,
    BODY,
    COLUMNS,
    F_TERM,
    F_WORK,
    FREEDOM,
    G_SIZE,
    HOLONOMIC,
    I_BODY,
    I_MEASURE,
    I_ROW,
    I_TERM,
    MEASURE,
    ROW,
    ROWS,
    TERM,
    TOGETHER,
)
from isodyn.parts.time_functions import at_time


@kernel()
def row_forces(lam: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += Gᵀλ."""
    r, last = 0, pi[ROWS]
    while r < last:
        o = pi[I_ROW] + ROW * r
        many = pi[o + TOGETHER]
        if many > 0:
            force = (lam[r], lam[r + 1], lam[r + 2] if many == 3 else 0.0)
            add_coincidence_forces(pi[pi[I_TERM] + TERM * pi[o]], force, pf, pi, out)
            r += many
            continue
        if lam[r] != 0.0:
            for k in range(pi[o], pi[o] + pi[o + 1]):
                m = pi[pi[I_TERM] + TERM * k]
                measure_of(m, GRADIENT, pf, pi)
                add_to_bodies(m, GRADIENT, lam[r] * pf[pi[F_TERM] + k], pf, pi, out)
        r += 1


@kernel()
def row_tangents(lam: FloatArray, c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += c₂ ∂(Gᵀλ)/∂q."""
    r, last = 0, pi[ROWS]
    while r < last:
        o = pi[I_ROW] + ROW * r
        many = pi[o + TOGETHER]
        if many > 0:
            force = (lam[r], lam[r + 1], lam[r + 2] if many == 3 else 0.0)
            add_coincidence_tangents(pi[pi[I_TERM] + TERM * pi[o]], force, c[2], pf, pi, out)
            r += many
            continue
        if lam[r] != 0.0:
            for k in range(pi[o], pi[o] + pi[o + 1]):
                m = pi[pi[I_TERM] + TERM * k]
                stiffness_of(m, pf, pi)
                add_blocks(m, STIFFNESS, c[2] * lam[r] * pf[pi[F_TERM] + k], pf, pi, out)
                if has_nodes(m, pi):
                    measure_of(m, GRADIENT, pf, pi)
                    add_curvatures(m, c[2] * lam[r] * pf[pi[F_TERM] + k], pf, pi, out)
        r += 1


@kernel()
def row_matrix(pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = G, in its places."""
    for i in range(pi[G_SIZE]):
        out[i] = 0.0
    many, component = 0, 0
    for r in range(pi[ROWS]):
        o = pi[I_ROW] + ROW * r
        many, component = (pi[o + TOGETHER], 0) if many == component else (many, component)
        if many > component:
            x = pi[I_TERM] + TERM * pi[o]
            put_coincidence(pi[x], component, pi[x + 1], pi[x + 2], pf, pi, out)
            component += 1
            continue
        many, component = 0, 0
        for k in range(pi[o], pi[o] + pi[o + 1]):
            x = pi[I_TERM] + TERM * k
            n = pi[I_MEASURE] + MEASURE * pi[x]
            measure_of(pi[x], GRADIENT, pf, pi)
            weight = pf[pi[F_TERM] + k]
            for side in range(2):
                body, g = pi[n + 1 + side], pi[F_WORK] + GRADIENT + 6 * side
                if body == pi[BODIES]:
                    continue
                b, place = pi[I_BODY] + BODY * body, pi[x + 1 + side]
                if is_node(body, pi):
                    for i in range(pi[b + FREEDOM]):
                        out[place + i] += weight * part(body, i, g, pf, pi)
                    continue
                for i in range(6):
                    column = pi[b + COLUMNS + i]
                    if column >= 0:
                        out[place + column] += weight * pf[g + i]


@kernel()
def row_values(
    what: int, t: float, v: FloatArray, a: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> None:
    """out = φ, φ̇ or φ̈ of all rows; φ of the holonomic ones only."""
    r, last = -1, pi[HOLONOMIC] if what == POSITION else pi[ROWS]
    while r + 1 < last:
        r += 1
        o = pi[I_ROW] + ROW * r
        many = pi[o + TOGETHER]
        if many > 0:
            values = coincidence(what, pi[pi[I_TERM] + TERM * pi[o]], a, pf, pi)
            for i in range(many):
                out[r + i] = values[i]
            r += many - 1
            continue
        f, f_t, f_tt = at_time(pi[o + 2], t, pf, pi)
        value = -f if what == POSITION else (-f_t if what == VELOCITY else -f_tt)
        for k in range(pi[o], pi[o] + pi[o + 1]):
            m, weight = pi[pi[I_TERM] + TERM * k], pf[pi[F_TERM] + k]
            x = measure_of(m, GRADIENT, pf, pi)
            if what == VELOCITY:
                x = along(m, GRADIENT, v, pf, pi)
            elif what == ACCELERATION:
                x = along(m, GRADIENT, a, pf, pi) + rest_of(m, pf, pi)
            value += weight * x
        out[r] = value

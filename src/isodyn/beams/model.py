"""The equations of a beam as one compiled model (isodyn.kernels.compiled).

    M a + ∂U/∂q + damping + Gᵀλ = loads                                                              [Shimada2014 (8.42) adapted]
    rows    φ = Σ w q_i + Σ w q_i q_j − f(t) = 0                clamps, hinges, guides; products only where slopes are welded
    loads   dead forces on coordinates, f(t) F;  torques T on the slope t of a node, f(t) (T × t)/|t|²

BeamTables in pi, pf: isodyn.beams.layout. A factor scales all loads and the weight: statics applies
them step by step.
"""

from __future__ import annotations

from typing import Any

from isodyn.beams.elements import element_energies, forces_of_elements, tangents_of_elements
from isodyn.beams.layout import (
    DAMPED,
    DIM,
    ELEMENTS,
    F_ELEMENT,
    F_FACTOR,
    F_LINEAR,
    F_LOAD,
    F_PRODUCT,
    F_TORQUE,
    F_WEIGHT,
    F_WORK,
    G_SIZE,
    I_ELEMENT,
    I_LINEAR,
    I_LOAD,
    I_PRODUCT,
    I_ROW,
    I_TORQUE,
    J_SIZE,
    LINEAR,
    LOAD,
    LOADS,
    PRODUCT,
    ROW,
    ROWS,
    TORQUE,
    TORQUE_NUMBERS,
    TORQUES,
    N,
)
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    MODEL,
    OK,
    POSITION,
    VELOCITY,
    F,
    FloatArray,
    I,
    IntArray,
    f8,
    kernel,
)
from isodyn.kernels.struct import FlatNumbers
from isodyn.kernels.struct_types import opened
from isodyn.parts.time_functions import at_time


@kernel()
def beam_forces(
    t: float, q: FloatArray, v: FloatArray, a: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> None:
    """out = M a + ∂U/∂q + damping − loads."""
    dim, factor = pi[DIM], pf[pi[F_FACTOR]]
    weight = pi[F_WEIGHT]
    for i in range(pi[N]):
        out[i] = -factor * pf[weight + i]
    forces_of_elements(pi[ELEMENTS], pi[I_ELEMENT], pi[F_ELEMENT], pi[F_WORK], pi[DAMPED], q, v, a, pf, pi, out)
    for n in range(pi[LOADS]):
        o = pi[I_LOAD] + LOAD * n
        f = factor * at_time(pi[o + 3], t, pf, pi)[0]
        for i in range(pi[o + 1]):
            out[pi[o] + i] -= f * pf[pi[F_LOAD] + pi[o + 2] + i]
    for n in range(pi[TORQUES]):
        o, k = pi[I_TORQUE] + TORQUE * n, pi[F_TORQUE] + TORQUE_NUMBERS * n
        f, s = factor * at_time(pi[o + 3], t, pf, pi)[0], pi[o]
        x, y, z = q[s], q[s + 1], q[s + 2] if dim == 3 else 0.0
        f /= x * x + y * y + z * z
        out[s] -= f * (pf[k + 1] * z - pf[k + 2] * y)
        out[s + 1] -= f * (pf[k + 2] * x - pf[k] * z)
        if dim == 3:
            out[s + 2] -= f * (pf[k] * y - pf[k + 1] * x)


@kernel()
def beam_tangents(
    t: float, q: FloatArray, v: FloatArray, c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> None:
    """out = c₀ M + c₁ ∂/∂v + c₂ ∂/∂q of those forces."""
    dim = pi[DIM]
    for i in range(pi[J_SIZE]):
        out[i] = 0.0
    tangents_of_elements(pi[ELEMENTS], pi[I_ELEMENT], pi[F_ELEMENT], pi[F_WORK], pi[DAMPED], q, v, c, pf, pi, out)
    if c[2] == 0.0:
        return
    for n in range(pi[TORQUES]):
        o, k = pi[I_TORQUE] + TORQUE * n, pi[F_TORQUE] + TORQUE_NUMBERS * n
        f, s, block, stride = pf[pi[F_FACTOR]] * at_time(pi[o + 3], t, pf, pi)[0], pi[o], pi[o + 1], pi[o + 2]
        u = (q[s], q[s + 1], q[s + 2] if dim == 3 else 0.0)
        T = (pf[k], pf[k + 1], pf[k + 2])
        r = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
        x = (T[1] * u[2] - T[2] * u[1], T[2] * u[0] - T[0] * u[2], T[0] * u[1] - T[1] * u[0])
        across = ((0.0, -T[2], T[1]), (T[2], 0.0, -T[0]), (-T[1], T[0], 0.0))
        for i in range(dim):
            for j in range(dim):
                out[block + i * stride + j] -= c[2] * f * (across[i][j] - 2.0 * x[i] * u[j] / r) / r


@kernel()
def row_products(lam: FloatArray, c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += c₂ ∂(Gᵀλ)/∂q."""
    for r in range(pi[ROWS]):
        o = pi[I_ROW] + ROW * r
        for k in range(pi[o + 2], pi[o + 2] + pi[o + 3]):
            x, weight = pi[I_PRODUCT] + PRODUCT * k, c[2] * lam[r] * pf[pi[F_PRODUCT] + k]
            out[pi[x + 4]] += weight
            out[pi[x + 5]] += weight


@kernel()
def row_forces(q: FloatArray, lam: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += Gᵀλ."""
    for r in range(pi[ROWS]):
        o = pi[I_ROW] + ROW * r
        for k in range(pi[o], pi[o] + pi[o + 1]):
            out[pi[pi[I_LINEAR] + LINEAR * k]] += lam[r] * pf[pi[F_LINEAR] + k]
        for k in range(pi[o + 2], pi[o + 2] + pi[o + 3]):
            x, weight = pi[I_PRODUCT] + PRODUCT * k, lam[r] * pf[pi[F_PRODUCT] + k]
            out[pi[x]] += weight * q[pi[x + 1]]
            out[pi[x + 1]] += weight * q[pi[x]]


@kernel()
def row_matrix(q: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = G, in its places."""
    for i in range(pi[G_SIZE]):
        out[i] = 0.0
    for r in range(pi[ROWS]):
        o = pi[I_ROW] + ROW * r
        for k in range(pi[o], pi[o] + pi[o + 1]):
            out[pi[pi[I_LINEAR] + LINEAR * k + 1]] += pf[pi[F_LINEAR] + k]
        for k in range(pi[o + 2], pi[o + 2] + pi[o + 3]):
            x, weight = pi[I_PRODUCT] + PRODUCT * k, pf[pi[F_PRODUCT] + k]
            out[pi[x + 2]] += weight * q[pi[x + 1]]
            out[pi[x + 3]] += weight * q[pi[x]]


@kernel()
def row_values(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    pf: FloatArray,
    pi: IntArray,
    out: FloatArray,
) -> None:
    """out = φ, φ̇ or φ̈."""
    for r in range(pi[ROWS]):
        o = pi[I_ROW] + ROW * r
        f, f_t, f_tt = at_time(pi[o + 4], t, pf, pi)
        value = -f if what == POSITION else (-f_t if what == VELOCITY else -f_tt)
        for k in range(pi[o], pi[o] + pi[o + 1]):
            i, weight = pi[pi[I_LINEAR] + LINEAR * k], pf[pi[F_LINEAR] + k]
            value += weight * (q[i] if what == POSITION else (v[i] if what == VELOCITY else a[i]))
        for k in range(pi[o + 2], pi[o + 2] + pi[o + 3]):
            x, weight = pi[I_PRODUCT] + PRODUCT * k, pf[pi[F_PRODUCT] + k]
            i, j = pi[x], pi[x + 1]
            if what == POSITION:
                value += weight * q[i] * q[j]
            elif what == VELOCITY:
                value += weight * (q[i] * v[j] + v[i] * q[j])
            else:
                value += weight * (q[i] * a[j] + a[i] * q[j] + 2.0 * v[i] * v[j])
        out[r] = value


@kernel(MODEL)
def beam_model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    tables: Any,
    scratch: Any,
    out: FloatArray,
) -> int:
    """The questions of the loop, answered by a beam."""
    flat = opened(FlatNumbers, scratch)
    pf, pi = flat.pf, flat.pi
    if what == BALANCE:
        beam_forces(t, q, v, a, pf, pi, out)
        row_forces(q, lam, pf, pi, out)
    elif what == JACOBIAN:
        beam_tangents(t, q, v, c, pf, pi, out)
        if c[2] != 0.0:
            row_products(lam, c, pf, pi, out)
    elif what == CONSTRAINT:
        row_matrix(q, pf, pi, out)
    elif what in (POSITION, VELOCITY, ACCELERATION):
        row_values(what, t, q, v, a, pf, pi, out)
    return OK


@kernel(f8(F, F, F, I, F))
def beam_energy(q: FloatArray, v: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> float:
    """Kinetic energy, strain energy and potential of the weight into out[:3]; out[3:] is memory for
    a force."""
    out[0], out[1] = element_energies(pi[ELEMENTS], pi[I_ELEMENT], pi[F_ELEMENT], pi[F_WORK], q, v, pf, pi, out[3:])
    out[2] = 0.0
    for i in range(pi[N]):
        out[2] -= pf[pi[F_WEIGHT] + i] * q[i]
    return out[0] + out[1] + out[2]

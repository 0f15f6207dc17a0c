"""The matrix of a step for a user's `@njit` functions of which only φ, Q and M are known, from few
differences: it only has to lead corrections to where they vanish."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from isodyn.kernels.compiled import BALANCE, OK, FloatArray, closure, kernel
from isodyn.kernels.struct_types import opened
from isodyn.systems.differences import H1
from isodyn.systems.joined import JoinedTables
from isodyn.systems.joined_lines import LineWork, Steps
from isodyn.systems.line_differences import ROOT, SKETCH

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress
    from isodyn.open_types import Compiled


@closure()
def no_sketch(
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    tables: StructAddress,
    scratch: StructAddress,
    m: int,
    out: FloatArray,
) -> int:
    """Nothing that the tangent needs beside what the functions give."""
    return OK


@kernel()
def reach_of(q: FloatArray, sizes: FloatArray) -> float:
    """How large q is beside typical sizes; at least one."""
    reach = 1.0
    for i in range(q.size):
        reach = max(reach, abs(q[i]) / sizes[i])
    return reach


@kernel()
def is_loaded(lam: FloatArray, m: int) -> bool:
    """Whether one of the first m multipliers is not zero."""
    found = False
    for i in range(m):
        found = found or lam[i] != 0.0
    return found


@lru_cache(maxsize=256)
def _curvature_of(move: Compiled, phi: Compiled, retracts: bool) -> Compiled:
    """c₂ (Gᵀλ)_q added to a matrix, from mixed differences of λᵀφ."""

    @closure()
    def weighed(q: FloatArray, t: float, lam: FloatArray, m: int) -> float:
        rows, total = phi(q, t), 0.0
        for i in range(min(m, rows.size)):
            total += lam[i] * rows[i]
        return total

    @closure()
    def add_curvature(
        t: float, q: FloatArray, lam: FloatArray, c_2: float, m: int, steps: Steps, work: LineWork, out: FloatArray
    ) -> None:
        n, d, here, there, alone = work.force.size, work.direction, work.places[0], work.places[1], work.shifted
        start = weighed(q, t, lam, m)
        for j in range(n):
            d[j] = 1.0
            move(q, d, SKETCH * steps.q[j], work.parts[0], here)
            d[j] = 0.0
            alone[j] = weighed(here, t, lam, m)
        for k in range(n):
            d[k] = 1.0
            move(q, d, SKETCH * steps.q[k], work.parts[0], here)
            d[k] = 0.0
            for j in range(0 if retracts else k, n):
                d[j] = 1.0
                move(here, d, SKETCH * steps.q[j], work.parts[1], there)
                d[j] = 0.0
                both = weighed(there, t, lam, m)
                bend = ((both - alone[k]) - (alone[j] - start)) / (SKETCH * steps.q[j] * (SKETCH * steps.q[k]))
                out[j * n + k] += c_2 * bend
                if not retracts and j != k:
                    out[k * n + j] += c_2 * bend

    return add_curvature


@lru_cache(maxsize=256)
def sketch_of(base: Compiled, move: Compiled, phi: Compiled, retracts: bool) -> Compiled:
    """c₁ ∂/∂v + c₂ ∂/∂q of M a − Q + Gᵀλ added to a matrix; (Gᵀλ)_q from mixed differences of
    λᵀφ."""

    add_curvature = _curvature_of(move, phi, retracts)

    @closure()
    def sketch(
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        c: FloatArray,
        tables: StructAddress,
        scratch: StructAddress,
        m: int,
        out: FloatArray,
    ) -> int:
        if c[1] == 0.0 and c[2] == 0.0:
            return OK
        n, steps, work = v.size, opened(JoinedTables, tables).steps, opened(LineWork, scratch)
        status = base(BALANCE, t, q, v, a, lam, c, tables, scratch, work.force)
        reach, d, place, part = reach_of(q, steps.size_q), work.direction, work.places[0], work.parts[1]
        for j in range(n):
            h = ROOT * reach * steps.size_v[j] / c[2] if c[2] > 0.0 else ROOT * steps.v[j] / (H1 * abs(c[1]))
            d[j] = 1.0
            move(q, d, c[2] * h, work.parts[0], place)
            d[j] = 0.0
            for i in range(n):
                part[i] = v[i]
            part[j] += c[1] * h
            if status == OK:
                status = base(BALANCE, t, place, part, a, lam, c, tables, scratch, work.shifted)
            for i in range(n):
                out[i * n + j] += (work.shifted[i] - work.force[i]) / h
        if c[2] != 0.0 and status == OK and is_loaded(lam, m):
            add_curvature(t, q, lam, c[2], m, steps, work, out)
        return status

    return sketch

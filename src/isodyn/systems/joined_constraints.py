"""A user's `@njit` constraint functions joined to the compiled model of the unconstrained system.

For this φ needs G and b, and ψ needs ψ_v and ψ_rest, all compiled; otherwise the constraints are
evaluated in Python, where what is missing comes from differences (isodyn.systems.constraints). φ_t
alone may be missing: it is differenced in compiled code.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    MODEL,
    OK,
    POSITION,
    VELOCITY,
    WRONG_SHAPE,
    FloatArray,
    closure,
)
from isodyn.systems.constraints import FIRST_DIFFERENCE, Constraints
from isodyn.systems.joined import is_compiled
from isodyn.systems.model import Model


def can_join(constraints: Constraints) -> bool:
    """Whether all that compiled code needs of the constraints is compiled."""
    needed = []
    if constraints.phi_ is not None:
        needed += [constraints.phi_, constraints.G_, constraints.b_]
        needed += [] if constraints.phi_t_ is None else [constraints.phi_t_]
    if constraints.psi_ is not None:
        needed += [constraints.psi_, constraints.psi_v_, constraints.psi_rest_]
    return all(is_compiled(function) for function in needed)


def join_constraints(model: Model, constraints: Constraints) -> Model:
    """The model with its constraint rows."""
    k = constraints
    phi_t = k.phi_t_ if k.phi_t_ is not None or k.phi_ is None else _difference_in_time(k.phi_, k.time(0.0))
    functions = (k.phi_, k.G_, k.b_, phi_t, k.psi_, k.psi_v_, k.psi_rest_)
    return Model(_constrained(model.function, *functions, k.m_phi, k.m), model.traits, model.tables, model.scratch)


@lru_cache(maxsize=256)
def _difference_in_time(phi: Any, time: float) -> Any:
    @closure()
    def phi_t(q: FloatArray, t: float) -> FloatArray:
        h = FIRST_DIFFERENCE * max(time, abs(t))
        return (phi(q, t + h) - phi(q, t - h)) / (2 * h)

    return phi_t


@lru_cache(maxsize=256)
def _holonomic(phi: Any, G: Any, b: Any, phi_t: Any) -> Any:
    """(q, v, t) → φ, G, b, φ_t; nothing without φ."""
    if phi is None:

        @closure()
        def empty(q: FloatArray, v: FloatArray, t: float) -> Any:
            return np.zeros(0), np.zeros((0, v.size)), np.zeros(0), np.zeros(0)

        return empty

    @closure()
    def rows(q: FloatArray, v: FloatArray, t: float) -> Any:
        return phi(q, t), G(q, t), b(q, v, t), phi_t(q, t)

    return rows


@lru_cache(maxsize=256)
def _nonholonomic(psi: Any, psi_v: Any, psi_rest: Any) -> Any:
    """(q, v, t) → ψ, ψ_v, ψ_q v + ψ_t; nothing without ψ."""
    if psi is None:

        @closure()
        def empty(q: FloatArray, v: FloatArray, t: float) -> Any:
            return np.zeros(0), np.zeros((0, v.size)), np.zeros(0)

        return empty

    @closure()
    def rows(q: FloatArray, v: FloatArray, t: float) -> Any:
        return psi(q, v, t), psi_v(q, v, t), psi_rest(q, v, t)

    return rows


@lru_cache(maxsize=256)
def _constrained(
    base: Any, phi: Any, G: Any, b: Any, phi_t: Any, psi: Any, psi_v: Any, psi_rest: Any, m_phi: int, m: int
) -> Any:
    holonomic, nonholonomic = _holonomic(phi, G, b, phi_t), _nonholonomic(psi, psi_v, psi_rest)

    @closure(MODEL)
    def model(
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
        status = OK
        if what < CONSTRAINT:
            status = base(what, t, q, v, a, lam, c, tables, scratch, out)
            if what != BALANCE:
                return status
        n = v.size
        f, g, right, rate = holonomic(q, v, t)
        p, p_v, rest = nonholonomic(q, v, t)
        if f.size != m_phi or g.shape != (m_phi, n) or right.size != m_phi or rate.size != m_phi:
            return WRONG_SHAPE
        if p.size != m - m_phi or p_v.shape != (m - m_phi, n) or rest.size != m - m_phi:
            return WRONG_SHAPE
        for i in range(m):
            along_v, along_a = 0.0, 0.0
            for j in range(n):
                entry = g[i, j] if i < m_phi else p_v[i - m_phi, j]
                along_v += entry * v[j]
                along_a += entry * a[j]
                if what == BALANCE:
                    out[j] += entry * lam[i]
                elif what == CONSTRAINT:
                    out[i * n + j] = entry
            if what == POSITION and i < m_phi:
                out[i] = f[i]
            elif what == VELOCITY:
                out[i] = along_v + rate[i] if i < m_phi else p[i - m_phi]
            elif what == ACCELERATION:
                out[i] = along_a - right[i] if i < m_phi else along_a + rest[i - m_phi]
        return status

    return model

"""Constant masses under constant forces, held by constraints that are linear in coordinates and in
their sines and cosines.

    φ_k = c_k + Σ_i (L_ki q_i + C_ki cos q_i + S_ki sin q_i)
    G_ki = L_ki − C_ki sin q_i + S_ki cos q_i        b_k = Σ_i v_i² (C_ki cos q_i + S_ki sin q_i)
    m_i a_i + Σ_k G_ki λ_k = Q_i                     tangents c₀ M − c₂ diag_i Σ_k λ_k (C_ki cos q_i + S_ki sin q_i)

Planar bodies in (x, y, θ) joined at points are of this kind, because a vector fixed in a body at
the angle θ is

    R(θ) w = (w_x cos θ − w_y sin θ,  w_x sin θ + w_y cos θ).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isodyn.kernels.compiled import (
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    LEVELS,
    MODEL,
    OK,
    POSITION,
    VELOCITY,
    FloatArray,
    IntArray,
    kernel,
)
from isodyn.kernels.lowering import natural
from isodyn.kernels.struct import FlatNumbers, flat_numbers
from isodyn.kernels.struct_types import opened


@kernel()
def turned(i: int, q: FloatArray, pi: IntArray) -> tuple[float, float]:
    """cos q_i and sin q_i of an angle; (1, 0) of another coordinate, whose C and S are zero."""
    return (np.cos(q[i]), np.sin(q[i])) if pi[1 + i] == 1 else (1.0, 0.0)


@kernel()
def slope(at: int, block: int, cosine: float, sine: float, pf: FloatArray) -> float:
    """G_ki = L_ki − C_ki sin q_i + S_ki cos q_i, for the place of L_ki and the length of a
    table."""
    return pf[at] - pf[at + block] * sine + pf[at + 2 * block] * cosine


@kernel()
def wave(at: int, block: int, cosine: float, sine: float, pf: FloatArray) -> float:
    """C_ki cos q_i + S_ki sin q_i."""
    return pf[at + block] * cosine + pf[at + 2 * block] * sine


@kernel(MODEL)
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
    """pf = masses, forces, L, C, S, c; pi[0] rows, then whether a coordinate is an angle."""
    flat = opened(FlatNumbers, tables)
    pf, pi = flat.pf, flat.pi
    n, m = natural(q.size), natural(pi[0])
    begin, block = 2 * n, m * n
    if what == BALANCE:
        for i in range(n):
            cosine, sine = turned(i, q, pi)
            total = pf[i] * a[i] - pf[n + i]
            for k in range(m):
                total += slope(begin + k * n + i, block, cosine, sine, pf) * lam[k]
            out[i] = total
    elif what == JACOBIAN:
        for i in range(n * n):
            out[i] = 0.0
        for i in range(n):
            cosine, sine = turned(i, q, pi)
            total = 0.0
            for k in range(m):
                total += lam[k] * wave(begin + k * n + i, block, cosine, sine, pf)
            out[i * n + i] = c[0] * pf[i] - c[2] * total
    elif what == CONSTRAINT:
        for i in range(n):
            cosine, sine = turned(i, q, pi)
            for k in range(m):
                out[k * n + i] = slope(begin + k * n + i, block, cosine, sine, pf)
    elif what == LEVELS:
        for k in range(m):
            out[k], out[m + k] = pf[begin + 3 * block + k], 0.0
        for i in range(n):
            cosine, sine = turned(i, q, pi)
            for k in range(m):
                at = begin + k * n + i
                out[k] += pf[at] * q[i] + wave(at, block, cosine, sine, pf)
                out[m + k] += slope(at, block, cosine, sine, pf) * v[i]
    else:
        for k in range(m):
            out[k] = pf[begin + 3 * block + k] if what == POSITION else 0.0
        for i in range(n):
            cosine, sine = turned(i, q, pi)
            for k in range(m):
                at = begin + k * n + i
                if what == POSITION:
                    out[k] += pf[at] * q[i] + wave(at, block, cosine, sine, pf)
                elif what == VELOCITY:
                    out[k] += slope(at, block, cosine, sine, pf) * v[i]
                else:
                    out[k] += slope(at, block, cosine, sine, pf) * a[i] - v[i] * v[i] * wave(
                        at, block, cosine, sine, pf
                    )
    return OK


@dataclass(eq=False)
class Table:
    """Rows of the constraints of n coordinates, entered one after the other."""

    n: int
    linear: list[FloatArray] = field(default_factory=list)
    cosine: list[FloatArray] = field(default_factory=list)
    sine: list[FloatArray] = field(default_factory=list)
    constant: list[float] = field(default_factory=list)

    def vectors(
        self, fixed: tuple[float, float], turning: Mapping[int, tuple[float, float]], point: int | None = None
    ) -> None:
        """Two rows: fixed + Σ R(q_i) w_i = 0; with `point`, the point (q_point, q_point+1) less
        that sum."""
        sign = 1.0 if point is None else -1.0
        for axis in range(2):
            linear, cosine, sine = np.zeros(self.n), np.zeros(self.n), np.zeros(self.n)
            for i, (x, y) in turning.items():
                cosine[i], sine[i] = (sign * x, -sign * y) if axis == 0 else (sign * y, sign * x)
            if point is not None:
                linear[point + axis] = 1.0
            self.linear.append(linear)
            self.cosine.append(cosine)
            self.sine.append(sine)
            self.constant.append(sign * fixed[axis])

    @property
    def rows(self) -> int:
        return len(self.constant)

    def tables(self, masses: FloatArray, forces: FloatArray) -> FlatNumbers:
        """Tables of the model."""
        parts = [np.ravel(x) for x in (self.linear, self.cosine, self.sine)]
        angles = np.any(self.cosine, axis=0) | np.any(self.sine, axis=0)
        return flat_numbers(np.concatenate([masses, forces, *parts, self.constant]), [self.rows, *angles])

    def explicit(self, q: FloatArray) -> FloatArray:
        """q with every point that a pair of rows gives in terms of angles put there."""
        for linear, cosine, sine, constant in zip(self.linear, self.cosine, self.sine, self.constant, strict=True):
            if linear.any():
                q[int(linear.argmax())] = -(constant + cosine @ np.cos(q) + sine @ np.sin(q))
        return q

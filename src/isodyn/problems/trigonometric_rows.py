"""Constant masses under constant forces, held by constraints that are linear in coordinates and in their sines and cosines.

    φ_k = c_k + Σ_i (L_ki q_i + C_ki cos q_i + S_ki sin q_i)
    G_ki = L_ki − C_ki sin q_i + S_ki cos q_i        b_k = Σ_i v_i² (C_ki cos q_i + S_ki sin q_i)
    m_i a_i + Σ_k G_ki λ_k = Q_i                     tangents c₀ M − c₂ diag_i Σ_k λ_k (C_ki cos q_i + S_ki sin q_i)

Planar bodies in (x, y, θ) joined at points are of this kind, because a vector fixed in a body at the angle θ is

    R(θ) w = (w_x cos θ − w_y sin θ,  w_x sin θ + w_y cos θ).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from isodyn.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    MODEL,
    OK,
    POSITION,
    VELOCITY,
    FloatArray,
    IntArray,
    kernel,
)


@kernel(MODEL)
def model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    pf: FloatArray,
    pi: IntArray,
    out: FloatArray,
) -> int:
    """pf = masses, forces, L, C, S, c; pi[0] rows, then whether a coordinate is an angle."""
    n, m = q.size, pi[0]
    begin = 2 * n
    if what == BALANCE:
        for i in range(n):
            out[i] = pf[i] * a[i] - pf[n + i]
    elif what == POSITION:
        for k in range(m):
            out[k] = pf[begin + 3 * m * n + k]
    else:
        out[:] = 0.0
    if what == JACOBIAN:
        for i in range(n):
            out[i * n + i] = c[0] * pf[i]
    for i in range(n):
        cosine, sine = 1.0, 0.0
        if pi[1 + i] == 1:
            cosine, sine = np.cos(q[i]), np.sin(q[i])
        for k in range(m):
            at = begin + k * n + i
            linear, C, S = pf[at], pf[at + m * n], pf[at + 2 * m * n]
            wave = C * cosine + S * sine
            G = linear - C * sine + S * cosine
            if what == BALANCE:
                out[i] += G * lam[k]
            elif what == JACOBIAN:
                out[i * n + i] -= c[2] * lam[k] * wave
            elif what == CONSTRAINT:
                out[k * n + i] = G
            elif what == POSITION:
                out[k] += linear * q[i] + wave
            elif what == VELOCITY:
                out[k] += G * v[i]
            elif what == ACCELERATION:
                out[k] += G * a[i] - v[i] * v[i] * wave
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
        """Two rows: fixed + Σ R(q_i) w_i = 0; with `point`, the point (q_point, q_point+1) less that sum."""
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

    def numbers(self, masses: FloatArray, forces: FloatArray) -> FloatArray:
        """pf of the model."""
        parts = [np.ravel(x) for x in (self.linear, self.cosine, self.sine)]
        return np.concatenate([masses, forces, *parts, self.constant])

    def integers(self) -> IntArray:
        """pi of the model."""
        angles = np.any(self.cosine, axis=0) | np.any(self.sine, axis=0)
        return np.concatenate([[self.rows], angles]).astype(np.int64)

    def explicit(self, q: FloatArray) -> FloatArray:
        """q with every point that a pair of rows gives in terms of angles put there."""
        for linear, cosine, sine, constant in zip(self.linear, self.cosine, self.sine, self.constant, strict=True):
            if linear.any():
                q[int(linear.argmax())] = -(constant + cosine @ np.cos(q) + sine @ np.sin(q))
        return q

"""Constant masses under constant forces, held by constraints that are linear in coordinates and in
their sines and cosines.

    φ_k = c_k + Σ_i (L_ki q_i + C_ki cos q_i + S_ki sin q_i)
    G_ki = L_ki − C_ki sin q_i + S_ki cos q_i        b_k = Σ_i v_i² (C_ki cos q_i + S_ki sin q_i)
    m_i a_i + Σ_k G_ki λ_k = Q_i                     tangents c₀ M − c₂ diag_i Σ_k λ_k (C_ki cos q_i + S_ki sin q_i)

Planar bodies in (x, y, θ) joined at points are of this kind, because a vector fixed in a body at
the angle θ is

    R(θ) w = (w_x cos θ − w_y sin θ,  w_x sin θ + w_y cos θ).

A step asks for the same two positions several times, that of the balance and that of its end: sines
and cosines of both are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

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
    kernel,
)
from isodyn.kernels.lowering import natural
from isodyn.kernels.struct import Struct, integer, integers, many, real, reals
from isodyn.kernels.struct_types import opened

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


class TrigonometricRows(Struct):
    """Masses, forces, L, C, S and c of the rows, and whether a coordinate is an angle."""

    masses, forces = reals("n"), reals("n")
    linear, cosine, sine = reals("rows", "n"), reals("rows", "n"), reals("rows", "n")
    constant = reals("rows")
    angles = integers("n")


class Angle(Struct):
    """The last two values of a coordinate with their cosines and sines; which of them goes next."""

    first, cosine, sine = real, real, real
    second, other_cosine, other_sine = real, real, real
    oldest = integer


class Angles(Struct):
    """What is known of every coordinate."""

    angles = many(Angle, "n")


@kernel()
def turned(i: int, q: FloatArray, rows: TrigonometricRows, known: Angles) -> tuple[float, float]:
    """cos q_i and sin q_i of an angle; (1, 0) of another coordinate, whose C and S are zero."""
    if rows.angles[i] != 1:
        return 1.0, 0.0
    x, angle = q[i], known.angles[i]
    if x == angle.first:
        return angle.cosine, angle.sine
    if x == angle.second:
        return angle.other_cosine, angle.other_sine
    cosine, sine = np.cos(x), np.sin(x)
    if angle.oldest == 0:
        angle.first, angle.cosine, angle.sine, angle.oldest = x, cosine, sine, 1
    else:
        angle.second, angle.other_cosine, angle.other_sine, angle.oldest = x, cosine, sine, 0
    return cosine, sine


@kernel()
def slope(k: int, i: int, cosine: float, sine: float, rows: TrigonometricRows) -> float:
    """G_ki = L_ki − C_ki sin q_i + S_ki cos q_i."""
    return rows.linear[k, i] - rows.cosine[k, i] * sine + rows.sine[k, i] * cosine


@kernel()
def wave(k: int, i: int, cosine: float, sine: float, rows: TrigonometricRows) -> float:
    """C_ki cos q_i + S_ki sin q_i."""
    return rows.cosine[k, i] * cosine + rows.sine[k, i] * sine


@kernel()
def balance(
    q: FloatArray, a: FloatArray, lam: FloatArray, rows: TrigonometricRows, known: Angles, out: FloatArray
) -> None:
    """m_i a_i − Q_i + Σ_k G_ki λ_k."""
    for i in range(natural(q.size)):
        cosine, sine = turned(i, q, rows, known)
        total = rows.masses[i] * a[i] - rows.forces[i]
        for k in range(natural(rows.constant.size)):
            total += slope(k, i, cosine, sine, rows) * lam[k]
        out[i] = total


@kernel()
def tangents(
    q: FloatArray, lam: FloatArray, c: FloatArray, rows: TrigonometricRows, known: Angles, out: FloatArray
) -> None:
    """c₀ M − c₂ diag_i Σ_k λ_k (C_ki cos q_i + S_ki sin q_i)."""
    n = natural(q.size)
    for i in range(n * n):
        out[i] = 0.0
    for i in range(n):
        cosine, sine = turned(i, q, rows, known)
        total = 0.0
        for k in range(natural(rows.constant.size)):
            total += lam[k] * wave(k, i, cosine, sine, rows)
        out[i * n + i] = c[0] * rows.masses[i] - c[2] * total


@kernel()
def two_levels(q: FloatArray, v: FloatArray, rows: TrigonometricRows, known: Angles, out: FloatArray) -> None:
    """φ and φ̇, one after the other."""
    m = natural(rows.constant.size)
    for k in range(m):
        out[k], out[m + k] = rows.constant[k], 0.0
    for i in range(natural(q.size)):
        cosine, sine = turned(i, q, rows, known)
        for k in range(m):
            out[k] += rows.linear[k, i] * q[i] + wave(k, i, cosine, sine, rows)
            out[m + k] += slope(k, i, cosine, sine, rows) * v[i]


@kernel()
def one_level(
    what: int, q: FloatArray, v: FloatArray, a: FloatArray, rows: TrigonometricRows, known: Angles, out: FloatArray
) -> None:
    """φ, φ̇ or φ̈."""
    m = natural(rows.constant.size)
    for k in range(m):
        out[k] = rows.constant[k] if what == POSITION else 0.0
    for i in range(natural(q.size)):
        cosine, sine = turned(i, q, rows, known)
        for k in range(m):
            if what == POSITION:
                out[k] += rows.linear[k, i] * q[i] + wave(k, i, cosine, sine, rows)
            elif what == VELOCITY:
                out[k] += slope(k, i, cosine, sine, rows) * v[i]
            else:
                bend = v[i] * v[i] * wave(k, i, cosine, sine, rows)
                out[k] += slope(k, i, cosine, sine, rows) * a[i] - bend


@kernel(MODEL, loops="short")
def model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    tables: StructAddress,
    scratch: StructAddress,
    out: FloatArray,
) -> int:
    """Masses under forces, and the rows."""
    rows, known = opened(TrigonometricRows, tables), opened(Angles, scratch)
    n, m = natural(q.size), natural(rows.constant.size)
    if what == BALANCE:
        balance(q, a, lam, rows, known, out)
    elif what == JACOBIAN:
        tangents(q, lam, c, rows, known, out)
    elif what == CONSTRAINT:
        for i in range(n):
            cosine, sine = turned(i, q, rows, known)
            for k in range(m):
                out[k * n + i] = slope(k, i, cosine, sine, rows)
    elif what == LEVELS:
        two_levels(q, v, rows, known, out)
    else:
        one_level(what, q, v, a, rows, known, out)
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

    def tables(self, masses: FloatArray, forces: FloatArray) -> TrigonometricRows:
        """Tables of the model."""
        linear, cosine, sine = (np.array(x) for x in (self.linear, self.cosine, self.sine))
        return TrigonometricRows.filled(
            masses=masses,
            forces=forces,
            linear=linear,
            cosine=cosine,
            sine=sine,
            constant=self.constant,
            angles=np.any(cosine, axis=0) | np.any(sine, axis=0),
        )

    def scratch(self) -> Angles:
        """Memory of the model, which knows of no angle yet."""
        angles = Angles(n=self.n)
        angles.angles.fill(first=[np.nan] * self.n, second=[np.nan] * self.n)
        return angles

    def explicit(self, q: FloatArray) -> FloatArray:
        """q with every point that a pair of rows gives in terms of angles put there."""
        for linear, cosine, sine, constant in zip(self.linear, self.cosine, self.sine, self.constant, strict=True):
            if linear.any():
                q[int(linear.argmax())] = -(constant + cosine @ np.cos(q) + sine @ np.sin(q))
        return q

"""Constant masses under constant forces, held by constraints of second degree.

    m_i a_i + Σ_k λ_k (A_k q + l_k)_i = Q_i,        φ_k = ½ qᵀA_k q + l_kᵀq + c_k,        G_k = A_k q + l_k,        b_k = −vᵀA_k v

with symmetric A_k: rods between points of mass, planes, equal coordinates. One compiled model
serves all problems of this kind, with its tangents c₀ M + c₂ Σ λ_k A_k. Energy ½ Σ m_i v_i² − Qᵀq
is conserved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTANT_MASS,
    CONSTRAINT,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    MODEL,
    OK,
    POSITION,
    VELOCITY,
    FloatArray,
    kernel,
)
from isodyn.kernels.struct import FlatNumbers, flat_numbers
from isodyn.kernels.struct_types import opened
from isodyn.results import Solution
from isodyn.systems import CompiledSystem


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
    """pf = masses, forces, then A_k, l_k, c_k of every row; pi[0] rows."""
    flat = opened(FlatNumbers, tables)
    pf, pi = flat.pf, flat.pi
    n, m = q.size, pi[0]
    width = n * n + n + 1
    if what == BALANCE:
        for i in range(n):
            out[i] = pf[i] * a[i] - pf[n + i]
    elif what == JACOBIAN:
        out[:] = 0.0
        for i in range(n):
            out[i * n + i] = c[0] * pf[i]
    for k in range(m):
        row = pf[2 * n + k * width : 2 * n + (k + 1) * width]
        A, linear = row[: n * n].reshape((n, n)), row[n * n : n * n + n]
        if what == JACOBIAN:
            for i in range(n):
                for j in range(n):
                    out[i * n + j] += c[2] * lam[k] * A[i, j]
        elif what == POSITION:
            out[k] = row[n * n + n]
            for i in range(n):
                out[k] += linear[i] * q[i]
                for j in range(n):
                    out[k] += 0.5 * q[i] * A[i, j] * q[j]
        else:
            if what in (VELOCITY, ACCELERATION):
                out[k] = 0.0
            for i in range(n):
                G = linear[i]
                rate = 0.0
                for j in range(n):
                    G += A[i, j] * q[j]
                    rate += A[i, j] * v[j]
                if what == BALANCE:
                    out[i] += G * lam[k]
                elif what == CONSTRAINT:
                    out[k * n + i] = G
                elif what == VELOCITY:
                    out[k] += G * v[i]
                elif what == ACCELERATION:
                    out[k] += G * a[i] + rate * v[i]
    return OK


@dataclass(frozen=True, eq=False)
class Row:
    """φ = ½ qᵀA q + lᵀq + c."""

    name: str
    A: FloatArray
    linear: FloatArray
    constant: float

    def times(self, factor: float, name: str) -> Row:
        """The same constraint, multiplied by a number."""
        return Row(name, factor * self.A, factor * self.linear, factor * self.constant)


def rod(name: str, n: int, first: Sequence[int], second: Sequence[int] | FloatArray, length: float) -> Row:
    """½(|p₁ − p₂|² − ℓ²): columns of p₁, and of p₂ or a fixed point p₂ (floats)."""
    A, linear, constant = np.zeros((n, n)), np.zeros(n), -0.5 * length**2
    one = list(first)
    A[one, one] += 1.0
    if isinstance(second, np.ndarray):
        linear[one] -= second
        constant += 0.5 * float(second @ second)
    else:
        two = list(second)
        A[two, two] += 1.0
        A[one, two] -= 1.0
        A[two, one] -= 1.0
    return Row(name, A, linear, constant)


def linear_row(name: str, n: int, entries: dict[int, float], constant: float = 0.0) -> Row:
    """Σ l_i q_i + c."""
    linear = np.zeros(n)
    for i, value in entries.items():
        linear[i] = value
    return Row(name, np.zeros((n, n)), linear, constant)


def build(
    masses: FloatArray, forces: FloatArray, rows: Sequence[Row], q0: FloatArray, v0: FloatArray, names: tuple[str, ...]
) -> CompiledSystem:
    """The system with these masses, forces and rows."""

    def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        return 0.5 * float(masses @ v**2), -float(forces @ q)

    table = [np.concatenate([row.A.ravel(), row.linear, [row.constant]]) for row in rows]
    return CompiledSystem(
        model,
        CONSTANT_MASS | KNOWS_MASS | KNOWS_TANGENT,
        q0,
        v0,
        tables=flat_numbers(np.concatenate([masses, forces, *table]), [len(rows)]),
        energy=energy,
        names=names,
        m=len(rows),
        m_phi=len(rows),
        row_names=tuple(row.name for row in rows),
    )


def multipliers(system: CompiledSystem, q: FloatArray, a: FloatArray) -> FloatArray:
    """λ of least norm with Gᵀλ = Q − M a, at one time or several (leading axes)."""
    n, m = system.nq, system.m
    numbers: FloatArray = system.tables.pf  # type: ignore[attr-defined]
    masses, forces = numbers[:n], numbers[n : 2 * n]
    table = numbers[2 * n :].reshape(m, -1)
    A, linear = table[:, : n * n].reshape(m, n, n), table[:, n * n : n * n + n]
    G = np.einsum("kij,...j->...ki", A, q) + linear
    load = forces - masses * a
    lam: FloatArray = np.einsum("...ik,...i->...k", np.linalg.pinv(G, rcond=1e-9), load)
    return lam


def conserved(sol: Solution) -> dict[str, FloatArray]:
    """Energy."""
    kinetic, potential = sol.energy()
    return {"energy": kinetic + potential}

"""Constant masses under constant forces, held by constraints of second degree.

    m_i a_i + Σ_k λ_k (A_k q + l_k)_i = Q_i,        φ_k = ½ qᵀA_k q + l_kᵀq + c_k,        G_k = A_k q + l_k,        b_k = −vᵀA_k v

with symmetric A_k: rods between points of mass, planes, equal coordinates. One compiled model
serves all problems of this kind, with its tangents c₀ M + c₂ Σ λ_k A_k. Energy ½ Σ m_i v_i² − Qᵀq
is conserved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

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
from isodyn.kernels.struct import Struct, reals
from isodyn.kernels.struct_types import opened
from isodyn.results import Solution
from isodyn.systems import CompiledSystem
from isodyn.systems.energies import of_masses

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


class QuadraticRows(Struct):
    """Masses, forces, and A, l, c of every row."""

    masses, forces = reals("n"), reals("n")
    A, linear, constant = reals("rows", "n", "n"), reals("rows", "n"), reals("rows")


@kernel()
def gradient(rows: QuadraticRows, k: int, i: int, q: FloatArray) -> float:
    """G_ki = (A_k q + l_k)_i."""
    total = rows.linear[k, i]
    for j in range(q.size):
        total += rows.A[k, i, j] * q[j]
    return total


@kernel()
def balance(rows: QuadraticRows, q: FloatArray, a: FloatArray, lam: FloatArray, out: FloatArray) -> None:
    """m_i a_i − Q_i + Σ_k G_ki λ_k."""
    for i in range(q.size):
        out[i] = rows.masses[i] * a[i] - rows.forces[i]
    for k in range(rows.constant.size):
        for i in range(q.size):
            out[i] += gradient(rows, k, i, q) * lam[k]


@kernel()
def tangents(rows: QuadraticRows, lam: FloatArray, c: FloatArray, out: FloatArray) -> None:
    """c₀ M + c₂ Σ_k λ_k A_k."""
    n = rows.masses.size
    out[:] = 0.0
    for i in range(n):
        out[i * n + i] = c[0] * rows.masses[i]
    for k in range(rows.constant.size):
        for i in range(n):
            for j in range(n):
                out[i * n + j] += c[2] * lam[k] * rows.A[k, i, j]


@kernel()
def position(rows: QuadraticRows, k: int, q: FloatArray) -> float:
    """φ_k = ½ qᵀA_k q + l_kᵀq + c_k."""
    total = rows.constant[k]
    for i in range(q.size):
        total += rows.linear[k, i] * q[i]
        for j in range(q.size):
            total += 0.5 * q[i] * rows.A[k, i, j] * q[j]
    return total


@kernel()
def acceleration(rows: QuadraticRows, k: int, q: FloatArray, v: FloatArray, a: FloatArray) -> float:
    """φ̈_k = G_k a + vᵀA_k v."""
    total = 0.0
    for i in range(q.size):
        rate = 0.0
        for j in range(q.size):
            rate += rows.A[k, i, j] * v[j]
        total += gradient(rows, k, i, q) * a[i] + rate * v[i]
    return total


@kernel(MODEL)
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
    rows, n = opened(QuadraticRows, tables), q.size
    if what == BALANCE:
        balance(rows, q, a, lam, out)
        return OK
    if what == JACOBIAN:
        tangents(rows, lam, c, out)
        return OK
    for k in range(rows.constant.size):
        if what == POSITION:
            out[k] = position(rows, k, q)
        elif what == ACCELERATION:
            out[k] = acceleration(rows, k, q, v, a)
        elif what == VELOCITY:
            out[k] = 0.0
            for i in range(n):
                out[k] += gradient(rows, k, i, q) * v[i]
        elif what == CONSTRAINT:
            for i in range(n):
                out[k * n + i] = gradient(rows, k, i, q)
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

    n = masses.size
    return CompiledSystem(
        model,
        CONSTANT_MASS | KNOWS_MASS | KNOWS_TANGENT,
        q0,
        v0,
        tables=QuadraticRows.filled(
            masses=masses,
            forces=forces,
            A=np.reshape([row.A for row in rows], (-1, n, n)),
            linear=np.reshape([row.linear for row in rows], (-1, n)),
            constant=[row.constant for row in rows],
        ),
        energy=of_masses(masses, forces),
        names=names,
        m=len(rows),
        m_phi=len(rows),
        row_names=tuple(row.name for row in rows),
    )


def multipliers(system: CompiledSystem, q: FloatArray, a: FloatArray) -> FloatArray:
    """λ of least norm with Gᵀλ = Q − M a, at one time or several (leading axes)."""
    tables = cast(QuadraticRows, system.tables)
    G = np.einsum("kij,...j->...ki", tables.A, q) + tables.linear
    load = tables.forces - tables.masses * a
    lam: FloatArray = np.einsum("...ik,...i->...k", np.linalg.pinv(G, rcond=1e-9), load)
    return lam


def conserved(sol: Solution) -> dict[str, FloatArray]:
    """Energy."""
    kinetic, potential = sol.energy()
    return {"energy": kinetic + potential}

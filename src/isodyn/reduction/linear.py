"""Reduced linear systems.

    M̂ ξ̈ + Ĉ ξ̇ + K̂ ξ = f̂(t),    M̂ = VᵀM V, Ĉ = VᵀC V, K̂ = VᵀK V          [Shimada2014 (C.45)–(C.48)]
    f̂ = Vᵀ(f − K q̄)                                                        [Shimada2014 (C.49) adapted]
    ξ(t₀) = (VᵀWV)⁻¹VᵀW(q₀ − q̄),   ξ̇(t₀) = (VᵀWV)⁻¹VᵀW v₀                  [Shimada2014 (C.56) adapted]
    Ĝ = G V                                                                constraint rows keep their multipliers
    Q̂ ξ̇ + P̂ ξ = Vᵀ(r − P s̄)                                                first order [Shimada2014 (C.62) adapted]

Both are linear systems again, small and dense: compiled, with constant matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray, closure
from isodyn.reduction.basis import Basis
from isodyn.reduction.origin import FromFull, Origin
from isodyn.systems.joined import is_compiled
from isodyn.systems.linear import LinearFirstOrderSystem, LinearSystem
from isodyn.systems.model import Model

_COMPILED = 20_000  # entries of V up to which a compiled load is projected in compiled code


class ReducedLinearSystem(FromFull, LinearSystem):
    """A linear system in the coordinates of a basis; `full` is the one it came from, `rows` the
    constraint rows that are left."""

    def __init__(self, full: LinearSystem, basis: Basis, rows: IntArray) -> None:
        at = basis.embedding(full.nq, full.nv)
        T, offset = at.T, at.offset
        stiff = full.K @ offset
        self.origin, self.basis, self.embedding = Origin(full), basis, at
        self.rows = rows
        G = None if full.G is None or rows.size == 0 else full.G[rows] @ T
        super().__init__(
            T.T @ (full.M @ T),  # [Shimada2014 (C.46)]
            None if full.C is None else T.T @ (full.C @ T),  # [Shimada2014 (C.47)]
            T.T @ (full.K @ T),  # [Shimada2014 (C.48)]
            projected_load(full.f, T, stiff),
            *start(full, basis, G),
            G=G,
            names=at.names(full.names, at.others_q),
            row_names=[full.row_names[i] for i in rows],
        )
        self._slope, self._level = T.T @ stiff, 0.5 * float(offset @ stiff)

    def model(self) -> Model:
        """The function that the loop calls."""
        self.origin.refuse_changed()
        return super().model()

    def energy(self, q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        """Kinetic and potential energy of the lifted state."""
        kinetic, potential = super().energy(q, v, t)
        return kinetic, potential + float(self._slope @ q) + self._level

    def energies_of_rows(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same for rows of states."""
        kinetic, potential = super().energies_of_rows(q, v)
        return kinetic, potential + q @ self._slope + self._level


class ReducedLinearFirstOrderSystem(FromFull, LinearFirstOrderSystem):
    """A linear first-order system in the coordinates of a basis."""

    def __init__(self, full: LinearFirstOrderSystem, basis: Basis) -> None:
        at = basis.embedding(full.nv, full.nv)
        T, offset = at.T, at.offset
        self.origin, self.basis, self.embedding = Origin(full), basis, at
        super().__init__(
            T.T @ (full.Q @ T),
            T.T @ (full.P @ T),
            projected_load(full.r, T, full.P @ offset),
            basis.coordinates(full.v0),  # [Shimada2014 (C.62)]
            names=at.names(full.names, at.others_v),
        )

    def model(self) -> Model:
        """The function that the loop calls."""
        self.origin.refuse_changed()
        return super().model()


def start(full: LinearSystem, basis: Basis, G: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """The projected start, brought to the rows that are left."""
    xi, eta = basis.coordinates(full.q0), basis.rates(full.v0)  # [Shimada2014 (C.54), (C.55) adapted]
    if G is not None:
        xi, eta = (x - np.linalg.lstsq(G, G @ x, rcond=1e-12)[0] for x in (xi, eta))
    return xi, eta


def projected_load(f: Callable[..., Any] | FloatArray | None, T: FloatArray, constant: FloatArray) -> Any:
    """t → Tᵀ(f(t) − constant), a vector where f is none or constant."""  # [Shimada2014 (C.49) adapted]
    shift = T.T @ constant
    if f is None:
        return -shift if shift.any() else None
    if not callable(f):
        return T.T @ f - shift
    if is_compiled(f) and T.size <= _COMPILED:
        return _compiled_load(f, T.tobytes(), T.shape, shift.tobytes())

    def load(t: float) -> FloatArray:
        return T.T @ np.asarray(f(t), dtype=np.float64) - shift

    return load


@lru_cache(maxsize=64)
def _compiled_load(
    f: Callable[..., Any], basis: bytes, shape: tuple[int, int], shift: bytes
) -> Callable[[float], FloatArray]:
    T, s = np.frombuffer(basis).reshape(shape), np.frombuffer(shift)

    @closure()
    def load(t: float) -> FloatArray:
        whole = f(t)
        out = np.empty(T.shape[1])
        for j in range(T.shape[1]):
            total = -s[j]
            for i in range(T.shape[0]):
                total += T[i, j] * whole[i]
            out[j] = total
        return out

    return load

"""Reduced nonlinear systems.

    Vᵀ F(q̄ + V ξ, V ξ̇, V ξ̈, t) = 0                                        [Shimada2014 (C.59) adapted]
    ξ̇ = (VᵀWV)⁻¹VᵀW h(s̄ + V ξ, t)                                         first order [Shimada2014 (C.64) adapted]

`ReducedSystem` wraps the model of any mechanical system, compiled or not. Where that model solves
with sparse factors of its own, the functions of the system are projected instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import (
    CONSTANT_MASS,
    COUNTS_TURNS,
    KNOWS_MASS,
    KNOWS_TANGENT,
    RETRACTS,
    FloatArray,
    IntArray,
    Traits,
)
from isodyn.reduction.basis import Basis
from isodyn.reduction.embedding import Embedding
from isodyn.reduction.kernels import around  # compiled, or loaded from the cache, when first needed
from isodyn.reduction.origin import FromFull, Origin
from isodyn.reduction.tables import lay_out
from isodyn.systems.base import System
from isodyn.systems.compiled_system import CompiledSystem
from isodyn.systems.first_order import FirstOrderSystem
from isodyn.systems.mechanical import MechanicalSystem
from isodyn.systems.model import Model

_TRAITS = RETRACTS | KNOWS_MASS | KNOWS_TANGENT | CONSTANT_MASS | COUNTS_TURNS


@dataclass(frozen=True, eq=False, repr=False)
class ReducedSystem(FromFull, CompiledSystem):
    """A mechanical system in the coordinates of a basis; `full` is the one it came from, `rows` the
    constraint rows that are left."""

    origin: Origin = None  # type: ignore[assignment]
    basis: Basis = None  # type: ignore[assignment]
    embedding: Embedding = None  # type: ignore[assignment]
    rows: IntArray = None  # type: ignore[assignment]

    @property
    def states(self) -> int:  # type: ignore[override]
        """How many of its velocities, the last ones, are states of first order: all of the full
        system."""
        return int(self.full.states)

    def model(self) -> Model:
        """The function that the loop calls: that of the full system between lifting and
        projection."""
        self.origin.refuse_changed()
        inner = self.full.model()
        memory = lay_out(inner, self.embedding, self.full.m, self.rows)
        return Model(around(inner.function), Traits(self.traits), *memory, callback=inner.callback)


def reduced_system(full: Any, basis: Basis, rows: IntArray) -> ReducedSystem:
    """The reduced system with these constraint rows, at the projected start."""
    at = basis.embedding(full.nq, full.nv)
    if full.retract is not None:
        _refuse_turning(full, at)
    _refuse_states(full, at)
    model = full.model()

    def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        return full.energy(at.q(q), at.v(v), t)

    def retract(q: FloatArray, d: FloatArray) -> FloatArray:
        moved = full.retract(at.q(q), at.v(d))
        return np.concatenate([q[: basis.rank] + d[: basis.rank], moved[at.others_q]])

    def difference(q_1: FloatArray, q_2: FloatArray) -> FloatArray:
        d = full.difference(at.q(q_1), at.q(q_2))
        return np.concatenate([q_2[: basis.rank] - q_1[: basis.rank], d[at.others_v]])

    def fastest(q: FloatArray, d: FloatArray) -> tuple[str, float, float]:
        found: tuple[str, float, float] = full.fastest(at.q(q), at.v(d))
        return found

    return ReducedSystem(
        None,
        model.traits & _TRAITS,
        basis.coordinates(full.q0),
        basis.rates(full.v0),
        energy=None if full.energy is None else energy,
        retract=None if full.retract is None else retract,
        difference=None if full.retract is None else difference,
        names=at.names(full.names, at.others_q),
        v_names=at.names(full.v_names, at.others_v),
        m=rows.size,
        m_phi=int((rows < full.m_phi).sum()),
        row_names=tuple(full.row_names[i] for i in rows),
        turns=full.turns if model.traits & COUNTS_TURNS else 0,
        fastest=fastest if model.traits & COUNTS_TURNS else None,
        origin=Origin(full),
        basis=basis,
        embedding=at,
        rows=rows,
    )


def _refuse_turning(full: Any, at: Embedding) -> None:
    """Coordinates that are reduced have to add like vectors, with the same number in q and in v."""
    moved = full.q0.copy()
    moved[at.columns] += 1e-3 * np.cos(np.arange(at.columns.size))
    d = full.difference(full.q0, moved)
    gap = np.abs(d[at.columns] - (moved - full.q0)[at.columns])
    if gap.max() > 1e-12 or np.abs(d[at.others_v]).max(initial=0.0) > 1e-12:
        raise InputError(
            "columns may hold only coordinates that add like vectors, such as those of the nodes of a beam",
            hint="leave bodies with an orientation out",
        )


def _refuse_states(full: System, at: Embedding) -> None:
    """States of first order have no part in the energy that directions are weighted by."""
    mixed = [full.v_names[i] for i in range(full.nv - full.states, full.nv) if i not in at.others_v]
    if mixed:
        raise InputError(
            f"states of first order stay as they are; the basis mixes {', '.join(mixed)} with coordinates",
            hint="leave them out of columns=",
        )


class ReducedMechanicalSystem(FromFull, MechanicalSystem):
    """A mechanical system with a sparse mass matrix in the coordinates of a basis."""

    def __init__(self, full: MechanicalSystem, basis: Basis) -> None:
        at = basis.embedding(full.nq, full.nv)
        T, Q_q, Q_v, given = at.T, full.Q_q, full.Q_v, full.energy
        self.origin, self.basis, self.embedding = Origin(full), basis, at
        self.rows = np.zeros(0, dtype=np.int64)

        def Q(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
            return T.T @ np.asarray(full.Q(at.q(q), at.v(v), t), dtype=np.float64)

        def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
            assert given is not None
            return given(at.q(q), at.v(v), t)

        super().__init__(
            T.T @ (full.M @ T),
            Q,
            basis.coordinates(full.q0),
            basis.rates(full.v0),
            Q_q=None if Q_q is None else lambda q, v, t: T.T @ (Q_q(at.q(q), at.v(v), t) @ T),
            Q_v=None if Q_v is None else lambda q, v, t: T.T @ (Q_v(at.q(q), at.v(v), t) @ T),
            energy=None if given is None else energy,
            names=at.names(full.names, at.others_q),
        )

    def model(self, *, plain: bool = False) -> Model:
        """The function that the loop calls."""
        self.origin.refuse_changed()
        return super().model(plain=plain)


class ReducedFirstOrderSystem(FromFull, FirstOrderSystem):
    """A first-order system in the coordinates of a basis; algebraic unknowns stay."""

    def __init__(self, full: FirstOrderSystem, basis: Basis) -> None:
        at = basis.embedding(full.nv, full.nv)
        T, h_s, c, rates = at.T, full.h_s, full.c, basis.rates
        self.origin, self.basis, self.embedding = Origin(full), basis, at

        def h(*arguments: Any) -> FloatArray:
            x, *rest = arguments
            return rates(np.asarray(full.h(at.q(x), *rest), dtype=np.float64))

        super().__init__(
            h,
            basis.coordinates(full.v0),
            z0=full.z0 if full.m else None,
            c=None if c is None else lambda x, z, t: c(at.q(x), z, t),
            h_s=None if h_s is None else lambda x, t: rates((np.asarray(h_s(at.q(x), t)) @ T).T).T,
            names=at.names(full.names, at.others_v),
            row_names=full.row_names or None,
        )

    def model(self, *, plain: bool = False) -> Model:
        """The function that the loop calls."""
        self.origin.refuse_changed()
        return super().model(plain=plain)

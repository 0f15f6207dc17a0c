"""Asking a model from Python, one state at a time: for starts, drift, energy and everything else
outside the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import SingularError
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    IDEAL,
    JACOBIAN,
    MULTIPLIERS,
    NONIDEAL,
    OK,
    POSITION,
    REACTS,
    VELOCITY,
    WRONG_SHAPE,
    FloatArray,
)
from isodyn.linear_solvers.blocks import full, values_to_csr
from isodyn.systems.base import System
from isodyn.systems.checks import wrong_shape

if TYPE_CHECKING:
    from isodyn.open_types import Matrix
    from isodyn.systems.model import Model

FEW = 40_000  # entries of a matrix


class Questions:
    """The questions of `isodyn.kernels.compiled` to one system, answered in new arrays; matrices
    are full unless sparse ones are welcome."""

    def __init__(self, system: System, model: Model | None = None, *, sparse: bool = False) -> None:
        self.system = system
        self.model = system.model() if model is None else model
        if model is None and not sparse and self.model.dense is not None:
            self.model = self.model.dense()

    def ask(
        self,
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        n: int,
        lam: FloatArray | None = None,
        weights: tuple[float, float, float] = (1.0, 0.0, 0.0),
        *,
        ideal: bool = False,
    ) -> FloatArray:
        """What the model answers, as n numbers; `weights` of ∂/∂a, ∂/∂v, ∂/∂q for JACOBIAN; `ideal`
        without forces that depend on multipliers."""
        out, c = np.zeros(n), np.array([*weights, IDEAL if ideal else 1.0])
        lam = np.zeros(self.system.m) if lam is None else lam
        status = int(self.model.function(what, t, q, v, a, lam, c, self.model.tables, self.model.scratch, out))
        if self.model.raised is not None:
            raise self.model.raised
        if status == WRONG_SHAPE:
            raise wrong_shape(f"at t = {t:.6g}", self.system.nv)
        if status != OK:
            raise SingularError(f"the equations of the system have no answer at t = {t:.6g} (status {status})")
        return out

    def balance(
        self, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray | None = None
    ) -> FloatArray:
        """M a + Gᵀλ − Q."""
        return self.ask(BALANCE, t, q, v, a, self.system.nv, lam)

    def mass(self, t: float, q: FloatArray, v: FloatArray) -> Matrix:
        """M, of models that know it."""
        n, pattern = self.system.nv, self.model.sparsity
        if pattern is not None:
            values = self.ask(JACOBIAN, t, q, v, v, pattern.J_columns.size)
            return values_to_csr(pattern.J_starts, pattern.J_columns, values, n)
        return self.ask(JACOBIAN, t, q, v, v, n * n).reshape(n, n)

    def G(self, t: float, q: FloatArray, v: FloatArray) -> Matrix:
        """All rows of the constraint matrix."""
        m, n, pattern = self.system.m, self.system.nv, self.model.sparsity
        if pattern is not None:
            values = self.ask(CONSTRAINT, t, q, v, v, pattern.G_columns.size)
            return values_to_csr(pattern.G_starts, pattern.G_columns, values, n)
        return self.ask(CONSTRAINT, t, q, v, v, m * n).reshape(m, n)

    def rows(self, t: float, q: FloatArray, v: FloatArray) -> Matrix:
        """G, in full where it has few entries, which is faster to work with."""
        m, n, pattern = self.system.m, self.system.nv, self.model.sparsity
        if pattern is None or m * n > FEW:
            return self.G(t, q, v)
        found = np.zeros((m, n))
        values = self.ask(CONSTRAINT, t, q, v, v, pattern.G_columns.size)
        found[np.repeat(np.arange(m), np.diff(pattern.G_starts)), pattern.G_columns] = values
        return found

    def columns(self, t: float, q: FloatArray, v: FloatArray, lam: FloatArray) -> FloatArray:
        """∂balance/∂λ (n, m), in full: Gᵀ, less ∂Q/∂λ where forces depend on multipliers."""
        what = MULTIPLIERS if self.model.traits & (NONIDEAL | REACTS) else CONSTRAINT
        m, n, pattern = self.system.m, self.system.nv, self.model.sparsity
        if pattern is None:
            return self.ask(what, t, q, v, v, m * n, lam).reshape(m, n).T
        values = self.ask(what, t, q, v, v, pattern.G_columns.size, lam)
        return full(values_to_csr(pattern.G_starts, pattern.G_columns, values, n)).T

    def position(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """φ."""
        return self.ask(POSITION, t, q, v, v, self.system.m)[: self.system.m_phi]

    def velocity(self, t: float, q: FloatArray, v: FloatArray, lam: FloatArray | None = None) -> FloatArray:
        """[φ̇; ψ]; of first-order systems c(s, z, t)."""
        return self.ask(VELOCITY, t, q, v, v, self.system.m, lam)

    def acceleration(
        self, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray | None = None
    ) -> FloatArray:
        """[φ̈; ψ̇]."""
        return self.ask(ACCELERATION, t, q, v, a, self.system.m, lam)

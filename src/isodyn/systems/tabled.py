"""Systems of one compiled function for all of a kind: tables of numbers tell them apart, laid out
for dense or sparse matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

from isodyn.kernels.compiled import SPARSE, FloatArray, IntArray
from isodyn.linear_solvers.blocks import Sparsity
from isodyn.systems.compiled_system import CompiledSystem
from isodyn.systems.model import Model


class Layout(Protocol):
    """Numbers of a system, before they are laid out."""

    @property
    def sparsity(self) -> Sparsity: ...

    def build(self, sparse: bool) -> tuple[FloatArray, IntArray]:
        """pf and pi."""


@dataclass(frozen=True, eq=False)
class TabledSystem(CompiledSystem):
    """A system whose pf and pi come from `tables`."""

    tables: Layout = None  # type: ignore[assignment]

    small: ClassVar[int] = 0  # unknowns of a step up to which full matrices are faster
    factor_in_pi: ClassVar[int] = 0  # entry of pi that tells where the factor of all loads is in pf

    def model(self) -> Model:
        """The function that the loop calls, with scratch memory of its own; sparse beyond a few
        unknowns."""
        if self.nv + self.m <= self.small:
            return self.dense_model()
        (pf, pi), sparsity = self.sparse_tables, self.tables.sparsity
        return Model(self.function, self.traits | SPARSE, pf.copy(), pi, sparsity=sparsity, dense=self.dense_model)

    def dense_model(self) -> Model:
        """The same with full matrices."""
        return Model(self.function, self.traits, self.pf.copy(), self.pi)

    @cached_property
    def sparse_tables(self) -> tuple[FloatArray, IntArray]:
        """pf and pi for sparse matrices."""
        return self.tables.build(sparse=True)

    def load_factor_at(self, pi: IntArray) -> int:
        """Where the factor of weight, forces and torques is in pf."""
        return int(pi[self.factor_in_pi])

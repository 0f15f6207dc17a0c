"""Systems of one compiled function for all of a kind: tables of numbers tell them apart, laid out
for dense or sparse matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

from isodyn.kernels.compiled import SPARSE
from isodyn.kernels.struct import Struct
from isodyn.linear_solvers.blocks import Sparsity
from isodyn.systems.compiled_system import CompiledSystem
from isodyn.systems.model import Model


class Layout(Protocol):
    """Numbers of a system, before they are laid out."""

    @property
    def sparsity(self) -> Sparsity: ...

    def build(self, sparse: bool) -> tuple[Struct, Struct]:
        """Tables and scratch of a model."""


@dataclass(frozen=True, eq=False, repr=False)
class TabledSystem(CompiledSystem):
    """A system whose tables and scratch come from `layout`."""

    layout: Layout = None  # type: ignore[assignment]

    small: ClassVar[int] = 0  # unknowns of a step up to which full matrices are faster

    def model(self) -> Model:
        """The function that the loop calls, with scratch memory of its own; sparse beyond a few
        unknowns."""
        if self.nv + self.m <= self.small:
            return self.dense_model()
        return self.sparse_model()

    def sparse_model(self) -> Model:
        """The same with sparse matrices."""
        (tables, scratch), traits = self.sparse_tables, self.traits | SPARSE
        sparsity = self.layout.sparsity
        return Model(self.function, traits, tables, scratch.copy(), sparsity=sparsity, dense=self.dense_model)

    def dense_model(self) -> Model:
        """The same with full matrices."""
        return super().model()

    @cached_property
    def sparse_tables(self) -> tuple[Struct, Struct]:
        """Tables and scratch for sparse matrices."""
        return self.layout.build(sparse=True)

"""Systems of one compiled function for all of a kind: tables of numbers tell them apart, laid out
for dense or sparse matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

from isodyn.kernels.compiled import SPARSE, Traits
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
        # with sparse matrices beyond a few unknowns
        if self.nv + self.m <= self.small:
            return self.dense_model()
        return self.sparse_model()

    def sparse_model(self) -> Model:
        """Return the model with sparse matrices.

        Returns
        -------
        model
            The function, its numbers, scratch memory of its own, and its pattern.
        """
        (tables, scratch), traits = self.sparse_tables, Traits(self.traits | SPARSE)
        sparsity = self.layout.sparsity
        return Model(self.function, traits, tables, scratch.copy(), sparsity=sparsity, dense=self.dense_model)

    def dense_model(self) -> Model:
        """Return the model with full matrices.

        Returns
        -------
        model
            The function, its numbers and scratch memory of its own.
        """
        return super().model()

    @cached_property
    def sparse_tables(self) -> tuple[Struct, Struct]:
        """Tables and scratch for sparse matrices."""
        return self.layout.build(sparse=True)

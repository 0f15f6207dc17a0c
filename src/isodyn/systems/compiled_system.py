"""Systems whose model function is compiled already: the ready problems, and everything that the library builds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isodyn.compiled import FloatArray, IntArray
from isodyn.systems.model import Model


@dataclass(frozen=True, eq=False)
class CompiledSystem:
    """A system from a function of type `isodyn.compiled.MODEL`, its numbers pf, pi and its traits."""

    function: Any
    traits: int
    q0: FloatArray
    v0: FloatArray
    pf: FloatArray = field(default_factory=lambda: np.zeros(0))
    pi: IntArray = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    energy: Any = None
    retract: Any = None
    difference: Any = None
    names: tuple[str, ...] = ()
    first_order: bool = False
    m: int = 0
    m_phi: int = 0
    row_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.names:
            letter, n = ("s", self.v0.size) if self.first_order else ("q", self.q0.size)
            object.__setattr__(self, "names", tuple(f"{letter}{i}" for i in range(n)))
        if not self.row_names:
            object.__setattr__(self, "row_names", tuple(f"row {i}" for i in range(self.m)))

    @property
    def nq(self) -> int:
        return self.q0.size

    @property
    def nv(self) -> int:
        return self.v0.size

    def model(self) -> Model:
        """The function that the loop calls."""
        return Model(self.function, self.traits, self.pf, self.pi)

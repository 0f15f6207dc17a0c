"""Derivatives by the start of a run: directions on the constraints, and the coordinates of small
changes of the state along them.

    δq = N z,   δv = N w + (what the velocities of the constraints need)         G N = 0
    z = N⁺δq,   w = (NᵀMN)⁻¹NᵀM δv
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, is_dataclass, replace
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.linear_solvers.blocks import full
from isodyn.systems.compiled_system import settled
from isodyn.systems.description import Description
from isodyn.systems.questions import Questions

RANK = 1e-9  # of the largest singular value


def with_start(system: Any, q0: FloatArray, v0: FloatArray) -> Any:
    """The same system with another start."""
    if is_dataclass(system) and not isinstance(system, type):
        return replace(system, q0=q0, v0=v0)
    other = copy(system)
    other.q0, other.v0 = np.array(q0), np.array(v0)
    return other


def moved(system: Any, q: FloatArray, d: FloatArray) -> FloatArray:
    """q ⊕ d."""
    if not q.size:
        return q
    return q + d if system.retract is None else np.asarray(system.retract(q.copy(), np.ascontiguousarray(d)))


def apart(system: Any, q: FloatArray, other: FloatArray) -> FloatArray:
    """d with q ⊕ d = other."""
    if not q.size:
        return np.zeros(system.nv)
    return other - q if system.difference is None else np.asarray(system.difference(q.copy(), other.copy()))


@dataclass(frozen=True, eq=False)
class Chart:
    """Coordinates (z, w) of changes of a state on the constraints."""

    system: Any
    t: float
    q: FloatArray
    v: FloatArray

    def __post_init__(self) -> None:
        system, ask = self.system, Questions(self.system)
        n, zero = system.nv, np.zeros(system.m)
        G = full(ask.G(self.t, self.q, self.v)) if system.m else np.zeros((0, n))
        scales = system.scales.v
        _, S, Vt = np.linalg.svd(G * scales, full_matrices=True)
        rank = int((RANK * S.max(initial=0.0) < S).sum())
        N = Vt[rank:].T * scales[:, None]
        base = ask.balance(self.t, self.q, self.v, np.zeros(n), zero)
        M = np.array([ask.balance(self.t, self.q, self.v, e, zero) - base for e in np.eye(n)]).T
        object.__setattr__(self, "N", N)
        object.__setattr__(self, "of_q", np.linalg.pinv(N))
        object.__setattr__(self, "of_v", np.linalg.solve(N.T @ M @ N, N.T @ M))

    @property
    def freedom(self) -> int:
        """Number of velocities that are free."""
        return int(self.N.shape[1])  # type: ignore[attr-defined]

    @property
    def size(self) -> int:
        """Number of coordinates: of first-order systems those of the state alone."""
        return self.freedom * (2 if self.q.size else 1)

    def coordinates(self, dq: FloatArray, dv: FloatArray) -> FloatArray:
        """(z, w) of changes of q and v."""
        w = self.of_v @ dv  # type: ignore[attr-defined]
        return np.concatenate([self.of_q @ dq, w]) if self.q.size else np.asarray(w)  # type: ignore[attr-defined]

    def start(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """q and v at these coordinates; v not yet on the constraints."""
        k, N = self.freedom, self.N  # type: ignore[attr-defined]
        z, w = (x[:k], x[k:]) if self.q.size else (np.zeros(k), x)
        return moved(self.system, self.q, N @ z), self.v + N @ w


class Starts(Description):
    """A system whose parameters are the coordinates of its start."""

    def __init__(self, system: Any, t: float = 0.0) -> None:
        self.system = system
        self.chart = Chart(system, t, settled(system, np.array(system.q0)), np.array(system.v0))
        self.names = tuple(f"start.{k}" for k in range(self.chart.size))

    def compile(self) -> Any:
        """The system itself."""
        return self.system

    def value(self, name: str) -> float:
        """All coordinates are zero here."""
        if name not in self.names:
            raise InputError(f"there is no parameter named {name!r}", hint=f"there are: {', '.join(self.names)}")
        return 0.0

    def at(self, changes: Mapping[str, float]) -> Any:
        """The system with another start."""
        x = np.zeros(self.chart.size)
        for name, value in changes.items():
            self.value(name)
            x[self.names.index(name)] = value
        return with_start(self.system, *self.chart.start(x))

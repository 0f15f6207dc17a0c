"""Kinetic and potential energy of many states: in one pass where the energy function allows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numba import types

from isodyn.kernels.compiled import F2, F, FloatArray, closure
from isodyn.systems.base import System
from isodyn.systems.joined import is_compiled
from isodyn.systems.linear import LinearSystem

Histories = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class EnergyOfRows:
    """An energy function that also knows many states at once.

    Parameters
    ----------
    one
        Function (q, v, t) → (kinetic, potential).
    many
        The same for rows of states: (k, nq), (k, nv), (k,) → two histories.
    """

    one: Callable[[FloatArray, FloatArray, float], tuple[float, float]]
    many: Callable[[FloatArray, FloatArray, FloatArray], Histories]

    def __call__(self, q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        return self.one(q, v, t)


def of_masses(masses: FloatArray, forces: FloatArray) -> EnergyOfRows:
    """½ Σ m_i v_i² and −f·q."""
    return EnergyOfRows(
        lambda q, v, t: (0.5 * float(masses @ v**2), -float(forces @ q)),
        lambda q, v, t: (0.5 * (v**2 @ masses), -(q @ forces)),
    )


def energies(system: System, q: FloatArray, v: FloatArray, t: FloatArray) -> Histories:
    """Kinetic and potential energy at every row."""
    energy = system.energy
    if isinstance(energy, EnergyOfRows):
        return energy.many(q, v, t)
    if isinstance(system, LinearSystem):
        return system.energies_of_rows(q, v)
    if is_compiled(energy) and t.size:
        out = np.zeros((2, t.size))
        _pass_of(energy)(np.ascontiguousarray(q), np.ascontiguousarray(v), np.ascontiguousarray(t), out)
        return out[0], out[1]
    rows = [energy(*row) for row in zip(q, v, t, strict=True)]
    kinetic, potential = np.array(rows, dtype=np.float64).reshape(-1, 2).T
    return kinetic, potential


@lru_cache(maxsize=64)
def _pass_of(energy: Callable[..., Any]) -> Callable[..., None]:
    """A user's compiled energy along rows."""

    @closure(types.void(F2, F2, F, F2))
    def along_rows(q: FloatArray, v: FloatArray, t: FloatArray, out: FloatArray) -> None:
        for i in range(t.size):
            found = energy(q[i], v[i], t[i])
            out[0, i], out[1, i] = found[0], found[1]

    return along_rows

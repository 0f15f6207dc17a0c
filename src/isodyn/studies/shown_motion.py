"""Rows of positions as a solution, so that views, pictures and tables work on what is no run: load
paths and modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.results.solution import Solution
from isodyn.results.statistics import Statistics
from isodyn.systems.base import System
from isodyn.systems.manifold import moving


def as_solution(
    system: System, t: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray
) -> Solution:
    """A solution with these rows."""
    sizes = {"q": q.shape[1], "v": v.shape[1], "a": a.shape[1], "lam": lam.shape[1]}
    columns = {name: np.arange(size) for name, size in sizes.items()}
    return Solution(t, q, v, a, lam, system, None, Statistics(), columns)


def motion_of_mode(lin: Any, mode: int, amplitude: float, rows: int) -> Any:
    """One period of a mode as a solution; its largest component moves by `amplitude`."""
    count = lin.modes.shape[1]
    if isinstance(mode, bool) or not isinstance(mode, int | np.integer) or not 0 <= mode < count:
        raise InputError(f"mode must be a number from 0 to {count - 1}, received {mode!r}", argument="mode")
    system, w = lin.system, float(lin.omega[mode]) or 1.0
    shape = lin.modes[:, mode] / np.abs(lin.modes[:, mode] / system.scales.v).max() * amplitude
    t = np.linspace(0.0, 2 * np.pi / w, rows)
    d, v, a = (np.real(np.outer(np.exp(1j * w * t) * (1j * w) ** k, shape)) for k in range(3))
    move = moving(system)
    return as_solution(system, t, np.array([move(lin.q, x) for x in d]), v, a, np.zeros((rows, system.m)))

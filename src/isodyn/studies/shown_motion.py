"""What is no run shown as one: rows of positions as a solution, so that views, pictures and tables
work on load paths and modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.described import described
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.notebook_views import ShownInNotebooks
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


class WithPoles(ShownInNotebooks):
    """Poles s of e^{st}, of any shape."""

    poles: Any

    @property
    def omega(self) -> FloatArray:
        """Natural frequencies |s| in radians per second."""
        return np.abs(self.poles)

    @property
    def frequencies(self) -> FloatArray:
        """Natural frequencies |s|/2π in hertz."""
        return self.omega / (2 * np.pi)

    @property
    def damping_ratios(self) -> FloatArray:
        """Damping ratios −Re s/|s|; zero for modes of frequency zero."""
        return np.where(self.omega > 0, 0.0 - self.poles.real / np.where(self.omega > 0, self.omega, 1.0), 0.0)


class SmallMotions(WithPoles):
    """Poles and their modes, about a position q of a system."""

    system: System
    q: FloatArray
    modes: Any

    def motion(self, mode: int = 0, amplitude: float = 0.1, rows: int = 61) -> Solution:
        """Return one period of a mode as a solution, to be animated.

        Parameters
        ----------
        mode
            Number of the mode, from 0.
        amplitude
            How far its largest component moves, in typical sizes of the system.
        rows
            Rows of the solution.

        Returns
        -------
        sol
            The motion about the position, as `sol.animate` and reports take it.

        Raises
        ------
        InputError
            If there is no such mode.
        """
        count = self.modes.shape[1]
        if isinstance(mode, bool) or not isinstance(mode, int | np.integer) or not 0 <= mode < count:
            raise InputError(f"mode must be a number from 0 to {count - 1}, received {mode!r}", argument="mode")
        system, w = self.system, float(self.omega[mode]) or 1.0
        shape = self.modes[:, mode] / np.abs(self.modes[:, mode] / system.scales.v).max() * amplitude
        t = np.linspace(0.0, 2 * np.pi / w, rows)
        d, v, a = (np.real(np.outer(np.exp(1j * w * t) * (1j * w) ** k, shape)) for k in range(3))
        move = moving(system)
        return as_solution(system, t, np.array([move(self.q, x) for x in d]), v, a, np.zeros((rows, system.m)))

    __repr__ = described

"""Campbell's diagram: the frequencies of a structure that turns, over its speed
(isodyn.studies.turning)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.open_types import ComplexArray
from isodyn.real_numbers import real_array
from isodyn.studies.shown_motion import WithPoles
from isodyn.studies.turning import Spin, spin
from isodyn.systems.base import System
from isodyn.systems.description import as_system

pyplot = Later("matplotlib.pyplot")


@dataclass(frozen=True, eq=False)
class Campbell(WithPoles):
    """Poles of a structure over its speed; `plot` draws the diagram.

    Parameters
    ----------
    speeds
        Angular velocities (k,).
    poles
        Poles with Im s ≥ 0 at every speed, by size and without those at zero, seen by someone who
        turns along (k, modes); NaN where there are fewer.
    motions
        The motions at these speeds, with their small motions.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, 0))
    >>> _ = mech.add_body("bob", mass=1.0, kind="particle", position=(1, 0, 0))
    >>> _ = mech.add_load(iso.Spring("spring", "ground", "bob", stiffness=100.0, rest=1.0))
    >>> iso.campbell(mech, [2.0, 5.0], modes=1).omega.round(6).ravel().tolist()
    [2.0, 5.0]
    """

    speeds: FloatArray
    poles: ComplexArray
    motions: tuple[Spin, ...]

    def __repr__(self) -> str:
        return f"<Campbell: {self.poles.shape[1]} modes at {self.speeds.size} speeds>"

    def critical_speeds(self, order: float = 1.0) -> FloatArray:
        """Return where a frequency meets a multiple of the speed.

        Parameters
        ----------
        order
            The multiple.

        Returns
        -------
        speeds
            Speeds, by interpolation between those of the diagram.
        """
        found = []
        for gap in (self.omega - order * self.speeds[:, None]).T:
            for k in np.flatnonzero(np.sign(gap[1:]) * np.sign(gap[:-1]) < 0):
                part = gap[k] / (gap[k] - gap[k + 1])
                found.append(self.speeds[k] + part * (self.speeds[k + 1] - self.speeds[k]))
        return np.sort(np.array(found))

    def plot(self, axes: Any = None, orders: Sequence[int] = (1, 2, 3)) -> Any:
        """Draw the Campbell diagram.

        Parameters
        ----------
        axes
            Axes of matplotlib; new ones if left out.
        orders
            Multiples of the speed that are drawn as lines.

        Returns
        -------
        axes
            The axes.
        """
        axes = pyplot.subplots(figsize=(6.0, 4.2), layout="constrained")[1] if axes is None else axes
        axes.plot(self.speeds, self.omega, ".-", color="#3b6fb6", markersize=4, linewidth=1.0)
        top = float(np.nanmax(self.omega)) * 1.05
        for order in orders:
            axes.plot(self.speeds, order * self.speeds, "--", color="#888888", linewidth=0.8)
            last = min(self.speeds[-1], top / order)
            axes.annotate(f"{order} Ω", (last, order * last), fontsize=8, color="#666666", ha="right", va="bottom")
        axes.set(xlabel="speed Ω [rad/s]", ylabel="ω [rad/s], turning along", ylim=(0.0, top))
        return axes


def campbell(
    system: System,
    speeds: ArrayLike,
    *,
    axis: ArrayLike = (0, 0, 1),
    point: ArrayLike = (0, 0, 0),
    modes: int = 8,
) -> Campbell:
    """Return the frequencies of a turning structure over its speed.

    Parameters
    ----------
    system
        A mechanism that can turn about the axis, or a function of the speed that returns one, for
        drives that keep a speed.
    speeds
        Angular velocities, ascending and > 0.
    axis, point
        The axis, in the world.
    modes
        How many poles are kept.

    Returns
    -------
    diagram
        Poles and motions at every speed.

    Raises
    ------
    InputError
        If speeds are not ascending and > 0.
    ConvergenceError
        If there is no steady rotation at a speed.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, 0))
    >>> _ = mech.add_body("bob", mass=1.0, kind="particle", position=(1, 0, 0))
    >>> _ = mech.add_load(iso.Spring("spring", "ground", "bob", stiffness=100.0, rest=1.0))
    >>> iso.campbell(mech, [2.0, 5.0], modes=1).omega.round(6).ravel().tolist()
    [2.0, 5.0]
    """
    given = np.atleast_1d(real_array("speeds", speeds))
    if given.ndim != 1 or not given.size or given[0] <= 0 or (np.diff(given) <= 0).any():
        raise InputError("speeds must be ascending numbers > 0", argument="speeds")
    make: Callable[[float], Any] = system if callable(system) else lambda speed: system
    motions: list[Spin] = []
    poles = np.full((given.size, modes), np.nan, dtype=complex)
    for k, speed in enumerate(given):
        compiled = as_system(make(float(speed)))
        motions.append(spin(compiled, float(speed), axis=axis, point=point, q=motions[-1].q if motions else None))
        found = motions[-1].linear.poles
        found = found[np.abs(found) > 0.0][:modes]
        poles[k, : found.size] = found
    return Campbell(given, poles, tuple(motions))

"""What a ready problem is: a system, how it is usually run, and what is known about its motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.real_numbers import real_number
from isodyn.results import Solution
from isodyn.schemes import Scheme
from isodyn.systems import System


class Motion(NamedTuple):
    """Motion q, v, a along times, and multipliers if there are constraints.

    For a first-order system, s, s', z are in v, a, lam, and q has no columns.

    Parameters
    ----------
    q
        Coordinates.
    v
        Velocities.
    a
        Accelerations.
    lam
        Multipliers, or None.

    Examples
    --------
    >>> import isodyn as iso
    >>> motion = iso.problems.get("oscillator").exact([0.0, 0.1])
    >>> motion.q.shape
    (2, 1)
    """

    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Reference:
    """Numbers to compare with at some times.

    Parameters
    ----------
    t
        Times (k,).
    q
        Coordinates (k, nq).
    v
        Velocities (k, nv).
    source
        Where the numbers are from.
    trust
        How far to trust them.
    a
        Accelerations (k, nv), if they are known.
    lam
        Multipliers (k, m), if they are known.

    Examples
    --------
    >>> import isodyn as iso
    >>> reference = iso.problems.get("andrews").reference
    >>> reference.t.shape, reference.q.shape
    ((10,), (10, 7))
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    source: str
    trust: str
    a: FloatArray | None = None
    lam: FloatArray | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """A system with a name, how it is usually run, and what is known about its motion.

    Parameters
    ----------
    name
        Short name for the command line.
    title
        A line of text.
    source
        Where it is from, in words.
    build
        Function of the parameters, by keyword, that makes the system.
    scheme
        Scheme with which it is usually run.
    dt
        Step with which it is usually run.
    t_end
        End of its usual run.
    t_order
        End of an order study.
    citation
        Key of the work it is from, if there is one.
    parameters
        Names and default values of the parameters.
    motion
        Function (t, **parameters) that gives the exact motion, or None for parameters without a
        formula.
    reference
        Numbers to compare with, which hold for the default parameters.
    conserved
        Function of a solution that gives histories of what the exact motion conserves.
    plane
        Pairs of columns (of q, or of s for first-order systems) that are points of a plane.
    units
        Units of time and of coordinates; "–" if there are none.
    breakpoints
        Times at which loads jump, as `integrate` takes them.
    positive
        Names of the parameters that must be positive: masses, lengths.

    Examples
    --------
    >>> import isodyn as iso
    >>> kepler = iso.problems.get("kepler")
    >>> sol = iso.integrate(kepler.system(e=0.1), kepler.scheme, dt=kepler.dt, t_end=1.0)
    >>> bool(abs(sol.q - kepler.exact(sol.t, e=0.1).q).max() < 1e-3)
    True
    """

    name: str
    title: str
    source: str
    build: Callable[..., System]
    scheme: Scheme
    dt: float
    t_end: float
    t_order: float | None = None
    citation: str | None = None
    parameters: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    motion: Callable[..., Motion | None] | None = None
    reference: Reference | None = None
    conserved: Callable[[Solution], dict[str, FloatArray]] | None = None
    plane: tuple[tuple[int, int], ...] = ()
    units: tuple[str, str] = ("–", "–")
    breakpoints: tuple[float, ...] = ()
    positive: tuple[str, ...] = ()

    def system(self, **parameters: float) -> System:
        """Return the system.

        Parameters
        ----------
        **parameters
            Values of parameters; those left out have their defaults.

        Returns
        -------
        system
            The system.

        Raises
        ------
        InputError
            If a parameter is unknown, no finite number, or not positive where it must be.
        """
        return self.build(**self.complete(parameters))

    def breaks(self, t_end: float) -> tuple[float, ...]:
        """Return the breakpoints of a run.

        Parameters
        ----------
        t_end
            End of the run.

        Returns
        -------
        times
            Times at which loads jump.
        """
        return tuple(t for t in self.breakpoints if 0.0 < t < t_end)

    def exact(self, t: ArrayLike, **parameters: float) -> Motion | None:
        """Return the exact motion at some times.

        Parameters
        ----------
        t
            Times; they become the leading axes of the results.
        **parameters
            Values of parameters; those left out have their defaults.

        Returns
        -------
        motion
            The motion, or None if there is no formula.

        Raises
        ------
        InputError
            If a parameter is unknown, no finite number, or not positive where it must be.
        """
        if self.motion is None:
            return None
        return self.motion(np.asarray(t, dtype=np.float64), **self.complete(parameters))

    def invariants(self, sol: Solution) -> dict[str, FloatArray] | None:
        """Return histories of what the exact motion conserves.

        Parameters
        ----------
        sol
            A solution of the problem.

        Returns
        -------
        histories
            Histories by name, or None if nothing is known.
        """
        return None if self.conserved is None else self.conserved(sol)

    def complete(self, parameters: Mapping[str, float]) -> dict[str, float]:
        """Return all parameters.

        Parameters
        ----------
        parameters
            Values of some of them.

        Returns
        -------
        parameters
            These and the defaults of the others.

        Raises
        ------
        InputError
            If a parameter is unknown, no finite number, or not positive where it must be.
        """
        if unknown := set(parameters) - set(self.parameters):
            known = ", ".join(f"{name} = {value:g}" for name, value in self.parameters.items()) or "none"
            raise InputError(f"{self.name} has no parameter {sorted(unknown)[0]!r}", hint=f"its parameters: {known}")
        given = {name: real_number(f"parameter {name!r} of {self.name}", value) for name, value in parameters.items()}
        for name in self.positive:
            if name in given and given[name] <= 0.0:
                raise InputError(f"parameter {name!r} of {self.name} must be positive, received {given[name]:g}")
        return {**self.parameters, **given}

"""Equilibria of beams, and of mechanisms with beams, along growing loads.

    ∂U/∂q − s Q + Gᵀλ = 0,   φ(q) = 0,      s from 0 to 1: weight, forces, torques

A beam is stiff against stretching and soft against bending, so a long step of Newton's method tears
it. Where the unloaded system cannot move, short steps of the loads do not; where it can, those of
isodyn.studies.relaxation.

Steps start from the two before them and end when the correction is negligible; steps that fail are
halved, easy ones doubled. A path is followed only as long as it is stable
(isodyn.studies.rest_equations).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.beams.system import BeamSystem
from isodyn.errors import BucklingError, ConvergenceError, InputError, SingularError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.mechanism.hybrid import UserMechanismSystem
from isodyn.mechanism.system import MechanismSystem
from isodyn.notebook_views import ShownInNotebooks
from isodyn.studies.rest_equations import Equations, Found, at_start
from isodyn.systems.base import System
from isodyn.systems.description import as_system

if TYPE_CHECKING:
    from isodyn.open_types import Numbers
    from isodyn.results.solution import Solution

shown_motion = Later("isodyn.studies.shown_motion")

SMALLEST = 1e-6  # load steps below this are given up


@dataclass(frozen=True, eq=False)
class LoadPath(ShownInNotebooks):
    """Equilibria along growing loads.

    Parameters
    ----------
    system
        The system.
    factor
        Parts of the loads (k,); the last of `follow_loads` is 1.
    q_path
        Coordinates (k, nq).
    lam_path
        Multipliers (k, m).
    iterations
        Iterations of all load steps.
    stable
        Whether each equilibrium is stable (k,); all of `follow_loads` are.

    Examples
    --------
    >>> import isodyn as iso
    >>> section = iso.Section(EA=1e6, EI=1.0, rhoA=1.0)
    >>> beam = iso.Beam([(0.0, 0.0), (1.0, 0.0)], elements=4, section=section)
    >>> beam.clamp("start")
    >>> beam.force("end", (0.0, 1.0))
    >>> path = iso.follow_loads(beam.compile(), steps=5)
    >>> path.q_path.shape[0] == path.factor.size, bool((path.q == path.q_path[-1]).all())
    (True, True)
    """

    system: System
    factor: FloatArray
    q_path: FloatArray
    lam_path: FloatArray
    iterations: int
    stable: Any = None

    def as_solution(self) -> Solution:
        """Return the path as a solution, the number of the equilibrium in place of time.

        Returns
        -------
        sol
            A solution with v = a = 0 whose views, plots and pictures show the path;
            `sol.beam(name)` has the sectional forces.

        Examples
        --------
        >>> import isodyn as iso
        >>> section = iso.Section(EA=1e6, EI=1.0, rhoA=1.0)
        >>> beam = iso.Beam([(0.0, 0.0), (1.0, 0.0)], elements=4, section=section)
        >>> beam.clamp("start")
        >>> beam.force("end", (0.0, 1.0))
        >>> moment = iso.follow_loads(beam.compile()).as_solution().beam().bending_moment(2)
        >>> round(float(moment[-1, 0, 0]), 2)
        0.94
        """
        still = np.zeros((self.factor.size, self.system.nv))
        t = np.arange(float(self.factor.size))
        return shown_motion.as_solution(self.system, t, self.q_path, still, still, self.lam_path)

    @property
    def q(self) -> FloatArray:
        """Coordinates under full load."""
        return self.q_path[-1]

    @property
    def lam(self) -> FloatArray:
        """Multipliers under full load."""
        return self.lam_path[-1]

    def __repr__(self) -> str:
        return f"<LoadPath: {self.factor.size - 1} load steps, {self.iterations} iterations>"


def has_load_path(system: System) -> bool:
    """Whether this is a beam, or a mechanism with beams or bodies that loads stiffen, all of whose
    parts are compiled."""
    if isinstance(system, BeamSystem):
        return True
    stiffened = (part.reduced.stiffening is not None for part in flexible_parts(system))
    return (
        isinstance(system, MechanismSystem)
        and not isinstance(system, UserMechanismSystem)
        and (bool(system.lines) or any(stiffened))
    )


def flexible_parts(system: System) -> tuple[Any, ...]:
    """The bodies from finite elements of a mechanism all of whose parts are compiled."""
    if not isinstance(system, MechanismSystem) or isinstance(system, UserMechanismSystem):
        return ()
    return tuple(system.layout.flexible)


def follow_loads(
    system: System,
    q: Numbers | None = None,
    *,
    t: float = 0.0,
    steps: int = 10,
    tolerance: float = 1e-10,
    max_iterations: int = 25,
) -> LoadPath:
    """Follow the equilibrium while loads and weight grow from zero.

    Parameters
    ----------
    system
        The system.
    q
        Position without loads; the start of the system if left out.
    t
        Time at which functions of time are taken.
    steps
        Number of load steps to begin with.
    tolerance
        Largest force that may be left over, relative to those that balance.
    max_iterations
        Limit of the iteration in a load step.

    Returns
    -------
    path
        Equilibria along the way; the last one carries the full loads.

    Raises
    ------
    BucklingError
        If the path becomes unstable; the error has the factor of the load.
    SingularError
        If the system can move freely without loads.

    Examples
    --------
    >>> import isodyn as iso
    >>> section = iso.Section(EA=1e6, EI=1.0, rhoA=1.0)
    >>> beam = iso.Beam([(0.0, 0.0), (1.0, 0.0)], elements=4, section=section)
    >>> beam.clamp("start")
    >>> beam.force("end", (0.0, 1.0))
    >>> path = iso.follow_loads(beam.compile())
    >>> float(path.factor[-1])
    1.0
    """
    if not isinstance(steps, int) or steps < 1:
        raise InputError(f"steps must be a number ≥ 1, received {steps!r}")
    system = as_system(system)
    refuse_without_path(system)
    equations = Equations(system, t)
    found: Found | None = start_of_path(equations, q, tolerance, max_iterations)
    assert found is not None
    path, total, step, s = [(0.0, found)], found.iterations, 1.0 / steps, 0.0
    while s < 1.0:
        trial = min(1.0, s + step)
        guess_q, guess_lam = path[-1][1].q, path[-1][1].lam
        if len(path) > 1:
            (s_0, old), new = path[-2], path[-1][1]
            ahead = (trial - s) / (s - s_0)
            guess_q = equations.move(new.q, ahead * equations.way(old.q, new.q))
            guess_lam = new.lam + ahead * (new.lam - old.lam)
        found = equations.solve(trial, guess_q, guess_lam, tolerance, max_iterations)
        lost = found is not None and not equations.stable(found)
        if found is None or lost:
            step = (trial - s) / 2
            if step > SMALLEST:
                continue
            if lost:
                raise BucklingError(
                    f"the equilibrium becomes unstable at {s:.6g} of the load: it buckles or snaps there",
                    factor=s,
                    hint="smaller loads; iso.trace_loads with a small load aside shows where it goes",
                )
            raise ConvergenceError(
                f"no equilibrium found beyond {s:.6g} of the load, in steps down to {step:.1g}",
                hint="the path may turn back there (snap-through); iso.trace_loads goes on, and so does dynamics with damping",
            )
        total, s = total + found.iterations, trial
        path.append((s, found))
        if found.iterations <= 5:
            step *= 2
    states = [x for _, x in path]
    return LoadPath(
        system,
        np.array([factor for factor, _ in path]),
        np.array([x.q for x in states]),
        np.array([x.lam for x in states]),
        total,
        np.ones(len(path), dtype=bool),
    )


def refuse_without_path(system: System) -> None:
    """InputError for systems whose loads cannot be scaled."""
    if has_load_path(system):
        return
    linear = bool(flexible_parts(system))
    raise InputError(
        "load paths are for beams, mechanisms with beams, and flexible bodies that loads stiffen, received "
        + ("flexible bodies without it" if linear else type(system).__name__),
        hint="add_flexible_body(..., stiffening=True)" if linear else "iso.equilibrium takes every mechanical system",
    )


def start_of_path(equations: Equations, q: Numbers, tolerance: float, max_iterations: int) -> Found:
    """The equilibrium without loads."""
    system = equations.system
    at, none = at_start(system, q), np.zeros(system.m)
    if not equations.holds(at):
        raise SingularError(
            "without loads the system can move without deforming: there is no path of growing loads",
            hint="clamp it, or hinge it at two places; iso.equilibrium looks downhill instead",
        )
    found = equations.solve(0.0, at, none, tolerance, max_iterations)
    if found is None:
        raise ConvergenceError("no equilibrium without loads near the start", hint="start from the undeformed line")
    return found

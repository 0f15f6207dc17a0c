"""What local errors are compared with, and how a run whose steps keep them small begins.

At a start the slope of the acceleration comes from a difference along the motion, and the first
step is one whose error it predicts to be small. Sizes of q and v follow the motion; where the start
says nothing about them, typical sizes of the system stand in (isodyn.systems.scales).
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import AccuracyWarning, IsodynError, LooseToleranceWarning
from isodyn.kernels.compiled import GENERAL, FloatArray
from isodyn.marching.algebraic_start import algebraic_start
from isodyn.stepping.first_sizes import FirstSizes, size_up
from isodyn.stepping.memory import Memory, State
from isodyn.systems.base import System
from isodyn.systems.manifold import moving

if TYPE_CHECKING:
    from isodyn.marching.last_step import LastStep
    from isodyn.schemes.gs4_1 import FirstOrderScheme
    from isodyn.schemes.gs4_2 import Scheme

# of the largest component: what a smaller one is compared with at least, if both have one unit; if
# units of positions are not known; and of first-order systems, whose components may be anything
OF_ONE_UNIT, OF_POSITIONS, OF_ANYTHING = 1.0, 0.1, 1e-3
# spectral radius at infinity of members that do not damp, and what they must not leave undamped
UNDAMPED, ROUGH = 0.95, 0.3
AHEAD = 1e-3  # of the first step: how far ahead the acceleration is asked for


def least_share(system: System) -> float:
    """What part of the largest component of its unit a component is at least compared with."""
    if system.first_order:
        return OF_ANYTHING
    return OF_ONE_UNIT if knows_units(system) else OF_POSITIONS


def knows_units(system: System) -> bool:
    """Whether the system tells which of its components have one unit."""
    return len(getattr(system, "alike", ())) == system.nv and not system.first_order


class ErrorSizes:
    """Sizes that the errors of a run are compared with."""

    def __init__(self, policy: Any, system: System, span: float) -> None:
        n, alike = system.nv, tuple(getattr(system, "alike", ()))
        known = knows_units(system)
        self.policy, self.part = policy, least_share(system)
        self.follows = system.nq == n and system.retract is None and not known
        numbers = {unit: k for k, unit in enumerate(sorted(set(alike)))}
        self.unit = np.array([numbers[unit] for unit in alike] if len(alike) == n else [0] * n, dtype=np.int64)
        self.first = FirstSizes()
        self.first.first_order, self.first.part = int(system.first_order), self.part
        self.first.span, self.first.first = span, policy.first_step
        self.there: State | None = None  # a state beside that of the run
        self.by_atol, self.rtol = policy.absolute, policy.rtol

    def put_into(self, memory: Memory) -> None:
        """Tell the memory of a step."""
        memory.unit, memory.follows, memory.part = self.unit, int(self.follows), 0.0 if self.by_atol else self.part

    def size_up(self, run: LastStep, *, first: bool, slope_known: bool) -> None:
        """Sizes at a start, and the first step to try."""
        size_up(self.first, run.plan, int(first), int(slope_known), run.state, run.memory)

    def warn_of_vibrations(self, state: State, scheme: Scheme | FirstOrderScheme, stacklevel: int) -> None:
        """Say so where stiff parts vibrate that the steps do not resolve and the scheme does not
        damp."""
        radii = getattr(scheme, "radii", None)
        if radii is not None and max(radii) > UNDAMPED and state.roughest > ROUGH:
            warnings.warn(
                f"stiff parts vibrate at t = {state.roughest_at:.6g}, unresolved by the steps and not damped by"
                f" {scheme.name}: velocities would be off by {state.roughest:.2g} of their size"
                "\nhint: leave the scheme out, or take one that damps, such as Scheme.U0(0, 0.5, 0)",
                AccuracyWarning,
                stacklevel=stacklevel,
            )

    def warn_if_loose(self, state: State, stacklevel: int) -> bool:
        """Say so where typical sizes that were assumed are far larger than the motion; True if they
        are. Only of steps that promise an error."""
        if self.rtol is None:
            return False
        of_v = bool(self.first.first_order)
        sizes, least = (state.size_v, state.least_v) if of_v else (state.size_q, state.least_q)
        moved, least_of_all = float(sizes.max(initial=0.0)), float(least.min(initial=np.inf))
        loose = bool(state.assumed) and 0.0 < moved < least_of_all
        if loose:
            what = "states" if of_v else "positions"
            warnings.warn(
                f"{what} stayed below {moved:.2g}, far below the {least_of_all / self.part:.2g} that their errors were"
                " compared with\nhint: name a size by atol=, for example "
                f"iso.Adaptive(atol={self.rtol * moved:.1g})",
                LooseToleranceWarning,
                stacklevel=stacklevel,
            )
        return loose


def start_slope(run: LastStep, sizes: ErrorSizes, t: float, ahead: float) -> FloatArray:
    """The derivative of the acceleration at the state of a run, by a difference along the motion;
    zeros where there is none."""
    state, system = run.state, run.system
    if sizes.there is None:
        sizes.there = state.copy()
    else:
        sizes.there.copy_from(state)
    there, v, a_0 = sizes.there, state.v, state.a
    there.v = v + ahead * a_0
    if state.q.size:
        d = ahead * v + 0.5 * ahead**2 * a_0
        there.q = state.q + d if system.retract is None else moving(system)(state.q.copy(), d)
    try:
        if run.model.traits & GENERAL and system.m:
            a = algebraic_start(system, t + ahead, there.v.copy(), state.lam.copy(), run.closure)[0]
        else:
            found = run.acceleration_at(t + ahead, there)
            a = a_0 if found is None else found
    except IsodynError:
        return np.zeros(v.size)
    slope = (np.asarray(a) - a_0) / ahead
    return slope if all(map(math.isfinite, slope.tolist())) else np.zeros(v.size)


def begin_stretch(run: LastStep, sizes: ErrorSizes, t: float, *, first: bool) -> None:
    """After the acceleration of a start: its slope, sizes, and the first step to try."""
    state = run.state
    if first and sizes.by_atol:
        state.least_q, state.least_v = sizes.policy.least_sizes(state.v.size)
    sizes.size_up(run, first=first, slope_known=False)
    ahead = AHEAD * min(float(state.next_dt), float(sizes.first.span))
    state.slope = start_slope(run, sizes, t, ahead)
    sizes.size_up(run, first=first, slope_known=True)

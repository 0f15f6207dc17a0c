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
from isodyn.stepping.adaptive import OPENING
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
SLOW = 1e-3  # of the size of q in the span of the run: slower motions are rest
NOTHING = 1e-10  # of typical sizes: smaller starts are rounding of zero
# spectral radius at infinity of members that do not damp, and what they must not leave undamped
UNDAMPED, ROUGH = 0.95, 0.3
UNTOLD = 1e-6  # the error of a first step where a policy names none
AHEAD = 1e-3  # of the first step: how far ahead the acceleration is asked for
FEW = 8  # components of which Python finds the largest faster than arrays do
ON_TRAPEZOID = 12.0  # 1/|1/6 − λ₃| of the member that takes the first step


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
        n = system.nv
        self.policy, self.system, self.span = policy, system, span
        alike = np.array(getattr(system, "alike", ()), dtype=np.int64)
        self.known, self.part = knows_units(system), least_share(system)
        self.follows = system.nq == n and system.retract is None and not self.known
        units = np.unique(alike, return_inverse=True)[1] if alike.size == n else np.zeros(n)
        self.unit = units.astype(np.int64)
        self.by = 1.0 / system.scales.v
        self.few = self.by.tolist() if 0 < n <= FEW else None
        self.there: State | None = None  # a state beside that of the run
        self.assumed = False  # whether sizes of q come from typical ones alone
        self.by_atol = policy.absolute

    def put_into(self, memory: Memory) -> None:
        """Tell the memory of a step."""
        memory.unit, memory.follows, memory.part = self.unit, int(self.follows), 0.0 if self.by_atol else self.part

    def begin(self, run: LastStep) -> None:
        """Sizes at the start of a run."""
        state, sizes = run.state, self.system.scales.v
        np.abs(state.v, out=state.size_v)
        state.size_a = self.measures(state.a)[0]
        if self.follows:
            np.abs(state.q, out=state.size_q)
        else:
            state.size_q[:] = sizes if state.q.size and not self.by_atol else 0.0
        if self.by_atol:
            state.least_q, state.least_v = self.policy.least_sizes(state.v.size)
        else:
            self.guess(state, sizes)

    def measures(self, *vectors: FloatArray) -> list[float]:
        """The largest component of each, beside typical sizes."""
        if self.few is not None:
            return [max([abs(x) * by for x, by in zip(one.tolist(), self.few, strict=True)]) for one in vectors]
        found: list[float] = (np.abs(vectors) * self.by).max(axis=1, initial=0.0).tolist()
        return found

    def guess(self, state: State, sizes: FloatArray) -> None:
        """Least sizes, from the start or from typical sizes."""
        if self.system.first_order:
            most, rate = (float(np.abs(x).max(initial=0.0)) for x in (state.v, state.a))
            state.least_v = self.part * (most if most > 0.0 else min(rate * self.span, 1.0) or 1.0)
            return
        positions = state.q if self.follows else state.v
        far, fast, pull, bent = self.measures(positions, state.v, state.a, state.slope)
        if self.follows and fast > 0.0 and bent > 0.0:  # of an oscillation its amplitude
            far = max(far, fast * math.sqrt(fast / bent))
        self.assumed = self.follows and far < NOTHING
        far = 1.0 if not self.follows or self.assumed else far
        state.least_q[:] = self.part * far * sizes if self.follows else 0.0
        # velocities at which forces of the start move sizes of q
        state.least_v[:] = self.part * max(fast, math.sqrt(pull * far), SLOW * far / self.span) * sizes

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

    def warn_if_loose(self, state: State, stacklevel: int) -> None:
        """Say so where typical sizes that were assumed are far larger than the motion."""
        moved = float(state.size_q.max(initial=0.0))
        if self.assumed and moved < state.least_q.min(initial=np.inf):
            warnings.warn(
                f"positions stayed below {moved:.2g}, far below the {state.least_q.min() / self.part:.2g} that their errors were"
                " compared with\nhint: name a size by atol=, for example "
                f"iso.Adaptive(atol={self.policy.rtol * moved:.1g})",
                LooseToleranceWarning,
                stacklevel=stacklevel,
            )


def first_size(run: LastStep, sizes: ErrorSizes) -> float:
    """A first step whose error should be small; state.slope is known."""
    state, policy, span = run.state, sizes.policy, sizes.span
    if policy.first_step > 0.0:
        return float(policy.first_step)
    a, slope, far, least_far, fast, least_fast = sizes.measures(
        state.a, state.slope, state.size_q, state.least_q, state.size_v, state.least_v
    )
    unit, pace = max(far, least_far / sizes.part), max(fast, least_fast / sizes.part)
    tolerance, found = policy.controlled_error or UNTOLD, [OPENING * span, policy.largest_step]
    if state.q.size and unit > 0.0:
        found += [(ON_TRAPEZOID * tolerance * unit / slope) ** (1.0 / 3.0)] if slope > 0.0 else []
        found += [tolerance ** (1.0 / 3.0) * math.sqrt(unit / a)] if a > 0.0 else []
    elif pace > 0.0 and a > 0.0:
        found += [tolerance ** (1.0 / 3.0) * pace / a]
        found += [tolerance ** (1.0 / 3.0) * math.sqrt(pace / slope)] if slope > 0.0 else []
    return max(float(min(found)), 4.0 * float(run.plan.smallest_dt))


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
    state.slope[:], state.slope_at, state.missed[:] = 0.0, t, 0.0
    state.last_error, state.repeated = 0.0, 0
    if first:
        sizes.begin(run)
    ahead = AHEAD * min(first_size(run, sizes), sizes.span)
    state.slope[:] = start_slope(run, sizes, t, ahead)
    if first and not sizes.by_atol:
        sizes.guess(state, sizes.system.scales.v)
    state.next_dt = first_size(run, sizes)
    state.errors[:] = 0.0

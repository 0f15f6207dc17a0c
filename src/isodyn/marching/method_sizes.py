"""How large the components of a motion are that a method takes (isodyn.marching.method_run), where
no absolute error is given.

Typical sizes of a system (isodyn.systems.scales) are one where nothing is known. A start that is
far smaller than that has lengths of its own: those of q, and those that velocities and
accelerations lead to,

    L = max(|q|, min(v²/|a|, |v| T), 10⁻⁶ |a| T²),        T the span of the run,

and s and s' T of first-order systems, each component by itself. What begins as nothing at all keeps
the size one, and the run says so if it turns out far smaller.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import LooseToleranceWarning
from isodyn.systems.scales import EPS, ORDINARY, pace, power_of_two, sizes_of_start

if TYPE_CHECKING:
    from isodyn.marching.method_run import MethodRun
    from isodyn.results.solution import Solution

OF_LARGEST = 64.0 * EPS  # of the largest component of a first-order system: rounding in the others
WITHOUT = 16.0 * EPS  # of sizes: what atol = 0 leaves of what is zero, which has no relative error
SLOWEST = 1e-6  # of the way that an acceleration leads to in the span of the run: less is rest


def reckon(run: MethodRun) -> None:
    """Set run.beat, how fast the system moves, and run.allowed, the errors that are allowed of what
    is nearly zero; at a start."""
    state, system, part = run.state, run.system, run.step_method.part_of_sizes
    if system.first_order:
        own, most = sizes_of_start(state.v, state.a, 1.0 / run.slowest), float(np.abs(state.v).max())
        state.assumed = int(not (most > 0.0 or np.any(state.a)))
        allowed = np.maximum(np.maximum(run.allowed, OF_LARGEST * most), part * own)
    else:
        length = length_of(run)
        rates = pace(system, state.v) / length, float(np.sqrt(pace(system, state.a) / length)), run.slowest
        run.beat = float(power_of_two(max(rates)))
        own = length * np.concatenate([system.scales.q, run.beat * system.scales.v])
        allowed = part * own if length == 1.0 else np.maximum(run.allowed, part * own)
    given = run.given_atol
    run.allowed = allowed if given is None else np.where(given > 0.0, given, WITHOUT * own)


def length_of(run: MethodRun) -> float:
    """A length of the motion in typical sizes: one, unless the start is far smaller."""
    state, system = run.state, run.system
    known = len(getattr(system, "alike", ())) == system.nv
    if known or system.nq != system.nv or system.retract is not None:
        return 1.0
    far, fast, pull = (pace(system, x) for x in (state.q, state.v, state.a))
    way = fast / run.slowest
    far = max(far, min(fast * fast / pull, way) if pull > 0.0 else way, SLOWEST * pull / run.slowest**2)
    state.assumed = int(far == 0.0)
    return float(power_of_two(far)) if 0.0 < far < 1.0 / ORDINARY else 1.0


def warn_if_loose(run: MethodRun, sol: Solution, stacklevel: int) -> None:
    """Say so where sizes that were assumed are far larger than the motion."""
    moved = float(np.abs(sol.v if run.system.first_order else sol.q).max(initial=0.0))
    rtol, size = run.step_method.rtol, run.step_method.part_of_sizes
    if run.state.assumed and run.given_atol is None and 0.0 < moved < size / rtol:
        warnings.warn(
            f"the motion began as nothing and stayed below {moved:.2g}, where errors of {size:.2g} are allowed\nhint: name a"
            f" size by atol=, for example iso.{run.step_method.name}(rtol={rtol:g}, atol={rtol * moved:.1g})",
            LooseToleranceWarning,
            stacklevel=stacklevel,
        )

"""Functions of events that look at accelerations and multipliers, at starts.

A start solves for a and λ anew, and so corrects what the steps before it missed of them; and it
moves q and v onto the constraints, where the formulation lets them drift. A function that looks at
them jumps by that, and must not pass zero by it: what it jumps by, its lead, is left out of its
values at first, and comes in over about a step. How it goes on from a start nobody knows yet, for a
and λ have no rates there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.marching.event_sizes import size_of_terms
from isodyn.marching.start import gaps
from isodyn.results.solution import Sample
from isodyn.stepping.events import SCIPY
from isodyn.stepping.guards import NOISE, led_of_guard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isodyn.marching.event_watch import EventWatch
    from isodyn.marching.event_zeros import Zero
    from isodyn.marching.last_step import LastStep

OFF = 1e-11  # relative violations of constraints beyond this are no rounding
CHANGED = 1e-3  # of a lead: an action has changed a function by more than rounding
OTHER, NEARLY_NONE = 1e-6, 1e-12  # parts of a and λ by which others differ; what differs from zero


def looks_at_forces(watch: EventWatch, k: int, now: Sample) -> bool:
    """Whether function k has another value where a and λ are a little other ones."""
    if watch.events[k].arguments == SCIPY:
        return False
    a, lam = (x + max(OTHER * float(np.abs(x).max(initial=0.0)), NEARLY_NONE) for x in (now.a, now.lam))
    return watch.value(k, now._replace(a=a, lam=lam)) != watch.value(k, now)


def leaves_constraints(run: LastStep, now: Sample) -> bool:
    """Whether a state is off the constraints by more than rounding, as formulations leave it that
    close a step at one level: a start moves it."""
    system = run.system
    if not system.m or system.first_order:
        return False
    levels = gaps(run.ask, float(now.t), now.q, now.v, run.slowest)
    held = np.arange(system.m) if run.held is None else run.held
    return any(float(np.abs(gap[held[held < gap.size]]).max(initial=0.0)) > OFF for _, gap, _ in levels)


def led(watch: EventWatch, k: int, t: float) -> float:
    """What a start has corrected of function k, as far as it is still left out at t."""
    return 0.0 if watch.guards.lead[k] == 0.0 else float(led_of_guard(watch.guards, k, float(t)))


def corrections(watch: EventWatch, before: Sample) -> tuple[FloatArray, dict[int, float], Sample]:
    """What a start at the state of the run, without any action, changes of each function: the error
    of accelerations and multipliers there, beside what is still left out. The values after it, of
    those that it may change; and the state on the constraints."""
    many, t = len(watch.events), float(before.t)
    found = np.array([led(watch, k, t) for k in range(many)])
    moves = leaves_constraints(watch.run, before)
    asked = [k for k in range(many) if moves or looks_at_forces(watch, k, before)]
    corrected: dict[int, float] = {}
    moved = before
    if asked:
        values, state = [watch.value(k, before) for k in asked], watch.run.state
        kept = state.copy()
        watch.run.restart(before, [])
        now = watch.run.sample()
        state.copy_from(kept)
        corrected = {k: watch.value(k, now) for k in asked}
        found[asked] += [corrected[k] - g for k, g in zip(asked, values, strict=True)]
        moved = now if moves else before
    return found, corrected, moved


def leave_out_corrections(
    watch: EventWatch, zeros: Sequence[Zero], before: Sample, nothing: FloatArray, span: float
) -> tuple[dict[int, float], Sample]:
    """Leave out what the start at these zeros, in a step of size `span`, will correct; values of
    functions as it would correct them, and the state on the constraints. Functions that are not
    zero there, as they jump, have passed: they begin on their new side, or at zero."""
    guards, t, over = watch.guards, float(before.t), float(watch.guards.lead_over)
    left = min(over, over - (t - float(guards.lead_t)))  # of the time of an earlier lead
    values = {zero.number: watch.led_value(zero.number, before) for zero in zeros}
    lead, corrected_values, moved = corrections(watch, before)
    for zero in zeros:
        k = zero.number
        if abs(values[k]) > nothing[k]:
            corrected = values[k] + float(lead[k])
            lead[k] = min(corrected, 0.0) if zero.rising else max(corrected, 0.0)
    for k, g in corrected_values.items():
        if abs(g) <= NOISE * max(
            float(guards.largest[k]), size_of_terms(watch, k, moved)
        ):  # held at zero until now, but for drift
            lead[k] = 0.0
    guards.lead, guards.lead_t, guards.lead_over = lead, t, max(span, watch.run.typical_dt, left)
    return corrected_values, moved


def forget_leads(watch: EventWatch, corrected: dict[int, float], after: Sample) -> None:
    """Leave nothing out of functions that an action has changed, where they would pass zero as it
    comes in: a multiplier that a release has made zero has no error any more."""
    for k, known in corrected.items():
        lead, now = float(watch.guards.lead[k]), watch.value(k, after)
        if abs(now - known) > CHANGED * abs(lead) and (now - lead) * now <= 0.0:
            watch.guards.lead[k] = 0.0

"""Steps that are repeated so that they end at an event.

The end of a shorter step differs from the interpolant of a longer one: its own zero is found by a
secant, to rounding of t, or by halving where the function jumps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.results.solution import Sample
from isodyn.stepping.guards import MOMENT

if TYPE_CHECKING:
    from isodyn.marching.event_watch import EventWatch
    from isodyn.marching.event_zeros import Zero

NOTHING = 1e-9  # of the values of a function in a step: as small as this after an event, it is zero
SAME_TIME = 1e-12  # of a step: two events are at the same time
RE_STEPS, OF_JUMPS = 12, 80  # repetitions of a step that shall end at a zero, or at a jump


def end_step_at(watch: EventWatch, zero: Zero, t_0: float, t_1: float, located: Sample) -> tuple[float, bool]:
    """Repeat the last step so that it ends where its own end has the zero; when that is, and
    True. Where no step ends there, beside a loss of rank, the state on the interpolant has to
    do, and False."""
    run, k, t = watch.run, zero.number, zero.t
    ulp = float(np.spacing(max(abs(t_0), abs(t_1))))
    if t_1 - t <= 0.5 * ulp:
        return t_1, True
    if float(run.state.t) == t_1:
        run.take_back()
    if t - t_0 <= 0.5 * ulp:
        run.state.copy_from(run.memory.before)
        return t_0, True
    sign = -1.0 if zero.rising else 1.0  # of the function before the zero
    nothing = NOTHING * max(abs(watch.guards.starts[k]), abs(watch.guards.ends[k]))
    low, high, last, reach = t_0, t_1, None, ulp
    for tried in range(OF_JUMPS):
        if not run.step_again(t):
            run.put_state(located)
            return float(run.state.t), False
        g = watch.led_value(k, run.sample())
        low, high = (t, high) if sign * g > 0.0 else (low, t)
        # a jump where it begins: so short a step knows no forces
        if high - t_0 <= SAME_TIME * (t_1 - t_0) + 2.0 * ulp:
            run.state.copy_from(run.memory.before)
            return t_0, True
        slope = slope_of(watch, k) if last is None else (g - last[1]) / (t - last[0])
        last = t, g
        if slope != 0.0 and np.isfinite(slope):
            new = t - g / slope
        else:  # a jump, which is not far
            new, reach = (low + reach if sign * g > 0.0 else high - reach), 8.0 * reach
        done = g == 0.0 or abs(new - t) <= 0.5 * ulp or high - low <= ulp
        if done or (tried >= RE_STEPS and abs(g) <= nothing):
            if sign * g > nothing and run.step_again(high):  # before a jump: it is passed
                return high, True
            break
        t = new if low < new < high else 0.5 * (low + high)
    return float(run.state.t), True


def slope_of(watch: EventWatch, k: int) -> float:
    """Slope of function k at the state of the run, along the motion."""
    run = watch.run
    was, now, h = run.sample_of(run.memory.before), run.sample(), MOMENT * float(run.state.t - run.memory.before.t)
    q = run.moved(now.q, h * (now.v + 0.5 * h * now.a)) if now.q.size else now.q
    a, lam = (x + MOMENT * (x - y) for x, y in ((now.a, was.a), (now.lam, was.lam)))
    return (watch.led_value(k, Sample(now.t + h, q, now.v + h * now.a, a, lam)) - watch.led_value(k, now)) / h

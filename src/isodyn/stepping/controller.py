"""From the error of a step to the size of the next: a proportional-integral controller.

    factor = 0.9 err^(−0.7/3) err_old^(0.4/3)   between 0.2 and 4        [Hairer1996]

with err in units of the tolerance. A step with err > 1 is repeated; the one after it does not grow.
Factors between 1 and 1.2 keep the size, so that guesses by extrapolation and kept factors serve.
"""

from __future__ import annotations

from isodyn.kernels.compiled import kernel
from isodyn.stepping.memory import Memory, Plan, State
from isodyn.stepping.step_error import weigh_errors

SAFETY = 0.9
NOW, LAST = 0.7 / 3.0, 0.4 / 3.0  # gains
LEAST, MOST = 0.2, 4.0  # factors
KEPT = 1.2  # factors between 1 and this change nothing
SMALLEST = 1e-6  # an error below this says no more than this one


@kernel()
def add_errors(error: float, state: State, memory: Memory) -> None:
    """Add the errors of an accepted step, and the one that it is held to, to those before."""
    state.summed += error
    for i in range(state.v.size):
        state.summed_v[i] += abs(memory.error_v[i])


@kernel()
def controlled(plan: Plan, before: State, state: State, memory: Memory) -> float:
    """The factor from a step to the next, negative for a step that has to be repeated."""
    error = weigh_errors(plan, state, memory)
    if not error <= 1.0:
        before.repeated = 1
        return -min(max(SAFETY * error ** (-1.0 / 3.0), LEAST), SAFETY)
    add_errors(error * plan.tolerance, state, memory)
    error = max(error, SMALLEST)
    last = before.last_error
    factor = SAFETY * error ** (-1.0 / 3.0) if last == 0.0 else SAFETY * error**-NOW * last**LAST
    factor = min(max(factor, LEAST), 1.0 if before.repeated == 1 else MOST)
    state.last_error, state.repeated = error, 0
    return 1.0 if 1.0 <= factor <= KEPT else factor

"""When the error of a step is known without a close look.

What is left of the raw errors of q and v, after stiff parts and constraints took theirs, costs a
balance and a solution of a linear system (isodyn.stepping.step_error). Over steps of one size it
changes slowly. Where the raw errors are about those of the last close look and the step is far from
being repeated, the same part of them is left. After a few such steps there is a close look again.
Where stiff parts take most of the raw errors, what is left of others could grow unseen behind them:
there every step has its close look.
"""

from __future__ import annotations

from isodyn.kernels.compiled import kernel
from isodyn.stepping.memory import Memory, State

LESS, MORE = 0.5, 1.4  # of the raw errors of the last close look: about the same
CALM = 0.7  # errors up to this, in units of the tolerance, are far from a repeated step
SHARE = 0.3  # of the raw errors: where less is left, they tell little about it
TRUSTED = 4  # steps between two close looks at most


@kernel()
def is_familiar(raw_q: float, raw_v: float, before: State, state: State) -> bool:
    """Whether the last close look tells what is left of these errors."""
    if not (0 < state.since_look <= TRUSTED and before.dt == state.dt and before.last_error > 0.0):
        return False
    if not (LESS * state.raw_v <= raw_v <= MORE * state.raw_v and raw_q <= MORE * state.raw_q):
        return False
    return min(state.left_q, state.left_v) >= SHARE and before.last_error * MORE <= CALM


@kernel()
def take_part(state: State, memory: Memory) -> None:
    """memory.error_q and memory.error_v become what is left of them by the last close look."""
    for i in range(state.v.size):
        memory.error_q[i] *= state.left_q
        memory.error_v[i] *= state.left_v
    state.since_look += 1


@kernel()
def note_look(raw_q: float, raw_v: float, of_q: float, of_v: float, state: State) -> None:
    """Keep raw errors and the part that was left of them."""
    state.raw_q, state.raw_v, state.since_look = raw_q, raw_v, 1
    state.left_q = of_q / raw_q if raw_q > 0.0 else 1.0
    state.left_v = of_v / raw_v if raw_v > 0.0 else 1.0

"""The part of the error of v that steps take back from each other.

Where the balance holds elsewhere than at t_{n+1}, what it misses there, d, depends on the size of
the step. A step of another size than the one before finds another d than the last one left, and
later steps take the difference back. A controller that answers to it lets steps alternate between
two sizes where the rest of e_v passes through zero. Steps of one size would have

    e_v = −Δt d* − (φ/2 + 1/12) Δt³ q4,    q4 = (D − D_n)/(τ − τ_n),
    d* = d_n + W₁ (d_{n+1} − d_n) + (1 − W₁) φΔt (s − s_n − Δt q4),

in the symbols of isodyn.stepping.step_error (docs/derivations/adaptive_steps.md). d is the error of
a itself, and e_v may vanish where d does not: it is held beside the largest a so far.
"""

from __future__ import annotations

from isodyn.kernels.compiled import kernel
from isodyn.stepping.closure import measure
from isodyn.stepping.memory import Leg, Memory, State

PART_OF_MISSED = 0.2  # of what a step misses of a: held to the tolerance as an error of a


@kernel()
def leave_out_returned(leg: Leg, before: State, state: State, memory: Memory) -> None:
    """Take from memory.error_v what a step of another size than the one before adds to it, and
    later steps take back; what is missed of a beside it goes into memory.error_a."""
    dt, phi = state.dt, leg.phi
    share, apart = (leg.W1 - 0.5) * dt, state.slope_at - before.slope_at
    for i in range(state.v.size):
        s, s_n = state.da[i] / dt, before.da[i] / before.dt if before.dt != 0.0 else before.slope[i]
        bent = phi * dt * (s - s_n - dt * (state.slope[i] - before.slope[i]) / apart)
        change = state.missed[i] - before.missed[i]
        memory.error_v[i] -= share * (change - bent)
        memory.dx[i] = before.missed[i] + leg.W1 * change + (1.0 - leg.W1) * bent
    now, lasts = measure(state.missed, memory.by_v), measure(memory.dx, memory.by_v)
    # members that never damp a carry what start and changes left in it
    memory.error_a = PART_OF_MISSED * (lasts if now < lasts else min(now, 2.0 * lasts))

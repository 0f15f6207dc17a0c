"""How far one step may miss the motion, from what it knows already.

With a_n at t_n − φΔt and Δa = Δt q⃛, the Taylor expansion of the exact motion less that of the step
is, to leading order,

    e_q = (1/6 + φ/2 − λ₃) Δt² Δa,          e_v = −(1/12 + φ(W₁ − ½)) Δt (Δa − Δa_old)

(docs/derivations/local_error.md). Of motions that the step resolves, ΔtΔa is the difference ∇u of
the changes u of v per step, and Δt(Δa − Δa_old) their second difference. Of stiff parts that it
does not resolve, accelerations are larger and tell nothing about q and v, but the differences do:
the smaller of both is taken. Kept are the largest ones of each component over the run, and when.
"""

from __future__ import annotations

from isodyn.kernels.compiled import kernel
from isodyn.stepping.memory import Leg, Memory, State


@kernel()
def judge(leg: Leg, t_1: float, dt: float, known: int, state: State, memory: Memory) -> None:
    """Include a step that succeeded in the largest local errors; `state` is still the one before
    it, and so many steps of its size before it are known."""
    of_q = abs(1.0 / 6.0 + 0.5 * leg.phi - leg.l3) if state.q.size > 0 else 0.0
    of_v = abs(1.0 / 12.0 + leg.phi * (leg.W1 - 0.5))
    for i in range(state.v.size):
        v, x = memory.v_1[i], memory.x[i]
        change = v - state.v[i]
        turn = change - state.last_change[i] if known >= 1 else change
        e_q = of_q * min(abs(dt * x), abs(turn))
        if e_q > state.error_q[i]:
            state.error_q[i], state.error_q_at[i] = e_q, t_1
        if known >= 1:
            bend = turn - state.last_turn[i] if known >= 2 else turn
            e_v = of_v * min(abs(dt * (x - state.da[i])), abs(bend))
            if e_v > state.error_v[i]:
                state.error_v[i], state.error_v_at[i] = e_v, t_1
        state.last_change[i], state.last_turn[i] = change, turn
        state.most_change[i] = max(state.most_change[i], abs(change))
        state.most_v[i] = max(state.most_v[i], abs(v))

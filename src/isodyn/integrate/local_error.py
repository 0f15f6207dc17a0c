"""How far one step may miss the motion, from what it knows already.

With a_n at t_n − φΔt and Δa = Δt q⃛, the Taylor expansion of the exact motion less that of the step is, to leading order,

    e_q = (1/6 + φ/2 − λ₃) Δt² Δa,          e_v = −(1/12 + φ(W₁ − ½)) Δt (Δa − Δa_old)

(docs/derivations/local_error.md). Of motions that the step resolves, ΔtΔa is the difference ∇u of the changes u of v per step, and
Δt(Δa − Δa_old) their second difference. Of stiff parts that it does not resolve, accelerations are larger and tell nothing about q and v,
but the differences do: the smaller of both is taken. Kept are the largest ones of each component over the run, and when.
"""

from __future__ import annotations

from typing import Any

from isodyn.compiled import kernel
from isodyn.integrate.work import AT_Q, AT_V, DU_1, E_Q, E_V, FOLLOWED, U_1, U_MOST, V_1, V_MOST, X


@kernel()
def judge(s: Any, t_1: float, dt: float, state: Any, w: Any) -> None:
    """Take a step that succeeded into the largest local errors; `state` is still the one before it."""
    of_q = abs(1.0 / 6.0 + 0.5 * s.phi - s.l3) if state.q.size > 0 else 0.0
    of_v = abs(1.0 / 12.0 + s.phi * (s.W1 - 0.5))
    known = w.past[FOLLOWED]  # steps of this size before this one
    for i in range(state.v.size):
        v, x = w.n[V_1, i], w.n[X, i]
        change = v - state.v[i]
        turn = change - w.n[U_1, i] if known >= 1.0 else change
        e_q = of_q * min(abs(dt * x), abs(turn))
        if e_q > w.n[E_Q, i]:
            w.n[E_Q, i], w.n[AT_Q, i] = e_q, t_1
        if known >= 1.0:
            bend = turn - w.n[DU_1, i] if known >= 2.0 else turn
            e_v = of_v * min(abs(dt * (x - state.da[i])), abs(bend))
            if e_v > w.n[E_V, i]:
                w.n[E_V, i], w.n[AT_V, i] = e_v, t_1
        w.n[U_1, i], w.n[DU_1, i] = change, turn
        w.n[U_MOST, i] = max(w.n[U_MOST, i], abs(change))
        w.n[V_MOST, i] = max(w.n[V_MOST, i], abs(v))

"""How far one step may miss the motion, from what it knows already.

With a_n at t_n − φΔt and Δa = Δt q⃛, the Taylor expansion of the exact motion less that of the step is, to leading order,

    e_q = (1/6 + φ/2 − λ₃) Δt² Δa,          e_v = −(1/12 + φ(W₁ − ½)) Δt (Δa − Δa_old)

(docs/derivations/local_error.md). Of motions that the step resolves, Δt²Δa is the second difference of the changes of q per step, and
Δt(Δa − Δa_old) that of the changes of v. Of stiff parts that it does not resolve, accelerations are larger by Ω² and tell nothing about
q and v, but the differences do: the smaller of both is taken. Kept are the largest ones of each component over the run, and when.
"""

from __future__ import annotations

from typing import Any

from isodyn.compiled import kernel
from isodyn.integrate.work import (
    A_P,
    AT_Q,
    AT_V,
    D_1,
    D_2,
    D_MOST,
    E_Q,
    E_V,
    FOLLOWED,
    U_1,
    U_2,
    U_MOST,
    V_1,
    V_MOST,
    P,
    X,
)


@kernel(inline=True)
def judge(s: Any, t_1: float, dt: float, state: Any, w: Any) -> None:
    """Take a step that succeeded into the largest local errors; `state` is still the one before it."""
    of_q = abs(1.0 / 6.0 + 0.5 * s.phi - s.l3)
    of_v = abs(1.0 / 12.0 + s.phi * (s.W1 - 0.5))
    known = w.past[FOLLOWED]  # steps of this size before this one
    second_order = state.q.size > 0
    for i in range(state.v.size):
        x = w.n[X, i]
        change = w.n[V_1, i] - state.v[i]
        if known >= 1.0:
            difference = change - w.n[U_1, i]
            if known >= 2.0:
                difference -= w.n[U_1, i] - w.n[U_2, i]
            error = of_v * min(abs(dt * (x - state.da[i])), abs(difference))
            if error > w.n[E_V, i]:
                w.n[E_V, i], w.n[AT_V, i] = error, t_1
        w.n[U_2, i], w.n[U_1, i] = w.n[U_1, i], change
        w.n[U_MOST, i] = max(w.n[U_MOST, i], abs(change))
        w.n[V_MOST, i] = max(w.n[V_MOST, i], abs(w.n[V_1, i]))
        if second_order:
            moved = dt * state.v[i] + dt * dt * (0.5 * w.n[A_P, i] + s.l3 * x - w.n[P, i])
            difference = moved
            if known >= 2.0:
                difference -= 2.0 * w.n[D_1, i] - w.n[D_2, i]
            error = of_q * min(abs(dt * dt * x), abs(difference))
            if error > w.n[E_Q, i]:
                w.n[E_Q, i], w.n[AT_Q, i] = error, t_1
            w.n[D_2, i], w.n[D_1, i] = w.n[D_1, i], moved
            w.n[D_MOST, i] = max(w.n[D_MOST, i], abs(moved))

"""Where in a step the equations of motion hold.

A member of GS4 balances forces at t_n + W₁Δt, at

    q̃ = q_n + W₁Δt v_n + W₂Λ₂ Δt² a_n + W₃Λ₃ Δt² Δa,      ṽ = v_n + W₁Δt a_n + W₂Λ₅ Δt Δa

and a step ends at t_{n+1}, with 1, ½, λ₃, 1, λ₅ in place of W₁, W₂Λ₂, W₃Λ₃, W₁, W₂Λ₅.
"""

from __future__ import annotations

from typing import Protocol

SAME = 1e-14  # coefficients that differ by less are equal


class Weights(Protocol):
    """The coefficients that say where the balance holds and where the step ends."""

    @property
    def W1(self) -> float: ...
    @property
    def W2L2(self) -> float: ...
    @property
    def W3L3(self) -> float: ...
    @property
    def W2L5(self) -> float: ...
    @property
    def l3(self) -> float: ...
    @property
    def l5(self) -> float: ...


def balances_at_end(s: Weights) -> bool:
    """Whether the balance of a step holds at (t_{n+1}, q_{n+1}, v_{n+1})."""
    gaps = (s.W1 - 1.0, s.W2L2 - 0.5, s.W3L3 - s.l3, s.W2L5 - s.l5)
    return max(abs(gap) for gap in gaps) < SAME

"""How a step closes, by the names of weights and corrections."""

from __future__ import annotations

from isodyn.compiled import Closure


def closing(
    *,
    position: float = 0.0,
    velocity: float = 0.0,
    acceleration: float = 0.0,
    keep_position: bool = False,
    keep_velocity: bool = False,
) -> Closure:
    """γ₁φ + γ₂φ̇ + γ₃φ̈ = 0 at t_{n+1} [Shimada2014 (3.201)], where q and v may get corrections that keep φ = 0 and φ̇ = 0 too."""
    return Closure(position, velocity, acceleration, int(keep_position), int(keep_velocity), 0, 0, 0)

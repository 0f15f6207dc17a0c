"""Laws of forces along a measure, by their numbers: what loads choose from, and the kernels of
isodyn.multibody.laws compute.

    SPRING    f = k y + k₃ y³ + c ẋ,  y = x − x₀ − s(t)             LIMIT     k and c outside of [low, high] only
    SPEED     f = c (ẋ − s(t)), or −s(t) as an effort (motors: speed or torque)
    FRICTION  f = N (μ_k + (μ_s − μ_k) exp(−(ẋ/v_s)²)) tanh(ẋ/v_r), N = N₀ + arm·|λ| of the joint's own rows
    BY_FORMULA  f = −F(t, y, ẏ), y other measures
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from isodyn.expressions.program import Program

SPRING, LIMIT, SPEED, FRICTION, BY_FORMULA = range(5)
# ---- loads on one body
FORCE, FOLLOWER, TORQUE, BODY_TORQUE, DRAG = range(5)


@dataclass(frozen=True)
class SpringLaw:
    """stiffness y + cubic y³ + damping ẋ, y = x − rest − shift(t)."""

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    cubic: float = 0.0
    kind: ClassVar[int] = SPRING


@dataclass(frozen=True)
class LimitLaw:
    """A spring and damper outside of [low, high]."""

    stiffness: float
    damping: float
    low: float
    high: float
    kind: ClassVar[int] = LIMIT


@dataclass(frozen=True)
class SpeedLaw:
    """damping (ẋ − shift(t)); with `is_effort` the force −shift(t)."""

    damping: float = 0.0
    is_effort: bool = False
    kind: ClassVar[int] = SPEED


@dataclass(frozen=True)
class FrictionLaw:
    """Coulomb's and Stribeck's friction, from the reaction of a joint."""

    mu: float
    mu_static: float
    stribeck: float
    creep: float
    arm: float
    preload: float
    kind: ClassVar[int] = FRICTION

    @property
    def by_reaction(self) -> bool:
        """Whether the reaction counts beside the preload."""
        return self.arm > 0 and max(self.mu, self.mu_static) > 0


@dataclass(frozen=True)
class FormulaLaw:
    """−F(t, y, ẏ) by a program."""

    program: Program
    kind: ClassVar[int] = BY_FORMULA


ForceLaw = SpringLaw | LimitLaw | SpeedLaw | FrictionLaw | FormulaLaw

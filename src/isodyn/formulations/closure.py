"""How constraints close a step, by names.

The closure of a holonomic row is γ₁φ + γ₂φ̇ + γ₃φ̈ at t_{n+1} [Shimada2014 (3.201)], or at the
balance; `Closure` has the weights and what goes with them. Formulations make closures, kernels read
them (isodyn.stepping.closure).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from isodyn.errors import InputError


class Where(IntEnum):
    """Where the closure is asked for."""

    END = 0  # at t_{n+1}
    BALANCE = 1  # where the balance holds


class Elimination(IntEnum):
    """Whether a basis of the null space eliminates the multipliers, and what it is made from."""

    NONE = 0
    QR = 1
    SVD = 2


class InBalance(IntEnum):
    """Whether the correction of q counts at the balance, a second multiplier that is continuous in
    time."""

    NONE = 0
    STEP = 1  # by the matrix of the step
    MATRIX = 2  # by a matrix of its own


@dataclass(frozen=True)
class Closure:
    """How constraints close a step.

    position, velocity, acceleration : weights of φ, φ̇, φ̈
    keep_position, keep_velocity : whether q_{n+1} and v_{n+1} get corrections of their own, so that
        φ and φ̇ vanish too
    where : at the end of the step or at its balance
    compliance : how much of a closure at the balance each unit of a multiplier may leave open
    eliminate : multipliers by a basis of the null space
    project : how many of q, v, a are projected onto the constraints after the step, 0, 2 or 3
    project_iterations : most iterations of that projection onto φ = 0; 0: until it converges
    in_balance : whether the correction of q counts at the balance
    mass_range : whether the correction of q lies in the range of M⁻¹Gᵀ at the beginning of the
        step, a function of the state alone, instead of that of the step's matrix

    >>> Closure(velocity=1.0, keep_position=True).at_balance
    False
    """

    position: float = 0.0
    velocity: float = 0.0
    acceleration: float = 0.0
    keep_position: bool = False
    keep_velocity: bool = False
    where: Where = Where.END
    compliance: float = 0.0
    eliminate: Elimination = Elimination.NONE
    project: int = 0
    project_iterations: int = 0
    in_balance: InBalance = InBalance.NONE
    mass_range: bool = False

    def __post_init__(self) -> None:
        weights = self.position, self.velocity, self.acceleration
        keeps = self.keep_position or self.keep_velocity
        refused = {
            "a closure needs finite weights of φ, φ̇, φ̈, one of them not zero": not (
                np.isfinite(weights).all() and any(weights)
            ),
            "a closure projects none, two or three of q, v, a": self.project not in (0, 2, 3),
            "a number of iterations is not negative, and belongs to a projection": self.project_iterations < 0
            or (self.project_iterations > 0 and self.project == 0),
            "a compliance is finite and not negative": not 0.0 <= self.compliance < np.inf,
            "a compliance belongs to closures at the balance": self.compliance > 0.0 and not self.at_balance,
            "closures at the balance keep or project nothing at the end": self.at_balance
            and (keeps or self.project > 0),
            "what a projection does needs no corrections beside it": self.project > 0 and keeps,
            "corrections of q and v need multipliers, which are eliminated": self.eliminate > 0 and keeps,
            "only a correction of q can count at the balance": self.in_balance > 0 and not self.keep_position,
            "only a correction of q alone has a range at t_n": self.mass_range
            and (not self.keep_position or self.keep_velocity or self.in_balance > 0),
        }
        for words, wrong in refused.items():
            if wrong:
                raise InputError(f"{words}, received {self!r}")

    @property
    def at_balance(self) -> bool:
        """Whether it is asked for at the balance."""
        return self.where is Where.BALANCE


OPEN = Closure(velocity=1.0)
"""For what takes no steps, and for systems without constraints."""

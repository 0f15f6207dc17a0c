"""How far a parameter may go: the profile of the sum of squares.

    S_j(θ_j) = min over the other parameters of S(θ)
    τ_j(θ_j) = √(S_j(θ_j) − S_min)          the interval holds all θ_j with τ_j ≤ t(1 − α/2)

Where residuals are linear in θ, τ_j = |θ_j − θ̂_j|/√C_jj and the interval is that of the linearised
model. Elsewhere that one may be far too narrow: a sum of squares that is flat beyond a low ridge
lets the parameter go on behind it. Profiles are followed from point to point, the other parameters
by Gauss–Newton steps with the Jacobians that the runs bring along.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isodyn.design.least_squares import LeastSquares
from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import BoolArray

POINTS = 10  # of one side of a profile, failed runs among them
MOST = 10  # parameters that are followed: those that are least known
GROWTH = 2.0  # of the distance from one point to the next
SETTLED = 0.1  # what the other parameters may still gain, in parts of the level
STEPS = 4  # Gauss-Newton steps of the other parameters at a point
LOWER = 0.3  # a sum of squares that is lower by this many squares of the noise is another minimum


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a profile: values of the parameter and τ there, the minimum first; whether τ
    stayed below the level as far as the model could be followed."""

    values: FloatArray
    tau: FloatArray
    slope: float  # dθ/dτ at the minimum, the standard error with its sign
    is_open: bool
    bound: float  # that of the parameter on this side

    def end(self, level: float) -> float:
        """The outermost value whose τ is not above the level."""
        k = int(np.flatnonzero(self.tau <= level)[-1])
        if k + 1 < self.values.size:
            found = self._between(k, level)
        elif self.is_open:
            found = (
                float(self.values[-1])
                if abs(self.values[-1]) < abs(self.values[0])
                else float(np.copysign(np.inf, self.slope))
            )
        else:
            found = float(self.values[-1] + (level - self.tau[-1]) * self._last_slope())
        return min(found, self.bound) if self.slope > 0.0 else max(found, self.bound)

    def _between(self, k: int, level: float) -> float:
        low, high = self.tau[k], self.tau[k + 1]
        a, b = self.values[k], self.values[k + 1]
        if k > 0:
            return float(a + (b - a) * (level - low) / (high - low))
        part = level / high  # a parabola whose slope at the minimum is known
        return float(a + self.slope * level + (b - a - self.slope * high) * part * part)

    def _last_slope(self) -> float:
        if self.tau.size < 2 or self.tau[-1] <= self.tau[-2]:
            return self.slope
        return float((self.values[-1] - self.values[-2]) / (self.tau[-1] - self.tau[-2]))


@dataclass(frozen=True, eq=False)
class Profile:
    """Both sides of the profile of a parameter."""

    low: Side
    high: Side

    def interval(self, level: float) -> tuple[float, float]:
        """All values whose τ is not above the level, between its ends."""
        return self.low.end(level), self.high.end(level)

    @property
    def is_open(self) -> bool:
        """Whether a side has no end."""
        return self.low.is_open or self.high.is_open


class LowerSquaresError(Exception):
    """A profile came to a smaller sum of squares than the fit, with these `values`."""

    def __init__(self, values: FloatArray) -> None:
        super().__init__("a smaller sum of squares")
        self.values = values


@dataclass(frozen=True, eq=False)
class ProfileSearch:
    """Profiles about the minimum of a fit."""

    problem: LeastSquares
    values: FloatArray
    noise: FloatArray  # of every sample
    covariance: FloatArray
    free: BoolArray  # parameters that are not at a bound
    level: float  # τ up to which profiles are followed
    lower: bool  # whether a lower minimum is an error

    def squares(self, values: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Sum of squares, residuals and their Jacobian; not finite where there is no run."""
        x = values / self.problem.scale
        r, J = self.problem.residuals(x, self.noise), self.problem.jacobian(x, self.noise)
        return float(r @ r), r, J

    def profiles(self) -> dict[int, Profile]:
        """Profiles of the parameters that are known least, by their places."""
        errors = np.sqrt(np.diag(self.covariance))
        usable = [j for j in np.flatnonzero(self.free) if np.isfinite(errors[j]) and errors[j] > 0.0]
        sizes = np.where(self.values != 0.0, np.abs(self.values), 1.0)
        usable.sort(key=lambda j: -errors[j] / sizes[j])
        least = self.squares(self.values)[0]
        found = {}
        for j in usable[:MOST]:
            found[int(j)] = Profile(*(self.side(int(j), sign * errors[j], least) for sign in (-1.0, 1.0)))
        return found

    def side(self, j: int, error: float, least: float) -> Side:
        """Follow the profile of parameter j to one side until τ is above the level."""
        bounds = self.problem.bounds[1 if error > 0.0 else 0]
        end, at, step = float(bounds[j]), self.values, self.level * error
        places, tau, along = [float(at[j])], [0.0], self.covariance[:, j] / self.covariance[j, j]
        for _ in range(POINTS):
            beyond = at[j] + step
            step = step if (end - beyond) * error > 0.0 else end - at[j]
            made = self.point(j, at + step * np.where(self.free, along, 0.0), least)
            if made is None:  # no run there
                step *= 0.5
                continue
            at, square, along = made
            places.append(float(at[j]))
            tau.append(float(np.sqrt(max(square - least, 0.0))))
            if tau[-1] >= self.level or at[j] == end:
                return Side(np.array(places), np.array(tau), error, is_open=False, bound=end)
            step *= GROWTH
        return Side(np.array(places), np.array(tau), error, is_open=True, bound=end)

    def point(self, j: int, values: FloatArray, least: float) -> tuple[FloatArray, float, FloatArray] | None:
        """The smallest sum of squares with parameter j fixed, beginning at these values: where, how
        large, and how the others go on with it; None where the model has no run."""
        low, high = np.array(self.problem.bounds[0]), np.array(self.problem.bounds[1])
        others = np.flatnonzero(self.free & (np.arange(values.size) != j))
        at = np.clip(values, low, high)
        S, r, J = self.squares(at)
        if not np.isfinite(S):
            return None
        along = np.zeros(values.size)
        for _ in range(STEPS):
            move, gain = step_of(J[:, others], r)
            if gain <= SETTLED * self.level**2:
                break
            moved = at.copy()
            moved[others] += move
            made = self.squares(np.clip(moved, low, high))
            if not made[0] < S:
                break
            at, (S, r, J) = np.clip(moved, low, high), made
        else:
            move, gain = step_of(J[:, others], r)
        if self.lower and least - LOWER > S:
            raise LowerSquaresError(at)
        along[j] = 1.0
        along[others] = step_of(J[:, others], J[:, j])[0]
        if gain <= SETTLED * self.level**2:  # what is left to gain is known well enough
            S = max(S - gain, min(S, least))
        return at, S, along


def step_of(J: FloatArray, r: FloatArray) -> tuple[FloatArray, float]:
    """The Gauss-Newton step, and what it takes from the sum of squares."""
    if J.shape[1] == 0:
        return np.zeros(0), 0.0
    sizes = np.maximum(np.linalg.norm(J, axis=0), 1e-300)
    U, S, Vt = np.linalg.svd(J / sizes, full_matrices=False)
    seen = 1e-8 * S.max(initial=0.0) < S
    along = U[:, seen].T @ r
    return -(Vt[seen].T @ (along / S[seen])) / sizes, float(along @ along)

"""How far a parameter may go: the profile of the sum of squares.

    S_j(θ_j) = min over the other parameters of S(θ)
    τ_j(θ_j) = √(S_j(θ_j) − S_min)          the interval holds all θ_j with τ_j ≤ t(1 − α/2)
    τ_j' = r·∂r/∂θ_j / τ_j                  at these minima; 1/√C_jj at the fit, with its sign

Where residuals are linear in θ, τ_j = |θ_j − θ̂_j|/√C_jj and the interval is that of the linearised
model. Elsewhere that one may be far too narrow: a sum of squares that is flat beyond a low ridge
lets the parameter go on behind it.

Each run brings its Jacobian along, so one run is a point of a profile: the other parameters begin
where the last point says that they go, and what they could still gain is taken off by a
Gauss–Newton step that is not run if it is small. Between points τ is the cubic of its values and
slopes. Its crossing with the level is the end; a run there is taken only where the cubic and the
parabola, or beyond the last point the parabola and the line, do not agree about it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from isodyn.design.least_squares import LeastSquares, step_of
from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import BoolArray

POINTS = 10  # of one side of a profile, failed runs among them
MOST = 10  # parameters that are followed: those that are least known
GROWTH = 2.0  # of the distance from one point to the next, at most
SETTLED = 0.05  # what the other parameters may still gain, in parts of the square of the level
STEPS = 4  # Gauss-Newton steps of the other parameters at a point
LOWER = 0.3  # a sum of squares that is lower by this many squares of the noise is another minimum
AGREED = 0.03  # of the distance to the fit: two ways to tell the end that differ by less agree
LIKE = 0.3  # slopes at the fit that differ by more than this part are not those of one smooth profile
FLAT = 1e-3  # of the level: smaller τ have no slope that is known


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a profile, from the fit outward: how far the parameter is from its value, τ and
    dτ/d(distance) there; whether τ stayed below the level as far as the model could be followed."""

    fitted: float
    sign: float
    away: FloatArray
    tau: FloatArray
    slopes: FloatArray
    is_open: bool
    bound: float  # that of the parameter on this side

    def end(self, level: float) -> float:
        """The outermost value whose τ is not above the level."""
        k = self._inside(level)
        last = self.fitted + self.sign * float(self.away[-1])
        if k + 1 == self.tau.size and self.is_open:
            found = last if abs(last) < abs(self.fitted) else float(np.copysign(np.inf, self.sign))
        else:
            found = self.fitted + self.sign * (self._crossing(k, level) if k + 1 < self.tau.size else self._on(level))
        return min(found, self.bound) if self.sign > 0.0 else max(found, self.bound)

    def doubt(self, level: float) -> float | None:
        """How far away a run would tell the end better; None where it is known well enough."""
        k = self._inside(level)
        if k + 1 < self.tau.size:
            cubic = self._crossing(k, level)
            gap, rise = self.away[k + 1] - self.away[k], self.tau[k + 1] - self.tau[k]
            bent = 2.0 * (rise - self.slopes[k] * gap) / gap**2
            parabola = self.away[k] + _rise(level - self.tau[k], self.slopes[k], bent)
            return None if abs(parabola - cubic) <= AGREED * cubic else cubic
        parabola, straight = self._on(level), self.away[-1] + _rise(level - self.tau[-1], self.slopes[-1], 0.0)
        if np.isfinite(straight) and abs(parabola - straight) <= AGREED * self.away[-1]:
            return None
        return float(min(parabola, self.away[-1] + GROWTH * (self.away[-1] - self.away[-2])))

    def _inside(self, level: float) -> int:
        """The outermost point that is not above the level."""
        return int(np.flatnonzero(self.tau <= level)[-1])

    def _crossing(self, k: int, level: float) -> float:
        """Where the cubic between points k and k + 1 comes to the level for the last time."""
        gap = self.away[k + 1] - self.away[k]
        (y, z), (a, b) = self.tau[k : k + 2], self.slopes[k : k + 2] * gap
        low, high = 0.0, 1.0
        for parts in (64, *[2] * 50):  # the last interval with the level in it, then halves of it
            u = np.linspace(low, high, parts + 1)
            tau = y + u * (a + u * (3.0 * (z - y) - 2.0 * a - b + u * (a + b - 2.0 * (z - y))))
            i = int(np.flatnonzero(tau[:-1] <= level)[-1]) if (tau[:-1] <= level).any() else 0
            low, high = u[i], u[i + 1]
        return float(self.away[k] + gap * high)

    def _on(self, level: float) -> float:
        """Where τ comes to the level beyond the last point, on the parabola of the cubic there."""
        if self.tau.size < 2:
            return float(self.away[-1] + _rise(level - self.tau[-1], self.slopes[-1], 0.0))
        gap, rise = self.away[-1] - self.away[-2], self.tau[-1] - self.tau[-2]
        bent = (2.0 * self.slopes[-2] + 4.0 * self.slopes[-1] - 6.0 * rise / gap) / gap
        return float(self.away[-1] + _rise(level - self.tau[-1], self.slopes[-1], bent))


def _rise(by: float, slope: float, bent: float) -> float:
    """The first x > 0 with slope·x + bent·x²/2 = by; infinite where there is none."""
    root = slope * slope + 2.0 * bent * by
    if root < 0.0 or slope + np.sqrt(root) <= 0.0:
        return np.inf
    return float(2.0 * by / (slope + np.sqrt(root)))


@dataclass(frozen=True, eq=False)
class Profile:
    """Both sides of the profile of a parameter."""

    low: Side
    high: Side

    @classmethod
    def joined(cls, low: Side, high: Side) -> Profile:
        """Two sides with one slope in the middle: that of the quartic through the nearest points of
        both, whose τ has a sign here. 1/√C_jj leaves out what residuals and their curvature
        make of it together."""
        if min(low.away.size, high.away.size) < 2:
            return cls(low, high)
        x = np.array([-low.away[1], high.away[1]]) * low.slopes[0]
        known = np.concatenate([[-low.tau[1], high.tau[1]], np.array([low.slopes[1], high.slopes[1]]) / low.slopes[0]])
        powers = np.arange(1, 5)
        A = np.vstack([x[:, None] ** powers, powers * x[:, None] ** (powers - 1)])
        if not np.linalg.cond(A / np.abs(A).max(axis=0)) < 1e6:
            return cls(low, high)
        ratio = float(np.linalg.solve(A, known)[0])
        if abs(ratio - 1.0) > LIKE:
            return cls(low, high)
        return cls(
            *(
                replace(side, slopes=side.slopes * np.append(ratio, np.ones(side.slopes.size - 1)))
                for side in (low, high)
            )
        )

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
class Point:
    """A point of a profile: its distance from the fit, τ and its slope there, the values of all
    parameters, and how they go on with the one that is followed."""

    away: float
    tau: float
    slope: float
    values: FloatArray
    along: FloatArray


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
            found[int(j)] = Profile.joined(*(self.side(int(j), sign * errors[j], least) for sign in (-1.0, 1.0)))
        return found

    def side(self, j: int, error: float, least: float) -> Side:
        """Follow the profile of parameter j to one side until it is known where τ is above the
        level."""
        sign, size = float(np.sign(error)), abs(error)
        bound = float(self.problem.bounds[1 if error > 0.0 else 0][j])
        edge, to = abs(bound - self.values[j]), self.level * size
        along = np.where(self.free, self.covariance[:, j] / self.covariance[j, j], 0.0)
        points = [Point(0.0, 0.0, 1.0 / size, self.values, along)]
        for _ in range(POINTS):
            to = min(to, edge)
            near = min(points, key=lambda point: abs(point.away - to))
            start = near.values + sign * (to - near.away) * near.along
            made = self.point(j, start, to, least)
            if made is None and to < points[-1].away:  # no run there: what is known has to do
                break
            if made is None:
                to = 0.5 * (points[-1].away + to)
                continue
            points = sorted([*points, made], key=lambda point: point.away)
            found = self.made(j, sign, points, is_open=False, bound=bound)
            further = found.doubt(self.level)
            if further is None or (points[-1].tau < self.level and points[-1].away == edge):
                return found
            to = further
        return self.made(j, sign, points, is_open=points[-1].tau < self.level, bound=bound)

    def made(self, j: int, sign: float, points: list[Point], *, is_open: bool, bound: float) -> Side:
        """The side that these points tell."""
        away, tau, slopes = (np.array([getattr(point, name) for point in points]) for name in ("away", "tau", "slope"))
        return Side(float(self.values[j]), sign, away, tau, slopes, is_open, bound)

    def point(self, j: int, values: FloatArray, away: float, least: float) -> Point | None:
        """The smallest sum of squares with parameter j fixed, beginning at these values; None where
        the model has no run."""
        low, high = np.array(self.problem.bounds[0]), np.array(self.problem.bounds[1])
        others = np.flatnonzero(self.free & (np.arange(values.size) != j))
        at, enough = np.clip(values, low, high), SETTLED * self.level**2
        S, r, J = self.squares(at)
        if not np.isfinite(S):
            return None
        for _ in range(STEPS):
            move, gain = step_of(J[:, others], r)
            if gain <= enough:
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
        along = np.zeros(values.size)
        along[j] = 1.0
        along[others] = step_of(J[:, others], J[:, j])[0]
        if gain <= enough:  # what is left to gain is known well enough
            S = max(S - gain, min(S, least))
            r, at = r + J[:, others] @ move, at.copy()
            at[others] = np.clip(at[others] + move, low[others], high[others])
        tau = float(np.sqrt(max(S - least, 0.0)))
        sign = float(np.sign(at[j] - self.values[j]))
        slope = sign * float(r @ (J @ along)) / max(tau, FLAT * self.level)
        return Point(away, tau, slope, at, along)

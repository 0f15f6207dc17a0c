"""Searches from several starts: minima of the sum of squares that lie behind ridges.

The starts beside the given one are a Latin hypercube: of n starts each n-th part of the range of
every parameter has one. Ranges are the bounds, by their logarithms where they are far apart; where
there is no bound, a quarter of the initial value to four times it, or two widths of a prior.

    two minima are one if Σ ((y − y')/σ)² ≤ 1            data do not tell them apart
    another one explains the data as well if S' − S ≤ p F(1 − α; p, n − p)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isodyn.design.least_squares import LOOSE, TIGHT, WITHIN, LeastSquares
from isodyn.errors import ConvergenceError, InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later

stats = Later("scipy.stats")

MOST_STARTS = 1000
WIDE = 10.0  # ratio of bounds from which on starts are spread by logarithms
WIDTHS = 2.0  # of a prior, on both sides
SAME = 1.0  # squares of the noise between what two minima say about all samples: less, and they are one

ROUGHLY = 1e-2  # … or this part of what they are above the fit, for searches that ended early


@dataclass(frozen=True, eq=False)
class Minimum:
    """A minimum of the sum of squares that some searches ended in.

    Parameters
    ----------
    values
        Values of the parameters there.
    excess
        Its sum of squares above that of the fit, in squares of the noise.
    searches
        How many searches ended there.
    as_good
        Whether it explains the data as well, by the confidence of the fit.
    """

    values: FloatArray
    excess: float
    searches: int
    as_good: bool


@dataclass(frozen=True, eq=False)
class Searched:
    """One search.

    Parameters
    ----------
    start
        Values that it began with.
    end
        Values that it ended with; None where the model did not run, or the search did not end.
    taken
        Whether it ended lowest, so that the fit went on from there.
    """

    start: FloatArray
    end: FloatArray | None
    taken: bool = False


def ranges(problem: LeastSquares, names: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """Where starts are spread."""
    low, high = (np.array(ends, dtype=np.float64) for ends in problem.bounds)
    x, size = problem.start, np.abs(problem.start)
    prior = ~np.isnan(problem.means)
    near = np.where(x > 0.0, size / WITHIN, -WITHIN * size), np.where(x < 0.0, -size / WITHIN, WITHIN * size)
    near = (
        np.where(prior, problem.means - WIDTHS * problem.widths, near[0]),
        np.where(prior, problem.means + WIDTHS * problem.widths, near[1]),
    )
    low, high = np.where(np.isfinite(low), low, np.minimum(near[0], high)), np.where(np.isfinite(high), high, near[1])
    high = np.maximum(high, low)
    for name, a, b in zip(names, low, high, strict=True):
        if not b > a:
            raise InputError(
                f"starts= does not know where to look for {name}: it begins at zero and has no bounds",
                hint=f'give bounds={{"{name}": (low, high)}}',
            )
    return low, high


def spread(low: FloatArray, high: FloatArray, count: int, seed: int) -> FloatArray:
    """A Latin hypercube of `count` points between the ends.

    >>> points = spread(np.array([0.0]), np.array([4.0]), 4, seed=0)
    >>> sorted(np.floor(points[:, 0]).astype(int).tolist())
    [0, 1, 2, 3]
    """
    rng = np.random.default_rng(seed)
    parts = np.column_stack([(rng.permutation(count) + rng.random(count)) / count for _ in low])
    wide = (low > 0.0) & (high > WIDE * low)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_logarithm = low * (high / low) ** parts
    return np.where(wide, by_logarithm, low + (high - low) * parts)


@dataclass
class SeveralStarts:
    """Searches of one problem from several starts."""

    problem: LeastSquares
    noise: FloatArray  # of every sample

    def squares(self, values: FloatArray) -> float:
        """The sum of squares; infinite where there is no run."""
        r = self.problem.residuals(values / self.problem.scale, self.noise)
        return float(r @ r) if np.isfinite(r).all() else np.inf

    def search(self, start: FloatArray, most: int, tight: float = LOOSE) -> FloatArray | None:
        """Where a search from here ends; None where the model does not run, or the search does not
        end."""
        problem = replace(self.problem, start=start, most=self.problem.comparison.runs + most)
        x = start / problem.scale
        if not np.isfinite(problem.residuals(x, self.noise)).all():
            return None
        try:
            found = problem.solved(x, self.noise, tight)
        except (ConvergenceError, ValueError, np.linalg.LinAlgError):
            return None
        return problem.scale * found.x if found.status > 0 else None

    def searches(self, starts: FloatArray, most: int) -> list[Searched]:
        """Searches from these points."""
        return [Searched(start, self.search(start, most)) for start in starts]

    def judged(self, searches: Sequence[Searched]) -> tuple[Searched, ...]:
        """The same, with a mark at the one that ended lowest."""
        sizes = [np.inf if one.end is None else self.squares(one.end) for one in searches]
        least = int(np.argmin(sizes))
        return tuple(replace(one, taken=k == least and bool(np.isfinite(sizes[k]))) for k, one in enumerate(searches))

    def distinct(self, ends: list[FloatArray], best: FloatArray, most: int, level: float) -> tuple[Minimum, ...]:
        """Minima among these ends beside the `best`, the lowest first; those within `level` squares
        of it are searched for to the end."""
        ends = sorted(ends, key=self.squares)
        least, said, groups = self.squares(best), self.problem.comparison.at, list[list[Any]]()
        for one in ends:
            end: FloatArray | None = one
            if self.squares(one) - least <= level:
                end = self.search(one, most, TIGHT)
            values = one if end is None else end
            here = said(values)[0]
            room = max(SAME, ROUGHLY * (self.squares(values) - least))
            for group in groups:
                if _apart(here, said(group[0])[0], self.noise) <= room:
                    group.append(values)
                    break
            else:
                groups.append([values])
        at_best = said(best)[0]
        found = []
        for group in groups:
            excess = self.squares(group[0]) - least
            if _apart(said(group[0])[0], at_best, self.noise) > SAME:
                found.append(Minimum(group[0], excess, len(group), bool(excess <= level)))
        return tuple(sorted(found, key=lambda one: one.excess))


def _apart(one: FloatArray, other: FloatArray, noise: FloatArray) -> float:
    """Squares of the noise between what two minima say."""
    return float((((one - other) / noise) ** 2).sum())


def tolerated(confidence: float, parameters: int, degrees: float) -> float:
    """By how many squares of the noise a sum of squares may be larger than the least one."""
    if np.isinf(degrees):
        return float(stats.chi2.ppf(confidence, parameters))
    return parameters * float(stats.f.ppf(confidence, parameters, degrees))

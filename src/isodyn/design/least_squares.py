"""Runs of a model beside samples, and the least squares of what lies between them
(isodyn.design.fitting)."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.api import integrate
from isodyn.design.families import breaks_within, moved
from isodyn.design.measured import Channel, weights_at
from isodyn.errors import CoarseStepWarning, ConvergenceError, IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.results.quantities import Catalogue
from isodyn.results.solution import Solution
from isodyn.sensitivities.parameters import Family

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

optimize = Later("scipy.optimize")

TIGHT = 1e-9  # relative changes of values at which a fit ends
LEVEL = 1e-7  # … and of the sum of squares, where it is 1e-5 squares of the noise of a hundred samples
LOOSE = 1e-4  # both while noise is not known yet
WITHIN = 4.0  # times larger or smaller than at the start: where parameters stay while samples are left out
STEADY = 1e-2  # relative changes of noise at which its estimate ends
ROUNDS = 8  # of the estimate of noise
RECENT = 2  # runs that are kept: the last step of a search may lead upward
LEAST = 1e-7  # of the spread of a channel: noise is not below


NOTHING_LEFT = "A step would take less than `ftol` from the sum of squares."


class SettledError(Exception):
    """A search has come to a minimum: what a step could gain is known from the Jacobian there, so
    it need not be run."""

    def __init__(self, x: FloatArray) -> None:
        super().__init__(NOTHING_LEFT)
        self.x = x.copy()


@dataclass
class Comparison:
    """Runs of a model beside samples: what channels say at the times of the samples, and their
    derivatives by the parameters."""

    family: Family
    names: tuple[str, ...]
    channels: list[Channel]
    options: dict[str, Any]
    runs: int = 0
    found: dict[bytes, tuple[FloatArray, FloatArray]] = field(default_factory=dict)
    places: list[Any] = field(default_factory=list)
    recent: dict[bytes, Solution] = field(default_factory=dict)  # the last runs with all derivatives
    last_error: IsodynError | None = None

    def run(self, values: FloatArray, names: Sequence[str] | None = None, **options: Any) -> Solution:
        """One run with derivatives."""
        self.runs += 1
        given = moved(self.family, dict(zip(self.names, map(float, values), strict=True)))
        options = {**self.options, **options}
        options |= breaks_within(options, options.get("t0", 0.0), options["t_end"])  # samples may end before
        return integrate(given, sensitivities=list(names or self.names), **options)

    def read(self, sol: Solution) -> FloatArray:
        """All channels at all rows."""
        if not self.places:
            self.places = [Catalogue(sol).find(channel.name) for channel in self.channels]
        table = Catalogue(sol)
        return np.column_stack([table.read(place).values for place in self.places])

    def at_samples(self, sol: Solution, rows: FloatArray) -> FloatArray:
        """Values at the times of the samples, channel by channel."""
        breaks, found = self.options.get("breakpoints", ()), []
        for k, channel in enumerate(self.channels):
            places, weights = weights_at(sol.t, channel.t, breaks)
            found.append((rows[places, k] * weights).sum(axis=1))
        return np.concatenate(found)

    def at(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What the model says at the samples, and the Jacobian; NaN where there is no run."""
        key = values.tobytes()
        if key not in self.found:
            try:
                with warnings.catch_warnings():  # the run with half the step tells, once, where steps are too large
                    warnings.simplefilter("ignore", CoarseStepWarning)
                    sol = self.run(values)
                self.recent = dict([*self.recent.items(), (key, sol)][-RECENT:])
                said = self.at_samples(sol, self.read(sol))
                by = [self.at_samples(sol, sol.sensitivity(name).of(self.read)) for name in self.names]
                made = said, np.column_stack(by)
            except IsodynError as error:
                if not self.found:
                    raise
                self.last_error = error
                many = sum(channel.t.size for channel in self.channels)
                made = np.full(many, np.nan), np.full((many, len(self.names)), np.nan)
            self.found[key] = made
        return self.found[key]


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Samples, priors and bounds of a fit, in scaled parameters θ = scale·x."""

    comparison: Comparison
    start: FloatArray
    bounds: tuple[list[float], list[float]]
    means: FloatArray  # of priors; NaN where there is none
    widths: FloatArray
    most: int

    @property
    def data(self) -> FloatArray:
        """All samples."""
        return np.concatenate([channel.values for channel in self.comparison.channels])

    @property
    def counts(self) -> list[int]:
        """Numbers of samples."""
        return [channel.t.size for channel in self.comparison.channels]

    @cached_property
    def scale(self) -> FloatArray:
        """Typical sizes of the parameters."""
        spans = np.array(self.bounds[1]) - np.array(self.bounds[0])
        spans = np.where(np.isfinite(spans), spans, 1.0)
        sizes = np.where(np.isnan(self.widths), spans, self.widths)
        return np.where(self.start != 0.0, np.abs(self.start), sizes)

    def residuals(self, x: FloatArray, noise: FloatArray) -> FloatArray:
        """Weighted residuals, priors last."""
        values = self.scale * x
        said = self.comparison.at(values)[0]
        prior = ~np.isnan(self.means)
        return np.concatenate([(said - self.data) / noise, ((values - self.means) / self.widths)[prior]])

    def jacobian(self, x: FloatArray, noise: FloatArray) -> FloatArray:
        """Derivatives of the residuals by the values."""
        prior = ~np.isnan(self.means)
        by = self.comparison.at(self.scale * x)[1]
        return np.vstack([by / noise[:, None], np.diag(1.0 / self.widths)[prior]])

    def solved(self, start: FloatArray, noise: FloatArray, tight: float) -> OptimizeResult:
        """The minimum for given noise."""
        scale, room, level = self.scale, self.most - self.comparison.runs, max(tight, LEVEL)
        if room < 1:
            raise ConvergenceError(f"the fit did not end after {self.comparison.runs} runs", hint="raise max_runs")

        def jacobian(x: FloatArray) -> FloatArray:
            r, J = self.residuals(x, noise), self.jacobian(x, noise) * scale
            if step_of(J, r)[1] <= level * float(r @ r):
                raise SettledError(x)
            return J

        try:
            return optimize.least_squares(
                lambda x: self.residuals(x, noise),
                start,
                jac=jacobian,
                bounds=(np.array(self.bounds[0]) / scale, np.array(self.bounds[1]) / scale),
                method="trf",
                x_scale="jac",
                xtol=tight,
                ftol=level,
                gtol=tight,
                max_nfev=room,
            )
        except SettledError as settled:
            return optimize.OptimizeResult(x=settled.x, status=2, message=NOTHING_LEFT)

    def spreads(self) -> FloatArray:
        """Spreads of the channels: first weights, and what noise is measured by."""
        spread = np.array([max(float(np.std(c.values)), 1e-6 * float(np.abs(c.values).max())) for c in self.channels])
        return np.where(spread > 0.0, spread, 1.0)

    @property
    def channels(self) -> list[Channel]:
        """The channels."""
        return self.comparison.channels

    def estimated(self, x: FloatArray, noise: FloatArray) -> FloatArray:
        """Noise of each channel from its residuals."""
        r, J = self.residuals(x, noise), self.jacobian(x, noise)
        U, S, _ = np.linalg.svd(J * self.scale, full_matrices=False)
        U = U[:, 1e-8 * S.max(initial=0.0) < S]
        used, found = (U**2).sum(axis=1), []
        for (first, last), least in zip(spans(self.counts), LEAST * self.spreads(), strict=True):
            degrees = max(last - first - float(used[first:last].sum()), 0.5)
            size = float(np.sqrt((r[first:last] ** 2).sum() / degrees)) * noise[first]
            found.append(max(size, least))
        return np.array(found)

    def staged(self, stages: int, given: FloatArray) -> LeastSquares:
        """The same problem, beginning at what the first parts of the samples say, one after the
        other."""
        problem, t = self, np.unique(np.concatenate([channel.t for channel in self.channels]))
        low, high = (np.array(ends) for ends in self.bounds)
        for k in range(1, stages):
            last = t[max(int(np.ceil(t.size * k / stages)) - 1, 0)]
            part = [Channel(c.name, c.t[c.t <= last], c.values[c.t <= last], c.unit) for c in self.channels]
            seen = [i for i, channel in enumerate(part) if channel.t.size]
            comparison = replace(
                self.comparison,
                channels=[part[i] for i in seen],
                options={**self.comparison.options, "t_end": float(last)},
                runs=problem.comparison.runs,
                found={},
                places=[],
                recent={},
            )
            x = problem.start
            room = np.where(x != 0.0, np.abs(x), np.inf)
            near = np.where(x > 0.0, room / WITHIN, -WITHIN * room), np.where(x < 0.0, -room / WITHIN, WITHIN * room)
            first = replace(
                self,
                comparison=comparison,
                start=x,
                bounds=(np.maximum(low, near[0]).tolist(), np.minimum(high, near[1]).tolist()),
            )
            found, _ = first.fitted(given[seen])
            problem = replace(self, start=np.clip(first.scale * found.x, low, high))
            self.comparison.runs = comparison.runs
        return problem

    def fitted(self, given: FloatArray) -> tuple[Any, FloatArray]:
        """The minimum, and the noise of each channel; NaN in `given` where it is to be
        estimated."""
        free, noise, x = np.isnan(given), np.where(np.isnan(given), self.spreads(), given), self.start / self.scale
        last = not free.any()
        for k in range(ROUNDS):
            last = last or k == ROUNDS - 1
            found = self.solved(x, np.repeat(noise, self.counts), TIGHT if last else LOOSE)
            x = found.x
            if found.status == 0:
                raise ConvergenceError(
                    f"the fit did not end after {self.comparison.runs} runs", hint="raise max_runs, or start nearer"
                )
            new = np.where(free, self.estimated(x, np.repeat(noise, self.counts)), noise)
            ratio = new / noise
            noise = new
            if last:
                break
            steady = np.abs(ratio - 1.0).max() <= STEADY
            last = bool(steady or (free.all() and np.ptp(ratio) <= STEADY * ratio.max()))  # one factor moves nothing
        return found, noise


def spans(counts: Sequence[int]) -> list[tuple[int, int]]:
    ends = np.cumsum([0, *counts])
    return [(int(a), int(b)) for a, b in itertools.pairwise(ends)]


def step_of(J: FloatArray, r: FloatArray) -> tuple[FloatArray, float]:
    """The Gauss-Newton step, and what it takes from the sum of squares."""
    if J.shape[1] == 0:
        return np.zeros(0), 0.0
    sizes = np.maximum(np.linalg.norm(J, axis=0), 1e-300)
    U, S, Vt = np.linalg.svd(J / sizes, full_matrices=False)
    seen = 1e-8 * S.max(initial=0.0) < S
    along = U[:, seen].T @ r
    return -(Vt[seen].T @ (along / S[seen])) / sizes, float(along @ along)

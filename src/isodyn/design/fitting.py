"""Fits: parameters of a model from measured data.

    minimise Σ_c Σ_k ((y_c(t_k; θ) − d_ck)/σ_c)² + Σ_j ((θ_j − μ_j)/s_j)²       channels c, priors (μ, s)

by SciPy's trust regions with the exact Jacobian of the run. Noise σ_c that is not given is
estimated from the residuals of each channel, σ_c² = RSS_c/(n_c − p_c) with p_c the part of the
parameters that the channel determined, until it stays. Intervals end where the sum of squares says
(isodyn.design.profiles); a smaller sum that is found on the way begins the fit again.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.api.sensitive import checked_names
from isodyn.design.asked import (
    check_numbers,
    checked_options,
    checked_priors,
    fitted_part,
    look_at_constants,
    look_at_times,
    with_units,
)
from isodyn.design.compared import ChannelFit
from isodyn.design.estimate import Fit, covariance_of, directions
from isodyn.design.families import checked_bounds, checked_values, model_family, moved
from isodyn.design.least_squares import Comparison, LeastSquares, spans
from isodyn.design.measured import Channel, read_data
from isodyn.design.minima import MOST_STARTS, Searched, SeveralStarts, ranges, spread, tolerated
from isodyn.design.profiles import LowerSquaresError, ProfileSearch
from isodyn.errors import AccuracyWarning, ConvergenceError, InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

stats = Later("scipy.stats")

AGAIN = 4  # searches, each from a smaller sum of squares
MISSED = 0.5  # of what samples vary by: a model that leaves more has hardly explained them
FOLLOWED = 0.99  # confidence to which profiles are followed, at least


def fit(
    model: object,
    data: object,
    parameters: Sequence[str],
    *,
    channels: Mapping[str, str] | Sequence[str] | None = None,
    start: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    priors: Mapping[str, tuple[float, float]] | None = None,
    noise: Mapping[str, float] | None = None,
    hold_out: float | Sequence[str] = 0.0,
    confidence: float = 0.95,
    max_runs: int = 100,
    stages: int = 1,
    starts: int = 1,
    seed: int = 0,
    profile: bool = True,
    **options: Any,
) -> Fit:
    """Fit parameters of a model to measured data.

    Jacobians are exact derivatives of the run, so a fit takes about ten runs. Sum of squares, noise
    and intervals assume that samples are independent and normally distributed; `Fit.remarks` says
    what speaks against that.

    Parameters
    ----------
    model
        A mechanism, a `Parametrised` system, a model file or its path, or a ready problem.
    data
        A CSV file, a mapping or a DataFrame: times in a column "t" or "time", and a column for each
        channel, named as in `sol.quantities()`. Headings may carry units, "pin.angle [deg]".
    parameters
        Names of the numbers to fit, such as ["spring.stiffness", "damper.c"].
    channels
        Columns to fit; a mapping also gives the quantities that they measure.
    start
        Initial values, where they differ from those of the model.
    bounds
        (low, high) by name; None means that there is no bound.
    priors
        (mean, standard deviation) by name: what else is known about the parameters.
    noise
        Standard deviation of the samples of channels, in the units of the model. Estimated where it
        is not given.
    hold_out
        Share of the samples, at the end, that is compared but not fitted; or names of channels.
    confidence
        Confidence level of the intervals.
    max_runs
        Largest number of runs of the search.
    stages
        Number of searches, each with a larger first part of the samples, and the last with all of
        them. Long vibrations have many minima, of which the start of the samples knows few.
    starts
        Number of searches: the first begins at the initial values, the others at points spread over
        the bounds (without bounds, a quarter to four times the initial values). The lowest minimum
        is taken; `Fit.minima` has the others, and the fit warns where one of them explains the data
        as well. It takes `starts` times as many runs.
    seed
        Of the points that searches begin at.
    profile
        Whether intervals are followed to where the sum of squares says that they end, by two runs a
        parameter and more where residuals are not linear in it (at most the ten parameters that are
        known least); otherwise they are those of the linearised model.
    **options
        For `integrate`: dt, scheme, formulation, t0, breakpoints, newton, assemble. By default
        those of a model file.

    Returns
    -------
    fit
        Values, intervals, noise, and what the data do not determine.

    Raises
    ------
    InputError
        If names, units or numbers do not fit together.
    SensitivityError
        If the run cannot be differentiated.
    ConvergenceError
        If the fit does not converge.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> def oscillator(k):
    ...     return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -k * q, q0=[1.0], v0=[0.0], names=["x"])
    >>> t = np.linspace(0, 2, 21)
    >>> measured = np.cos(2 * t) + 0.01 * np.random.default_rng(1).normal(size=t.size)
    >>> found = iso.fit(iso.Parametrised(oscillator, k=3.0), {"t": t, "q(x)": measured}, ["k"], dt=0.01)
    >>> abs(found["k"] - 4.0) < 0.05
    True
    """
    names = tuple(checked_names(parameters, "parameters"))
    family, said = model_family(model, names)
    look_at_times(read_data(data, channels), said.get("t_end"))
    options = checked_options({**said, **options})
    check_numbers(confidence, max_runs, stages, starts, seed)
    values = np.array([checked_values(start, names, "start").get(n, family.value(n)) for n in names])
    whole = with_units(family, names, values, read_data(data, channels), options)
    kept = fitted_part(whole, hold_out)
    look_at_constants(kept)
    t_end = max(float(channel.t[-1]) for channel in kept)
    comparison = Comparison(family, names, kept, {**options, "t_end": t_end})
    means, widths = checked_priors(priors, names)
    low, high = checked_bounds(bounds, names)
    for name, x, a, b in zip(names, values, low, high, strict=True):
        if not a <= x <= b:
            raise InputError(f"{name} starts at {x:g}, outside its bounds {a:g} and {b:g}", hint="give start=")
    problem = LeastSquares(comparison, values, (low, high), means, widths, max_runs)
    given = checked_values(noise, tuple(channel.name for channel in whole), "noise", "channels")
    if any(x <= 0.0 for x in given.values()):
        raise InputError(f"noise must be above zero, received {given}", hint="leave noise= out to estimate it")
    sizes = np.array([given.get(channel.name, np.nan) for channel in kept])
    if sum(problem.counts) + int((~np.isnan(means)).sum()) < len(names):
        raise InputError(
            f"{len(names)} parameters need as many samples, received {sum(problem.counts)}",
            hint="fit fewer parameters, or give priors=",
        )
    problem = problem.staged(stages, sizes)
    searches: tuple[Searched, ...] = ()
    if starts > 1:
        problem, searches = _from_several(problem, sizes, starts, seed)
    result = _searched(problem, sizes, whole, confidence if profile else None)
    result = replace(result, confidence=confidence, start=values, starts=starts, searches=searches)
    if starts > 1:
        result = _with_minima(result, problem)
    for text in _warnings(result, bounded=bool(bounds)):
        warnings.warn(AccuracyWarning(text), stacklevel=2)
    return result


def _from_several(
    problem: LeastSquares, sizes: FloatArray, starts: int, seed: int
) -> tuple[LeastSquares, tuple[Searched, ...]]:
    """The problem at the lowest of the minima that searches from several starts come to, and all
    searches."""
    points = spread(*ranges(problem, problem.comparison.names), starts - 1, seed)
    noise, first = np.where(np.isnan(sizes), problem.spreads(), sizes), Searched(problem.start, None)
    try:
        found, noise = problem.fitted(sizes)
        first = Searched(problem.start, problem.scale * found.x)
    except ConvergenceError:
        pass
    several = SeveralStarts(problem, np.repeat(noise, problem.counts))
    searches = several.judged([first, *several.searches(points, problem.most)])
    taken = next((one for one in searches if one.taken), None)
    if taken is None or taken.end is None:
        raise ConvergenceError(
            f"none of {starts} searches ended after {problem.comparison.runs} runs",
            hint="raise max_runs, or start nearer",
        )
    limit = problem.comparison.runs + problem.most
    return replace(problem, start=taken.end, most=limit), searches


def _with_minima(result: Fit, problem: LeastSquares) -> Fit:
    """The other minima that searches ended in, beside the fit."""
    sizes = {one.name: one.noise for one in result.channels}
    noise = np.repeat([sizes[channel.name] for channel in problem.channels], problem.counts)
    before, level = problem.comparison.runs, tolerated(result.confidence, len(result.parameters), result.degrees)
    ends = [one.end for one in result.searches if one.end is not None]
    minima = SeveralStarts(problem, noise).distinct(ends, result.values, problem.most, level)
    return replace(result, minima=minima, runs=result.runs + problem.comparison.runs - before)


def _warnings(result: Fit, bounded: bool) -> list[str]:
    """What is said aloud: too large steps, several minima, and residuals that are no noise."""
    found = [remark for remark in result.remarks if "take smaller steps" in remark][:1]
    found += [remark for remark in result.remarks if "another minimum explains" in remark][:1]
    suspicious = [remark for channel in result.channels for remark in channel.doubts(given=np.isinf(result.degrees))]
    missed = [channel for channel in result.channels if channel.missed > MISSED]
    if not suspicious:
        return found
    text = suspicious[0]
    if missed and not bounded:
        text = (
            f"the model explains little of {missed[0].name} (residuals are {missed[0].missed:.0%} of what the samples "
            "vary by): look at units"
        )
    if result.starts == 1:
        where = " within the bounds" if bounded else ""
        return [*found, f"{text}. Another minimum may be lower: starts=8 looks for it{where}"]
    more = min(4 * result.starts, MOST_STARTS)
    return [
        *found,
        f"{text}. None of {result.starts} searches ended lower; starts={more} or closer bounds may find one",
    ]


def _searched(problem: LeastSquares, sizes: FloatArray, whole: list[Channel], profile: float | None) -> Fit:
    """The minimum, and profiles about it; from a lower one again, if they find it."""
    estimated, limit = bool(np.isnan(sizes).any()), problem.most
    for k in range(AGAIN):
        found, noise = problem.fitted(sizes)
        result = _result(problem, found, noise, whole, estimated)
        if profile is None:
            return result
        level = float(stats.t.ppf(0.5 + 0.5 * max(profile, FOLLOWED), result.degrees))
        free = np.array([name not in result.at_bound for name in result.parameters])
        each = np.repeat(noise, problem.counts)
        search = ProfileSearch(problem, result.values, each, result.covariance, free, level, lower=k + 1 < AGAIN)
        before = problem.comparison.runs
        try:
            profiles = search.profiles()
        except LowerSquaresError as lower:
            problem = replace(problem, start=lower.values, most=problem.comparison.runs + limit)
            continue
        return replace(result, profiles=profiles, runs=result.runs + problem.comparison.runs - before)
    raise AssertionError("the last search does not look for lower minima")


def _result(
    problem: LeastSquares, found: OptimizeResult, noise: FloatArray, whole: list[Channel], estimated: bool
) -> Fit:
    """All that is told about a minimum."""
    comparison, values = problem.comparison, problem.scale * found.x
    low, high = np.array(problem.bounds[0]), np.array(problem.bounds[1])
    near = 1e-6 * problem.scale
    fixed = (values - low <= near) | (high - values <= near)
    each = np.repeat(noise, problem.counts)
    J = problem.jacobian(found.x, each)
    J[:, fixed] = 0.0
    C = np.zeros((values.size, values.size))
    C[fixed, fixed] = np.nan  # a bound says nothing about errors
    free = ~fixed
    C[np.ix_(free, free)] = covariance_of(J[:, free], values[free])
    names = comparison.names
    seen = [name for name, f in zip(names, free, strict=True) if f]
    said, bias = comparison.at(values)[0], np.zeros(values.size)
    finer = comparison.run(values, names[:1], dt=0.5 * comparison.options["dt"])
    error = (said - comparison.at_samples(finer, comparison.read(finer))) * (4.0 / 3.0) / each
    usable = np.where(np.isfinite(C), C, 0.0)
    bias = -usable @ (J[: error.size].T @ error)
    t_end = max(float(channel.t[-1]) for channel in whole)
    both = Comparison(comparison.family, names, whole, {**comparison.options, "t_end": t_end})
    all_fitted = [channel.t.size for channel in whole] == problem.counts
    known = comparison.recent.get(values.tobytes()) if all_fitted else None
    sol = both.run(values, names[:1]) if known is None else known
    rows, sizes = (
        both.at_samples(sol, both.read(sol)),
        dict(zip([c.name for c in problem.channels], noise, strict=True)),
    )
    ends = {channel.name: float(channel.t[-1]) for channel in problem.channels}
    shown = []
    for channel, (first, last) in zip(whole, spans([c.t.size for c in whole]), strict=True):
        held = channel.t > ends.get(channel.name, -np.inf)
        size = sizes.get(channel.name, np.nan)
        shown.append(ChannelFit(channel.name, channel.unit, channel.t, channel.values, rows[first:last], held, size))
    degrees = sum(problem.counts) + int((~np.isnan(problem.means)).sum()) - int(free.sum())
    if estimated and degrees < 1:  # nothing is left to tell the noise from
        C[np.ix_(free, free)] = 0.0
        C[free, free] = np.inf
    return Fit(
        names,
        values,
        problem.start,
        C,
        float(max(degrees, 1)) if estimated else np.inf,
        tuple(shown),
        bias,
        tuple(name for name, f in zip(names, fixed, strict=True) if f),
        tuple(directions(J[:, free], values[free], seen)) if seen else (),
        comparison.runs + both.runs,
        str(found.message),
        sol,
        moved(comparison.family, dict(zip(names, map(float, values), strict=True))),
    )

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

from isodyn.api import integrate
from isodyn.api.sensitive import checked_names
from isodyn.design.compared import ChannelFit
from isodyn.design.estimate import Fit, covariance_of, directions
from isodyn.design.families import NAMED, checked_bounds, checked_values, model_family, moved
from isodyn.design.least_squares import Comparison, LeastSquares, spans
from isodyn.design.measured import Channel, read_data
from isodyn.design.minima import MOST_STARTS, SeveralStarts, ranges, spread, tolerated
from isodyn.design.profiles import LowerSquaresError, ProfileSearch
from isodyn.errors import AccuracyWarning, ConvergenceError, InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.sensitivities.parameters import Family

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

stats = Later("scipy.stats")

AGAIN = 4  # searches, each from a smaller sum of squares
MOST_STAGES = 100
MISSED = 0.5  # of what samples vary by: a model that leaves more has hardly explained them
LATE = 30.0  # times the length of the run of a model: data that go on for so long have other units
FOLLOWED = 0.99  # confidence to which profiles are followed, at least
REFUSED = ("save", "save_every", "select", "events", "checkpoint", "impacts", "sensitivities", "observe")


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
    _look_at_times(read_data(data, channels), said.get("t_end"))
    options = _checked_options({**said, **options})
    if not 0.0 < confidence < 1.0:
        raise InputError(f"confidence must be between 0 and 1, received {confidence!r}", hint="such as 0.95")
    values = np.array([checked_values(start, names, "start").get(n, family.value(n)) for n in names])
    whole = _with_units(family, names, values, read_data(data, channels), options)
    kept = _kept(whole, hold_out)
    t_end = max(float(channel.t[-1]) for channel in kept)
    comparison = Comparison(family, names, kept, {**options, "t_end": t_end})
    means, widths = _checked_priors(priors, names)
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
    if isinstance(stages, bool) or not isinstance(stages, int) or not 1 <= stages <= MOST_STAGES:
        raise InputError(f"stages must be from 1 to {MOST_STAGES}, received {stages!r}", hint="such as stages=4")
    if isinstance(starts, bool) or not isinstance(starts, int) or not 1 <= starts <= MOST_STARTS:
        raise InputError(f"starts must be from 1 to {MOST_STARTS}, received {starts!r}", hint="such as starts=8")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed must be a whole number, zero or more, received {seed!r}", hint="such as seed=0")
    problem = problem.staged(stages, sizes)
    others: list[FloatArray] = []
    if starts > 1:
        problem, others = _from_several(problem, sizes, starts, seed)
    result = _searched(problem, sizes, whole, confidence if profile else None)
    result = replace(result, confidence=confidence, start=values, starts=starts)
    if starts > 1:
        result = _with_minima(result, problem, others)
    for text in _warnings(result, bounded=bool(bounds)):
        warnings.warn(AccuracyWarning(text), stacklevel=2)
    return result


def _from_several(
    problem: LeastSquares, sizes: FloatArray, starts: int, seed: int
) -> tuple[LeastSquares, list[FloatArray]]:
    """The problem at the lowest of the minima that searches from several starts come to, and where
    the others ended."""
    points = spread(*ranges(problem, problem.comparison.names), starts - 1, seed)
    noise, ends = np.where(np.isnan(sizes), problem.spreads(), sizes), list[FloatArray]()
    try:
        found, noise = problem.fitted(sizes)
        ends = [problem.scale * found.x]
    except ConvergenceError:
        pass
    searches = SeveralStarts(problem, np.repeat(noise, problem.counts))
    ends += searches.ends(points, problem.most)
    if not ends:
        raise ConvergenceError(
            f"none of {starts} searches ended after {problem.comparison.runs} runs",
            hint="raise max_runs, or start nearer",
        )
    best = min(ends, key=searches.squares)
    limit = problem.comparison.runs + problem.most
    return replace(problem, start=best, most=limit), ends


def _with_minima(result: Fit, problem: LeastSquares, ends: list[FloatArray]) -> Fit:
    """The other minima that searches ended in, beside the fit."""
    sizes = {one.name: one.noise for one in result.channels}
    noise = np.repeat([sizes[channel.name] for channel in problem.channels], problem.counts)
    before, level = problem.comparison.runs, tolerated(result.confidence, len(result.parameters), result.degrees)
    minima = SeveralStarts(problem, noise).distinct(ends, result.values, problem.most, level)
    return replace(result, minima=minima, runs=result.runs + problem.comparison.runs - before)


def _warnings(result: Fit, bounded: bool) -> list[str]:
    """What is said aloud: too large steps, several minima, and a minimum that is no good one."""
    found = [remark for remark in result.remarks if "take smaller steps" in remark][:1]
    found += [remark for remark in result.remarks if "another minimum explains" in remark][:1]
    suspicious = [remark for channel in result.channels for remark in channel.doubts(given=np.isinf(result.degrees))]
    missed = [channel for channel in result.channels if channel.missed > MISSED]
    if bounded and result.starts == 1 and suspicious:
        found.append(f"{suspicious[0]}. Another minimum may be lower: starts=8 looks for it within the bounds")
    elif suspicious and missed:
        found.append(
            f"the model explains little of {missed[0].name} (residuals are {missed[0].missed:.0%} of what the "
            "samples vary by): look at units, or another minimum is lower (starts=8)"
        )
    return found


def _look_at_times(channels: list[Channel], t_end: float | None) -> None:
    """A warning where data go on long after the end of the run that a model file asks for."""
    last = max(float(channel.t[-1]) for channel in channels)
    if t_end is not None and last >= LATE * t_end > 0.0:
        text = f"data end at t = {last:g}, {last / t_end:.3g} times as late as the run of the model, {t_end:g}"
        warnings.warn(AccuracyWarning(f"{text}: are their times in another unit, such as 't [ms]'?"), stacklevel=3)


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


def _checked_options(options: dict[str, Any]) -> dict[str, Any]:
    for name in REFUSED:
        if options.get(name) not in (None, ()):
            raise InputError(f"a fit does not take {name}=", hint=f"leave {name}= out")
        options.pop(name, None)
    dt = options.get("dt")
    if isinstance(dt, bool) or not isinstance(dt, int | float) or not dt > 0.0:
        raise InputError(f"a fit needs dt=, a step size, received {dt!r}", hint="such as dt=0.01")
    options.pop("t_end", None)
    return options


def _with_units(
    family: Family, names: tuple[str, ...], values: FloatArray, channels: list[Channel], options: dict[str, Any]
) -> list[Channel]:
    """Channels in the units of the model; InputError for names that it does not have, and for
    samples before the start."""
    t0 = float(options.get("t0", 0.0))
    for channel in channels:
        if channel.t[0] < t0 - 1e-9 * float(options["dt"]):
            raise InputError(
                f"channel {channel.name!r} begins at t = {channel.t[0]:g}, before the run at {t0:g}",
                hint="give t0=, or leave these samples out",
            )
    if max(channel.t[-1] for channel in channels) <= t0:
        raise InputError("data have no samples after the start of the run", hint="give an earlier t0=")
    given = moved(family, dict(zip(names, map(float, values), strict=True)))
    short = {**options, "t_end": t0 + float(options["dt"]), "breakpoints": ()}
    sol = integrate(given, **short)
    found = []
    for channel in channels:
        curve = sol.quantity(channel.name)
        if curve.values.ndim != 1:
            raise InputError(f"channel {channel.name!r} has several components", hint=f"such as {channel.name}_x")
        found.append(channel.converted(curve.unit))
    return found


def _kept(channels: list[Channel], hold_out: Any) -> list[Channel]:
    """What is fitted."""
    if isinstance(hold_out, int | float) and not isinstance(hold_out, bool):
        if not 0.0 <= hold_out < 1.0:
            raise InputError(
                f"hold_out must be a share from 0 to below 1, received {hold_out!r}", hint="such as hold_out=0.3"
            )
        times = np.unique(np.concatenate([channel.t for channel in channels]))
        last = times[max(0, int(np.ceil((1.0 - hold_out) * times.size)) - 1)]
        kept = [Channel(c.name, c.t[c.t <= last], c.values[c.t <= last], c.unit) for c in channels]
        kept = [channel for channel in kept if channel.t.size]
    else:
        held = [hold_out] if isinstance(hold_out, str) else list(hold_out)
        for name in held:
            if name not in [channel.name for channel in channels]:
                raise InputError(
                    f"hold_out names {name!r}, which is no channel",
                    hint=f"channels: {', '.join(channel.name for channel in channels)}",
                )
        kept = [channel for channel in channels if channel.name not in held]
    if not kept:
        raise InputError("nothing is left to be fitted", hint="hold out less")
    return kept


def _checked_priors(priors: Mapping[str, Any] | None, names: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    means, widths = np.full(len(names), np.nan), np.full(len(names), np.nan)
    for name, pair in (priors or {}).items():
        if name not in names:
            raise InputError(f"priors name {name!r}, which is not among the parameters {', '.join(names)}", hint=NAMED)
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not float(pair[1]) > 0.0:
            raise InputError(
                f"the prior of {name} must be (mean, standard deviation above zero), received {pair!r}",
                hint=f'such as {{"{name}": (1.0, 0.1)}}',
            )
        means[names.index(name)], widths[names.index(name)] = float(pair[0]), float(pair[1])
    return means, widths


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

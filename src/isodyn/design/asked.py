"""What a fit is asked: options of its runs, samples in the units of the model, what of them is
fitted, and priors."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isodyn.api import integrate
from isodyn.design.families import NAMED, by_name, is_number, moved
from isodyn.design.measured import Channel
from isodyn.design.minima import MOST_STARTS
from isodyn.errors import AccuracyWarning, InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.results.quantities import Curve
from isodyn.results.solution import Solution
from isodyn.sensitivities.parameters import Family

FEW = 3  # samples that may be equal by chance
MOST_STAGES = 100
LATE = 30.0  # times the length of the run of a model: data that go on for so long have other units
REFUSED = ("save", "save_every", "select", "events", "checkpoint", "impacts", "sensitivities", "observe")


def check_numbers(confidence: object, max_runs: object, stages: object, starts: object, seed: object) -> None:
    """InputError for numbers of a fit that are none, or out of range."""
    share = float(confidence) if isinstance(confidence, int | float | np.number) else np.nan
    if not 0.0 < share < 1.0:
        raise InputError(f"confidence must be between 0 and 1, received {confidence!r}", hint="such as 0.95")
    if not _is_whole(max_runs, 1):
        raise InputError(f"max_runs must be a whole number above zero, received {max_runs!r}", hint="such as 100")
    if not _is_whole(stages, 1, MOST_STAGES):
        raise InputError(f"stages must be from 1 to {MOST_STAGES}, received {stages!r}", hint="such as stages=4")
    if not _is_whole(starts, 1, MOST_STARTS):
        raise InputError(f"starts must be from 1 to {MOST_STARTS}, received {starts!r}", hint="such as starts=8")
    if not _is_whole(seed, 0):
        raise InputError(f"seed must be a whole number, zero or more, received {seed!r}", hint="such as seed=0")


def _is_whole(value: object, low: int, high: float = np.inf) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def look_at_constants(channels: list[Channel]) -> None:
    """A warning where all samples of a channel are equal: they hold no motion to fit."""
    for channel in channels:
        if channel.t.size > FEW and not np.ptp(channel.values):
            text = f"all {channel.t.size} samples of {channel.name} are {channel.values[0]:g}"
            warnings.warn(AccuracyWarning(f"{text}: is this the right column?"), stacklevel=3)


def look_at_times(channels: list[Channel], t_end: float | None) -> None:
    """A warning where data go on long after the end of the run that a model file asks for."""
    last = max(float(channel.t[-1]) for channel in channels)
    if t_end is not None and last >= LATE * t_end > 0.0:
        text = f"data end at t = {last:g}, {last / t_end:.3g} times as late as the run of the model, {t_end:g}"
        warnings.warn(AccuracyWarning(f"{text}: are their times in another unit, such as 't [ms]'?"), stacklevel=3)


def checked_options(options: dict[str, Any]) -> dict[str, Any]:
    """Options of `integrate` that a fit takes; InputError for others."""
    for name in REFUSED:
        if options.get(name) not in (None, ()):
            raise InputError(f"a fit does not take {name}=", hint=f"leave {name}= out")
        options.pop(name, None)
    dt = options.get("dt")
    if isinstance(dt, bool) or not isinstance(dt, int | float) or not dt > 0.0:
        raise InputError(f"a fit needs dt=, a step size, received {dt!r}", hint="such as dt=0.01")
    options.pop("t_end", None)
    return options


def with_units(
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
        curve = _quantity(sol, channel.name)
        if curve.values.ndim != 1:
            raise InputError(f"channel {channel.name!r} has several components", hint=f"such as {channel.name}_x")
        found.append(channel.converted(curve.unit))
    return found


def _quantity(sol: Solution, name: str) -> Curve:
    try:
        return sol.quantity(name)
    except InputError as error:
        raise InputError(
            f"the column {name!r} of the data is no quantity of the model: {error.message}",
            hint=f"choose and name columns by channels={{{name!r}: QUANTITY}}, on the command line "
            f"-c '{name}=QUANTITY'; {error.hint}",
        ) from None


def fitted_part(channels: list[Channel], hold_out: Any) -> list[Channel]:
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
    elif not isinstance(hold_out, Sequence) or not all(isinstance(name, str) for name in hold_out):
        raise InputError(
            f"hold_out must be a share or names of channels, received {hold_out!r}", hint="such as hold_out=0.3"
        )
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


def checked_priors(priors: Mapping[str, Any] | None, names: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """Means and widths; NaN where there is no prior."""
    means, widths = np.full(len(names), np.nan), np.full(len(names), np.nan)
    for name, pair in by_name(priors, "priors").items():
        if name not in names:
            raise InputError(f"priors name {name!r}, which is not among the parameters {', '.join(names)}", hint=NAMED)
        fine = isinstance(pair, tuple | list) and len(pair) == 2 and all(map(is_number, pair))
        if not fine or not np.isfinite(pair).all() or not pair[1] > 0.0:
            raise InputError(
                f"the prior of {name} must be (mean, standard deviation above zero), received {pair!r}",
                hint=f'such as {{"{name}": (1.0, 0.1)}}',
            )
        means[names.index(name)], widths[names.index(name)] = float(pair[0]), float(pair[1])
    return means, widths

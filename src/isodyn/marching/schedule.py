"""The times of a run: a uniform grid, the breakpoints put into it, and the end.

Between two breakpoints lies a stretch. The grid t₀ + nΔt goes on through breakpoints, so that
results stay on the user's grid; steps beside a breakpoint off the grid, and the last step when Δt
does not divide the span, are shorter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.real_numbers import real_array, real_number
from isodyn.results.dense_output import SAME

if TYPE_CHECKING:
    from isodyn.open_types import BoolArray

_MOST_STEPS = 1e12
# a step is at least so many distances of neighbouring times: rounding then shifts t by 1 % of it at
# most
_UNITS = 100
_SNAP = 1e-6  # a breakpoint closer to a grid time than this part of Δt is taken to lie on it


@dataclass(frozen=True)
class Stretch:
    """Steps from t_start over the grid times number `first`, `first` + 1, … and last to t_stop."""

    t_start: float
    t_stop: float
    t0: float
    dt: float
    first: int
    steps: int
    save_every: int
    ends_in_breakpoint: bool
    given: FloatArray | None = None  # times instead of those of a grid

    def times(self, begin: int, end: int) -> FloatArray:
        """Where the steps begin … end − 1 of this stretch lead to."""
        if self.given is not None:
            return self.given[begin:end]
        times: FloatArray = self.t0 + self.dt * np.arange(self.first + begin, self.first + end, dtype=np.float64)
        if end == self.steps:
            times[-1] = self.t_stop
        return times

    def save(self, begin: int, end: int) -> BoolArray:
        """Which of them become rows: every save_every-th of the grid, and the last."""
        save = np.arange(self.first + begin, self.first + end) % self.save_every == 0
        if end == self.steps:
            save[-1] = True
        return save

    @property
    def saved_times(self) -> FloatArray:
        """Where the steps that become rows lead to; no array of all steps is made."""
        last = self.first + self.steps - 1
        numbers = np.arange(-(-self.first // self.save_every) * self.save_every, last + 1, self.save_every)
        if not numbers.size or numbers[-1] != last:
            numbers = np.append(numbers, last)
        if self.given is not None:
            return self.given[numbers - self.first]
        times: FloatArray = self.t0 + self.dt * numbers.astype(np.float64)
        times[-1] = self.t_stop
        return times

    def next_saved(self, n: int) -> int:
        """Number of the first step from n on that becomes a row."""
        on_grid = -(-(self.first + n) // self.save_every) * self.save_every
        return min(on_grid - self.first, self.steps - 1)

    @property
    def rows(self) -> int:
        """How many steps become rows."""
        last = self.first + self.steps - 1
        return (last - 1) // self.save_every - (self.first - 1) // self.save_every + 1


def plan(
    t0: float, t_end: float, dt: float, breakpoints: ArrayLike, save_every: int, *, on_grid: bool = True
) -> list[Stretch]:
    """The stretches of a run; refuse bad times, with the values received. Where steps are not those
    of a grid, all breakpoints count that are not t₀ or t_end up to rounding."""
    (t0, t_end), dt = check_span(t0, t_end), real_number("dt", dt)
    if dt <= 0:
        raise InputError(
            f"dt must be positive, received dt = {dt:g}",
            hint="about a twentieth of the shortest period that matters is a good start",
        )
    if (t_end - t0) / dt > _MOST_STEPS:
        raise InputError(
            f"dt = {dt:g} means {(t_end - t0) / dt:.1e} steps from {t0:g} to {t_end:g}, at most {_MOST_STEPS:.0e} are possible",
            hint="use a larger dt; save_every= keeps long runs small",
        )
    resolved(t0, t_end, dt)
    if isinstance(save_every, bool) or not isinstance(save_every, int | np.integer) or save_every < 1:
        raise InputError(f"save_every must be a whole number of at least 1, received {save_every!r}")
    stretches, t_start, first = [], t0, 1
    near = max(_SNAP, 2 * resolution(t0, t_end) / dt)
    apart = near * dt if on_grid else SAME * resolution(t0, t_end)
    breaks = [t for t in _inside(breakpoints, t0, t_end) if t - t0 > apart and t_end - t > apart]
    for t_stop in [*breaks, t_end]:
        # number of the first grid time not before t_stop; a stretch much shorter than dt is one
        # step all the same
        last = max(first, int(np.ceil((t_stop - t0) / dt - near)))
        stretches.append(Stretch(t_start, t_stop, t0, dt, first, last - first + 1, save_every, t_stop != t_end))
        ends_a_step = abs(t0 + last * dt - t_stop) <= near * dt
        t_start, first = t_stop, last + 1 if ends_a_step else last
    return stretches


def along_times(t0: float, t_end: float, given: object, breakpoints: ArrayLike, save_every: int) -> list[Stretch]:
    """Stretches of a run whose steps lead to given times, to the breakpoints and to t_end."""
    whole = plan(t0, t_end, float(t_end) - float(t0), breakpoints, save_every, on_grid=False)
    t0, t_end, breaks = whole[0].t_start, whole[-1].t_stop, [stretch.t_stop for stretch in whole]
    times = np.asarray(given, dtype=np.float64)
    if times[0] <= t0 or times[-1] > t_end:
        raise InputError(
            f"times of steps must lie behind t0 = {t0:g} and not behind t_end = {t_end:g},"
            f" received {times[0]:g} … {times[-1]:g}"
        )
    times = np.union1d(times, breaks)
    resolved(t0, t_end, float(np.diff(times, prepend=t0).min()), "the smallest distance of times")
    found, first = [], 0
    for t_start, t_stop in zip([t0, *breaks], breaks, strict=False):
        last = int(np.searchsorted(times, t_stop)) + 1
        ends = t_stop != t_end
        found.append(
            Stretch(t_start, t_stop, t0, t_stop - t_start, first + 1, last - first, save_every, ends, times[first:last])
        )
        first = last
    return found


def check_span(t0: float, t_end: float) -> tuple[float, float]:
    """Both times as numbers; raise `InputError` if they are none, or not one after the other."""
    t0, t_end = real_number("t0", t0), real_number("t_end", t_end)
    if t_end <= t0:
        raise InputError(
            f"t_end must lie after t0, received t0 = {t0:g}, t_end = {t_end:g}", hint="time runs forward; swap them?"
        )
    return t0, t_end


def resolution(t0: float, t_end: float) -> float:
    """The distance of neighbouring floats at the larger of the two times."""
    return float(np.spacing(max(abs(t0), abs(t_end))))


def resolved(t0: float, t_end: float, dt: float, what: str = "dt") -> None:
    """Raise `InputError` if floats at these times cannot tell the steps apart."""
    ulp = resolution(t0, t_end)
    if dt < _UNITS * ulp:
        raise InputError(
            f"{what} = {dt:g} is too small for times between {t0:g} and {t_end:g}: floats there are {ulp:.3g} apart,"
            f" and {what} must be at least {_UNITS} times that, {_UNITS * ulp:.3g}",
            hint="start at t0 = 0 and shift the loads in time, or take larger steps",
        )


def _inside(breakpoints: ArrayLike, t0: float, t_end: float) -> list[float]:
    if isinstance(breakpoints, tuple) and not breakpoints:
        return []
    breaks = np.unique(real_array("breakpoints", breakpoints, "times").ravel())
    outside = breaks[(breaks < t0) | (breaks > t_end) | ~np.isfinite(breaks)]
    if outside.size:
        raise InputError(f"breakpoints must lie between t0 = {t0:g} and t_end = {t_end:g}, received {outside[0]:g}")
    return [float(t) for t in breaks]

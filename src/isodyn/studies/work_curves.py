"""Work against precision: every method with every tolerance on one problem.

    error    max over time and components of |Δ|, divided by max |reference|, in q, v, a and λ        (isodyn.studies.errors)
    work     steps, rejected steps, evaluations of the balance, iterations, factorisations, and seconds of the compiled loop

Rows are those of a run's own steps, so that errors are those of the method and not of what is laid
between its steps. The reference is the exact motion, or Radau with rtol = 1e-12.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.api import integrate
from isodyn.described import described
from isodyn.errors import InputError, IsodynError
from isodyn.problems.problem import Motion, Problem
from isodyn.stepping.adaptive import Adaptive
from isodyn.stepping.methods import DOP853, Auto, Radau
from isodyn.studies.comparison_table import first_line
from isodyn.studies.errors import errors_of
from isodyn.studies.references import ReferenceMotion, end_of, exact_motion
from isodyn.systems import System

if TYPE_CHECKING:
    from isodyn.schemes.gs4_1 import FirstOrderScheme
    from isodyn.schemes.gs4_2 import Scheme

SHORT = 0.05  # seconds; the time of shorter runs, and of the first one, is the shortest of three
RTOLS = tuple(10.0**-k for k in range(2, 10))
COARSEST, FINEST = 4, 16  # times the step of the problem, and a part of it
LEAST_ADAPTIVE, MOST_METHOD = 1e-6, 1e-3  # tolerances that are asked of adaptive steps and of methods of high order
ACCURATE = 1e-12
QUANTITIES = ("q", "v", "a", "lam")

Way = Callable[[float], dict[str, Any]]
"""From a tolerance, or a step, to arguments of `integrate`."""


@dataclass(frozen=True)
class WorkRun:
    """One run: the tolerance or the step it was asked for, its errors and its work.

    Parameters
    ----------
    setting
        rtol, or dt of constant steps.
    errors
        Errors of q, v, a and lam.
    steps, rejected
        Steps that were accepted and repeated.
    evaluations, iterations, factorisations
        What they took.
    seconds
        Time of the compiled loop.

    Examples
    --------
    >>> from isodyn.studies import WorkRun
    >>> WorkRun(1e-3, {"q": 1e-4}, 10, 0, 30, 12, 10, 0.1).steps
    10
    """

    setting: float
    errors: dict[str, float]
    steps: int
    rejected: int
    evaluations: int
    iterations: int
    factorisations: int
    seconds: float


@dataclass(frozen=True)
class WorkCurve:
    """All runs of one method, and what went wrong with the others.

    Parameters
    ----------
    method
        Its name.
    word
        What its setting is: "rtol" or "dt".
    runs
        The runs, from coarse to fine.
    notes
        Settings that failed, with the reason.

    Examples
    --------
    >>> from isodyn.studies import WorkCurve
    >>> WorkCurve("Radau", "rtol", ()).word
    'rtol'
    """

    method: str
    word: str
    runs: tuple[WorkRun, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class WorkPrecision:
    """Methods on one problem; `str` gives a table.

    Parameters
    ----------
    problem
        Name of the problem.
    reference
        What the runs were compared with, in words.
    t_end
        End of the runs.
    quantities
        Those that have errors.
    curves
        One for each method.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn import studies
    >>> found = studies.work_precision(iso.problems.get("pendulum"), ["Radau"], [1e-4, 1e-6], t_end=0.5)
    >>> [run.errors["lam"] < 1e-4 for run in found.curves[0].runs]
    [True, True]
    """

    problem: str
    reference: str
    t_end: float
    quantities: tuple[str, ...]
    curves: tuple[WorkCurve, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `isodyn compare --work-precision --json` prints it.

        Returns
        -------
        document
            Names, settings, errors and work.
        """
        return asdict(self)

    __repr__ = described

    def __str__(self) -> str:
        errors = "".join(f"{'error in ' + name.replace('lam', 'λ'):>13s}" for name in self.quantities)
        lines = [
            f"{self.problem}, t ≤ {self.t_end:g}; errors against: {self.reference}",
            "",
            f"{'method':26s}{'setting':>14s}{errors}{'steps':>9s}{'rejected':>9s}{'balances':>10s}{'ms':>10s}",
        ]
        for curve in self.curves:
            for run in curve.runs:
                found = "".join(f"{run.errors[name]:13.1e}" for name in self.quantities)
                lines.append(
                    f"{curve.method:26s}{f'{curve.word} {run.setting:.3g}':>14s}{found}{run.steps:9d}{run.rejected:9d}"
                    f"{run.evaluations:10d}{1e3 * run.seconds:10.2f}"
                )
            lines += [f"{curve.method:26s}  {note}" for note in curve.notes]
        return "\n".join(lines)


def work_precision(
    problem: Problem,
    methods: Sequence[str] | None = None,
    rtols: Sequence[float] | None = None,
    t_end: float | None = None,
    *,
    scheme: FirstOrderScheme | Scheme | None = None,
    reference: ReferenceMotion | None = None,
) -> WorkPrecision:
    """Run methods with tolerances on a problem; errors and work of each run.

    Parameters
    ----------
    problem
        The problem.
    methods
        Some of "constant steps", "Adaptive", "Radau", "DOP853" and "Auto"; all if left out.
    rtols
        Tolerances; 1e-2 to 1e-6 for adaptive steps, 1e-3 to 1e-9 for the methods of high order if
        left out. Constant steps run with 4, 2, 1, … and a sixteenth of the step of the problem.
    t_end
        End of the runs; the end of order studies of the problem if left out.
    scheme
        Scheme of constant and of adaptive steps; that of the problem, and U0(0, ½, 0), if left out.
    reference
        What to compare with. If it is left out, it is the exact solution if there is one, else
        Radau with rtol = 1e-12.

    Returns
    -------
    found
        A curve for each method.

    Raises
    ------
    InputError
        If a method is unknown, a tolerance is none, or t_end is no time after the start.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn import studies
    >>> found = studies.work_precision(iso.problems.get("pendulum"), ["DOP853"], [1e-6], t_end=0.5)
    >>> found.curves[0].runs[0].errors["q"] < 1e-5
    True
    """
    system = problem.system()
    end = end_of(problem, t_end)
    ways = _ways(problem, scheme)
    chosen = list(ways) if methods is None else list(methods)
    for name in chosen:
        if name not in ways:
            raise InputError(f"there is no method named {name!r}", hint=f"known: {', '.join(ways)}")
    if rtols is not None and not all(0.0 < rtol < 1.0 for rtol in rtols):
        raise InputError(f"tolerances must lie between 0 and 1, received {list(rtols)}", argument="rtols")
    if reference is None:
        exact = problem.exact(np.array([end])) is not None
        reference = exact_motion(problem) if exact else _accurate(system, end, problem.breaks(end))
    curves = tuple(
        _curve(system, name, ways[name], _settings(name, problem, rtols), end, problem.breaks(end), reference)
        for name in chosen
    )
    known = [name for name in QUANTITIES if any(run.errors[name] == run.errors[name] for c in curves for run in c.runs)]
    sizes = {"q": system.nq, "v": system.nv, "a": system.nv, "lam": system.m}
    return WorkPrecision(problem.name, reference.kind, end, tuple(name for name in known if sizes[name]), curves)


def _ways(problem: Problem, scheme: Scheme | FirstOrderScheme | None) -> dict[str, Way]:
    """Arguments of `integrate` for a setting, by the names of methods."""
    own = problem.scheme if scheme is None else scheme
    return {
        "constant steps": lambda dt: {"scheme": own, "dt": dt},
        "Adaptive": lambda rtol: {"scheme": scheme, "dt": Adaptive(rtol)},
        "Radau": lambda rtol: {"scheme": Radau(rtol=rtol)},
        "DOP853": lambda rtol: {"scheme": DOP853(rtol=rtol)},
        "Auto": lambda rtol: {"scheme": Auto(rtol=rtol)},
    }


def _settings(name: str, problem: Problem, rtols: Sequence[float] | None) -> list[float]:
    """Tolerances or steps of a method, from coarse to fine."""
    if name == "constant steps":
        found, dt = [], COARSEST * problem.dt
        while dt >= problem.dt / FINEST:
            found.append(dt)
            dt *= 0.5
        return found
    if rtols is not None:
        return sorted(set(rtols), reverse=True)
    if name == "Adaptive":
        return [rtol for rtol in RTOLS if rtol >= 0.5 * LEAST_ADAPTIVE]
    return [rtol for rtol in RTOLS if rtol <= 2.0 * MOST_METHOD]


def _accurate(system: System, t_end: float, breakpoints: Sequence[float]) -> ReferenceMotion:
    """Radau with a tolerance far below all others, at any times."""

    def at(t: ArrayLike) -> Motion:
        sol = integrate(system, Radau(rtol=ACCURATE), t_end=t_end, save=t, breakpoints=breakpoints)
        return Motion(sol.q, sol.v, sol.a, sol.lam)

    return ReferenceMotion(at, f"Radau, rtol = {ACCURATE:g}")


def _curve(
    system: System,
    name: str,
    way: Way,
    settings: Sequence[float],
    t_end: float,
    breakpoints: Sequence[float],
    reference: ReferenceMotion,
) -> WorkCurve:
    """All runs of a method."""
    runs: list[WorkRun] = []
    notes: list[str] = []
    for setting in settings:
        try:
            given: Mapping[str, Any] = {**way(setting), "t_end": t_end, "breakpoints": breakpoints}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sol = integrate(system, **given)
                seconds = [sol.stats.seconds]
                # the first run of a method loads its code
                while len(seconds) < 3 and (seconds[-1] < SHORT or not (runs or seconds[1:])):
                    seconds.append(integrate(system, **given).stats.seconds)
                errors = errors_of(sol, *reference.at(sol.t))
        except IsodynError as error:
            notes.append(f"{setting:.3g}: {first_line(str(error))}")
            continue
        stats = sol.stats
        runs.append(
            WorkRun(
                float(setting),
                {key: getattr(errors, key) for key in QUANTITIES},
                int(stats.steps),
                int(stats.rejected),
                int(stats.evaluations),
                int(stats.iterations),
                int(stats.factorisations),
                min(seconds),
            )
        )
    return WorkCurve(name, "dt" if name == "constant steps" else "rtol", tuple(runs), tuple(notes))

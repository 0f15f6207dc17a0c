"""All formulations compared on one problem: error, order, drift, energy and cost.

    error    max over time and components of |Δ|, divided by max |reference|, in q, v, a and λ        (isodyn.studies.errors)
    order    log(e_k / e_{k+1}) / log(dt_k / dt_{k+1}) between the two finest steps
    drift    largest relative violation of φ, φ̇, φ̈ over time, finest step                             (isodyn.results.balance)
    energy   max |E(t) − E(t₀) − work| / max T, finest step
    cost     evaluations of the balance, iterations, factorisations and seconds of the compiled loop, per step size

Combinations that the table of formulations refuses are listed with the reason. Step sizes that fail
are left out of a row and noted; a combination that fails with every step size is listed with its
message.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np

from isodyn.api import Newton, integrate
from isodyn.errors import CoarseStepWarning, InputError, IsodynError, IsodynWarning, SchemeError
from isodyn.formulations import Formulation
from isodyn.formulations.table import TABLE, check_combination
from isodyn.problems.problem import Problem
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.studies.comparison_table import CompareRow, Comparison, Cost, Missing, first_line
from isodyn.studies.errors import Errors, energy_error, errors_of
from isodyn.studies.order import OrderCase
from isodyn.studies.references import ReferenceMotion, accurate_motion, end_of, exact_motion
from isodyn.systems import System

AnyScheme = Scheme | FirstOrderScheme

REFINEMENTS = 3  # steps where none are given: 4, 2 and 1 times the problem's own
SHORT = 0.05  # seconds; the time of shorter runs is the shortest of three


def compare(
    problem: Problem,
    schemes: Sequence[AnyScheme] | AnyScheme,
    formulations: Sequence[Formulation | None] | None = None,
    dts: Sequence[float] | None = None,
    t_end: float | None = None,
    *,
    reference: ReferenceMotion | None = None,
    newton: Newton | None = None,
) -> Comparison:
    """Run every formulation with every scheme and every step size.

    Parameters
    ----------
    problem
        The problem.
    schemes
        One scheme or several.
    formulations
        One or several; all if left out. For first-order systems None stands for the equations as
        they are.
    dts
        At least two step sizes, from coarse to fine; 4, 2 and 1 times that of the problem if left
        out.
    t_end
        End of the runs; the end of order studies of the problem if left out.
    reference
        What to compare with. If it is left out, it is the exact solution if there is one, else
        DOP853 with rtol = 1e-13.
    newton
        Settings of the iteration.

    Returns
    -------
    comparison
        A row for each combination, and the combinations that were refused or failed.

    Raises
    ------
    InputError
        If the step sizes are not admissible.

    Examples
    --------
    >>> from isodyn.studies import compare
    >>> import isodyn as iso
    >>> from isodyn import problems
    >>> scheme, formulations = iso.Scheme.optimal(0.5), [iso.Stabilised()]
    >>> found = compare(problems.get("pendulum"), scheme, formulations, [0.02, 0.01], t_end=0.5)
    >>> round(found.row("Stabilised").case.order("lam"), 1)
    2.0
    """
    members = [schemes] if isinstance(schemes, Scheme | FirstOrderScheme) else list(schemes)
    if not members:
        raise InputError("compare needs at least one scheme", hint="for example [iso.Scheme.optimal(0.5)]")
    system = problem.system()
    policies = _policies(system, formulations)
    steps = _steps(problem, dts)
    end = end_of(problem, t_end)
    if reference is None:
        exact = problem.exact(np.array([end])) is not None
        reference = exact_motion(problem) if exact else accurate_motion(system, end, breakpoints=problem.breaks(end))
    with (
        suppress(IsodynError),
        warnings.catch_warnings(),
    ):  # loads machine code, so that the first row does not pay for it
        warnings.simplefilter("ignore")
        integrate(system, members[0], dt=steps[0], t_end=2 * steps[0])
    settings = {"t_end": end, "newton": newton, "breakpoints": problem.breaks(end)}
    rows: list[CompareRow] = []
    missing: list[Missing] = []
    for scheme in members:
        for formulation in policies:
            try:
                rows.append(_row(system, scheme, formulation, steps, reference, settings))
            except IsodynError as error:
                refused = isinstance(error, SchemeError)
                missing.append(Missing(label(formulation), scheme.name, str(error), refused))
    constrained = system.m > 0
    return Comparison(
        problem.name, reference.kind, end, steps, system.first_order, constrained, tuple(rows), tuple(missing)
    )


def label(formulation: Formulation | None) -> str:
    """The name of a formulation with the settings that differ from the defaults.

    >>> from isodyn.formulations import Baumgarte, Stabilised
    >>> label(Stabilised()), label(Baumgarte(20, 30))
    ('Stabilised', 'Baumgarte(alpha=20, beta=30)')
    """
    if formulation is None:
        return "as it stands"
    settings = [(f.name, getattr(formulation, f.name), f.default) for f in fields(formulation)]  # type: ignore[arg-type]
    changed = [f"{name}={_text(value)}" for name, value, default in settings if np.any(value != default)]
    return type(formulation).__name__ + (f"({', '.join(changed)})" if changed else "")


def _text(value: object) -> str:
    if isinstance(value, float | int) and not isinstance(value, bool):
        return f"{value:g}"
    return "…" if isinstance(value, np.ndarray) else repr(value)


def _policies(system: System, formulations: Sequence[Formulation | None] | None) -> Sequence[Formulation | None]:
    if system.m == 0:
        if formulations:
            raise InputError(
                "the system has no constraints, so there are no formulations to compare", hint="leave formulations out"
            )
        return [None]
    if formulations is not None:
        return list(formulations)
    every: list[Formulation | None] = [row.example() for row in TABLE]
    return [None, *every] if system.first_order else every


def _steps(problem: Problem, dts: Sequence[float] | None) -> tuple[float, ...]:
    steps = [problem.dt * 2**k for k in reversed(range(REFINEMENTS))] if dts is None else [float(dt) for dt in dts]
    if len(steps) < 2 or any(fine >= coarse for coarse, fine in pairwise(steps)) or steps[-1] <= 0:
        raise InputError(
            f"dts must be at least two positive steps from coarse to fine, received {steps}",
            hint="for example [0.04, 0.02, 0.01]",
        )
    return tuple(steps)


def _row(
    system: System,
    scheme: AnyScheme,
    formulation: Formulation | None,
    dts: tuple[float, ...],
    reference: ReferenceMotion,
    settings: dict[str, Any],
) -> CompareRow:
    """All step sizes of one combination."""
    if formulation is not None:
        check_combination(formulation, scheme, system)
    done: list[tuple[float, Errors, Cost]] = []
    failures: list[tuple[float, IsodynError]] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", CoarseStepWarning)  # errors are what is looked at here
        for dt in dts:
            try:
                sol = integrate(system, scheme, formulation, dt=dt, **settings)
            except (InputError, SchemeError):
                raise
            except IsodynError as error:
                failures.append((dt, error))
                continue
            if sol.stats.seconds < SHORT:
                again = (integrate(system, scheme, formulation, dt=dt, **settings) for _ in range(2))
                sol.stats.seconds = min(sol.stats.seconds, *(other.stats.seconds for other in again))
            cost = Cost(**{f.name: getattr(sol.stats, f.name) for f in fields(Cost)})
            done.append((dt, errors_of(sol, *reference.at(sol.t)), cost))
    if not done:
        raise failures[-1][1]
    notes = [f"dt = {dt:g} failed: {first_line(str(error))}" for dt, error in failures] + _notes(caught)
    steps, errors, costs = zip(*done, strict=True)
    case = OrderCase(scheme.name, steps, errors)
    return CompareRow(label(formulation), case, costs, sol.drift(), energy_error(sol), tuple(notes))


def _notes(caught: list[warnings.WarningMessage]) -> list[str]:
    """First lines of this package's warnings; others are passed on."""
    for one in caught:
        if not issubclass(one.category, IsodynWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    own = [first_line(str(one.message)) for one in caught if issubclass(one.category, IsodynWarning)]
    return list(dict.fromkeys(own))

"""Every formulation beside every other on one problem: error, order, drift, energy and cost.

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

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np

from isodyn.api import Newton, integrate
from isodyn.described import described
from isodyn.errors import CoarseStepWarning, InputError, IsodynError, IsodynWarning, SchemeError
from isodyn.formulations import Formulation
from isodyn.formulations.table import TABLE, check_combination
from isodyn.problems.problem import Problem
from isodyn.results.balance import Drift
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.studies.errors import Errors, energy_error, errors_of
from isodyn.studies.order import OrderCase
from isodyn.studies.references import ReferenceMotion, accurate_motion, exact_motion
from isodyn.systems import System

AnyScheme = Scheme | FirstOrderScheme

REFINEMENTS = 3  # steps where none are given: 4, 2 and 1 times the problem's own
SHORT = 0.05  # seconds; the time of shorter runs is the shortest of three
ROUNDING = 1e-12  # errors below this have no order


@dataclass(frozen=True)
class Cost:
    """What a run took."""

    steps: int
    evaluations: int
    iterations: int
    factorisations: int
    halvings: int
    seconds: float


@dataclass(frozen=True, eq=False)
class CompareRow:
    """One formulation with one scheme, for all step sizes.

    Parameters
    ----------
    formulation
        Name of the formulation.
    case
        Errors of all step sizes.
    costs
        Cost of all step sizes.
    drift
        Drift with the finest step.
    energy
        Energy balance with the finest step.
    notes
        Warnings and remarks.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn import studies
    >>> pendulum = iso.problems.get("pendulum")
    >>> found = studies.compare(pendulum, pendulum.scheme, [iso.GGL()], [0.02, 0.01], t_end=0.1)
    >>> found.rows[0].formulation
    'GGL'
    """

    formulation: str
    case: OrderCase
    costs: tuple[Cost, ...]
    drift: Drift
    energy: float
    notes: tuple[str, ...] = ()

    @property
    def scheme(self) -> str:
        """Name of the scheme."""
        return self.case.scheme

    def order(self, quantity: str) -> float:
        """Return the order from the two finest steps.

        Parameters
        ----------
        quantity
            "q", "v", "a" or "lam".

        Returns
        -------
        order
            The slope; NaN with one step size, or if the error is at rounding.
        """
        measurable = len(self.case.dts) > 1 and self.case.of(quantity)[-1] > ROUNDING
        return self.case.order(quantity) if measurable else math.nan


@dataclass(frozen=True)
class Missing:
    """A combination without numbers: refused by the table, or stopped by an error."""

    formulation: str
    scheme: str
    reason: str
    refused: bool


@dataclass(frozen=True, eq=False)
class Comparison:
    """Formulations and schemes on one problem; `str` gives a table.

    Parameters
    ----------
    problem
        Name of the problem.
    reference
        What the runs were compared with, in words.
    t_end
        End of the runs.
    dts
        Step sizes, from coarse to fine.
    first_order
        Whether the system is of first order.
    constrained
        Whether it has constraints.
    rows
        Results, all formulations of the first scheme first.
    missing
        Combinations without a result, with the reason.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn import studies
    >>> pendulum = iso.problems.get("pendulum")
    >>> found = studies.compare(pendulum, pendulum.scheme, [iso.Stabilised()], [0.02, 0.01], t_end=0.1)
    >>> found.constrained, len(found.rows)
    (True, 1)
    """

    problem: str
    reference: str
    t_end: float
    dts: tuple[float, ...]
    first_order: bool
    constrained: bool
    rows: tuple[CompareRow, ...]
    missing: tuple[Missing, ...]

    @property
    def quantities(self) -> dict[str, str]:
        """Names of the measured quantities and how they are written."""
        if self.first_order:
            return {"v": "s", "a": "s'", **({"lam": "z"} if self.constrained else {})}
        return {"q": "q", "v": "v", "a": "a", **({"lam": "λ"} if self.constrained else {})}

    @property
    def schemes(self) -> tuple[str, ...]:
        """Names of the schemes, in the order of the request."""
        return tuple(dict.fromkeys([row.scheme for row in self.rows] + [row.scheme for row in self.missing]))

    def row(self, formulation: str, scheme: str | None = None) -> CompareRow:
        """Return the row of a formulation.

        Parameters
        ----------
        formulation
            Name of the formulation.
        scheme
            Name of the scheme; the first one if left out.

        Returns
        -------
        row
            The row.
        """
        for row in self.rows:
            if row.formulation == formulation and scheme in (None, row.scheme):
                return row
        known = ", ".join(dict.fromkeys(row.formulation for row in self.rows))
        raise InputError(
            f"the comparison has no row {formulation!r}" + (f" with {scheme}" if scheme else ""), hint=f"rows: {known}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings.

        Returns
        -------
        document
            What `--json` prints.
        """
        head = {key: getattr(self, key) for key in ("problem", "reference", "t_end", "first_order")}
        rows = [
            {
                "formulation": row.formulation,
                "scheme": row.scheme,
                "dt": list(row.case.dts),
                "errors": {label: row.case.of(key).tolist() for key, label in self.quantities.items()},
                "order": {label: row.order(key) for key, label in self.quantities.items()},
                "drift": dict(zip(("position", "velocity", "acceleration"), row.drift.largest, strict=True)),
                "energy": row.energy,
                "cost": [asdict(cost) for cost in row.costs],
                "notes": list(row.notes),
            }
            for row in self.rows
        ]
        split = {
            name: [
                {"formulation": one.formulation, "scheme": one.scheme, "reason": one.reason}
                for one in self.missing
                if one.refused is refused
            ]
            for name, refused in (("refused", True), ("failed", False))
        }
        return {**head, "dt": list(self.dts), "rows": rows, **split}

    __repr__ = described

    def __str__(self) -> str:
        lines = [f"{self.problem} to t = {self.t_end:g}, dt = {', '.join(f'{dt:g}' for dt in self.dts)}"]
        lines.append(f"errors at the finest step against: {self.reference}; orders from the last two steps")
        for scheme in self.schemes:
            lines += ["", *self._table(scheme)]
        return "\n".join(lines)

    def _table(self, scheme: str) -> Iterator[str]:
        """The lines of one scheme."""
        labels = list(self.quantities.values())
        rows = [row for row in self.rows if row.scheme == scheme]
        missing = [one for one in self.missing if one.scheme == scheme]
        width = max(len(name) for name in [r.formulation for r in self.rows] + [m.formulation for m in self.missing])
        yield scheme
        if rows:
            errors, orders = f"{'error in':<{9 * len(labels)}}", f"{'order in':<{6 * len(labels)}}"
            drift = f"{'drift of':<27}" if self.constrained else ""
            yield f"  {'':{width}}  {errors}{orders}{drift}{'':9}cost"
            errors, orders = "".join(f"{x:<9}" for x in labels), "".join(f"{x:<6}" for x in labels)
            # dots have no width
            drift = f"{'φ':<9}{'φ̇':<10}{'φ̈':<10}" if self.constrained else ""
            yield (
                f"  {'':{width}}  {errors}{orders}{drift}{'energy':<9}{'evals':>6} {'iter':>6} {'factor':>6} {'ms':>8}"
            )
        for row in rows:
            yield f"  {row.formulation:{width}}  {self._cells(row)}"
        for one in missing:
            yield f"  {one.formulation:{width}}  {'not allowed' if one.refused else 'failed'}: {_first_line(one.reason)}"
        said: dict[str, list[str]] = {}
        for row in rows:
            for note in row.notes:
                said.setdefault(note, []).append(row.formulation)
        for note, names in said.items():
            yield f"  note on {', '.join(names)}: {note}"

    def _cells(self, row: CompareRow) -> str:
        """Numbers of one row as text."""
        errors = "".join(f"{_number(row.case.of(key)[-1], '.1e'):<9}" for key in self.quantities)
        orders = "".join(f"{_number(row.order(key), '.2f'):<6}" for key in self.quantities)
        drift = "".join(f"{_number(level, '.1e'):<9}" for level in row.drift.largest) if self.constrained else ""
        cost = row.costs[-1]
        counts = f"{cost.evaluations:>6} {cost.iterations:>6} {cost.factorisations:>6} {1e3 * cost.seconds:>8.2f}"
        return f"{errors}{orders}{drift}{_number(row.energy, '.1e'):<9}{counts}"


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
    end = float(t_end or problem.t_order or problem.t_end)
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


def _text(value: Any) -> str:
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
    notes = [f"dt = {dt:g} failed: {_first_line(str(error))}" for dt, error in failures] + _notes(caught)
    steps, errors, costs = zip(*done, strict=True)
    case = OrderCase(scheme.name, steps, errors)
    return CompareRow(label(formulation), case, costs, sol.drift(), energy_error(sol), tuple(notes))


def _notes(caught: list[warnings.WarningMessage]) -> list[str]:
    """First lines of this package's warnings; others are passed on."""
    for one in caught:
        if not issubclass(one.category, IsodynWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    own = [_first_line(str(one.message)) for one in caught if issubclass(one.category, IsodynWarning)]
    return list(dict.fromkeys(own))


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0]


def _number(x: float, form: str) -> str:
    return "–" if math.isnan(x) else format(x, form)

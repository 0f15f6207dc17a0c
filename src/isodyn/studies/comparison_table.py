"""What a comparison of formulations and schemes found: errors, orders and cost, as rows and as
text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from isodyn.described import described
from isodyn.errors import InputError
from isodyn.results.balance import Drift
from isodyn.studies.order import OrderCase

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
            yield f"  {one.formulation:{width}}  {'not allowed' if one.refused else 'failed'}: {first_line(one.reason)}"
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


def _number(x: float, form: str) -> str:
    return "–" if math.isnan(x) else format(x, form)


def first_line(text: str) -> str:
    return text.split("\n", 1)[0]

"""Order of accuracy, measured.

    slope_k = log(e_k / e_{k+1}) / log(dt_k / dt_{k+1})

from the errors e of runs with steps dt₁ > dt₂ > …, in q, v, a and λ (s, s', z of first-order
systems), once over all of time and once at n = 1 alone. A scheme of order two has slopes of 2 over
all of time; at n = 1 the slopes of q and v are larger by up to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from isodyn.api import Newton, integrate
from isodyn.described import described
from isodyn.errors import InputError, coarse_steps_meant
from isodyn.formulations import Formulation
from isodyn.kernels.compiled import FloatArray
from isodyn.problems.problem import Problem
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.studies.errors import Errors, errors_of
from isodyn.studies.references import ReferenceMotion, accurate_motion, end_of, exact_motion
from isodyn.systems import System


@dataclass(frozen=True)
class OrderCase:
    """Errors of one scheme for all step sizes.

    Parameters
    ----------
    scheme
        Name of the scheme.
    dts
        Step sizes, from coarse to fine.
    errors
        Errors for each of them.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn import studies
    >>> oscillator = iso.problems.get("oscillator")
    >>> study = studies.order_study(oscillator, iso.Scheme.optimal(0.5), [0.02, 0.01])
    >>> study.cases[0].of("q").shape
    (2,)
    """

    scheme: str
    dts: tuple[float, ...]
    errors: tuple[Errors, ...]

    def of(self, quantity: str) -> FloatArray:
        """Return the errors in one quantity, one per step size.

        Parameters
        ----------
        quantity
            "q", "v", "a" or "lam"; "q_1", "v_1", "a_1" or "lam_1" for the first step alone.

        Returns
        -------
        errors
            The errors.
        """
        return np.array([getattr(errors, quantity) for errors in self.errors])

    def slopes(self, quantity: str) -> list[float]:
        """Return the slopes between one step size and the next.

        Parameters
        ----------
        quantity
            As in `of`.

        Returns
        -------
        slopes
            The slopes; NaN if an error is zero.
        """
        e = self.of(quantity)
        return [
            math.log(e[k] / e[k + 1]) / math.log(self.dts[k] / self.dts[k + 1]) if e[k] > 0 < e[k + 1] else math.nan
            for k in range(e.size - 1)
        ]

    def order(self, quantity: str) -> float:
        """Return the slope between the two finest step sizes.

        Parameters
        ----------
        quantity
            As in `of`.

        Returns
        -------
        order
            The slope.
        """
        return self.slopes(quantity)[-1]


@dataclass(frozen=True)
class OrderStudy:
    """Errors and slopes of several schemes on one problem; `str` gives a table.

    Parameters
    ----------
    problem
        Name of the problem.
    reference
        What the runs were compared with, in words.
    t_end
        End of the runs.
    first_order
        Whether the system is of first order.
    cases
        One case for each scheme.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn import studies
    >>> oscillator = iso.problems.get("oscillator")
    >>> study = studies.order_study(oscillator, iso.Scheme.optimal(0.5), [0.02, 0.01])
    >>> study.reference, study.multipliers
    ('exact solution', False)
    """

    problem: str
    reference: str
    t_end: float
    first_order: bool
    cases: tuple[OrderCase, ...]

    @property
    def quantities(self) -> dict[str, str]:
        """Names of the measured quantities and how they are written."""
        names = {"v": "s", "a": "s'"} if self.first_order else {"q": "q", "v": "v", "a": "a"}
        return {**names, "lam": "z" if self.first_order else "lam"} if self.multipliers else names

    @property
    def multipliers(self) -> bool:
        """Whether multipliers, or algebraic unknowns, were measured."""
        return all(not math.isnan(errors.lam) for case in self.cases for errors in case.errors)

    def case(self, scheme: str) -> OrderCase:
        """Return the case of a scheme.

        Parameters
        ----------
        scheme
            Name of the scheme.

        Returns
        -------
        case
            Its errors.
        """
        for case in self.cases:
            if case.scheme == scheme:
                return case
        raise InputError(f"the study has no scheme {scheme!r}, only {', '.join(case.scheme for case in self.cases)}")

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings.

        Returns
        -------
        document
            What `--json` prints.
        """
        cases = [
            {
                "scheme": case.scheme,
                "dt": list(case.dts),
                "errors": {label: case.of(key).tolist() for key, label in self.quantities.items()},
                "slopes": {label: case.slopes(key) for key, label in self.quantities.items()},
                "first_step_errors": {label: case.of(f"{key}_1").tolist() for key, label in self.quantities.items()},
                "first_step_slopes": {label: case.slopes(f"{key}_1") for key, label in self.quantities.items()},
            }
            for case in self.cases
        ]
        head = {key: value for key, value in asdict(self).items() if key != "cases"}
        return {**head, "cases": cases}

    __repr__ = described

    def __str__(self) -> str:
        lines = [f"{self.problem} to t = {self.t_end:g}; errors against: {self.reference}"]
        for case in self.cases:
            columns = [(label, key) for key, label in self.quantities.items()]
            columns += [(f"{label} at n=1", f"{key}_1") for label, key in columns]
            lines += ["", case.scheme, f"  {'dt':>9}" + "".join(f"  {label:>9}  slope" for label, _ in columns)]
            slopes = {key: ["     ", *(f"{slope:5.2f}" for slope in case.slopes(key))] for _, key in columns}
            for k, dt in enumerate(case.dts):
                cells = "".join(f"  {case.of(key)[k]:9.2e}  {slopes[key][k]}" for _, key in columns)
                lines.append(f"  {dt:9.3g}{cells}")
        return "\n".join(lines)


def order_study(
    problem: Problem | System,
    schemes: Sequence[Scheme | FirstOrderScheme] | Scheme | FirstOrderScheme,
    dts: Sequence[float],
    reference: ReferenceMotion | None = None,
    *,
    t_end: float | None = None,
    formulation: Formulation | None = None,
    newton: Newton | None = None,
) -> OrderStudy:
    """Run every scheme with every step size and compare with a reference.

    Parameters
    ----------
    problem
        A problem, or a system (`t_end` is then needed).
    schemes
        One scheme or several.
    dts
        At least two step sizes, from coarse to fine.
    reference
        What to compare with. If it is left out, it is the exact solution if there is one, else
        DOP853 with rtol = 1e-13.
    t_end
        End of the runs; that of the problem if left out.
    formulation
        How constraints enter, as in `integrate`.
    newton
        Settings of the iteration.

    Returns
    -------
    study
        Errors and slopes.

    Raises
    ------
    InputError
        If there are fewer than two step sizes, or no end.

    Examples
    --------
    >>> from isodyn.studies import order_study
    >>> import isodyn as iso
    >>> from isodyn import problems
    >>> study = order_study(problems.get("oscillator"), iso.Scheme.optimal(0.5), [0.02, 0.01])
    >>> round(study.cases[0].order("a"), 1)
    2.0
    """
    schemes = [schemes] if isinstance(schemes, Scheme | FirstOrderScheme) else list(schemes)
    steps = _checked(dts)
    if isinstance(problem, Problem):
        system, name = problem.system(), problem.name
        t_end = end_of(problem, t_end)
        breakpoints = problem.breaks(t_end)
        if reference is None:
            exact = problem.motion is not None
            reference = exact_motion(problem) if exact else accurate_motion(system, t_end, breakpoints=breakpoints)
    else:
        system, name = problem, type(problem).__name__
        if t_end is None:
            raise InputError("an order study of a system needs t_end=")
        breakpoints = ()
        reference = reference or accurate_motion(system, t_end)
    errors: list[list[Errors]] = [[] for _ in schemes]
    for dt in steps:
        motion = None  # the times are the same for all schemes
        for column, scheme in zip(errors, schemes, strict=True):
            with coarse_steps_meant():
                sol = integrate(system, scheme, formulation, dt=dt, t_end=t_end, newton=newton, breakpoints=breakpoints)
            motion = reference.at(sol.t) if motion is None else motion
            column.append(errors_of(sol, *motion))
    cases = [OrderCase(scheme.name, tuple(steps), tuple(e)) for scheme, e in zip(schemes, errors, strict=True)]
    return OrderStudy(name, reference.kind, float(t_end), system.first_order, tuple(cases))


def _checked(dts: Sequence[float]) -> list[float]:
    steps = [float(dt) for dt in dts]
    if len(steps) < 2 or any(fine >= coarse for coarse, fine in pairwise(steps)) or steps[-1] <= 0:
        raise InputError(
            f"dts must be at least two positive steps from coarse to fine, received {steps}",
            hint="for example [0.04, 0.02, 0.01]",
        )
    return steps

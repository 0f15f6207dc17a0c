"""What is known about a scheme, as numbers and as text."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from isodyn.analysis.behaviour import (
    MeasuredOrder,
)
from isodyn.analysis.one_step_map import Symplecticity
from isodyn.analysis.text import (
    energy_text,
    limits,
    noted,
    number,
    plain,
    roots_text,
    symplectic_text,
    table,
)
from isodyn.described import described
from isodyn.schemes import (
    ThreeStepForm,
)

OMEGAS = (0.1, 0.5, 1.0)


XI = 0.1


STEPS = (0.1, 1.0, 10.0, 100.0)  # z = lambda dt of first-order schemes


@dataclass(frozen=True)
class Description:
    """What is known about a scheme for second-order systems.

    `str` gives a page of text, `to_dict` plain numbers.

    Parameters
    ----------
    name
        Name of the scheme.
    family
        "U0", "V0" or None.
    radii
        Roots at infinity of a member of the families.
    explicit
        Whether it is explicit.
    coefficients
        The seven coefficients.
    parameters
        The parameters of the generalised-alpha method, if it is one.
    phi
        Shift of the acceleration.
    roots_at_infinity
        Roots at infinity.
    order
        Order by the coefficients.
    measured_order
        Order by experiment.
    xi
        Damping ratio of the damped limit.
    critical_frequency, critical_frequency_damped
        Stability limit without and with damping.
    bifurcation_frequency
        Omega at which the principal pair becomes real.
    Omega
        Frequencies of the table.
    spectral_radius, damping_ratio, period_error
        Columns of the table.
    overshoot_class
        Class of overshoot, or None.
    symplectic
        Symplecticity by computation.
    symplectic_condition
        Whether the condition of the source holds.
    conserves_angular_momentum
        Whether angular momentum stays at rounding.
    momentum_error
        Largest relative error of angular momentum.
    three_step_form
        The equivalent three-step method.
    notes
        Remarks.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.analysis.describe(iso.Scheme.optimal(0.8)).radii
    (0.8, 1.0, 0.8)
    """

    name: str
    family: str | None
    radii: tuple[float, float, float] | None
    explicit: bool
    coefficients: dict[str, float]
    parameters: dict[str, float] | None
    phi: float
    roots_at_infinity: tuple[complex, ...]
    order: int
    measured_order: MeasuredOrder
    xi: float
    critical_frequency: float
    critical_frequency_damped: float
    bifurcation_frequency: float
    Omega: tuple[float, ...]
    spectral_radius: tuple[float, ...]
    damping_ratio: tuple[float, ...]
    period_error: tuple[float, ...]
    overshoot_class: str | None
    symplectic: Symplecticity
    symplectic_condition: bool
    conserves_angular_momentum: bool
    momentum_error: float
    three_step_form: ThreeStepForm
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return numbers, strings and lists for JSON.

        Returns
        -------
        document
            Infinities are "inf", undefined numbers None.
        """
        return {field.name: plain(getattr(self, field.name)) for field in fields(self)}

    __repr__ = described

    def __str__(self) -> str:
        family = f"family {self.family}" if self.family else "own coefficients"
        radii = "" if self.radii is None else f", radii ({', '.join(f'{r:g}' for r in self.radii)})"
        kind = "explicit" if self.explicit else "implicit"
        order = self.measured_order
        sym = self.symplectic
        printed = "satisfied" if self.symplectic_condition else "not satisfied"
        kept = "conserved" if self.conserves_angular_momentum else "not conserved"
        rows = [
            ("scheme", f"{kind}, {family}{radii}"),
            ("coefficients", _values(self.coefficients)),
            (
                "usual parameters",
                _values(self.parameters) if self.parameters else "none: not of generalised-alpha form",
            ),
            ("shift of a_n", f"phi = {self.phi:.6g}"),
            ("roots at infinity", roots_text(self.roots_at_infinity)),
            ("order", f"{self.order}; measured {order.q:.2f} in q, {order.v:.2f} in v, {order.a:.2f} in a"),
            ("stability limit", limits(self.critical_frequency, self.critical_frequency_damped, self.xi)),
            ("bifurcation", f"principal roots become real at Omega = {number(self.bifurcation_frequency)}"),
            ("overshoot class", self.overshoot_class or "none: not defined beyond the stability limit"),
            ("symplectic", symplectic_text(sym)),
            ("  printed condition", f"W1 = 1 − l3/l5 {printed}"),
            ("energy", energy_text(sym)),
            ("angular momentum", f"{kept}; changes by {self.momentum_error:.1e} in 40 revolutions"),
        ]
        lines = [self.name, "=" * len(self.name), *table(rows), ""]
        lines.append(f"  {'Omega':>8}  {'spectral radius':>16}  {'damping ratio':>14}  {'period error':>13}")
        columns = zip(self.Omega, self.spectral_radius, self.damping_ratio, self.period_error, strict=True)
        lines += [f"  {Om:8.3g}  {rho:16.8f}  {xi:14.3e}  {T:13.3e}" for Om, rho, xi, T in columns]
        lines += ["", "  three-step form: sum (alpha_i − 2 xi Omega beta_i − Omega² gamma_i) x_{n+1−i} = 0"]
        lines.append(f"  {'i':>8}  {'alpha':>11}  {'beta':>11}  {'gamma':>11}")
        form = zip(*self.three_step_form, strict=True)
        lines += [f"  {i:8d}  {a + 0.0:11.6f}  {b + 0.0:11.6f}  {c + 0.0:11.6f}" for i, (a, b, c) in enumerate(form)]
        return "\n".join([*lines, *noted(self.notes)])


@dataclass(frozen=True)
class FirstOrderDescription:
    """What is known about a scheme for first-order systems.

    Parameters
    ----------
    name
        Name of the scheme.
    radii
        Roots at infinity, or None.
    explicit
        Whether it is explicit.
    coefficients
        The four coefficients.
    phi
        Shift of the rate.
    roots_at_infinity
        Roots at infinity.
    order
        Order by the coefficients.
    measured_order
        Order by experiment.
    critical_step
        Largest stable z.
    z
        lambda dt in s' = −lambda s, for the table.
    spectral_radius
        Column of the table.
    symplectic
        Symplecticity by computation.
    notes
        Remarks.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.analysis.describe(iso.FirstOrderScheme.gear()).order
    2
    """

    name: str
    radii: tuple[float, float] | None
    explicit: bool
    coefficients: dict[str, float]
    phi: float
    roots_at_infinity: tuple[complex, ...]
    order: int
    measured_order: MeasuredOrder
    critical_step: float
    z: tuple[float, ...]
    spectral_radius: tuple[float, ...]
    symplectic: Symplecticity
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return numbers, strings and lists for JSON.

        Returns
        -------
        document
            Infinities are "inf", undefined numbers None.
        """
        return {field.name: plain(getattr(self, field.name)) for field in fields(self)}

    __repr__ = described

    def __str__(self) -> str:
        radii = "" if self.radii is None else f", radii ({', '.join(f'{r:g}' for r in self.radii)})"
        limit = "none" if self.critical_step == math.inf else f"z = {number(self.critical_step)}"
        rows = [
            ("scheme", f"{'explicit' if self.explicit else 'implicit'}, for first-order systems{radii}"),
            ("coefficients", _values(self.coefficients)),
            ("shift of the rate", f"phi = {self.phi:.6g}"),
            ("roots at infinity", roots_text(self.roots_at_infinity)),
            ("order", f"{self.order}; measured {self.measured_order.v:.2f} in s, {self.measured_order.a:.2f} in s'"),
            ("stability limit", f"{limit} for decay s' = −lambda s, z = lambda dt"),
            ("symplectic", symplectic_text(self.symplectic)),
            ("energy", energy_text(self.symplectic)),
        ]
        lines = [self.name, "=" * len(self.name), *table(rows), "", f"  {'z':>8}  {'spectral radius':>16}"]
        lines += [f"  {z:8.3g}  {rho:16.8f}" for z, rho in zip(self.z, self.spectral_radius, strict=True)]
        return "\n".join([*lines, *noted(self.notes)])


def _values(numbers: dict[str, float]) -> str:
    return "  ".join(f"{key}={round(value, 12) + 0.0:.6g}" for key, value in numbers.items())

"""Everything known about a scheme on one page: theory, and what runs show where theory is silent or
wrong.

    Omega = w dt,   xi physical damping ratio
    x'' + 2 xi w x' + w^2 x = 0  →  roots zeta(Omega), damping ratio and period error of the
    principal pair, Omega_crit
    sum_i (alpha_i − 2 xi Omega beta_i − Omega^2 gamma_i) x_{n+1-i} = 0                    three-step form
    W1 = 1 − l3/l5                                                                         printed symplectic condition
    alpha_m, alpha_f, beta, gamma of implicit U0 members; alpha_k and kappa besides for V0 usual
    parameters

Source: Shimada2014, (2.38)-(2.57), (2.61), (2.144)-(2.172); overshoot, order, symplecticity,
momentum and drift by computation.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, overload

import numpy as np

from isodyn.analysis.behaviour import (
    conserves_angular_momentum,
    measured_order,
    momentum_error,
    overshoot_class,
)
from isodyn.analysis.description import OMEGAS, STEPS, XI, Description, FirstOrderDescription
from isodyn.analysis.first_order_map import first_order_symplecticity
from isodyn.analysis.one_step_map import symplecticity
from isodyn.analysis.text import (
    order_notes,
    stability_notes,
    symplectic_notes,
)
from isodyn.errors import InputError, SchemeError
from isodyn.schemes import (
    FirstOrderScheme,
    Scheme,
    alpha_parameters,
    bifurcation_frequency,
    critical_frequency,
    damping_ratio,
    first_order_critical_step,
    first_order_roots_at_infinity,
    first_order_spectral_radius,
    period_error,
    roots_at_infinity,
    satisfies_symplectic_condition,
    spectral_radius,
    three_step_form,
    v0_parameters,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from isodyn.kernels.compiled import FloatArray


@overload
def describe(s: Scheme, xi: float = XI) -> Description: ...


@overload
def describe(s: FirstOrderScheme, xi: float = XI) -> FirstOrderDescription: ...


def describe(s: Scheme | FirstOrderScheme, xi: float = XI) -> Description | FirstOrderDescription:
    """Return roots, order, damping, period error, stability and invariants of a scheme.

    Parameters
    ----------
    s
        The scheme.
    xi
        Damping ratio for which the stability limit is given, besides that without damping;
        first-order systems have none.

    Returns
    -------
    description
        What is known about the scheme; `print` shows it.

    Examples
    --------
    >>> from isodyn.analysis import describe
    >>> import isodyn as iso
    >>> d = describe(iso.Scheme.optimal(0.8))
    >>> d.overshoot_class, d.symplectic.verdict, d.conserves_angular_momentum
    ('U0V0', 'not', False)
    """
    if isinstance(s, FirstOrderScheme):
        return _first_order(s)
    if isinstance(s, Scheme):
        return _second_order(s, xi)
    raise InputError(f"describe takes a scheme, received {s!r}", hint="for example iso.Scheme.optimal(0.8)")


def _second_order(s: Scheme, xi: float) -> Description:
    if not (math.isfinite(xi) and xi >= 0.0):
        raise InputError(
            f"the damping ratio xi must be finite and not negative, received {xi!r}", hint="1 is critical damping"
        )
    Om = np.array(OMEGAS)
    free, damped, verdict = critical_frequency(s), critical_frequency(s, xi), symplecticity(s)
    printed = satisfies_symplectic_condition(s)  # [Shimada2014 (2.144), (2.170)]
    return Description(
        name=s.name,
        family=s.family,
        radii=s.radii,
        explicit=s.explicit,
        coefficients=s.coefficients,
        parameters=_parameters(s),
        phi=s.phi,
        roots_at_infinity=_complex(roots_at_infinity(s)),
        order=s.order,
        measured_order=measured_order(s),
        xi=xi,
        critical_frequency=free,
        critical_frequency_damped=damped,
        bifurcation_frequency=bifurcation_frequency(s),
        Omega=OMEGAS,
        spectral_radius=_floats(spectral_radius(s, Om)),
        damping_ratio=_floats(damping_ratio(s, Om)),
        period_error=_floats(period_error(s, Om)),
        overshoot_class=overshoot_class(s),
        symplectic=verdict,
        symplectic_condition=printed,
        conserves_angular_momentum=conserves_angular_momentum(s),
        momentum_error=momentum_error(s),
        three_step_form=three_step_form(s),
        notes=(*stability_notes(free, damped, xi), *order_notes(s.order), *symplectic_notes(verdict, printed)),
    )


def _first_order(s: FirstOrderScheme) -> FirstOrderDescription:
    limit = first_order_critical_step(s)
    unstable = ("UNSTABLE: decaying motions grow for every step; do not use it",) if limit == 0.0 else ()
    return FirstOrderDescription(
        name=s.name,
        radii=s.radii,
        explicit=s.explicit,
        coefficients={"W1": s.W1, "W2L5": s.W2L5, "W1L6": s.W1L6, "l5": s.l5},
        phi=s.phi,
        roots_at_infinity=_complex(first_order_roots_at_infinity(s)),
        order=s.order,
        measured_order=measured_order(s),
        critical_step=limit,
        z=STEPS,
        spectral_radius=_floats(first_order_spectral_radius(s, np.array(STEPS))),
        symplectic=first_order_symplecticity(s),
        notes=(*unstable, *order_notes(s.order)),
    )


def _parameters(s: Scheme) -> dict[str, float] | None:
    """Those of the generalised-alpha form, else of the V0 form, else None."""
    for parameters in (alpha_parameters, v0_parameters):
        try:
            return parameters(s)._asdict()
        except SchemeError:
            continue
    return None


# ---- plain numbers


def _floats(values: FloatArray) -> tuple[float, ...]:
    return tuple(float(x) for x in values)


def _complex(values: Iterable[complex]) -> tuple[complex, ...]:
    return tuple(complex(x) for x in values)

"""Every message of the schemes: what is wrong, what was received, what to do."""

from __future__ import annotations

import math
import warnings

import pytest

from isodyn.errors import AccuracyWarning, InputError, SchemeError
from isodyn.schemes import (
    FirstOrderScheme,
    Scheme,
    alpha_parameters,
    amplification_matrix,
    newmark_parameters,
    v0_parameters,
)

OWN = {"W1": 1.0, "W2L2": 0.5, "W3L3": 0.25, "W2L5": 0.5, "W1L6": 1.0, "l3": 0.25, "l5": 0.5}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"l3": math.nan}, "'own coefficients': coefficient l3 must be finite, received nan"),
        ({"W1L6": 0.0, "l5": -0.5}, "W1L6 must be positive, received 0: it multiplies the mass"),
        ({"W3L3": -0.1}, r"W3L3 must not be negative, received -0\.1[\s\S]*hint: set W3L3 = 0 for an explicit member"),
        ({"W2L5": -0.1}, "W2L5 must not be negative"),
        ({"W1": -0.5, "l5": 2.0}, r"W1 must not be negative[\s\S]*hint: the balance holds at t_n \+ W1 dt"),
    ],
)
def test_bad_coefficients(change, match):
    with pytest.raises(SchemeError, match=match):
        Scheme(**(OWN | change))


def test_first_order_coefficients_warn_with_the_right_l5():
    with pytest.warns(AccuracyWarning, match=r"only first order: l5 = 0\.6, second order needs .* = 0\.5"):
        s = Scheme(**(OWN | {"l5": 0.6}))
    assert s.order == 1
    with pytest.warns(AccuracyWarning, match=r"'Newmark\(0\.3025, 0\.6\)' is only first order"):
        Scheme.newmark(0.3025, 0.6)
    with pytest.warns(AccuracyWarning, match=r"l5 = 1/2 \+ W1L6 - W1 = 0\.5"):
        FirstOrderScheme(W1=1.0, W2L5=1.0, W1L6=1.0, l5=1.0)


@pytest.mark.parametrize("family", ["U0", "V0"])
@pytest.mark.parametrize(
    ("radii", "match"),
    [
        ((1, 0.5, 0), r"not rho_min <= rho_max \(1 > 0\.5\)[\s\S]*did you mean {}\(0\.5, 1, 0\)\?"),
        ((0.5, 1, 0.8), r"not rho_s <= rho_min \(0\.8 > 0\.5\)[\s\S]*did you mean {}\(0\.8, 1, 0\.5\)\?"),
        (
            (0.5, 1.2, 0.3),
            r"not rho_max <= 1 \(1\.2 > 1\)[\s\S]*stiff modes grow[\s\S]*did you mean {}\(0\.5, 1, 0\.3\)",
        ),
        ((0.5, 1, -0.1), r"rho_s=-0\.1\) violates .*: not 0 <= rho_s \(0 > -0\.1\)"),
        ((0.5, math.inf, 0), "rho_max must be finite and greater than -1, received inf"),
    ],
)
def test_radii_out_of_order(family, radii, match):
    with pytest.raises(SchemeError, match=match.format(f"Scheme.{family}") if "{}" in match else match):
        getattr(Scheme, family)(*radii)


def test_explicit_radii_need_not_be_ordered_but_stay_above_minus_one():
    assert Scheme.V0(1, 0.5, 1, explicit=True).explicit
    with pytest.raises(SchemeError, match="rho_s must be finite and greater than -1, received -1"):
        Scheme.U0(1, 1, -1.0, explicit=True)


@pytest.mark.parametrize(
    ("call", "place"),
    [
        (lambda x: Scheme.U0(0.5, x, 0.5), r"Scheme\.U0: rho_max"),
        (lambda x: Scheme.V0(x, 1, 0), r"Scheme\.V0: rho_min"),
        (lambda x: Scheme.optimal(x), r"Scheme\.U0: rho_min"),
        (lambda x: Scheme.newmark(0.25, x), "newmark: gamma"),
        (lambda x: Scheme.hht(x), "hht: rho_inf"),
        (lambda x: Scheme.wbz(alpha_m=x), "wbz: alpha_m"),
        (lambda x: Scheme.generalised_alpha(x), "generalised_alpha: rho_inf"),
        (lambda x: Scheme.generalised_alpha(alpha_m=0.2, alpha_f=x), "generalised_alpha: alpha_f"),
        (lambda x: FirstOrderScheme.GS4_1(x, 0), r"FirstOrderScheme\.GS4_1: rho"),
        (lambda x: Scheme(**(OWN | {"W2L2": x})), "scheme 'own coefficients': W2L2"),
    ],
)
@pytest.mark.parametrize("value", ["0.8", [0.8], 1j, True], ids=str)
def test_what_is_not_a_number(call, place, value):
    with pytest.raises(SchemeError, match=rf"{place} must be a number, received .*\nhint: for example 0\.8"):
        call(value)


def test_bad_eta():
    with pytest.raises(SchemeError, match=r"eta must be three numbers, each 0 or 1, received \(0, 2, 0\)"):
        Scheme.U0(1, 1, 0, eta=(0, 2, 0))
    with pytest.raises(SchemeError, match=r"explicit=True contradicts eta = \(0, 1, 0\)"):
        Scheme.U0(1, 1, 0, explicit=True, eta=(0, 1, 0))


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: Scheme.newmark(-0.1), "newmark: beta must be finite and not negative, received -0.1"),
        (
            lambda: Scheme.hht(0.3),
            r"hht: rho_inf must lie in \[0\.5, 1\], received 0\.3[\s\S]*hint: below rho_inf = 1/2",
        ),
        (lambda: Scheme.hht(alpha_f=-0.1), r"hht: alpha_f must lie in \[0, 0\.333333\]"),
        (lambda: Scheme.hht(0.8, alpha_f=0.1), "hht: rho_inf = 0.8 and alpha_f both given"),
        (lambda: Scheme.hht(), "hht: nothing given; pass rho_inf, or alpha_f by keyword"),
        (lambda: Scheme.wbz(1.1), r"wbz: rho_inf must lie in \[0, 1\]"),
        (lambda: Scheme.wbz(alpha_m=0.2), r"wbz: alpha_m must lie in \[-1, 0\]"),
        (lambda: Scheme.wbz(0.5, alpha_m=-0.2), "wbz: rho_inf = 0.5 and alpha_m both given"),
        (lambda: Scheme.generalised_alpha(), "generalised_alpha: nothing given"),
        (lambda: Scheme.generalised_alpha(-0.2), r"generalised_alpha: rho_inf must lie in \[0, 1\]"),
        (lambda: Scheme.generalised_alpha(alpha_m=0.2), "pass either rho_inf, or alpha_m and alpha_f together"),
        (lambda: Scheme.generalised_alpha(alpha_m=0.5, alpha_f=0.2), "violates alpha_m <= alpha_f:"),
        (lambda: Scheme.generalised_alpha(alpha_m=0.0, alpha_f=0.6), "violates alpha_f <= 1/2:"),
        (lambda: Scheme.generalised_alpha(alpha_m=-0.5, alpha_f=-0.1), "violates 0 <= alpha_f:"),
        (lambda: Scheme.generalised_alpha(alpha_m=-0.5, alpha_f=0.5, v0=True), r"not rho_s <= rho_min \(1 > 0\)"),
    ],
)
def test_bad_parameters_of_classical_methods(call, match):
    with pytest.raises(SchemeError, match=match):
        call()


def test_parameters_of_schemes_of_another_form():
    with pytest.raises(SchemeError, match=r"'V0\(0, 0, 0\)' is not of generalised-alpha form: 2 W2L2 = W1 fails"):
        alpha_parameters(Scheme.V0(0, 0, 0))
    with pytest.raises(SchemeError, match=r"is not of V0 form: W2L5 = 2 W2L2 l5 fails[\s\S]*hint: implicit members"):
        v0_parameters(Scheme.central_difference())
    with pytest.raises(SchemeError, match=r"W2L5 = W1 l5 fails \(0 against 0\.5\)"):
        newmark_parameters(Scheme.central_difference())
    with pytest.raises(SchemeError, match=r"is not a Newmark method: W1L6 = 1\.5 and W1 = 1 must both be 1"):
        newmark_parameters(Scheme.wbz(1 / 3))


@pytest.mark.parametrize(
    ("scheme", "match"),
    [
        (Scheme.V0(0.5, 0.8, 0.2), r"rho_max must be 1, it is 0\.8[\s\S]*nearest admissible member is Scheme\.V0\(0\.5, 1, 0\.2\)"),
        (Scheme.U0(0.5, 0.8, 0.5), r"rho_max must be 1[\s\S]*Scheme\.optimal\(0\.5\)"),
        (Scheme.U0(0.6, 1, 0.2), r"needs rho_s = rho_min, it has rho_s = 0\.2 and rho_min = 0\.6[\s\S]*Scheme\.optimal\(0\.4\)"),
        (Scheme.newmark(), r"rho = 0, rho_s = 1 violate 0 <= rho_s <= rho <= 1[\s\S]*FirstOrderScheme\.crank_nicolson\(\)"),
        (Scheme(**(OWN | {"W2L5": 0.4})), r"W2L5 must be W1 l5 = 0\.5 or 0, it is 0\.4"),
        (Scheme(**(OWN | {"W1": 1.5, "l5": 0.0})), "must be positive"),
    ],
    ids=str,
)  # fmt: skip
def test_members_without_first_order_counterpart(scheme, match):
    with pytest.raises(SchemeError, match="does not adapt to first-order systems: [^\n]*" + match):
        scheme.first_order()


def test_first_order_accuracy_does_not_adapt():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        s = Scheme.newmark(0.3025, 0.6)
    with pytest.raises(SchemeError, match=r"its coefficients are first order only[\s\S]*GS4_1\(0\.666667, 0\)"):
        s.first_order()


def test_gs4_1_radii_out_of_order():
    match = r"GS4_1\(rho=0\.2, rho_s=0\.7\) violates .* not rho_s <= rho \(0\.7 > 0\.2\)[\s\S]*GS4_1\(0\.7, 0\.2\)\?"
    with pytest.raises(SchemeError, match=match):
        FirstOrderScheme.GS4_1(0.2, 0.7)
    with pytest.raises(SchemeError, match=r"For Crank-Nicolson, call FirstOrderScheme\.crank_nicolson\(\)"):
        FirstOrderScheme.GS4_1(0, 1)
    with pytest.raises(SchemeError, match="rho must be finite and greater than -1"):
        FirstOrderScheme.GS4_1(math.nan, 0)
    with pytest.raises(SchemeError, match="W2L5 must not be negative"):
        FirstOrderScheme(W1=1.0, W2L5=-1.0, W1L6=1.5, l5=1.0)


@pytest.mark.parametrize(("Omega", "xi"), [(-1.0, 0.0), (math.inf, 0.0), (1.0, -0.1)])
def test_bad_frequency(Omega, xi):
    match = r"Omega and xi must be finite and not negative[\s\S]*hint: roots_at_infinity"
    with pytest.raises(InputError, match=match):
        amplification_matrix(Scheme.newmark(), Omega, xi)

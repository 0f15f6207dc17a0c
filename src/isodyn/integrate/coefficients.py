"""From a scheme to the numbers of the step, for the run and for its first step."""

from __future__ import annotations

from isodyn.compiled import Coefficients
from isodyn.schemes import FirstOrderScheme, Scheme


def coefficients(scheme: Scheme | FirstOrderScheme) -> Coefficients:
    """The numbers that the step works with; a first-order scheme has none for q."""
    if isinstance(scheme, FirstOrderScheme):
        return Coefficients(scheme.W1, 0.0, 0.0, scheme.W2L5, scheme.W1L6, 0.0, scheme.l5, scheme.phi)
    return Coefficients(*(float(getattr(scheme, name)) for name in Coefficients._fields))


def starting_scheme(scheme: Scheme | FirstOrderScheme) -> Scheme | FirstOrderScheme:
    """What takes the first step: the midpoint member, explicit in position and velocity where the scheme is.

    A scheme with φ = 0 carries the acceleration at t_n itself and starts on its own.
    """
    if abs(scheme.phi) < 1e-14:
        return scheme
    if isinstance(scheme, FirstOrderScheme):
        return FirstOrderScheme.GS4_1(1.0, 1.0, explicit=scheme.W2L5 == 0.0)
    return Scheme.U0(1.0, 1.0, 1.0, eta=(int(scheme.W3L3 != 0.0), int(scheme.W2L5 != 0.0), int(scheme.l3 != 0.0)))

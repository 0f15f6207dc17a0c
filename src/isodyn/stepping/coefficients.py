"""From a scheme to the numbers of the step, for the run and for its first step."""

from __future__ import annotations

from functools import lru_cache

from isodyn.kernels.compiled import Coefficients
from isodyn.schemes import FirstOrderScheme, Scheme


@lru_cache(maxsize=64)
def coefficients(scheme: Scheme | FirstOrderScheme) -> Coefficients:
    """The numbers that the step works with; a first-order scheme has none for q."""
    if isinstance(scheme, FirstOrderScheme):
        return Coefficients(scheme.W1, 0.0, 0.0, scheme.W2L5, scheme.W1L6, 0.0, scheme.l5, scheme.phi)
    return Coefficients(*(float(getattr(scheme, name)) for name in Coefficients._fields))


MIDPOINT = 1e-14  # |W₁ − ½| of schemes whose motion is the midpoint rule


@lru_cache(maxsize=64)
def starting_scheme(scheme: Scheme | FirstOrderScheme) -> Scheme | FirstOrderScheme:
    """What takes the first step: a member with φ = 0, explicit in position and velocity where the
    scheme is.

    It is the trapezoidal rule, U0(1, 1, 0), whose balance holds at t₁ itself: forces of stiff parts
    are right from the first row on. Schemes that move by the midpoint rule (W₁ = ½: V0(1, 1, ρ))
    start with the midpoint member U0(1, 1, 1), which keeps what they keep. A scheme with φ = 0
    carries the acceleration at t_n itself and starts on its own.
    """
    if abs(scheme.phi) < 1e-14:
        return scheme
    midpoint = abs(scheme.W1 - 0.5) < MIDPOINT
    if isinstance(scheme, FirstOrderScheme):
        if midpoint:
            return FirstOrderScheme.GS4_1(1.0, 1.0, explicit=scheme.explicit)
        return FirstOrderScheme.GS4_1(0.0, 1.0, explicit=True) if scheme.explicit else FirstOrderScheme.crank_nicolson()
    eta = (int(scheme.W3L3 != 0.0), int(scheme.W2L5 != 0.0), int(scheme.l3 != 0.0))
    return Scheme.U0(1.0, 1.0, 1.0 if midpoint else 0.0, eta=eta)

"""The condition of the source for symplectic members of GS4-2.

    W1 = 1 - l3 / l5                                         with l3 = 0 for explicit members with eta3 = 0
    implicit   U0: rho_s (1 + rho_min + rho_max - rho_min rho_max) = 2      only U0(1, 1, 1)
               V0: rho_min rho_max = 1                                      V0(1, 1, rho_s)
    explicit   U0: rho_s = 0                   V0: rho_min = (1 - rho_max)/(1 + 3 rho_max)

Source: Shimada2014, (2.144)-(2.146), (2.170)-(2.172).
"""

from __future__ import annotations

from isodyn.schemes.gs4_2 import Scheme

TOLERANCE = 1e-12


def satisfies_symplectic_condition(s: Scheme) -> bool:
    """Return whether the coefficients satisfy the symplectic condition of the source.

    It is neither necessary nor sufficient for bounded energy.

    The condition is derived with a_n held fixed, while a_n itself depends on the state. Measured on
    Kepler's problem (eccentricity 0.3, dt = 0.02, 60 revolutions; E is the mean energy error over a
    revolution):

    - V0(1, 1, rho_s), U0(1, 1, 1) and central difference: E constant. The first two are the
      midpoint rule.
    - explicit U0(rho_min, rho_max, 0), (2.172a): E constant, since q follows the Stormer-Verlet
      recurrence; away from central difference v is read from a filtered a_n, so that (q, v) is not
      a symplectic pair.
    - explicit V0, (2.172b): E drifts steadily as dt^3, for V0(1/3, 1/3, 0.3) by three times its
      size; the spectral radius is below one (0.998 at Omega = 0.5). Only V0(0, 1, rho_s), where
      W2L2 = 1/2 too, does not dissipate.
    - U0(1, 1, rho_s), implicit or explicit, and explicit V0(rho, 1, 1) fail the condition, yet E is
      constant; the implicit ones are the trapezoidal rule for the interpolated values q~, v~, a~.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    satisfied
        Whether (2.144), or (2.170) for explicit members, holds.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import satisfies_symplectic_condition
    >>> satisfies_symplectic_condition(iso.Scheme.midpoint_epa()), satisfies_symplectic_condition(iso.Scheme.newmark())
    (True, False)
    """
    if s.l5 == 0.0:
        return False
    return abs(s.W1 - (1.0 - s.l3 / s.l5)) <= TOLERANCE  # [Shimada2014 (2.144), (2.170)]

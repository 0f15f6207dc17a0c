"""How accurate multipliers and accelerations of position level (index 3) are with a scheme.

In the constrained direction q = 0 closes every step, and v and a follow a recursion with two roots
(`position_level_roots`); multipliers at t_{n+1} come from those at the balance with the root
1 − 1/W₁ besides. The start leaves an alternating part of first order there. Where all roots lie
inside the unit circle it fades; a root −1 keeps it, and two of them leave no order where v₀ ≠ 0.
"""

from __future__ import annotations

import warnings

import numpy as np

from isodyn.errors import AccuracyWarning
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.schemes.spectral import position_level_roots

UNDAMPED = 1e-6  # roots nearer to the unit circle than this are on it


def warn_weak(scheme: Scheme | FirstOrderScheme) -> None:
    """What the multipliers of position level do with this scheme, by its roots in the constrained
    direction."""
    assert isinstance(scheme, Scheme)
    sizes = np.abs(position_level_roots(scheme))
    undamped = int((sizes > 1.0 - UNDAMPED).sum())
    with_lam = undamped + (abs(1.0 - 1.0 / scheme.W1) > 1.0 - UNDAMPED)
    if undamped == 0:
        does = "first order in the transient after every start, "
        does += f"which {scheme.name} damps by {sizes.max(initial=0.0):.2g} a step, and second order after it"
    elif with_lam == 1:
        does = f"first order for all time with {scheme.name}: an alternating part has the root -1 and is not damped"
    else:
        does = f"worse than first order with {scheme.name}: two roots are -1, and they oscillate without end where v0 is not 0"
    warnings.warn(
        f"multipliers and accelerations of position level (index 3) are {does}\n"
        "hint: Stabilised() keeps the same constraint and is second order in all variables; here only U0 with rho_max < 1 is damped",
        AccuracyWarning,
        stacklevel=5,
    )

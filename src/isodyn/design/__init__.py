"""What gradients of runs are for: fits to measured data, designs, periodic motions and their
stability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.later import names_from

if TYPE_CHECKING:
    from isodyn.design.estimate import Fit
    from isodyn.design.fitting import fit
    from isodyn.design.lyapunov import lyapunov_exponents
    from isodyn.design.optimum import Optimum, optimise
    from isodyn.design.orbits import Orbit, floquet, periodic_orbit
    from isodyn.design.trials import Constraint

__all__ = [
    "Constraint",
    "Fit",
    "Optimum",
    "Orbit",
    "fit",
    "floquet",
    "lyapunov_exponents",
    "optimise",
    "periodic_orbit",
]

_HOMES = {
    **dict.fromkeys(("Optimum", "optimise"), "optimum"),
    **dict.fromkeys(("Orbit", "floquet", "periodic_orbit"), "orbits"),
    "lyapunov_exponents": "lyapunov",
}
__getattr__ = names_from(__name__, {"Constraint": "trials", "Fit": "estimate", "fit": "fitting", **_HOMES})

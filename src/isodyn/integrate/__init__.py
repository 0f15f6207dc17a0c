"""From a system and a scheme to a solution."""

from isodyn.integrate.adaptive import integrate_adaptive
from isodyn.integrate.driver import Newton, integrate
from isodyn.integrate.ensemble import ensemble

__all__ = ["Newton", "ensemble", "integrate", "integrate_adaptive"]

"""From a system and a scheme to a solution."""

from isodyn.integrate.driver import integrate
from isodyn.integrate.newton_settings import Newton

__all__ = ["Newton", "integrate"]

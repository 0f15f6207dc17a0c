"""From a system and a scheme to a solution."""

from isodyn.integrate.driver import Newton, integrate

__all__ = ["Newton", "integrate"]

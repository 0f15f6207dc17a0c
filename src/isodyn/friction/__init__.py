"""Coulomb friction on constraints. The laws at one instant are in `isodyn.gauss`, contacts that
open and close in `isodyn.joints`."""

from isodyn.friction.two_sided import with_friction

__all__ = ["with_friction"]

"""Motion with Coulomb friction: modes, switches, works. The laws at one instant are in
`isodyn.gauss`."""

from isodyn.friction.run import integrate_with_friction
from isodyn.friction.solution import FrictionSolution, Phase, Switch
from isodyn.friction.two_sided import with_friction

__all__ = ["FrictionSolution", "Phase", "Switch", "integrate_with_friction", "with_friction"]

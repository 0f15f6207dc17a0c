"""What is integrated: physics only, nothing about time steps."""

from isodyn.systems.base import System, is_system
from isodyn.systems.compiled_system import CompiledSystem, PythonSystem
from isodyn.systems.description import Description, as_system
from isodyn.systems.first_order import FirstOrderSystem
from isodyn.systems.implicit import ImplicitSystem
from isodyn.systems.linear import LinearFirstOrderSystem, LinearSystem
from isodyn.systems.mechanical import MechanicalSystem

__all__ = [
    "CompiledSystem",
    "Description",
    "FirstOrderSystem",
    "ImplicitSystem",
    "LinearFirstOrderSystem",
    "LinearSystem",
    "MechanicalSystem",
    "PythonSystem",
    "System",
    "as_system",
    "is_system",
]

"""Rigid bodies, their shapes, and rotations."""

from isodyn.bodies.angles import BRYANT_123, CARDAN_321, EULER_313, AngleSet
from isodyn.bodies.body import GROUND, Body
from isodyn.bodies.rotations import quaternion_of

__all__ = ["BRYANT_123", "CARDAN_321", "EULER_313", "GROUND", "AngleSet", "Body", "quaternion_of"]

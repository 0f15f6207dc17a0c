"""Rigid bodies and rotations."""

from isodyn.bodies.body import GROUND, Body
from isodyn.bodies.rotations import quaternion_of

__all__ = ["GROUND", "Body", "quaternion_of"]

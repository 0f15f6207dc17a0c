"""Mechanisms without loops in the coordinates of their joints: no constraints, no multipliers.

It stands above `mechanism`, whose parts, tables and systems it reads, and above `results`, whose
solutions it lifts; everything that runs a system lies higher, and knows it as a system like others.
"""

from isodyn.trees.system import TreeSystem, joint_coordinates

__all__ = ["TreeSystem", "joint_coordinates"]

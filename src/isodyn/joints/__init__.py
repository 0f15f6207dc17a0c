"""Joints: kinematic pairs, drives, couplings, rolling."""

from isodyn.joints.couplings import Coupling, Drive, Gear, Pulley
from isodyn.joints.joint import Joint
from isodyn.joints.pairs import Cylindrical, Fixed, Hinge, Planar, Prismatic, Screw
from isodyn.joints.point_pairs import Distance, PointOnPlane, Spherical, Universal
from isodyn.joints.rails import RollingEllipsoid, WheelOnRail
from isodyn.joints.rolling import RollingDisc, RollingSphere
from isodyn.joints.user import UserRows

__all__ = [
    "Coupling",
    "Cylindrical",
    "Distance",
    "Drive",
    "Fixed",
    "Gear",
    "Hinge",
    "Joint",
    "Planar",
    "PointOnPlane",
    "Prismatic",
    "Pulley",
    "RollingDisc",
    "RollingEllipsoid",
    "RollingSphere",
    "Screw",
    "Spherical",
    "Universal",
    "UserRows",
    "WheelOnRail",
]

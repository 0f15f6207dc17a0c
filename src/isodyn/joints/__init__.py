"""Joints: kinematic pairs, drives, couplings, rolling; contacts."""

from isodyn.joints.couplings import Coupling, Drive, Gear, Pulley
from isodyn.joints.dry import DryJoint
from isodyn.joints.edged_on_planes import CylinderPlane, DiscPlane, PolygonPlane
from isodyn.joints.joint import Joint
from isodyn.joints.meshes import CapsuleMesh, MeshContact, SphereMesh
from isodyn.joints.on_balls import Journal, SphereBox, SphereCapsule, SphereSphere
from isodyn.joints.on_planes import BoxPlane, CapsulePlane, PointPlane, SpherePlane, WheelProfile
from isodyn.joints.pairs import Cylindrical, Fixed, Hinge, Planar, Prismatic, Screw
from isodyn.joints.point_pairs import Distance, PointOnPlane, Spherical, Universal
from isodyn.joints.rails import RollingEllipsoid, WheelOnRail
from isodyn.joints.rolling import RollingDisc, RollingSphere
from isodyn.joints.stops import JointStop
from isodyn.joints.user import UserRows

__all__ = [
    "BoxPlane",
    "CapsuleMesh",
    "CapsulePlane",
    "Coupling",
    "CylinderPlane",
    "Cylindrical",
    "DiscPlane",
    "Distance",
    "Drive",
    "DryJoint",
    "Fixed",
    "Gear",
    "Hinge",
    "Joint",
    "JointStop",
    "Journal",
    "MeshContact",
    "Planar",
    "PointOnPlane",
    "PointPlane",
    "PolygonPlane",
    "Prismatic",
    "Pulley",
    "RollingDisc",
    "RollingEllipsoid",
    "RollingSphere",
    "Screw",
    "SphereBox",
    "SphereCapsule",
    "SphereMesh",
    "SpherePlane",
    "SphereSphere",
    "Spherical",
    "Universal",
    "UserRows",
    "WheelOnRail",
    "WheelProfile",
]

"""Small mechanisms that the tests of coordinate choices share."""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.bodies.angles import EULER_313
from isodyn.joints import Hinge, RollingSphere, Spherical
from isodyn.loads import Drag, Force, JointSpring, Sine
from isodyn.mechanism.mechanism import Mechanism

CHOICES: tuple[Any, ...] = ("euler-parameters", "euler-313", "cardan-321", "bryant-123")


def free_body() -> Mechanism:
    """An asymmetric body, tumbling."""
    mech = Mechanism()
    x = [0.4, 1.0, -0.3]
    mech.add_body(
        "stone",
        2.0,
        [[0.5, 0.05, 0], [0.05, 0.8, 0.1], [0, 0.1, 1.1]],
        (1, 2, 3),
        EULER_313.quaternion(x),
        (1, 0, 2),
        (1.0, 0.4, 1.5),
    )
    return mech


def heavy_top() -> Mechanism:
    """A top on its tip, nutating."""
    mech = Mechanism()
    x, centre, omega = [0.2, 0.6, 0.1], np.array([0.0, 0.0, 0.3]), np.array([0.8, 0.5, 12.0])
    R = EULER_313.matrix(x)
    mech.add_body("top", 1.5, (0.06, 0.07, 0.03), R @ centre, R, R @ np.cross(omega, centre), omega)
    mech.add_joint(Spherical("tip", "ground", "top", point=(0, 0, 0)))
    return mech


def two_hinged() -> Mechanism:
    """An arm on an inclined pin, another hinged to it, a spring and a driving force."""
    mech = Mechanism()
    x = EULER_313.quaternion([0.3, 1.2, 0.2])
    mech.add_body("upper", 1.0, (0.02, 0.1, 0.11), (0.5, 0, 0), x)
    mech.add_body("lower", 0.8, (0.03, 0.07, 0.08), (1.0, 0.4, 0.1), x)
    mech.add_joint(Hinge("shoulder", "ground", "upper", point=(0, 0, 0), axis=(0.1, 1, 0.2)))
    mech.add_joint(Hinge("elbow", "upper", "lower", point=(1.0, 0, 0), axis=(0.3, 0.2, 1)))
    mech.add_load(JointSpring("spring", "elbow", 4.0, 0.2))
    mech.add_load(Force("push", "lower", (0.0, 3.0, 1.0), (1.0, 0.8, 0.2), time=Sine(1.0, 5.0)))
    return mech


def mixed() -> Mechanism:
    """A rolling ball (nonholonomic), a planar wheel on a pin, a particle in air: one of each
    kind."""
    mech = Mechanism()
    e = EULER_313.quaternion([0.1, 1.3, 0.4])
    mech.add_body("wheel", 1.0, 0.3, (0.2, -0.1, 0), 0.3, angular_velocity=2.0, kind="planar", velocity=(0.4, 0.0, 0))
    mech.add_body("ball", 1.2, (0.05, 0.06, 0.07), (0, 0, 0.4), e, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    mech.add_body("dust", 0.01, position=(1, 1, 2), velocity=(1, 0, 0), kind="particle")
    mech.add_joint(RollingSphere("floor", "ball", radius=0.4))
    mech.add_joint(Hinge("pin", "ground", "wheel", point=(0.2, 0.1, 0)))
    mech.add_load(Drag("air", "dust", 0.02))
    mech.add_load(Force("wind", "ball", (0.3, 0.2, 0.0), (0.1, 0.0, 0.7)))
    return mech


MECHANISMS = {"free body": free_body, "heavy top": heavy_top, "two hinged": two_hinged, "mixed": mixed}

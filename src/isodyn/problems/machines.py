"""Machines: a wheel suspension on a moving road, and a robot arm with drives and a motor."""

from __future__ import annotations

from math import pi
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from isodyn.joints import Distance, Drive, Hinge, Prismatic, Spherical
from isodyn.loads import JointSpring, Motor, Sine, Spring
from isodyn.mechanism.mechanism import Mechanism
from isodyn.problems.problem import Problem
from isodyn.schemes import Scheme

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem


def suspension(height: float, frequency: float) -> MechanismSystem:
    """A quarter of a car on a double wishbone: chassis, two arms, upright, wheel, tie rod, strut,
    tyre; the road goes up and down.

    x forward, y to the wheel, z up. Freedom: chassis, wheel travel, wheel spin.
    """
    hub = np.array([0.0, 0.75, 0.30])
    # balls of the upright
    lower, upper = np.array([0.0, 0.68, 0.18]), np.array([-0.02, 0.63, 0.46])
    mech = Mechanism(gravity=(0.0, 0.0, -9.81))
    mech.add_body("road", 50.0, (5.0, 5.0, 5.0), (0.0, 0.75, 0.0))
    mech.add_body("chassis", 320.0, (40.0, 60.0, 60.0), (0.0, 0.2, 0.5))
    mech.add_body("lower arm", 5.0, (0.05, 0.08, 0.12), (0.0, 0.5, 0.18))
    mech.add_body("upper arm", 3.0, (0.03, 0.04, 0.06), (-0.01, 0.48, 0.44))
    mech.add_body("upright", 8.0, (0.1, 0.09, 0.05), (0.0, 0.68, 0.30))
    mech.add_body("wheel", 18.0, (0.5, 0.9, 0.5), hub, angular_velocity=(0.0, 60.0, 0.0))
    mech.add_joint(Prismatic("lift", "ground", "road", point=(0.0, 0.75, 0.0), axis=(0.0, 0.0, 1.0)))
    mech.add_joint(Drive("bumps", "lift", Sine(0.5 * height, frequency, -0.5 * pi, 0.5 * height)))
    mech.add_joint(Prismatic("body guide", "ground", "chassis", point=(0.0, 0.2, 0.5), axis=(0.0, 0.0, 1.0)))
    mech.add_joint(Hinge("lower hinge", "chassis", "lower arm", point=(0.0, 0.32, 0.19), axis=(1.0, 0.0, 0.02)))
    mech.add_joint(Hinge("upper hinge", "chassis", "upper arm", point=(0.0, 0.36, 0.42), axis=(1.0, 0.05, 0.06)))
    mech.add_joint(Spherical("lower ball", "lower arm", "upright", point=lower))
    mech.add_joint(Spherical("upper ball", "upper arm", "upright", point=upper))
    mech.add_joint(Distance("tie rod", "chassis", "upright", points=((0.13, 0.33, 0.22), (0.13, 0.66, 0.22))))
    mech.add_joint(Hinge("hub", "upright", "wheel", point=hub, axis=(0.0, 1.0, 0.0)))
    mech.add_load(
        Spring("strut", "chassis", "lower arm", ((0.0, 0.45, 0.62), (0.0, 0.55, 0.17)), 55e3, 4.0e3, rest=0.55)
    )
    mech.add_load(Spring("tyre", "road", "upright", ((0.0, 0.75, 0.0), hub), 200e3, 300.0, rest=0.318))
    return mech.compile()


def robot_arm(reach: float, frequency: float) -> MechanismSystem:
    """Column, upper arm and forearm with a payload: the column and the shoulder are driven, the
    elbow has a motor and a servo.

    The drives swing by `reach`, starting smoothly from rest.
    """
    swing = Sine(0.5 * reach, frequency, -0.5 * pi, 0.5 * reach)
    mech = Mechanism(gravity=(0.0, 0.0, -9.81))
    mech.add_body("column", 12.0, (0.3, 0.3, 0.1), (0.0, 0.0, 0.25))
    mech.add_body("upper arm", 6.0, (0.01, 0.13, 0.13), (0.25, 0.05, 0.5))
    mech.add_body("forearm", 3.0, (0.005, 0.04, 0.04), (0.7, 0.0, 0.5))
    mech.add_body("wrist", 1.0, (0.002, 0.002, 0.001), (0.95, 0.0, 0.5))
    mech.add_joint(Hinge("base", "ground", "column", point=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    mech.add_joint(Hinge("shoulder", "column", "upper arm", point=(0.0, 0.05, 0.5), axis=(0.0, 1.0, 0.0)))
    mech.add_joint(Hinge("elbow", "upper arm", "forearm", point=(0.5, 0.0, 0.5), axis=(0.0, 1.0, 0.0)))
    mech.add_joint(Hinge("roll", "forearm", "wrist", point=(0.9, 0.0, 0.5), axis=(1.0, 0.0, 0.0)))
    mech.add_joint(Drive("base drive", "base", swing))
    mech.add_joint(Drive("shoulder drive", "shoulder", swing))
    mech.add_load(Motor("elbow motor", "elbow", torque=Sine(4.0, frequency, offset=-9.81 * (3.0 * 0.2 + 0.45))))
    mech.add_load(JointSpring("elbow servo", "elbow", stiffness=80.0, damping=6.0))
    mech.add_load(Motor("roll motor", "roll", speed=3.0, gain=0.02))
    return mech.compile()


SUSPENSION = Problem(
    name="suspension",
    title="double wishbone with strut and tyre on a moving road",
    source="numbers of a middle-sized car",
    build=suspension,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.001,
    t_end=3.0,
    t_order=0.1,
    parameters=MappingProxyType({"height": 0.05, "frequency": 10.0}),
    units=("s", "m, –"),
)
ROBOT_ARM = Problem(
    name="robot_arm",
    title="robot arm with two drives and two motors",
    source="numbers of a small industrial arm",
    build=robot_arm,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.002,
    t_end=3.0,
    t_order=0.4,
    parameters=MappingProxyType({"reach": 0.8, "frequency": 3.0}),
    units=("s", "m, –"),
)

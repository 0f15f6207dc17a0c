"""Random mechanisms without loops: bodies turned and offset, joints between them in any order and
with their bodies exchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import isodyn as iso

JOINTS: dict[str, Any] = {
    "h": lambda name, two, at: iso.Hinge(name, *two, point=at.point, axis=at.axis, start=0.4),
    "s": lambda name, two, at: iso.Prismatic(name, *two, point=at.point, axis=at.along, start=0.2),
    "f": lambda name, two, at: iso.Fixed(name, *two, point=at.point),
    "b": lambda name, two, at: iso.Spherical(name, *two, point=at.point),
    "c": lambda name, two, at: iso.Cylindrical(name, *two, point=at.point, axis=at.axis),
    "p": lambda name, two, at: iso.Planar(name, *two, point=at.point, axis=at.axis),
    "u": lambda name, two, at: iso.Universal(name, *two, point=at.point, axis=at.axis, second_axis=at.across),
}


class Place:
    """A random place of a joint."""

    def __init__(self, random: Any, planar: bool) -> None:
        self.point, self.along, other = random.normal(size=(3, 3))
        self.axis = np.array([0.0, 0.0, 1.0]) if planar else self.along
        self.across = np.cross(self.along, other)
        if planar:
            self.point[2] = self.along[2] = 0.0


def tree(joints: str, parents: list[int], exchanged: str, *, planar: bool = False, free: bool = False) -> iso.Mechanism:
    """Bodies b0, b1, …, each on a joint j0, j1, … (letters of JOINTS) of its parent, −1 the ground.

    Joints of which `exchanged` has a 1 name the outer body first. They are added in the opposite
    order. A `free` tree leaves the first out.
    """
    random = np.random.default_rng(len(joints) + sum(map(ord, joints)))
    mech = iso.Mechanism(gravity=(0.3, -9.81, 0.0) if planar else (0.3, -1.0, -9.81))
    for k in range(len(joints)):
        mass, J, R = random.uniform(0.5, 2.0), random.uniform(0.1, 1.0), Rotation.from_rotvec(random.normal(size=3))
        r, centre = random.normal(size=(2, 3))
        if planar:
            r[2] = centre[2] = 0.0
            mech.add_body(f"b{k}", mass, J, r, 0.7 * k, kind="planar", centre_of_mass=0.3 * centre)
        else:
            E = R.as_matrix()
            inertia = E @ np.diag([2.0, 2.5, 3.0]) @ E.T * J
            mech.add_body(f"b{k}", mass, inertia, r, R * R, centre_of_mass=0.3 * centre)
    made = []
    for k, letter in enumerate(joints):
        two = ["ground" if parents[k] < 0 else f"b{parents[k]}", f"b{k}"]
        made.append(JOINTS[letter](f"j{k}", two[::-1] if exchanged[k] == "1" else two, Place(random, planar)))
    for joint in reversed(made[1:] if free else made):
        mech.add_joint(joint)
    return mech

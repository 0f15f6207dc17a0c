"""Rows of all joints of a mechanism, in order, and what belongs to which joint."""

from __future__ import annotations

from dataclasses import replace

from isodyn.errors import about
from isodyn.joints.cables import refuse_twist
from isodyn.joints.part import JointPart
from isodyn.joints.words import Row
from isodyn.mechanism.system import JointParts
from isodyn.mechanism.world import World


def rows_of(world: World) -> tuple[dict[str, JointParts], list[Row]]:
    """All rows, holonomic ones first, and what belongs to which joint; `world` gets to know the
    joints.

    Joints that work on others are built after them, but their rows stand where they were added.
    """
    parts = world.parts
    corners = [joint for beam in parts.beams.values() for joint in beam.corner_joints]
    given = [*corners, *(joint for joint in parts.joints.values() if isinstance(joint, JointPart))]
    bodies = parts.all_bodies()
    for joint in sorted(given, key=lambda joint: joint.names_joints()):
        with about(joint.name):
            built = joint.build(world)
            refuse_twist(joint.what, (word for row in built.rows for _, word in row.terms), bodies)
        world.joints[joint.name] = built
    rows = [replace(row, joint=joint.name) for joint in given for row in world.joints[joint.name].rows]
    rows = [row for row in rows if row.holonomic] + [row for row in rows if not row.holonomic]
    numbers: dict[str, list[int]] = {name: [] for name in world.joints}
    for r, row in enumerate(rows):
        numbers[row.joint].append(r)
    joints = {
        name: JointParts(name, built.pair, tuple(numbers[name]), built.coordinates, built.action, built.symbol)
        for name, built in world.joints.items()
    }
    return joints, rows

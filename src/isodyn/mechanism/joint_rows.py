"""Rows of all joints of a mechanism, in order, and what belongs to which joint."""

from __future__ import annotations

from typing import Any

from isodyn.errors import InputError
from isodyn.joints.cables import refuse_twist
from isodyn.joints.couplings import Coupling, Drive, Gear, Pulley, RollingDisc, RollingSphere, ground_body
from isodyn.joints.pairs import Joint, between_points, length_of
from isodyn.joints.user import UserRows
from isodyn.joints.words import Row, Word
from isodyn.mechanism.parts import Parts, Rows
from isodyn.mechanism.system import JointParts


def rows_of(parts: Parts) -> tuple[dict[str, JointParts], list[Row]]:
    """All rows, holonomic ones first, and what belongs to which joint."""
    found: dict[str, tuple[Any, list[Row], dict[str, Word]]] = {}
    later: list[Drive | Coupling | Gear] = []
    bodies = parts.all_bodies()
    corners: dict[str, Rows] = {joint.name: joint for beam in parts.beams.values() for joint in beam.corner_joints}
    for joint in (*corners.values(), *parts.joints.values()):
        if isinstance(joint, UserRows):
            continue
        if isinstance(joint, Joint):
            pair = joint.pair(parts.body(joint.first), parts.body(joint.second))
            rows = joint.rows(pair)
            refuse_twist(f"joint {joint.name!r}", (word for row in rows for _, word in row.terms), bodies)
            found[joint.name] = (pair, rows, joint.coordinates(pair))
        elif isinstance(joint, RollingSphere | RollingDisc):
            found[joint.name] = (None, joint.rows(parts.body(joint.body), ground_body()), {})
        elif isinstance(joint, Pulley):
            found[joint.name] = (None, [_rope(parts, joint)], {})
        else:
            later.append(joint)
    made = {name: JointParts(name, pair, (), coordinates) for name, (pair, _, coordinates) in found.items()}
    for joint in later:
        found[joint.name] = (None, [_coupled(parts, made, joint)], {})
        made[joint.name] = JointParts(joint.name, None, ())
    ordered = [(name, row) for name in (*corners, *parts.joints) if name in found for row in found[name][1]]
    ordered = [x for x in ordered if x[1].holonomic] + [x for x in ordered if not x[1].holonomic]
    joints = {
        name: JointParts(
            name, part.pair, tuple(r for r, (owner, _) in enumerate(ordered) if owner == name), part.coordinates
        )
        for name, part in made.items()
    }
    return joints, [row for _, row in ordered]


def _coupled(parts: Parts, made: dict[str, JointParts], joint: Drive | Coupling | Gear) -> Row:
    if isinstance(joint, Drive):
        return joint.row(coordinate(made, f"drive {joint.name!r}", joint.joint, joint.coordinate))
    coupling = joint.as_coupling() if isinstance(joint, Gear) else joint
    coupling.check()
    terms, start = [], 0.0
    for key, weight in coupling.weights.items():
        name, which = key if isinstance(key, tuple) else (key, None)
        word = coordinate(made, f"coupling {coupling.name!r}", name, which)
        terms.append((float(weight), word))
        start += float(weight) * _value(parts, word)
    return coupling.row(terms, start)


def _rope(parts: Parts, pulley: Pulley) -> Row:
    pulley.check()
    terms, start = [], 0.0
    for name, weight, point, over in zip(
        (pulley.first, pulley.second), (1.0, float(pulley.ratio)), pulley.points, pulley.over, strict=True
    ):
        pair = between_points(pulley.name, ground_body(), parts.body(name), (over, point))
        terms.append((weight, pair.length_word()))
        start += weight * length_of(pair)
    return Row(f"{pulley.name}: rope", tuple(terms), target=start)


def _value(parts: Parts, word: Word) -> float:
    """A measure at the start."""
    from isodyn.mechanism.kinematics import value_at_start

    return value_at_start(word, parts.body(word.first), parts.body(word.second))


def coordinate(made: dict[str, JointParts], what: str, joint: str, which: str | None) -> Word:
    """The measure that a coordinate of a joint is."""
    known = made[joint].coordinates if joint in made else {}
    if not known:
        raise InputError(
            f"{what}: joint {joint!r} has no coordinate to act on", hint="hinges and prismatic joints have one"
        )
    if which is None:
        return next(iter(known.values()))
    if which not in known:
        raise InputError(f"{what}: joint {joint!r} has no coordinate {which!r}", hint=f"it has {', '.join(known)}")
    return known[which]

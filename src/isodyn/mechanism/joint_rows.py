"""Rows of all joints of a mechanism, in order, and what belongs to which joint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from isodyn.errors import InputError, about
from isodyn.joints.cables import refuse_twist
from isodyn.joints.couplings import Coupling, Drive, Gear, Pulley, RollingDisc, RollingSphere, ground_body, joined
from isodyn.joints.pairs import Joint, between_points, length_of
from isodyn.joints.user import UserRows
from isodyn.joints.words import Pair, Row, RowKind, Word
from isodyn.mechanism.actions import Action, of_couplings, of_pair, of_rolling, of_rope
from isodyn.mechanism.parts import Parts, Rows
from isodyn.mechanism.system import JointParts


def rows_of(parts: Parts) -> tuple[dict[str, JointParts], list[Row]]:
    """All rows, holonomic ones first, and what belongs to which joint."""
    found: dict[str, tuple[Any, list[Row], dict[str, Word], Action]] = {}
    later: list[Drive | Coupling | Gear] = []
    bodies = parts.all_bodies()
    corners: dict[str, Rows] = {joint.name: joint for beam in parts.beams.values() for joint in beam.corner_joints}
    for joint in (*corners.values(), *parts.joints.values()):
        if isinstance(joint, UserRows):
            continue
        if isinstance(joint, Joint):
            with about(joint.name):
                pair = joint.pair(parts.body(joint.first), parts.body(joint.second))
                rows = joint.rows(pair)
                refuse_twist(f"joint {joint.name!r}", (word for row in rows for _, word in row.terms), bodies)
            found[joint.name] = (pair, rows, joint.coordinates(pair), of_pair(pair))
        elif isinstance(joint, RollingSphere | RollingDisc):
            with about(joint.name):
                rows = joint.rows(parts.body(joint.body), ground_body())
            found[joint.name] = (None, rows, {}, of_rolling(rows))
        elif isinstance(joint, Pulley):
            with about(joint.name):
                row, ends = _rope(parts, joint)
            found[joint.name] = (None, [row], {}, of_rope(ends))
        else:
            later.append(joint)
    made = {name: JointParts(name, pair, (), words, action) for name, (pair, _, words, action) in found.items()}
    for joint in later:
        with about(joint.name):
            row, action = _coupled(parts, made, joint)
        found[joint.name] = (None, [row], {}, action)
        made[joint.name] = JointParts(joint.name, None, (), {}, action)
    ordered = [(name, row) for name in (*corners, *parts.joints) if name in found for row in found[name][1]]
    ordered = [x for x in ordered if x[1].holonomic] + [x for x in ordered if not x[1].holonomic]
    joints = {
        name: replace(part, rows=tuple(r for r, (owner, _) in enumerate(ordered) if owner == name))
        for name, part in made.items()
    }
    return joints, [row for _, row in ordered]


def _coupled(parts: Parts, made: dict[str, JointParts], joint: Drive | Coupling | Gear) -> tuple[Row, Action]:
    """The row of a drive or coupling, and where it acts."""
    if isinstance(joint, Drive):
        with about(joint.name, "joint" if joint.coordinate is None else "coordinate"):
            word = coordinate(made, f"drive {joint.name!r}", joint.joint, joint.coordinate)
        return joint.row(word), made[joint.joint].action
    coupling = joint.as_coupling() if isinstance(joint, Gear) else joint
    coupling.check()
    terms, pairs, start = [], [], 0.0
    for key, weight in coupling.weights.items():
        name, which = key if isinstance(key, tuple) else (key, None)
        with about(coupling.name, "between" if isinstance(joint, Gear) else ("weights", joined(key))):
            word = coordinate(made, f"coupling {coupling.name!r}", name, which)
        terms.append((float(weight), word))
        pairs.append(made[name].pair)
        start += float(weight) * _value(parts, word)
    return coupling.row(terms, start), of_couplings(pair for pair in pairs if pair is not None)


def _rope(parts: Parts, pulley: Pulley) -> tuple[Row, list[Pair]]:
    """The row of a rope, and its two ends."""
    pulley.check()
    terms, ends, start = [], [], 0.0
    for name, weight, point, over in zip(
        (pulley.first, pulley.second), (1.0, float(pulley.ratio)), pulley.points, pulley.over, strict=True
    ):
        pair = between_points(pulley.name, ground_body(), parts.body(name), (over, point))
        terms.append((weight, pair.length_word()))
        ends.append(pair)
        start += weight * length_of(pair)
    return Row(pulley.name, "rope", RowKind.LENGTH, tuple(terms), start), ends


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

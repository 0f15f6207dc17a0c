"""Loads by formulas: what the names in them stand for."""

from __future__ import annotations

from isodyn.errors import InputError, about
from isodyn.loads.elements import Input, Law
from isodyn.loads.formula import RATE, FormulaLoad, FormulaMotor, Tension, coordinate_of_body
from isodyn.mechanism.joint_rows import coordinate
from isodyn.mechanism.parts import Parts
from isodyn.mechanism.system import JointParts


def laws_by_formula(parts: Parts, joints: dict[str, JointParts], load: FormulaLoad) -> list[Law]:
    """Laws of a load by formulas; the names in them are bodies, places on beams and joints."""
    what = f"load {load.name!r}"

    def lookup(what: str, owner: str, name: str) -> Input:
        rate = name.endswith(RATE)
        if owner in joints:
            return Input(coordinate(joints, what, owner, name.removesuffix(RATE)), rate)
        parts.refuse_unknown(what, owner)
        found = coordinate_of_body(parts.body(owner), name)
        if found is None:
            raise InputError(
                f"{what}: {owner!r} has no coordinate {name!r}",
                hint="bodies have x, y, z, vx, vy, vz, wx, wy, wz; planar ones x, y, vx, vy, angle, angle_rate",
            )
        return found

    if isinstance(load, FormulaMotor):
        with about(None, "joint" if load.coordinate is None else "coordinate"):
            word = coordinate(joints, what, load.joint, load.coordinate)
        return load.laws_on(word, lookup)
    if isinstance(load, Tension):
        return load.laws(parts.body(load.first), parts.body(load.second), lookup)
    return load.laws(parts.body(load.body), lookup)

"""What joints and loads may ask of a mechanism while it is compiled: isodyn.joints.part.JointWorld,
isodyn.loads.part.LoadWorld."""

from __future__ import annotations

from dataclasses import dataclass, field

from isodyn.bodies.body import Body
from isodyn.errors import InputError
from isodyn.joints.part import JointRows
from isodyn.joints.words import Word
from isodyn.loads.formula_laws import RATE, coordinate_of_body
from isodyn.loads.part import Input
from isodyn.mechanism.parts import Parts
from isodyn.mechanism.point_rod_part import PointRodPart
from isodyn.mechanism.states import input_of_state
from isodyn.multibody.histories import value_at_start


@dataclass(eq=False)
class World:
    """Parts by name, and the joints that were built so far."""

    parts: Parts
    joints: dict[str, JointRows] = field(default_factory=dict)

    def body(self, name: str) -> Body:
        """A body, a node of a beam, or the ground."""
        return self.parts.body(name)

    def joint(self, name: str) -> JointRows:
        """A joint that was built before."""
        return self.joints[name]

    def coordinate(self, what: str, joint: str, which: str | None) -> Word:
        """The measure that a coordinate of a joint is."""
        known = self.joints[joint].coordinates if isinstance(joint, str) and joint in self.joints else {}
        if not known:
            raise InputError(
                f"{what}: joint {joint!r} has no coordinate to act on",
                hint="hinges, sliders, screws, universal and planar pairs, points on planes and distances have some",
            )
        if which is None:
            return next(iter(known.values()))
        if not isinstance(which, str) or which not in known:
            raise InputError(f"{what}: joint {joint!r} has no coordinate {which!r}", hint=f"it has {', '.join(known)}")
        return known[which]

    def value(self, word: Word) -> float:
        """A measure at the start."""
        return value_at_start(word, self.body(word.first), self.body(word.second))

    def lookup(self, what: str, owner: str, coordinate: str) -> Input:
        """A name in a formula: bodies, places on beams and joints have coordinates."""
        if owner in self.joints:
            rate = coordinate.endswith(RATE) and coordinate not in self.joints[owner].coordinates
            return Input(self.coordinate(what, owner, coordinate.removesuffix(RATE) if rate else coordinate), rate)
        if owner in self.parts.states:
            return input_of_state(what, self.parts.states[owner], coordinate)
        self.parts.refuse_unknown(what, owner, [*self.joints, *self.parts.states])
        found = coordinate_of_body(self.body(owner), coordinate)
        if found is None:
            raise InputError(
                f"{what}: {owner!r} has no coordinate {coordinate!r}",
                hint="bodies have x, y, z, vx, vy, vz, wx, wy, wz; planar ones x, y, vx, vy, angle, angle_rate",
            )
        return found

    def dimension(self, beam: str) -> int:
        """2 for a beam in the plane, 3 for a cable or rod in space."""
        return self.parts.rods[beam].dim if beam in self.parts.rods else self.parts.beams[beam].mesh.dim

    def has_axes(self, beam: str) -> bool:
        """Whether the nodes of a beam are bodies with axes of the cross-section."""
        return beam in self.parts.rods and not isinstance(self.parts.rods[beam], PointRodPart)

    def section(self, name: str) -> tuple[Body, ...]:
        """The points of a cross-section whose node is a point; nothing for all else."""
        node = self.body(name)
        for rod in self.parts.rods.values():
            if isinstance(rod, PointRodPart) and any(node.name == known.name for known in rod.nodes):
                return rod.section_at(node)
        return ()

"""Named parts of a mechanism: what a name stands for, and errors for names that are taken or
unknown."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from isodyn.bodies.body import GROUND, Body
from isodyn.described import counted
from isodyn.errors import InputError, about
from isodyn.joints.part import JointPart
from isodyn.joints.unilateral import ContactPart
from isodyn.joints.user import UserRows
from isodyn.joints.words import ground_body
from isodyn.loads.part import LoadPart
from isodyn.loads.user import UserLoad
from isodyn.mechanism.beam_part import BeamPart, place_on, resolve
from isodyn.mechanism.flexible_part import FlexiblePart
from isodyn.mechanism.rod_part import RodPart
from isodyn.parts import Part, Use, Value

if TYPE_CHECKING:
    from isodyn.mechanism.controllers import Controller
    from isodyn.mechanism.sensors import Sensor
    from isodyn.mechanism.states import ContinuousState

Rows = JointPart | UserRows
Loads = LoadPart | UserLoad


@dataclass(frozen=True, eq=False)
class Parts:
    """Bodies, joints, loads, beams and sensors by name."""

    bodies: dict[str, Body]
    joints: dict[str, Rows]
    loads: dict[str, Loads]
    beams: dict[str, BeamPart]
    sensors: dict[str, Sensor] = field(default_factory=dict)
    rods: dict[str, RodPart] = field(default_factory=dict)
    controllers: dict[str, Controller] = field(default_factory=dict)
    contacts: dict[str, ContactPart] = field(default_factory=dict)
    flexible: dict[str, FlexiblePart] = field(default_factory=dict)
    states: dict[str, ContinuousState] = field(default_factory=dict)

    def copied(self) -> Parts:
        """The same parts in lists of their own; parts themselves do not change."""
        return Parts(*(dict(getattr(self, field.name)) for field in fields(self)))

    def in_words(self) -> str:
        """How many there are of each kind."""
        kinds = (
            ("body", self.bodies),
            ("flexible body", self.flexible),
            ("beam", self.lines),
            ("joint", self.joints),
            ("load", self.loads),
        )
        known = [
            counted(len(parts), noun)
            for noun, parts in (
                *kinds,
                ("sensor", self.sensors),
                ("controller", self.controllers),
                ("contact", self.contacts),
                ("state", self.states),
            )
            if parts
        ]
        return ", ".join(known) or "no parts yet"

    def all_bodies(self) -> dict[str, Body]:
        """Nodes of beams, those of rods, then bodies: so the coordinates of nodes have the same
        numbers in q and in v; members of flexible bodies come then, and what carries states
        last."""
        nodes = {body.name: body for line in self.lines.values() for body in line.bodies}
        members = {one.name: one for part in self.flexible.values() for one in part.members}
        return nodes | self.bodies | members | {name: state.body for name, state in self.states.items()}

    @property
    def lines(self) -> dict[str, BeamPart | RodPart]:
        """Beams, then rods: what has nodes by name."""
        return {**self.beams, **self.rods}

    def body(self, name: str) -> Body:
        """A body or node by any of its names."""
        if name == GROUND:
            return ground_body()
        known = resolve(name, self.lines)
        if known in self.bodies:
            return self.bodies[known]
        return self.all_bodies()[known]

    def refuse_known(self, name: str) -> None:
        """InputError for a name that is taken, or that no file can hold."""
        if not isinstance(name, str) or not name or name == GROUND:
            raise InputError(f"a part needs a name other than {GROUND!r}, received {name!r}", hint='such as "motor"')
        if any("\ud800" <= sign <= "\udfff" for sign in name):
            raise InputError(f"the name {name!r} is no Unicode text", hint="half of a pair of surrogates stands in it")
        for what, known in (
            ("body", self.bodies),
            ("joint", self.joints),
            ("load", self.loads),
            ("beam", self.lines),
            ("flexible body", self.flexible),
            ("sensor", self.sensors),
            ("controller", self.controllers),
            ("contact", self.contacts),
            ("state", self.states),
        ):
            if name in known:
                raise InputError(
                    f"there is already a {what} named {name!r}", hint="bodies, joints and loads share one set of names"
                )
        corners = (joint.name for beam in self.beams.values() for joint in beam.corner_joints)
        if place_on(name, self.lines) is not None or name in corners:
            raise InputError(f"{name!r} is a place or a corner of a beam", hint="choose another name")

    def refuse_missing(self, part: Part) -> None:
        """InputError unless all parts that a part names exist, each of them once."""
        uses = part.uses()
        two = [use.name for use in uses if use.value is Value.BODY]
        for use in uses:
            if use.value is not Value.BODY or use.name != GROUND or len(two) < 2:
                with about(part.name, use.argument):
                    self.refuse_unnamed(part.what, use)
        if len(two) == 2 and resolve(two[0], self.lines) == resolve(two[1], self.lines):
            raise InputError(f"{part.what} joins {two[0]!r} to itself", part=part.name, argument="between")

    def refuse_unnamed(self, what: str, use: Use) -> None:
        """InputError unless there is what is used."""
        if not isinstance(use.name, str):
            raise InputError(f"{what} needs the name of a part, received {use.name!r}", hint='such as "arm"')
        if use.value is Value.JOINT:
            if use.name not in self.joints:
                raise InputError(f"{what}: there is no joint named {use.name!r}", hint=nearest(use.name, self.joints))
        elif use.value is Value.BEAM:
            if use.name not in self.lines:
                raise InputError(f"{what}: there is no beam named {use.name!r}", hint=nearest(use.name, self.lines))
        else:
            self.refuse_unknown(what, use.name)

    def refuse_unknown(self, what: str, name: str, others: Iterable[str] = ()) -> None:
        """InputError unless this is a body or a node of a beam; `others` may have been meant."""
        if name in self.bodies or resolve(name, self.lines) != name:
            return
        places = {one.name: part for part in self.flexible.values() for one in part.interfaces}
        if name in places:
            return
        if name in self.flexible:
            raise InputError(
                f"{what}: {name!r} is a flexible body", hint=f"name an interface: {', '.join(map(repr, places))}"
            )
        beam, _, place = name.rpartition("[") if isinstance(name, str) else ("", "", "")
        if beam in self.lines and place.endswith("]"):
            resolve(name, self.lines)
            return
        if name in self.lines:
            raise InputError(
                f"{what}: {name!r} is a beam", hint=f"name a place: '{name}.start', '{name}.end', '{name}[1]'"
            )
        ends = [f"{beam}.{end}" for beam in self.lines for end in ("start", "end")]
        if name in self.joints and not others:
            raise InputError(f"{what}: {name!r} is a joint", hint=f"bodies: {', '.join([*self.bodies, *ends, GROUND])}")
        noun = "body or joint" if others else "body"
        known = [*self.bodies, *ends, *others, GROUND]
        raise InputError(f"{what}: there is no {noun} named {name!r}", hint=nearest(name, known))


def misplaced(wanted: str, given: object) -> InputError:
    """The error for what is no such part, with the method that takes it."""
    homes = ((Rows, "add_joint"), (Loads, "add_load"), (ContactPart, "add_contact"))
    home = next((method for kind, method in homes if isinstance(given, kind)), None)
    return InputError(f"{wanted}, received {type(given).__name__}", hint=home and f"mech.{home} takes it")


def nearest(name: str, known: Iterable[str]) -> str:
    """Which of the known names may have been meant."""
    similar = difflib.get_close_matches(str(name), list(known), n=2, cutoff=0.5)
    return f"did you mean {' or '.join(map(repr, similar))}?" if similar else f"known: {', '.join(known) or 'none'}"

"""From the parts of a mechanism to its system."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from isodyn.beams.layout import Load
from isodyn.beams.mesh import spread
from isodyn.errors import InputError, about
from isodyn.joints import measures as words
from isodyn.joints.cables import refuse_twist
from isodyn.joints.user import UserRows
from isodyn.kernels.compiled import FloatArray
from isodyn.loads.laws import FOLLOWER, FORCE
from isodyn.loads.part import AlongBeam, Law, LoadForces, LoadPart, OnBody
from isodyn.loads.user import UserLoad
from isodyn.mechanism.beam_part import resolve
from isodyn.mechanism.contact_rows import gaps_of, rows_of_gaps, with_contacts
from isodyn.mechanism.coordinates import Coordinates, ParametrisedSystem, in_coordinates
from isodyn.mechanism.counted import counted_angles
from isodyn.mechanism.hybrid import with_user_parts
from isodyn.mechanism.joint_rows import rows_of
from isodyn.mechanism.layout import MechanismLayout
from isodyn.mechanism.loose_bodies import warn_of_loose_bodies
from isodyn.mechanism.parts import Parts
from isodyn.mechanism.states import law_of_state
from isodyn.mechanism.system import Description, MechanismSystem, make_system
from isodyn.mechanism.world import World

_FORCE_WORDS = {words.POINT, words.OFFSET, words.LENGTH}


def compile_parts(
    parts: Parts, gravity: FloatArray, cayley: bool, coordinates: Coordinates
) -> MechanismSystem | ParametrisedSystem:
    """The system of all parts, in the given coordinates."""
    bodies = parts.all_bodies()
    if len(bodies) == len(parts.states):
        raise InputError("the mechanism has no bodies", hint="add_body comes first")
    world = World(parts)
    joints, rows = rows_of(world)
    reactions = {
        name: (made.rows[0], sum(rows[r].terms[0][1].kind in _FORCE_WORDS for r in made.rows))
        for name, made in joints.items()
        if made.rows
    }
    laws: list[Law] = []
    loads: list[OnBody] = []
    spreads: list[Load] = []
    built: dict[str, LoadForces] = {}
    user_rows = [joint for joint in parts.joints.values() if isinstance(joint, UserRows)]
    user_loads = [load for load in parts.loads.values() if isinstance(load, UserLoad)]
    for load in parts.loads.values():
        if isinstance(load, LoadPart):
            with about(load.name):
                forces = built[load.name] = _with_rods(parts, load.build(world))
                refuse_twist(load.what, (law.word for law in forces.laws), bodies)
            laws += [replace(law, load=load.name, line=load.line) for law in forces.laws]
            loads += forces.on_bodies
            spreads += [_spread(parts, along) for along in forces.along_beams]
    built_gaps = gaps_of(world)
    touching = rows_of_gaps(built_gaps)
    warn_of_loose_bodies(parts, [*rows, *touching], laws, user_rows)
    laws += [replace(law_of_state(state, world), load=name) for name, state in parts.states.items()]
    layout = MechanismLayout(
        list(bodies.values()),
        rows,
        laws,
        loads,
        reactions,
        gravity,
        cayley,
        beams=tuple(parts.beams.values()),
        rods=tuple(parts.rods.values()),
        flexible=tuple(parts.flexible.values()),
        states=tuple(parts.states.values()),
        spreads=spreads,
        angles=counted_angles(
            [*rows, *touching], laws, (word for joint in joints.values() for word in joint.coordinates.values())
        ),
        held=tuple(
            resolve(name, parts.lines)
            for name in (*(x for part in user_rows for x in part.bodies), *(load.body for load in user_loads))
        ),
    )
    description = Description(parts.copied(), gravity.copy(), cayley)
    system = replace(make_system(layout, joints), loads=built, description=description)
    if built_gaps and (coordinates != "rotation" or user_rows or user_loads or parts.states):
        raise InputError("contacts need the coordinates 'rotation', and no states, users' rows and loads beside them")
    system = with_contacts(system, layout, built_gaps)
    refuse_controllers(parts, coordinates, bool(user_rows or user_loads))
    refuse_states(parts, coordinates)
    if user_rows or user_loads:
        if coordinates != "rotation":
            raise InputError(
                f"users' rows and loads need the coordinates 'rotation', received {coordinates!r}",
                hint="leave coordinates= out",
            )
        system = with_user_parts(system, user_rows, user_loads, list(parts.joints))
    return in_coordinates(system, coordinates)


def _spread(parts: Parts, load: AlongBeam) -> Load:
    """Nodal forces of a load along a beam."""
    before = list(parts.beams).index(load.beam)
    first = sum(2 * beam.mesh.dim * len(beam.nodes) for beam in list(parts.beams.values())[:before])
    beam = parts.beams[load.beam]
    return Load(first, spread(beam.mesh.elements, len(beam.nodes), load.per_length, per_mass=False), load.time)


def _with_rods(parts: Parts, forces: LoadForces) -> LoadForces:
    """The same with forces on nodes in place of those along rods."""
    on_rods = [force for along in forces.along_beams if along.beam in parts.rods for force in _on_rod(parts, along)]
    along_beams = [along for along in forces.along_beams if along.beam in parts.beams]
    return replace(forces, on_bodies=[*forces.on_bodies, *on_rods], along_beams=along_beams)


def _on_rod(parts: Parts, load: AlongBeam) -> list[OnBody]:
    """Forces on the nodes of a rod."""
    rod = parts.rods[load.beam]
    force = np.append(load.per_length, np.zeros(3 - load.per_length.size))
    return [
        OnBody(FOLLOWER if load.follows else FORCE, node.name, force * share, time=load.time)
        for node, share in zip(rod.nodes, rod.shares, strict=True)
    ]


def refuse_states(parts: Parts, coordinates: Coordinates) -> None:
    """InputError for states beside other coordinates of rotation."""
    if parts.states and coordinates != "rotation":
        what = next(iter(parts.states.values())).what
        raise InputError(f"{what} needs the coordinates 'rotation', received {coordinates!r}")


def refuse_controllers(parts: Parts, coordinates: Coordinates, users: bool) -> None:
    """InputError for controllers of systems whose tables nobody can write."""
    if parts.controllers and (users or coordinates != "rotation"):
        what = next(iter(parts.controllers.values())).what
        other = "users' rows and loads" if users else f"the coordinates {coordinates!r}"
        raise InputError(
            f"{what} cannot act on a mechanism with {other}", hint="iso.Stepper takes single steps of any system"
        )

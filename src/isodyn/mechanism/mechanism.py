"""Mechanism: named bodies, beams, joints and loads, collected and compiled to a system."""

from __future__ import annotations

import difflib
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

from isodyn.beams.mesh import Energy, spread
from isodyn.beams.section import Section
from isodyn.bodies.body import GROUND, Body, make_body, vector3
from isodyn.compiled import FloatArray
from isodyn.errors import InputError, IsodynWarning
from isodyn.joints import measures as words
from isodyn.joints.cables import refuse_twist
from isodyn.joints.couplings import Coupling, Drive, Gear, Pulley, RollingDisc, RollingSphere, ground_body
from isodyn.joints.pairs import Joint, between_points, length_of
from isodyn.joints.user import UserRows
from isodyn.joints.words import Row, Word
from isodyn.loads.elements import BodyLoad, DistributedForce, JointLoad, Law, Load, PairLoad
from isodyn.loads.user import UserLoad
from isodyn.mechanism.beam_part import BeamPart, make_beam, resolve
from isodyn.mechanism.coordinates import Coordinates, ParametrisedSystem, in_coordinates
from isodyn.mechanism.system import JointParts, MechanismSystem, make_system
from isodyn.mechanism.tables import Tables

if TYPE_CHECKING:
    from isodyn.mechanism.assembly import Assembly
    from isodyn.mechanism.mobility import Mobility

Rows = UserRows | Joint | Drive | Coupling | Gear | Pulley | RollingSphere | RollingDisc
_FORCE_WORDS = {words.POINT, words.OFFSET, words.LENGTH}


@dataclass(eq=False)
class Mechanism:
    """An editable list of named parts.

    Rotations are moved by the exponential map, exact for a constant angular velocity; with `cayley` by the Cayley map, by which V0(1, 1, ρ)
    keep the angular momentum of free bodies to rounding.

    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, -9.81))
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> system = mech.compile()
    >>> system.nv, system.m
    (6, 5)
    """

    gravity: Any = (0.0, 0.0, -9.81)
    cayley: bool = False
    bodies: dict[str, Body] = field(default_factory=dict, init=False)
    joints: dict[str, Rows] = field(default_factory=dict, init=False)
    loads: dict[str, Load | UserLoad] = field(default_factory=dict, init=False)
    beams: dict[str, BeamPart] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.gravity = vector3("gravity, such as (0, 0, -9.81),", self.gravity)

    # ---- parts

    def add_body(
        self,
        name: str,
        mass: float | None = None,
        inertia: Any = None,
        position: Any = (0.0, 0.0, 0.0),
        orientation: Any = None,
        velocity: Any = (0.0, 0.0, 0.0),
        angular_velocity: Any = None,
        *,
        kind: str = "spatial",
        centre_of_mass: Any = (0.0, 0.0, 0.0),
        shape: Any = None,
    ) -> Body:
        """A body: mass, inertia about the mass centre in body axes, and where it starts.

        `position` and `velocity` are those of the body's frame, whose origin is the mass centre unless `centre_of_mass` tells where
        that lies in it; `angular_velocity` is in the body frame. kind="planar" has (x, y, θ) and a moment of inertia about z,
        kind="particle" has no orientation. A `shape` of iso.shapes brings mass, inertia and mass centre with it; a mass given beside
        it scales them.
        """
        self._new(name)
        if shape is not None:
            scale = 1.0 if mass is None else float(mass) / shape.mass
            if inertia is None:
                inertia = scale * (shape.inertia[2, 2] if kind == "planar" else shape.inertia)
            mass, centre_of_mass = scale * shape.mass, shape.centre
        if mass is None:
            raise InputError(
                f"body {name!r}: mass is missing", hint="give mass= and inertia=, or shape= with a density"
            )
        body = make_body(
            name, kind, mass, inertia, position, orientation, velocity, angular_velocity, centre_of_mass, shape
        )
        self.bodies[name] = body
        return body

    def add_beam(
        self,
        name: str,
        start: Any = None,
        end: Any = None,
        *,
        elements: Any,
        section: Section,
        model: Energy = "simplified",
        line: Any = None,
        corners: Literal["weld", "hinge"] = "weld",
        velocity: Any = (0.0, 0.0, 0.0),
        angular_velocity: Any = None,
    ) -> BeamPart:
        """A beam from `start` to `end`, or along the points of `line`: in the plane from (x, y), a cable in space from (x, y, z).

        Joints and loads name its nodes like bodies: "rod.start", "rod.end", "rod[3]", "rod@1.5" (by length). A node offers a point and
        axes, the first along the beam; a node of a cable has a tangent, but no twist. The beam is undeformed at the start and may move
        like a rigid body: `velocity` of its first node, `angular_velocity`. `corners` of a line are welded or hinged. Gravity acts on it.
        """
        self._new(name)
        beam = make_beam(name, start, end, line, elements, section, model, corners, velocity, angular_velocity)
        self.beams[name] = beam
        return beam

    def add_joint(self, joint: Rows) -> Rows:
        """A joint, drive, coupling or rolling contact; bodies and joints that it names must exist."""
        if not isinstance(joint, Rows):
            raise InputError(f"add_joint takes a joint such as iso.Hinge, received {type(joint).__name__}")
        self._new(joint.name)
        if isinstance(joint, UserRows):
            self._two_bodies(f"rows {joint.name!r}", *(GROUND, *joint.bodies)[-2:])
        elif isinstance(joint, Joint | Pulley):
            self._two_bodies(f"joint {joint.name!r}", joint.first, joint.second)
        elif isinstance(joint, RollingSphere | RollingDisc):
            self._moving(f"joint {joint.name!r}", joint.body)
        elif isinstance(joint, Drive):
            self._known_joint(f"drive {joint.name!r}", joint.joint)
        elif isinstance(joint, Gear):
            for name in (joint.first, joint.second):
                self._known_joint(f"gear {joint.name!r}", name)
        else:
            for key in joint.weights:
                self._known_joint(f"coupling {joint.name!r}", key[0] if isinstance(key, tuple) else key)
        self.joints[joint.name] = joint
        return joint

    def add_load(self, load: Load | UserLoad) -> Load | UserLoad:
        """A force, torque, spring, bushing, motor, limit, friction or drag; what it names must exist."""
        if not isinstance(load, Load | UserLoad):
            raise InputError(f"add_load takes a load such as iso.Spring, received {type(load).__name__}")
        self._new(load.name)
        if isinstance(load, BodyLoad | UserLoad):
            self._moving(f"load {load.name!r}", load.body)
        elif isinstance(load, DistributedForce):
            if load.beam not in self.beams:
                raise InputError(
                    f"load {load.name!r}: there is no beam named {load.beam!r}", hint=_nearest(load.beam, self.beams)
                )
        elif isinstance(load, PairLoad):
            self._two_bodies(f"load {load.name!r}", load.first, load.second)
        else:
            self._known_joint(f"load {load.name!r}", load.joint)
        self.loads[load.name] = load
        return load

    # ---- compilation

    @overload
    def compile(self) -> MechanismSystem: ...

    @overload
    def compile(self, coordinates: Coordinates) -> MechanismSystem | ParametrisedSystem: ...

    def compile(self, coordinates: Coordinates = "rotation") -> MechanismSystem | ParametrisedSystem:
        """The system of all parts; coordinates other than the default: isodyn.mechanism.coordinates."""
        bodies = self._all_bodies()
        if not bodies:
            raise InputError("the mechanism has no bodies", hint="add_body comes first")
        joints, rows = self._rows()
        reactions = {
            name: (parts.rows[0], sum(rows[r].terms[0][1].kind in _FORCE_WORDS for r in parts.rows))
            for name, parts in joints.items()
            if parts.rows
        }
        numbers = {name: k for k, name in enumerate(bodies)}
        laws: list[Law] = []
        loads: list[tuple[int, int, list[float], Any]] = []
        spreads: list[tuple[int, FloatArray, Any]] = []
        user_rows = [joint for joint in self.joints.values() if isinstance(joint, UserRows)]
        user_loads = [load for load in self.loads.values() if isinstance(load, UserLoad)]
        for load in self.loads.values():
            if isinstance(load, UserLoad):
                continue
            if isinstance(load, BodyLoad):
                on = self._body(load.body)
                kind, values = load.load(on)
                loads.append((kind, numbers[on.name], values, load.time))
            elif isinstance(load, DistributedForce):
                spreads.append(self._spread(load))
            elif isinstance(load, PairLoad):
                found = load.laws(self._body(load.first), self._body(load.second))
                refuse_twist(f"load {load.name!r}", (law.word for law in found), bodies)
                laws += found
            else:
                assert isinstance(load, JointLoad)
                laws += load.laws_on(self._coordinate(joints, f"load {load.name!r}", load.joint, load.coordinate))
        self._warn_of_loose_bodies(rows, laws, user_rows)
        tables = Tables(
            list(bodies.values()),
            rows,
            laws,
            loads,
            reactions,
            self.gravity,
            self.cayley,
            beams=tuple(self.beams.values()),
            spreads=spreads,
            held=tuple(
                resolve(name, self.beams)
                for name in (*(x for part in user_rows for x in part.bodies), *(load.body for load in user_loads))
            ),
        )
        system = make_system(tables, joints)
        if user_rows or user_loads:
            if coordinates != "rotation":
                raise InputError(
                    f"users' rows and loads need the coordinates 'rotation', received {coordinates!r}",
                    hint="leave coordinates= out",
                )
            from isodyn.mechanism.hybrid import with_user_parts

            system = with_user_parts(system, user_rows, user_loads, list(self.joints))
        return in_coordinates(system, coordinates)

    def mobility(self, q: Any = None, t: float = 0.0) -> Mobility:
        """Degrees of freedom and redundant joints at the assembled start, or at q; print it.

        >>> import isodyn as iso
        >>> mech = iso.Mechanism()
        >>> _ = mech.add_body("rod", 1.0, (0.01, 0.09, 0.09), (0.5, 0, 0))
        >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
        >>> mech.mobility().freedoms
        1
        """
        from isodyn.mechanism.mobility import mobility

        return mobility(self.compile(), q, t)

    def assemble(
        self,
        hold: Iterable[str] = (),
        *,
        positions: Mapping[Any, float] | None = None,
        rates: Mapping[Any, float] | None = None,
        t: float = 0.0,
    ) -> Assembly:
        """Put rough positions together and give velocities that the joints allow; `.system` of what is returned starts there.

        Joints that are given by `points=` and `axes=` of their bodies may be open at first; parts are moved by little, in the mass norm.
        Bodies named in `hold` stay where they are. `positions` and `rates` fix coordinates of joints and their rates:
        {"pin": 0.3} or {("screw", "angle"): 0.3}; apart from them velocities change least in the mass norm. A loop closes on the
        branch that the rough positions are nearest to.
        """
        from isodyn.mechanism.assembly import assemble

        return assemble(self.compile(), hold, positions, rates, t)

    def _rows(self) -> tuple[dict[str, JointParts], list[Row]]:
        """All rows, holonomic ones first, and what belongs to which joint."""
        found: dict[str, tuple[Any, list[Row], dict[str, Word]]] = {}
        later: list[Drive | Coupling | Gear] = []
        bodies = self._all_bodies()
        corners: dict[str, Rows] = {joint.name: joint for beam in self.beams.values() for joint in beam.corner_joints}
        for joint in (*corners.values(), *self.joints.values()):
            if isinstance(joint, UserRows):
                continue
            if isinstance(joint, Joint):
                pair = joint.pair(self._body(joint.first), self._body(joint.second))
                rows = joint.rows(pair)
                refuse_twist(f"joint {joint.name!r}", (word for row in rows for _, word in row.terms), bodies)
                found[joint.name] = (pair, rows, joint.coordinates(pair))
            elif isinstance(joint, RollingSphere | RollingDisc):
                found[joint.name] = (None, joint.rows(self._body(joint.body), ground_body()), {})
            elif isinstance(joint, Pulley):
                found[joint.name] = (None, [self._rope(joint)], {})
            else:
                later.append(joint)
        parts = {name: JointParts(name, pair, (), coordinates) for name, (pair, _, coordinates) in found.items()}
        for joint in later:
            found[joint.name] = (None, [self._coupled(parts, joint)], {})
            parts[joint.name] = JointParts(joint.name, None, ())
        ordered = [(name, row) for name in (*corners, *self.joints) if name in found for row in found[name][1]]
        ordered = [x for x in ordered if x[1].holonomic] + [x for x in ordered if not x[1].holonomic]
        joints = {
            name: JointParts(
                name, part.pair, tuple(r for r, (owner, _) in enumerate(ordered) if owner == name), part.coordinates
            )
            for name, part in parts.items()
        }
        return joints, [row for _, row in ordered]

    def _coupled(self, parts: dict[str, JointParts], joint: Drive | Coupling | Gear) -> Row:
        if isinstance(joint, Drive):
            return joint.row(self._coordinate(parts, f"drive {joint.name!r}", joint.joint, joint.coordinate))
        coupling = joint.as_coupling() if isinstance(joint, Gear) else joint
        coupling.check()
        terms, start = [], 0.0
        for key, weight in coupling.weights.items():
            name, which = key if isinstance(key, tuple) else (key, None)
            word = self._coordinate(parts, f"coupling {coupling.name!r}", name, which)
            terms.append((float(weight), word))
            start += float(weight) * self._value(word)
        return coupling.row(terms, start)

    def _rope(self, pulley: Pulley) -> Row:
        pulley.check()
        terms, start = [], 0.0
        for name, weight, point, over in zip(
            (pulley.first, pulley.second), (1.0, float(pulley.ratio)), pulley.points, pulley.over, strict=True
        ):
            pair = between_points(pulley.name, ground_body(), self._body(name), (over, point))
            terms.append((weight, pair.length_word()))
            start += weight * length_of(pair)
        return Row(f"{pulley.name}: rope", tuple(terms), target=start)

    def _value(self, word: Word) -> float:
        """A measure at the start."""
        from isodyn.mechanism.kinematics import value_at_start

        return value_at_start(word, self._body(word.first), self._body(word.second))

    # ---- names

    def _all_bodies(self) -> dict[str, Body]:
        """Nodes of beams, then bodies: so the coordinates of nodes have the same numbers in q and in v."""
        return {node.name: node for beam in self.beams.values() for node in beam.nodes} | self.bodies

    def _body(self, name: str) -> Body:
        if name == GROUND:
            return ground_body()
        known = resolve(name, self.beams)
        if known in self.bodies:
            return self.bodies[known]
        return self.beams[known[: known.rindex("[")]].nodes[int(known[known.rindex("[") + 1 : -1])]

    def _spread(self, load: DistributedForce) -> tuple[int, FloatArray, Any]:
        """First coordinate, nodal forces and function of time of a load along a beam."""
        first = 0
        for name, beam in self.beams.items():
            if name == load.beam:
                break
            first += 2 * beam.mesh.dim * len(beam.nodes)
        force = load.per_length(beam.mesh.dim)
        return first, spread(beam.mesh.elements, len(beam.nodes), force, per_mass=False), load.time

    def _new(self, name: str) -> None:
        for what, known in (
            ("body", self.bodies),
            ("joint", self.joints),
            ("load", self.loads),
            ("beam", self.beams),
        ):
            if name in known:
                raise InputError(
                    f"there is already a {what} named {name!r}", hint="bodies, joints and loads share one set of names"
                )

    def _two_bodies(self, what: str, first: str, second: str) -> None:
        for name in (first, second):
            if name != GROUND:
                self._moving(what, name)
        if resolve(first, self.beams) == resolve(second, self.beams):
            raise InputError(f"{what} joins {first!r} to itself")

    def _moving(self, what: str, name: str) -> None:
        if name in self.bodies or resolve(name, self.beams) != name:
            return
        beam, _, place = name.rpartition("[") if isinstance(name, str) else ("", "", "")
        if beam in self.beams and place.endswith("]"):
            resolve(name, self.beams)
            return
        if name in self.beams:
            raise InputError(
                f"{what}: {name!r} is a beam", hint=f"name a place: '{name}.start', '{name}.end', '{name}[1]'"
            )
        ends = [f"{beam}.{end}" for beam in self.beams for end in ("start", "end")]
        raise InputError(f"{what}: there is no body named {name!r}", hint=_nearest(name, [*self.bodies, *ends, GROUND]))

    def _known_joint(self, what: str, name: str) -> None:
        if name not in self.joints:
            raise InputError(f"{what}: there is no joint named {name!r}", hint=_nearest(name, self.joints))

    def _coordinate(self, parts: dict[str, JointParts], what: str, joint: str, which: str | None) -> Word:
        known = parts[joint].coordinates if joint in parts else {}
        if not known:
            raise InputError(
                f"{what}: joint {joint!r} has no coordinate to act on", hint="hinges and prismatic joints have one"
            )
        if which is None:
            return next(iter(known.values()))
        if which not in known:
            raise InputError(f"{what}: joint {joint!r} has no coordinate {which!r}", hint=f"it has {', '.join(known)}")
        return known[which]

    def _warn_of_loose_bodies(self, rows: list[Row], laws: list[Law], user: list[UserRows]) -> None:
        """Bodies that nothing connects to the rest of a mechanism are an oversight more often than not: warn by name."""
        of_beam = {node.name: beam.start for beam in self.beams.values() for node in beam.nodes}
        leader = {name: name for name in (*self.bodies, *(beam.start for beam in self.beams.values()), GROUND)}

        def find(name: str) -> str:
            name = resolve(name, self.beams)
            name = of_beam.get(name, name)
            while leader[name] != name:
                leader[name] = name = leader[leader[name]]
            return name

        ties = [(word.first, word.second) for row in rows for _, word in row.terms]
        ties += [(term[0][1].first, term[-1][1].second) for term in (row.terms for row in rows) if len(term) > 1]
        ties += [(law.word.first, law.word.second) for law in laws] + [
            ((GROUND, *part.bodies)[-2], part.bodies[-1]) for part in user
        ]
        for first, second in ties:
            leader[find(first)] = find(second)
        parts = {name: name for name in self.bodies} | {beam.start: name for name, beam in self.beams.items()}
        sizes = Counter(find(name) for name in parts)
        main = find(GROUND) if find(GROUND) in sizes else max(sizes, key=lambda name: sizes[name])
        loose = [shown for name, shown in parts.items() if find(name) != main]
        if not loose or not (rows or user):
            return
        warnings.warn(
            f"no joint and no spring holds {', '.join(map(repr, loose))}: free bodies beside the mechanism",
            IsodynWarning,
            stacklevel=3,
        )


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(str(name), list(known), n=2, cutoff=0.5)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else f"known: {', '.join(known) or 'none'}"

"""Mechanism: named bodies, beams, joints and loads, collected and compiled to a system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

from numpy.typing import ArrayLike

from isodyn.beams.mesh import Energy
from isodyn.beams.section import Section
from isodyn.bodies.body import Body, make_body, vector3
from isodyn.errors import InputError
from isodyn.joints.unilateral import ContactPart
from isodyn.keywords import takes_known_keywords
from isodyn.mechanism.assembly import assemble
from isodyn.mechanism.beam_part import BeamPart, make_beam, place_on
from isodyn.mechanism.compilation import compile_parts
from isodyn.mechanism.controllers import Controller
from isodyn.mechanism.coordinates import Coordinates, ParametrisedSystem
from isodyn.mechanism.flexible_bodies import WithFlexibleBodies
from isodyn.mechanism.flexible_part import FlexiblePart
from isodyn.mechanism.mobility import mobility
from isodyn.mechanism.parts import Loads, Parts, Rows, misplaced
from isodyn.mechanism.point_rod_part import RODS, RodModel
from isodyn.mechanism.rod_part import Mass, RodPart, shape_of_rod
from isodyn.mechanism.sensors import Sensor
from isodyn.mechanism.states import ContinuousState
from isodyn.mechanism.system import MechanismSystem
from isodyn.mechanism.watching import Watched
from isodyn.notebook_views import ShownInNotebooks
from isodyn.systems.description import Description

if TYPE_CHECKING:
    from isodyn.mechanism.assembly import Assembly
    from isodyn.mechanism.mobility import Mobility
    from isodyn.open_types import Numbers


@dataclass(eq=False, repr=False)
class Mechanism(Watched, WithFlexibleBodies, ShownInNotebooks, Description):
    """An editable list of named parts: bodies, beams, joints and loads.

    Parameters
    ----------
    gravity
        Acceleration of gravity.
    cayley
        Move rotations by the Cayley map, with which V0(1, 1, ρ) keep the angular momentum of free
        bodies to rounding. Otherwise by the exponential map, which is exact for a constant angular
        velocity.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, -9.81))
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> system = mech.compile()
    >>> system.nv, system.m
    (6, 5)
    """

    gravity: Numbers = (0.0, 0.0, -9.81)
    cayley: bool = False
    bodies: dict[str, Body] = field(default_factory=dict, init=False)
    joints: dict[str, Rows] = field(default_factory=dict, init=False)
    loads: dict[str, Loads] = field(default_factory=dict, init=False)
    beams: dict[str, BeamPart] = field(default_factory=dict, init=False)
    sensors: dict[str, Sensor] = field(default_factory=dict, init=False)
    rods: dict[str, RodPart] = field(default_factory=dict, init=False)
    controllers: dict[str, Controller] = field(default_factory=dict, init=False)
    contacts: dict[str, ContactPart] = field(default_factory=dict, init=False)
    flexible_bodies: dict[str, FlexiblePart] = field(default_factory=dict, init=False)
    states: dict[str, ContinuousState] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.gravity = vector3("gravity, such as (0, 0, -9.81),", self.gravity)

    def __repr__(self) -> str:
        return f"<Mechanism: {self._parts.in_words()}>"

    @property
    def _parts(self) -> Parts:
        lists = self.bodies, self.joints, self.loads, self.beams, self.sensors, self.rods, self.controllers
        return Parts(*lists, contacts=self.contacts, flexible=self.flexible_bodies, states=self.states)

    @property
    def lines(self) -> dict[str, BeamPart | RodPart]:
        """Beams, then rods, by name."""
        return self._parts.lines

    # ---- parts

    @takes_known_keywords
    def add_body(
        self,
        name: str,
        mass: float | None = None,
        inertia: Numbers | None = None,
        position: Numbers = (0.0, 0.0, 0.0),
        orientation: Numbers | None = None,
        velocity: Numbers = (0.0, 0.0, 0.0),
        angular_velocity: Numbers | None = None,
        *,
        kind: str = "spatial",
        centre_of_mass: Any = (0.0, 0.0, 0.0),
        shape: Any = None,
    ) -> Body:
        """Add a body.

        Parameters
        ----------
        name
            Its name.
        mass
            Its mass; with a `shape` it scales the mass and inertia of the shape.
        inertia
            Inertia about the mass centre in body axes: three moments or a matrix; a moment about z
            for a planar body.
        position
            Position of the frame of the body.
        orientation
            A SciPy Rotation, a matrix or a quaternion (w, x, y, z); an angle for a planar body.
        velocity
            Velocity of the origin of that frame.
        angular_velocity
            Angular velocity in the body frame.
        kind
            "spatial", "planar" with (x, y, θ), or "particle" without orientation.
        centre_of_mass
            Mass centre in the frame of the body.
        shape
            A shape of `isodyn.shapes`, which brings mass, inertia and mass centre.

        Returns
        -------
        body
            The body.

        Raises
        ------
        InputError
            If the name is taken, or a number is not admissible.
        """
        self._parts.refuse_known(name)
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

    @takes_known_keywords
    def add_beam(
        self,
        name: str,
        start: Numbers | None = None,
        end: Numbers | None = None,
        *,
        elements: int | Sequence[int],
        section: Section,
        model: Energy | RodModel = "simplified",
        line: Any = None,
        corners: Literal["weld", "hinge"] = "weld",
        curve: Callable[[float], Any] | Any = None,
        up: Numbers | None = None,
        twist: float = 0.0,
        mass: Mass = "consistent",
        velocity: Numbers = (0.0, 0.0, 0.0),
        angular_velocity: Numbers | None = None,
    ) -> BeamPart | RodPart:
        """Add a beam in the plane, a cable in space, or a rod in space.

        Joints and loads name its nodes like bodies: "rod.start", "rod.end", "rod[3]", "rod@1.5" (by
        length). A node offers a point and axes, the first along the beam; a node of a cable has a
        tangent, but no twist. The beam is undeformed at the start and may move like a rigid body.
        Gravity acts on it.

        With `model="exact"` it is a rod: a beam in space with stretching, shear, torsion and
        bending, straight, curved or twisted, that may move and bend as far as it likes. Its nodes
        are bodies; with ends (x, y) it is a rod in the plane, with planar bodies. With
        `model="absolute-nodal"` a node is three points of the cross-section: forces act at nodes,
        `Fixed` welds a cross-section to a body.

        Parameters
        ----------
        name
            Its name.
        start, end
            Its ends, (x, y) of a beam or rod in the plane, (x, y, z) of a cable or rod in space.
        elements
            Number of elements, in all or for each piece.
        section
            Stiffness and mass.
        model
            Strain energy; "exact" or "absolute-nodal" for a rod.
        line
            Points of a line in place of `start` and `end`; not for rods.
        corners
            Whether pieces of a line are welded or hinged.
        curve
            The line of a rod in place of `start` and `end`: a function of 0 ≤ s ≤ 1, or the poses
            (x, y, z, w, x, y, z) of all nodes.
        up
            Where z of the cross-section of a rod points at the start, as far as it can; (0, 0, 1)
            if left out. y lies across it.
        twist
            Angle by which the cross-section of a rod turns from start to end.
        mass
            Mass of a rod: "consistent" (linear between nodes) or "lumped" at the nodes.
        velocity
            Velocity of the first node.
        angular_velocity
            Angular velocity.

        Returns
        -------
        beam
            The beam.

        Raises
        ------
        InputError
            If the name is taken, or a number is not admissible.
        """
        self._parts.refuse_known(name)
        for other in (*self.bodies, *self.joints, *self.loads):
            if place_on(other, (name,)) is not None:
                raise InputError(f"beam {name!r}: {other!r} would be a place on it", hint="choose another name")
        if model in RODS:
            if line is not None:
                raise InputError(f"rod {name!r} takes curve= instead of line=", argument="line")
            shape = shape_of_rod(name, start, end, curve, elements, section, up, twist, mass)
            rod = RODS[model](name, shape, velocity, angular_velocity)
            self.rods[name] = rod
            return rod
        if curve is not None or up is not None or twist != 0.0 or mass != "consistent":
            raise InputError(f"beam {name!r}: curve, up, twist and mass are for rods", argument="model")
        beam = make_beam(name, start, end, line, elements, section, model, corners, velocity, angular_velocity)
        for joint in beam.corner_joints:
            self._parts.refuse_known(joint.name)
        self.beams[name] = beam
        return beam

    def add_joint(self, joint: Rows) -> Rows:
        """Add a joint, drive, coupling or rolling contact.

        Parameters
        ----------
        joint
            The joint; bodies and joints that it names must exist.

        Returns
        -------
        joint
            The same joint.

        Raises
        ------
        InputError
            If its name is taken, or a body or joint is unknown.
        """
        if not isinstance(joint, Rows):
            raise misplaced("add_joint takes a joint such as iso.Hinge", joint)
        self._parts.refuse_known(joint.name)
        self._parts.refuse_missing(joint)
        self.joints[joint.name] = joint
        return joint

    def add_load(self, load: Loads) -> Loads:
        """Add a force, torque, spring, bushing, motor, limit, friction or drag.

        Parameters
        ----------
        load
            The load; the parts that it names must exist.

        Returns
        -------
        load
            The same load.

        Raises
        ------
        InputError
            If its name is taken, or a part is unknown.
        """
        if not isinstance(load, Loads):
            raise misplaced("add_load takes a load such as iso.Spring", load)
        self._parts.refuse_known(load.name)
        self._parts.refuse_missing(load)
        self.loads[load.name] = load
        return load

    # ---- compilation

    @overload
    def compile(self) -> MechanismSystem: ...

    @overload
    def compile(self, coordinates: Coordinates) -> MechanismSystem | ParametrisedSystem: ...

    def compile(self, coordinates: Coordinates = "rotation") -> MechanismSystem | ParametrisedSystem:
        """Return the system of all parts.

        Parameters
        ----------
        coordinates
            Coordinates of rotations; `isodyn.mechanism.coordinates` lists them.

        Returns
        -------
        system
            The system.

        Raises
        ------
        InputError
            If the parts do not fit together.
        """
        gravity = vector3("gravity, such as (0, 0, -9.81),", self.gravity)  # it may have been set since
        return compile_parts(self._parts, gravity, self.cayley, coordinates)

    def mobility(self, q: ArrayLike | None = None, t: float = 0.0) -> Mobility:
        """Return the degrees of freedom and the redundant joints; `print` shows them.

        Parameters
        ----------
        q
            Coordinates; the assembled start if left out.
        t
            Time.

        Returns
        -------
        mobility
            Degrees of freedom and redundant rows.

        Examples
        --------
        >>> import isodyn as iso
        >>> mech = iso.Mechanism()
        >>> _ = mech.add_body("rod", 1.0, (0.01, 0.09, 0.09), (0.5, 0, 0))
        >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
        >>> mech.mobility().freedoms
        1
        """
        return mobility(self.compile(), q, t)

    def assemble(
        self,
        hold: Iterable[str] = (),
        *,
        positions: Mapping[Any, float] | None = None,
        rates: Mapping[Any, float] | None = None,
        t: float = 0.0,
    ) -> Assembly:
        """Put rough positions together and give velocities that the joints allow.

        Joints that are given by `points=` and `axes=` of their bodies may be open at first. Parts
        are moved as little as possible, in the mass norm. A loop closes on the branch that is
        nearest to the rough positions.

        Parameters
        ----------
        hold
            Names of bodies that stay where they are.
        positions, rates
            Coordinates of joints and their rates, such as {"pin": 0.3} or {("screw", "angle"):
            0.3}; angles up to whole turns.
        t
            Time.

        Returns
        -------
        assembly
            `assembly.system` starts there.

        Raises
        ------
        ConvergenceError
            If the parts cannot be put together.
        """
        return assemble(self.compile(), hold, positions, rates, t)

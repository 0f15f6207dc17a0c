"""What a load adds to a mechanism, and what it may ask of the mechanism for it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from isodyn.bodies.body import Body
from isodyn.errors import about
from isodyn.joints.words import Word
from isodyn.kernels.compiled import FloatArray
from isodyn.loads.laws import ForceLaw
from isodyn.parts import Part

if TYPE_CHECKING:
    from isodyn.loads.user import UserLoad


@dataclass(frozen=True)
class Input:
    """A name in a formula: a measure, or its rate; without a word the time, or what the `shift` of
    the law makes of it."""

    word: Word | None = None
    rate: bool = False


@dataclass(frozen=True)
class Law:
    """A force along a word, by one of the laws of isodyn.loads.laws; `shift` a function of time;
    `joint` whose reaction it uses.

    `load` is the name of the load that it belongs to, `line` how it is drawn along a length
    ("spring", "rod", "rope"; not at all if empty).
    """

    force: ForceLaw
    word: Word
    shift: object | None = None
    joint: str | None = None
    inputs: tuple[Input, ...] = ()
    load: str = ""
    line: str = ""

    @property
    def kind(self) -> int:
        """SPRING, LIMIT, …"""
        return self.force.kind

    def all_words(self) -> list[Word]:
        """The word that it acts along, and those of its inputs."""
        return [self.word, *(item.word for item in self.inputs if item.word is not None)]


@dataclass(frozen=True, eq=False)
class OnBody:
    """A force or torque on one body, FORCE, TORQUE, … of isodyn.loads.laws, times a function of
    time; `point` in the body, counted from its mass centre. Of drag `vector` is the velocity of the
    medium."""

    kind: int
    body: str
    vector: FloatArray
    point: FloatArray = field(default_factory=lambda: np.zeros(3))
    coefficient: float = 0.0
    time: object | None = None


@dataclass(frozen=True, eq=False)
class AlongBeam:
    """A force per length of a beam, times a function of time; of rods also in axes of the
    cross-section."""

    beam: str
    per_length: FloatArray
    time: object | None = None
    follows: bool = False


@dataclass(frozen=True, eq=False)
class LoadForces:
    """Laws along measures, forces on single bodies, forces along beams."""

    laws: list[Law] = field(default_factory=list)
    on_bodies: list[OnBody] = field(default_factory=list)
    along_beams: list[AlongBeam] = field(default_factory=list)


class LoadWorld(Protocol):
    """What a load may ask: bodies and nodes by name, coordinates of joints, names in formulas, the
    space of a beam."""

    def body(self, name: str) -> Body:
        """A body, a node of a beam, or the ground."""

    def coordinate(self, what: str, joint: str, which: str | None) -> Word:
        """A coordinate of a joint, the first when not told which; `what` asks for it."""

    def lookup(self, what: str, owner: str, coordinate: str) -> Input:
        """A coordinate of a body or joint, or its rate, as formulas call it."""

    def has_axes(self, beam: str) -> bool:
        """Whether the nodes of a beam are bodies with axes of the cross-section."""

    def dimension(self, beam: str) -> int:
        """2 for a beam in the plane, 3 for a cable in space."""


class LoadPart(Part):
    """Everything that `add_load` takes, but for users' functions.

    Parameters
    ----------
    name
        Name of the load.
    body
        Name of the body.
    first, second
        Names of the bodies, or "ground".
    point
        Point in the world at the start; the mass centre if left out.
    points
        Its ends in the world at the start; the mass centres if left out.
    parameters
        Values of names in the formulas.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.
    """

    noun: ClassVar[str] = "load"
    held: ClassVar[tuple[str, ...]] = ()  # fields of which one can be an input, set while a run goes on
    measured: ClassVar[bool] = True  # whether its laws act along measures that are its own
    drives: ClassVar[bool] = False  # whether it is told by what drives its measure on, not by what pulls it back
    line: ClassVar[str] = ""  # how its laws along lengths are drawn: "spring", "rod", "rope"

    @abstractmethod
    def build(self, world: LoadWorld) -> LoadForces:
        """Return the laws and forces of the load.

        Parameters
        ----------
        world
            The bodies, joints and beams of the mechanism.

        Returns
        -------
        forces
            Laws along measures, and forces on bodies or beams.
        """

    def renumbered(self, old: LoadPart | UserLoad, forces: LoadForces) -> LoadForces | None:
        """Return what this load does, from what one did that differs in numbers of its law only.

        Parameters
        ----------
        old
            The other load.
        forces
            What it did.

        Returns
        -------
        forces
            What this one does; None where it has to be built.
        """
        return None


class JointLoad(LoadPart):
    """A load along a coordinate of a joint.

    Parameters
    ----------
    joint
        Name of the joint.
    coordinate
        Name of the coordinate, if the joint has several.
    """

    joint: str
    coordinate: str | None

    @abstractmethod
    def laws(self, word: Word, world: LoadWorld) -> list[Law]:
        """Return the laws along the coordinate of the joint.

        Parameters
        ----------
        word
            The measure of the coordinate.
        world
            The bodies, joints and beams of the mechanism.

        Returns
        -------
        laws
            The laws.
        """

    def build(self, world: LoadWorld) -> LoadForces:
        with about(self.name, "joint" if self.coordinate is None else "coordinate"):
            word = world.coordinate(self.what, self.joint, self.coordinate)
        return LoadForces(self.laws(word, world))

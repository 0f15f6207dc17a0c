"""What a joint adds to a mechanism, and what it may ask of the mechanism for it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, Protocol

from isodyn.bodies.body import Body
from isodyn.joints.actions import Action
from isodyn.joints.words import Pair, Row, Word
from isodyn.parts import Part


class Symbol(Enum):
    """How the place of a joint is drawn."""

    NONE = ""
    HINGE = "hinge"
    SLIDER = "slider"
    CYLINDER = "cylindrical"
    BALL = "ball"
    PLANE = "plane"
    UNIVERSAL = "universal"
    FIXED = "fixed"


@dataclass(frozen=True, eq=False)
class JointRows:
    """Rows of a joint, where they act, and what can be read out, driven, loaded and drawn."""

    rows: list[Row]
    action: Action
    pair: Pair | None = None
    coordinates: dict[str, Word] = field(default_factory=dict)
    symbol: Symbol = Symbol.NONE


class JointWorld(Protocol):
    """What a joint may ask: bodies and nodes by name, joints that were built before it, measures at
    the start."""

    def body(self, name: str) -> Body:
        """A body, a node of a beam, or the ground."""

    def joint(self, name: str) -> JointRows:
        """A joint that was built before."""

    def coordinate(self, what: str, joint: str, which: str | None) -> Word:
        """A coordinate of a joint, the first when not told which; `what` asks for it."""

    def value(self, word: Word) -> float:
        """A measure at the start."""

    def section(self, name: str) -> tuple[Body, ...]:
        """The points of a cross-section whose node is a point; nothing for all else."""


class JointPart(Part):
    """Everything that `add_joint` takes, but for users' functions."""

    noun: ClassVar[str] = "joint"

    @abstractmethod
    def build(self, world: JointWorld) -> JointRows:
        """Return the rows of the joint.

        Parameters
        ----------
        world
            The bodies and joints of the mechanism.

        Returns
        -------
        rows
            The rows, with what is drawn and measured.
        """

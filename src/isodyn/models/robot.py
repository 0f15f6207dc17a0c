"""Links and connections of a robot: what URDF, MJCF and SDF have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.models.import_summary import ImportSummary, Limits
from isodyn.models.looks import Looks
from isodyn.models.lumps import Frame, Lump
from isodyn.models.xml_source import Element

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

HUGE = 1e60
WORLD_LINK = ""  # the name of the world among links


class Motion(Enum):
    """What a connection allows."""

    FIXED = "fixed"
    HINGE = "hinge"
    SLIDE = "slide"
    BALL = "ball"
    PLANAR = "planar"
    UNIVERSAL = "universal"
    SCREW = "screw"
    CYLINDER = "cylinder"
    FREE = "free"


COORDINATES = (Motion.HINGE, Motion.SLIDE)  # motions with one coordinate, which has a value at the start


@dataclass(eq=False)
class Link:
    """Something rigid: its frame in the world at the start, its mass in that frame, how it
    looks."""

    name: str
    frame: Frame
    lump: Lump
    element: Element
    looks: Looks = field(default_factory=Looks)

    def refuse_huge(self) -> None:
        """Numbers whose squares are too large for floats."""
        found = [*self.frame.p, self.lump.mass, *self.lump.centre, *self.lump.inertia.ravel()]
        if not np.abs(found).max() < HUGE:  # also what is no number any more
            raise self.element.wrong(f"positions, masses or moments above {HUGE:g}")


@dataclass(frozen=True)
class Dynamics:
    """What acts along the coordinate of a joint."""

    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0


@dataclass(eq=False)
class Connection:
    """Two links and how they move against each other; point and axes in the world at the start."""

    name: str
    motion: Motion
    first: str
    second: str
    element: Element
    point: FloatArray
    axis: FloatArray
    start: float = 0.0
    second_axis: FloatArray | None = None
    pitch: float = 0.0
    dynamics: Dynamics = Dynamics()
    limits: Limits | None = None


@dataclass(eq=False)
class Robot:
    """All links and connections of a file; links in the order from the base outward."""

    summary: ImportSummary
    gravity: Numbers
    links: dict[str, Link] = field(default_factory=dict)
    connections: list[Connection] = field(default_factory=list)
    limit_stiffness: float | None = None
    limit_damping: float = 0.0
    between: set[str] = field(default_factory=set)  # frames between joints in a row, which no file weighs
    noun: str = "link"  # how the format calls what is rigid

    def add_link(self, link: Link) -> None:
        """A link with a name of its own."""
        if link.name in self.links or not link.name:
            raise link.element.wrong(f"every {self.noun} needs a name of its own, received {link.name!r}")
        self.links[link.name] = link


def unit_axis(element: Element, axis: FloatArray) -> FloatArray:
    """An axis of length one."""
    length = float(np.linalg.norm(axis))
    if not length > 0.0:
        raise element.wrong("its axis has no direction")
    return np.asarray(axis / length)


def refuse_negative(element: Element, **values: float) -> None:
    """Numbers that must not be below zero."""
    for what, value in values.items():
        if value < 0:
            raise element.wrong(f"{what} must not be negative, received {value:g}")


def list_unknown(summary: ImportSummary, element: Element, known: Iterable[str], owner: str) -> None:
    """Note children that nothing reads."""
    extra = sorted({child.tag for child in element} - set(known))
    if extra:
        summary.ignore(f"{owner}: {', '.join(f'<{x}>' for x in extra)}")

"""A beam or cable as a part of a mechanism: its nodes are bodies with the names "rod[0]", "rod[1]",
…

"rod.start" and "rod.end" are other names for the first and the last, "rod@1.5" for the node 1.5
from the start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from isodyn.beams.mesh import Mesh, Place, lay
from isodyn.beams.section import Section
from isodyn.bodies.body import Body, make_node, vector3
from isodyn.errors import InputError
from isodyn.joints.joint import Joint
from isodyn.joints.pairs import Fixed
from isodyn.joints.point_pairs import Spherical
from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

_PLACE = re.compile(
    r"^(?P<beam>.+?)(?:\.(?P<end>start|end)|\[(?P<node>-?\d+)\]|@(?P<arc>\d*\.?\d+(?:[eE][-+]?\d+)?|\d+\.))$"
)


@dataclass(frozen=True, eq=False)
class BeamPart:
    """Mesh and nodes of a beam in a mechanism; `corner_joints` hold its pieces together."""

    name: str
    mesh: Mesh
    nodes: tuple[Body, ...]
    corner_joints: tuple[Joint, ...]

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All bodies that it consists of."""
        return self.nodes

    @property
    def start(self) -> str:
        """Name of the first node."""
        return self.nodes[0].name

    @property
    def end(self) -> str:
        """Name of the last node."""
        return self.nodes[-1].name

    def at(self, place: Place) -> str:
        """Name of the node at a place: "start", "end", its number, or its way from the start."""
        return self.nodes[self.mesh.node(place)].name


def make_beam(
    name: str,
    start: Numbers,
    end: Numbers,
    line: Any,
    elements: int | Sequence[int],
    section: Section,
    model: str,
    corners: Literal["weld", "hinge"],
    velocity: ArrayLike,
    angular_velocity: Numbers,
) -> BeamPart:
    """A beam from its ends or its line, straight and undeformed, moving like a rigid body."""
    refuse_name(name)
    if (line is None) == (start is None or end is None):
        raise InputError(f"beam {name!r} takes start and end, or line=")
    try:
        mesh = lay([start, end] if line is None else line, elements, section, model, corners)
    except InputError as error:
        error.add_note(f"in beam {name!r}")
        raise
    v = vector3(f"beam {name!r}: velocity", velocity, "velocity")
    given = (0.0, 0.0, 0.0) if angular_velocity is None else angular_velocity
    turning = (0.0, 0.0, given) if np.ndim(given) == 0 else given
    w = vector3(f"beam {name!r}: angular_velocity", turning, "angular_velocity")
    if mesh.dim == 2 and (v[2] != 0 or w[:2].any()):
        raise InputError(
            f"beam {name!r} is planar: it moves in the plane z = 0 and turns about z",
            argument="velocity" if v[2] != 0 else "angular_velocity",
        )
    places, slopes = _in_space(mesh.positions), _in_space(mesh.slopes)
    nodes = tuple(
        make_node(f"{name}[{k}]", mesh.dim, r, t, v + np.cross(w, r - places[0]), np.cross(w, t))
        for k, (r, t) in enumerate(zip(places, slopes, strict=True))
    )
    joint = Fixed if corners == "weld" else Spherical
    held = tuple(
        joint(f"{name} corner {k + 1}", nodes[i].name, nodes[j].name, point=nodes[i].position)
        for k, (i, j) in enumerate(mesh.corners)
    )
    return BeamPart(name, mesh, nodes, held)


def refuse_name(name: str) -> None:
    """InputError for a name that a beam cannot have."""
    if not isinstance(name, str) or not name or _PLACE.match(name):
        raise InputError(f"a beam needs a name without the signs of places, received {name!r}", hint="such as 'rod'")


def _in_space(points: FloatArray) -> FloatArray:
    return points if points.shape[1] == 3 else np.column_stack([points, np.zeros(len(points))])


def place_on(name: str, beams: Iterable[str]) -> re.Match[str] | None:
    """What a name such as "rod.end" says about a beam, if it is a place on one."""
    found = _PLACE.match(name) if isinstance(name, str) else None
    return None if found is None or found["beam"] not in beams else found


class Line(Protocol):
    """A part whose nodes have names."""

    def at(self, place: Place) -> str:
        """Name of the node at a place."""


def resolve(name: str, beams: Mapping[str, Line]) -> str:
    """The name of a node for a place such as "rod.end"; other names as they are."""
    found = place_on(name, beams)
    if found is None:
        return name
    beam = beams[found["beam"]]
    if found["end"]:
        return beam.at(found["end"])
    if found["node"]:
        return beam.at(int(found["node"]))
    return beam.at(float(found["arc"]))

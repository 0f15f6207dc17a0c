"""From a line or polyline to nodes and elements.

Every straight piece of the line is divided into elements of equal length. Where pieces meet, two
nodes lie in the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from isodyn.beams.hermite import nodal
from isodyn.beams.section import Section
from isodyn.beams.tables import ENERGIES
from isodyn.errors import InputError, about
from isodyn.kernels.compiled import FloatArray
from isodyn.memory import require_memory
from isodyn.real_numbers import real_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Energy = Literal[
    "simplified",
    "cauchy",
    "cauchy-tangent",
    "green-lagrange",
    "green-lagrange-tangent",
    "cauchy-dirac",
    "green-lagrange-dirac",
]
Place = str | int | float


@dataclass(frozen=True)
class Element:
    """Between two nodes, with its undeformed length."""

    first: int
    second: int
    length: float
    section: Section


@dataclass(frozen=True, eq=False)
class Mesh:
    """Nodes (position, slope, way along the line) and elements; `corners` are pairs of nodes in the
    same place."""

    dim: int
    energy: int
    elements: tuple[Element, ...]
    positions: FloatArray
    slopes: FloatArray
    arc: FloatArray
    length: float
    corners: tuple[tuple[int, int], ...]

    def node(self, place: Place) -> int:
        """Number of the node at a place: "start", "end", its number, or its way from the start."""
        count = self.arc.size
        if isinstance(place, str):
            if place not in ("start", "end"):
                raise InputError(
                    f"there is no place named {place!r} on the beam", hint="'start', 'end', a node, a length"
                )
            return 0 if place == "start" else count - 1
        if isinstance(place, (int, np.integer)):
            if not -count <= place < count:
                raise InputError(f"there is no node {place}; the beam has {count}")
            return int(place) % count
        near = int(np.abs(self.arc - place).argmin())
        if abs(self.arc[near] - place) > 1e-9 * self.length:
            raise InputError(
                f"there is no node {place:g} from the start; the nearest is at {self.arc[near]:g}",
                hint="choose the number of elements so that one lies there",
            )
        return near


def lay(line: ArrayLike, elements: int | Sequence[int], section: Section, model: str, corners: str) -> Mesh:
    """The mesh along the points of a line (k, 2) or (k, 3), or along pieces given by both ends;
    `elements` in all or for each piece."""
    points = _points_of(line)
    if not isinstance(section, Section):
        raise InputError(
            f"section must be an iso.Section, received {section!r}",
            hint="iso.Section(EA=…, EI=…, rhoA=…)",
            argument="section",
        )
    if model not in ENERGIES:
        raise InputError(
            f"there is no strain energy {model!r}",
            hint=f"known: {', '.join(ENERGIES)}; rods of a mechanism: exact, absolute-nodal",
            argument="model",
        )
    if corners not in ("weld", "hinge"):
        raise InputError(f"corners must be 'weld' or 'hinge', received {corners!r}", argument="corners")
    if points.shape[1] == 3:
        _refuse_in_space(section, model, corners, pieces=points.shape[0] - 1)
    sides = np.diff(points, axis=0)
    lengths = np.linalg.norm(sides, axis=1)
    if not np.isfinite(lengths.sum()):
        raise InputError("the line is too long: its length is no finite number", argument="line")
    short = np.flatnonzero(lengths <= 1e-12 * float(np.abs(points).max()))
    if short.size:
        raise InputError(
            f"piece {short[0]} of the line has no length: both ends at {points[short[0]]}",
            argument=("line", int(short[0])),
        )
    counts = _counts(elements, lengths)
    require_memory(2000.0 * sum(counts), f"{sum(counts)} elements", hint="some tens of elements describe a beam")
    mesh: list[Element] = []
    positions: list[FloatArray] = []
    slopes: list[FloatArray] = []
    arc: list[float] = []
    ends: list[tuple[int, int]] = []
    before = 0.0
    for k, count in enumerate(counts):
        first, step = len(positions), float(lengths[k]) / count
        for i in range(count + 1):
            positions.append(points[k] + sides[k] * (i / count))
            slopes.append(sides[k] / lengths[k])
            arc.append(before + i * step)
        mesh += [Element(first + i, first + i + 1, step, section) for i in range(count)]
        ends.append((first, len(positions) - 1))
        before += float(lengths[k])
    return Mesh(
        int(points.shape[1]),
        ENERGIES[model],
        tuple(mesh),
        np.array(positions),
        np.array(slopes),
        np.array(arc),
        before,
        tuple((ends[k][1], ends[k + 1][0]) for k in range(len(ends) - 1)),
    )


def _points_of(line: ArrayLike) -> FloatArray:
    """The points of a line, or of pieces given by both ends."""
    with about(None, "line"):
        points = real_array("the line of a beam", line, "points (k, 2) or (k, 3), or pieces given by both ends")
    if points.ndim == 3 and points.shape[1] == 2:
        gaps = np.linalg.norm(points[1:, 0] - points[:-1, 1], axis=-1)
        torn = np.flatnonzero(gaps > 1e-9 * float(np.abs(points).max()))
        if torn.size:
            k = int(torn[0])
            raise InputError(
                f"the line is torn: piece {k} ends at {points[k, 1].tolist()}, piece {k + 1} begins at {points[k + 1, 0].tolist()}",
                hint="pieces must follow each other; separate beams are held together by joints",
                argument="line",
            )
        points = np.concatenate([points[:, 0], points[-1:, 1]])
    if points.ndim != 2 or points.shape[0] < 2 or points.shape[1] not in (2, 3) or not np.isfinite(points).all():
        raise InputError(
            f"line must be two or more points in the plane or in space, received {line!r}", argument="line"
        )
    return points


def _refuse_in_space(section: Section, model: str, corners: str, pieces: int) -> None:
    """What a cable in space cannot have."""
    if model != "simplified":
        raise InputError(
            f"{model!r} is a planar strain energy; a cable in space needs model='simplified'", argument="model"
        )
    if section.times[1] > 0:
        raise InputError(
            "a cable in space has no frame against which bending could be damped: damping of bending must be 0",
            hint="damping=(time of stretching, 0.0)",
            argument=("section", "damping"),
        )
    if pieces > 1 and corners == "weld":
        raise InputError(
            "a cable does not resist twisting, so pieces in space cannot be welded at an angle",
            hint="corners='hinge'",
            argument="corners",
        )


def spread(elements: Iterable[Element], nodes: int, force: FloatArray, *, per_mass: bool) -> FloatArray:
    """Nodal loads of a force per length of undeformed beam, or per mass."""
    out = np.zeros((nodes, 2, force.size))
    for e in elements:
        loads = nodal(force, e.length) * (e.section.rhoA if per_mass else 1.0)
        out[e.first] += loads[:2]
        out[e.second] += loads[2:]
    return out.ravel()


def _counts(elements: object, lengths: FloatArray) -> list[int]:
    """Elements of each piece."""
    try:
        numbers = np.asarray(elements, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([np.nan])
    if not (np.isfinite(numbers).all() and (numbers == np.round(numbers)).all() and (numbers >= 1).all()):
        raise InputError(
            f"elements must be a number ≥ 1, or one for each piece; received {elements!r}", argument="elements"
        )
    if numbers.ndim == 0 and numbers >= lengths.size:
        shares = np.maximum(1, np.round(float(numbers) * lengths / lengths.sum())).astype(int)
        # the piece with the longest elements gets more, with the shortest less
        while shares.sum() != int(numbers):
            more = shares.sum() < int(numbers)
            size = lengths / shares
            k = int(size.argmax()) if more else int(np.where(shares > 1, size, np.inf).argmin())
            shares[k] += 1 if more else -1
        return [int(x) for x in shares]
    if numbers.shape == lengths.shape:
        return [int(x) for x in numbers]
    raise InputError(
        f"elements must be at least {lengths.size}, one for each piece of the line, received {elements!r}",
        argument="elements",
    )

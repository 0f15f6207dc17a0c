"""Which contacts are near enough to be looked at.

Of two bodies whose bounding spheres are farther apart than both can move before it is looked again,
the gap and the slips are not computed: their measures are marked as far in the memory of the model
(isodyn.multibody.tables). A step after which a body has moved farther than that is taken again with
others (isodyn.marching.contact_march). Gaps to planes and stops are always computed.

Pairs are found by sweep and prune: each body has an interval along the axis in which bodies are
spread most; only pairs whose intervals overlap are measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.joints.hull_tables import TOUCH
from isodyn.joints.measures import BALL, LENGTH
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.stepping.contact_memory import Contacts

if TYPE_CHECKING:
    from isodyn.joints.words import Row
    from isodyn.mechanism.layout import MechanismLayout
    from isodyn.systems.contacts import ContactSet
    from isodyn.systems.model import Model

MANY = 24  # pairs of bodies from which on it is worth while
PART = 0.25  # of the typical reach of two bodies: how far they may move until it is looked again
PLACES = {"spatial": 3, "particle": 3, "planar": 2}  # coordinates of bodies that are places


class NearContacts:
    """Pairs of bodies that contacts are between, and how far these reach."""

    def __init__(self, known: ContactSet, model: Model) -> None:
        self.measures: list[list[int]] = []  # of each pair
        self.reach, self.places = np.zeros(0), np.zeros(0, dtype=np.int64)
        layout = getattr(known.twin, "layout", None)
        if layout is None or getattr(layout, "rows", None) is None or len(layout.rows) != known.twin.m:
            return
        tables: Any = model.tables  # of a mechanism
        reach, ends = [], []
        for k in range(len(known.names)):
            found = self.pair(layout, layout.rows[k])
            if found is None:
                continue
            rows = [k, *range(int(known.tangent[k]), int(known.tangent[k + 1]))]
            self.measures.append([int(tables.terms[int(tables.rows[row].first_term)].measure) for row in rows])
            ends.append(found[0])
            reach.append(found[1])
        if len(reach) < MANY:
            self.measures = []
            return
        self.reach, self.ends = np.array(reach), np.array(ends)
        bodies = [*layout.bodies]
        self.first = np.array([int(tables.bodies[k].first_q) for k in range(len(bodies))])
        self.still = np.array([body.position for body in bodies] + [np.zeros(3)])
        self.wide = np.array([PLACES.get(body.kind, 0) for body in bodies])
        used = [k for k in np.unique(self.ends) if k < len(bodies)]
        self.places = np.concatenate([self.first[k] + np.arange(self.wide[k]) for k in used]).astype(np.int64)
        self.margin = PART * float(np.median(self.reach))
        self.index_pairs(len(bodies))

    def index_pairs(self, ground: int) -> None:
        """Tables that lead from two bodies to their contacts, and from those to measures."""
        many = [len(one) for one in self.measures]
        self.flat, self.owner = np.concatenate(self.measures), np.repeat(np.arange(len(many)), many)
        keys = self.ends.min(axis=1) * (ground + 1) + self.ends.max(axis=1)
        free = np.flatnonzero(self.ends.max(axis=1) < ground)
        self.to_ground = np.flatnonzero(self.ends.max(axis=1) >= ground)
        self.by_key = free[np.argsort(keys[free], kind="stable")]
        self.keys = keys[self.by_key]
        self.extent = np.zeros(ground + 1)  # of two bodies with a contact, at least its reach
        np.maximum.at(self.extent, self.ends.ravel(), np.repeat(0.5 * self.reach, 2))
        self.moving = np.unique(self.ends[free]) if free.size else np.zeros(0, dtype=np.int64)

    def candidates(self, places: FloatArray, room: float) -> IntArray:
        """Numbers of the contacts whose bodies' intervals, widened by `room` in all, overlap."""
        bodies = self.moving
        if bodies.size == 0:
            return self.to_ground
        where = places[bodies]
        x = where[:, int(np.ptp(where, axis=0).argmax())]
        low, high = x - self.extent[bodies] - 0.5 * room, x + self.extent[bodies] + 0.5 * room
        order = np.argsort(low)
        first, second = _ranges(np.arange(1, order.size + 1), np.searchsorted(low[order], high[order], side="right"))
        one, two = bodies[order[first]], bodies[order[second]]
        keys = np.minimum(one, two) * self.extent.size + np.maximum(one, two)
        _, found = _ranges(np.searchsorted(self.keys, keys), np.searchsorted(self.keys, keys, side="right"))
        return np.concatenate([self.by_key[found], self.to_ground])

    def pair(self, layout: MechanismLayout, row: Row) -> tuple[tuple[int, int], float] | None:
        """The numbers of the bodies of a gap, and how far apart they can be where it is closed;
        None of a gap that is always computed."""
        if len(row.terms) != 1 or row.terms[0][0] != 1.0 or callable(row.target):
            return None
        word = row.terms[0][1]
        numbers, ground = word.numbers, len(layout.bodies)
        arms = float(np.linalg.norm(numbers.s_i) + np.linalg.norm(numbers.s_j))
        if word.kind == LENGTH:
            reach = arms + float(row.target)
        elif word.kind == BALL:
            reach = arms + float(numbers.radius + numbers.rounding + np.linalg.norm(numbers.half))
        elif word.kind == TOUCH:
            reach = float(numbers.radius + numbers.rounding)
        else:
            return None
        ends = layout.number[word.first], layout.number[word.second]
        kinds = [layout.bodies[k].kind for k in ends if k < ground]
        if not np.isfinite(reach) or any(kind not in PLACES for kind in kinds):
            return None
        return ends, reach

    @property
    def many(self) -> bool:
        """Whether there are enough pairs to choose from."""
        return bool(self.measures)

    def choose(self, contacts: Contacts, scratch: Any, q: FloatArray, *, wider: bool) -> None:
        """Mark the pairs that are far; `wider` where bodies moved too far in one step."""
        self.margin *= 2.0 if wider else 1.0
        places = self.still.copy()
        for k, (first, wide) in enumerate(zip(self.first, self.wide, strict=True)):
            places[k, :wide] = q[first : first + wide]
        room = 2.0 * np.sqrt(3.0) * self.margin
        found = self.candidates(places, room)
        ends = self.ends[found]
        apart = np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1)
        far = np.ones(self.reach.size, dtype=np.int64)
        far[found[apart - self.reach[found] <= room]] = 0
        scratch.far[self.flat] = far[self.owner]
        contacts.anchor, contacts.margin = q[self.places], self.margin


def _ranges(begins: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    """All i, j with begins[i] ≤ j < ends[i]."""
    many = np.maximum(ends - begins, 0)
    which = np.repeat(np.arange(many.size), many)
    return which, np.arange(which.size) - np.repeat(np.cumsum(many) - many, many) + begins[which]

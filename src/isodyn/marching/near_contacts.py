"""Which contacts are near enough to be looked at.

Of two bodies whose bounding spheres are farther apart than both can move before it is looked again,
the gap and the slips are not computed: their measures are marked as far in the memory of the model
(isodyn.multibody.tables). A step after which a body has moved farther than that is taken again with
others (isodyn.marching.contact_march). Gaps to planes and stops are always computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.joints.measures import BALL, LENGTH
from isodyn.kernels.compiled import FloatArray
from isodyn.stepping.contact_memory import Contacts

MANY = 24  # pairs of bodies from which on it is worth while
PART = 0.25  # of the typical reach of two bodies: how far they may move until it is looked again
PLACES = {"spatial": 3, "particle": 3, "planar": 2}  # coordinates of bodies that are places


class NearContacts:
    """Pairs of bodies that contacts are between, and how far these reach."""

    def __init__(self, known: Any, model: Any) -> None:
        self.measures: list[list[int]] = []  # of each pair
        self.reach, self.places = np.zeros(0), np.zeros(0, dtype=np.int64)
        layout = getattr(known.twin, "layout", None)
        if layout is None or getattr(layout, "rows", None) is None:
            return
        tables, reach, ends = model.tables, [], []
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

    def pair(self, layout: Any, row: Any) -> tuple[tuple[int, int], float] | None:
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
        apart = np.linalg.norm(places[self.ends[:, 0]] - places[self.ends[:, 1]], axis=1)
        far = (apart - self.reach > 2.0 * np.sqrt(3.0) * self.margin).astype(np.int64)
        for measures, one in zip(self.measures, far, strict=True):
            for m in measures:
                scratch.far[m] = one
        contacts.anchor, contacts.margin = q[self.places], self.margin

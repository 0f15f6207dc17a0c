"""Two convex bodies that may touch, and the gaps and slips that they have."""

from __future__ import annotations

from dataclasses import dataclass

from isodyn.joints.hull_tables import TOUCH, TOUCH_SLIP
from isodyn.joints.hulls import Hull
from isodyn.joints.measures import WordNumbers
from isodyn.joints.unilateral import Gap
from isodyn.joints.words import Word


@dataclass(frozen=True, eq=False)
class HullPair:
    """Hulls of two bodies, the first rounded by a radius: a point is a ball then, a line a capsule.

    While they are apart there is one gap, that of what is nearest; where they touch, one for each
    corner of what they have in common.
    """

    bodies: tuple[str, str]
    first: Hull
    second: Hull
    radius: float = 0.0

    @property
    def touches(self) -> int:
        """How many places there may be where they touch."""
        corners = len(self.first.corners)
        if corners <= 2:  # of a line both ends, and two places between them
            return 1 if corners == 1 else 4
        return self.first.widest + self.second.widest + 1

    @property
    def size(self) -> float:
        """A typical length."""
        if len(self.first.corners) == 1:
            return self.second.size
        return min(self.first.size + self.radius, self.second.size)

    def gaps(self, owner: str, *, rough: bool) -> list[Gap]:
        """Its gaps, with two slips each if it is rough."""
        reach = WordNumbers()
        reach.radius, reach.rounding = self.first.reach + self.radius, self.second.reach
        word, slip = (Word(kind, *self.bodies, reach, owner) for kind in (TOUCH, TOUCH_SLIP))
        labels = [f"[{k}]" for k in range(self.touches)] if self.touches > 1 else [""]
        return [Gap(label, ((1.0, word),), slips=(slip, slip) if rough else (), pair=self) for label in labels]

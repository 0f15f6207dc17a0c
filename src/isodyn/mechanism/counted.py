"""Which angles of a mechanism are counted over whole turns: coordinates of its state, behind those
of the bodies.

In space every angle of a joint, and all angles that rows, laws or formulas read. Slopes of planar
beams only where something reads them, and a weld does not: it holds its angle at zero. Angles of
planar bodies are coordinates already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from isodyn.errors import InputError
from isodyn.joints.measures import ANGLE, CROSS, TANGENT_ANGLE, TWIST, WHOLE_TURNS
from isodyn.joints.words import Row, Word
from isodyn.kernels.compiled import FloatArray
from isodyn.loads.laws import BY_FORMULA, LIMIT, SPRING
from isodyn.loads.part import Law
from isodyn.multibody.turns import TOLD


@dataclass(frozen=True, eq=False)
class CountedAngle:
    """An angle with its name among the coordinates; `read` by rows, laws or formulas."""

    word: Word
    read: bool

    @property
    def name(self) -> str:
        return f"{self.word.owner}.{self.word.called or ('twist' if self.word.kind == TWIST else 'angle')}"


def counted_angles(rows: list[Row], laws: list[Law], of_joints: Iterable[Word]) -> tuple[CountedAngle, ...]:
    """The angles to count, those of joints first."""
    read = {word.key: word for word in _read(rows, laws) if word.kind in WHOLE_TURNS}
    found = {word.key: word for word in of_joints if word.kind in (ANGLE, CROSS) or word.key in read} | read
    return tuple(CountedAngle(word, key in read) for key, word in found.items())


def _read(rows: list[Row], laws: list[Law]) -> Iterator[Word]:
    """Words whose value is asked for."""
    for row in rows:
        if row.holonomic and not _weld(row):
            yield from (word for _, word in row.terms)
    for law in laws:
        if law.kind in (SPRING, LIMIT):
            yield law.word
        elif law.kind == BY_FORMULA:
            yield from (item.word for item in law.inputs if item.word is not None and not item.rate)


def _weld(row: Row) -> bool:
    """Whether a row holds the slope of a beam: it is never far from zero."""
    return len(row.terms) == 1 and row.terms[0][1].kind == TANGENT_ANGLE and row.target == 0.0


def over_rows(name: str, t: FloatArray, x: FloatArray, rate: FloatArray) -> FloatArray:
    """Angles within half a turn counted from row to row: the nearest turn, or the one that the
    rates tell where they turn by more."""
    told = 0.5 * np.diff(t) * (rate[1:] + rate[:-1])
    near = (np.diff(x) + np.pi) % (2 * np.pi) - np.pi
    fast = np.abs(told) > np.pi / 2
    change = np.where(fast, near + 2 * np.pi * np.round((told - near) / (2 * np.pi)), near)
    off = np.abs(change - told)
    if fast.any() and (off[fast] > TOLD).any():
        k = int(np.flatnonzero(fast & (off > TOLD))[0])
        raise InputError(
            f"the angle of {name!r} cannot be counted from the saved rows: it turns by about {told[k]:.3g} rad"
            f" between t = {t[k]:.6g} and {t[k + 1]:.6g}",
            hint="save more rows (save_every=1); or read the angle in a load or a row, then it is counted in every step",
        )
    return np.concatenate([x[:1], x[0] + np.cumsum(change)])

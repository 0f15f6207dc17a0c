"""Pieces that differ in numbers only (isodyn.sensitivities.pieces): their tables are written once,
and then copied with other numbers; forces that are proportional to a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from isodyn.joints.words import Row, Word
from isodyn.loads.laws import LIMIT, SPEED, SPRING, FormulaLaw
from isodyn.loads.part import LoadForces
from isodyn.mechanism.layout import MechanismLayout
from isodyn.multibody.tables import Tables

FACTORS = {SPRING: ("stiffness", "damping", "cubic"), LIMIT: ("stiffness", "damping"), SPEED: ("damping",)}  # of laws
ROUNDING = 1e-15


def proportional(old: LoadForces, new: LoadForces, ratio: float) -> bool:
    """Whether forces differ in factors alone, and all of these by this ratio."""
    counts = [(len(one.laws), len(one.on_bodies), len(one.along_beams)) for one in (old, new)]
    if counts[0] != counts[1] or old.along_beams:
        return False
    for law, now in zip(old.laws, new.laws, strict=True):
        same = law.kind == now.kind and law.word.key == now.word.key and law.shift is now.shift and not law.joint
        if not same or law.kind not in FACTORS:
            return False
        for one in fields(law.force):
            x, y = getattr(law.force, one.name), getattr(now.force, one.name)
            if x != y and (one.name not in FACTORS[law.kind] or not _has_ratio(x, y, ratio)):
                return False
    for load, then in zip(old.on_bodies, new.on_bodies, strict=True):
        same = (load.kind, load.body) == (then.kind, then.body) and load.time is then.time
        if not same or not np.array_equal(load.point, then.point):
            return False
        numbers = [np.append(one.vector, one.coefficient) for one in (load, then)]
        if not all(x == y or _has_ratio(x, y, ratio) for x, y in zip(*numbers, strict=True)):
            return False
    return True


def _has_ratio(x: float, y: float, ratio: float) -> bool:
    return bool(abs(y - ratio * x) <= ROUNDING * abs(y))


def _differ(one: Word, other: Word) -> bool:
    """Whether two measures hold other numbers."""
    return one is not other and one.numbers.words.tobytes() != other.numbers.words.tobytes()


def words_of(rows: Sequence[Row], laws: Sequence[Any]) -> list[Word]:
    """All measures of rows and laws."""
    return [word for row in rows for _, word in row.terms] + [word for law in laws for word in law.all_words()]


def shape(layout: MechanismLayout) -> tuple[object, ...]:
    """All of a piece but its numbers, and the names of its parts."""
    number, counted = layout.number, layout.counted

    def measure(word: Word) -> tuple[int, ...]:
        return word.kind, number[word.first], number[word.second], counted.get(word.key, -1)

    rows = tuple((row.holonomic, len(row.terms)) for row in layout.rows)
    laws = tuple(
        (law.kind, law.shift is None, tuple((item.rate, item.word is None) for item in law.inputs))
        for law in layout.laws
    )
    loads = tuple((load.kind, number[load.body], load.time is None) for load in layout.loads)
    angles = tuple((*measure(angle.word), angle.read) for angle in layout.angles)
    return tuple(map(measure, layout.words)), rows, laws, loads, angles, tuple(body.kind for body in layout.bodies)


def alike(one: MechanismLayout, other: MechanismLayout) -> bool:
    """Whether two pieces of the same parts differ in numbers only."""
    named = ([(row.joint, row.label) for row in x.rows] + [body.name for body in x.bodies] for x in (one, other))
    first, second = named
    return bool(first == second and shape(one) == shape(other))


def with_numbers_of(layout: MechanismLayout, own: MechanismLayout, tables: Any) -> Any:
    """The tables of a piece like `own`, whose tables are known: a copy with other numbers, unless
    there are others among functions of time and formulas."""
    timed = [(x.target, y.target) for x, y in zip(layout.rows, own.rows, strict=True)]
    timed += [(x.shift, y.shift) for x, y in zip(layout.laws, own.laws, strict=True)]
    timed += [(x.time, y.time) for x, y in zip(layout.loads, own.loads, strict=True)]
    constant = all(x is y or (type(x) is float and x == y) for x, y in timed)
    if not constant or any(isinstance(law.force, FormulaLaw) for law in layout.laws):
        return layout.build(sparse=False)[0]
    made = tables.copy()
    for k, body in enumerate(layout.bodies):
        if body is not own.bodies[k]:
            made.bodies[k].mass, made.bodies[k].inertia = body.mass, body.inertia
    _put_rows(layout, own, made)
    for k, law in enumerate(layout.laws):
        for one in fields(law.force) if law.force is not own.laws[k].force else ():
            setattr(made.laws[k], one.name, getattr(law.force, one.name))
    for k, load in enumerate(layout.loads):
        made.loads[k].vector, made.loads[k].point, made.loads[k].coefficient = load.vector, load.point, load.coefficient
    for k, angle in enumerate(layout.angles):
        made.turns[k].word.words[:] = angle.word.numbers.words
    return made


def _put_rows(layout: MechanismLayout, own: MechanismLayout, made: Tables) -> None:
    """Measures and rows into tables that are those of `own`, where they differ."""
    others = [k for k, pair in enumerate(zip(layout.words, own.words, strict=True)) if _differ(*pair)]
    for k in others:
        made.measures[k].word.words[:] = layout.words[k].numbers.words
    weights, before = ([weight for row in one.rows for weight, _ in row.terms] for one in (layout, own))
    for k, weight in enumerate(weights):
        if weight != before[k]:
            made.terms[k].weight = weight
    if weights != before or any(k < len(weights) for k in others):  # words of rows come first
        for k, count in enumerate(layout.coincidences()):
            made.rows[k].coincident = count

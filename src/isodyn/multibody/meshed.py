"""Contacts of a mechanism with convex bodies among them: the rows of isodyn.multibody.rows, and
gaps and slips of touches (isodyn.joints.touches).

Where two bodies touch is chosen before each step and stays so in it: gaps are smooth functions
then. While they are apart their gap is that of what is nearest, anywhere in the step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.bodies.rotation_kernels import put, sum_of
from isodyn.joints.hull_tables import ABSENT, HullScratch, HullTables
from isodyn.joints.manifolds import find, lowest_of, write_touch
from isodyn.joints.parting import SAME, copy_row, put_row
from isodyn.joints.touches import feet, gap_of, touch_gradient, touch_rest, way_of
from isodyn.kernels.compiled import (
    ACCELERATION,
    CONSTRAINT,
    F2,
    MODEL,
    OK,
    POSITION,
    VELOCITY,
    F,
    FloatArray,
    I,
    IntArray,
    i8,
    kernel,
)
from isodyn.kernels.struct import integers, one
from isodyn.kernels.struct_types import StructType, opened
from isodyn.multibody.bodies import place_bodies
from isodyn.multibody.places import along
from isodyn.multibody.rows import FAR, put_gradient_of, put_term, row_value
from isodyn.multibody.tables import Scratch, Tables
from isodyn.multibody.turns import read_turns

if TYPE_CHECKING:
    from isodyn.joints.hull_tables import PairData
    from isodyn.joints.measures import Pose
    from isodyn.kernels.struct import StructAddress

MISSED = 100.0 * SAME  # of the size: how much deeper than what was chosen others may be


class MeshedTables(Tables):
    """Those of a mechanism with convex bodies; of each row its touch (−1: it has none), the pair of
    that, and the way along which it measures: 0 the normal, 1 and 2 tangents."""

    touch_of, pair_of, way_of = integers("rows"), integers("rows"), integers("rows")
    hulls = one(HullTables)


class MeshedScratch(Scratch):
    """The same for its memory."""

    hulls = one(HullScratch)


TABLES, SCRATCH = StructType(MeshedTables), StructType(MeshedScratch)


@kernel()
def is_far(pair: PairData, scratch: MeshedScratch) -> bool:
    """Whether nobody looks at a pair."""
    return bool(scratch.far[pair.measure] == 1)


@kernel()
def poses_of(pair: PairData, scratch: MeshedScratch) -> tuple[Pose, Pose]:
    """Where the bodies of a pair are."""
    return scratch.poses[pair.bodies[0]], scratch.poses[pair.bodies[1]]


@kernel()
def write_found(rows: IntArray, pair: PairData, away: float, tables: MeshedTables, scratch: MeshedScratch) -> None:
    """The touches of a pair as they are measured; `away` where there is none."""
    for r in range(pair.first_touch, pair.first_touch + pair.touches):
        write_touch(rows[r], pair, tables.hulls, scratch.hulls.touches[r])
        scratch.hulls.touches[r].away = away


@kernel()
def see_touches(tables: MeshedTables, scratch: MeshedScratch) -> None:
    """What touches where the bodies are, as far as it is not chosen."""
    hulls = scratch.hulls
    for k in range(len(tables.hulls.pairs)):
        pair = tables.hulls.pairs[k]
        if is_far(pair, scratch) or (hulls.chosen == 1 and hulls.held[k] == 1):
            continue
        p, q = poses_of(pair, scratch)
        gap, _ = find(pair, hulls.chosen == 0, p, q, tables.hulls, hulls)
        write_found(hulls.found, pair, FAR if hulls.chosen == 1 else gap, tables, scratch)


@kernel()
def touch_value(what: int, r: int, v: FloatArray, a: FloatArray, tables: MeshedTables, scratch: MeshedScratch) -> float:
    """A gap or slip, its rate or its acceleration."""
    pair, touch, way = (
        tables.hulls.pairs[tables.pair_of[r]],
        scratch.hulls.touches[tables.touch_of[r]],
        tables.way_of[r],
    )
    if is_far(pair, scratch):
        return FAR if what == POSITION else 0.0
    if touch.kind == ABSENT:
        return touch.away if what == POSITION else 0.0
    p, q = poses_of(pair, scratch)
    if what == POSITION:
        return gap_of(touch, p, q)
    g, m = scratch.measure.gradient, tables.terms[tables.rows[r].first_term].measure
    touch_gradient(way, touch, p, q, g)
    if what == VELOCITY:
        return along(m, g, v, tables, scratch)
    return along(m, g, a, tables, scratch) + touch_rest(way, touch, p, q)


@kernel()
def put_touch(r: int, tables: MeshedTables, scratch: MeshedScratch, out: FloatArray) -> None:
    """The gradient of a gap or slip into its row of G."""
    pair, touch = tables.hulls.pairs[tables.pair_of[r]], scratch.hulls.touches[tables.touch_of[r]]
    if touch.kind == ABSENT or is_far(pair, scratch):
        return
    p, q = poses_of(pair, scratch)
    touch_gradient(tables.way_of[r], touch, p, q, scratch.measure.gradient)
    put_gradient_of(tables.terms[tables.rows[r].first_term], tables, scratch, out)


@kernel()
def contact_matrix(tables: MeshedTables, scratch: MeshedScratch, out: FloatArray) -> None:
    """out = G, in its places."""
    for i in range(tables.G_size):
        out[i] = 0.0
    for r in range(len(tables.rows)):
        if tables.touch_of[r] >= 0:
            put_touch(r, tables, scratch, out)
            continue
        row = tables.rows[r]
        for k in range(row.first_term, row.first_term + row.terms):
            if scratch.far[tables.terms[k].measure] == 0:
                put_term(tables.terms[k], tables, scratch, out)


@kernel(MODEL)
def meshed_model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    data: StructAddress,
    memory: StructAddress,
    out: FloatArray,
) -> int:
    """The questions of the loop about contacts."""
    tables, scratch = opened(MeshedTables, data), opened(MeshedScratch, memory)
    place_bodies(q, v, tables, scratch)
    read_turns(q, tables, scratch)
    see_touches(tables, scratch)
    if what == CONSTRAINT:
        contact_matrix(tables, scratch, out)
    elif what in (POSITION, VELOCITY, ACCELERATION):
        for r in range(tables.holonomic if what == POSITION else len(tables.rows)):
            if tables.touch_of[r] >= 0:
                out[r] = touch_value(what, r, v, a, tables, scratch)
            else:
                out[r] = row_value(what, t, tables.rows[r], v, a, tables, scratch)
    return OK


@kernel()
def are_same(one: IntArray, two: IntArray, pair: PairData) -> bool:
    """Whether the same touches."""
    for r in range(pair.first_touch, pair.first_touch + pair.touches):
        for i in range(6):
            if one[r, i] != two[r, i]:
                return False
    return True


@kernel(i8(F, F, i8, TABLES, SCRATCH, I))
def meet(
    q: FloatArray, v: FloatArray, first: int, tables: MeshedTables, scratch: MeshedScratch, moved: IntArray
) -> int:
    """Choose where bodies touch, until it is chosen again; `first` where nothing was chosen before
    that counts. Marks the touches that are others now; 1 where bodies are in each other although
    nothing was chosen there: then all stays as it was."""
    place_bodies(q, v, tables, scratch)
    hulls, missed = scratch.hulls, 0
    known = hulls.chosen == 1 and first == 0
    for k in range(len(tables.hulls.pairs)):
        pair = tables.hulls.pairs[k]
        held, gap, p, other = 0, FAR, poses_of(pair, scratch)[0], poses_of(pair, scratch)[1]
        if not is_far(pair, scratch):
            gap, held = find(pair, True, p, other, tables.hulls, hulls)
        elif known and hulls.held[k] == 1:
            for r in range(pair.first_touch, pair.first_touch + pair.touches):
                put_row(hulls.found[r], ABSENT, 0, 0, 0, 0, 0)
        before = hulls.held[k] if known else 0
        changed = held != before or (held == 1 and not are_same(hulls.found, hulls.ids, pair))
        for r in range(pair.first_touch, pair.first_touch + pair.touches):
            moved[r] = 1 if known and changed else 0
        if (
            before == 1
            and gap < min(lowest_of(hulls.ids, pair, p, other, tables.hulls, hulls), 0.0) - MISSED * pair.size
        ):
            missed = 1
        hulls.holds[k] = held
    if missed == 1:
        return 1
    for k in range(len(tables.hulls.pairs)):
        pair = tables.hulls.pairs[k]
        hulls.held[k] = hulls.holds[k]
        if hulls.held[k] == 1:
            for r in range(pair.first_touch, pair.first_touch + pair.touches):
                copy_row(hulls.ids[r], hulls.found[r])
            write_found(hulls.ids, pair, FAR, tables, scratch)
    hulls.chosen = 1
    return 0


@kernel(i8(F, F, TABLES, SCRATCH, F2))
def see(q: FloatArray, v: FloatArray, tables: MeshedTables, scratch: MeshedScratch, out: FloatArray) -> int:
    """Gap, normal, two tangents and the point of the first body of every touch into the rows of
    out; not a number where there is none. How many there are."""
    place_bodies(q, v, tables, scratch)
    see_touches(tables, scratch)
    many = 0
    for k in range(len(tables.hulls.pairs)):
        pair = tables.hulls.pairs[k]
        for r in range(pair.first_touch, pair.first_touch + pair.touches):
            touch = scratch.hulls.touches[r]
            for i in range(out.shape[1]):
                out[r, i] = np.nan
            if touch.kind == ABSENT:
                continue
            many += 1
            p, other = poses_of(pair, scratch)
            n, F_i, _, dn, _, _ = feet(touch, p, other)
            out[r, 0] = gap_of(touch, p, other)
            for way in range(3):
                put(out[r], 1 + 3 * way, way_of(way, touch, p, other, n, dn)[0])
            put(out[r], 10, sum_of(F_i, -touch.radius, n))
    return many

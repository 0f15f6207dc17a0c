"""Where contacts of mechanisms act, and with which forces, along a solution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from isodyn.bodies.body import GROUND
from isodyn.joints import measures as at
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.mesh_rows import MeshTwin, gap_of_touches
from isodyn.mechanism.poses import poses
from isodyn.multibody.histories import Poses, measured, touched
from isodyn.multibody.meshed import see

if TYPE_CHECKING:
    from isodyn.joints.words import Word
    from isodyn.multibody.meshed import MeshedScratch, MeshedTables
    from isodyn.results.solution import Solution

DRAWN = (at.OFFSET, at.LENGTH, at.CONTACT, at.BALL)  # measures whose gaps are distances of bodies


def forces_of_contacts(sol: Solution) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Names of contacts that push in some row, where they act (rows, 3) and the forces on the body
    that is meant, the one that is not the ground where there is one; in the world."""
    known = sol.system.contacts
    if known is None or "contact_force" not in sol.aux:
        return
    yield from forces_of_meshes(sol)
    rows, forces = known.twin.rows, sol.aux["contact_force"]
    for k, name in enumerate(known.names):
        if len(rows[k].terms) != 1 or rows[k].terms[0][1].kind not in DRAWN or not forces[:, k].any():
            continue
        word = rows[k].terms[0][1]
        p, q = (poses(sol.system, body, sol.q, sol.v) for body in (word.first, word.second))
        total = np.zeros((sol.t.size, 3))
        for row in (k, *range(int(known.tangent[k]), int(known.tangent[k + 1]))):
            weight, one = rows[row].terms[0]
            first, second = (p, q) if one.first == word.first else (q, p)
            side = at.R_I if one.first == word.first else at.R_J
            total += weight * forces[:, row : row + 1] * measured(one, first, second)[1][:, side : side + 3]
        sign = -1.0 if word.first == "ground" or (word.kind == at.OFFSET and word.second != "ground") else 1.0
        slip = rows[int(known.tangent[k])].terms[0][1] if known.tangent[k + 1] > known.tangent[k] else None
        yield name, place_of(word, slip, p, q), sign * total


def place_of(word: Word, slip: Word | None, p: Poses, q: Poses) -> FloatArray:
    """Where two bodies touch."""
    ends = [x.position + np.einsum("kij,j->ki", x.R, s) for x, s in ((p, word.numbers.s_i), (q, word.numbers.s_j))]
    if word.kind == at.OFFSET:
        return ends[1]
    if word.kind == at.CONTACT:
        slip_word = type(word)(at.SLIP, word.first, word.second, word.numbers)
        return np.asarray(p.position + touched(slip_word, p, q))
    if word.kind == at.BALL:
        normal = measured(word, p, q)[1][:, at.R_I : at.R_I + 3]
        return np.asarray(ends[0] - word.numbers.radius * normal)
    part = 0.5 if slip is None else slip.numbers.radius / max(slip.numbers.radius + slip.numbers.rounding, 1e-300)
    return np.asarray(ends[0] + part * (ends[1] - ends[0]))


def forces_of_meshes(sol: Solution) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Names of contacts of convex bodies that push in some row, where they act (rows, 3) and the
    forces on the first body, or on the second where the first is the ground."""
    known, twin, forces = sol.system.contacts, sol.system.contacts.twin, sol.aux["contact_force"]
    if not isinstance(twin, MeshTwin):
        return
    gaps, model = gap_of_touches(twin.hulls), twin.model()
    if not forces[:, gaps].any():
        return
    seen = np.zeros((sol.t.size, gaps.size, 13))
    tables, scratch = cast("MeshedTables", model.tables), cast("MeshedScratch", model.scratch)
    for q, v, out in zip(sol.q, sol.v, seen, strict=True):
        see(np.ascontiguousarray(q), np.ascontiguousarray(v), tables, scratch, out)
    for touch, k in enumerate(gaps):
        push = np.maximum(forces[:, k], 0.0)
        if push.any():
            acts, own = (push > 0.0)[:, None], seen[:, touch]
            total = push[:, None] * own[:, 1:4]
            for way, row in enumerate(range(int(known.tangent[k]), int(known.tangent[k + 1]))):
                total += forces[:, row : row + 1] * own[:, 4 + 3 * way : 7 + 3 * way]
            sign = -1.0 if twin.hulls.pairs[twin.hulls.pair_of[k]].bodies[0] == GROUND else 1.0
            last = np.maximum.accumulate(np.where(push > 0.0, np.arange(push.size), 0))
            places = own[np.where(last == 0, int(np.argmax(push > 0.0)), last), 10:]  # where it acted last, or will
            yield known.names[k], places, np.where(acts, sign * total, 0.0)

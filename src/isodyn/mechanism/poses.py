"""Poses of bodies and values of measures at given coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

import numpy as np

from isodyn.bodies.body import GROUND
from isodyn.joints.measures import Pose
from isodyn.joints.words import Word
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.counted import over_rows
from isodyn.mechanism.system import MechanismSystem
from isodyn.multibody.histories import (
    Poses,
    measured,
    place_nodes,
    place_planar_body,
    place_spatial_body,
    rate_along,
)
from isodyn.multibody.tables import CABLE, NODE
from isodyn.systems.branch_choices import named_rates

SHORT = 10_000  # rows of histories for which poses of the ground are kept
_shared: ContextVar[dict[Any, Any] | None] = ContextVar("shared", default=None)


@contextmanager
def shared_poses() -> Iterator[None]:
    """Work out the poses of each body along the same rows once, inside: for tables of all
    quantities, which ask for them again and again. Nobody may write to them."""
    token = _shared.set({})
    try:
        yield
    finally:
        _shared.reset(token)


def poses(system: MechanismSystem, name: str, q: FloatArray, v: FloatArray) -> Poses:
    """Poses of a body along histories of q and v."""
    known = _shared.get()
    if known is None:
        return _poses(system, name, q, v)
    key = id(system), name, id(q), id(v)
    if key not in known:
        known[key] = (system, q, v, _poses(system, name, q, v))  # kept, so that their ids stay theirs
    found: Poses = known[key][-1]
    return found


def _poses(system: MechanismSystem, name: str, q: FloatArray, v: FloatArray) -> Poses:
    if name == GROUND:
        return (_still if q.shape[0] <= SHORT else _still.__wrapped__)(q.shape[0])
    p = Poses(times=q.shape[0])
    body, own = system.bodies[system.number_of(name)], (system.q_of(name), system.v_of(name))
    place = {"spatial": place_spatial_body, "planar": place_planar_body}.get(body.kind)
    if place is not None:
        place(np.ascontiguousarray(q), np.ascontiguousarray(v), own[0].start, own[1].start, p)
        return p
    p.R[:] = np.eye(3)
    q, v = (np.ascontiguousarray(x[:, part]) for x, part in zip((q, v), own, strict=True))
    if body.of_beam:
        place_nodes(NODE if body.kind == "node" else CABLE, q, v, Pose(), p)
    else:
        p.position[:], p.v[:] = q[:, :3], v[:, :3]
    return p


@lru_cache(maxsize=4)
def _still(times: int) -> Poses:
    """Poses of the ground; nobody writes into poses of others."""
    p = Poses(times=times)
    p.R[:] = np.eye(3)
    return p


def map_of_node(R: FloatArray, stretch: float, own: slice) -> FloatArray:
    """T with (ṙ, ω) = T (ṙ, ṫ) of a node in this pose (isodyn.multibody.nodes)."""
    dim = (own.stop - own.start) // 2
    T = np.zeros((6, 2 * dim))
    T[:dim, :dim] = np.eye(dim)
    T[4, dim:], T[5, dim:] = -R[:dim, 2] / stretch, R[:dim, 1] / stretch
    return T


def along_rows(system: MechanismSystem, word: Word, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A measure and its rate along histories of q and v; angles within half a turn."""
    p, other = (poses(system, name, q, v) for name in (word.first, word.second))
    return rate_along(word, p, other)


def rows_of_angle(system: MechanismSystem, word: Word, t: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
    """An angle counted from row to row."""
    x, rate = along_rows(system, word, q, v)
    return over_rows(word.owner, t, x, rate)


def coordinate_at(system: MechanismSystem, word: Word, q: FloatArray) -> tuple[float, FloatArray]:
    """A measure at q, and its gradient over all of v."""
    still = np.zeros((1, system.nv))
    places = [poses(system, name, q[None], still) for name in (word.first, word.second)]
    found, g = measured(word, *places)
    gradient, column = np.zeros(system.nv), system.layout.column_of(word)
    x = float(found[0] if column is None else q[column])
    for name, place, own in zip((word.first, word.second), places, (g[0, :6], g[0, 6:]), strict=True):
        if name == GROUND:
            continue
        k = system.number_of(name)
        if system.bodies[k].of_beam:
            gradient[system.v_of(name)] += own @ map_of_node(place.R[0], place.stretch[0], system.v_of(name))
        else:
            columns = system.tables.bodies[k].columns
            gradient[system.v_of(name)][columns[columns >= 0]] += own[columns >= 0]
    return x, gradient


@named_rates.register
def rates_of_joints(system: MechanismSystem, q: FloatArray, v: FloatArray) -> dict[str, float]:
    """Rates of the coordinates of joints; the components of v where no joint has any."""
    words = {
        (name if len(parts.coordinates) == 1 else f"{name}.{which}"): word
        for name, parts in system.joints.items()
        for which, word in parts.coordinates.items()
    }
    rates = {name: float(coordinate_at(system, word, q)[1] @ v) for name, word in words.items()}
    return rates or named_rates.dispatch(object)(system, q, v)

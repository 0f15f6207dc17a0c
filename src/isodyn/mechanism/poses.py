"""Poses of bodies and values of measures at given coordinates."""

from __future__ import annotations

import numpy as np

from isodyn.bodies.body import GROUND
from isodyn.bodies.rotations import matrix
from isodyn.joints.measures import POSE, R_, STRETCH, TURN, V_, W_
from isodyn.joints.words import Word
from isodyn.kernels.compiled import FloatArray
from isodyn.mechanism.counted import over_rows
from isodyn.mechanism.kinematics import histories
from isodyn.mechanism.nodes import place_nodes
from isodyn.mechanism.system import MechanismSystem
from isodyn.parts.layout import BODY, CABLE, COLUMNS, I_BODY, NODE
from isodyn.systems.branch_choices import named_rates


def poses(system: MechanismSystem, name: str, q: FloatArray, v: FloatArray) -> FloatArray:
    """Poses (isodyn.joints.measures) of a body along histories of q and v."""
    p = np.zeros((q.shape[0], POSE))
    if name == GROUND:
        p[:, [R_, R_ + 4, R_ + 8]] = 1.0
        return p
    body = system.bodies[system.number_of(name)]
    q, v = q[:, system.q_of(name)], v[:, system.v_of(name)]
    if body.of_beam:
        place_nodes(NODE if body.kind == "node" else CABLE, np.ascontiguousarray(q), np.ascontiguousarray(v), p)
        return p
    if body.kind == "planar":
        c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
        p[:, :2], p[:, V_ : V_ + 2], p[:, W_ + 2], p[:, TURN] = q[:, :2], v[:, :2], v[:, 2], q[:, 2]
        p[:, R_], p[:, R_ + 1], p[:, R_ + 3], p[:, R_ + 4], p[:, R_ + 8] = c, -s, s, c, 1.0
        return p
    p[:, :3], p[:, V_:W_] = q[:, :3], v[:, :3]
    if body.kind == "particle":
        p[:, [R_, R_ + 4, R_ + 8]] = 1.0
    else:
        p[:, R_:V_], p[:, W_:TURN] = matrix(q[:, 3:]).reshape(-1, 9), v[:, 3:]
    return p


def map_of_node(p: FloatArray, own: slice) -> FloatArray:
    """T with (ṙ, ω) = T (ṙ, ṫ) of a node in this pose (isodyn.mechanism.nodes)."""
    dim = (own.stop - own.start) // 2
    T, R = np.zeros((6, 2 * dim)), p[R_:V_].reshape(3, 3)
    T[:dim, :dim] = np.eye(dim)
    T[4, dim:], T[5, dim:] = -R[:dim, 2] / p[STRETCH], R[:dim, 1] / p[STRETCH]
    return T


def along_rows(system: MechanismSystem, word: Word, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A measure and its rate along histories of q and v; angles within half a turn."""
    p, other = (poses(system, name, q, v) for name in (word.first, word.second))
    g = np.zeros((q.shape[0], 12))
    x = histories(word.kind, p, other, word.numbers, g)
    return x, np.einsum("ki,ki->k", g, np.hstack([p[:, V_:TURN], other[:, V_:TURN]]))


def rows_of_angle(system: MechanismSystem, word: Word, t: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
    """An angle counted from row to row."""
    x, rate = along_rows(system, word, q, v)
    return over_rows(word.owner, t, x, rate)


def coordinate_at(system: MechanismSystem, word: Word, q: FloatArray) -> tuple[float, FloatArray]:
    """A measure at q, and its gradient over all of v."""
    still = np.zeros((1, system.nv))
    p, other = (poses(system, name, q[None], still) for name in (word.first, word.second))
    g, gradient = np.zeros((1, 12)), np.zeros(system.nv)
    x = float(histories(word.kind, p, other, word.numbers, g)[0])
    column = system.layout.column_of(word)
    if column is not None:
        x = float(q[column])
    for side, name in enumerate((word.first, word.second)):
        if name != GROUND and system.bodies[system.number_of(name)].of_beam:
            place = (p, other)[side]
            gradient[system.v_of(name)] += g[0, 6 * side : 6 * side + 6] @ map_of_node(place[0], system.v_of(name))
        elif name != GROUND:
            b = system.pi[I_BODY] + BODY * system.layout.number[name]
            columns = system.pi[b + COLUMNS : b + COLUMNS + 6]
            gradient[system.v_of(name)][columns[columns >= 0]] += g[0, 6 * side : 6 * side + 6][columns >= 0]
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

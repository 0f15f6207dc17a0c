"""The layer of users' compiled rows φ (isodyn.mechanism.compiled_users)."""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.bodies.pose import PoseNumbers
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    MODEL,
    OK,
    POSITION,
    RATE,
    RETRACT,
    SETTLE,
    VELOCITY,
    FloatArray,
    closure,
)
from isodyn.kernels.struct_types import opened
from isodyn.mechanism.compiled_poses import FIRST, OUTER, moved, read
from isodyn.multibody.tables import Scratch
from isodyn.systems.differences import H1, H2

MIXED = 3e-4  # step of mixed second differences
SECOND = np.array([1.5, 1.5, -0.15, -0.15, 1.0 / 90.0, 1.0 / 90.0])  # weights of second derivatives …
MIDDLE = -49.0 / 18.0  # … and in the middle


@closure()
def share_out(lam: FloatArray, at: int, below: FloatArray, mine: FloatArray) -> None:
    """Multipliers of the rows of the model below, and those of m rows before row `at` of these."""
    if lam.size > 0:
        for i in range(below.size):
            below[i] = lam[i if i < at else i + mine.size]
        for i in range(mine.size):
            mine[i] = lam[at + i]


def _gradient_of(value: Any, m: int, index: Any, sizes: FloatArray) -> tuple[Any, Any]:
    """Two functions: poses after increments d (2, 6), and ∂φ along the frames."""
    _, _, body, columns, _ = index

    @closure()
    def shifted(t: float, first: PoseNumbers, second: PoseNumbers, d: FloatArray, out: FloatArray) -> int:
        return value(t, moved(first, d[0]), moved(second, d[1]), out)

    @closure()
    def gradient(t: float, first: PoseNumbers, second: PoseNumbers, G: FloatArray) -> int:
        d, found, status = np.zeros((2, 6)), np.zeros(m), OK
        G[:] = 0.0
        for x in range(columns.size):
            h = H1 * sizes[columns[x]]
            for k in range(OUTER.size):
                d[body[x], columns[x]] = OUTER[k] * h
                status = max(status, shifted(t, first, second, d, found))
                for i in range(m):
                    G[i, x] += FIRST[k] / h * found[i]
            d[body[x], columns[x]] = 0.0
        return status

    return shifted, gradient


def _hessian_of(shifted: Any, m: int, index: Any, sizes: FloatArray) -> Any:
    """∂(Gᵀλ)/∂q along the frames, for the forces Gᵀλ."""
    _, _, body, columns, _ = index

    @closure()
    def value_at(
        t: float, first: PoseNumbers, second: PoseNumbers, lam: FloatArray, x: int, y: int, hx: float, hy: float
    ) -> float:
        d, found, total = np.zeros((2, 6)), np.zeros(m), 0.0
        d[body[x], columns[x]] += hx
        d[body[y], columns[y]] += hy
        shifted(t, first, second, d, found)
        for i in range(m):
            total += lam[i] * found[i]
        return total

    @closure()
    def hessian(
        t: float, first: PoseNumbers, second: PoseNumbers, lam: FloatArray, force: FloatArray, K: FloatArray
    ) -> None:
        for x in range(columns.size):
            for y in range(x + 1):
                hx, hy = MIXED * sizes[columns[x]], MIXED * sizes[columns[y]]
                four = value_at(t, first, second, lam, x, y, hx, hy) + value_at(t, first, second, lam, x, y, -hx, -hy)
                four -= value_at(t, first, second, lam, x, y, hx, -hy) + value_at(t, first, second, lam, x, y, -hx, hy)
                K[x, y] = K[y, x] = four / (4.0 * hx * hy)
        for x in range(columns.size - 2):  # ½ τ~ where a body turns in space
            if columns[x] == 3 and columns[x + 1] == 4 and columns[x + 2] == 5 and body[x] == body[x + 2]:
                K[x, x + 1] -= 0.5 * force[x + 2]
                K[x, x + 2] += 0.5 * force[x + 1]
                K[x + 1, x] += 0.5 * force[x + 2]
                K[x + 1, x + 2] -= 0.5 * force[x]
                K[x + 2, x] -= 0.5 * force[x + 1]
                K[x + 2, x + 1] += 0.5 * force[x]

    return hessian


def _rates_of(shifted: Any, m: int, sizes: FloatArray, beat: float) -> Any:
    """φ̇ along the motion, or the part of φ̈ that does not depend on accelerations."""

    @closure()
    def rates(t: float, first: PoseNumbers, second: PoseNumbers, twice: bool, out: FloatArray) -> int:
        ways, d, found = np.zeros((2, 6)), np.zeros((2, 6)), np.zeros(m)
        for i in range(3):
            ways[0, i], ways[0, 3 + i] = first.velocity[i], first.angular_velocity[i]
            ways[1, i], ways[1, 3 + i] = second.velocity[i], second.angular_velocity[i]
        speed = beat
        for k in range(2):
            for i in range(6):
                speed = max(speed, abs(ways[k, i] / sizes[i]))
        h = (H2 if twice else H1) / speed
        status = shifted(t, first, second, d, found)
        out[:] = MIDDLE / (h * h) * found if twice else 0.0 * found
        for k in range(OUTER.size):
            for b in range(2):
                for i in range(6):
                    d[b, i] = OUTER[k] * h * ways[b, i]
            status = max(status, shifted(t + OUTER[k] * h, first, second, d, found))
            weight = SECOND[k] / (h * h) if twice else FIRST[k] / h
            out += weight * found
        return status

    return rates


def _forces_of(gradient: Any, hessian: Any, m: int, index: Any) -> Any:
    """Gᵀλ of the rows, or its derivative."""
    _, _, _, columns, places = index

    @closure()
    def add_forces(t: float, first: Any, second: Any, lam: FloatArray, c: FloatArray, n: int, out: FloatArray) -> int:
        """Gᵀλ, or where n > 0 its derivative."""
        G, K, force = np.zeros((m, columns.size)), np.zeros((columns.size, columns.size)), np.zeros(columns.size)
        status = gradient(t, first, second, G)
        for x in range(columns.size):
            for i in range(m):
                force[x] += lam[i] * G[i, x]
            if n == 0:
                out[places[x]] += force[x]
        if n > 0:
            hessian(t, first, second, lam, force, K)
            for x in range(columns.size):
                for y in range(columns.size):
                    out[places[x] * n + places[y]] += c[2] * K[x, y]
        return status

    return add_forces


def _values_of(value: Any, gradient: Any, rates: Any, m: int, index: Any) -> Any:
    """φ, φ̇ or φ̈ of the rows."""
    _, _, _, columns, places = index

    @closure()
    def values(what: int, t: float, first: Any, second: Any, a: FloatArray, out: FloatArray) -> int:
        """φ, φ̇ or φ̈."""
        if what == POSITION:
            return value(t, first, second, out)
        status = rates(t, first, second, what == ACCELERATION, out)
        if what == ACCELERATION:
            G = np.zeros((m, columns.size))
            status = max(status, gradient(t, first, second, G))
            for i in range(m):
                for x in range(columns.size):
                    out[i] += G[i, x] * a[places[x]]
        return status

    return values


def with_rows(inner: Any, value: Any, m: int, at: int, others: int, index: Any, sizes: FloatArray, beat: float) -> Any:
    """The model with m more rows φ before row `at` of the `others`."""
    number, number_2, _, columns, places = index
    shifted, gradient = _gradient_of(value, m, index, sizes)
    hessian, rates = _hessian_of(shifted, m, index, sizes), _rates_of(shifted, m, sizes, beat)
    add_forces = _forces_of(gradient, hessian, m, index)
    values = _values_of(value, gradient, rates, m, index)

    @closure(MODEL)
    def model(
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        c: FloatArray,
        tables: Any,
        scratch: Any,
        out: FloatArray,
    ) -> int:
        if what in (RETRACT, SETTLE, RATE):
            return inner(what, t, q, v, a, lam, c, tables, scratch, out)
        below, mine = np.zeros(others), np.zeros(m)
        share_out(lam, at, below, mine)
        poses = opened(Scratch, scratch).poses
        if what in (BALANCE, JACOBIAN):
            status = inner(what, t, q, v, a, below, c, tables, scratch, out)
            if status != OK or not mine.any() or (what == JACOBIAN and c[2] == 0.0):
                return status
            n = v.size if what == JACOBIAN else 0
            return add_forces(t, read(poses, number), read(poses, number_2), mine, c, n, out)
        wide = v.size if what == CONSTRAINT else 1
        own = np.zeros(others * wide)
        status = inner(what, t, q, v, a, below, c, tables, scratch, own)
        if status != OK:
            return status
        for i in range(others * wide):
            out[i if i < at * wide else i + m * wide] = own[i]
        first, second = read(poses, number), read(poses, number_2)
        if what in (POSITION, VELOCITY, ACCELERATION):
            return values(what, t, first, second, a, out[at : at + m])
        G = np.zeros((m, columns.size))
        status = gradient(t, first, second, G)
        for i in range(m):
            for j in range(wide):
                out[(at + i) * wide + j] = 0.0
            for x in range(columns.size):
                out[(at + i) * wide + places[x]] += G[i, x]
        return status

    return model

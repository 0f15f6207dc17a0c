"""The layer of users' compiled rows φ or ψ (isodyn.mechanism.compiled_users)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

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
    IntArray,
    closure,
)
from isodyn.kernels.struct_types import opened
from isodyn.mechanism.compiled_poses import FIRST, OUTER, moved, read, sped
from isodyn.mechanism.users_rates import MIXED
from isodyn.multibody.frames import add_wrench, add_wrench_slopes, along_accelerations
from isodyn.multibody.tables import Scratch, Tables
from isodyn.systems.differences import H1, H2

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

SECOND = np.array([1.5, 1.5, -0.15, -0.15, 1.0 / 90.0, 1.0 / 90.0])  # weights of second derivatives …
MIDDLE = -49.0 / 18.0  # … and in the middle


class Frames(NamedTuple):
    """What rows refer to: numbers of their bodies, and for every component of their frames the side
    and the place in (ṙ, ω); typical sizes of displacements and of rates."""

    numbers: IntArray
    side: IntArray
    columns: IntArray
    sizes: FloatArray
    rates: FloatArray
    beat: float


@closure()
def share_out(lam: FloatArray, at: int, below: FloatArray, mine: FloatArray) -> None:
    """Multipliers of the rows of the model below, and those of m rows before row `at` of these."""
    if lam.size > 0:
        for i in range(below.size):
            below[i] = lam[i if i < at else i + mine.size]
        for i in range(mine.size):
            mine[i] = lam[at + i]


def _gradient_of(value: Callable[..., Any], m: int, frames: Frames, holonomic: bool) -> tuple[Any, Any]:
    """Two functions: the rows with frames moved and sped by d (2, 2, 6), and ∂φ along the frames or
    ∂ψ along their rates, (m, 12)."""
    side, columns = frames.side, frames.columns
    way, steps = (0, H1 * frames.sizes) if holonomic else (1, H1 * frames.rates)

    @closure()
    def shifted(t: float, first: PoseNumbers, second: PoseNumbers, d: FloatArray, out: FloatArray) -> int:
        return value(t, sped(moved(first, d[0, 0]), d[1, 0]), sped(moved(second, d[0, 1]), d[1, 1]), out)

    @closure()
    def gradient(t: float, first: PoseNumbers, second: PoseNumbers, G: FloatArray) -> int:
        d, found, status = np.zeros((2, 2, 6)), np.zeros(m), OK
        for x in range(columns.size):
            h, place = steps[columns[x]], 6 * side[x] + columns[x]
            for k in range(OUTER.size):
                d[way, side[x], columns[x]] = OUTER[k] * h
                status = max(status, shifted(t, first, second, d, found))
                for i in range(m):
                    G[i, place] += FIRST[k] / h * found[i]
            d[way, side[x], columns[x]] = 0.0
        return status

    return shifted, gradient


def _mixed_of(shifted: Callable[..., Any], m: int, frames: Frames, holonomic: bool) -> Callable[..., None]:
    """Mixed second differences of λ·φ along increments of frames, or of λ·ψ along rates and
    either."""
    side, columns = frames.side, frames.columns
    way, steps = 0 if holonomic else 1, MIXED * np.array([frames.sizes, frames.rates])

    @closure()
    def value_at(
        t: float, first: PoseNumbers, second: PoseNumbers, lam: FloatArray, d: FloatArray, found: FloatArray
    ) -> float:
        shifted(t, first, second, d, found)
        total = 0.0
        for i in range(m):
            total += lam[i] * found[i]
        return total

    @closure()
    def mixed(t: float, first: PoseNumbers, second: PoseNumbers, lam: FloatArray, other: int, K: FloatArray) -> None:
        d, found = np.zeros((2, 2, 6)), np.zeros(m)
        for x in range(columns.size):
            for y in range(x + 1 if way == other else columns.size):
                hx, hy, four = steps[way, columns[x]], steps[other, columns[y]], 0.0
                for sign in (1.0, -1.0):
                    for factor in (1.0, -1.0):
                        d[way, side[x], columns[x]] += sign * hx
                        d[other, side[y], columns[y]] += sign * factor * hy
                        four += factor * value_at(t, first, second, lam, d, found)
                        d[:] = 0.0
                row, column = 6 * side[x] + columns[x], 6 * side[y] + columns[y]
                K[row, column] = four / (4.0 * hx * hy)
                if way == other:
                    K[column, row] = K[row, column]

    return mixed


@closure()
def add_turns(force: FloatArray, K: FloatArray) -> None:
    """K += ½ τ~ of both bodies; those that do not turn in space have no part in it."""
    for o in (3, 9):
        K[o, o + 1] -= 0.5 * force[o + 2]
        K[o, o + 2] += 0.5 * force[o + 1]
        K[o + 1, o] += 0.5 * force[o + 2]
        K[o + 1, o + 2] -= 0.5 * force[o]
        K[o + 2, o] -= 0.5 * force[o + 1]
        K[o + 2, o + 1] += 0.5 * force[o]


def _rates_of(shifted: Callable[..., Any], m: int, frames: Frames) -> Callable[..., int]:
    """φ̇ or ψ̇ along the motion, or the part of φ̈ that does not depend on accelerations."""
    sizes, beat = frames.sizes, frames.beat

    @closure()
    def rates(t: float, first: PoseNumbers, second: PoseNumbers, twice: bool, out: FloatArray) -> int:
        ways, d, found = np.zeros((2, 6)), np.zeros((2, 2, 6)), np.zeros(m)
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
            d[0] = OUTER[k] * h * ways
            status = max(status, shifted(t + OUTER[k] * h, first, second, d, found))
            weight = SECOND[k] / (h * h) if twice else FIRST[k] / h
            out += weight * found
        return status

    return rates


def _forces_of(
    gradient: Callable[..., Any], mixed: Callable[..., Any], m: int, frames: Frames, holonomic: bool
) -> Callable[..., int]:
    """Gᵀλ of the rows, or its derivative."""
    numbers = frames.numbers

    @closure()
    def add_forces(
        t: float,
        first: PoseNumbers,
        second: PoseNumbers,
        lam: FloatArray,
        c: FloatArray,
        tables: Tables,
        scratch: Scratch,
        n: int,
        out: FloatArray,
    ) -> int:
        """Gᵀλ, or where n > 0 its derivative."""
        G, force = np.zeros((m, 12)), np.zeros(12)
        status = gradient(t, first, second, G)
        for x in range(12):
            for i in range(m):
                force[x] += lam[i] * G[i, x]
        if n == 0:
            add_wrench(numbers, force, 1.0, tables, scratch, out)
            return status
        by_v, by_q = np.zeros((12, 12)), np.zeros((12, 12))
        if c[2] != 0.0:
            mixed(t, first, second, lam, 0, by_q)
        if holonomic:
            add_turns(force, by_q)
        else:
            mixed(t, first, second, lam, 1, by_v)
        add_wrench_slopes(numbers, force, by_v, by_q, (c[1], c[2]), tables, scratch, n, out)
        return status

    return add_forces


def _values_of(
    value: Callable[..., Any],
    gradient: Callable[..., Any],
    rates: Callable[..., Any],
    m: int,
    frames: Frames,
    holonomic: bool,
) -> Callable[..., int]:
    """φ, φ̇ or φ̈ of the rows; of ψ nothing, ψ and ψ̇."""
    numbers = frames.numbers

    @closure()
    def values(
        what: int,
        t: float,
        first: PoseNumbers,
        second: PoseNumbers,
        a: FloatArray,
        tables: Tables,
        scratch: Scratch,
        out: FloatArray,
    ) -> int:
        if what == POSITION and not holonomic:
            out[:] = 0.0
            return OK
        if what == (POSITION if holonomic else VELOCITY):
            return value(t, first, second, out)
        status = rates(t, first, second, holonomic and what == ACCELERATION, out)
        if what == ACCELERATION:
            G = np.zeros((m, 12))
            status = max(status, gradient(t, first, second, G))
            for i in range(m):
                out[i] += along_accelerations(numbers, G[i], a, tables, scratch)
        return status

    return values


def with_rows(
    inner: Callable[..., Any], value: Callable[..., Any], m: int, at: int, others: int, frames: Frames, holonomic: bool
) -> Callable[..., int]:
    """The model with m more rows, φ or ψ, before row `at` of the `others`."""
    numbers = frames.numbers
    number, number_2 = numbers[0], numbers[-1]
    shifted, gradient = _gradient_of(value, m, frames, holonomic)
    mixed, rates = _mixed_of(shifted, m, frames, holonomic), _rates_of(shifted, m, frames)
    add_forces = _forces_of(gradient, mixed, m, frames, holonomic)
    values = _values_of(value, gradient, rates, m, frames, holonomic)

    @closure(MODEL)
    def model(
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        c: FloatArray,
        tables: StructAddress,
        scratch: StructAddress,
        out: FloatArray,
    ) -> int:
        if what in (RETRACT, SETTLE, RATE):
            return inner(what, t, q, v, a, lam, c, tables, scratch, out)
        below, mine = np.zeros(others), np.zeros(m)
        share_out(lam, at, below, mine)
        known, work = opened(Tables, tables), opened(Scratch, scratch)
        if what in (BALANCE, JACOBIAN):
            status = inner(what, t, q, v, a, below, c, tables, scratch, out)
            if status != OK or not mine.any() or (what == JACOBIAN and c[2] == 0.0 and (holonomic or c[1] == 0.0)):
                return status
            n = v.size if what == JACOBIAN else 0
            first, second = read(work.poses, number), read(work.poses, number_2)
            return add_forces(t, first, second, mine, c, known, work, n, out)
        wide = v.size if what == CONSTRAINT else 1
        own = np.zeros(others * wide)
        status = inner(what, t, q, v, a, below, c, tables, scratch, own)
        if status != OK:
            return status
        for i in range(others * wide):
            out[i if i < at * wide else i + m * wide] = own[i]
        first, second = read(work.poses, number), read(work.poses, number_2)
        if what in (POSITION, VELOCITY, ACCELERATION):
            return values(what, t, first, second, a, known, work, out[at : at + m])
        G = np.zeros((m, 12))
        status = gradient(t, first, second, G)
        for i in range(m):
            row = out[(at + i) * wide : (at + i + 1) * wide]
            row[:] = 0.0
            add_wrench(numbers, G[i], 1.0, known, work, row)
        return status

    return model

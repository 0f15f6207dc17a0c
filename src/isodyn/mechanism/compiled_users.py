"""Users' `@njit` loads and rows φ, joined with the model of their mechanism: nothing of a step goes
through Python.

Every part is a layer around the model below it: it asks that model, and adds its own. Formulas are
those of isodyn.mechanism.hybrid, which serves plain functions, nodes of beams and rows ψ. Layers are
compiled anew in every process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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
    WRONG_SHAPE,
    FloatArray,
    closure,
)
from isodyn.kernels.struct_types import opened
from isodyn.mechanism.placed import PlacedBodies
from isodyn.multibody.tables import Scratch
from isodyn.systems.differences import H1, H2
from isodyn.systems.joined import is_compiled

if TYPE_CHECKING:
    from isodyn.mechanism.hybrid import UserMechanismSystem

MIXED = 3e-4  # step of mixed second differences
OUTER = np.array([1.0, -1.0, 2.0, -2.0, 3.0, -3.0])  # where differences of sixth order look …
FIRST = np.array([45.0, -45.0, -9.0, 9.0, 1.0, -1.0]) / 60.0  # … and their weights
SECOND = np.array([1.5, 1.5, -0.15, -0.15, 1.0 / 90.0, 1.0 / 90.0])
MIDDLE = -49.0 / 18.0


def can_compile(system: UserMechanismSystem) -> bool:
    """Whether all of the users' parts can run inside the step."""
    state = PlacedBodies(system)
    rows = [part for part, _ in system.user_rows]
    names = [name for part in rows for name in part.bodies] + [load.body for load in system.user_loads]
    functions = [part.function for part in rows] + [load.function for load in system.user_loads]
    return (
        all(is_compiled(function) for function in functions)
        and all(part.holonomic for part in rows)
        and not any(state.of_beam(name) for name in names)
    )


def joined_model(system: UserMechanismSystem) -> Any:
    """The model function of the mechanism with all layers."""
    state = PlacedBodies(system)
    state.place(system.q0, system.v0)
    function, above, below = system.function, len(system.layout.rows), system.m_phi
    below -= sum(count for _, count in system.user_rows)
    for part, count in system.user_rows:
        kept = [state.places(name) for name in part.bodies]
        body = np.repeat(np.arange(len(kept)), [columns.size for columns, _ in kept])
        columns, places = (np.concatenate([x[k] for x in kept]) for k in range(2))
        numbers = [system.layout.number[name] for name in part.bodies]
        sizes = np.array([part.scale] * 3 + [1.0] * 3, dtype=np.float64)
        scalar = np.ndim(part.function(*(state.pose(name).numbers() for name in part.bodies), 0.0)) == 0
        value = _rows_of(part.function, len(numbers) == 2, scalar, count)
        index = (numbers[0], numbers[-1], body, columns, places)
        function = _with_rows(function, value, count, below, above, index, sizes, system.beat)
        above, below = above + count, below + count
    for load in system.user_loads:
        columns, places = state.places(load.body)
        load.value(0.0, state.pose(load.body))  # refuses wrong shapes
        found = load.function(0.0, state.pose(load.body).numbers())
        value = _force_of(load.function, np.ndim(found) == 2)
        sizes = np.array([float(system.scales.v[0])] * 3 + [1.0] * 3)
        function = _with_load(function, value, system.layout.number[load.body], columns, places, sizes, system.beat)
    return function


# ---- what poses and users' functions are


@closure()
def _read(poses: Any, k: int) -> PoseNumbers:
    """A pose as users' functions see it."""
    pose = poses[k]
    return PoseNumbers(pose.position.copy(), pose.R.copy(), pose.v.copy(), pose.w.copy())


@closure()
def _moved(pose: PoseNumbers, d: FloatArray) -> PoseNumbers:
    """After an increment (dr in the world, dϖ in the body)."""
    x, y, z = d[3], d[4], d[5]
    square = x * x + y * y + z * z
    if square == 0.0:
        return PoseNumbers(pose.position + d[:3], pose.R, pose.velocity, pose.angular_velocity)
    angle = np.sqrt(square)
    s, h = np.sin(angle) / angle, 0.5 * (np.sin(0.5 * angle) / (0.5 * angle)) ** 2
    E = np.array(
        [
            [1.0 - h * (y * y + z * z), h * x * y - s * z, h * x * z + s * y],
            [h * x * y + s * z, 1.0 - h * (x * x + z * z), h * y * z - s * x],
            [h * x * z - s * y, h * y * z + s * x, 1.0 - h * (x * x + y * y)],
        ]
    )
    R = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                R[i, j] += pose.R[i, k] * E[k, j]
    return PoseNumbers(pose.position + d[:3], R, pose.velocity, pose.angular_velocity)


@closure()
def _sped(pose: PoseNumbers, d: FloatArray) -> PoseNumbers:
    """With velocities changed by (dv, dω)."""
    return PoseNumbers(pose.position, pose.R, pose.velocity + d[:3], pose.angular_velocity + d[3:])


def _force_of(function: Callable[..., Any], with_torque: bool) -> Any:
    """Force in the world and torque in the body into `out`."""
    if not with_torque:

        @closure()
        def force(t: float, pose: PoseNumbers, out: FloatArray) -> int:
            found = function(t, pose)
            for i in range(3):
                out[i], out[3 + i] = found[i], 0.0
            return OK if len(found) == 3 else WRONG_SHAPE

        return force

    @closure()
    def both(t: float, pose: PoseNumbers, out: FloatArray) -> int:
        found = function(t, pose)
        if len(found) != 2 or len(found[0]) != 3 or len(found[1]) != 3:
            return WRONG_SHAPE
        for i in range(3):
            out[i], out[3 + i] = found[0][i], 0.0
            for j in range(3):
                out[3 + i] += pose.R[j, i] * found[1][j]
        return OK

    return both


def _rows_of(function: Callable[..., Any], two: bool, scalar: bool, m: int) -> Any:
    """φ of one or two poses into `out`."""
    if two:

        @closure()
        def asked(first: PoseNumbers, second: PoseNumbers, t: float) -> Any:
            return function(first, second, t)
    else:

        @closure()
        def asked(first: PoseNumbers, second: PoseNumbers, t: float) -> Any:
            return function(first, t)

    if scalar:

        @closure()
        def one(t: float, first: PoseNumbers, second: PoseNumbers, out: FloatArray) -> int:
            out[0] = asked(first, second, t)
            return OK

        return one

    @closure()
    def several(t: float, first: PoseNumbers, second: PoseNumbers, out: FloatArray) -> int:
        found = asked(first, second, t)
        if len(found) != m:
            return WRONG_SHAPE
        for i in range(m):
            out[i] = found[i]
        return OK

    return several


# ---- layers


def _with_load(inner: Any, value: Any, number: int, columns: Any, places: Any, sizes: FloatArray, beat: float) -> Any:
    """The model with one more load, on the body of this number."""

    @closure()
    def add_slopes(t: float, pose: PoseNumbers, c: FloatArray, n: int, out: FloatArray) -> int:
        g, d, slope, status = np.zeros(6), np.zeros(6), np.zeros(6), OK
        for y in range(columns.size):
            slope[:] = 0.0
            for k in range(OUTER.size):
                if c[1] != 0.0:
                    h = H1 * sizes[columns[y]] * beat
                    d[columns[y]] = OUTER[k] * h
                    status = max(status, value(t, _sped(pose, d), g))
                    slope += c[1] * FIRST[k] / h * g
                if c[2] != 0.0:
                    h = H1 * sizes[columns[y]]
                    d[columns[y]] = OUTER[k] * h
                    status = max(status, value(t, _moved(pose, d), g))
                    slope += c[2] * FIRST[k] / h * g
            d[columns[y]] = 0.0
            for x in range(columns.size):
                out[places[x] * n + places[y]] -= slope[columns[x]]
        return status

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
        status = inner(what, t, q, v, a, lam, c, tables, scratch, out)
        if status != OK or not (what == BALANCE or (what == JACOBIAN and (c[1] != 0.0 or c[2] != 0.0))):
            return status
        pose = _read(opened(Scratch, scratch).poses, number)
        if what == JACOBIAN:
            return add_slopes(t, pose, c, v.size, out)
        g = np.zeros(6)
        status = value(t, pose, g)
        for x in range(columns.size):
            out[places[x]] -= g[columns[x]]
        return status

    return model


def _gradient_of(value: Any, m: int, index: Any, sizes: FloatArray) -> tuple[Any, Any]:
    """Two functions: poses after increments d (2, 6), and ∂φ along the frames."""
    _, _, body, columns, _ = index

    @closure()
    def shifted(t: float, first: PoseNumbers, second: PoseNumbers, d: FloatArray, out: FloatArray) -> int:
        return value(t, _moved(first, d[0]), _moved(second, d[1]), out)

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


def _with_rows(inner: Any, value: Any, m: int, at: int, others: int, index: Any, sizes: FloatArray, beat: float) -> Any:
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
        if lam.size > 0:
            below[:at], below[at:], mine[:] = lam[:at], lam[at + m :], lam[at : at + m]
        poses = opened(Scratch, scratch).poses
        if what in (BALANCE, JACOBIAN):
            status = inner(what, t, q, v, a, below, c, tables, scratch, out)
            if status != OK or not mine.any() or (what == JACOBIAN and c[2] == 0.0):
                return status
            n = v.size if what == JACOBIAN else 0
            return add_forces(t, _read(poses, number), _read(poses, number_2), mine, c, n, out)
        wide = v.size if what == CONSTRAINT else 1
        own = np.zeros(others * wide)
        status = inner(what, t, q, v, a, below, c, tables, scratch, own)
        if status != OK:
            return status
        for i in range(others * wide):
            out[i if i < at * wide else i + m * wide] = own[i]
        first, second = _read(poses, number), _read(poses, number_2)
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

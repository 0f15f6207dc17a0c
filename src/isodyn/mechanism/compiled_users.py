"""Users' `@njit` loads and rows φ, joined with the model of their mechanism: nothing of a step goes
through Python.

Every part is a layer around the model below it: it asks that model, and adds its own. Formulas are
those of isodyn.mechanism.hybrid, which serves plain functions, nodes of beams and rows ψ. Layers
are compiled anew in every process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.pose import PoseNumbers
from isodyn.kernels.compiled import (
    BALANCE,
    JACOBIAN,
    MODEL,
    OK,
    WRONG_SHAPE,
    FloatArray,
    closure,
)
from isodyn.kernels.struct_types import opened
from isodyn.mechanism.compiled_poses import FIRST, OUTER, moved, read, sped
from isodyn.mechanism.compiled_rows import with_rows
from isodyn.mechanism.placed import PlacedBodies
from isodyn.multibody.tables import Scratch
from isodyn.systems.differences import H1
from isodyn.systems.joined import is_compiled

if TYPE_CHECKING:
    from isodyn.mechanism.hybrid import UserMechanismSystem


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
        function = with_rows(function, value, count, below, above, index, sizes, system.beat)
        above, below = above + count, below + count
    for load in system.user_loads:
        columns, places = state.places(load.body)
        load.value(0.0, state.pose(load.body))  # refuses wrong shapes
        found = load.function(0.0, state.pose(load.body).numbers())
        value = _force_of(load.function, np.ndim(found) == 2)
        sizes = np.array([float(system.scales.v[0])] * 3 + [1.0] * 3)
        function = _with_load(function, value, system.layout.number[load.body], columns, places, sizes, system.beat)
    return function


# ---- users' functions


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
                    status = max(status, value(t, sped(pose, d), g))
                    slope += c[1] * FIRST[k] / h * g
                if c[2] != 0.0:
                    h = H1 * sizes[columns[y]]
                    d[columns[y]] = OUTER[k] * h
                    status = max(status, value(t, moved(pose, d), g))
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
        pose = read(opened(Scratch, scratch).poses, number)
        if what == JACOBIAN:
            return add_slopes(t, pose, c, v.size, out)
        g = np.zeros(6)
        status = value(t, pose, g)
        for x in range(columns.size):
            out[places[x]] -= g[columns[x]]
        return status

    return model

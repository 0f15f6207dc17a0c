"""Users' `@njit` loads and rows, joined with the model of their mechanism: nothing of a step goes
through Python.

Every part is a layer around the model below it: it asks that model, and adds its own. Formulas are
those of isodyn.mechanism.hybrid, which serves plain functions. Layers are compiled anew in every
process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from isodyn.mechanism.compiled_rows import Frames, with_rows
from isodyn.mechanism.placed import PlacedBodies
from isodyn.multibody.frames import add_wrench, add_wrench_slopes
from isodyn.multibody.tables import Scratch, Tables
from isodyn.systems.differences import H1
from isodyn.systems.joined import is_compiled

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress
    from isodyn.mechanism.hybrid import UserMechanismSystem


def can_compile(system: UserMechanismSystem) -> bool:
    """Whether all of the users' parts can run inside the step."""
    functions = [part.function for part, _ in system.user_rows] + [load.function for load in system.user_loads]
    return all(is_compiled(function) for function in functions)


def joined_model(system: UserMechanismSystem) -> Callable[..., int]:
    """The model function of the mechanism with all layers: rows φ behind those of the joints, rows
    ψ behind all."""
    state = PlacedBodies(system)
    state.place(system.q0, system.v0)
    function, others = system.function, len(system.layout.rows)
    at = system.m_phi - sum(count for part, count in system.user_rows if part.holonomic)
    for part, count in sorted(system.user_rows, key=lambda rows: not rows[0].holonomic):
        frames = _frames_of(part.bodies, float(part.scale or 0.0), state, system)
        scalar = np.ndim(part.function(*(state.pose(name).numbers() for name in part.bodies), 0.0)) == 0
        value = _rows_of(part.function, len(part.bodies) == 2, scalar, count)
        function = with_rows(function, value, count, at if part.holonomic else others, others, frames, part.holonomic)
        at, others = at + count, others + count
    for load in system.user_loads:
        load.value(0.0, state.pose(load.body))  # refuses wrong shapes
        found = load.function(0.0, state.pose(load.body).numbers())
        value = _force_of(load.function, np.ndim(found) == 2)
        frames = _frames_of((load.body,), float(system.scales.v[0]), state, system)
        function = _with_load(function, value, frames)
    return function


def _frames_of(names: Sequence[str], length: float, state: PlacedBodies, system: UserMechanismSystem) -> Frames:
    """The frames of these bodies, for rows or a load that changes over this length."""
    columns = [state.places(name)[0] for name in names]
    sizes = np.array([length] * 3 + [1.0] * 3)
    return Frames(
        np.array([system.layout.number[name] for name in names]),
        np.repeat(np.arange(len(columns)), [some.size for some in columns]),
        np.concatenate(columns),
        sizes,
        sizes * system.beat,
        system.beat,
    )


# ---- users' functions


def _force_of(function: Callable[..., Any], with_torque: bool) -> Callable[..., int]:
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


def _rows_of(function: Callable[..., Any], two: bool, scalar: bool, m: int) -> Callable[..., int]:
    """φ of one or two poses into `out`."""
    if two:

        @closure()
        def asked(first: PoseNumbers, second: PoseNumbers, t: float) -> FloatArray:
            return function(first, second, t)
    else:

        @closure()
        def asked(first: PoseNumbers, second: PoseNumbers, t: float) -> FloatArray:
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


def _with_load(inner: Callable[..., Any], value: Callable[..., int], frames: Frames) -> Callable[..., int]:
    """The model with one more load."""
    numbers, columns, steps = frames.numbers, frames.columns, H1 * np.array([frames.sizes, frames.rates])
    number = numbers[0]

    @closure()
    def slopes(t: float, pose: PoseNumbers, way: int, K: FloatArray) -> int:
        """∂/∂(r, ϖ) of the load (way 0), or ∂/∂(ṙ, ω)."""
        g, d, status = np.zeros(12), np.zeros((2, 6)), OK
        for y in range(columns.size):
            column = columns[y]
            for k in range(OUTER.size):
                d[way, column] = OUTER[k] * steps[way, column]
                status = max(status, value(t, sped(moved(pose, d[0]), d[1]), g))
                for x in range(6):
                    K[x, column] += FIRST[k] / steps[way, column] * g[x]
            d[way, column] = 0.0
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
        tables: StructAddress,
        scratch: StructAddress,
        out: FloatArray,
    ) -> int:
        status = inner(what, t, q, v, a, lam, c, tables, scratch, out)
        if status != OK or not (what == BALANCE or (what == JACOBIAN and (c[1] != 0.0 or c[2] != 0.0))):
            return status
        known, work = opened(Tables, tables), opened(Scratch, scratch)
        pose, g = read(work.poses, number), np.zeros(12)
        status = value(t, pose, g)
        if what == BALANCE:
            add_wrench(numbers, g, -1.0, known, work, out)
            return status
        by_v, by_q = np.zeros((12, 12)), np.zeros((12, 12))
        status = max(status, slopes(t, pose, 1, by_v))
        if c[2] != 0.0:
            status = max(status, slopes(t, pose, 0, by_q))
        add_wrench_slopes(numbers, g, by_v, by_q, (-c[1], -c[2]), known, work, v.size, out)
        return status

    return model

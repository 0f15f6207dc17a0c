"""A user's `@njit` functions joined into one compiled model function.

The joined function is made anew in every process (a second or so); the loop that calls it comes
from the disk cache.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numba.core.registry import CPUDispatcher

from isodyn.kernels.compiled import (
    BALANCE,
    CONSTANT_MASS,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    MODEL,
    OK,
    RETRACT,
    RETRACTS,
    WRONG_SHAPE,
    FloatArray,
    Traits,
    closure,
)
from isodyn.kernels.struct import Struct, integer, one, reals
from isodyn.kernels.struct_types import opened
from isodyn.linear_solvers.dense import multiply
from isodyn.systems.joined_lines import Steps
from isodyn.systems.model import Model
from isodyn.systems.multiplier_forces import without_multipliers

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress
    from isodyn.open_types import Compiled, Matrix


def is_compiled(function: object) -> bool:
    """Whether Numba can call this function from compiled code."""
    return isinstance(function, CPUDispatcher)


class JoinedTables(Struct):
    """A constant mass matrix, which derivatives of Q there are, and steps of differences of
    rows."""

    M = reals("n", "n")
    knows_Q_q, knows_Q_v = integer, integer
    steps = one(Steps)


@closure()
def _constant_mass(q: FloatArray, given: JoinedTables) -> FloatArray:
    return given.M


@closure()
def _no_tangent(q: FloatArray, v: FloatArray, t: float, lam: FloatArray) -> FloatArray:
    return np.zeros((0, 0))


@closure()
def _add(q: FloatArray, d: FloatArray) -> FloatArray:
    return q + d


@closure()
def _subtract(factor: float, matrix: FloatArray, n: int, out: FloatArray) -> bool:
    """out −= factor × matrix, row by row; False if its shape is wrong."""
    if matrix.shape != (n, n):
        return False
    for i in range(n):
        for j in range(n):
            out[i * n + j] -= factor * matrix[i, j]
    return True


def _mass_function(M: Compiled) -> Compiled:
    @closure()
    def mass(q: FloatArray, given: object) -> FloatArray:
        return M(q)

    return mass


def join(
    M: Matrix, Q: Compiled, Q_q: Compiled | None, Q_v: Compiled | None, retract: Compiled | None, nonideal: bool = False
) -> Model:
    """One model function out of the user's compiled functions; M may be an array. Forces that
    depend on multipliers take them as a fourth argument."""
    traits = KNOWS_MASS
    traits |= KNOWS_TANGENT if Q_q is not None or Q_v is not None else 0
    traits |= RETRACTS if retract is not None else 0
    traits |= 0 if callable(M) else CONSTANT_MASS
    matrix = np.zeros((0, 0)) if callable(M) else M
    tables = joined_tables(matrix, Q_q is not None, Q_v is not None, Steps(nq=0, nv=0, m=0))
    if not nonideal:
        Q, Q_q, Q_v = (None if f is None else without_multipliers(f) for f in (Q, Q_q, Q_v))  # type: ignore[assignment]
    return Model(_joined(M if callable(M) else None, Q, Q_q, Q_v, retract), Traits(traits), tables)


def joined_tables(M: FloatArray, knows_Q_q: int, knows_Q_v: int, steps: Steps) -> JoinedTables:
    """Tables with these numbers."""
    n, sizes = M.shape[0], {"nq": steps.size_q.size, "nv": steps.size_v.size, "m": steps.rows.size}
    tables = JoinedTables(n=n, **sizes)
    tables.M, tables.knows_Q_q, tables.knows_Q_v = M, knows_Q_q, knows_Q_v
    for name in ("q", "v", "t", "size_q", "size_v", "rows"):
        setattr(tables.steps, name, getattr(steps, name))
    return tables


@lru_cache(maxsize=256)
def _joined(
    M: Compiled | None, Q: Compiled, Q_q: Compiled | None, Q_v: Compiled | None, retract: Compiled | None
) -> Compiled:
    """The compiled function for these functions, made once."""
    mass = _constant_mass if M is None else _mass_function(M)
    stiffness, damping, move = Q_q or _no_tangent, Q_v or _no_tangent, retract or _add

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
        given, n = opened(JoinedTables, tables), v.size
        if what == BALANCE:
            m = mass(q, given)
            force = Q(q, v, t, lam)
            if m.shape != (n, n) or force.shape != (n,):
                return WRONG_SHAPE
            multiply(m, a, out)
            for i in range(n):
                out[i] -= force[i]
        elif what == JACOBIAN:
            m = mass(q, given)
            for i in range(n):
                for j in range(n):
                    out[i * n + j] = c[0] * m[i, j]
            if c[2] != 0.0 and given.knows_Q_q and not _subtract(c[2], stiffness(q, v, t, lam), n, out):
                return WRONG_SHAPE
            if c[1] != 0.0 and given.knows_Q_v and not _subtract(c[1], damping(q, v, t, lam), n, out):
                return WRONG_SHAPE
        elif what == RETRACT:
            moved = move(q, v)
            if moved.shape != q.shape:
                return WRONG_SHAPE
            for i in range(q.size):
                out[i] = moved[i]
        return OK

    return model

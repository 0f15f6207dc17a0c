"""Starts that were looked at before: a system that is run again from where it stands needs no
second look at its rows.

What a look finds (typical sizes of rows, which of them are independent, that the start is on them)
follows from M and G at the position where rows are looked at, and from φ, [φ̇; ψ] and G at the
start. These are asked for again and compared to the last bit, so that functions which answer
otherwise by now are looked at anew. Only starts are remembered that needed nothing: rows without
dependent ones that held as they were given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from isodyn.kernels.compiled import (
    CONSTRAINT,
    COUNTS_TURNS,
    GENERAL,
    JACOBIAN,
    KNOWS_MASS,
    MODEL_TYPE,
    OK,
    POSITION,
    RETRACTS,
    VELOCITY,
    F,
    FloatArray,
    ModelFunction,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.struct_types import ADDRESS
from isodyn.linear_solvers.rows import Rows
from isodyn.marching.start import RowsAt
from isodyn.stepping.memory import weigh
from isodyn.systems.base import System
from isodyn.systems.scales import Weights

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress
    from isodyn.marching.at_rest import AtRest

LARGEST = 2000  # entries of M and of G: larger systems take longer to compare, and longer to run


class KnownStart(NamedTuple):
    """What was asked about a start and answered, and what was found."""

    asked: tuple[Any, ...]
    answers: bytes
    weights: Weights
    rows: Rows


_known: WeakKeyDictionary[Any, KnownStart] = WeakKeyDictionary()
_seen: WeakSet[System] = WeakSet()  # systems that were run before


def can_be_known(run: AtRest) -> bool:
    """Whether a start of this run may be one that is remembered."""
    system, traits = run.system, run.model.traits
    if not system.m or not traits & KNOWS_MASS or traits & (GENERAL | RETRACTS | COUNTS_TURNS):
        return False
    return run.held is None and system.nv * max(system.nv, system.m) <= LARGEST


def take_known(run: AtRest, t: float, given: RowsAt) -> bool:
    """Take over what is known of a start; False where it has to be looked at."""
    known = _known.get(run.system)
    if known is None or known.asked != _asked(run, t, given) or known.answers != _answers(run, t, given):
        return False
    run.weights = known.weights
    weigh(run.memory, run.weights)
    run.enforce(known.rows)
    return True


def remember(run: AtRest, t: float, given: RowsAt) -> None:
    """Remember a start that was looked at, if the run stands there as it was given; of a system
    that is run once nothing is asked for that."""
    if run.system not in _seen:
        _seen.add(run.system)
        return
    if (
        not run.independent.dropped.size
        and given.are_of(run.state.q, run.state.v)
        and (told := _answers(run, t, given))
    ):
        _known[run.system] = KnownStart(_asked(run, t, given), told, run.weights, run.independent)


def _asked(run: AtRest, t: float, given: RowsAt) -> tuple[Any, ...]:
    state = given.q.tobytes(), given.v.tobytes()
    return run.model.function, run.model.sparsity is None, t, run.slowest, run.assemble, *state


def _answers(run: AtRest, t: float, given: RowsAt) -> bytes:
    """M and G where typical sizes are looked at, φ, φ̇ and G at the state; nothing where the model
    has no answer."""
    system, model, pattern = run.system, run.ask.model, run.ask.model.sparsity
    m, n = system.m, system.nv
    M, G = (n * n, m * n) if pattern is None else (pattern.J_columns.size, pattern.G_columns.size)
    found, still = np.zeros(M + 2 * G + 2 * m), np.zeros(max(n, m))
    asked = (model.function, model.tables, model.scratch, t, system.scales.at, still[:n], given.q, given.v, still[:m])
    status = run.answer(ask_about_start, *asked, M, G, found)
    return found.tobytes() if status == OK else b""


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, f8, F, F, F, F, F, i8, i8, F), allocates=True)
def ask_about_start(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    t: float,
    at: FloatArray,
    still: FloatArray,
    q: FloatArray,
    v: FloatArray,
    lam: FloatArray,
    M: int,
    G: int,
    out: FloatArray,
) -> int:
    """All answers one behind the other, of M and G numbers of the matrices."""
    c, m, end = np.array([1.0, 0.0, 0.0, 1.0]), lam.size, M + G
    status = model(JACOBIAN, t, at, still, still, lam, c, tables, scratch, out[:M])
    if status == OK:
        status = model(CONSTRAINT, t, at, still, still, lam, c, tables, scratch, out[M:end])
    if status == OK:
        status = model(POSITION, t, q, v, v, lam, c, tables, scratch, out[end : end + m])
    if status == OK:
        status = model(VELOCITY, t, q, v, v, lam, c, tables, scratch, out[end + m : end + 2 * m])
    if status == OK:
        status = model(CONSTRAINT, t, q, v, v, lam, c, tables, scratch, out[end + 2 * m :])
    return status

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
from weakref import WeakKeyDictionary

import numpy as np

from isodyn.kernels.compiled import COUNTS_TURNS, GENERAL, KNOWS_MASS, RETRACTS
from isodyn.linear_solvers.rows import Rows
from isodyn.marching.start import RowsAt
from isodyn.stepping.memory import weigh
from isodyn.systems.scales import Weights

if TYPE_CHECKING:
    from isodyn.marching.at_rest import AtRest

LARGEST = 2000  # entries of M and of G: larger systems take longer to compare, and longer to run


class KnownStart(NamedTuple):
    """What was asked about a start and answered, and what was found."""

    asked: tuple[Any, ...]
    answers: tuple[bytes, ...]
    weights: Weights
    rows: Rows


_known: WeakKeyDictionary[Any, KnownStart] = WeakKeyDictionary()


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
    """Remember a start that was looked at, if the run stands there as it was given."""
    if not run.independent.dropped.size and given.are_of(run.state.q, run.state.v):
        _known[run.system] = KnownStart(_asked(run, t, given), _answers(run, t, given), run.weights, run.independent)


def _asked(run: AtRest, t: float, given: RowsAt) -> tuple[Any, ...]:
    state = given.q.tobytes(), given.v.tobytes()
    return run.model.function, run.model.sparsity is None, t, run.slowest, run.assemble, *state


def _answers(run: AtRest, t: float, given: RowsAt) -> tuple[bytes, ...]:
    at, still, mass = run.system.scales.at, np.zeros(given.v.size), run.ask.mass
    M = mass(t, at, still)
    looked = given.G if given.are_of(at, still) else run.ask.rows(t, at, still)
    entries = M if isinstance(M, np.ndarray) else M.data
    return tuple(np.asarray(x).tobytes() for x in (entries, looked, given.phi, given.rate, given.G))

"""A system as the compiled loop sees it: one function, its numbers, its traits.

Three ways lead there: a function of the library compiled with `kernel(MODEL)`; a user's `@njit`
functions joined into one compiled function; or plain Python functions behind `python_model`, one
compiled function for all of them that calls back into Python. The last finds its object by the
number in its tables and never lets an exception through compiled code: it is kept on the object,
and the loop is told to stop.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

import numpy as np

from isodyn.kernels import interrupts
from isodyn.kernels.compiled import KNOWS_LEVELS, RAISED, SOLVES, SPARSE, FloatArray, IntArray, Traits
from isodyn.kernels.struct import Nothing, Struct, integer
from isodyn.kernels.uncompiled import explained
from isodyn.later import Later
from isodyn.linear_solvers.blocks import Sparsity

trampoline = Later("isodyn.systems.trampoline")  # which calls back into this module


class Question(NamedTuple):
    """A question of `isodyn.kernels.compiled` at a state; `c` weights what a matrix is made of."""

    what: int
    t: float
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    c: FloatArray


class Met(NamedTuple):
    """What came of choosing where bodies touch: numbers of the gaps that are others now, and
    whether bodies are in each other where nothing was chosen before."""

    moved: IntArray
    missed: bool


class Answers(Protocol):
    """A Python object that answers the questions of `isodyn.kernels.compiled`; `solver` names what
    it solves with, if it does."""

    solver: str

    def answer(self, question: Question, out: FloatArray) -> int: ...


@dataclass(frozen=True, eq=False)
class Model:
    """What `integrate` hands to the loop. Models share tables; each has
    scratch of its own. `raised` holds the exception of a Python callable after
    the loop was told to stop."""

    function: Callable[..., Any]
    traits: int
    tables: Struct = field(default_factory=Nothing)
    scratch: Struct = field(default_factory=Nothing)
    callback: Callback | None = None
    sparsity: Sparsity | None = None
    dense: Callable[[], Model] | None = None  # the same model with full matrices
    # of a large linear system with a diagonal mass matrix: its inverse, and whether the balance reads v;
    # it is then asked with an empty a, too, which means a = 0
    inverse_mass: FloatArray = field(default_factory=lambda: np.zeros(0))
    damped: bool = True
    # of contacts between meshes: choose where they touch at q, v, for the first time or again
    meet: Callable[[FloatArray, FloatArray, bool], Met] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "traits", int(self.traits))  # asked for often, and numbers are fast

    @property
    def raised(self) -> BaseException | None:
        return None if self.callback is None else self.callback.raised

    @property
    def solver(self) -> str:
        """Name of the linear solver in use."""
        if self.traits & SPARSE:
            return "block LU"
        return self.callback.model.solver if self.callback is not None and self.traits & SOLVES else "dense LU"


class Callback:
    """Keeps a Python model reachable from compiled code while a run lasts."""

    def __init__(self, model: Answers) -> None:
        self.model = model
        self.raised: BaseException | None = None
        self.handle = next(_handles)
        _callbacks[self.handle] = self


class PythonTables(Struct):
    """How compiled code finds a Python model."""

    handle = integer


_handles = itertools.count()
_callbacks: WeakValueDictionary[int, Callback] = WeakValueDictionary()


def call_back(handle: int, *asked: Any) -> int:
    """Ask the Python model with this handle, a `Question` and the place of its answer; any
    exception, Ctrl-C included, is kept and answered by RAISED."""
    callback = _callbacks[handle]
    try:
        if interrupts.pending():
            raise KeyboardInterrupt
        return callback.model.answer(Question(*asked[:-1]), asked[-1])
    except BaseException as error:
        callback.raised = explained(error)
        return RAISED


def from_python(model: Answers, traits: int) -> Model:
    """A model whose answers come from Python."""
    callback, tables = Callback(model), PythonTables()
    tables.handle = callback.handle
    return Model(trampoline.python_model, Traits(traits & ~KNOWS_LEVELS), tables, callback=callback)

"""The memory of a step: vectors, matrix and pivots for the constraint rows that are enforced, and
what holds when pivots are missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.formulations.closure import Closure
from isodyn.kernels.blas_threads import one_thread
from isodyn.kernels.compiled import NONIDEAL, SOLVES, FloatArray, IntArray
from isodyn.kernels.numba_internals.addresses import remember_addresses
from isodyn.kernels.struct import Struct
from isodyn.later import Later
from isodyn.linear_solvers.choice import dense_in_corrections, pattern_for
from isodyn.linear_solvers.rows import Rows, every
from isodyn.marching.plan import STILL, Member, fill_leg
from isodyn.stepping.memory import Controls, Counters, Leg, Memory, allocate, forget, new_state, weigh
from isodyn.systems.base import System
from isodyn.systems.compiled_system import settled
from isodyn.systems.model import Model
from isodyn.systems.questions import Questions
from isodyn.systems.scales import unlooked, weights

if TYPE_CHECKING:
    from isodyn.marching.error_sizes import ErrorSizes

fallback = Later("isodyn.stepping.fallback")  # SciPy's solvers take a while to load

remember_addresses()  # of models, which every call of a kernel is handed

UNTRIED = Controls(1e-10, 0, 0, 0, 0, 0, 0)  # of what is no iteration
FEW = 60  # unknowns up to which memory is copied from one that was made before


def model_for(system: System, closure: Closure, scaling: FloatArray | None) -> Model:
    """The model of a system; with full matrices where a formulation needs them."""
    model: Model = system.model()
    return model.dense() if model.dense is not None and (closure.eliminate or scaling is not None) else model


def memory_for(
    model: Model,
    system: System,
    chosen: IntArray,
    merged: Sequence[tuple[int, int]] = (),
    updates: int = 0,
    patient: bool = False,
) -> Memory:
    """New memory for steps of a model with these constraint rows."""
    packed = None
    if model.sparsity is not None:
        packed = pattern_for(model.sparsity, chosen, [pair for pair in merged if pair[1] in chosen], patient)
    dense, nonideal, masses = not model.traits & SOLVES, bool(model.traits & NONIDEAL), model.inverse_mass.size
    sizes = system.nq, system.nv, system.m
    if packed is None and system.nv + system.m <= FEW and masses == 0:
        memory = _empty(*sizes, chosen.tobytes(), dense=dense, updates=updates, nonideal=nonideal).copy()
    else:
        memory = allocate(*sizes, chosen, dense=dense, packed=packed, updates=updates, nonideal=nonideal, masses=masses)
        memory.inverse_mass = model.inverse_mass
        if dense and packed is None:
            memory.blocks.ratio = dense_in_corrections(memory.r.size)
    memory.damped = int(model.damped)
    return memory


@lru_cache(maxsize=32)
def _empty(nq: int, nv: int, m: int, chosen: bytes, *, dense: bool, updates: int, nonideal: bool) -> Memory:
    """Memory of these sizes for a model with full matrices, to be copied."""
    memory = allocate(nq, nv, m, np.frombuffer(chosen, dtype=np.int64), dense=dense, updates=updates, nonideal=nonideal)
    if dense:
        memory.blocks.ratio = dense_in_corrections(memory.r.size)
    return memory


class StepMemory:
    """A system with its model and state, and the memory of its steps."""

    def __init__(self, system: System, closure: Closure, scaling: FloatArray | None) -> None:
        nv, m = system.nv, system.m
        self.system, self.closure, self.scaling = system, closure, scaling
        self.model = self.model_of(system)
        self.ask = Questions(system, self.model)
        self.state = new_state(system.nq, nv, m)
        self.state.q, self.state.v = settled(system, system.q0), system.v0
        self.counters = Counters()
        self.legs: dict[Closure, Leg] = {}  # without steps, for what is asked at one instant
        self.updates = 0  # iterations of which memory keeps the corrections
        self.weights = unlooked(system)
        self.merged: list[tuple[int, int]] = []  # nodes that are eliminated with a joint
        self.patient = False  # whether joints wait for all of their bodies
        self.other: Model | None = None  # the model with SuperLU, once it is needed
        self.sizes: ErrorSizes | None = None  # that local errors are compared with, in runs that keep them small
        self.independent = every(m)  # until rows are chosen: those that it will most likely be
        self.memory = self.memory_for(self.independent)

    def model_of(self, system: System) -> Model:
        """The model of a system, as this memory is made for it."""
        return model_for(system, self.closure, self.scaling)

    def look(self, t: float) -> None:
        """Find the typical sizes of the rows and of the matrix of a step."""
        self.weights = weights(self.ask, t)
        weigh(self.memory, self.weights)

    def enforce(self, rows: Rows) -> None:
        """Make memory for a step with these constraint rows; it stays as it is if the rows are the
        same."""
        before, self.independent = self.independent, rows
        if np.array_equal(before.chosen, rows.chosen):
            self.memory.factors_good, self.memory.second_change = 0, 0.0
            forget(self.state)
        else:
            self.renew_memory()
            forget(self.state, differences=True)

    def memory_for(self, rows: Rows) -> Memory:
        """New memory for a step with these constraint rows."""
        memory = memory_for(self.model, self.system, rows.chosen, self.merged, self.updates, self.patient)
        weigh(memory, self.weights)
        if self.sizes is not None:
            self.sizes.put_into(memory)
        if self.scaling is not None:
            memory.N = np.linalg.inv(self.scaling).ravel()
        return memory

    def renew_memory(self) -> None:
        """Make memory for the present rows and order of elimination; counters go on."""
        refined = self.refinements()
        self.memory = self.memory_for(self.independent)
        if self.model.sparsity is not None:
            self.memory.blocks.refined = refined
        if self.other is not None:
            self.take_superlu()

    def forget(self) -> None:
        """Factors, at a checkpoint: a run that goes on from there does not have them."""
        self.renew_memory()

    @property
    def solver(self) -> str:
        """Name of the linear solver in use."""
        if self.other is not None:
            return self.other.solver
        return "multifrontal LU" if len(self.memory.blocks.fronts) > 0 else self.model.solver

    def refinements(self) -> int:
        """Number of refined solutions so far."""
        return int(self.memory.blocks.refined)

    def take_superlu(self) -> None:
        """Solve with SuperLU for the present rows from now on."""
        self.other = fallback.with_superlu(self.model, self.independent.chosen, self.memory.unknown_sizes.copy())

    def answer(self, kernel: Callable[..., Any], *given: object) -> int:
        """The status that a kernel returns; where fronts multiply by BLAS, it has one thread
        meanwhile."""
        if self.memory.blocks.gemm == 0:
            return int(kernel(*given))
        with one_thread():
            return int(kernel(*given))

    def physics(self, closure: Closure) -> tuple[Any, Struct, Struct, Leg]:
        """The model as compiled code takes it, and a leg without steps, for what is asked at one
        instant."""
        if closure not in self.legs:
            self.legs[closure] = fill_leg(Leg(), self.model, self.system.m_phi, Member(STILL, closure), UNTRIED)
        return self.model.function, self.model.tables, self.model.scratch, self.legs[closure]

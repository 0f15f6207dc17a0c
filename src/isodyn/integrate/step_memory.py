"""The memory of a step: vectors, matrix and pivots for the constraint rows that are enforced, and
what holds when pivots are missing."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from isodyn.formulations.closure import Closure
from isodyn.integrate.memory import Controls, Counters, Leg, Memory, allocate, forget, new_state, weigh
from isodyn.kernels.compiled import SOLVES, Coefficients, FloatArray, IntArray
from isodyn.kernels.struct import Struct
from isodyn.linear_solvers.block_layout import REFINED
from isodyn.linear_solvers.blocks import joint_to_merge, pack
from isodyn.linear_solvers.rows import Rows, choose
from isodyn.systems.compiled_system import settled
from isodyn.systems.model import Model
from isodyn.systems.questions import Questions
from isodyn.systems.scales import unlooked, weights

STILL = Coefficients(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)  # no step at all
UNTRIED = Controls(1e-10, 0, 0, 0, 0, 0, 0)  # of what is no iteration
MOST_MERGED = 8  # joints that are eliminated with a body before SuperLU takes over


def model_for(system: Any, closure: Closure, scaling: FloatArray | None) -> Model:
    """The model of a system; with full matrices where a formulation needs them."""
    model: Model = system.model()
    return model.dense() if model.dense is not None and (closure.eliminate or scaling is not None) else model


def leg_for(model: Model, holonomic: int, rows: IntArray, closure: Closure, s: Coefficients, controls: Controls) -> Leg:
    """Steps of a model with these rows, closure, coefficients and settings, without a limit for
    loads."""
    leg = Leg(rows=rows.size)
    leg.traits, leg.holonomic, leg.rows, leg.t_limit = model.traits, holonomic, rows, np.inf
    for numbers in (s, controls):
        for name, value in numbers._asdict().items():
            setattr(leg, name, value)
    for field in fields(closure):
        if field.name != "where":
            setattr(leg.closure, field.name, getattr(closure, field.name))
    leg.closure.at_balance = closure.at_balance
    return leg


class StepMemory:
    """A system with its model and state, and the memory of its steps."""

    def __init__(self, system: Any, closure: Closure, scaling: FloatArray | None) -> None:
        nv, m = system.nv, system.m
        self.system, self.closure, self.scaling = system, closure, scaling
        self.model = model_for(system, closure, scaling)
        self.ask = Questions(system, self.model)
        self.state = new_state(system.nq, nv, m)
        self.state.q, self.state.v = settled(system, system.q0), system.v0
        self.counters = Counters()
        self.legs: dict[Any, Leg] = {}  # of the present rows, by what they were made of
        self.weights = unlooked(system)
        self.merged: list[tuple[int, int]] = []  # nodes that are eliminated with a joint
        self.other: Model | None = None  # the model with SuperLU, once it is needed
        self.independent: Any = None
        self.memory: Any = None
        self.enforce(choose(np.zeros((0, nv))))

    def look(self, t: float) -> None:
        """Find the typical sizes of the rows and of the matrix of a step."""
        self.weights = weights(self.ask, t)
        weigh(self.memory, self.weights, self.independent.chosen)

    def enforce(self, rows: Rows) -> None:
        """Memory for a step with these constraint rows; what is there is kept where the rows stay
        the same."""
        before, self.independent = self.independent, rows
        if before is not None and np.array_equal(before.chosen, rows.chosen):
            self.memory.factors_good, self.memory.second_change = 0, 0.0
            forget(self.state)
        elif before is None:
            self.memory = self.memory_for(rows)
        else:
            self.renew_memory()
            forget(self.state, differences=True)

    def memory_for(self, rows: Rows) -> Memory:
        """New memory for a step with these constraint rows."""
        system, packed = self.system, None
        if self.model.sparsity is not None:
            merged = [pair for pair in self.merged if pair[1] in rows.chosen]
            packed = pack(self.model.sparsity, rows.chosen, merged)
        dense = not self.model.traits & SOLVES
        memory = allocate(system.nq, system.nv, system.m, rows.rank, dense=dense, packed=packed)
        weigh(memory, self.weights, rows.chosen)
        if self.scaling is not None:
            memory.N = np.linalg.inv(self.scaling).ravel()
        return memory

    def renew_memory(self) -> None:
        """Memory for the present rows and order of elimination; what is counted there goes on."""
        refined = self.refinements()
        self.memory = self.memory_for(self.independent)
        self.legs.clear()
        if self.model.sparsity is not None:
            self.memory.pivots[REFINED] = refined
        if self.other is not None:
            self.take_superlu()

    def refinements(self) -> int:
        """How many solutions were refined so far."""
        return int(self.memory.pivots[REFINED]) if self.model.sparsity is not None else 0

    def choose_pivots(self) -> bool:
        """Where a block has no pivot of its own: eliminate it together with a joint of it; SuperLU
        when that does not help."""
        pattern = self.model.sparsity
        if pattern is None or self.closure.project > 0 or self.other is not None:
            return False
        found = None
        if len(self.merged) < MOST_MERGED:
            found = joint_to_merge(pattern, self.independent.chosen, self.merged, int(self.memory.fault[0]))
        if found is not None:
            self.merged.append(found)
            self.counters.repivots += 1
        else:
            self.take_superlu()
            self.counters.fallbacks += 1
        self.renew_memory()
        forget(self.state, differences=True)
        return True

    def take_superlu(self) -> None:
        """Solve with SuperLU for the present rows from now on."""
        from isodyn.integrate.fallback import with_superlu

        self.other = with_superlu(self.model, self.independent.chosen, self.memory.unknown_sizes.copy())

    def physics(
        self, closure: Closure, s: Coefficients = STILL, controls: Controls = UNTRIED, *, stepping: bool = False
    ) -> tuple[Any, Struct, Struct, Leg]:
        """The model as compiled code takes it, and the leg of steps with this closure and these
        coefficients."""
        model = self.other if stepping and self.other is not None else self.model
        key = closure, s, controls, stepping
        if key not in self.legs:
            self.legs[key] = leg_for(model, self.system.m_phi, self.independent.chosen, closure, s, controls)
        return model.function, model.tables, model.scratch, self.legs[key]

"""The memory of a step: vectors, matrix and pivots for the constraint rows that are enforced, and what holds when pivots are missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import SOLVES, Closure, FloatArray, IntArray, State
from isodyn.integrate import work
from isodyn.linear_solvers.block_layout import REFINED
from isodyn.linear_solvers.blocks import joint_to_merge, pack
from isodyn.linear_solvers.rows import Rows, choose
from isodyn.systems.compiled_system import settled
from isodyn.systems.model import Model
from isodyn.systems.questions import Questions
from isodyn.systems.scales import unlooked, weights

MOST_MERGED = 8  # joints that are eliminated with a body before SuperLU takes over


def model_for(system: Any, closure: Closure, scaling: FloatArray | None) -> Model:
    """The model of a system; with full matrices where a formulation needs them."""
    model: Model = system.model()
    return model.dense() if model.dense is not None and (closure.null_space or scaling is not None) else model


class StepMemory:
    """A system with its model and state, and the memory of its steps."""

    def __init__(self, system: Any, closure: Closure, scaling: FloatArray | None) -> None:
        nv, m = system.nv, system.m
        self.system, self.closure, self.scaling = system, closure, scaling
        self.model = model_for(system, closure, scaling)
        self.ask = Questions(system, self.model)
        self.state = State(
            np.zeros(2), settled(system, system.q0).copy(), system.v0.copy(), np.zeros(nv), np.zeros(m), np.zeros(nv)
        )
        self.count = np.zeros(work.COUNTERS, dtype=np.int64)
        self.weights = unlooked(system)
        self.merged: list[tuple[int, int]] = []  # nodes that are eliminated with a joint
        self.other: Model | None = None  # the model with SuperLU, once it is needed
        self.independent: Any = None
        self.work: Any = None
        self.enforce(choose(np.zeros((0, nv))))

    def look(self, t: float) -> None:
        """Find the typical sizes of the rows and of the matrix of a step."""
        self.weights = weights(self.ask, t)
        work.weigh(self.work, self.weights, self.independent.chosen)

    def enforce(self, rows: Rows) -> None:
        """Memory for a step with these constraint rows; what is there is kept where the rows stay the same."""
        before, self.independent = self.independent, rows
        if before is not None and np.array_equal(before.chosen, rows.chosen):
            self.work.key[0] = 0.0
            self.work.past[: work.T_B] = 0.0
            return
        if before is None:
            self.work, self.pivots = self.memory(rows)
        else:
            self.renew_memory()

    def memory(self, rows: Rows) -> tuple[Any, IntArray]:
        """New memory for a step with these constraint rows."""
        system, packed = self.system, None
        pivots = np.zeros(2 * (system.nv + rows.rank), dtype=np.int64)
        if self.model.sparsity is not None:
            merged = [pair for pair in self.merged if pair[1] in rows.chosen]
            pivots = packed = pack(self.model.sparsity, rows.chosen, merged)
        dense = not self.model.traits & SOLVES
        w = work.allocate_work(system.nq, system.nv, system.m, rows.rank, dense=dense, packed=packed)
        work.weigh(w, self.weights, rows.chosen)
        if self.scaling is not None:
            w.N[:] = np.linalg.inv(self.scaling).ravel()
        return w, pivots

    def renew_memory(self) -> None:
        """Memory for the present rows and order of elimination; what is counted there goes on."""
        before, refined = self.work, self.refinements()
        self.work, self.pivots = self.memory(self.independent)
        self.work.near[:] = before.near
        for kept in (slice(work.V_B, work.V_BB + 1), work.JUDGED):
            self.work.n[kept] = before.n[kept]
        self.work.q[work.Q_B :] = before.q[work.Q_B :]
        self.work.past[work.T_B :] = before.past[work.T_B :]
        if self.model.sparsity is not None:
            self.pivots[REFINED] = refined
        if self.other is not None:
            self.take_superlu()

    def refinements(self) -> int:
        """How many solutions were refined so far."""
        return int(self.pivots[REFINED]) if self.model.sparsity is not None else 0

    def choose_pivots(self) -> bool:
        """Where a block has no pivot of its own: eliminate it together with a joint of it; SuperLU when that does not help."""
        pattern = self.model.sparsity
        if pattern is None or self.closure.project > 0 or self.other is not None:
            return False
        found = None
        if len(self.merged) < MOST_MERGED:
            found = joint_to_merge(pattern, self.independent.chosen, self.merged, int(self.work.fault[0]))
        if found is not None:
            self.merged.append(found)
            self.count[work.REPIVOTS] += 1
        else:
            self.take_superlu()
            self.count[work.FALLBACKS] += 1
        self.renew_memory()
        return True

    def take_superlu(self) -> None:
        """Solve with SuperLU for the present rows from now on."""
        from isodyn.integrate.fallback import with_superlu

        self.other = with_superlu(self.model, self.independent.chosen, self.work.sizes.copy())

    def physics(
        self, closure: Closure, stepping: bool = False
    ) -> tuple[Any, int, int, Closure, IntArray, FloatArray, IntArray]:
        """The model as compiled code takes it."""
        model = self.other if stepping and self.other is not None else self.model
        return model.function, model.traits, self.system.m_phi, closure, self.independent.chosen, model.pf, model.pi

"""Which constraint rows a run enforces: the choice at the start, and another one where they come
close to depending on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.formulations.closure import OPEN, Closure
from isodyn.kernels.compiled import OK, FloatArray, IntArray
from isodyn.linear_solvers.blocks import full
from isodyn.linear_solvers.rows import LARGE, WORN, Rows, choose, choose_sparse, largest_part, moved_multipliers
from isodyn.marching import at_balance
from isodyn.marching.step_memory import StepMemory
from isodyn.stepping import initial
from isodyn.systems.base import System

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

SAME_ROWS = 1e-9  # of the size of q: a change of the start that leaves the choice of rows as it was


class EnforcedRows(StepMemory):
    """A step's memory whose rows are chosen by the state."""

    def __init__(self, system: System, closure: Closure, scaling: FloatArray | None) -> None:
        super().__init__(system, closure, scaling)
        # G a = b at the balance, and nothing else
        self.drifts = closure.at_balance and closure.compliance == 0.0
        self.chosen_at = -np.inf  # when rows were last chosen again
        self.held: IntArray | None = None  # numbers of the rows that are held, where events released others

    def independent_rows(self, t: float, G: Matrix | None = None, *, again: bool = False) -> Rows:
        """The choice of rows at the present state, where G is known or asked for."""
        G, by = self.ask.rows(t, self.state.q, self.state.v) if G is None else G, self.system.scales.v
        pattern = self.model.sparsity
        if self.held is not None:
            found = choose((full(G) * by)[self.held])
            return Rows(self.held[found.chosen], self.held[found.dropped], found.diagonal)
        if pattern is None or G.shape[0] * G.shape[1] <= LARGE:
            return choose(G * by, at_balance.tolerance_of_choice(self, G)) if again else choose(G * by)
        M, G = self.ask.mass(t, self.state.q, self.state.v), self.ask.G(t, self.state.q, self.state.v)
        return choose_sparse(pattern, M.data, G.data, self.weights.matrix)

    def of_held(self, G: Matrix) -> Matrix:
        """G with zeros in rows that events have released."""
        if self.held is None or self.held.size == G.shape[0]:
            return G
        found = np.zeros(G.shape)
        found[self.held] = full(G)[self.held]
        return found

    def moved_from(self, q: FloatArray) -> bool:
        """Whether the state has moved so far from q that rows should be chosen again."""
        by, now = self.weights.q, self.state.q
        return bool((np.abs(now - q) * by).max(initial=0.0) > SAME_ROWS * (np.abs(now) * by).max(initial=0.0))

    def should_choose_again(self, G: Matrix) -> bool:
        """Whether the enforced rows come close to depending on each other while others would not:
        loops that move far."""
        if G.shape[0] * G.shape[1] > LARGE // 10:  # where looking costs more than a failed step
            return False
        return largest_part(G * self.system.scales.v, self.independent) * WORN > 1.0

    def choose_again(self, G: Matrix | None = None) -> bool:
        """Another independent set of rows at this state, if there is a better one; the force of
        constraint stays what it is. G is asked for if it is not given."""
        state, t = self.state, float(self.state.t)
        if (
            self.closure.compliance > 0.0 or self.system.first_order
        ):  # rows with algebraic unknowns have no G to choose by
            return False
        G = self.ask.rows(t, state.q, state.v) if G is None else G
        rows = self.independent_rows(t, G, again=True)
        if np.array_equal(rows.chosen, self.independent.chosen) or t == self.chosen_at:
            return False
        self.chosen_at = t  # one new choice per state
        state.lam[:] = moved_multipliers(G, state.lam, rows, self.system.scales)
        if rows.rank != self.independent.rank:
            state.nearest, state.nearest_at = 0.0, t
        self.enforce(rows)
        return self.onto_rows(t) == OK

    def onto_rows(self, t: float) -> int:
        """Move the state onto the enforced rows by the least change in the mass norm; a status."""
        return self.answer(initial.nearest_consistent, *self.physics(OPEN), t, self.state, self.memory)

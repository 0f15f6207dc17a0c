"""Rows of a run whose steps another method than GS4 takes: multipliers of least norm where rows of
constraints are redundant, limits along the branch where they lose rank."""

from __future__ import annotations

import numpy as np

from isodyn.formulations.gauss import UdwadiaKalaba
from isodyn.formulations.gauss_reduction import Reduction
from isodyn.formulations.near_singular import warn_near_singular
from isodyn.kernels.compiled import OK, FloatArray
from isodyn.later import Later
from isodyn.later import sparse as sp
from isodyn.linear_solvers.rank import decide
from isodyn.linear_solvers.rows import FEW, LARGE, TOLERANCE, choose, least_multipliers
from isodyn.marching.row_ranks import Ranks, ranks_of_rows, tell_in_python
from isodyn.marching.run import Run
from isodyn.results.solution import Solution
from isodyn.stepping.memory import State
from isodyn.systems.branches import limit
from isodyn.systems.questions import Questions

passed_over = Later("isodyn.results.passed_over")
shared_reactions = Later("isodyn.results.shared_reactions")  # mechanisms only


class MethodRows(Run):
    """A run that writes its rows in Python, or finishes there what the march has written."""

    closest = (1.0, 0.0)  # to a loss of rank: the smallest pivot, and when
    named_redundant: dict[str, None]
    times: FloatArray | None  # of rows, where they are named
    shown = 0  # rows that an observer has seen

    def _keeps_balance(self) -> bool:
        """No: the balance of these methods holds at every row."""
        return False

    def rows_expected(self, numbers: int) -> int:
        """As in every run; with times that were named no more than those, and one for its end."""
        expected = super().rows_expected(numbers)
        return expected if self.times is None else min(expected, self.times.size + 1)

    def ended_by_observer(self) -> bool:
        """Show all new rows to the observer; True from it ends the run with the step in which that
        row is."""
        if self.observe is None:
            return False
        rows, ended = int(self.counters.rows), False
        try:
            while self.shown < rows and not ended:
                self.counters.rows = self.shown = self.shown + 1
                ended = super().ended_by_observer()
        finally:
            self.counters.rows = rows
        return ended

    def put_row(self, t: float, state: State) -> None:
        """The next row."""
        k = int(self.counters.rows)
        if k == self.rows.t.size:
            self.make_room(2 * k)
        self.rows.t[k] = t
        for name in ("q", "v", "a", "lam"):
            getattr(self.rows, name)[k] = getattr(state, name)
        self.counters.rows = k + 1

    def keep_row(self) -> None:
        """The state as a row, if it is none yet."""
        k = int(self.counters.rows)
        if k == 0 or self.rows.t[k - 1] != self.state.t:
            self.put_row(float(self.state.t), self.state)
            self.finish_rows(k)

    def show_start(self, row: int) -> None:
        """A start in a row."""
        self.counters.rows = row
        self.put_row(float(self.state.t), self.state)
        self.finish_rows(row)

    def show_last(self, k: int) -> None:
        """The state as row k, where the run was stopped."""
        self.counters.rows = k
        self.put_row(float(self.state.t), self.state)
        self.finish_rows(k)
        self.counters.rows = k

    def finish_rows(self, begin: int) -> None:
        """Rows from this one on: multipliers are those of least norm where rows are redundant;
        where rows lose rank, accelerations are computed again too."""
        if not self.system.m or self.system.first_order:
            return
        rows, enforced, end = self.rows, self.independent.rank, int(self.counters.rows)
        if self.held is not None:
            self.ranks[begin:end] = enforced
            for k in range(begin, end) if self.independent.dropped.size else ():
                G = self.of_held(self.ask.G(float(rows.t[k]), rows.q[k], rows.v[k]))
                rows.lam[k] = least_multipliers(G, rows.lam[k], self.system.scales)
            return
        if not self.loses_rank(begin, end) and enforced == self.system.m:
            return
        for k in range(begin, end):
            t, q, v = float(rows.t[k]), rows.q[k], rows.v[k]
            if self.ranks[k] < enforced:
                rows.a[k], rows.lam[k] = self.at_loss_of_rank(t, q, v, int(self.ranks[k]))
            elif enforced < self.system.m:
                rows.lam[k] = least_multipliers(self.ask.G(t, q, v), rows.lam[k], self.system.scales)

    def loses_rank(self, begin: int, end: int) -> bool:
        """Note the ranks of G at saved rows, and how close they come to a loss; whether one is
        smaller than the number of enforced rows."""
        m, rows, model, sizes = self.system.m, self.rows, self.ask.model, self.system.scales.v
        told = Ranks(m=m)
        told.enforced, told.pivot, told.when = self.independent.rank, *self.closest
        compiled = model.sparsity is None and m * self.system.nv <= FEW and model.callback is None
        given = (model.function, model.tables, model.scratch, begin, end, rows.t, rows.q, rows.v, sizes)
        if not compiled or ranks_of_rows(*given, self.ranks, told) != OK:
            told.lost, told.pivot, told.when = 0, *self.closest
            for k in range(begin, end):
                G = self.ask.G(float(rows.t[k]), rows.q[k], rows.v[k]) * sizes
                decided = decide(G, rcond=TOLERANCE) if sp.issparse(G) else choose(G)
                self.ranks[k], told.diagonal = decided.rank, 0.0
                told.diagonal[: decided.diagonal.size] = decided.diagonal
                tell_in_python(float(rows.t[k]), decided.rank, told)
        self.closest = float(told.pivot), float(told.when)
        return bool(told.lost > 0)

    def at_loss_of_rank(self, t: float, q: FloatArray, v: FloatArray, rank: int) -> tuple[FloatArray, FloatArray]:
        """Accelerations and multipliers as limits along the branch; from fewer rows where there are
        none."""
        ask = Questions(self.system)
        found = limit(ask, t, q, v, rank) if self.system.m * self.system.nv <= LARGE else None
        if found is not None:
            return found.a, found.least
        # errors of v may contradict rows here, which the warning covers
        a, lam, _ = Reduction(UdwadiaKalaba(), ask).solve(t, q, v, TOLERANCE, strict=False)
        return a, lam

    def note_redundant(self) -> None:
        """Rows that follow from those that are enforced from now on."""
        self.named_redundant |= {self.system.row_names[i]: None for i in self.independent.dropped}

    @property
    def redundant(self) -> tuple[str, ...]:
        """Rows that were left out at any time."""
        return tuple(self.named_redundant)

    def warn(self, sol: Solution) -> None:
        """AccuracyWarning for rows beside a loss of rank, and for loads that no step saw."""
        if self.system.first_order:
            return
        pivot, t = self.closest
        ranks = self.ranks[: sol.t.size]
        # released rows are no loss
        lost = np.flatnonzero(ranks < (0 if self.holds else ranks.max(initial=0)))
        if lost.size:
            pivot, t = 0.0, float(sol.t[lost[0]])
        warn_near_singular(pivot, t, "accelerations and multipliers saved there are uncertain", stacklevel=5)
        if sol.redundant and self.system.nonideal:
            shared_reactions.warn_of_shared_reactions(sol, stacklevel=5)
        if self.plan.between == 0:  # rows are those of all steps
            passed_over.warn_of_passed_over(sol, stacklevel=5)

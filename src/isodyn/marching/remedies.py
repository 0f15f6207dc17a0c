"""What a run does about a step that failed, in this order.

Compiled, inside a step (isodyn.stepping.step), so that ensembles have it too:

    again from rest     the first guess ã = 0 and exact closures
    regularised         a matrix with −ε in its lower block
    halved              the step in 2, 4, … pieces, leg.max_halvings times

In Python, each of these changes memory or plan, and the march is called again:

    full matrix         for formulations that close at the balance: one step of a sparse model with full matrices
    other pivots        joints wait for all of their bodies; a block without a pivot of its own is eliminated together with a joint of it
    SuperLU             pivots among all rows
    other rows          another independent set of constraint rows
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from isodyn.kernels.compiled import NO_PIVOT, NOT_CONVERGED, NOT_FINITE, OK, SINGULAR, UNTOLD
from isodyn.linear_solvers.blocks import joint_to_merge
from isodyn.marching import march
from isodyn.marching.plan import with_model
from isodyn.marching.step_memory import memory_for
from isodyn.stepping.memory import forget, weigh
from isodyn.systems.model import Model

if TYPE_CHECKING:
    from isodyn.marching.run import Run

LARGEST = 600  # unknowns of a step up to which sparse systems may take one with full matrices
MOST_MERGED = 8  # joints that are eliminated with a body before SuperLU takes over


class Remedy(Protocol):
    """Something to try after a step failed with one of the statuses in `against`."""

    against: frozenset[int]

    def apply(self, run: Run, status: int) -> int:
        """OK where the march can go on; otherwise the status that is left."""
        ...


class FullMatrix:
    """One step of a sparse model with full matrices.

    Next to a loss of rank the iteration needs ∂φ̈/∂q and ∂φ̈/∂v, which models do not know; the
    compiled step has them from differences, in full matrices.
    """

    against = frozenset({SINGULAR, NOT_CONVERGED, NOT_FINITE, UNTOLD})

    def __init__(self) -> None:
        self.model: Model | None = None

    @staticmethod
    def serves(run: Run) -> bool:
        """Whether this remedy can help the run."""
        sparse, size = run.model.sparsity is not None, run.system.nv + run.system.m
        return run.closure.at_balance and sparse and size <= LARGEST

    def apply(self, run: Run, status: int) -> int:
        """Take the next step with full matrices; what it counts and reports goes to the memory of
        the run."""
        assert run.model.dense is not None
        model = self.model = self.model or run.model.dense()
        ours, own = run.memory, memory_for(model, run.system, run.memory.rows)
        weigh(own, run.weights)
        if run.sizes is not None:
            run.sizes.put_into(own)
        plan = with_model(run.plan, model, max_halvings=run.newton.max_halvings)
        forget(run.state)
        tables = run.state, own, run.columns, run.rows, run.counters
        status = march.march(model.function, model.tables, model.scratch, plan, run.state.step + 1, *tables)
        for name in ("lam_1", "d", "a", "dx", "r", "fault", "correction"):
            setattr(ours, name, getattr(own, name))
        ours.before.copy_from(own.before)
        ours.factors_good = 0
        forget(run.state)
        return int(status)


class OtherPivots:
    """A block without a pivot of its own is eliminated together with a joint of the same body."""

    against = frozenset({NO_PIVOT})

    def apply(self, run: Run, status: int) -> int:
        """Let joints wait for all of their bodies, or merge one more pair of blocks, unless too
        many were merged already."""
        pattern = run.model.sparsity
        if pattern is None or run.other is not None:
            return status
        if run.memory.blocks.early == 1 and run.memory.fault[0] >= run.system.nv:
            run.patient = True
            return self.begin_anew(run)
        if run.closure.project > 0 or len(run.merged) >= MOST_MERGED:
            return status
        found = joint_to_merge(pattern, run.independent.chosen, run.merged, int(run.memory.fault[0]))
        if found is None:
            return status
        run.merged.append(found)
        return self.begin_anew(run)

    @staticmethod
    def begin_anew(run: Run) -> int:
        """Memory for another order of elimination."""
        run.counters.repivots += 1
        run.renew_memory()
        forget(run.state, differences=True)
        return OK


class SuperLU:
    """SuperLU chooses pivots among all rows, from now on. Factors in which joints are merged with
    bodies may call a matrix singular that is not."""

    against = frozenset({NO_PIVOT, SINGULAR})

    def apply(self, run: Run, status: int) -> int:
        """Change to SuperLU, unless the run solves with it already."""
        if run.model.sparsity is None or run.closure.project > 0 or run.other is not None:
            return status
        if status == SINGULAR and not run.merged:
            return status
        run.take_superlu()
        run.counters.fallbacks += 1
        run.renew_memory()
        forget(run.state, differences=True)
        return OK


class OtherRows:
    """Another independent set of constraint rows at this state."""

    against = frozenset({SINGULAR, NOT_CONVERGED})

    def apply(self, run: Run, status: int) -> int:
        """Choose rows again, once for each state."""
        return OK if run.system.m and run.choose_again() else status


def remedies_for(run: Run) -> list[Remedy]:
    """The remedies of a run, in their order."""
    first: list[Remedy] = [FullMatrix()] if FullMatrix.serves(run) else []
    return [*first, OtherPivots(), SuperLU(), OtherRows()]

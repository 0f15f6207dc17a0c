"""A system at one instant: q and v on the constraints, accelerations and multipliers there, rows
that still hold, and what went wrong in words.

What marches builds on it (isodyn.marching.run); integrate_adaptive and formulations that make
another system take a consistent start from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from isodyn.errors import CallableError, ConflictError, IsodynError
from isodyn.formulations.closure import OPEN, Closure
from isodyn.kernels.compiled import GENERAL, NO_PIVOT, NONIDEAL, NOT_FINITE, OK, RAISED, SINGULAR, UNTOLD, FloatArray
from isodyn.linear_solvers.rows import every
from isodyn.marching.algebraic_start import algebraic_start
from isodyn.marching.branch_start import settle_start
from isodyn.marching.enforced_rows import EnforcedRows
from isodyn.marching.failures import failure
from isodyn.marching.known_start import can_be_known, remember, take_known
from isodyn.marching.remedies import LARGEST
from isodyn.marching.start import (
    RowsAt,
    finite_rows,
    is_consistent,
    near_manifold,
    refuse_conflicts,
    refuse_if_far,
    refuse_shared,
    refuse_stationary,
    still_open,
)
from isodyn.stepping import initial
from isodyn.stepping.newton_settings import Newton
from isodyn.systems.base import System
from isodyn.systems.compiled_system import started
from isodyn.systems.multiplier_forces import refuse_jammed

if TYPE_CHECKING:
    from isodyn.open_types import Matrix
    from isodyn.systems.derivative_chain import Chain, Index

WITHOUT_PIVOTS = frozenset({NO_PIVOT, SINGULAR})  # sparse factors may say so where pivots among all rows exist


class AtRest(EnforcedRows):
    """A system with the memory for questions about one instant. Velocities are compared with
    typical sizes divided by `span`."""

    def __init__(
        self,
        system: System,
        closure: Closure = OPEN,
        scaling: FloatArray | None = None,
        *,
        assemble: bool = False,
        span: float = 1.0,
        newton: Newton | None = None,
    ) -> None:
        super().__init__(system, closure, scaling)
        self.assemble, self.slowest, self.newton = assemble, 1.0 / span, newton or Newton()
        self.index: Index | str | None = None  # of a system with algebraic unknowns
        self.chain: Chain | None = None  # of such a system, where its start was looked at before the run

    def initial_values(self, t: float, first: bool) -> None:
        """Accelerations and multipliers at t, after q and v were projected onto the constraints."""
        state = self.state
        given = RowsAt(self.ask, t, state.q, state.v)
        known = first and can_be_known(self) and take_known(self, t, given)
        if first and not known:
            self.look(t)
        if self.model.traits & GENERAL and self.system.m:
            self.enforce(every(self.system.m))
            algebraic: Any = self.system  # with z0, what its unknowns start from
            z = algebraic.z0 if first else state.lam
            known_chain, self.chain = self.chain, None
            found = algebraic_start(self.system, t, state.v, z, self.closure, known_chain if first else None)
            state.a[:], state.lam[:], self.index, state.sizes_z[:] = found
            state.da[:] = 0.0
            state.dt = 0.0
            return
        # what drifts by its own equation is left alone
        if self.system.m and (first or not self.closure.at_balance):
            if not known:
                self.make_consistent(t, first, given)
            if first and not known and can_be_known(self):
                remember(self, t, given)
            self.note_nearest(t)
        if self.closure.compliance > 0.0:
            self.enforce(every(self.system.m))
        status = self.accelerations(t)
        if status in WITHOUT_PIVOTS and self.small_sparse:
            with self.full_matrices():
                status = self.accelerations(t)
        self.check(status, t, t)
        if self.model.traits & NONIDEAL and self.closure.compliance == 0.0:
            refuse_jammed(self.ask, t, state.q, state.v, state.lam, self.independent.chosen)

    def note_nearest(self, t: float) -> None:
        """How near to a loss of rank the rows are that were chosen, for what drifts."""
        diagonal = self.independent.diagonal[: self.independent.rank]
        if diagonal.size and self.drifts:
            self.state.nearest, self.state.nearest_at = diagonal[-1] / diagonal[0], t

    def accelerations(self, t: float) -> int:
        """Accelerations and multipliers at the state; a status."""
        of = self.state, self.memory, self.counters
        return self.answer(initial.initial_acceleration, *self.physics(self.closure), t, *of)

    def onto_rows(self, t: float) -> int:
        """Move the state onto the enforced rows; a status."""
        before = self.state.copy()
        status = super().onto_rows(t)
        if status == NO_PIVOT and self.small_sparse:  # rows that depend on others are chosen again instead
            self.state.copy_from(before)
            with self.full_matrices():
                status = super().onto_rows(t)
        return status

    @property
    def small_sparse(self) -> bool:
        """Whether a sparse model can also be asked with full matrices."""
        return self.model.dense is not None and self.model.sparsity is not None and self.memory.r.size <= LARGEST

    @contextmanager
    def full_matrices(self) -> Iterator[None]:
        """Model and memory with full matrices, and pivots among all rows, for what is asked at one
        instant."""
        kept = self.model, self.memory, self.legs
        assert self.model.dense is not None
        self.model, self.legs = self.model.dense(), {}
        self.memory = self.memory_for(self.independent)
        try:
            yield
        finally:
            own, (self.model, self.memory, self.legs) = self.memory, kept
            self.memory.second_change, self.memory.fault = own.second_change, own.fault

    def make_consistent(self, t: float, first: bool, given: RowsAt | None = None) -> None:
        """Choose independent rows and project q and v onto them; raise `ConflictError` if the other
        rows do not hold then. Constraints at the state may be known."""
        state, ask = self.state, self.ask
        given = RowsAt(ask, t, state.q, state.v) if given is None else given
        finite_rows(given)
        if first:
            state.q[:] = started(self.system, state.q, t)
        if not given.are_of(state.q, state.v):
            given = RowsAt(ask, t, state.q, state.v)
        self.enforce(self.independent_rows(t, given.G))
        status = OK
        if not is_consistent(given, self.independent, self.weights, self.slowest):
            status = self.onto_rows(t)
        lost = status == OK and first and self.assemble and still_open(ask, self.independent, t, state.q)
        if status in (SINGULAR, NOT_FINITE, UNTOLD) or lost:
            state.q[:] = near_manifold(ask, t, given.q)
            self.enforce(self.independent_rows(t))
            status = self.onto_rows(t)
        if status == OK:
            refuse_conflicts(ask, self.independent, t, state.q, state.v, self.slowest)
            refuse_shared(ask, self.independent)
        if first:
            here = given if given.are_of(state.q, state.v) else RowsAt(ask, t, state.q, state.v)
            refuse_stationary(here, self.independent)
        if first and not self.assemble:
            refuse_if_far(given, self.slowest, self.held)
        self.check(status, t, t)
        if self.moved_from(given.q):
            self.enforce(self.independent_rows(t))
        if first:
            settle_start(self, t, given.v)

    def keep_rows(self, G: Matrix) -> bool:
        """With redundant rows: check that those that are not enforced still hold; return True if
        other rows are enforced from now on."""
        state, t = self.state, self.state.t
        try:
            refuse_conflicts(self.ask, self.independent, t, state.q, state.v, self.slowest, G)
            return self.should_choose_again(G) and self.choose_again(G)
        except ConflictError:
            if not self.choose_again():
                raise
            return True

    # ---- what went wrong, in words

    def place(self) -> str:
        """Where the run is, for a note on an exception."""
        return f"in the step from t = {self.state.t:.6g}"

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Add step and time as a note to the exception of a user's function; the exception itself
        stays as it is."""
        try:
            yield
        except KeyboardInterrupt:
            raise
        except Exception as error:
            if not isinstance(error, IsodynError) or isinstance(error, CallableError):
                error.add_note(self.place())
            raise

    def check(self, status: int, t: float, t_next: float) -> None:
        """Turn a status of the march into the error that says what happened where."""
        if status == OK:
            return
        if status == RAISED:
            raised = self.model.raised or (self.other.raised if self.other is not None else None)
            assert raised is not None
            raise raised
        step, dt = int(self.counters.steps), t_next - t
        where = f"at t = {t:.6g} (step {step + 1}, dt = {dt:.3g})" if dt > 0 else f"at the start, t = {t:.6g}"
        raise failure(status, where, self.memory, self.newton, self.system, self.independent.chosen, self.state.q)

"""States of a run with adaptive steps, asked for from Python: their rates, the way onto the
constraints, and the ones between steps.

Consistent starts, independent rows, conflicts and messages are those of `isodyn.marching.at_rest`.
Where the coordinates retract, a state is first put back where they live, q ← q_n ⊕ (q* ⊖ q_n);
then, as everywhere, onto the constraints.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.errors import SingularError
from isodyn.formulations.closure import OPEN
from isodyn.formulations.gauss_reduction import Reduction
from isodyn.kernels.compiled import OK, RAISED, SINGULAR, FloatArray
from isodyn.marching.at_rest import AtRest
from isodyn.marching.start import near_manifold, near_velocity
from isodyn.stepping import dop853, initial, rate
from isodyn.stepping.memory import Counters, State, new_state


class States:
    """What can be asked about a state, with the memory that the answers need.

    `base` knows the system and its rows; `motion` gives accelerations, and is another one where a
    formulation computes them.
    """

    def __init__(self, system: Any, formulation: Any, project: bool, assemble: bool, span: float) -> None:
        self.kernel, self.system, self.project = rate, system, project
        self.base = self.motion = AtRest(system, assemble=assemble, span=span)
        self.problem: Reduction | None = None
        if formulation is not None:
            self.motion = AtRest(formulation.transform(system), span=span)
            self.problem = Reduction(formulation, self.base.ask)
        self.counters = self.base.counters = self.motion.counters = Counters()
        nq, nv, m = system.nq, system.nv, system.m
        self.trial = new_state(nq, nv, m)
        # of the size of (q, v): a projection that moves a state between two steps by more is not
        # trusted
        self.far = np.inf
        self.K = np.zeros((dop853.ROWS, nq + nv))  # rates at the stages of a step

    def rate(self, t: float, state: State, out: FloatArray) -> int:
        """(q̇, v̇) at a state, whose a and lam are set too."""
        motion = self.motion
        status = int(self.kernel.rate(*motion.physics(OPEN), t, state, motion.memory, out, self.counters))
        if status == OK and self.problem is not None:
            state.lam[:] = self.problem.solve(t, state.q, state.v)[1]
        return status

    def complete(self, t: float, state: State) -> None:
        """Accelerations and multipliers of a state."""
        status = self.rate(t, state, self.K[1])
        if status == SINGULAR:  # the record computes them anew where rows lose rank
            state.a[:], state.lam[:] = 0.0, 0.0
            status = OK
        self.check(status, t, self.motion)

    def lived(self, q_0: FloatArray, q: FloatArray) -> FloatArray:
        """q, brought back to the manifold of the retraction, as seen from q_0."""
        retract, difference = self.system.retract, self.system.difference
        return q if retract is None else np.asarray(retract(q_0.copy(), difference(q_0.copy(), q.copy())), np.float64)

    def onto_constraints(self, t: float, state: State) -> int:
        """The nearest consistent state, if the run asks for that."""
        if not self.project:
            return OK
        base = self.base
        return int(initial.nearest_consistent(*base.physics(OPEN), t, state, base.memory))

    def between(self, path: Any, i: int, t: float) -> State:
        """The state inside step i of a path, on the constraints, without accelerations."""
        trial, ask, nq, n = self.trial, self.base.ask, self.system.nq, path.start.shape[1]
        t_0, t_1, _ = path.clock[i]
        x = (t - t_0) / (t_1 - t_0)
        y = np.zeros(n)
        for k, power in enumerate(reversed(path.powers[i].reshape(-1, n))):
            y = (y + power) * (x if k % 2 == 0 else 1.0 - x)
        y += path.start[i]
        trial.q[:], trial.v[:] = self.lived(path.start[i, :nq], y[:nq]), y[nq:]
        given = trial.q.copy(), trial.v.copy()
        status = self.onto_constraints(t, trial)
        # at a loss of rank: over all rows, which need not be independent for this
        if status == SINGULAR:
            trial.q[:] = near_manifold(ask, t, trial.q)
            trial.v[:] = near_velocity(ask, t, trial.q, trial.v)
            status = OK
        self.check(status, t, self.base)
        far = max(float(np.abs(x - y).max(initial=0.0)) for x, y in zip((trial.q, trial.v), given, strict=True))
        if far > self.far * float(np.abs(y).max()):
            # beside a loss of rank: what is between two good states is better as it is
            trial.q[:], trial.v[:] = given
        return trial

    def check(self, status: int, t: float, run: AtRest, h: float = 0.0) -> None:
        """Turn a status into the error that says what happened where; h is the step that was
        tried."""
        raised = run.model.raised
        if status == RAISED and raised is not None:
            raise raised
        try:
            run.check(status, t, t + h)
        except SingularError as error:
            if self.system.m:
                error.add_note(f"rank {self.base.independent.rank} of {self.system.m} rows was enforced")
            raise

"""A run that is gone back over: it keeps its states at some steps, and takes the steps between them
again (isodyn.sensitivities.checkpoints)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import SensitivityError
from isodyn.kernels import interrupts
from isodyn.kernels.compiled import OK, FloatArray
from isodyn.marching.outcome import solution_of
from isodyn.marching.plan import lay_stretch
from isodyn.results.solution import Solution
from isodyn.sensitivities.backward import march_back
from isodyn.sensitivities.checkpoints import kept_at_first, whole_way_back
from isodyn.sensitivities.memory import Adjoint, Tape
from isodyn.sensitivities.run import SensitiveRun
from isodyn.sensitivities.taping import march_taped
from isodyn.stepping.memory import Memory, State, allocate, new_state, weigh

if TYPE_CHECKING:
    from isodyn.marching.schedule import Stretch

ROOM = 2**25  # numbers, of a quarter of a gigabyte: tapes of a whole run that fit into it are kept
FEW = 20  # states that are kept where they do not


class Restart:
    """How the state after a breakpoint or an event depends on the one before it, and on
    parameters."""

    def __init__(self, run: TapedRun, row: int) -> None:
        here, n = run.here, run.system.nv
        self.row = row
        self.by_parameters = run.tangents.copy()
        unit, none, at = np.eye(n), np.zeros((n, n)), np.zeros((2 * n, 1))
        dq, dv = np.concatenate([unit if run.system.nq else none, none]), np.concatenate([none, unit])
        if run.jump is not None:
            for k in range(2 * n):
                dq[k], dv[k], at[k] = run.jump.tangent(dq[k].copy(), dv[k].copy(), Still())
        dq = here.position(nothing, dq, at)
        dv = here.velocity(nothing, dq, dv, at)
        dq, dv = dq - at * here.v * bool(run.system.nq), dv - at * here.a
        self.matrices = [dq, dv, *here.acceleration(nothing, dq, dv)]  # of q, v, a and λ, transposed

    def go_back(self, adjoint: Adjoint) -> None:
        """Derivatives by the state before the breakpoint in the place of those after it."""
        names, k = ("q", "v", "a", "lam"), self.row
        for name in names:
            getattr(adjoint, name)[:] += getattr(adjoint, f"row_{name}")[k]
        adjoint.by[:] += sum(getattr(self.by_parameters, name) @ getattr(adjoint, name) for name in names)
        both = sum(x @ getattr(adjoint, name) for x, name in zip(self.matrices, names, strict=True))
        n = adjoint.q.size
        adjoint.q[:], adjoint.v[:] = both[:n], both[n:]
        adjoint.a[:], adjoint.da[:], adjoint.lam[:], adjoint.known = 0.0, 0.0, 0.0, 0


class Still:
    """No parameter: events depend on the state alone."""

    def difference(self, function: Callable[..., Any], itself: object) -> float:
        """∂/∂θ."""
        return 0.0


def nothing(function: Callable[..., Any]) -> float:
    """∂/∂θ where no parameter changes."""
    return 0.0


class TapedRun(SensitiveRun):
    """A run that keeps its states at some steps, and goes back over the others."""

    transposed = True

    def prepare(self, checkpoints: int | None) -> None:
        """Where states are kept: blocks of steps fit onto a tape, as many steps as states. None:
        all steps are written down on the way, if there is room for them."""
        system, steps = self.system, sum(one.steps for one in self.stretches)
        words = 2 * system.nq + 6 * system.nv + 3 * system.m
        self.whole_tapes = checkpoints is None and steps * words <= ROOM
        self.checkpoints = FEW if checkpoints is None else checkpoints
        self.states: dict[int, Any] = {}
        self.restarts: list[Restart] = []
        self.repeated = 0  # steps that were taken again
        self.wanted: list[int] = []
        self.length = 1
        self.tape = self.new_tape(0)
        self.tapes: list[Tape] = []  # of all stretches

    def new_tape(self, steps: int) -> Tape:
        """A tape of this length."""
        return Tape(steps=steps, nq=self.system.nq, nv=self.system.nv, m=self.system.m)

    def lay_blocks(self, number: int) -> tuple[int, int]:
        """First step of a stretch, and number of blocks in it."""
        begin, steps = sum(x.steps for x in self.stretches[:number]), self.stretches[number].steps
        self.length = min(self.checkpoints, steps)
        return begin, -(-steps // self.length)

    def exchange_rows(self) -> None:
        raise SensitivityError(
            f"other redundant rows are enforced from t = {self.state.t:.6g} on: gradients do not go back over that",
            hint="use integrate(..., sensitivities=[...]), or remove redundant rows",
        )

    def march(self, upto: int) -> int:
        """March from one state that is kept to the next."""
        if self.whole_tapes:  # the run may have gone back to look at redundant rows
            self.tape.count = int(self.state.step) - sum(x.steps for x in self.stretches[: self.number])
        while self.state.step < upto:
            if self.wanted and self.state.step == self.wanted[0]:
                self.keep(self.wanted.pop(0))
            status = self.march_taped(min(upto, self.wanted[0]) if self.wanted else upto)
            if status != OK:
                return status
        return OK

    def keep(self, step: int) -> None:
        """Keep the state at this step."""
        self.states[step] = self.state.copy(), int(self.counters.rows)

    def march_taped(self, upto: int) -> int:
        """Call the march that writes its steps down, as far as the tape goes."""
        model = self.model
        tables: Any = model.function, model.tables, model.scratch, self.plan, upto
        tables += self.state, self.memory, self.columns, self.rows, self.counters, self.tape
        return self.understood(int(march_taped(*tables)))

    def solution(self, stopped: str | None) -> Solution:
        """The solution, without sensitivities."""
        return solution_of(self, stopped)

    def start(self, stretch: Stretch, *, first: bool) -> None:
        if not first:
            self.tangents.q[:], self.tangents.v[:] = 0.0, 0.0
        super().start(stretch, first=first)
        if first:
            self.first_tangents = self.tangents.copy()
        else:
            self.restarts.append(Restart(self, int(self.counters.rows) - 1))
        if self.whole_tapes:
            self.tape = self.new_tape(stretch.steps)
            self.tapes.append(self.tape)
            return
        begin, blocks = self.lay_blocks(self.number)
        self.wanted = [begin + k * self.length for k in kept_at_first(0, blocks, self.checkpoints)]

    def go_back(self, adjoint: Adjoint) -> None:
        """Bring the adjoint from the end of the run to its start."""
        system = self.system
        packed = None if self.model.sparsity is None else self.memory.blocks
        memory = allocate(system.nq, system.nv, system.m, self.independent.chosen, dense=True, packed=packed)
        weigh(memory, self.weights)
        after = new_state(system.nq, system.nv, system.m)
        for number in range(len(self.stretches) - 1, -1, -1):
            begin, blocks = self.lay_blocks(number)
            end = begin + self.stretches[number].steps
            lay_stretch(self.plan, self.stretches[number], begin, composed=False)
            if self.whole_tapes:
                self.tape = self.tapes.pop()
                self.forget_last_row(number)
                self.back_over_tape(memory, after, adjoint)
                if number > 0:
                    self.restarts[number - 1].go_back(adjoint)
                continue
            self.tape = self.new_tape(self.length)
            for a, b, keep in whole_way_back(0, blocks, self.checkpoints):
                if interrupts.pending():
                    raise KeyboardInterrupt
                self.repeat(begin + a * self.length, begin + b * self.length)
                if keep:
                    self.keep(begin + b * self.length)
                    continue
                self.record(min(begin + (b + 1) * self.length, end))
                if b == blocks - 1:
                    self.forget_last_row(number)
                self.back_over_tape(memory, after, adjoint)
            if number > 0:
                self.restarts[number - 1].go_back(adjoint)

    def forget_last_row(self, number: int) -> None:
        """The last row of a stretch before a breakpoint shows the state after it."""
        if number < len(self.restarts):
            self.tape.row[int(self.tape.count) - 1] = -1

    def repeat(self, step: int, upto: int) -> None:
        """Go once more from a state that is kept to a later step, and forget those after it."""
        for later in [k for k in self.states if k > step]:
            del self.states[later]
        state, rows = self.states[step]
        self.state.copy_from(state)
        self.counters.rows, self.memory.factors_good = rows, 0
        self.tape.count = self.tape.t.size  # nothing is written down
        self.repeated += upto - step
        if upto > step:
            self.march_taped(upto)

    def record(self, upto: int) -> None:
        """Take the next steps, and write them down."""
        self.tape.count = 0
        self.repeated += upto - int(self.state.step)
        self.march_taped(upto)

    def back_over_tape(self, memory: Memory, after: State, adjoint: Adjoint) -> None:
        """Bring the adjoint back over the steps that are written down."""
        model = self.model
        tables: Any = model.function, model.tables, model.scratch, self.pieces[0].function, self.plan
        tables += after, memory, self.tape, self.together, adjoint
        status = march_back(*tables)
        self.check(self.understood(int(status)), self.tape.t[0], self.tape.t_after[0])

    def by_start(self, adjoint: Adjoint) -> FloatArray:
        """What the derivatives of the start add."""
        first = self.first_tangents
        return np.asarray(sum(getattr(first, name) @ getattr(adjoint, name) for name in ("q", "v", "a", "lam")))

"""A run that is gone back over: it keeps its states at some steps, and takes the steps between them
again (isodyn.sensitivities.checkpoints)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isodyn.errors import SensitivityError
from isodyn.kernels import interrupts
from isodyn.kernels.compiled import OK, FloatArray, IntArray
from isodyn.linear_solvers.rows import Rows
from isodyn.marching.outcome import solution_of
from isodyn.marching.plan import lay_stretch
from isodyn.results.solution import Solution
from isodyn.sensitivities.backward import march_back
from isodyn.sensitivities.checkpoints import kept_at_first, whole_way_back
from isodyn.sensitivities.closed_rows import ClosedSystem
from isodyn.sensitivities.memory import Adjoint, Tape
from isodyn.sensitivities.restarts import Restart, Together
from isodyn.sensitivities.run import SensitiveRun
from isodyn.sensitivities.taping import march_taped
from isodyn.stepping.memory import Memory, State, allocate, new_state, weigh

if TYPE_CHECKING:
    from isodyn.marching.schedule import Stretch

ROOM = 2**25  # numbers, of a quarter of a gigabyte: tapes of a whole run that fit into it are kept
FEW = 20  # states that are kept where they do not


class Setting(NamedTuple):
    """What steps of a stretch are taken with: enforced rows, memory for them, and what contacts
    do."""

    rows: Rows
    memory: Memory
    held: IntArray | None
    mode: IntArray
    direction: FloatArray


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
        self.settings: list[Setting] = []  # of all stretches
        self.together_closed: list[Together] = []
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
        self.settings.append(self.setting())
        if self.whole_tapes:
            self.tape = self.new_tape(stretch.steps)
            self.tapes.append(self.tape)
            return
        begin, blocks = self.lay_blocks(self.number)
        self.wanted = [begin + k * self.length for k in kept_at_first(0, blocks, self.checkpoints)]

    def setting(self) -> Setting:
        """What the steps of the present stretch are taken with."""
        mode, direction = np.zeros(0, dtype=np.int64), np.zeros(0)
        if isinstance(self.system, ClosedSystem):
            mode, direction = np.array(self.system.modes.mode), np.array(self.system.modes.direction)
        return Setting(self.independent, self.memory, self.held, mode, direction)

    def take_setting(self, number: int) -> Memory:
        """Go to the setting of a stretch; memory for steps back in it."""
        one, system = self.settings[number], self.system
        self.independent, self.memory, self.held = one.rows, one.memory, one.held
        if isinstance(system, ClosedSystem):
            system.modes.mode, system.modes.direction = one.mode, one.direction
        packed = None if self.model.sparsity is None else self.memory.blocks
        memory = allocate(system.nq, system.nv, system.m, one.rows.chosen, dense=True, packed=packed)
        weigh(memory, self.weights)
        return memory

    def go_back(self, adjoint: Adjoint) -> None:
        """Bring the adjoint from the end of the run to its start."""
        system = self.system
        after = new_state(system.nq, system.nv, system.m)
        for number in range(len(self.stretches) - 1, -1, -1):
            memory = self.take_setting(number)
            begin, blocks = self.lay_blocks(number)
            end = begin + self.stretches[number].steps
            lay_stretch(self.plan, self.stretches[number], begin, composed=False)
            if self.whole_tapes:
                self.tape = self.tapes.pop()
                self.show_left(number, adjoint)
                self.back_over_tape(memory, after, adjoint)
                self.back_over_start(number, adjoint)
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
                    self.show_left(number, adjoint)
                self.back_over_tape(memory, after, adjoint)
            self.back_over_start(number, adjoint)
        for one in self.together_closed:
            one.check(self)

    def back_over_start(self, number: int, adjoint: Adjoint) -> None:
        """Bring all adjoints back over the start of a stretch, if it is not the first."""
        if number == 0:
            return
        restart = self.restarts[number - 1]
        for one in (other for pair in self.together_closed for other in pair.adjoints):
            restart.go_back(one)
        restart.go_back(adjoint, restart.gain)
        if restart.jump is not None and restart.times.shape[1] > 1:
            self.together_closed.append(Together(restart, adjoint))

    def show_left(self, number: int, adjoint: Adjoint) -> None:
        """The last row of a stretch before a start shows the state after it; left-hand limits have
        rows of their own, behind the others."""
        if number < len(self.restarts):
            rows = adjoint.row_q.shape[0] - len(self.restarts)
            self.tape.row[int(self.tape.count) - 1] = rows + number

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
        """Bring all adjoints back over the steps that are written down."""
        model = self.model
        for one in (adjoint, *(other for pair in self.together_closed for other in pair.adjoints)):
            tables: Any = model.function, model.tables, model.scratch, self.pieces[0].function, self.plan
            tables += after, memory, self.tape, self.together, one
            status = march_back(*tables)
            self.check(self.understood(int(status)), self.tape.t[0], self.tape.t_after[0])

    def by_start(self, adjoint: Adjoint) -> FloatArray:
        """What the derivatives of the start add."""
        first = self.first_tangents
        return np.asarray(sum(getattr(first, name) @ getattr(adjoint, name) for name in ("q", "v", "a", "lam")))

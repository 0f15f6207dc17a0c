"""A run that carries derivatives along (isodyn.sensitivities.forward)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import ConvergenceError, SensitivityError
from isodyn.kernels.compiled import (
    CONSTANT_MASS,
    JACOBIAN,
    KNOWS_MASS,
    FloatArray,
    IntArray,
)
from isodyn.kernels.struct_types import number_of
from isodyn.marching.method import Method
from isodyn.marching.run import Run
from isodyn.mechanism.system import MechanismSystem
from isodyn.results.sensitivity import Sensitivity
from isodyn.results.solution import Solution
from isodyn.sensitivities.closed_rows import ClosedFamily, ClosedSystem
from isodyn.sensitivities.contact_course import Phase
from isodyn.sensitivities.differentiable import refuse, refuse_other_modes, rotations_of, with_mass_range
from isodyn.sensitivities.forward import BROKEN, UNSOLVED, march_tangents
from isodyn.sensitivities.impacts import ContactJump
from isodyn.sensitivities.matrix_check import MatrixCheck
from isodyn.sensitivities.memory import Derivatives, Linear, Many, Tangents, Together, new_linear
from isodyn.sensitivities.parameters import Family, NamedParts
from isodyn.sensitivities.pieces import Piece, new_varied
from isodyn.sensitivities.saltation import Jump, refuse_apart
from isodyn.sensitivities.shared_force import SharedForce
from isodyn.sensitivities.start import StartTangent
from isodyn.sensitivities.variations import Roughness, Variation, vary
from isodyn.stepping.newton_settings import Newton
from isodyn.systems.base import System
from isodyn.systems.compiled_system import settled
from isodyn.systems.first_order import FirstOrderSystem
from isodyn.systems.mechanical import MechanicalSystem
from isodyn.systems.model import Model
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.marching.schedule import Stretch

SIDE_BY_SIDE = 32  # parameters that are brought along together, at most


class SensitiveRun(Run):
    """A run with the derivatives of its state by parameters."""

    transposed, own_march = False, True

    def __init__(
        self,
        system: System,
        method: Method,
        stretches: list[Stretch],
        *,
        family: Family,
        names: Sequence[str],
        newton: Newton | None = None,
        jumps: Sequence[Jump | ContactJump] = (),
        phases: Sequence[Phase] = (),
        **options: Any,
    ) -> None:
        self.jumps = {jump.t: jump for jump in jumps}
        self.jump_times: list[tuple[Jump | ContactJump, list[float]]] = []
        self.phases = {phase.t_start: phase for phase in phases}
        self.models: list[Model] = []  # of whole systems at other values of a parameter
        newton = newton or Newton(rtol=1e-13)
        refuse(system, method, newton)
        self.variations = [vary(family, name) for name in names]
        self.questions: dict[str, list[Questions]] = {}
        named = family.inner if isinstance(family, ClosedFamily) else family
        self.assembled = isinstance(named, NamedParts) and named.assembled()
        super().__init__(system, with_mass_range(method), stretches, newton=newton, **options)
        if self.sized or self.watch is not None or self.sampling is not None:
            raise SensitivityError(
                "steps whose ends depend on the motion are not differentiated",
                hint="take a number or iso.StepTimes for dt, and no events",
            )
        for leg in self.plan.legs:
            leg.max_halvings = leg.reuse = 0
        self.remedies = []
        self.check_columns()
        self.linear = self.new_linear()
        self.pieces = [one.piece or self.all_equations(one) for one in self.variations]
        self.varied = new_varied(self.pieces, [one.of_equations[1] for one in self.variations])
        for j, one in enumerate(self.variations):
            if one.piece is None and self.varied.in_balance[j]:
                self.varied.in_rows[j], self.varied.in_range[j] = self.enters(one)
        self.tangents = Tangents(parameters=len(names), nv=system.nv, m=system.m)
        self.kept = self.tangents.copy()
        self.choices: list[tuple[int, IntArray]] = []  # enforced rows, from which row of the solution on
        sizes = {"rows": 0 if self.transposed else self.rows.t.size, "parameters": len(names)}
        self.derivatives = Derivatives(nv=system.nv, m=system.m, **sizes)
        self.many = self.new_many()
        structs = {
            "linear": self.linear,
            "varied": self.varied,
            "tangents": self.tangents,
            "many": self.many,
            "out": self.derivatives,
        }
        self.together = Together()
        for name, struct in structs.items():
            setattr(self.together, name, number_of(struct))

    def new_many(self) -> Many:
        """Memory for several parameters side by side, as many as have their numbers close together
        in memory."""
        system, rows = self.system, self.independent.chosen.size
        number = len(self.variations)
        width = 0 if self.transposed else 1 if number == 1 else min(-(-number // 4) * 4, SIDE_BY_SIDE)
        return Many(nv=system.nv, m=system.m, unknowns=system.nv + rows, width=width)

    def _keeps_balance(self) -> bool:
        """Forces are read at t_n: the states at balances are not differentiated."""
        return False

    def check_columns(self) -> None:
        """SensitivityError unless all columns are saved."""
        system, kept = self.system, self.columns
        if (kept.q.size, kept.v.size, kept.a.size, kept.lam.size) != (system.nq, system.nv, system.nv, system.m):
            raise SensitivityError("sensitivities need all columns", hint="leave select= out")

    # ---- models

    def model_of(self, system: System) -> Model:
        """The model; with full matrices where its own are not the derivatives."""
        model = super().model_of(system)
        exact = type(system) is MechanismSystem
        return model if exact or model.dense is None else model.dense()

    def all_equations(self, one: Variation) -> Piece:
        """All equations at other values of a parameter that has no piece of its own."""
        refuse_other_modes(one.name, one.in_equations, self.system)
        models = [self.varied_model(system) for system in one.in_equations]
        own = self.own_twin(models[0])
        self.models += [*models, own]
        system, first = self.system, models[0]
        if any(model.function is not first.function for model in self.models):
            raise SensitivityError("a parameter changes which functions a system is made of")
        every = np.arange(system.nq), np.arange(system.nv), np.arange(system.m)
        tables = *(model.tables for model in models), own.tables
        return Piece(first.function, tables, first.scratch, *every, moves_mass=True)

    def varied_model(self, system: System) -> Model:
        """The model of a system with another value of a parameter, of the same shape."""
        if (system.nq, system.nv, system.m) != (self.system.nq, self.system.nv, self.system.m):
            raise SensitivityError("a parameter changes the number of unknowns or rows")
        model = self.model_of(system)
        if model.function is not self.model.function and isinstance(system, MechanicalSystem | FirstOrderSystem):
            model = system.model(plain=True)
        return model

    def new_linear(self) -> Linear:
        """Memory for linearised steps."""
        rotations, cayley = rotations_of(self.system)
        if not self.model.traits & KNOWS_MASS:
            raise SensitivityError(f"a {type(self.system).__name__} does not tell its mass matrix")
        known = MatrixCheck(self.system, float(self.stretches[0].t_start), rotations)
        exact = type(self.system) is MechanismSystem and known.is_exact()
        if not exact and self.model.sparsity is not None:
            self.model = self.model.dense() if self.model.dense is not None else self.model
        polar, second = exact and known.is_polar(), self.closure.acceleration != 0.0
        linear = new_linear(
            self.system,
            self.model,
            exact=exact,
            rotations=rotations,
            cayley=cayley,
            transposed=self.transposed,
            second=second,
            groups=known.groups(self.model, polar and not second),
        )
        linear.polar = int(polar)
        if self.model.traits & CONSTANT_MASS:
            ask, q, v = Questions(self.system, self.model), settled(self.system, self.system.q0), self.system.v0
            linear.M = ask.ask(JACOBIAN, float(self.stretches[0].t_start), q, v, v, linear.M.size)
            linear.M_n = linear.M[: linear.M_n.size]
        return linear

    def answers_of(self, one: Variation) -> list[Questions]:
        """Who answers for the equations at other values of a parameter, and at its own."""
        if one.name not in self.questions:
            asked: list[Questions] = []
            if one.piece is None:
                asked += [Questions(system) for system in (*one.in_equations, self.system)]
            else:
                asked += one.piece.answers(self.system)
            self.questions[one.name] = asked
        return self.questions[one.name]

    def own_twin(self, like: Model) -> Model:
        """The model of the system itself, with the function of the varied ones."""
        if like.function is self.model.function:
            return self.model
        if not hasattr(self, "twin"):
            written: Any = self.system  # of functions that a user wrote
            self.twin: Model = written.model(plain=True)
        return self.twin

    def enters(self, one: Variation) -> tuple[int, int]:
        """Whether a parameter changes the rows; mass matrix or G."""
        system, rng = self.system, np.random.default_rng(5)
        asked, rough = self.answers_of(one), Roughness(one, one.of_equations[0])
        span = self.stretches[0].t_start, self.stretches[-1].t_stop
        rows = masses = False
        for t in rng.uniform(*span, size=3):
            q = settled(system, system.q0)
            d = 0.05 * rng.standard_normal(system.nv) * system.scales.v
            q = q + d[: q.size] if system.retract is None else np.asarray(system.retract(q.copy(), d))
            v, a, lam = (rng.standard_normal(n) for n in (system.nv, system.nv, system.m))
            still, none = np.zeros(system.nv), np.zeros(system.m)
            if system.m:
                levels = [np.append(ask.position(t, q, v), ask.velocity(t, q, v)) for ask in asked]
                rows = rows or any(not np.array_equal(x, levels[0]) for x in levels)
                rough.refuse(levels)
            balances = [ask.balance(t, q, v, still, none) for ask in asked]
            rough.refuse(balances)
            forces = [ask.balance(t, q, v, a, lam) - x for ask, x in zip(asked, balances, strict=True)]
            masses = masses or any(not np.allclose(x, forces[0], rtol=1e-13, atol=0.0) for x in forces)
        return int(rows), int(masses and system.m > 0)

    # ---- the course of the run

    def start(self, stretch: Stretch, *, first: bool) -> None:
        self.jump = jump = None if first else self.jumps.get(float(stretch.t_start))
        if float(stretch.t_start) in self.phases:
            self.take_phase(self.phases[float(stretch.t_start)], first=first)
        if jump is not None:
            after = jump.begin(self.sample())
            self.state.q[:], self.state.v[:] = after.q, after.v
            self.jump_times.append((jump, []))
        given = settled(self.system, self.state.q.copy()), self.state.v.copy()
        super().start(stretch, first=first)
        if not self.choices or not np.array_equal(self.independent.chosen, self.choices[-1][1]):
            self.choices.append((max(int(self.counters.rows) - 1, 0), self.independent.chosen.copy()))
        t = float(stretch.t_start) if first else float(np.nextafter(stretch.t_start, np.inf))
        dt = (stretch.t_stop - stretch.t_start) / stretch.steps
        here = StartTangent(Questions(self.system), self.linear, t, self.independent.chosen, given, self.state, dt)
        self.here, tangents = here, self.tangents
        at = np.zeros((len(self.variations), 1))
        for j, one in enumerate(self.variations):
            if first:
                tangents.q[j], tangents.v[j] = self.given_start(one)
            elif jump is not None:
                before = tangents.q[j].copy(), tangents.v[j].copy(), one
                if not self.transposed:  # adjoints see on the way back whether contacts close together
                    refuse_apart(jump, jump.times(*before))
                tangents.q[j], tangents.v[j], at[j] = jump.tangent(*before)
        dq = here.position(self.by_equations, tangents.q.copy(), at)
        dv = here.velocity(self.by_equations, dq, tangents.v.copy(), at)
        if jump is not None:  # back from the event to a fixed time
            self.jump_times[-1][1].extend(at[:, 0])
            dq, dv = dq - at * here.v * bool(self.system.nq), dv - at * here.a
        tangents.q[:], tangents.v[:] = dq, dv
        tangents.a[:], tangents.lam[:] = here.acceleration(self.by_equations, dq, dv)
        tangents.da[:] = 0.0
        tangents.step, tangents.known = int(self.state.step), 0
        k = int(self.counters.rows) - 1
        for name in () if self.transposed else ("q", "v", "a", "lam"):
            getattr(self.derivatives, name)[k] = getattr(tangents, name)

    def take_phase(self, phase: Phase, *, first: bool) -> None:
        """Hold the contacts that hold from here on; where something happened, the state is that of
        the run with contacts."""
        system = self.system
        assert isinstance(system, ClosedSystem)  # phases are those of contacts
        system.modes.mode, system.modes.direction = phase.mode, phase.direction
        self.held = system.rows_held(phase.mode)
        if not first and phase.state is not None:
            happened = phase.begins_with
            self.state.q[:], self.state.v[:] = phase.state
            if happened is not None and happened.blows:
                self.state.v[:] = happened.blows[0].v

    def by_equations(self, function: Callable[[Questions], FloatArray]) -> FloatArray:
        """∂/∂θ of what is asked of the equations, a row for each parameter."""
        found = []
        for j, one in enumerate(self.variations):
            active = self.varied.in_balance[j] == 1
            pairs = zip(one.of_equations[1], self.answers_of(one), strict=True) if active else ()
            found.append(sum(weight * function(ask) for weight, ask in pairs if weight != 0.0))
        zero = next((0.0 * x for x in found if np.ndim(x)), 0.0)
        return np.array([x + zero for x in found]) if np.ndim(zero) else np.zeros((len(found), 1))

    def given_start(self, one: Variation) -> tuple[FloatArray, FloatArray]:
        """Derivatives of the start as it is given."""
        system, n = self.system, self.system.nv
        if self.assembled:
            j = self.variations.index(one)
            if not self.varied.in_balance[j]:
                raise SensitivityError(
                    f"{one.name!r} is a number of the start, which was assembled",
                    hint="give bodies a consistent start, or build the mechanism in iso.Parametrised",
                )
            return np.zeros(n), np.zeros(n)
        q0 = settled(system, system.q0)

        def from_here(other: System) -> FloatArray:
            q = settled(other, other.q0)
            return q - q0 if system.difference is None else np.asarray(system.difference(q0.copy(), q.copy()))

        if one.piece is not None:
            return one.given_start(system)
        rough, every = Roughness(one, one.points), (*one.systems, system)
        sizes = system.scales.v
        rough.refuse([from_here(other) for other in every], sizes if system.nq else 0.0)
        rough.refuse([other.v0 for other in every], sizes)
        dq0 = np.zeros(n) if system.nq == 0 else one.difference(from_here, system)
        return dq0, one.difference(lambda other: other.v0, system)

    def go_on(self, upto: int) -> None:
        self.kept.copy_from(self.tangents)
        super().go_on(upto)
        if not np.array_equal(self.independent.chosen, self.choices[-1][1]):
            self.exchange_rows()

    def exchange_rows(self) -> None:
        """Other redundant rows are enforced from here on: the force of constraint stays, and so
        does its derivative. Rows that depend on each other say the same, so that q and v stay as
        well."""
        state, tangents, old, rows = self.state, self.tangents, self.choices[-1][1], self.independent
        if self.independent.rank != old.size:
            raise SensitivityError(
                f"the rank of the constraints changes at t = {state.t:.6g}: the run is not differentiated there",
                hint="end the run before",
            )
        now = state.q.copy(), state.v.copy(), state.lam.copy()
        here = SharedForce(self, float(state.t), now, old, rows.chosen)
        for j, one in enumerate(self.variations):
            tangents.lam[j] = here.derivative(one, bool(self.varied.in_rows[j]), tangents.q[j], tangents.lam[j])
        self.choices.append((int(self.counters.rows), rows.chosen.copy()))

    def march(self, upto: int) -> int:
        """Call the march with derivatives."""
        if int(self.tangents.step) != int(self.state.step):  # the run went back to look at redundant rows
            self.tangents.copy_from(self.kept)
        if self.many.B.shape[0] != self.system.nv + self.independent.chosen.size:
            self.many = self.new_many()
            self.together.many = number_of(self.many)
        model = self.model
        tables: Any = model.function, model.tables, model.scratch, self.pieces[0].function, self.plan, upto
        tables += self.state, self.memory, self.columns, self.rows, self.counters, self.together
        status = int(march_tangents(*tables))
        return self.understood(status)

    def understood(self, status: int) -> int:
        """Raise what a march with derivatives was stopped by; other statuses as they are."""
        for one in (self.model, *self.models):
            if one.raised is not None:
                raise one.raised
        if status == BROKEN:
            raise SensitivityError(
                f"the step to t = {self.state.t:.6g} did not converge at once: what was done about it is not differentiated",
                hint="take smaller steps",
            )
        if status == UNSOLVED:
            raise ConvergenceError(
                f"the derivatives of the step to t = {self.state.t:.6g} do not converge", hint="take smaller steps"
            )
        return status

    # ---- what is left

    def solution(self, stopped: str | None) -> Solution:
        """The solution, with its sensitivities."""
        sol = super().solution(stopped)
        k = sol.t.size
        found = self.derivatives
        q, v, a, lam = (values[:k].copy() for values in (found.q, found.v, found.a, found.lam))
        if self.independent.dropped.size:
            lam = self.shared(sol, q, lam)
        for j, one in enumerate(self.variations):
            sol.sensitivities[one.name] = Sensitivity(
                sol, one.name, one.value, q[:, j], v[:, j], a[:, j], lam[:, j], one
            )
        return sol

    def shared(self, sol: Solution, dq: FloatArray, dlam: FloatArray) -> FloatArray:
        """Derivatives of the multipliers of least norm, as rows of a solution have them."""
        out = np.empty_like(dlam)
        first = np.array([row for row, _ in self.choices])
        for k, t in enumerate(sol.t):
            rows = self.choices[int(np.searchsorted(first, k, side="right")) - 1][1]
            here = SharedForce(self, float(t), (sol.q[k].copy(), sol.v[k].copy(), sol.lam[k]), rows)
            for j, one in enumerate(self.variations):
                out[k, j] = here.derivative(one, bool(self.varied.in_rows[j]), dq[k, j], dlam[k, j])
        return out

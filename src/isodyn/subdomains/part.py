"""One subdomain inside a coupled run: its state, its sub-steps, and how it answers to multipliers.

The sub-steps are those of `isodyn.integrate`: the same march along a plan, on the system with the
interface force as one more load; linear subdomains with narrow bands have kernels of their own.
With λ_{n+1} changed by δ a linear subdomain ends its system step elsewhere by W δ; the columns of W
are runs from rest without loads, made once for every kind of step. Other subdomains repeat their
sub-steps.

What others ask of a part goes in and out as numbers at the interface, so that it may live in
another process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isodyn.errors import NonFiniteError
from isodyn.formulations import Stabilised
from isodyn.formulations.closure import OPEN
from isodyn.kernels.compiled import OK, Coefficients, FloatArray
from isodyn.marching import march
from isodyn.marching.at_rest import AtRest
from isodyn.marching.method import Method
from isodyn.marching.plan import lay_legs, limit_loads, new_plan, size_steps
from isodyn.stepping.memory import Counters, State
from isodyn.subdomains import kept, responses
from isodyn.subdomains.interface_load import tied
from isodyn.subdomains.linear_kernels import Linear, LinearWork, advance
from isodyn.subdomains.linear_tables import Ties, linear, tables_of
from isodyn.subdomains.system_step import SystemStep
from isodyn.systems import checks
from isodyn.systems.base import System
from isodyn.systems.multiplier_forces import refuse_nonideal
from isodyn.systems.scales import power_of_two

if TYPE_CHECKING:
    from isodyn.open_types import Matrix
    from isodyn.schemes.gs4_1 import FirstOrderScheme
    from isodyn.schemes.gs4_2 import Scheme
    from isodyn.stepping.newton_settings import Newton

SAME_STEP = 1e-8  # of a sub-step: sizes that differ by less are the same
COMPARABLE = 1e-3  # changes of accelerations should be of their size, give or take this


class Row(NamedTuple):
    """A state as it is saved: the acceleration is the one at t_n."""

    t: float
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray


class SubdomainPart:
    """A subdomain with its scheme and its number of sub-steps; G holds the enforced rows, all of
    them."""

    def __init__(
        self,
        name: str,
        system: System,
        scheme: Scheme | FirstOrderScheme,
        tau: int,
        G: Matrix,
        newton: Newton,
        assemble: bool,
    ) -> None:
        refuse_nonideal(system, f"the subdomain {name!r}")
        self.name, self.system, self.scheme, self.tau, self.m = name, system, scheme, tau, G.shape[0]
        other, self.load, self.linear = tied(system, G.T.tocsr())
        closure = OPEN if system.m == 0 or system.first_order else Stabilised().closure(1.0)
        method = Method(scheme, closure, closure)
        self.rest = AtRest(other, closure, assemble=assemble, newton=newton)
        self.main, self.starting = method.main.coefficients, method.starting.coefficients
        self.plan = new_plan(self.rest.model, other.m_phi, method.starting, method.main, newton.controls(), times=tau)
        self.plan.save_every = 0  # no rows
        self.ties = Ties.of(G)
        self.rows = self.ties.rows
        self.tables = tables_of(system, self.ties)
        self.packed: dict[Any, Any] = {}  # tables with factors, by coefficients and sub-step
        self.mass_response = np.zeros((system.nv, 0))  # ∂a/∂λ at a state
        self.answers: dict[Any, tuple[FloatArray, ...]] = {}  # W by kind of step
        self.bases: dict[float, FloatArray] = {}
        self.before = self.state.copy()  # at the beginning of a system step

    # ---- the state

    @property
    def state(self) -> State:
        return self.rest.state

    @property
    def counters(self) -> Counters:
        return self.rest.counters

    def moving(self) -> tuple[FloatArray, ...]:
        """The arrays of the state that a change of λ moves."""
        state = self.state
        return state.q, state.v, state.a, state.lam, state.da

    @property
    def motion(self) -> FloatArray:
        """q, v, a, Δa as the kernels of linear subdomains take them; q of a first-order system is
        nothing."""
        found, state = np.zeros((4, self.system.nv)), self.state
        found[0, : state.q.size], found[1], found[2], found[3] = state.q, state.v, state.a, state.da
        return found

    @motion.setter
    def motion(self, motion: FloatArray) -> None:
        state = self.state
        state.q, state.v, state.a, state.da = motion[0, : state.q.size], motion[1], motion[2], motion[3]

    def save(self) -> None:
        """Remember the state at the beginning of a system step."""
        self.before.copy_from(self.state)

    def restore(self) -> None:
        """Back to the beginning of the system step."""
        self.state.copy_from(self.before)

    def row(self) -> Row:
        """The state with the acceleration brought to t_n, a_n + φ Δa."""
        state = self.state
        now = state.a + state.lag * state.da  # [Shimada2014 (2.75)]
        return Row(float(state.t), state.q.copy(), state.v.copy(), now, state.lam.copy())

    def counts(self) -> tuple[Counters, str]:
        """Counters, and the name of the solver."""
        return self.counters.copy(), self.rest.model.solver if self.tables is None else "banded LU"

    def gap(self, key: str) -> FloatArray:
        """G_ℓ times q, v or a."""
        return self.ties.gap(getattr(self.state, key), self.m)

    def size(self, key: str) -> float:
        """Largest entry of q, v or a."""
        return float(np.abs(getattr(self.state, key)).max(initial=0.0))

    def least(self, key: str) -> float:
        """What gaps of q or v at the start count beside, where these are small: typical sizes, and
        those in the time of the run."""
        rest = self.rest
        return float(rest.system.scales.v.max()) * (rest.slowest if key == "v" and not rest.system.first_order else 1.0)

    def answer(self, step: SystemStep) -> tuple[FloatArray, float]:
        """G_ℓ v_ℓ, and the size that gaps of velocity are compared with."""
        return self.gap("v"), self.size("v") + step.dt * (self.size("a") + self.size("da"))

    # ---- start

    def accelerate(self, t: float, lam: FloatArray, first: bool) -> FloatArray:
        """state.a from the balance at t with these multipliers; G_ℓ a_ℓ."""
        self.load.set(t, 1.0, lam, lam)
        self.state.t, self.state.lag = t, 0.0
        self.rest.initial_values(t, first)
        return self.gap("a")

    def respond_at_rest(self, t: float, first: bool) -> tuple[FloatArray, float]:
        """∂a/∂λ, column by column; a is affine in λ, so differences are exact up to rounding.
        Returns G_ℓ ∂a/∂λ and the largest entry."""
        m = self.m
        self.accelerate(t, np.zeros(m), first)
        free = self.state.a.copy()
        columns = []
        for row in self.rows:
            e, most = np.zeros(m), float(np.abs(free).max())
            e[row] = max(1.0, most)
            self.accelerate(t, e, False)
            moved = float(np.abs(self.state.a - free).max())
            # masses far from one
            if 0.0 < moved < COMPARABLE * most or 0.0 < most < COMPARABLE * moved:
                e[row] *= power_of_two(most / moved)
                self.accelerate(t, e, False)
            columns.append((self.state.a - free) / e[row])
        self.mass_response = np.array(columns).reshape(self.rows.size, free.size).T
        self.state.a[:] = free
        return self.through_ties(self.mass_response), float(np.abs(self.mass_response).max(initial=0.0))

    def through_ties(self, columns: FloatArray) -> FloatArray:
        """G_ℓ times columns."""
        return np.array([self.ties.gap(column, self.m) for column in columns.T]).reshape(columns.shape[1], self.m).T

    def nudge(self, key: str, mu: FloatArray) -> None:
        """Move q or v along M⁻¹G_ℓᵀ."""
        array = getattr(self.state, key)
        array += self.mass_response @ mu[self.rows]

    def after(self, before: tuple[Any, ...] | None, what: str, *arguments: object) -> Any:
        """The answer to a question, after something that waited for it."""
        if before is not None:
            getattr(self, before[0])(*before[1:])
        return getattr(self, what)(*arguments)

    def corrects(self, kind: tuple[float, bool, bool]) -> bool:
        """Whether a change of λ in such a step is a product with W."""
        return self.linear and len(self.answers.get(kind, ())) > 1

    # ---- sub-steps

    def advance(self, step: SystemStep, lam_0: FloatArray, lam_1: FloatArray) -> tuple[FloatArray, float]:
        """All sub-steps of a system step with given multipliers; remembers where they began if they
        may have to be repeated."""
        if not self.corrects(step.kind):
            self.save()
        self.go(step, lam_0, lam_1)
        return self.answer(step)

    def go(self, step: SystemStep, lam_0: FloatArray, lam_1: FloatArray) -> None:
        """τ sub-steps from the beginning of a system step."""
        self.load.set(step.t, step.t_1 - step.t, lam_0, lam_1)
        tau = self.tau
        times = step.t + (step.t_1 - step.t) * np.arange(1, tau + 1) / tau
        times[-1] = step.t_1
        self.take(times, step, start=step.first, stop=step.last)

    def take(self, times: FloatArray, step: SystemStep, *, start: bool = False, stop: bool = False) -> None:
        """Sub-steps along the given times, which are the sub-steps of a system step or fewer."""
        rest, state, plan = self.rest, self.state, self.plan
        size_steps(plan, step.dt / self.tau, SAME_STEP * step.dt / self.tau)
        plan.times[: times.size], plan.t_stop, state.step = times, times[-1], 0
        limit_loads(plan, step.t_limit)
        lay_legs(plan, 0, times.size, start=start, stop=stop)
        with np.errstate(over="ignore", invalid="ignore"):  # the march finds infinities itself
            if self.tables is not None:
                status = self.linear_march(times, step)
            else:
                model, tables, scratch, *_ = rest.physics(rest.closure)
                nothing = march.NO_COLUMNS, march.NO_ROWS
                status = march.march(
                    model, tables, scratch, plan, times.size, state, rest.memory, *nothing, rest.counters
                )
        rest.check(status, state.t, times[min(int(state.step), times.size - 1)])

    def linear_march(self, times: FloatArray, step: SystemStep) -> int:
        """The same with the kernels of linear subdomains with narrow bands."""
        for leg, s in zip(self.plan.legs, (self.starting, self.main, self.starting), strict=True):
            begin, end = int(self.state.step), int(leg.last)
            if begin < end:
                status = self.linear_steps(s, times[begin:end], step)
                if status != OK:
                    return status
                self.state.step = end
                self.shift(leg.next_phi)
        return OK

    def shift(self, lag: float) -> None:
        """Move the acceleration along its own slope, as the march does after a leg."""
        state = self.state
        state.a += (state.lag - lag) * state.da
        state.lag = lag

    def packed_for(self, s: Coefficients, h: float) -> tuple[Linear, LinearWork]:
        """Tables and factors of this sub-step, as the kernels take them."""
        assert self.tables is not None
        if (s, h) not in self.packed:
            factors, new = self.tables.factors_for(s, h)
            self.counters.factorisations += new
            self.packed[s, h] = linear([(self.tables, s, h, self.tau, factors)])
        return self.packed[s, h]

    def loads(self, times: FloatArray) -> FloatArray:
        """The subdomain's own load at these times, one after the other; empty where it is
        constant."""
        assert self.tables is not None
        f, n = self.tables.load, self.system.nv
        if f is None:
            return np.zeros(0)
        out = np.zeros((times.size, n))
        if not self.load.silent:
            for k, t in enumerate(times.tolist()):
                out[k] = checks.returned(self.load.name, f(t), (n,), t)
                if not np.isfinite(out[k]).all():
                    i = int(np.flatnonzero(~np.isfinite(out[k]))[0])
                    raise NonFiniteError(
                        f"{self.load.name} returned {out[k, i]} for {self.system.v_names[i]!r} at t = {t:.6g}"
                    )
        return out.ravel()

    def retime(self, s: Coefficients, h: float) -> None:
        """Before a sub-step of another size a is moved along its slope: a_n belongs to
        t_n − φΔt."""
        old = self.state.dt
        if old != 0.0 and abs(old - h) > SAME_STEP * h:
            self.state.a[:] += s.phi * (old - h) / old * self.state.da
            self.state.dt = h

    def linear_steps(self, s: Coefficients, times: FloatArray, step: SystemStep) -> int:
        """Sub-steps of one leg."""
        state, counters, h = self.state, self.counters, step.dt / self.tau
        self.retime(s, h)
        packed, work = self.packed_for(s, h)
        if self.load.silent:
            packed = packed.copy()
            packed.constant = 0.0
        balance = np.minimum(np.concatenate([[state.t], times[:-1]]) + s.W1 * h, step.t_limit)
        theta = (balance - self.load.t_0) / self.load.dt
        counters.evaluations += times.size
        motion = self.motion
        loads = self.loads(balance)
        status = advance(packed, work, 0, times.size, theta, self.load.lam_0, self.load.lam_1, loads, motion)
        self.motion = motion
        if status == 0:
            counters.steps += times.size
            counters.iterations += times.size
            state.t, state.dt = times[-1], h
        return int(status)

    # ---- the answer to a change of λ at the end of the step

    def move(
        self, step: SystemStep, delta: FloatArray, lam_0: FloatArray, lam_1: FloatArray
    ) -> tuple[FloatArray, float]:
        """The end of the system step after λ_{n+1} changed by delta to lam_1."""
        if self.corrects(step.kind):
            local = delta[self.rows]
            for array, columns in zip(self.moving(), self.answers[step.kind][1:], strict=True):
                array += columns @ local
        else:
            self.restore()
            self.go(step, lam_0, lam_1)
        return self.answer(step)

    def interface_response(self, step: SystemStep, lam_0: FloatArray, lam_1: FloatArray, size: float) -> FloatArray:
        """∂(G_ℓ v_ℓ)/∂λ_{n+1} at the end of the step (m, local rows); for linear subdomains known
        after the first time."""
        if not self.linear:
            return responses.by_differences(self, step, lam_0, lam_1, size)
        if step.kind not in self.answers:
            self.answers[step.kind] = responses.from_rest(self, step)
        return self.answers[step.kind][0]

    # ---- checkpoints

    def carried(self) -> dict[str, Any]:
        """What it needs to go on."""
        return kept.carried(self)

    def put_back(self, found: dict[str, dict[str, Any]], t0: float) -> None:
        """Go on from there; `found` has all subdomains by name."""
        kept.put_back(self, found[self.name], t0)

    # ---- continuous positions

    def close(self, dt: float, mu: FloatArray) -> None:
        """q_ℓ −= S_ℓ⁻¹G_ℓᵀμ."""
        self.state.q[:] -= self.bases[dt] @ mu[self.rows]

    def correction_basis(self, step: SystemStep) -> FloatArray:
        """G_ℓ J⁻¹G_ℓᵀ (linear) or G_ℓ M⁻¹G_ℓᵀ, columns for the local rows: along J⁻¹G_ℓᵀ, positions
        are closed."""
        self.bases[step.dt] = responses.of_one_sub_step(self, step) if self.linear else -self.mass_response
        return self.through_ties(self.bases[step.dt])

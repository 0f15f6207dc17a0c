"""One subdomain inside a coupled run: its state, its sub-steps, and how it answers to multipliers.

The sub-steps are those of `isodyn.integrate`: the same compiled loop, on the system with the interface force as one more load. With
λ_{n+1} changed by δ a linear subdomain ends its system step elsewhere by W δ; the columns of W are runs from rest without loads, made
once for every kind of step. Other subdomains repeat their sub-steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from isodyn.compiled import OPEN, FloatArray, State
from isodyn.formulations import Stabilised
from isodyn.integrate import work
from isodyn.integrate.run import Run
from isodyn.integrate.schedule import plan
from isodyn.subdomains.interface_load import tied

_MANY_COLUMNS = 64  # per sub-step; beyond this, repeating the sub-steps is cheaper than a product with W
_LITTLE_MEMORY = 2_000_000  # entries of W that are no burden in any case


class SystemStep(NamedTuple):
    """From t to t_1; `first` after a start, `last` before a breakpoint; loads are not asked for later than t_limit."""

    t: float
    t_1: float
    dt: float
    first: bool
    last: bool
    t_limit: float

    @property
    def kind(self) -> tuple[float, bool, bool]:
        """Steps of one kind have the same matrices."""
        return self.dt, self.first, self.last


class Part:
    """A subdomain with its scheme and its number of sub-steps; G holds the enforced rows, all of them."""

    def __init__(self, name: str, system: Any, scheme: Any, tau: int, G: Any, newton: Any, assemble: bool) -> None:
        self.name, self.system, self.scheme, self.tau, self.G = name, system, scheme, tau, G
        other, self.load, self.linear = tied(system, G.T.tocsr())
        (stretch,) = plan(0.0, 1.0, 1.0, (), 1)
        closure = OPEN if system.m == 0 or system.first_order else Stabilised().closure(1.0)
        self.run = Run(other, scheme, [stretch], None, newton, None, closure, closure, assemble)
        self.rows = np.unique(G.nonzero()[0])
        self.mass_response = np.zeros((system.nv, 0))  # ∂a/∂λ at a state
        self.answers: dict[Any, tuple[FloatArray, ...]] = {}  # W by kind of step
        self.saved: tuple[Any, ...] = ()

    # ---- the state

    @property
    def state(self) -> State:
        return self.run.state

    def save(self) -> None:
        """Remember the state at the beginning of a system step."""
        self.saved = (*(array.copy() for array in self.state), self.run.phi)

    def restore(self) -> None:
        """Back to the beginning of the system step."""
        *arrays, self.run.phi = self.saved
        for array, values in zip(self.state, arrays, strict=True):
            array[:] = values

    def acceleration_now(self) -> FloatArray:
        """The acceleration brought to t_n, a_n + φ Δa."""
        now: FloatArray = self.state.a + self.run.phi * self.state.da  # [Shimada2014 (2.75)]
        return now

    # ---- start

    def accelerate(self, t: float, lam: FloatArray, first: bool) -> None:
        """state.a from the balance at t with these multipliers."""
        self.load.set(t, 1.0, lam, lam)
        self.run.phi = 0.0
        self.run.state.clock[0] = t
        self.run.initial_values(t, first)

    def respond_at_rest(self, t: float, first: bool) -> None:
        """∂a/∂λ, column by column; a is affine in λ, so differences are exact up to rounding."""
        m = self.G.shape[0]
        self.accelerate(t, np.zeros(m), first)
        free = self.state.a.copy()
        columns = []
        for row in self.rows:
            e = np.zeros(m)
            e[row] = max(1.0, float(np.abs(free).max()))
            self.accelerate(t, e, False)
            columns.append((self.state.a - free) / e[row])
        self.mass_response = np.array(columns).reshape(-1, free.size).T
        self.state.a[:] = free

    # ---- sub-steps

    def advance(self, step: SystemStep, lam_0: FloatArray, lam_1: FloatArray) -> None:
        """All sub-steps of a system step with given multipliers."""
        self.load.set(step.t, step.t_1 - step.t, lam_0, lam_1)
        self.go(step)

    def go(self, step: SystemStep) -> None:
        """τ sub-steps: after a start the first with the midpoint member; before a breakpoint the last, where W₁ > 1 would look past it."""
        run, tau = self.run, self.tau
        times = step.t + (step.t_1 - step.t) * np.arange(1, tau + 1) / tau
        times[-1] = step.t_1
        if abs(self.state.clock[1] - step.dt / tau) <= 1e-8 * step.dt:
            self.state.clock[1] = step.dt / tau
        begin = 0
        if step.first:
            self.loop(run.midpoint, times[:1], step.t_limit)
            begin = 1
        if step.last and run.main.W1 > 1.0 and begin < tau:
            run.shift(run.main.phi)
            self.loop(run.main, times[begin:-1], step.t_limit)
            run.shift(0.0)
            self.loop(run.midpoint, times[-1:], step.t_limit)
            return
        run.shift(run.main.phi)
        self.loop(run.main, times[begin:], step.t_limit)

    def loop(self, s: Any, times: FloatArray, t_limit: float) -> None:
        """Steps of the shared compiled loop."""
        if times.size == 0:
            return
        run, before = self.run, int(self.run.count[work.STEPS])
        with np.errstate(over="ignore", invalid="ignore"):  # the loop finds infinities itself
            status = run.loop.run(
                *run.physics(run.closure),
                s,
                run.controls,
                t_limit,
                times,
                np.zeros(times.size, dtype=np.bool_),
                run.state,
                run.work,
                run.pivots,
                run.columns,
                run.rows,
                run.count,
            )
        done = int(run.count[work.STEPS]) - before
        run.check(status, run.state.clock[0], times[min(done, times.size - 1)])

    # ---- the answer to a change of λ at the end of the step

    def move(self, step: SystemStep, delta: FloatArray, lam_0: FloatArray, lam_1: FloatArray) -> None:
        """The end of the system step after λ_{n+1} changed by delta to lam_1."""
        W = self.answers.get(step.kind, ())
        if self.linear and len(W) > 1:
            local = delta[self.rows]
            for array, columns in zip(self.state[1:], W[1:], strict=True):
                array += columns @ local
            return
        self.restore()
        self.advance(step, lam_0, lam_1)

    def interface_response(self, step: SystemStep, lam_0: FloatArray, lam_1: FloatArray, size: float) -> FloatArray:
        """∂(G_ℓ v_ℓ)/∂λ_{n+1} at the end of the step (m, local rows); for linear subdomains known after the first time."""
        if self.linear:
            if step.kind not in self.answers:
                self.answers[step.kind] = self.linear_response(step)
            return self.answers[step.kind][0]
        m, end = self.G.shape[0], [array.copy() for array in self.state]
        phi, v = self.run.phi, self.state.v.copy()
        columns = []
        for row in self.rows:
            changed = lam_1.copy()
            changed[row] += size
            self.restore()
            self.advance(step, lam_0, changed)
            columns.append(self.G @ (self.state.v - v) / (changed[row] - lam_1[row]))
        for array, values in zip(self.state, end, strict=True):
            array[:] = values
        self.run.phi = phi
        return np.array(columns).reshape(-1, m).T

    def linear_response(self, step: SystemStep) -> tuple[FloatArray, ...]:
        """G V and, where it pays, W: ends of runs from rest without loads, with λ rising from 0 to one in each row."""
        state, run, m = self.state, self.run, self.G.shape[0]
        end, phi, count = [array.copy() for array in state], run.phi, run.count.copy()
        silent, self.load.silent = self.load.silent, True
        still = SystemStep(0.0, step.dt, step.dt, step.first, step.last, np.inf)
        columns: list[list[FloatArray]] = [[] for _ in state[1:]]
        keep = self.rows.size <= _MANY_COLUMNS * self.tau or self.rows.size * state.v.size <= _LITTLE_MEMORY
        velocities = []
        for row in self.rows:
            for array in state:
                array[:] = 0.0
            state.clock[1] = step.dt / self.tau
            run.phi = 0.0 if step.first else run.main.phi
            e = np.zeros(m)
            e[row] = 1.0
            self.advance(still, np.zeros(m), e)
            velocities.append(self.G @ state.v)
            if keep:
                for kept, array in zip(columns, state[1:], strict=True):
                    kept.append(array.copy())
        self.load.silent, run.phi = silent, phi
        for array, values in zip(state, end, strict=True):
            array[:] = values
        factorisations = run.count[work.FACTORISATIONS]
        run.count[:] = count
        run.count[work.FACTORISATIONS] = factorisations
        G_V = np.array(velocities).reshape(-1, m).T
        if not keep:
            return (G_V,)
        W = [np.array(kept).reshape(self.rows.size, -1).T.copy() for kept in columns]
        return (G_V, *W)

    def correction_basis(self, step: SystemStep) -> FloatArray:
        """J⁻¹G_ℓᵀ (linear) or M⁻¹G_ℓᵀ, columns for the local rows: along these, positions are closed."""
        if not self.linear:
            return -self.mass_response
        state, run = self.state, self.run
        end, phi = [array.copy() for array in state], run.phi
        silent, self.load.silent = self.load.silent, True
        columns, h = [], step.dt / self.tau
        for row in self.rows:
            for array in state:
                array[:] = 0.0
            state.clock[1], run.phi = h, run.main.phi
            e = np.zeros(self.G.shape[0])
            e[row] = 1.0
            self.load.set(0.0, h, e, e)
            self.loop(run.main, np.array([h]), np.inf)
            columns.append(-state.da.copy())
        self.load.silent, run.phi = silent, phi
        for array, values in zip(state, end, strict=True):
            array[:] = values
        return np.array(columns).reshape(-1, state.v.size).T

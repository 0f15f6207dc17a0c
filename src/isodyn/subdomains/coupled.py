"""The second driver: system steps of tied subdomains, each with its own scheme and its own number of sub-steps.

    λ(t) linear between t_n and t_{n+1};   τ_ℓ sub-steps of every subdomain, balance with load and λ at t_n + (m + W₁)Δt_ℓ
    Σ G_ℓ v_ℓ^{n+1} = 0                     for λ_{n+1}                                        [Shimada2014 (4.4)]

The velocity gap at t_{n+1} is affine in λ_{n+1} for linear subdomains: sub-steps with a guess, one solve with the dual Schur complement
H = −Σ G_ℓ ∂v_ℓ/∂λ (factorised once for each kind of step), sub-steps corrected. With others it is Newton's iteration on the
interface, with an H from differences that is kept while it serves. Nothing of the size of all sub-steps together is ever formed.

With `stabilised`, positions are closed after each system step, q_ℓ ← q_ℓ − S_ℓ⁻¹G_ℓᵀμ with Σ G_ℓ q_ℓ = 0, S_ℓ the matrix of a sub-step: the
stabilised step, in which μ enters q_{n+1} alone. See docs/derivations/subdomain_steps.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from isodyn import interrupts
from isodyn.compiled import FloatArray
from isodyn.errors import ConvergenceError, InputError, NonFiniteError, SingularError
from isodyn.integrate import work
from isodyn.integrate.schedule import Stretch
from isodyn.linear_solvers.rows import choose, least_multipliers
from isodyn.results.solution import Solution, Statistics
from isodyn.subdomains.part import Part, SystemStep
from isodyn.subdomains.solution import SubdomainSolution
from isodyn.subdomains.ties import Subdomains

_SMALL = 1e-6  # gaps of the start below this, relative, are rounding of the input
_ROUNDING = 1e-13  # relative gap of velocities that needs no further correction
_ITERATIONS = 25
_SLOW = 0.1  # contraction beyond which H is made anew


class CoupledRun:
    """Subdomains in motion."""

    def __init__(
        self,
        sub: Subdomains,
        schemes: dict[str, Any],
        substeps: dict[str, int],
        stretches: list[Stretch],
        newton: Any,
        stabilised: bool,
        assemble: bool,
        threads: int,
    ) -> None:
        self.sub, self.stretches, self.stabilised, self.assemble = sub, stretches, stabilised, assemble
        self.rtol = newton.rtol
        self.G_all = np.hstack([G.toarray()[:, np.unique(G.nonzero()[1])] for G in sub.G.values()])
        self.rows = choose(self.G_all)
        self.parts = [
            Part(name, system, schemes[name], substeps[name], sub.G[name][self.rows.chosen], newton, assemble)
            for name, system in sub.systems.items()
        ]
        self.linear = all(part.linear for part in self.parts)
        self.lam = np.zeros(self.rows.rank)
        self.rate = np.zeros(self.rows.rank)  # of λ in the last step, for the next guess
        self.factors: dict[Any, Any] = {}
        self.bases: dict[Any, Any] = {}
        self.steps, self.iterations, self.phase = 0, 0, "the start"
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self.kept: list[list[Any]] = []

    # ---- the course of a run

    def execute(self, bar: Any) -> SubdomainSolution:
        """All stretches; Ctrl-C returns what exists."""
        started, stopped = time.perf_counter(), None
        try:
            with interrupts.noted():
                for number, stretch in enumerate(self.stretches):
                    self.start(stretch.t_start, first=number == 0)
                    self.keep(replace=number > 0)
                    self.follow(stretch, bar)
        except KeyboardInterrupt:
            stopped = f"interrupted after {self.steps} steps"
        finally:
            if self.pool is not None:
                self.pool.shutdown()
        return self.solution(time.perf_counter() - started, stopped)

    def follow(self, stretch: Stretch, bar: Any) -> None:
        """The system steps of a stretch."""
        t_limit = float(np.nextafter(stretch.t_stop, -np.inf)) if stretch.ends_in_breakpoint else np.inf
        times, save = stretch.times(0, stretch.steps), stretch.save(0, stretch.steps)
        t = stretch.t_start
        for n, t_1 in enumerate(times.tolist()):
            dt = stretch.dt if abs(t_1 - t - stretch.dt) <= 1e-8 * stretch.dt else t_1 - t
            last = stretch.ends_in_breakpoint and n == stretch.steps - 1
            with np.errstate(over="ignore", invalid="ignore"):  # infinities are found and named
                self.step(SystemStep(t, t_1, dt, n == 0, last, t_limit if last else np.inf))
            t = t_1
            if save[n]:
                self.keep()
            bar.update(self.steps, t)
            if interrupts.pending():
                raise KeyboardInterrupt

    @contextmanager
    def named(self, part: Part) -> Iterator[None]:
        """The name of the subdomain as a note on what goes wrong in it."""
        try:
            yield
        except Exception as error:
            error.add_note(f"in subdomain {part.name!r}, {self.phase}")
            raise

    def each(self, work_on: Callable[[Part], Any]) -> None:
        """The same for every subdomain, in threads where there are some."""

        def do(part: Part) -> None:
            with self.named(part):
                work_on(part)

        if self.pool is None:
            for part in self.parts:
                do(part)
        else:
            list(self.pool.map(do, self.parts))

    # ---- start

    def start(self, t: float, *, first: bool) -> None:
        """Consistent a and λ: M_ℓ a_ℓ + G_ℓᵀλ = Q_ℓ with Σ G_ℓ a_ℓ = 0; small gaps of q and v are closed before."""
        t_right = t if first else float(np.nextafter(t, np.inf))
        self.phase = f"at the start, t = {t:g}"
        self.lam[:] = 0.0
        self.rate[:] = 0.0
        self.each(lambda part: part.respond_at_rest(t_right, first))
        H = self.schur([part.G @ part.mass_response for part in self.parts])
        solve = self.factorised(H, "the masses at the interface")
        self.close_start(solve, first)
        for _ in range(2):
            self.each(lambda part: part.accelerate(t_right, self.lam, False))
            self.lam += solve(self.gap("a"))  # a second solve removes the rounding of the first
        self.each(lambda part: part.accelerate(t_right, self.lam, False))

    def close_start(self, solve: Callable[[FloatArray], FloatArray], first: bool) -> None:
        """Least changes in the mass norm that make the start continuous; refused where they are not small."""
        for key in ("q", "v"):
            if key == "q" and self.sub.first_order:
                continue
            gap = self.gap(key)
            size = max(1.0, *(float(np.abs(getattr(part.state, key)).max(initial=0.0)) for part in self.parts))
            worst = int(np.abs(gap).argmax()) if gap.size else 0
            if first and gap.size and abs(gap[worst]) > _SMALL * size and not self.assemble:
                what = "velocities" if key == "v" else "positions"
                raise InputError(
                    f"the {what} at the start differ across the tie {self.sub.row_names[self.rows.chosen[worst]]!r} by {gap[worst]:.3g}",
                    hint="give both sides the same start, or pass assemble=True for the nearest continuous one",
                )
            if gap.size and (not first or np.abs(gap).max() > 0.0) and (key == "v" or first):
                mu = solve(gap)
                for part in self.parts:
                    array = getattr(part.state, key)
                    array += part.mass_response @ mu[part.rows]

    # ---- one system step

    def step(self, step: SystemStep) -> None:
        """Every subdomain from t to t_1, with the multipliers that keep velocities continuous there."""
        self.phase = f"in system step {self.steps + 1} from t = {step.t:.6g}"
        lam_0 = self.lam
        lam_1 = lam_0 + step.dt * self.rate
        self.each(Part.save)
        self.each(lambda part: part.advance(step, lam_0, lam_1))
        before, renewed = np.inf, False
        for k in range(_ITERATIONS if lam_0.size else 0):
            gap = self.gap("v")
            size = float(np.abs(gap).max(initial=0.0))
            if not np.isfinite(size):
                raise NonFiniteError(
                    f"a NaN or an infinity appeared at the interface {self.phase}",
                    hint="with an explicit scheme, take more sub-steps: iso.subdomains.advise tells its limit",
                )
            scale = self.velocity_scale(step)
            if k > 0 and size <= (_ROUNDING if self.linear else 0.1 * self.rtol) * scale:
                break
            if k > 1 and size > 0.5 * before and (self.linear or size <= 1e2 * self.rtol * scale):
                break  # rounding
            slow = k > 1 and size > _SLOW * before
            solve = self.interface_solve(step, lam_0, lam_1, renew=slow and not renewed)
            renewed = slow and not renewed
            before = size
            delta = solve(gap)
            lam_1 = lam_1 + delta
            self.move_all(step, delta, lam_0, lam_1)
            self.iterations += 1
        else:
            if lam_0.size:
                raise ConvergenceError(
                    f"the interface did not close {self.phase} in {_ITERATIONS} iterations: velocities differ by {size:.2e}",
                    hint="reduce dt, or take newton=Newton(rtol=1e-12) for cleaner sub-steps",
                )
        self.rate = (lam_1 - lam_0) / step.dt
        self.lam = lam_1
        if self.stabilised:
            self.close_positions(step)
        self.steps += 1

    def move_all(self, step: SystemStep, delta: FloatArray, lam_0: FloatArray, lam_1: FloatArray) -> None:
        """All subdomains to the new λ_{n+1}."""
        self.each(lambda part: part.move(step, delta, lam_0, lam_1))

    def gap(self, key: str) -> FloatArray:
        """Σ G_ℓ of q, v or a."""
        total = np.zeros(self.rows.rank)
        for part in self.parts:
            total += part.G @ getattr(part.state, key)
        return total

    def velocity_scale(self, step: SystemStep) -> float:
        """The size that gaps of velocity are compared with."""
        sizes = [
            np.abs(part.state.v).max() + step.dt * (np.abs(part.state.a).max() + np.abs(part.state.da).max())
            for part in self.parts
        ]
        return max(float(max(sizes)), 1e-300)

    def interface_solve(
        self, step: SystemStep, lam_0: FloatArray, lam_1: FloatArray, renew: bool
    ) -> Callable[[FloatArray], FloatArray]:
        """Solves with the dual Schur complement of this kind of step."""
        if step.kind not in self.factors or (renew and not self.linear):
            largest = max(float(np.abs(part.mass_response).max(initial=0.0)) for part in self.parts)
            size = 1e-6 * self.velocity_scale(step) / (step.dt * largest)
            size = max(size, 1e-6 * float(np.abs(lam_1).max(initial=0.0)), 1e-12 / largest)
            blocks: dict[str, FloatArray] = {}
            self.each(lambda part: blocks.update({part.name: part.interface_response(step, lam_0, lam_1, size)}))
            H = self.schur([blocks[part.name] for part in self.parts])
            self.factors[step.kind] = self.factorised(H, f"the interface, dt = {step.dt:g}")
        solve: Callable[[FloatArray], FloatArray] = self.factors[step.kind]
        return solve

    def schur(self, blocks: list[FloatArray]) -> FloatArray:
        """−Σ of blocks (m, local rows) in their columns."""
        H = np.zeros((self.rows.rank, self.rows.rank))
        for part, block in zip(self.parts, blocks, strict=True):
            H[:, part.rows] -= block
        return H

    def factorised(self, H: FloatArray, what: str) -> Callable[[FloatArray], FloatArray]:
        """Solves with H; refused where ties without motion of their own make it singular."""
        if H.size == 0:
            return lambda gap: gap
        length = np.sqrt(np.abs(np.diag(H)))
        scale = 1.0 / np.where(length > 0.0, length, 1.0)
        scaled = H * scale[:, None] * scale
        values = np.linalg.svd(scaled, compute_uv=False) if np.isfinite(scaled).all() else np.array([1.0, 0.0])
        if not values[-1] > 1e-13 * values[0]:
            worst = self.sub.row_names[self.rows.chosen[int(np.argmin(length))]]
            raise SingularError(
                f"the operator of {what} is singular: smallest of {values.size} singular values {values[-1]:.1e} of {values[0]:.1e},"
                f" weakest tie {worst!r}",
                hint="a tie whose coordinates are held by constraints of their own on both sides, or that has no inertia",
            )
        factors = lu_factor(scaled)
        return lambda gap: scale * lu_solve(factors, scale * gap)

    def close_positions(self, step: SystemStep) -> None:
        """q_ℓ ← q_ℓ − S_ℓ⁻¹G_ℓᵀμ with Σ G_ℓ q_ℓ = 0."""
        if self.sub.first_order or not self.rows.rank:
            return
        if step.dt not in self.bases:
            bases = {part.name: part.correction_basis(step) for part in self.parts}
            H = self.schur([-(part.G @ bases[part.name]) for part in self.parts])
            self.bases[step.dt] = bases, self.factorised(H, "the positions at the interface")
        bases, solve = self.bases[step.dt]
        mu = solve(self.gap("q"))
        for part in self.parts:
            part.state.q[:] -= bases[part.name] @ mu[part.rows]

    # ---- what is kept

    def keep(self, replace: bool = False) -> None:
        """A row for every subdomain and for λ; at a breakpoint the right-hand limit in the place of the left-hand one."""
        row: list[Any] = [
            (part.state.q.copy(), part.state.v.copy(), part.acceleration_now(), part.state.lam.copy())
            for part in self.parts
        ]
        lam = np.zeros(self.sub.m)
        lam[self.rows.chosen] = self.lam
        if self.rows.dropped.size:
            lam = least_multipliers(self.G_all, lam)
        if replace:
            self.kept.pop()
        self.kept.append([self.parts[0].state.clock[0], lam, *row])

    def solution(self, seconds: float, stopped: str | None) -> SubdomainSolution:
        """Rows so far."""
        t = np.array([row[0] for row in self.kept])
        lam = np.array([row[1] for row in self.kept]).reshape(t.size, self.sub.m)
        sols, total = {}, Statistics(steps=self.steps, iterations=self.iterations, seconds=seconds, stopped=stopped)
        for k, part in enumerate(self.parts):
            q, v, a, own = (np.array([row[2 + k][i] for row in self.kept]).reshape(t.size, -1) for i in range(4))
            count = part.run.count
            stats = Statistics(
                steps=int(count[work.STEPS]),
                iterations=int(count[work.ITERATIONS]),
                evaluations=int(count[work.EVALUATIONS]),
                factorisations=int(count[work.FACTORISATIONS]),
                halvings=int(count[work.HALVINGS]),
                seconds=seconds,
                solver=part.run.model.solver,
                stopped=stopped,
            )
            total.evaluations += stats.evaluations
            total.factorisations += stats.factorisations
            total.solver = total.solver or stats.solver
            columns = {name: np.arange(x.shape[1]) for name, x in (("q", q), ("v", v), ("a", a), ("lam", own))}
            sols[part.name] = Solution(t, q, v, a, own, part.system, part.scheme, stats, columns)
        redundant = tuple(self.sub.row_names[i] for i in self.rows.dropped)
        return SubdomainSolution(t, sols, lam, self.sub, total, redundant)

"""The second driver: system steps of tied subdomains, each with its own scheme and its own number
of sub-steps.

    λ(t) linear between t_n and t_{n+1};   τ_ℓ sub-steps of every subdomain, balance with load and λ at t_n + (m + W₁)Δt_ℓ
    Σ G_ℓ v_ℓ^{n+1} = 0                     for λ_{n+1}                                        [Shimada2014 (4.4)]

The velocity gap at t_{n+1} is affine in λ_{n+1} for linear subdomains: sub-steps with a guess, one
solve with the dual Schur complement H = −Σ G_ℓ ∂v_ℓ/∂λ (factorised once for each kind of step),
sub-steps corrected. With others it is Newton's iteration on the interface, with an H from
differences that is kept while it serves. Nothing of the size of all sub-steps together is ever
formed.

With `stabilised`, positions are closed after each system step, q_ℓ ← q_ℓ − S_ℓ⁻¹G_ℓᵀμ with Σ G_ℓ
q_ℓ = 0, S_ℓ the matrix of a sub-step: the stabilised step, in which μ enters q_{n+1} alone. See
docs/derivations/subdomain_steps.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import ConvergenceError, InputError, NonFiniteError
from isodyn.kernels import interrupts
from isodyn.kernels.compiled import FloatArray
from isodyn.kernels.progress import run_clock
from isodyn.linear_solvers.rows import choose
from isodyn.marching.outcome import carry_out
from isodyn.marching.schedule import Stretch
from isodyn.results.statistics import Statistics
from isodyn.subdomains.blocks import Blocks
from isodyn.subdomains.interface import InterfaceOperator, schur
from isodyn.subdomains.kept import KeptRun
from isodyn.subdomains.part import SubdomainPart
from isodyn.subdomains.record import Record
from isodyn.subdomains.solution import SubdomainSolution
from isodyn.subdomains.system_step import SystemStep
from isodyn.subdomains.team import team
from isodyn.subdomains.ties import Subdomains
from isodyn.systems import LinearFirstOrderSystem, LinearSystem

if TYPE_CHECKING:
    from isodyn.marching.progress import Progress
    from isodyn.open_types import Selection
    from isodyn.stepping.newton_settings import Newton

_SMALL = 1e-6  # gaps of the start below this, relative, are rounding of the input
_ROUNDING = 1e-13  # relative gap of velocities that needs no further correction
_ITERATIONS = 25
_SLOW = 0.1  # contraction beyond which H is made anew
# how long compiled blocks of steps may run before Python looks after progress and Ctrl-C
_BLOCK_SECONDS = 0.1


class CoupledRun:
    """Subdomains in motion."""

    def __init__(
        self,
        sub: Subdomains,
        schemes: dict[str, Any],
        substeps: dict[str, int],
        stretches: list[Stretch],
        newton: Newton,
        stabilised: bool,
        assemble: bool,
        threads: int,
        observe: Callable[[Any], Any] | None = None,
        executor: Any = None,
        select: Selection | None = None,
    ) -> None:
        self.sub, self.schemes, self.stretches, self.assemble = sub, schemes, stretches, assemble
        self.stabilised = stabilised and not sub.first_order
        self.observe, self.rtol = observe, newton.rtol
        G_all = np.hstack([G.toarray()[:, np.unique(G.nonzero()[1])] for G in sub.G.values()])
        self.rows = choose(G_all)
        given = [
            (name, system, schemes[name], substeps[name], sub.G[name][self.rows.chosen], newton, assemble)
            for name, system in sub.systems.items()
        ]
        self.team = team(given, threads, executor)
        self.local = [np.unique(G.nonzero()[0]) for _, _, _, _, G, _, _ in given]
        self.linear = all(isinstance(system, LinearSystem | LinearFirstOrderSystem) for system in sub.systems.values())
        self.lam = np.zeros(self.rows.rank)
        self.rate = np.zeros(self.rows.rank)  # of λ in the last step, for the next guess
        self.largest_response = 0.0
        self.operators: dict[Any, InterfaceOperator] = {}
        self.positions: dict[float, InterfaceOperator] = {}
        self.affine_kinds: dict[Any, bool] = {}
        self.blocks = Blocks(self)
        self.steps, self.iterations, self.t = 0, 0, stretches[0].t_start
        self.record = Record(sub, self.rows, G_all, 1 + sum(stretch.rows for stretch in stretches), select)
        self.checkpoint: Any = None  # of isodyn.results
        self.kept = KeptRun(self)

    @property
    def parts(self) -> list[SubdomainPart]:
        """The subdomains, where they live in this process."""
        return self.team.parts

    # ---- the course of a run

    def execute(self, bar: Progress) -> SubdomainSolution:
        """All stretches; Ctrl-C or an observer's word returns what exists, errors carry it."""
        try:
            return carry_out(lambda: self.follow_all(bar), self.where, self.solution)
        finally:
            self.team.close()

    def follow_all(self, bar: Progress) -> str | None:
        """All stretches, or those that are left after a checkpoint; what ended the run before."""
        self.go_to_checkpoint()
        begin = 0
        for number, stretch in enumerate(self.stretches):
            inside, begin = self.steps - begin, begin + stretch.steps
            if self.steps >= begin:
                continue
            if inside == 0:
                self.start(stretch.t_start, first=number == 0)
                self.keep(replace=number > 0)
            if (self.steps == 0 and self.ended_by_observer()) or self.follow(stretch, bar, inside):
                return f"stopped by observe {self.where()}"
        if self.checkpoint is not None:
            self.checkpoint.finish(self.kept)
        return None

    def go_to_checkpoint(self) -> None:
        """To the last state that was kept, where there is one."""
        if self.checkpoint is not None:
            self.checkpoint.settle(self.kept.total_steps)
            self.checkpoint.restore(self.kept)

    def where(self) -> str:
        """How far the run is, in words."""
        total = sum(stretch.steps for stretch in self.stretches)
        return f"at t = {self.t:g} after {self.steps} of {total} steps"

    def follow(self, stretch: Stretch, bar: Progress, n: int = 0) -> bool:
        """The system steps of a stretch from the n-th on; True where the observer ended the run."""
        t_limit = float(np.nextafter(stretch.t_stop, -np.inf)) if stretch.ends_in_breakpoint else np.inf
        length, kept = 16, self.checkpoint
        while n < stretch.steps:
            block = self.blocks.regular(stretch, n, length if kept is None else min(length, kept.room(self.steps)))
            if block is None:
                (t_1,) = stretch.times(n, n + 1).tolist()
                dt = stretch.dt if abs(t_1 - self.t - stretch.dt) <= 1e-8 * stretch.dt else t_1 - self.t
                last = stretch.ends_in_breakpoint and n == stretch.steps - 1
                with np.errstate(over="ignore", invalid="ignore"):  # infinities are found and named
                    self.step(SystemStep(self.t, t_1, dt, n == 0, last, t_limit if last else np.inf))
                self.t, saved = t_1, bool(stretch.save(n, n + 1)[0])
                if saved:
                    self.keep()
                n += 1
            else:
                clock = run_clock()
                n, saved = n + block[0].size, bool(block[1][-1])
                self.blocks.go(stretch.dt, *block)
                seconds = max(run_clock() - clock, 1e-6)
                length = int(block[0].size * np.clip(_BLOCK_SECONDS / seconds, 0.5, 8.0)) + 1
            if saved and self.ended_by_observer():
                return True
            if kept is not None and kept.due(self.steps):
                kept.write(self.kept)
            bar.update(self.steps, self.t)
            if interrupts.pending():
                raise KeyboardInterrupt
        return False

    def ended_by_observer(self) -> bool:
        """Show the state to the observer; True from it ends the run."""
        return self.observe is not None and bool(self.observe(self.record.sample(self.team.ask("row"), self.lam)))

    def not_finite(self) -> NonFiniteError:
        return NonFiniteError(
            f"a NaN or an infinity appeared at the interface {self.team.phase}",
            hint="with an explicit scheme, take more sub-steps (iso.subdomains.advise tells its limit); else check what functions return",
        )

    # ---- start

    def start(self, t: float, *, first: bool) -> None:
        """Consistent a and λ: M_ℓ a_ℓ + G_ℓᵀλ = Q_ℓ with Σ G_ℓ a_ℓ = 0; small gaps of q and v are
        closed before."""
        t_right = t if first else float(np.nextafter(t, np.inf))
        self.team.phase = f"at the start, t = {t:g}"
        self.t = t
        self.lam[:] = 0.0
        self.rate[:] = 0.0
        blocks, largest = zip(*self.team.ask("respond_at_rest", t_right, first), strict=True)
        self.largest_response = max(largest)
        solve = InterfaceOperator(self.schur(blocks), "the masses at the interface", self.tie_names)
        self.close_start(solve, first)
        for _ in range(2):
            gap = sum(self.team.ask("accelerate", t_right, self.lam, False))
            self.lam += solve(gap)  # a second solve removes the rounding of the first
        self.team.ask("accelerate", t_right, self.lam, False)

    def close_start(self, solve: InterfaceOperator, first: bool) -> None:
        """Least changes in the mass norm that make the start continuous; refused where they are not
        small."""
        for key in ("q", "v"):
            if key == "q" and self.sub.first_order:
                continue
            gap = self.gap(key)
            size = max(*self.team.ask("size", key), *self.team.ask("least", key))
            worst = int(np.abs(gap).argmax()) if gap.size else 0
            if first and gap.size and abs(gap[worst]) > _SMALL * size and not self.assemble:
                what = "velocities" if key == "v" else "positions"
                raise InputError(
                    f"the {what} at the start differ across the tie {self.tie_names[worst]!r} by {gap[worst]:.3g}",
                    hint="give both sides the same start, or pass assemble=True for the nearest continuous one",
                )
            if gap.size and (not first or np.abs(gap).max() > 0.0) and (key == "v" or first):
                self.team.ask("nudge", key, solve(gap))

    # ---- one system step

    def step(self, step: SystemStep) -> None:
        """Every subdomain from t to t_1, with the multipliers that keep velocities continuous
        there."""
        self.team.phase = f"in system step {self.steps + 1} from t = {step.t:.6g}"
        lam_0 = self.lam
        lam_1 = lam_0 + step.dt * self.rate
        gap, scale = self.together(self.team.ask("advance", step, lam_0, lam_1))
        before, renewed = np.inf, False
        for k in range(_ITERATIONS if lam_0.size else 0):
            size = float(np.abs(gap).max(initial=0.0))
            if not np.isfinite(size):
                raise self.not_finite()
            if k > 0 and size <= (_ROUNDING if self.linear else 0.1 * self.rtol) * scale:
                break
            if k > 1 and size > 0.5 * before and (self.linear or size <= 1e2 * self.rtol * scale):
                break  # rounding
            slow = k > 1 and size > _SLOW * before
            solve = self.operator(step, lam_0, lam_1, renew=slow and not renewed, scale=scale)
            renewed = slow and not renewed
            before = size
            delta = solve(gap)
            lam_1 = lam_1 + delta
            self.iterations += 1
            if self.team.defers and self.affine(step.kind):
                self.team.order("move", step, delta, lam_0, lam_1)
                break
            gap, scale = self.together(self.team.ask("move", step, delta, lam_0, lam_1))
        else:
            if lam_0.size:
                raise ConvergenceError(
                    f"the interface did not close {self.team.phase} in {_ITERATIONS} iterations: velocities differ by {size:.2e}",
                    hint="reduce dt, or take newton=Newton(rtol=1e-12) for cleaner sub-steps",
                )
        self.rate = (lam_1 - lam_0) / step.dt
        self.lam = lam_1
        if self.stabilised and self.rows.rank:
            self.team.ask("close", step.dt, self.position_operator(step)(self.gap("q")))
        self.steps += 1

    def affine(self, kind: tuple[float, bool, bool]) -> bool:
        """Whether all subdomains end such a step elsewhere by W δ, so that one correction closes
        the interface."""
        if kind not in self.affine_kinds:
            self.affine_kinds[kind] = all(self.team.ask("corrects", kind))
        return self.affine_kinds[kind]

    def together(self, answers: list[tuple[FloatArray, float]]) -> tuple[FloatArray, float]:
        """Σ G_ℓ v_ℓ, and the size that it is compared with."""
        gaps, sizes = zip(*answers, strict=True)
        total: FloatArray = np.sum(gaps, axis=0)
        return total, max(*sizes, 1e-300)

    def gap(self, key: str) -> FloatArray:
        """Σ G_ℓ of q, v or a."""
        total: FloatArray = np.sum(self.team.ask("gap", key), axis=0)
        return total

    def operator(
        self, step: SystemStep, lam_0: FloatArray, lam_1: FloatArray, renew: bool, scale: float = 1.0
    ) -> InterfaceOperator:
        """The dual Schur complement of this kind of step."""
        if step.kind not in self.operators or (renew and not self.linear):
            size = 1e-6 * scale / (step.dt * self.largest_response) if self.largest_response else 1e-6
            size = max(size, 1e-6 * float(np.abs(lam_1).max(initial=0.0)), 1e-12 / max(self.largest_response, 1e-300))
            blocks = self.team.ask("interface_response", step, lam_0, lam_1, size)
            self.operators[step.kind] = self.operator_of(self.schur(blocks), step.dt)
        return self.operators[step.kind]

    def operator_of(self, H: FloatArray, dt: float) -> InterfaceOperator:
        """H of steps of this size, factorised."""
        return InterfaceOperator(H, f"the interface, dt = {dt:g}", self.tie_names)

    def position_operator(self, step: SystemStep) -> InterfaceOperator:
        """Σ G_ℓ S_ℓ⁻¹G_ℓᵀ."""
        if step.dt not in self.positions:
            blocks = self.team.ask("correction_basis", step)
            self.positions[step.dt] = self.positions_of(self.schur([-block for block in blocks]))
        return self.positions[step.dt]

    def positions_of(self, H: FloatArray) -> InterfaceOperator:
        """The same, factorised."""
        return InterfaceOperator(H, "the positions at the interface", self.tie_names)

    @property
    def tie_names(self) -> list[str]:
        """Of the enforced ties."""
        return [self.sub.row_names[i] for i in self.rows.chosen]

    def schur(self, blocks: list[Any] | tuple[Any, ...]) -> FloatArray:
        """−Σ of what the subdomains answer."""
        return schur(self.rows.rank, self.local, blocks)

    # ---- what is kept

    def keep(self, replace: bool = False) -> None:
        """A row for every subdomain and for λ."""
        self.record.write(self.team.ask("row"), self.lam, replace)

    def solution(self, stopped: str | None) -> SubdomainSolution:
        """Rows so far; the last whole step too, where something stopped the run."""
        if stopped is not None and self.record.k and self.t > self.record.t[self.record.k - 1]:
            self.keep()
        seconds = self.kept.seconds()
        total = Statistics(steps=self.steps, iterations=self.iterations, seconds=seconds, stopped=stopped)
        return self.record.solution(self.team.ask("counts"), self.schemes, total)

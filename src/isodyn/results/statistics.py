"""Counts and cost of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isodyn.described import counted

if TYPE_CHECKING:
    from isodyn.results.quality import LocalError


@dataclass
class Statistics:
    """Counts and cost of a run.

    Parameters
    ----------
    steps
        Steps of the run.
    iterations
        Iterations of Newton's method.
    evaluations
        Evaluations of the balance.
    factorisations
        Factorised matrices.
    halvings
        Steps that were halved because the iteration did not converge.
    round_off_stops
        Iterations that ended at the level of rounding.
    rescues
        Steps that converged only with a remedy.
    refinements
        Solutions of linear systems that were refined.
    repivots
        New orders of elimination.
    fallbacks
        Changes to another solver.
    projections
        Iterations of the projections onto φ = 0 that end steps.
    rejected
        Rejected steps of an adaptive run.
    seconds
        Time of the compiled loop.
    solver
        Name of the linear solver.
    stopped
        Why the run ended before t_end, or None.
    methods
        Which of several methods took which steps, of `Auto`.
    index
        Differentiation index of a system with algebraic unknowns, with the ranks behind it.
    local_error
        Largest local error, relative to the largest change in a step.
    local_error_in
        Variable that has it.
    local_error_at
        Time at which it has it.

    Examples
    --------
    >>> import isodyn as iso
    >>> sol = iso.integrate(iso.problems.get("pendulum").system(), dt=0.01, t_end=0.1)
    >>> sol.stats.steps, sol.stats.stopped
    (10, None)
    """

    steps: int = 0
    iterations: int = 0
    evaluations: int = 0
    factorisations: int = 0
    halvings: int = 0
    round_off_stops: int = 0
    rescues: int = 0
    refinements: int = 0
    repivots: int = 0
    fallbacks: int = 0
    projections: int = 0
    rejected: int = 0
    seconds: float = 0.0
    solver: str = ""
    stopped: str | None = None
    methods: str = ""
    index: str | None = None  # of a system with algebraic unknowns, with the ranks behind it
    # the largest of a step, relative to the largest change in a step …
    local_error: float | None = None
    local_error_in: str = ""  # … in which variable …
    local_error_at: float | None = None  # … and when

    def take(self, found: LocalError) -> None:
        """Note the largest local error of the run.

        Parameters
        ----------
        found
            The error, with its variable and time.
        """
        self.local_error, self.local_error_at = found.value, found.t
        self.local_error_in = f"{found.of} of {found.component!r}"

    def __str__(self) -> str:
        text = (
            f"{counted(self.steps, 'step')}, {counted(self.iterations, 'iteration')}, "
            f"{counted(self.evaluations, 'evaluation')}, {counted(self.factorisations, 'factorisation')}"
            f" by {self.solver}, {self.seconds:.3g} s"
        )
        if self.methods:
            text += f", {self.methods}"
        if self.index is not None:
            text += f", {self.index}"
        if self.halvings:
            text += f", {self.halvings} halvings"
        if self.rescues:
            text += f", {self.rescues} rescued steps"
        if self.refinements:
            text += f", {self.refinements} refined solutions"
        if self.repivots:
            text += f", {self.repivots} new orders of elimination"
        if self.projections:
            text += f", {self.projections} iterations of projections"
        if self.rejected:
            text += f", {self.rejected} rejected steps"
        if self.local_error is not None:
            text += f", local error {100.0 * self.local_error:.2g} % of a step"
        return text if self.stopped is None else f"{text}; {self.stopped}"


def cost_of(stats: Statistics) -> dict[str, Any]:
    """What a run took, as summaries show it."""
    names = ["iterations", "evaluations", "factorisations", "halvings", "rejected", "solver"]
    names += ["local_error", "local_error_in", "local_error_at"]
    per_step = 1e6 * stats.seconds / max(stats.steps, 1)
    return {"seconds": stats.seconds, "microseconds_per_step": per_step, **{x: getattr(stats, x) for x in names}}

"""Runs that conserve energy and momenta, for comparison with the schemes; the steps and their
equations are in isodyn.formulations.discrete_gradients [Shimada2014 §2.4.3 adapted]."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isodyn.errors import ConvergenceError, InputError, SchemeError
from isodyn.formulations.discrete_gradients import ConservingSteps
from isodyn.formulations.protocol import ClosesNoSteps, Facts
from isodyn.kernels.compiled import FloatArray
from isodyn.results.solution import Sample, Solution
from isodyn.results.statistics import Statistics
from isodyn.stored import stored_with_runs
from isodyn.systems.base import System

LOOK_AGAIN = 64  # steps between two looks whether forces still follow from the potential


@stored_with_runs
@dataclass(frozen=True)
class EnergyMomentum(ClosesNoSteps):
    """Conserve energy and momenta in every step, to rounding; for comparison with the schemes.

    The step is the midpoint rule with a discrete gradient in the place of forces. It takes no
    scheme, and runs in Python. Systems have a constant mass matrix, forces −∂V/∂q, an energy
    function, and no or holonomic constraints that do not depend on time. φ vanishes
    at every t_n; φ̇ alternates with O(Δt²). `a` and `lam` come from the state.

    Parameters
    ----------
    points
        1, 2 or 3 if coordinates are points on a line, in a plane or in space: momenta that belong
        to translations, and to rotations about the axes through the origin, are conserved where
        forces and constraints allow it. `sol.aux["momenta"]` has their histories. If it is left
        out, energy alone is conserved.

    Raises
    ------
    InputError
        If `points` is something else.

    Examples
    --------
    >>> import isodyn as iso
    >>> kepler = iso.problems.get("kepler").system()
    >>> sol = iso.integrate(kepler, formulation=iso.EnergyMomentum(points=2), dt=0.1, t_end=10.0)
    >>> energy, momentum = sum(sol.energy()), sol.aux["momenta"][:, 0]
    >>> bool(abs(energy - energy[0]).max() < 1e-12), bool(abs(momentum - momentum[0]).max() < 1e-12)
    (True, True)
    """

    refusal: ClassVar[str] = "EnergyMomentum closes no steps of a scheme; it takes steps of its own, with `run`"
    facts: ClassVar[Facts] = Facts(
        "φ",
        (2, 2, 2, 2),
        explicit=False,
        nonholonomic=False,
        compiled=False,
        transforms=True,
        nonideal=False,
        remark="energy and momenta to rounding; a step of its own",
    )

    points: int | None = None

    def __post_init__(self) -> None:
        if self.points not in (None, 1, 2, 3):
            raise InputError(f"points must be 1, 2 or 3, or left out, received {self.points!r}")

    def run(self, system: System, integrate: Callable[..., Solution], scheme: object, **options: Any) -> Solution:
        """Return the motion of a system.

        Parameters
        ----------
        system
            The system, with a consistent start.
        integrate
            Not used: no scheme takes these steps.
        scheme
            None.
        **options
            Keywords of `isodyn.integrate`.

        Returns
        -------
        sol
            The solution.

        Raises
        ------
        SchemeError
            If a scheme was given.
        InputError
            If the system has no energy to conserve, or an option has no meaning here.
        ConvergenceError
            If a step does not converge.
        """
        if scheme is not None:
            raise SchemeError(
                f"EnergyMomentum is a step of its own, a modified midpoint rule, and cannot run with {scheme}",
                hint="leave the scheme out",
            )
        if options["checkpoint"] is not None or len(options["breakpoints"]) or options["newton"] is not None:
            raise InputError("EnergyMomentum takes no newton=, breakpoints and checkpoints")
        if not isinstance(options["dt"], int | float):
            raise InputError(f"EnergyMomentum takes steps of one size, received dt = {options['dt']!r}")
        t0, t_end, dt = float(options["t0"]), float(options["t_end"]), float(options["dt"])
        count = max(1, math.ceil((t_end - t0) / dt - 1e-9))
        grid = np.append(t0 + dt * np.arange(count), t_end)
        motion = ConservingSteps(system, self.points, grid)
        return _followed(self, motion, grid, options["save_every"], options["observe"])


def _followed(
    how: EnergyMomentum, motion: ConservingSteps, grid: FloatArray, save_every: int, observe: Callable[..., Any]
) -> Solution:
    """All steps, and the solution; of an error up to the last whole step."""
    q, v, lam, stopped, last = motion.system.q0.copy(), motion.system.v0.copy(), np.zeros(motion.system.m), None, 0
    rows: list[tuple[Any, ...]] = []
    a, lam = motion.accelerations(q, v)
    try:
        for k in range(grid.size):
            if k > 0:
                q, v, lam = motion.step(float(grid[k - 1]), float(grid[k] - grid[k - 1]), q, v, a, lam)
                a, at_t = motion.accelerations(q, v)
            else:
                at_t = lam
            if k % LOOK_AGAIN == 0 or k == grid.size - 1:
                motion.refuse_work(q, v)
            last = k
            if k % save_every and k < grid.size - 1:
                continue
            rows.append((grid[k], q, v, a, at_t, motion.momenta(q, v)))
            if observe is not None and observe(Sample(float(grid[k]), q, v, a, at_t)):
                stopped = f"observe ended the run at t = {grid[k]:.6g}"
                break
    except ConvergenceError as error:
        error.partial = _solution(how, motion, rows, last, str(error))
        raise
    return _solution(how, motion, rows, last, stopped)


def _solution(
    how: EnergyMomentum, motion: ConservingSteps, rows: list[tuple[Any, ...]], steps: int, stopped: str | None
) -> Solution:
    """Rows as a solution."""
    system = motion.system
    t, q, v, a, lam, momenta = (np.array([row[k] for row in rows]) for k in range(6))
    sizes = {"q": system.nq, "v": system.nv, "a": system.nv, "lam": system.m}
    columns = {name: np.arange(size) for name, size in sizes.items()}
    stats = Statistics(steps=steps, iterations=motion.iterations, solver="energy–momentum", stopped=stopped)
    aux = {"momenta": momenta} if motion.symmetries else {}
    return Solution(t, q, v, a, lam, system, how, stats, columns, aux)

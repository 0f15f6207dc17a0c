"""Exudyn, its fast module: silent, one thread, no files; systems, settings, a run and its
counts."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Any

import numpy as np

sys.exudynFast = True  # type: ignore[attr-defined]  # no range checks, AVX2
with contextlib.redirect_stdout(io.StringIO()):
    import exudyn as exu
    import exudyn.itemInterface as items  # noqa: N813

__all__ = ["Run", "exu", "items", "new_system"]


def new_system() -> tuple[Any, Any]:
    """A container and a system in it; the container must be kept."""
    container = exu.SystemContainer()
    return container, container.AddSystem()


class Run:
    """A system with settings that is run from its initial values as often as asked for."""

    def __init__(
        self,
        system: Any,
        dt: float | None = None,
        t_end: float | None = None,
        solver: str = "GeneralizedAlpha",
        linear: str = "EXUdense",
        rho: float = 0.9,
        rtol: float = 1e-8,
        atol: float = 1e-10,
        reuse: bool = False,
        modified: bool = True,
        each_step: bool = False,
        sensors: float | None = None,
        singular: bool = False,
    ) -> None:
        self.system, self.dt, self.t_end = system, dt, t_end
        self.solver = getattr(exu.DynamicSolverType, solver)
        s = self.settings = exu.SimulationSettings()
        s.timeIntegration.verboseMode = 0
        s.solution.file.write = False
        s.solution.sensors.writePeriod = sensors or 1e6
        s.solution.solverInformationFileName = ""
        s.linearSolver.solverType = getattr(exu.LinearSolverType, linear)
        s.linearSolver.reuseAnalyzedPattern = reuse
        s.linearSolver.ignoreSingularJacobian = singular
        s.timeIntegration.generalizedAlpha.spectralRadius = rho
        s.timeIntegration.newton.useModifiedNewton = modified
        s.timeIntegration.newton.modifiedNewtonJacUpdatePerStep = each_step
        s.timeIntegration.adaptiveStep = False
        s.timeIntegration.newton.relativeTolerance = rtol
        s.timeIntegration.newton.absoluteTolerance = atol
        s.parallel.numberOfThreads = 1

    def go(self, steps: int) -> dict[str, float]:
        """So many steps: of size dt, or to t_end. Returns Newton iterations and Jacobians."""
        integration = self.settings.timeIntegration
        integration.numberOfSteps = int(steps)
        integration.endTime = self.t_end if self.dt is None else self.dt * steps
        done = self.system.SolveDynamic(
            self.settings, solverType=self.solver, showHints=False, showCausingItems=False, autoAssemble=False
        )
        if not done:
            raise RuntimeError("the solver stopped")
        counted = self.system.sys["dynamicSolver"].it
        return {"iterations": int(counted.newtonStepsCount), "factorisations": int(counted.newtonJacobiCount)}

    def coordinates(self) -> np.ndarray:
        """Reference plus displacement."""
        data = self.system.systemData
        at_start = data.GetODE2Coordinates(configuration=exu.ConfigurationType.Reference)
        return np.array(data.GetODE2Coordinates()) + np.array(at_start)

"""Which system steps of a run go in compiled blocks: those of full size between first and last of a
stretch, of linear subdomains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.kernels.compiled import OK, FloatArray
from isodyn.marching.schedule import Stretch
from isodyn.subdomains.linear_run import LinearRun, possible
from isodyn.subdomains.system_step import SystemStep

if TYPE_CHECKING:
    from isodyn.subdomains.coupled import CoupledRun


class Blocks:
    """Many system steps at a time, where that is possible."""

    def __init__(self, run: CoupledRun) -> None:
        self.run = run
        self.by_step: dict[float, LinearRun | None] = {}

    def regular(self, stretch: Stretch, n: int, length: int) -> tuple[FloatArray, Any] | None:
        """Times and saves of the next system steps, `length` at most; None where the next one goes
        by itself."""
        end = min(n + length, stretch.steps)
        if end == stretch.steps and (stretch.ends_in_breakpoint or not _full(stretch)):
            end -= 1
        if n == 0 or end <= n:
            return None
        linear = self.linear_run(stretch.dt)
        if linear is None:
            return None
        end = min(end, n + linear.longest)
        times, save = stretch.times(n, end), stretch.save(n, end)
        if self.run.observe is not None and save.any():
            stop = int(np.argmax(save)) + 1
            times, save = times[:stop], save[:stop]
        return times, save

    def linear_run(self, dt: float) -> LinearRun | None:
        """The compiled loop for steps of this size; None where subdomains are not all here, linear
        and of narrow bands."""
        run = self.run
        if dt not in self.by_step:
            self.by_step[dt] = None
            if run.linear and run.team.alone and all(part.tables is not None for part in run.parts):
                step = SystemStep(run.t, run.t + dt, dt, False, False, np.inf)
                operator = run.operator(step, run.lam, run.lam, renew=False)
                positions = run.position_operator(step) if run.stabilised and run.rows.rank else None
                if possible(run.parts, step.kind):
                    self.by_step[dt] = LinearRun(run.parts, dt, operator, positions)
        return self.by_step[dt]

    def go(self, dt: float, times: FloatArray, save: FloatArray) -> None:
        """A block of steps; one by one where a load fails, so that the run ends just there."""
        run, linear = self.run, self.by_step[dt]
        assert linear is not None
        try:
            loads = linear.loads(np.concatenate([[run.t], times[:-1]]))
        except Exception:
            for t_1, saved in zip(times.tolist(), save.tolist(), strict=True):
                run.step(SystemStep(run.t, t_1, dt, False, False, np.inf))
                run.t = t_1
                if saved:
                    run.keep()
            return
        for part in run.parts:
            part.shift(part.main.phi)
            part.retime(part.main, dt / part.tau)
        status, done, corrections = linear.go(loads, times, save, run.lam, run.rate, run.record)
        run.steps += done
        run.iterations += corrections
        if status != OK:
            run.t = float(times[done - 1]) if done else run.t
            run.team.phase = f"in system step {run.steps + 1} from t = {run.t:.6g}"
            raise run.not_finite()
        run.t = float(times[-1])


def _full(stretch: Stretch) -> bool:
    """Whether the last step of a stretch is as long as the others."""
    before, last = (
        stretch.times(stretch.steps - 2, stretch.steps) if stretch.steps > 1 else (stretch.t_start, stretch.t_stop)
    )
    return bool(abs(last - before - stretch.dt) <= 1e-8 * stretch.dt)

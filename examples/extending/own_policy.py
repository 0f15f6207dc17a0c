"""A step policy of your own: steps as long as the local error of the positions allows. One class,
known to `integrate` and to checkpoints.

A policy is a frozen dataclass below `iso.StepPolicy`. After each step `accept` is asked: a positive
factor accepts the step and says how many times as long the next one shall be, a factor between −1
and 0 has the step repeated from the state before it. The step brings estimates of its local error.

The example follows a comet on a long ellipse: most of the way steps may be large, near the sun they
must be small. As many steps of one size miss the same position by far more.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.report import figures


@dataclass(frozen=True)
class KeepError(iso.StepPolicy):
    """Keep the estimated error of q in a step below a tolerance."""

    tolerance: float
    first_step: float = 1e-3

    def accept(self, step) -> float:
        """The error of q goes with Δt³."""
        error = max(float(np.abs(step.error_q).max()), 1e-3 * self.tolerance)
        factor = 0.9 * (self.tolerance / error) ** (1.0 / 3.0)
        return -max(factor, 0.2) if error > self.tolerance else min(factor, 2.0)


def comet() -> iso.MechanicalSystem:
    """Unit mass around a sun, from the far end of an ellipse of eccentricity 0.9 and period 2π."""

    def pull(q, v, t):
        return -q / np.linalg.norm(q) ** 3

    return iso.MechanicalSystem(M=np.eye(2), Q=pull, q0=[-1.9, 0.0], v0=[0.0, -np.sqrt(0.1 / 1.9)])


def main(out: Path | None = None) -> dict[str, float]:
    """How far the comet is from its start after one turn."""
    scheme, turn = iso.Scheme.midpoint_epa(), 2.0 * np.pi
    chosen = iso.integrate(comet(), scheme, dt=KeepError(1e-6), t_end=turn)
    equal = iso.integrate(comet(), scheme, dt=turn / chosen.stats.steps, t_end=turn)
    if out is not None:
        with figures.canvas(1, 1, size=(7.0, 4.2)) as (figure, axes):
            axes.semilogy(chosen.t[1:], np.diff(chosen.t))
            axes.set(xlabel="t", ylabel="size of a step")
            figures.save(figure, out / "own_policy.png")
    return {
        "steps": chosen.stats.steps,
        "steps taken again": chosen.stats.rejected,
        "largest step over smallest": float(np.diff(chosen.t).max() / np.diff(chosen.t).min()),
        "missed with chosen steps": float(np.linalg.norm(chosen.q[-1] - chosen.q[0])),
        "missed with equal steps": float(np.linalg.norm(equal.q[-1] - equal.q[0])),
    }


if __name__ == "__main__":
    for name, value in main(Path("out/own_policy")).items():
        print(f"{name}: {value:.3g}")

"""A formulation of your own: velocity level with a gentle pull on φ. One class, known to runs,
table, command line and `compare`.

A formulation is a frozen dataclass below `isodyn.formulations.Formulation`. `closure(dt)` says
which weights of φ, φ̇ and φ̈ close a step, `first_closure(dt)` how the first one closes, `facts`
what is known about it: the table of formulations is made from these, and `@formulation` makes it
known to the command line, to model files, to `compare` and to checkpoints.

Here φ̇ + κφ = 0 closes a step: φ falls like exp(−κt) instead of drifting, and nothing is stiff. The
example compares it with velocity level on the pendulum.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import isodyn as iso
from isodyn import problems
from isodyn.errors import InputError
from isodyn.formulations import Closure, Facts, Formulation, formulation
from isodyn.report import figures
from isodyn.specs import parse_formulation
from isodyn.studies import compare


@formulation("gentle")
@dataclass(frozen=True)
class Gentle(Formulation):
    """φ̇ + κφ = 0 at t_n: velocity level that forgets what it missed within 1/κ."""

    kappa: float = 10.0
    facts: ClassVar[Facts] = Facts("φ̇ + κφ", (2, 2, 2, 2), remark="φ falls like exp(−κt)")

    def __post_init__(self) -> None:
        if not self.kappa > 0:
            raise InputError(f"kappa must be positive, received {self.kappa!r}")

    def closure(self, dt: float) -> Closure:
        """Weights of φ, φ̇ and φ̈."""
        return Closure(position=self.kappa, velocity=1.0)


def main(out: Path | None = None) -> dict[str, float]:
    """Drift of the pendulum after ten seconds, and the order in all variables."""
    system = problems.get("pendulum").system()
    drift, motions = {}, {}
    for each in (iso.VelocityLevel(), parse_formulation("gentle(20)")):
        sol = iso.integrate(system, iso.Scheme.optimal(0.8), each, dt=0.02, t_end=10.0)
        drift[type(each).__name__] = sol.drift().largest[0]
        motions[type(each).__name__] = sol
    if out is not None:
        with figures.canvas(1, 1, size=(7.0, 4.2)) as (figure, axes):
            for name, sol in motions.items():
                axes.semilogy(sol.t[1:], sol.drift().position[1:], label=name)
            axes.set(xlabel="t [s]", ylabel="φ, relative")
            axes.legend()
            figures.save(figure, out / "own_formulation.png")
    found = compare(problems.get("pendulum"), [iso.Scheme.optimal(0.8)], [Gentle()], [0.02, 0.01, 0.005], 1.0)
    order = found.row("Gentle").case.order
    return {
        "drift of velocity level": drift["VelocityLevel"],
        "drift of the own formulation": drift["Gentle"],
        **{f"order in {name}": order(name) for name in ("q", "v", "a", "lam")},
    }


if __name__ == "__main__":
    for name, value in main(Path("out/own_formulation")).items():
        print(f"{name}: {value:.3g}")

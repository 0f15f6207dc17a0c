"""A chain of thirty masses, the springs of its middle third stiffer by 400: three subdomains, each
with its own scheme and step.

    unit masses, springs 1 – 400 – 1; one end held, the other pulled by 1 and let go

The soft thirds take the central difference with the system step, the stiff one the optimal member
in eight sub-steps. Cut by elements, by bodies or by sets of coordinates, it is the same motion, and
with one scheme that of the undivided chain. Velocities are continuous to rounding, displacements
with `Stabilised()` as well; the works that the parts do on each other add up to nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import isodyn as iso
from isodyn.problems.divided import mass_chain
from isodyn.report import figures

S = iso.Scheme
SCHEMES = {"left": S.central_difference(), "middle": S.optimal(0.8), "right": S.central_difference()}
TAUS = {"left": 1, "middle": 8, "right": 1}
T_END = 60.0


def run(sub: iso.Subdomains, dt: float, formulation: Any = None) -> Any:
    """Each part with its scheme and its sub-steps."""
    return iso.integrate(sub, SCHEMES, formulation, substeps=TAUS, dt=dt, t_end=T_END)


def main(out: Path | None = None) -> dict[str, float]:
    """Draw the motion into `out`; return differences, orders and what the interface does."""
    problem = mass_chain(30)
    whole, third = problem.whole(), 10
    cuts = {
        "elements": problem.subdomains(),
        "bodies": iso.partition(
            whole, {name: [f"q{i}" for i in range(k * third, (k + 1) * third)] for k, name in enumerate(SCHEMES)}
        ),
        "index sets": iso.partition(
            whole, {"left": range(third + 1), "middle": range(third, 2 * third + 1), "right": range(2 * third, 30)}
        ),
    }
    numbers: dict[str, float] = {}
    undivided = iso.integrate(whole, S.optimal(0.8), dt=0.05, t_end=T_END)
    for name, sub in cuts.items():
        sol = iso.integrate(sub, S.optimal(0.8), dt=0.05, t_end=T_END)
        numbers[f"cut by {name}: difference from the undivided chain"] = float(abs(sol.gather() - undivided.q).max())
    advice = iso.subdomains.advise(cuts["elements"], SCHEMES, TAUS, dt=0.1)
    numbers["limit of the step in the soft thirds"] = min(part.limit for part in advice.parts)
    middle = iso.subdomains.advise(cuts["elements"], S.central_difference(), dt=0.1).parts[1]
    numbers["sub-steps that the central difference would need in the middle"] = float(middle.needed)
    errors = []
    for dt in (0.1, 0.05):
        sol = run(cuts["elements"], dt)
        exact = problem.exact(sol.t)
        errors.append([abs(sol.gather(key) - getattr(exact, key)).max() for key in "qv"])
    for key, order in zip("qv", np.log2(np.divide(*errors)), strict=True):
        numbers[f"order in {key}"] = float(order)
    numbers["displacement gap"], numbers["velocity gap"], _ = sol.drift().largest
    numbers["displacement gap, stabilised"] = run(cuts["elements"], 0.05, iso.Stabilised()).drift().largest[0]
    balance = sol.energy_balance()
    numbers["largest work of the interface"] = max(float(abs(work).max()) for work in balance.work.values())
    numbers["sum of these works"] = float(abs(balance.transfer).max())
    numbers["open energy balance"] = float(abs(balance.total).max())
    if out is not None:
        draw(sol, balance, out / "mass_chain.png")
    return numbers


def draw(sol: Any, balance: Any, path: Path) -> None:
    """Masses over time, the gap of displacements, energies of the parts and works of the
    interface."""
    q = sol.gather()
    with figures.canvas(1, 3, size=(15.0, 4.6)) as (figure, grid):
        left, centre, right = np.ravel(grid)
        size = float(abs(q).max())
        picture = left.imshow(
            q.T, origin="lower", aspect="auto", cmap="RdBu_r", vmin=-size, vmax=size, extent=(0, T_END, 0.5, 30.5)
        )
        figure.colorbar(picture, ax=left, label="displacement")
        for cut in (10.5, 20.5):
            left.axhline(cut, color="k", linewidth=0.6, linestyle=":")
        left.set(xlabel="t", ylabel="mass")
        left.grid(False)
        for column, name in enumerate(sol.subdomains.row_names):
            centre.plot(sol.t, sol.drift().position[:, column], label=name)
        centre.set(xlabel="t", ylabel="displacement gap")
        centre.margins(y=0.2)
        centre.legend(fontsize=8, loc="lower left", ncols=2)
        for name, work in balance.work.items():
            right.plot(sol.t, work, label=f"work on {name}")
        right.plot(sol.t, balance.transfer, "k--", linewidth=0.8, label="sum")
        right.set(xlabel="t", ylabel="work of the interface")
        right.legend(fontsize=8)
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out")).items():
        print(f"{name:66s} {value:.4e}")

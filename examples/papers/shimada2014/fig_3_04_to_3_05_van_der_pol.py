"""Figures 3.4 and 3.5 of Shimada (2014): Van der Pol's equation with ε = 0, a first-order DAE of
index 1.

    s' = −η,   0 = s − η³/3 + η

with the midpoint rule and Gear's method, Δt = 0.01. From η(0) = ½, the value of the figures, the
solution ends at η = 1 after t = ln 2 − 3/8 ≈ 0.318, where c_η = 1 − η² vanishes: these runs stop at
0.3. From η(0) = 2 it lasts until 0.807; there the runs go to 0.75. Near the end the order is
reached late, because η' grows without bound.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn import problems
from isodyn.report import figures
from isodyn.studies import OrderCase, errors_of

SCHEMES = {"3.4": ("MPR-MPA", iso.Scheme.V0(1, 1, 0)), "3.5": ("Gear", iso.FirstOrderScheme.gear())}
STARTS = {0.5: 0.30, 2.0: 0.75}  # η(0) → end of the run
DT = 0.01
REFINED = (0.01, 0.005, 0.0025, 0.00125)
LABELS = {"v": "s", "a": "s'", "lam": "η"}


def main(out: Path | None = None) -> dict[str, float]:
    """Draw the figures into `out`; return orders, constraint errors and how far the end is."""
    problem = problems.get("vdpol_dae")
    numbers = {"end of the solution from 0.5": np.log(2.0) - 0.375}
    for figure, (name, scheme) in SCHEMES.items():
        shown = {}
        for eta0, t_end in STARTS.items():
            system = problem.system(eta0=eta0)
            errors, sols = [], []
            for dt in REFINED:
                sol = iso.integrate(system, scheme, dt=dt, t_end=t_end)
                motion = problem.exact(sol.t, eta0=eta0)
                assert motion is not None
                errors.append(errors_of(sol, *motion))
                sols.append(sol)
            study = OrderCase(name, REFINED, tuple(errors))
            for key, label in LABELS.items():
                numbers[f"{name}, η(0) = {eta0:g}: order in {label}"] = study.order(key)
            numbers[f"{name}, η(0) = {eta0:g}: constraint"] = sols[0].drift().largest[1]
            numbers[f"{name}, η(0) = {eta0:g}: η at the end"] = float(sols[0].z[-1, 0])
            shown[eta0] = study, sols[0]
        if out is not None:
            draw(f"Figure {figure}, {name}", shown, out / f"fig_{figure.replace('.', '_0')}_van_der_pol.png")
    return numbers


def draw(title: str, shown: dict[float, tuple[OrderCase, iso.Solution]], path: Path) -> None:
    """A row per start: time accuracy, s, s', η and the constraint."""
    problem = problems.get("vdpol_dae")
    with figures.canvas(len(shown), 5, size=(16.0, 3.1 * len(shown) + 0.5)) as (figure, grid):
        for axes, (eta0, (study, sol)) in zip(grid, shown.items(), strict=True):
            for (key, label), mark in zip(LABELS.items(), "os*", strict=True):
                text = f"{label}, slope {study.order(key):.2f}"
                axes[0].loglog(study.dts, study.of(key), marker=mark, label=text)
            figures.step_ticks(axes[0], study.dts)
            axes[0].legend()
            axes[0].set(xlabel="time step", ylabel="relative error", title=f"η(0) = {eta0:g}")
            fine = np.linspace(0.0, sol.t[-1], 400)
            exact = problem.exact(fine, eta0=eta0)
            assert exact is not None
            for panel, values, curve, label in (
                (axes[1], sol.s, exact.v, "s"),
                (axes[2], sol.sdot, exact.a, "s'"),
                (axes[3], sol.z, exact.lam, "η"),
            ):
                panel.plot(fine, curve, color="#999999", label="exact")
                panel.plot(sol.t, values, ".", markersize=4, label=f"dt = {DT:g}")
                panel.set(xlabel="t", ylabel=label)
            axes[1].legend()
            axes[4].semilogy(sol.t, np.maximum(sol.drift().velocity, 1e-18), ".-", markersize=3, linewidth=0.8)
            axes[4].set(xlabel="t", ylabel="|s − η³/3 + η|, relative")
        figure.suptitle(title)
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/shimada2014")).items():
        print(f"{name:50s} {value:.4e}")

"""Figures 4.12 and 4.13 of Shimada (2014), example 4.5.2: a plate in plane stress, three
subdomains, a scheme for each.

    6 m × 4 m × 0.1 m, E = 1e8 N/m², ν = 0.3, ρ = 1 kg/m³; held at x = 0, shear 1e6 N/m² on x = 6
    from t = 0 on; 3 × 8 square elements A = (6, 2), the middle of the loaded edge; B = (2, 2), on
    the interface of Ω₁ and Ω₂

The document gives E in psi, does not say where A and B lie, and takes Δt = 0.01. The longest period
of this plate is 0.0069, so orders are measured with steps between 2e-6 and 8e-6 against the exact
motion of the 60 unknowns.

case 1    implicit U0(½, ½, ½), U0(1, 1, ½), V0(½, 1, ½): second order
case 2    explicit U0(½, ½, ½), implicit U0(1, 1, ½), explicit V0(½, 1, ½), as printed: both explicit members grow for every step
case 2′   explicit U0(1, 1, ½), implicit U0(1, 1, ½), central difference, inside their limit of 4.7e-5: second order, no growth
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import eigh
from skfem import Basis, BilinearForm, ElementQuad1, ElementVector, FacetBasis, LinearForm, MeshQuad
from skfem.helpers import dot
from skfem.models.elasticity import linear_elasticity

import isodyn as iso
from isodyn.report import figures

E, NU, RHO, THICKNESS, SHEAR = 1e8, 0.3, 1.0, 0.1, 1e6
POINTS = {"A": (6.0, 2.0), "B": (2.0, 2.0)}
S = iso.Scheme
CASES = {
    "1": (S.U0(0.5, 0.5, 0.5), S.U0(1, 1, 0.5), S.V0(0.5, 1, 0.5)),
    "2": (S.U0(0.5, 0.5, 0.5, explicit=True), S.U0(1, 1, 0.5), S.V0(0.5, 1, 0.5, explicit=True)),
    "2'": (S.U0(1, 1, 0.5, explicit=True), S.U0(1, 1, 0.5), S.central_difference()),
}
DTS = (8e-6, 4e-6, 2e-6)
NAMES = ("Ω₁", "Ω₂", "Ω₃")


def plate() -> tuple[iso.subdomains.Elements, iso.Subdomains, dict[str, int]]:
    """The elements, the three subdomains, and the unknown u_y at A and B."""
    mesh = MeshQuad.init_tensor(np.linspace(0, 6, 7), np.linspace(0, 4, 5))
    basis = Basis(mesh, ElementVector(ElementQuad1()))
    lame = E * NU / (1 - NU**2), E / (2 * (1 + NU))  # the first one of plane stress
    K = linear_elasticity(*(THICKNESS * x for x in lame)).coo_data(basis).tolocal()
    M = BilinearForm(lambda u, v, w: THICKNESS * RHO * dot(u, v)).coo_data(basis).tolocal()
    edge = FacetBasis(mesh, basis.elem, facets=mesh.facets_satisfying(lambda x: np.isclose(x[0], 6.0)))
    shear = LinearForm(lambda v, w: THICKNESS * SHEAR * v[1]).assemble(edge)
    free = basis.complement_dofs(basis.get_dofs(lambda x: np.isclose(x[0], 0.0)))
    number = np.full(basis.N, -1)
    number[free] = np.arange(free.size)
    zero = np.zeros(free.size)
    elements = iso.subdomains.Elements(number[basis.element_dofs.T], M, K, zero, zero, f=shear[free])
    column = (mesh.p[0][mesh.t].mean(axis=0) // 2).astype(int)
    sub = iso.partition(elements, {name: np.flatnonzero(column == k) for k, name in enumerate(NAMES)})
    nodes = {name: int(np.argmin(np.hypot(mesh.p[0] - x, mesh.p[1] - y))) for name, (x, y) in POINTS.items()}
    return elements, sub, {name: int(number[basis.nodal_dofs[1, node]]) for name, node in nodes.items()}


def exact(system: iso.LinearSystem, t: np.ndarray) -> dict[str, np.ndarray]:
    """The plate from rest under a constant load, by its modes."""
    values, modes = eigh(system.K.toarray(), system.M.toarray())
    w, p = np.sqrt(values), modes.T @ system.f
    phase = np.outer(t, w)
    return {
        "q": (p / values * (1 - np.cos(phase))) @ modes.T,
        "v": (p / w * np.sin(phase)) @ modes.T,
        "a": (p * np.cos(phase)) @ modes.T,
    }


def run(sub: iso.Subdomains, case: str, dt: float, t_end: float) -> Any:
    """One run; that the printed members grow is what is shown, so the warning is not repeated
    here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iso.errors.StabilityWarning)
        return iso.integrate(sub, dict(zip(NAMES, CASES[case], strict=True)), dt=dt, t_end=t_end)


def largest_energy(sol: Any) -> float:
    """Of all subdomains together."""
    T, V = sol.energy()
    return float((T + V).max())


def main(out: Path | None = None) -> dict[str, float]:
    """Draw errors and histories into `out`; return orders, growth and what the interface does."""
    elements, sub, points = plate()
    whole = elements.assemble()
    # fᵀq cannot exceed it
    bound = 2.0 * float(whole.f @ np.linalg.solve(whole.K.toarray(), whole.f))
    numbers: dict[str, float] = {}
    errors: dict[tuple[str, str, str], list[float]] = {}
    for case in ("1", "2'"):
        for dt in DTS:
            sol = run(sub, case, dt, 0.002)
            reference = exact(whole, sol.t)
            for point, column in points.items():
                for key in "qva":
                    found = abs(sol.gather(key)[:, column] - reference[key][:, column]).max()
                    errors.setdefault((case, point, key), []).append(found / abs(reference[key][:, column]).max())
        balance = sol.energy_balance()
        largest = max(float(abs(work).max()) for work in balance.work.values())
        numbers[f"case {case}: sum of the works of the interface, relative"] = abs(balance.transfer).max() / largest
        numbers[f"case {case}: open energy balance, relative"] = abs(balance.total).max() / bound
    for (case, point, key), found in errors.items():
        numbers[f"case {case}, {point}: order in {key}"] = float(np.log2(found[-2] / found[-1]))
    advice = iso.subdomains.advise(sub, dict(zip(NAMES, CASES["2'"], strict=True)), dt=4e-5)
    numbers["case 2': smallest limit of the step"] = min(part.limit for part in advice.parts)
    numbers["case 2, dt = 0.01 as printed: energy over its bound after 4 steps"] = (
        largest_energy(run(sub, "2", 0.01, 0.04)) / bound
    )
    shown = {"2": run(sub, "2", 2e-5, 0.02), "2'": run(sub, "2'", 4e-5, 0.02)}
    for case, sol in shown.items():
        numbers[f"case {case}, dt = {sol.t[1]:g}: largest energy over its bound until t = 0.02"] = (
            largest_energy(sol) / bound
        )
    if out is not None:
        draw(errors, shown, whole, points, out / "fig_4_12_to_4_13_plate.png")
    return numbers


def draw(errors: Any, shown: dict[str, Any], whole: iso.LinearSystem, points: dict[str, int], path: Path) -> None:
    """Errors at A and B in the first row; below, histories at A with printed and with stable
    explicit members."""
    with figures.canvas(2, 3, size=(14.0, 7.5)) as (figure, grid):
        curves = [("1", "A"), ("1", "B"), ("2'", "A"), ("2'", "B")]
        for axes, key in zip(grid[0], "qva", strict=True):
            for case, point in curves:
                axes.loglog(
                    DTS, errors[case, point, key], "o-" if point == "A" else "s--", label=f"case {case}, {point}"
                )
            slope = np.array(DTS)
            axes.loglog(slope, errors["1", "A", key][0] * 0.4 * (slope / DTS[0]) ** 2, color="#999999", label="Δt²")
            axes.set(xlabel="Δt [s]", ylabel=f"relative error of {key}")
        grid[0][0].legend(fontsize=8)
        t = shown["2'"].t
        motion = exact(whole, t)
        for axes, key in zip(grid[1], "qv", strict=False):
            axes.plot(1e3 * t, motion[key][:, points["A"]], color="#999999", label="exact")
            for case, sol in shown.items():
                axes.plot(1e3 * sol.t, sol.gather(key)[:, points["A"]], "--", label=f"case {case}, Δt = {sol.t[1]:g}")
            size = abs(motion[key][:, points["A"]]).max()
            axes.set(xlabel="t [ms]", ylabel=f"{key} at A", ylim=(-2.0 * size, 2.0 * size))
        grid[1][0].legend(fontsize=8)
        for case, sol in shown.items():
            grid[1][2].semilogy(1e3 * sol.t[1:], sum(sol.energy())[1:], label=f"case {case}")
        grid[1][2].set(xlabel="t [ms]", ylabel="energy [J]")
        grid[1][2].legend(fontsize=8)
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/shimada2014")).items():
        print(f"{name:72s} {value:.4e}")

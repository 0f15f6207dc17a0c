"""Figures 4.3 to 4.11 of Shimada (2014): an oscillator split into two subdomains, nine pairs of
schemes.

    m₁ = 0.095, k₁ = 5;   m₂ = 0.005, k₂ = 45;   system step 0.02

Orders without sub-cycling and with loads sin t on both parts, against the exact motion (the printed
(4.36) holds for constant loads only); histories without loads and with 2 and 4 sub-steps. The
explicit members of figures 4.10 and 4.11 grow: slowly enough not to be seen in a short run, so a
long one is measured beside them. So does the pair of figure 4.9, whose members do not grow by
themselves: the interface feeds it, less with Δt (at t = 10 by 92, 1.7, 1.07 for Δt = 0.02, 0.01,
0.005), and not with `Stabilised()`. The initial state is not printed; q = 1, v = 0.5 is taken.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.report import figures

S = iso.Scheme
PAIRS = {
    "4.3": (S.U0(1, 1, 0), S.optimal(0.0)),
    "4.4": (S.U0(1, 1, 0.5), S.optimal(0.5)),
    "4.5": (S.U0(1, 1, 0.5), S.U0(0.5, 0.5, 0.5)),
    "4.6": (S.U0(1, 1, 0, explicit=True), S.optimal(0.0)),
    "4.7": (S.U0(1, 1, 0.5, explicit=True), S.optimal(0.5)),
    "4.8": (S.U0(1, 1, 0.5, explicit=True), S.U0(0.5, 0.5, 0.5)),
    "4.9": (S.U0(1, 1, 0, explicit=True), S.U0(0, 1, 0, explicit=True)),
    "4.10": (S.U0(1, 1, 0.5, explicit=True), S.V0(0.5, 1, 0.5, explicit=True)),
    "4.11": (S.U0(1, 1, 0.5, explicit=True), S.U0(0.5, 0.5, 0.5, explicit=True)),
}
Q0, V0 = 1.0, 0.5
DTS = (0.002, 0.001)


def split(loaded: bool) -> iso.Subdomains:
    """Both halves of the oscillator."""
    f = (lambda t: np.array([np.sin(t)])) if loaded else None
    parts = {name: iso.LinearSystem(m, None, k, f, [Q0], [V0]) for name, m, k in (("1", 0.095, 5), ("2", 0.005, 45))}
    return iso.Subdomains(parts, ties=[("1", 0, "2", 0)])


def exact(t: np.ndarray, loaded: bool) -> dict[str, np.ndarray]:
    """The motion of the whole, and λ from the balance of the first half."""
    w, A = np.sqrt(500.0), 2.0 / 49.9 if loaded else 0.0
    q = Q0 * np.cos(w * t) + (V0 - A) / w * np.sin(w * t) + A * np.sin(t)
    v = -Q0 * w * np.sin(w * t) + (V0 - A) * np.cos(w * t) + A * np.cos(t)
    a = -(w**2) * Q0 * np.cos(w * t) - (V0 - A) * w * np.sin(w * t) - A * np.sin(t)
    return {"q": q, "v": v, "a": a, "lam": (np.sin(t) if loaded else 0.0) - 5.0 * q - 0.095 * a}


def run(pair: tuple[iso.Scheme, iso.Scheme], loaded: bool, taus: tuple[int, int], dt: float, t_end: float):
    """One run; that some members grow is what is shown, so the warning is not repeated here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iso.errors.StabilityWarning)
        return iso.integrate(
            split(loaded),
            dict(zip("12", pair, strict=True)),
            substeps=dict(zip("12", taus, strict=True)),
            dt=dt,
            t_end=t_end,
        )


def main(out: Path | None = None) -> dict[str, float]:
    """Draw the figures into `out`; return orders and growth of energy."""
    numbers, shown = {}, {}
    for figure, pair in PAIRS.items():
        errors: list[dict[str, float]] = []
        for dt in DTS:
            sol = run(pair, True, (1, 1), dt, 0.5)
            motion = exact(sol.t, True)
            found = {f"{x}{n}": abs(getattr(sol[n], x)[:, 0] - motion[x]).max() for n in "12" for x in "qva"}
            errors.append({**found, "λ": abs(sol.lam[:, 0] - motion["lam"]).max()})
        orders = [float(np.log2(errors[0][key] / errors[1][key])) for key in errors[0]]
        numbers[f"{figure}: lowest order"], numbers[f"{figure}: highest order"] = min(orders), max(orders)
        T, V = run(pair, False, (1, 1), 0.02, 20.0).energy()
        numbers[f"{figure}: energy at t = 20 over energy at the start"] = float((T + V)[-1] / (T + V)[0])
        shown[figure] = run(pair, False, (2, 4), 0.02, 2.0)
        numbers[f"{figure}: velocity gap"] = shown[figure].drift().largest[1]
    if out is not None:
        draw(shown, out / "fig_4_03_to_4_11_split_oscillator.png")
    return numbers


def draw(shown: dict[str, iso.subdomains.SubdomainSolution], path: Path) -> None:
    """A row per pair: displacement, velocity, acceleration of both halves, and λ."""
    fine = np.linspace(0.0, 2.0, 1000)
    motion = exact(fine, False)
    with figures.canvas(len(shown), 4, size=(17.0, 2.3 * len(shown))) as (figure, grid):
        for axes, (name, sol) in zip(grid, shown.items(), strict=True):
            for panel, key in zip(axes, ("q", "v", "a", "lam"), strict=True):
                panel.plot(fine, motion[key], color="#999999", linewidth=0.8)
                if key == "lam":
                    panel.plot(sol.t, sol.lam[:, 0], ".", markersize=3)
                else:
                    for part, mark in zip("12", "os", strict=True):
                        values = getattr(sol[part], key)[:, 0]
                        panel.plot(sol.t, values, mark, markersize=3, fillstyle="none")
                panel.set(ylabel="λ" if key == "lam" else key)
            axes[0].set_title(f"figure {name}: ○ {sol['1'].scheme}, □ {sol['2'].scheme}", fontsize=9, loc="left")
        for panel in grid[-1]:
            panel.set(xlabel="t")
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/shimada2014")).items():
        print(f"{name:60s} {value:.4e}")

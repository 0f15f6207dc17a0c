"""A rattleback: an ellipsoid that rolls on a table, turns round when it is spun the wrong way, and does
not when it is spun the other way.

    half axes 200, 30, 20 mm; axes of inertia turned by 1° against those of the ellipsoid

Nothing is lost and nothing slips. Two small motions stand beside the spin, pitching and rolling; the
skew lets one of them grow and the other decay, and which one depends on the sense of the spin. That
is what the poles about the steady spin say (`iso.linearise(system, v=…)`), and what the runs do: the
motion that grows takes the energy of the spin and gives it back the other way round. Spun the good
way the other motion grows too, but six times more slowly.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.report import figures

HALF = np.array([0.2, 0.03, 0.02])
SKEW = np.radians(1.0)
SPIN, T_END = 5.0, 10.0


def rattleback(spin: float, push: float = 0.1) -> iso.Mechanism:
    """A stone of 1 kg on a table, spun about the vertical and pushed a little."""
    R = Rotation.from_euler("z", SKEW).as_matrix()
    inertia = R @ np.diag((np.sum(HALF**2) - HALF**2) / 5.0) @ R.T
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    w = np.array([push, push, spin])
    rolls = np.cross(w, (0, 0, HALF[2]))
    mech.add_body("stone", 1.0, inertia, (0, 0, HALF[2]), velocity=rolls, angular_velocity=w)
    mech.add_joint(iso.RollingEllipsoid("table", "stone", HALF))
    return mech


def spin_of(sol: Any) -> Any:
    """About the vertical."""
    stone = sol.body("stone")
    return np.einsum("kj,kj->k", stone.R[:, 2], stone.angular_velocity)


def main(out: Path | None = None) -> dict[str, float]:
    """Draw spins and paths into `out`; return spins, growth, energy, slip and orders."""
    numbers: dict[str, float] = {}
    runs = {}
    for name, spin in (("wrong", -SPIN), ("good", SPIN)):
        steady = rattleback(spin, push=0.0).compile()
        growth = iso.linearise(steady, v=steady.v0).poles.real.max()
        numbers[f"{name} way: fastest growth of a small motion, 1/s"] = float(growth)
        sol = runs[name] = iso.integrate(rattleback(spin), dt=1e-3, t_end=T_END, save_every=5)
        numbers[f"{name} way: spin at the start"] = float(spin_of(sol)[0])
        numbers[f"{name} way: spin at 5 s"] = float(np.interp(5.0, sol.t, spin_of(sol)))
        energy, stone, contact = sum(sol.energy()), sol.body("stone"), sol.reaction("table")
        numbers[f"{name} way: change of energy, relative"] = float(np.ptp(energy) / energy[0])
        w = np.einsum("kij,kj->ki", stone.R, stone.angular_velocity)
        slip = stone.velocity + np.cross(w, contact.point - stone.position)
        numbers[f"{name} way: largest slip"] = float(np.abs(slip).max())
        numbers[f"{name} way: smallest force of the table"] = float(contact.force[:, 2].min())
    for name, order in orders().items():
        numbers[f"order in {name}"] = order
    if out is not None:
        draw(runs, out / "rattleback.png")
    return numbers


def orders() -> dict[str, float]:
    """Slopes of the errors over all of time, against a run of high order."""
    system, t_end = rattleback(-SPIN, push=1.0).compile(), 0.2
    errors = []
    for n in (200, 400):
        sol = iso.integrate(system, dt=t_end / n, t_end=t_end, save_every=n // 50)
        exact = iso.integrate_adaptive(system, t_end=t_end, rtol=1e-11, atol=1e-12, save=sol.t)
        errors.append([np.abs(getattr(sol, x) - getattr(exact, x)).max() for x in ("q", "v", "a", "lam")])
    return dict(zip(("q", "v", "a", "lam"), map(float, np.log2(np.divide(*errors))), strict=True))


def draw(runs: dict[str, Any], path: Path) -> None:
    """Spin over time, and where the stone touches the table."""
    with figures.canvas(1, 2, size=(12.0, 4.6)) as (figure, grid):
        left, right = np.ravel(grid)
        for name, sol in runs.items():
            left.plot(sol.t, spin_of(sol), label=f"spun the {name} way")
            place = sol.reaction("table").point
            right.plot(1e3 * place[:, 0], 1e3 * place[:, 1], lw=0.6)
        left.axhline(0.0, color="grey", lw=0.5)
        left.set(xlabel="t [s]", ylabel="spin about the vertical [rad/s]")
        left.legend()
        right.set(xlabel="x [mm]", ylabel="y [mm]", title="where it touches", aspect="equal")
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out")).items():
        print(f"{name:55s} {value: .6g}")

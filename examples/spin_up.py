"""A bar from finite elements that is brought to speed: with and without geometric stiffness, beside a rod.

The bar of 10 m turns from rest to 6 rad/s in 15 s. It bends by more than half a metre, then inertia pulls it
straight. Linear finite elements in a floating frame do not know that pull: without geometric stiffness the
bar would fly off. A geometrically exact rod needs no such term and serves as the reference.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import skfem

import isodyn as iso
from isodyn.errors import coarse_steps_meant

LENGTH, HEIGHT, WIDTH = 10.0, 0.0775, 4e-4 / 0.0775
E, NU, RHO = 7e10, 0.0, 3000.0
SPEED, TIME = 6.0, 15.0


def solid() -> iso.FiniteElements:
    """Sixteen hexahedra with quadratic displacements."""
    sides = (np.linspace(-d / 2, d / 2, 2) for d in (HEIGHT, WIDTH))
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, LENGTH, 17), *sides)
    return iso.FiniteElements.from_mesh(mesh, E=E, nu=NU, rho=RHO)


def section() -> iso.Section:
    """The same bar as a rod."""
    A, G, y, z = HEIGHT * WIDTH, E / (2 * (1 + NU)), HEIGHT * WIDTH**3 / 12, WIDTH * HEIGHT**3 / 12
    inertia = {"rhoA": RHO * A, "rhoIy": RHO * y, "rhoIz": RHO * z}
    return iso.Section(EA=E * A, GAy=5 / 6 * G * A, GAz=5 / 6 * G * A, GJ=4 * G * y, EIy=E * y, EIz=E * z, **inertia)


def turned(mech: iso.Mechanism, root: str, tip: str) -> tuple[iso.Solution, np.ndarray]:
    """Run the manoeuvre; where the tip is across the bar."""
    mech.add_joint(iso.Hinge("hub", "ground", root, point=(0, 0, 0), axis=(0, 0, 1)))
    lag = (TIME / (2 * np.pi)) ** 2
    mech.add_joint(iso.Drive("spin", "hub", f"{SPEED / TIME}*(t^2/2 + {lag}*(cos({2 * np.pi / TIME}*t) - 1))"))
    sol = iso.integrate(mech, dt=0.02, t_end=TIME)
    angle, x = sol.joint("hub").angle, sol.body(tip).position
    return sol, np.cos(angle) * x[:, 1] - np.sin(angle) * x[:, 0]


@coarse_steps_meant()  # vibrations along the bar are not followed, and need not be
def main(out: Path | None = None) -> dict[str, float]:
    """Return the largest deflection with stiffening and as a rod, and when the bar flies off without."""
    body, ends = solid(), {"hub": lambda x: x[0] < 1e-9, "tip": lambda x: x[0] > LENGTH - 1e-9}
    stiffened, plain, exact = (iso.Mechanism(gravity=(0, 0, 0)) for _ in range(3))
    stiffened.add_flexible_body("bar", body, interface=ends, modes=8, stiffening=True)
    plain.add_flexible_body("bar", body, interface=ends, modes=8)
    exact.add_beam("bar", (0, 0, 0), (LENGTH, 0, 0), elements=16, section=section(), model="exact")
    sol, across = turned(stiffened, "bar.hub", "bar.tip")
    rod, reference = turned(exact, "bar.start", "bar.end")
    try:
        turned(plain, "bar.hub", "bar.tip")
        lost = np.inf
    except iso.IsodynError as error:
        lost = error.partial.t[-1] if error.partial is not None else 0.0
    if out is not None:
        draw(sol.t, across, rod.t, reference, out / "spin_up.png")
    return {
        "largest deflection, finite elements with stiffening [m]": float(np.abs(across).max()),
        "largest deflection, rod [m]": float(np.abs(reference).max()),
        "difference between the two [m]": float(np.abs(across - reference).max()),
        "without stiffening the run ends at [s]": float(lost),
        "largest von Mises' stress in the middle of the run [MPa]": float(
            1e-6 * sol.flexible_body("bar").von_mises(len(sol.t) // 2).max()
        ),
    }


def draw(t: np.ndarray, across: np.ndarray, t_rod: np.ndarray, reference: np.ndarray, path: Path) -> None:
    """Deflection of the tip over time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    axes.plot(t, across, label="finite elements, with geometric stiffness")
    axes.plot(t_rod, reference, "--", label="rod")
    axes.set(xlabel="t [s]", ylabel="tip across the bar [m]", title="A bar is brought to 6 rad/s")
    axes.legend()
    figure.savefig(path, dpi=130)
    plt.close(figure)


if __name__ == "__main__":
    where = Path("out/spin_up")
    for name, value in main(where).items():
        print(f"{name}: {value:.5g}")

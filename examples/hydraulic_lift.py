"""A lift on a hydraulic cylinder: the pressure is a state of first order, coupled to the motion.

A valve lets oil of 8 MPa into a cylinder of 10 cm² below a load of 400 kg for half a second. The oil
is a stiff spring (its modulus 1 GPa), so that the load comes to rest on it, higher by what has flowed in.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso

AREA, VOLUME, MODULUS, SUPPLY, LEAK = 1e-3, 2e-3, 1e9, 8e6, 2e-13
START = 400.0 * 9.81 / AREA  # the pressure that carries the load


def lift() -> iso.Mechanism:
    """The load on its guide, with the cylinder."""
    mech = iso.Mechanism()
    mech.add_body("load", mass=400.0, inertia=(20.0, 20.0, 20.0))
    mech.add_joint(iso.Prismatic("guide", "ground", "load", axis=(0, 0, 1)))
    numbers = {"A": AREA, "V": VOLUME, "E": MODULUS, "S": SUPPLY, "c": 4e-10, "leak": LEAK}
    flow = "c*(S - pressure)*(0.5 - 0.5*tanh((t - 0.5)/0.01)) - leak*pressure - A*load.vz"
    mech.add_state("pressure", rate=f"E*({flow})/(V + A*load.z)", initial=START, parameters=numbers)
    mech.add_load(
        iso.FormulaForce("piston", "load", force=(0, 0, "A*pressure.value - 4000*load.vz"), parameters=numbers)
    )
    return mech


def main(out: Path | None = None) -> dict[str, float]:
    """Return how far the load is lifted by two methods, and the pressure."""
    sol = iso.integrate(lift(), dt=iso.Adaptive(1e-4), t_end=2.0)
    pressure, height = sol.state("pressure"), sol.body("load").position[:, 2]
    other = iso.integrate(lift(), iso.Radau(1e-9), t_end=2.0).body("load").position[-1, 2]
    if out is not None:
        draw(sol.t, 1e3 * height, 1e-6 * pressure.value, out / "hydraulic_lift.png")
    return {
        "lifted [mm]": float(1e3 * height[-1]),
        "difference from Radau [mm]": float(1e3 * abs(height[-1] - other)),
        "largest pressure [MPa]": float(1e-6 * pressure.value.max()),
        "pressure at the end, beside what carries the load": float(pressure.value[-1] / START),
    }


def draw(t: np.ndarray, height: np.ndarray, pressure: np.ndarray, path: Path) -> None:
    """Height and pressure over time."""
    import matplotlib.pyplot as plt

    path.parent.mkdir(parents=True, exist_ok=True)
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(7, 4.4), sharex=True, layout="constrained")
    upper.plot(t, height)
    upper.set(ylabel="height [mm]", title="A lift on a hydraulic cylinder")
    lower.plot(t, pressure)
    lower.set(xlabel="t [s]", ylabel="pressure [MPa]")
    figure.savefig(path, dpi=130)
    plt.close(figure)


if __name__ == "__main__":
    for name, value in main(Path("out/hydraulic_lift")).items():
        print(f"{name}: {value:.5g}")

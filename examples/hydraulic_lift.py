"""A lift on a hydraulic cylinder: the pressure is a state of first order, coupled to the motion.

A valve lets oil of 8 MPa into a cylinder of 10 cm² below a load of 400 kg for half a second. The oil
is a stiff spring (its modulus 1 GPa), so that the load comes to rest on it, higher by what has flowed in.
"""

from __future__ import annotations

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


def main() -> None:
    sol = iso.integrate(lift(), dt=iso.Adaptive(1e-4), t_end=2.0)
    pressure, height = sol.state("pressure"), sol.body("load").position[:, 2]
    other = iso.integrate(lift(), iso.Radau(1e-9), t_end=2.0)
    there = other.body("load").position[-1, 2]
    carried = 400.0 * 9.81 / AREA
    print(f"lifted by {1e3 * height[-1]:.2f} mm in {sol.stats.steps} steps; by Radau {1e3 * there:.2f} mm")
    print(f"pressure at most {pressure.value.max() / 1e6:.3f} MPa, at the end {pressure.value[-1] / 1e6:.4f} MPa")
    assert abs(height[-1] - there) < 1e-3 * there
    assert abs(pressure.value[-1] - carried) < 1e-3 * carried
    assert np.all(np.diff(sol.t) > 0.0)


if __name__ == "__main__":
    main()

"""A crane without loops in the coordinates of its joints: a slewing column, a boom, a trolley that
slides along it and a load on a ball.

The same mechanism runs twice, with constraints between its bodies and without any in the
coordinates of its joints. Both are of second order, so that they meet as steps become finer; the
second has five coordinates in the place of 24 and 19 rows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.report import figures


def crane() -> iso.Mechanism:
    """The parts."""
    mech = iso.Mechanism(gravity=(0.0, 0.0, -9.81))
    mech.add_body("column", 400.0, (600.0, 600.0, 40.0), (0.0, 0.0, 2.0))
    mech.add_body("boom", 200.0, (10.0, 1000.0, 1000.0), (4.0, 0.0, 4.0))
    mech.add_body("trolley", 50.0, (5.0, 5.0, 5.0), (3.0, 0.0, 3.8))
    mech.add_body("load", 300.0, (20.0, 20.0, 20.0), (3.0, 0.0, 1.0))
    mech.add_joint(iso.Hinge("slew", "ground", "column", axis=(0, 0, 1)))
    mech.add_joint(iso.Fixed("weld", "column", "boom", point=(0.0, 0.0, 4.0)))
    mech.add_joint(iso.Prismatic("rail", "boom", "trolley", point=(3.0, 0.0, 3.8), axis=(1, 0, 0)))
    mech.add_joint(iso.Spherical("hook", "trolley", "load", point=(3.0, 0.0, 3.7)))
    mech.add_load(iso.Motor("slewing", "slew", torque=iso.Sine(3000.0, 1.0)))
    mech.add_load(iso.JointSpring("winch", "rail", stiffness=2000.0, damping=300.0, rest=1.0))
    return mech


def main(out: Path | None = None) -> dict[str, float]:
    """Swing for five seconds; return how many coordinates there are and how far both runs differ."""
    mech = crane()
    bodies, joints = mech.compile(), iso.joint_coordinates(mech)
    apart = []
    for dt in (0.02, 0.01):
        lifted = joints.lift(iso.integrate(joints, dt=dt, t_end=5.0))
        other = iso.integrate(bodies, dt=dt, t_end=5.0)
        apart.append(float(np.abs(lifted.body("load").position - other.body("load").position).max()))
    if out is not None:
        figures.solution_figures(lifted, out, dt=0.01)
    return {
        "coordinates of joints": float(joints.nv),
        "velocities and rows of bodies": float(bodies.nv + bodies.m),
        "largest difference of the load's place [m]": apart[1],
        "order of the difference": float(np.log2(apart[0] / apart[1])),
        "drift of the lifted run": float(lifted.drift().largest[0]),
    }


if __name__ == "__main__":
    for name, value in main(Path("out/joint_coordinates")).items():
        print(f"{name:50s} {value:.6g}")

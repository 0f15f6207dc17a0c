"""A robot arm from a URDF file, under gravity and PD control at 1 kHz."""

from pathlib import Path

import numpy as np

import isodyn as iso

arm = iso.load_urdf(Path(__file__).with_name("arm.urdf"))
goal = {"shoulder": 0.8, "elbow": -1.2}
for joint, angle in goal.items():
    arm.add_load(iso.Motor(f"{joint} motor", joint, torque=0.0))
    law = f"60*({angle} - {joint}.angle) - 8*{joint}.angle_rate"  # or a function of what it reads
    arm.add_controller(f"{joint} law", every=1e-3, writes=f"{joint} motor", law=law)
sol = iso.integrate(arm, dt=1e-3, t_end=4.0)

for joint, angle in goal.items():
    reached, torque = sol.joint(joint).angle[-1], sol.load(f"{joint} motor").effort
    print(f"{joint}: {reached:.4f} rad, {abs(reached - angle):.4f} from its goal (the weight bends a PD control)")
    print(f"  largest torque {np.abs(torque).max():.1f} N m, at the end {torque[-1]:.2f} N m")
iso.report.write_report(sol, "arm.html", title="Arm under PD control")

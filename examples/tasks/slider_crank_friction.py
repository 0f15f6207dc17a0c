"""A slider-crank with friction in its guide, and the force of that friction."""

import numpy as np

import isodyn as iso

mech = iso.Mechanism(gravity=(0, -9.81, 0))
mech.add_body("crank", mass=0.5, inertia=5e-4, position=(0, 0.05), kind="planar")
mech.add_body("rod", mass=0.6, inertia=4e-3, position=(0.15, 0.05), kind="planar")
mech.add_body("slider", mass=1.0, inertia=1e-3, position=(0.3, 0), kind="planar")
mech.add_joint(iso.Hinge("bearing", "ground", "crank", point=(0, 0)))
mech.add_joint(iso.Hinge("crank pin", "crank", "rod", point=(0, 0.1)))
mech.add_joint(iso.Hinge("slider pin", "rod", "slider", point=(0.3, 0)))
mech.add_joint(iso.Prismatic("guide", "ground", "slider", point=(0.3, 0), axis=(1, 0, 0)))
mech.add_load(iso.JointFriction("friction", "guide", mu=0.2, creep=1e-2))
mech.add_load(iso.Motor("motor", "bearing", speed=10.0, gain=2.0))
sol = iso.integrate(mech, dt=5e-4, t_end=2.0)

friction, slip = sol.load("friction").force[:, 0], sol.joint("guide").displacement_rate
normal = np.abs(sol.reaction("guide").force[:, 1])
print(f"largest friction {np.abs(friction).max():.2f} N at a normal force of {normal.max():.2f} N")
print(f"it took {-np.trapezoid(friction * slip, sol.t):.3f} J")

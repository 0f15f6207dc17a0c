"""A run that ends when something happens: a pendulum, released level, at the lowest point."""

import numpy as np

import isodyn as iso

mech = iso.Mechanism(gravity=(0, -9.81, 0))
mech.add_body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0), kind="planar")
mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0)))
bottom = iso.Event("rod.x", terminal=True)  # the mass centre is below the pin
sol = iso.integrate(mech, iso.DOP853(rtol=1e-11), t_end=10.0, events=[bottom])
print(f"at the bottom at t = {sol.t[-1]:.9f} s, turning with {sol.v[-1, 2]:.9f} rad/s")
print(f"energy says {-np.sqrt(3 * 9.81):.9f} rad/s")

"""A run that ends when something happens: a pendulum, released level, at the lowest point."""

import numpy as np

import isodyn as iso

mech = iso.Mechanism(gravity=(0, -9.81, 0))
mech.add_body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0), kind="planar")
mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0)))


def level(t, q, v):  # changes its sign at the event: the mass centre is below the pin
    return q[0]


level.terminal = True
sol = iso.integrate_adaptive(mech, t_end=10.0, events=[level])
print(f"at the bottom at t = {sol.t[-1]:.9f} s, turning with {sol.v[-1, 2]:.9f} rad/s")
print(f"energy says {-np.sqrt(3 * 9.81):.9f} rad/s")

"""A four-bar linkage with a motor, and a plot of its reactions."""

import matplotlib.pyplot as plt
import numpy as np

import isodyn as iso

mech = iso.Mechanism(gravity=(0, -9.81, 0))
mech.add_body("crank", mass=0.4, inertia=4e-4, position=(0, 0.05), kind="planar")
mech.add_body("coupler", mass=0.8, inertia=6e-3, position=(0.15, 0.175), kind="planar")
mech.add_body("rocker", mass=0.7, inertia=4e-3, position=(0.3, 0.125), kind="planar")
mech.add_joint(iso.Hinge("A", "ground", "crank", point=(0, 0)))
mech.add_joint(iso.Hinge("B", "crank", "coupler", point=(0, 0.1)))
mech.add_joint(iso.Hinge("C", "coupler", "rocker", point=(0.3, 0.25)))
mech.add_joint(iso.Hinge("D", "ground", "rocker", point=(0.3, 0)))
mech.add_load(iso.FormulaMotor("motor", "A", torque="0.2*(12 - A.angle_rate)"))
sol = iso.integrate(mech, dt=1e-3, t_end=3.0)

for pin in "ABCD":
    plt.plot(sol.t, np.linalg.norm(sol.reaction(pin).force, axis=1), label=pin)
plt.xlabel("t [s]")
plt.ylabel("reaction [N]")
plt.legend()
plt.savefig("reactions.png")

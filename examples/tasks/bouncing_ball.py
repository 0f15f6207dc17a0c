"""A ball that bounces: a contact with restitution; impacts are located within steps."""

import numpy as np

import isodyn as iso

mech = iso.Mechanism(gravity=(0, 0, -9.81))
mech.add_body("ball", mass=0.5, inertia=(2e-4,) * 3, position=(0, 0, 1.0))
mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.1, restitution=0.9))
sol = iso.integrate(mech, dt=0.01, t_end=3.0)

floor = sol.contact("floor")
hits = np.array([impact.t for impact in floor.impacts])
tops = [floor.gap[(sol.t > a) & (sol.t < b)].max() for a, b in zip(hits, hits[1:])]
print(f"{len(hits)} hits at t = {np.round(hits, 3)}")
print(f"heights between them: {np.round(tops, 3)} m")

"""A ball that bounces: the floor is a stiff stop with damping on the coordinate of its guide."""

import numpy as np

import isodyn as iso

mech = iso.Mechanism(gravity=(0, 0, -9.81))
mech.add_body("ball", mass=0.5, inertia=(2e-4,) * 3, position=(0, 0, 1.0))
mech.add_joint(iso.Prismatic("fall", "ground", "ball", axis=(0, 0, 1)))
# the ball starts at coordinate 0 and touches the floor 0.9 m below
mech.add_load(iso.JointLimit("floor", "fall", low=-0.9, high=10.0, stiffness=2e5, damping=30.0))
sol = iso.integrate(mech, dt=1e-4, t_end=3.0)

height, rate = sol.joint("fall").displacement + 0.9, sol.body("ball").velocity[:, 2]
hits = np.flatnonzero((rate[:-1] < 0) & (rate[1:] >= 0))
tops = [height[a:b].max() for a, b in zip(hits, hits[1:])]
print(f"{len(hits)} hits at t = {np.round(sol.t[hits], 3)}")
print(f"heights between them: {np.round(tops, 3)} m")

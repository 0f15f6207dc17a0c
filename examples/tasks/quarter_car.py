"""A quarter of a car on a road from a CSV file; no body stands for the road."""

import numpy as np

import isodyn as iso

x = np.linspace(0.0, 60.0, 601)  # a road to read: a bump of 5 cm at 20 m
np.savetxt("road.csv", np.c_[x, 0.05 * np.exp(-((x - 20.0) ** 2))], delimiter=",", header="distance,height")

distance, height = np.loadtxt("road.csv", delimiter=",", unpack=True)
road = iso.Table(distance / 15.0, height)  # at 15 m/s
tyre = 180e3
car = iso.Mechanism(gravity=(0, 0, 0))  # motion about the rest position
car.add_body("wheel", mass=40.0, position=(0, 0.3), inertia=1.0, kind="planar")
car.add_body("body", mass=300.0, position=(0, 0.9), inertia=1.0, kind="planar")
car.add_joint(iso.Prismatic("wheel guide", "ground", "wheel", axis=(0, 1, 0)))
car.add_joint(iso.Prismatic("body guide", "wheel", "body", axis=(0, 1, 0)))
car.add_load(iso.JointSpring("suspension", "body guide", stiffness=18e3, damping=1500.0))
car.add_load(iso.JointSpring("tyre", "wheel guide", stiffness=tyre))
car.add_load(iso.Force("road", "wheel", (0, tyre, 0), time=road))  # with the spring: tyre·(road − wheel)
sol = iso.integrate(car, dt=1e-3, t_end=4.0)
lift, shake = sol.body("body").position[:, 1] - 0.9, sol.body("body").acceleration[:, 1]
print(f"body: {1e3 * lift.max():.1f} mm, {np.abs(shake).max():.2f} m/s²")

"""200 four-bar linkages with random links, run on all cores, into one table."""

import numpy as np

import isodyn as iso


def four_bar(a, c):  # crank and rocker stand upright, 0.3 m apart
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("crank", mass=0.4, inertia=4e-4, position=(0, a / 2), kind="planar")
    mech.add_body("coupler", mass=0.8, inertia=6e-3, position=(0.15, (a + c) / 2), kind="planar")
    mech.add_body("rocker", mass=0.7, inertia=4e-3, position=(0.3, c / 2), kind="planar")
    mech.add_joint(iso.Hinge("A", "ground", "crank", point=(0, 0)))
    mech.add_joint(iso.Hinge("B", "crank", "coupler", point=(0, a)))
    mech.add_joint(iso.Hinge("C", "coupler", "rocker", point=(0.3, c)))
    mech.add_joint(iso.Hinge("D", "ground", "rocker", point=(0.3, 0)))
    mech.add_load(iso.FormulaMotor("motor", "A", torque="0.2*(12 - A.angle_rate)"))
    return mech


a, c = np.random.default_rng(1).uniform([0.08, 0.22], [0.12, 0.30], (200, 2)).T
ens = iso.ensemble([four_bar(*links) for links in zip(a, c)], dt=2e-3, t_end=0.5)
outputs = {"largest force at D": lambda sol: np.linalg.norm(sol.reaction("D").force, axis=1).max()}
ens.to_csv("four_bars.csv", outputs, crank=a, rocker=c)

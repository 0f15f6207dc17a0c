"""A double pendulum from its Lagrangian."""

import numpy as np
import sympy as sp

import isodyn as iso

t = sp.Symbol("t")
a, b = (sp.Function(name)(t) for name in ("a", "b"))  # angles from below
x1, y1 = sp.sin(a), -sp.cos(a)
x2, y2 = x1 + 0.7 * sp.sin(b), y1 - 0.7 * sp.cos(b)
kinetic = (x1.diff(t) ** 2 + y1.diff(t) ** 2) / 2 + (x2.diff(t) ** 2 + y2.diff(t) ** 2) / 4  # 1 kg and 0.5 kg
potential = 9.81 * (y1 + y2 / 2)

system = iso.from_lagrangian(kinetic - potential, [a, b], q0=[2.0, 2.5], v0=[0.0, 0.0])
sol = iso.integrate(system, iso.Scheme.midpoint_mpa(), dt=1e-3, t_end=5.0)
change = np.ptp(sum(sol.energy()))
print(f"angles at the end: {sol.q[-1]}, energy kept to {change:.1e} J")

"""Small flexible bodies for tests: bars of hexahedra, and what a beam of the same size would do."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import isodyn as iso

L, WIDTH, HEIGHT = 1.0, 0.06, 0.04
E, NU, RHO = 4e8, 0.0, 1000.0
ENDS = {"left": lambda x: x[0] < 1e-9, "right": lambda x: x[0] > L - 1e-9}


@cache
def bar(elements: int = 4, order: int = 2) -> iso.FiniteElements:
    """A bar along x."""
    skfem = pytest.importorskip("skfem")
    y, z = np.linspace(-WIDTH / 2, WIDTH / 2, 2), np.linspace(-HEIGHT / 2, HEIGHT / 2, 2)
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, L, elements + 1), y, z)
    return iso.FiniteElements.from_mesh(mesh, E=E, nu=NU, rho=RHO, order=order)


def swinging(*, stiffening: bool = False, modes: int = 3, damping: Any = 0.0) -> iso.Mechanism:
    """A bar on a ball joint with a body welded to its end, turning."""
    mech = iso.Mechanism()
    spin, tip = np.array([0.5, -1.0, 4.0]), np.array([L, 0, 0])
    mech.add_flexible_body(
        "bar", bar(), interface=ENDS, modes=modes, angular_velocity=spin, damping=damping, stiffening=stiffening
    )
    mech.add_body("bob", 0.5, (0.002, 0.003, 0.004), tip, velocity=np.cross(spin, tip), angular_velocity=spin)
    mech.add_joint(iso.Spherical("ball", "ground", "bar.left", point=(0, 0, 0)))
    mech.add_joint(iso.Fixed("weld", "bar.right", "bob"))
    return mech

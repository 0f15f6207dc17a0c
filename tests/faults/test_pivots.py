"""Matrices that a fixed order of elimination cannot do: growth is seen and refined, pivots are chosen again, SuperLU takes over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.compiled import OK, SINGULAR, FloatArray
from isodyn.integrate import run as run_module
from isodyn.joints import Hinge
from isodyn.linear_solvers import block_lu
from isodyn.linear_solvers.blocks import Sparsity, joint_to_merge, pack, storage_of
from isodyn.loads import Spring

LINKS, LENGTH, MASS = 12, 0.1, 0.1
SCHEME, DT = iso.Scheme.U0(0.8, 0.8, 0.8), 1e-3


def chain(off: float, pushed: tuple[int, ...] = (5,)) -> Any:
    """Links in a line, some held sideways by nothing but their neighbours: springs along the line push so hard that c₀m + c₂k = off c₀m."""
    mech, before = iso.Mechanism(gravity=(0, 0, 0)), "ground"
    for i in range(LINKS):
        turn = 1e-7 * (i + 0.5) * LENGTH
        mech.add_body(
            f"link {i}",
            MASS,
            MASS * LENGTH**2 / 12,
            ((i + 0.5) * LENGTH, 0, 0),
            kind="planar",
            velocity=(0, turn, 0),
            angular_velocity=1e-7,
        )
        mech.add_joint(Hinge(f"pin {i}", before, f"link {i}", point=(i * LENGTH, 0, 0)))
        before = f"link {i}"
    critical = SCHEME.W1L6 * MASS / (DT**2 * SCHEME.W3L3) * (1.0 - off)
    for i in pushed:
        centre = (i + 0.5) * LENGTH
        mech.add_load(Spring(f"push {i}", "ground", f"link {i}", ((0, 0, 0), (centre, 0, 0)), critical, rest=2 * centre))
    return mech.compile()


def run(system: Any, steps: int = 5) -> iso.Solution:
    return iso.integrate(system, SCHEME, dt=DT, t_end=steps * DT)


def same_motion(sol: iso.Solution, system: Any) -> None:
    """As with full matrices and pivots among all rows."""
    full = run(replace(system, model=None) if False else system)
    np.testing.assert_allclose(sol.q, full.q, atol=1e-12)

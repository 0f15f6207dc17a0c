"""Positions of rest of flexible bodies and rods that can swing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from flexible_solids import ENDS, HEIGHT, RHO, WIDTH, E, L, bar
from isodyn.errors import InputError

A, I_Y, I_Z, G = WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12, HEIGHT * WIDTH**3 / 12, E / 2
KINDS = ("solid", "steel", "stiffened", "rod")


def hinged(kind: str, *, up: bool = False, gravity: Any = (0, 0, -9.81)) -> tuple[Any, str]:
    """A bar on a hinge at its left end, horizontal or upright; the system and the name of the other end."""
    mech = iso.Mechanism(gravity=gravity)
    if kind == "rod":
        section = iso.Section(
            EA=E * A, GAy=G * A, GAz=G * A, GJ=G * I_Y, EIy=E * I_Y, EIz=E * I_Z, rhoA=RHO * A, rhoIy=RHO * I_Y,
            rhoIz=RHO * I_Z,
        )  # fmt: skip
        mech.add_beam("bar", (0, 0, 0), (0, 0, L) if up else (L, 0, 0), elements=8, section=section, model="exact")
        root, end = "bar.start", "bar.end"
    else:
        body = bar()
        if kind == "steel":
            body = iso.FiniteElements(body.points, 500 * body.stiffness, body.mass)
        turned = (np.sqrt(0.5), 0, -np.sqrt(0.5), 0) if up else None
        mech.add_flexible_body("bar", body, interface=ENDS, modes=3, stiffening=kind == "stiffened", orientation=turned)
        root, end = "bar.left", "bar.right"
    mech.add_joint(iso.Hinge("pin", "ground", root, point=(0, 0, 0), axis=(0, 1, 0)))
    return mech.compile(), end


@pytest.mark.parametrize("up", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_bar_hangs(kind: str, up: bool) -> None:
    """From the horizontal by a quarter, from the unstable upright position by half a turn; the weight stretches it
    by ρ g L²/2E."""
    system, end = hinged(kind, up=up)
    found = iso.equilibrium(system)
    stretch = RHO * 9.81 * L**2 / (2 * E) / (500 if kind == "steel" else 1)
    assert np.abs(found.q[system.q_of(end)][:3] - [0, 0, -L - stretch]).max() < 1e-3 * stretch + 1e-9
    assert found.stability == "stable"


@pytest.mark.parametrize("kind", KINDS)
def test_without_loads_it_stays(kind: str) -> None:
    system, _ = hinged(kind, gravity=(0, 0, 0))
    found = iso.equilibrium(system)
    assert np.abs(found.q - system.q0).max() < 1e-12
    assert found.stability == "neutral"


def test_a_start_of_ones_own() -> None:
    """From where the bar hangs it does not move; load paths need bodies that loads stiffen."""
    system, _ = hinged("solid")
    hanging = iso.equilibrium(system).q
    assert np.abs(iso.equilibrium(system, hanging).q - hanging).max() < 1e-9
    assert np.abs(iso.equilibrium(replace(system, q0=hanging)).q - hanging).max() < 1e-9
    with pytest.raises(InputError, match=r"flexible bodies without it\nhint: add_flexible_body\(..., stiffening=True"):
        iso.follow_loads(system)


@pytest.mark.parametrize("unit", [1.0, 1e3], ids=["m", "mm"])
@pytest.mark.parametrize("load", [2.0, 20.0])
def test_a_thin_clamped_bar_of_steel_in_all_units(unit: float, load: float) -> None:
    """The last digit of a place along the bar is a force that no position takes away; the sag is PL³/3EI less what five
    elements are too stiff."""
    skfem = pytest.importorskip("skfem")
    x, y, z = (unit * np.linspace(low, high, n) for low, high, n in ((0, 0.4, 6), (-0.01, 0.01, 2), (-0.004, 0.004, 2)))
    mesh = skfem.MeshHex.init_tensor(x, y, z)
    body = iso.FiniteElements.from_mesh(mesh, E=2.1e11 / unit**2, nu=0.3, rho=7800.0 / unit**3)
    ends = {"left": lambda x: x[0] < 1e-9 * unit, "right": lambda x: x[0] > (0.4 - 1e-9) * unit}
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_flexible_body("bar", body, interface=ends, modes=4)
    mech.add_joint(iso.Fixed("clamp", "ground", "bar.left"))
    mech.add_load(iso.Force("push", "bar.right", (0, 0, load)))
    system = mech.compile()
    sag = (iso.equilibrium(system).q - system.q0)[system.q_of("bar.right")][2] / unit
    assert sag == pytest.approx(0.97 * load * 0.4**3 / (3 * 2.1e11 * 0.02 * 0.008**3 / 12), rel=2e-3)

"""Links without moments whose axes nearly meet: the least moments that are added must not show."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import MendedWarning

ARMS, G, RING, MASS, LENGTH, OFFSET = 3, 9.81, 0.1, 1.5, 0.8, 1e-4


def link(name: str, mass: float, place: str) -> str:
    zero = " ".join(f'{x}="0"' for x in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    return (
        f'<link name="{name}"><inertial><origin xyz="{place}"/><mass value="{mass}"/>'
        f"<inertia {zero}/></inertial></link>"
    )


def hinge(name: str, parent: str, child: str, axis: str, place: str = "0 0 0") -> str:
    return (
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{place}"/><axis xyz="{axis}"/></joint>'
    )


@pytest.mark.parametrize("theta", [1e-4, 0.4])
def test_spherical_pendulums_on_two_hinges(theta: float, tmp_path: Path) -> None:
    """(m₁d² + m₂l² sin²θ) φ̇ is constant, and θ̈ = sin θ cos θ φ̇² − (g/l) sin θ, to 1e-8, in robots
    that have sparse matrices; at θ = 1e-4 the mass matrix has the condition 1e8."""
    parts = ['<link name="base"/>']
    for k in range(ARMS):
        parts += [link(f"ring{k}", RING, f"{OFFSET} 0 0"), link(f"bob{k}", MASS, f"0 0 {-LENGTH}")]
        parts += [hinge(f"phi{k}", "base", f"ring{k}", "0 0 1", f"{k} 0 0")]
        parts += [hinge(f"theta{k}", f"ring{k}", f"bob{k}", "1 0 0")]
    path = tmp_path / "pendulums.urdf"
    path.write_text(f'<robot name="pendulums">{"".join(parts)}</robot>')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MendedWarning)
        mech = iso.load_urdf(path)
    rates = {f"phi{k}": 0.7 + k for k in range(ARMS)} | {f"theta{k}": 0.3 - k for k in range(ARMS)}
    system = mech.assemble(positions={f"theta{k}": theta for k in range(ARMS)}, rates=rates).system
    sol = iso.integrate(system, dt=1e-7, t_end=1e-7)
    s, c = np.sin(theta), np.cos(theta)
    for k in range(ARMS):
        v, w = rates[f"phi{k}"], rates[f"theta{k}"]
        about = RING * OFFSET**2 + MASS * LENGTH**2 * s**2
        assert sol.joint(f"phi{k}").acceleration[0] == pytest.approx(
            -2 * MASS * LENGTH**2 * s * c * v * w / about, rel=1e-8
        )
        assert sol.joint(f"theta{k}").acceleration[0] == pytest.approx(
            s * c * v**2 - G / LENGTH * s, rel=1e-8, abs=1e-8
        )

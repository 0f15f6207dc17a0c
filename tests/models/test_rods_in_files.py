"""Rods in model files: what is written is read again, and errors point to their lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import IsodynError
from isodyn.models import model_from_text, to_toml

TEXT = """
gravity = [0.0, 0.0, -9.81]

[beams.blade]
start = [0.0, 0.0, 0.0]
end = [1.0, 0.0, 0.0]
elements = 3
model = "exact"
up = [0.0, 1.0, 1.0]
section = { type = "rectangle", E = 2e11, G = 8e10, rho = 7800.0, width = 0.01, height = 0.03, damping = 0.001 }

[joints.clamp]
type = "fixed"
between = ["ground", "blade.start"]

[loads.wind]
type = "distributed_force"
beam = "blade"
force = [0.0, 3.0, 0.0]
frame = "body"

[loads.tip]
type = "force"
body = "blade@1.0"
force = [0.0, 1.0, 0.0]

[run]
dt = 1e-4
t_end = 1e-3
"""


def helix(s: float) -> tuple[float, float, float]:
    return np.cos(s), np.sin(s), 0.3 * s


def rods() -> iso.Mechanism:
    coupling = np.zeros((6, 6))
    coupling[0, 4] = coupling[4, 0] = 0.2
    of = iso.Section(
        EA=100.0,
        GAy=40.0,
        GAz=50.0,
        GJ=3.0,
        EIy=5.0,
        EIz=4.0,
        rhoA=0.7,
        rhoIy=0.02,
        rhoIz=0.03,
        damping=(0.1, 0.2),
        coupling=coupling,
    )
    mech = iso.Mechanism(gravity=(0, -1, -9.81))
    mech.add_beam(
        "bow", curve=helix, elements=3, section=of, model="exact", twist=0.4, mass="lumped", velocity=(1, 2, 3)
    )
    mech.add_beam(
        "strip", (0, 0, 1), (1, 1, 1), elements=2, section=of, model="absolute-nodal", angular_velocity=(0, 1, 0)
    )
    flat = iso.Section(EA=100.0, EI=3.0, GA=40.0, rhoA=0.7, rhoI=0.02)
    mech.add_beam("flat", (0, 2), (1, 2), elements=2, section=flat, model="exact", angular_velocity=2.0)
    mech.add_joint(iso.Spherical("ball", "ground", "strip.start"))
    return mech


def balance(mech: Any) -> tuple[np.ndarray, ...]:
    system = mech.compile()
    sol = iso.integrate(system, dt=1e-3, t_end=5e-3)
    return system.q0, system.v0, sol.q[-1], sol.a[-1]


@pytest.mark.filterwarnings("ignore:no joint and no spring")
def test_what_is_written_is_read_again() -> None:
    mech = rods()
    again = model_from_text(to_toml(mech, dt=1e-3, t_end=5e-3)).mechanism()
    assert to_toml(again, dt=1e-3, t_end=5e-3).count("absolute-nodal") == 1
    for one, other in zip(balance(mech), balance(again), strict=True):
        assert np.abs(one - other).max() < 1e-9 * max(1.0, np.abs(one).max())


def test_a_file_with_a_rod_runs() -> None:
    mech = model_from_text(TEXT).mechanism()
    sol = iso.integrate(mech.compile(), dt=1e-4, t_end=1e-3)
    assert sol.beam("blade").moment.shape == (11, 3, 3)
    assert np.allclose(sol.beam("blade").frames[0, 0][:, 2], np.array([0, 1, 1]) / np.sqrt(2))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("G = 8e10, ", "", "its section lacks GAy, GAz, GJ"),
        ('model = "exact"', 'model = "exakt"', "exact"),
        ("up = [0.0, 1.0, 1.0]", "up = [1.0, 0.0, 0.0]", "parallel to the rod"),
        ("blade@1.0", "blade@0.9", "no node 0.9 from its start"),
        ("end = [1.0, 0.0, 0.0]", "curve = [[0, 0, 0, 1, 0, 0, 0]]", "start and end, or a curve, not both"),
    ],
)
def test_errors_point_to_their_lines(old: str, new: str, said: str) -> None:
    with pytest.raises(IsodynError, match=said) as found:
        model_from_text(TEXT.replace(old, new)).mechanism().compile()
    assert "line" in str(found.value)


def test_a_rod_knows_its_places() -> None:
    rod = model_from_text(TEXT).mechanism().rods["blade"]
    assert [rod.at(place) for place in ("start", "end", 0, -1)] == [rod.start, rod.end, rod.start, rod.end]
    with pytest.raises(IsodynError, match="has a start and an end, received 'middle'"):
        rod.at("middle")

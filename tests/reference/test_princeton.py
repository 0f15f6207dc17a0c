"""The beam of the Princeton experiments (Dowell, Traybar 1975; data as of Bauchau et al. 2016) at all load
angles, against the rod equations solved by shooting."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from cosserat import tip_by_shooting

LENGTH, HEIGHT, THICKNESS, E, NU = 0.508, 12.377e-3, 3.2024e-3, 71.7e9, 0.31
SECTION = iso.Section.rectangle(E=E, G=E / (2 * (1 + NU)), rho=2700.0, width=HEIGHT, height=THICKNESS)


def tip(angle: float, load: float, elements: int) -> tuple[np.ndarray, np.ndarray]:
    """Position and axes of the tip under a load at an angle from the stiff direction z."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_beam("beam", (0, 0, 0), (LENGTH, 0, 0), elements=elements, section=SECTION, model="exact")
    mech.add_joint(iso.Fixed("clamp", "ground", "beam.start"))
    force = load * np.array([0.0, np.sin(angle), -np.cos(angle)])
    mech.add_load(iso.Force("weight", "beam.end", force=force))
    view = iso.follow_loads(mech, steps=4).as_solution().beam("beam")
    return view.nodes[-1, -1], view.frames[-1, -1]


@pytest.mark.parametrize("degrees", [15.0, 45.0, 75.0])
def test_all_load_angles_against_the_rod_equations(degrees: float) -> None:
    """13.345 N, the largest load: second order in the length of elements, the limit to 1e-5 of the length, and
    the twist of the tip to 1e-4 rad."""
    angle, load = np.radians(degrees), 13.345
    exact = tip_by_shooting(SECTION.stiffness, LENGTH, load * np.array([0.0, np.sin(angle), -np.cos(angle)]))
    (r_1, R_1), (r_2, R_2) = tip(angle, load, 6), tip(angle, load, 12)
    errors = [np.abs(r - exact[:, 0]).max() for r in (r_1, r_2)]
    assert 3.7 < errors[0] / errors[1] < 4.3
    assert np.abs(r_2 + (r_2 - r_1) / 3 - exact[:, 0]).max() < 1e-5 * LENGTH
    assert np.abs(R_2 + (R_2 - R_1) / 3 - exact[:, 1:]).max() < 1e-4

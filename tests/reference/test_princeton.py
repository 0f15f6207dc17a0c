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


# tips of beam elements of ANSYS, along the stiff and the soft direction, at 0°, 15°, …, 90° [Obrezkov, Mikkola,
# Matikainen: Performance review of locking alleviation methods for continuum ANCF beam elements, 2022]
PUBLISHED = {
    8.896: (
        (10.714e-3, 10.613e-3, 10.112e-3, 8.8372e-3, 6.6047e-3, 3.5389e-3, 0.0),
        (0.0, 42.082e-3, 79.395e-3, 108.988e-3, 129.888e-3, 142.194e-3, 146.246e-3),
    ),
    13.345: (
        (16.064e-3, 16.458e-3, 16.659e-3, 15.186e-3, 11.578e-3, 6.2490e-3, 0.0),
        (0.0, 64.358e-3, 117.736e-3, 156.467e-3, 181.862e-3, 196.097e-3, 200.678e-3),
    ),
}


@pytest.mark.parametrize("load", PUBLISHED)
def test_all_load_angles_against_published_tips(load: float) -> None:
    """To 4e-4 of the length; solid elements of the same paper differ from its beams by up to 8e-3."""
    for k, (stiff, soft) in enumerate(zip(*PUBLISHED[load], strict=True)):
        found = tip(np.radians(15.0 * k), load, 16)[0]
        assert np.abs(found[1:] - (soft, -stiff)).max() < 4e-4 * LENGTH

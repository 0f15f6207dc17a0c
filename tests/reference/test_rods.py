"""Rods against closed forms and published numbers: roll-up, the 45° bend, bending in every plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from cosserat import tip_by_shooting
from isodyn.errors import InputError


def section(**given: float) -> iso.Section:
    usual = {"EA": 1e4, "GAy": 1e4, "GAz": 1e4, "GJ": 50.0, "EIy": 100.0, "EIz": 2.0, "rhoA": 1.0}
    return iso.Section(**{**usual, "rhoIy": 1e-3, "rhoIz": 1e-3, **given})


def cantilever(elements: int, of: iso.Section, *loads: Any, **where: Any) -> Any:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_beam("rod", elements=elements, section=of, model="exact", **where)
    mech.add_joint(iso.Fixed("clamp", "ground", "rod.start"))
    for load in loads:
        mech.add_load(load)
    return mech.compile()


def tip(system: Any, path: Any) -> np.ndarray:
    return path.q[system.q_of("rod.end")][:3]


@pytest.mark.parametrize(("elements", "turns"), [(2, 0.45), (4, 1.0), (8, 2.0)])
def test_an_end_moment_rolls_a_rod_into_circles(elements: int, turns: float) -> None:
    """Exactly, whatever the number of elements."""
    moment = 2 * np.pi * turns * 2.0
    straight = {"start": (0, 0, 0), "end": (1, 0, 0)}
    system = cantilever(
        elements, section(), iso.Torque("m", "rod.end", torque=(0, 0, moment), frame="body"), **straight
    )
    path = iso.follow_loads(system, steps=20)
    k = moment / 2.0
    assert np.abs(tip(system, path) - [np.sin(k) / k, (1 - np.cos(k)) / k, 0]).max() < 1e-12


def bend(load: float, elements: int, GJ: float = 1e7 / 12) -> tuple[np.ndarray, iso.Section]:
    """Tip of an eighth of a circle of radius 100 under a load across its plane; square section of side one."""
    E, R = 1e7, 100.0
    of = iso.Section(EA=E, GAy=E / 2, GAz=E / 2, GJ=GJ, EIy=E / 12, EIz=E / 12, rhoA=1.0, rhoIy=1 / 12, rhoIz=1 / 12)

    def arc(s: float) -> tuple[float, float, float]:
        return R * np.sin(s * np.pi / 4), R * (1 - np.cos(s * np.pi / 4)), 0.0

    system = cantilever(elements, of, iso.Force("f", "rod.end", force=(0, 0, load)), curve=arc)
    return tip(system, iso.follow_loads(system, steps=6)), of


@pytest.mark.parametrize(
    ("load", "published"),
    [(300.0, (58.84, 22.33, 40.08)), (450.0, (52.32, 18.62, 48.39)), (600.0, (47.23, 15.79, 53.37))],
)
def test_bend_of_45_degrees_under_a_tip_load(load: float, published: Any) -> None:
    """Eight elements beside eight of another kind [Simo, Vu-Quoc 1986]; Bathe and Bolourchi 1979 have (47.2, 15.9,
    53.4) at 600."""
    assert np.abs(bend(load, 8)[0] - published).max() < 0.1


@pytest.mark.parametrize("GJ", [1e7 / 12, 1e7 / 2 * 0.1406], ids=["polar", "Saint-Venant"])
def test_limit_of_the_bend_of_45_degrees(GJ: float) -> None:
    """Second order, and the limit is that of the rod equations: (47.15, 15.68, 53.47) with the polar moment for
    torsion, which the older papers take; (46.89, 15.56, 53.61) with the torsion constant of a square."""
    found, of = zip(*(bend(600.0, elements, GJ) for elements in (8, 16)), strict=True)
    exact = tip_by_shooting(of[0].stiffness, 25 * np.pi, (0, 0, 600.0), curvature=(0, 0, 0.01))[:, 0]
    errors = [np.abs(r - exact).max() for r in found]
    assert 3.9 < errors[0] / errors[1] < 4.1
    assert np.abs(found[1] + (found[1] - found[0]) / 3 - exact).max() < 1e-3


@pytest.mark.parametrize("angle", [0.0, 0.7, 1.5, 2.6])
def test_the_elastica_is_the_same_in_every_plane(angle: float) -> None:
    """A round rod bends alike in all directions, and as the planar beam does."""
    of = section(EIy=2.0, EIz=2.0, GJ=1.5, EA=1e6, GAy=1e6, GAz=1e6)
    force = 8.0 * np.array([0.0, np.cos(angle), np.sin(angle)])
    system = cantilever(16, of, iso.Force("f", "rod.end", force=force), start=(0, 0, 0), end=(1, 0, 0))
    x, y, z = tip(system, iso.follow_loads(system))
    side = np.cos(angle) * y + np.sin(angle) * z
    across = np.cos(angle) * z - np.sin(angle) * y
    # P L²/(EI) = 4: tip of the elastica by elliptic integrals (Bisshopp and Drucker): (0.6713, 0.6700)
    assert abs(across) < 1e-12
    assert abs(side - 0.6700) < 1.5e-3
    assert abs(x - 0.6713) < 1.5e-3


def test_missing_numbers_of_a_section_are_named() -> None:
    mech = iso.Mechanism()
    with pytest.raises(InputError, match="lacks GAy, GAz, GJ, EIy, rhoIy, rhoIz"):
        mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=2, section=iso.Section(EA=1, EI=1, rhoA=1), model="exact")
    coupling = np.zeros((6, 6))
    coupling[0, 3] = coupling[3, 0] = 1e5
    with pytest.raises(InputError, match="not positive definite"):
        mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=2, section=section(coupling=coupling), model="exact")
    with pytest.raises(InputError, match="parallel"):
        mech.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=2, section=section(), model="exact", up=(1, 0, 0))
    with pytest.raises(InputError, match="same point"):
        mech.add_beam("rod", (0, 0, 0), (0, 0, 0), elements=2, section=section(), model="exact")
    with pytest.raises(InputError, match="curve, up, twist and mass are for rods"):
        mech.add_beam("rod", (0, 0), (1, 0), elements=2, section=section(), twist=0.1)

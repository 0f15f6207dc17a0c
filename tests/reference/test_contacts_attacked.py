"""Contacts where a step is hard: redundant points that slide on each other, bearings with long
steps, coarse steps between impacts, and journals in the middle of their bearings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.errors import CoarseStepWarning

CUBE = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.4, 0.4) for z in (-0.3, 0.3)]
SLAB = [(x, y, z) for x in (-3, 3) for y in (-3, 3) for z in (-1, 0)]


def two_bricks() -> iso.Mechanism:
    """A brick that falls on another one, which falls on the floor: faces slide on each other."""
    mech, rough = iso.Mechanism(), {"mu": 0.4, "restitution": 0.3}
    inertia, turned = (0.05, 0.06, 0.07), [Rotation.from_quat(q) for q in ((3, 2, 1, 9), (-3, 2, 4, 9))]
    start: Any = {"velocity": (1, 0.2, 0), "angular_velocity": (1, 2, 0.3)}
    mech.add_body("a", 1.0, inertia, (0, 0, 1.0), orientation=turned[0], **start)
    mech.add_body("b", 1.5, inertia, (0.3, 0.1, 2.0), orientation=turned[1], velocity=(0, -0.2, -1))
    for name in ("a", "b"):
        mech.add_contact(iso.MeshContact(f"floor {name}", name, "ground", CUBE, SLAB, **rough))
    mech.add_contact(iso.MeshContact("both", "a", "b", CUBE, CUBE, **rough))
    return mech


def test_faces_that_slide_are_not_stopped_between_impacts() -> None:
    """Five points of two faces slide. In one step two of them carried 1e-5 of the load; rounding of
    the others took their friction off its rim, they were said to stick, and velocities jumped by 2
    m/s and 1.7 J within 0.35 ms."""
    sol = iso.integrate(two_bricks(), dt=0.01, t_end=0.31)
    kinetic = sol.energy()[0].max()
    assert len(sol.aux["impact_t"]) > 30
    assert np.abs(sol.energy_balance()).max() < 2e-3 * kinetic


def test_faces_that_slide_choose_no_corner_of_their_forces() -> None:
    """Five and three points slide. Normals that differed by the error of a step chose which three of
    five push, another three in each iteration: steps of 10 ms were taken in some forty parts, in a
    minute of computing. The place is that with steps of 0.5 ms."""
    sol = iso.integrate(two_bricks(), dt=0.01, t_end=0.35)
    total = sum(sol.energy()[:2])
    assert sol.stats.iterations < 1800
    assert np.diff(total).max() < 1e-7
    assert abs(total[-1] - 30.5605) < 1e-2
    assert np.abs(sol.q[-1][:3] - [0.27358, -0.11342, 0.52668]).max() < 5e-4


@pytest.mark.parametrize("mu", [0.3999996, 0.39])
@pytest.mark.parametrize("dt", [0.05, 0.01])
def test_a_box_stops_on_a_slope_within_a_step(mu: float, dt: float) -> None:
    """It slides up, stops and slides back. Two of its four corners rub as much as they can where it
    rests, the others hold it: the end of slip was then taken for that of the step, 2 mm off."""
    slope, g = np.arctan(0.4), 9.81
    mech = iso.Mechanism(gravity=(g * np.sin(slope), 0, -g * np.cos(slope)))
    mech.add_body("box", 2.0, (0.1, 0.1, 0.1), (0, 0, 0.1), velocity=(-1, 0, 0))
    mech.add_contact(iso.BoxPlane("corners", "box", "ground", size=(0.4, 0.4, 0.2), mu=mu))
    x = iso.integrate(mech, dt=dt, t_end=0.5).q[-1][0]
    up, down = g * (np.sin(slope) + mu * np.cos(slope)), g * (np.sin(slope) - mu * np.cos(slope))
    assert abs(x - (-0.5 / up + 0.5 * down * (0.5 - 1.0 / up) ** 2)) < 1e-9


def with_clearance() -> iso.Mechanism:
    """A slider–crank at constant torque whose crank pin has 1 mm of clearance."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("crank", mass=1.0, inertia=0.02, kind="planar", position=(0.1, 0.0))
    mech.add_body("rod", mass=0.5, inertia=0.02, kind="planar", position=(0.5, 0.0))
    mech.add_body("slider", mass=0.5, inertia=0.01, kind="planar", position=(0.8, 0.0))
    mech.add_joint(iso.Hinge("bearing", "ground", "crank", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("pin", "rod", "slider", point=(0.8, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Prismatic("guide", "ground", "slider", axis=(1, 0, 0)))
    centres = ((0.2, 0, 0), (0.2, 0, 0))
    mech.add_contact(iso.Journal("crank pin", "crank", "rod", 1e-3, points=centres, restitution=0.3))
    mech.add_load(iso.Motor("motor", "bearing", 6.0))
    return mech


@pytest.fixture(scope="module")
def clearance() -> Any:
    return iso.integrate(with_clearance(), dt=2e-4, t_end=0.5)


@pytest.mark.parametrize(("dt", "off"), [(1e-3, 2e-2), (2e-3, 2e-2)])
def test_steps_too_long_for_their_iteration_are_cut(clearance: Any, dt: float, off: float) -> None:
    """The pin turns round its bearing by more than a radian in such a step, which ended in
    "reduce dt"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoarseStepWarning)
        sol = iso.integrate(with_clearance(), dt=dt, t_end=0.5)
    fine = clearance.joint("bearing").angle[-1]
    assert sol.t[-1] == 0.5
    assert abs(sol.joint("bearing").angle[-1] - fine) < off < 1e-2 * fine
    assert sol.contact("crank pin").gap.min() > -1e-15


def test_power_where_a_contact_has_no_direction(clearance: Any) -> None:
    """The pin starts in the middle of its bearing: the gap has no normal there, and no force."""
    assert clearance.contact("crank pin").power[0] == 0.0
    assert clearance.quality().energy.good


def on_a_spring(stiffness: float) -> iso.MechanicalSystem:
    """A ball that bounces, with another one above it on a spring."""
    k = stiffness * np.array([[1.0, -1.0], [-1.0, 1.0]])

    def force(q: Any, v: Any, t: float) -> Any:
        return -9.81 - k @ (q - [0.0, 0.3])

    def energy(q: Any, v: Any, t: float) -> tuple[float, float]:
        stretched = q - [0.0, 0.3]
        return 0.5 * float(v @ v), 9.81 * float(q.sum()) + 0.5 * float(stretched @ k @ stretched)

    given: Any = {"gap": lambda q, t: q[:1], "restitution": 0.5, "energy": energy}
    return iso.MechanicalSystem(np.eye(2), force, [0.5, 0.8], [0.0, 0.0], **given)


def test_coarse_steps_between_impacts_are_told() -> None:
    """With 3 steps in a period of the spring that an impact sets going, half of its energy is lost;
    with 60 of them nothing is to be said, although forces have kinks."""
    with pytest.warns(CoarseStepWarning, match="the steps are coarse"):
        coarse = iso.integrate(on_a_spring(2e4), dt=0.01, t_end=1.0)
    assert not coarse.quality().energy.good
    assert iso.integrate(on_a_spring(2e4), dt=5e-4, t_end=1.0).quality().good

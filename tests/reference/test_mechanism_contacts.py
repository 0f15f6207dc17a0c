"""Contacts of mechanisms: stops, planes, journals, closed loops; forces and rest in closed form."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.errors import AccuracyWarning, InputError
from isodyn.models.writer import to_toml

G = 9.81


def rod_on_a_stop(**stop):
    mech = iso.Mechanism()
    mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_contact(iso.JointStop("stop", "pin", **stop))
    return mech


def test_joint_comes_to_rest_at_its_stop():
    """Impacts, then rest; the torque of the stop carries the weight."""
    sol = iso.integrate(rod_on_a_stop(high=0.5, restitution=0.3), dt=0.01, t_end=3.0)
    stop = sol.contact("stop")
    assert len(stop.impacts) > 2
    assert stop.gap.min() > -1e-13
    assert sol.drift().position.max() < 1e-14
    assert abs(stop.normal[-1] - 0.5 * G * np.cos(0.5)) < 1e-12
    assert abs(sol.joint("pin").angle[-1] - 0.5) < 1e-14


def test_ball_slides_until_it_rolls():
    """Closed form: the speed of rolling, and forces on the way."""
    mech = iso.Mechanism()
    mech.add_body("ball", mass=2.0, inertia=(0.2, 0.2, 0.2), position=(0, 0, 0.5), velocity=(1, 0, 0))
    mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.5, mu=0.1))
    sol = iso.integrate(mech, dt=0.005, t_end=1.0)
    floor, ball = sol.contact("floor"), sol.body("ball")
    assert [int(mode) for mode in floor.mode[[0, -1]]] == [2, 1]
    assert abs(ball.velocity[-1, 0] - 1.0 / (1.0 + 0.2 / (2.0 * 0.25))) < 1e-9
    assert abs(ball.angular_velocity[-1, 1] - ball.velocity[-1, 0] / 0.5) < 1e-12
    assert np.abs(floor.normal - 2.0 * G).max() < 1e-10
    size = np.hypot(*floor.tangential[1:20].T)
    assert np.abs(size - 0.1 * 2.0 * G).max() < 1e-9


def test_box_falls_slides_and_rests():
    """A tilted box with friction and restitution: no energy gained, at rest on four corners."""
    mech = iso.Mechanism()
    turned = Rotation.from_rotvec([0.3, 0.5, 0.1])
    mech.add_body("box", 1.0, (0.16, 0.16, 0.16), (0, 0, 1.2), turned, velocity=(0.5, 0, 0))
    mech.add_contact(iso.BoxPlane("floor", "box", "ground", size=(1, 1, 1), mu=0.3, restitution=0.3))
    sol = iso.integrate(mech, dt=0.01, t_end=3.0)
    energy = np.sum(sol.energy(), axis=0)
    assert np.diff(energy).max() < 1e-12
    assert sol.aux["contact_gap"].min() > -1e-13
    assert np.abs(sol.v[-1]).max() < 1e-12
    corners = [sol.contact(f"floor[{k}]").normal[-1] for k in range(8)]
    assert abs(sum(corners) - G) < 1e-11
    assert np.abs(np.array(sorted(corners)[4:]) - G / 4).max() < 1e-9
    lost = sum(sol.contact(f"floor[{k}]").lost for k in range(8))
    assert 0.0 < lost < energy[0] - energy[-1]


def test_four_bar_with_redundant_rows_and_a_stop():
    """A closed loop of spatial hinges, whose rows are redundant: the stop holds, all at rounding."""
    mech = iso.Mechanism(gravity=(0, 0, -G))
    points = {"A": (0, 0, 0), "B": (0, 0, 0.4), "C": (1.0, 0, 0.8), "D": (1.3, 0, 0)}
    for name, one, two in (("crank", "A", "B"), ("coupler", "B", "C"), ("rocker", "C", "D")):
        middle = 0.5 * (np.array(points[one]) + np.array(points[two]))
        mech.add_body(name, 1.0, (0.05, 0.05, 0.05), middle)
    pairs = {"A": ("ground", "crank"), "B": ("crank", "coupler"), "C": ("coupler", "rocker"), "D": ("rocker", "ground")}
    for name, bodies in pairs.items():
        mech.add_joint(iso.Hinge(name, *bodies, point=points[name], axis=(0, 1, 0)))
    mech.add_contact(iso.JointStop("stop", "A", low=-0.1, high=0.1, restitution=0.4))
    sol = iso.integrate(mech, dt=0.005, t_end=2.0)
    assert sol.redundant
    assert len(sol.aux["impact_t"]) > 1
    assert sol.aux["contact_gap"].min() > -1e-13
    assert sol.drift().position.max() < 1e-13
    assert sol.drift().velocity.max() < 1e-13


def test_pendulum_in_a_bearing_with_clearance():
    """A planar rod whose bearing has one millimetre of clearance."""
    mech = iso.Mechanism(gravity=(0, -G, 0))
    mech.add_body("rod", mass=1.0, inertia=0.1, kind="planar", position=(0.5, 0.0))
    where = ((0, 0, 0), (0, 0, 0))
    mech.add_contact(iso.Journal("bearing", "ground", "rod", clearance=1e-3, points=where, restitution=0.2))
    sol = iso.integrate(mech, dt=0.002, t_end=1.0)
    bearing = sol.contact("bearing")
    assert bearing.impacts
    assert bearing.gap.min() > -1e-13
    assert bearing.normal.max() > G


def test_cradle_in_sequence():
    """Five balls in a row: one comes, one goes."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    for k in range(5):
        speed = (1.0 if k == 0 else 0.0, 0, 0)
        mech.add_body(f"b{k}", 1.0, kind="particle", position=(0.2 * k if k else -0.5, 0, 0), velocity=speed)
    for k in range(4):
        mech.add_contact(iso.SphereSphere(f"c{k}", f"b{k}", f"b{k + 1}", radii=(0.1, 0.1), restitution=1.0))
    sol = iso.integrate(mech, dt=0.01, t_end=1.0, impacts=iso.Impacts(order="sequential"))
    speeds = [sol.body(f"b{k}").velocity[-1, 0] for k in range(5)]
    assert np.abs(np.array(speeds) - [0, 0, 0, 0, 1]).max() < 1e-14


def test_wheel_rolls_in_a_trough():
    """A disc that rolls on y = x²/4 keeps its energy, and the road stays below it."""
    mech = iso.Mechanism(gravity=(0, -G, 0))
    spin = {"velocity": (1.0, 0.0), "angular_velocity": -10.0}
    mech.add_body("wheel", mass=1.0, inertia=0.005, kind="planar", position=(0.0, 0.1), **spin)
    mech.add_contact(iso.WheelProfile("road", "wheel", "ground", radius=0.1, profile=(0, 0, 0.25), mu=0.8))
    sol = iso.integrate(mech, dt=0.005, t_end=2.0)
    energy = np.sum(sol.energy(), axis=0)
    assert np.abs(energy - energy[0]).max() < 1e-3 * energy[0]
    assert (sol.contact("road").mode == 1).mean() > 0.9
    assert sol.contact("road").gap.min() > -1e-13


def test_contacts_in_model_files(tmp_path):
    """What is written reads back the same."""
    mech = rod_on_a_stop(low=-0.2, high=0.5, restitution=0.3)
    mech.add_contact(iso.PointPlane("floor", "rod", "ground", plane_point=(0, 0, -2.0), mu=0.2))
    path = tmp_path / "stop.toml"
    path.write_text(to_toml(mech, dt=0.01, t_end=0.1))
    sol = iso.integrate(iso.load_model(path).system(), dt=0.01, t_end=0.1)
    assert sol.system.contacts.names == ("stop.low", "stop.high", "floor")


def test_what_is_refused():
    """Numbers, starts and combinations that make no sense."""
    with pytest.raises(InputError, match="restitution must lie between 0 and 1"):
        rod_on_a_stop(high=0.5, restitution=1.5).compile()
    with pytest.raises(InputError, match="high must lie above low"):
        rod_on_a_stop(high=-0.5, low=0.5).compile()
    with pytest.raises(InputError, match="is closed too far at the start"):
        iso.integrate(rod_on_a_stop(low=0.5), dt=0.01, t_end=0.1)
    with pytest.raises(InputError, match="contacts need the formulation Stabilised"):
        iso.integrate(rod_on_a_stop(high=0.5), None, iso.VelocityLevel(), dt=0.01, t_end=0.1)
    with pytest.raises(InputError, match="impacts are for systems with gaps"):
        iso.integrate(iso.problems.get("pendulum").system(), dt=0.01, t_end=0.1, impacts=iso.Impacts())
    with pytest.raises(InputError, match="law of impacts must be"):
        iso.Impacts(law="hertz")
    with pytest.raises(InputError, match="no contact 'foot'"):
        iso.integrate(rod_on_a_stop(high=0.5), dt=0.01, t_end=0.1).contact("foot")
    with pytest.raises(InputError, match="knows nothing of contacts"):
        iso.integrate(rod_on_a_stop(high=0.5), iso.DOP853(), t_end=0.1)


@pytest.mark.parametrize("dt", [0.01, iso.Adaptive(rtol=1e-4)], ids=["fixed", "adaptive"])
def test_a_latch_is_released_above_the_floor(dt):
    """A ball that a joint holds is let go by an event, falls and bounces."""
    mech = iso.Mechanism()
    mech.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1.1))
    mech.add_joint(iso.Fixed("latch", "ground", "ball", point=(0, 0, 1.1)))
    mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.1, restitution=0.5))
    release = iso.Event(lambda t, q, v: t - 0.3, action=iso.Release("latch"))
    sol = iso.integrate(mech, dt=dt, t_end=1.2, events=[release])
    up = 1.2 - (0.3 + np.sqrt(2.0 / 9.81))  # since the impact
    height = 0.1 + 0.5 * np.sqrt(2.0 * 9.81) * up - 0.5 * 9.81 * up**2
    assert sol.body("ball").position[-1, 2] == pytest.approx(height, rel=1e-12)


@pytest.mark.parametrize(("e", "mu"), [(0.5, 0.3), (0.2, 0.1), (0.0, 0.6)])
def test_coarse_steps_to_rest_on_redundant_corners(e, mu):
    """A turning box falls flat and slides to rest on four corners: no step is without a solution."""
    for dt in (0.1, 0.15):
        mech = iso.Mechanism()
        spin = (0.3, 0.7, 0.2)
        mech.add_body("box", 1.0, (1 / 6,) * 3, (0, 0, 0.7), velocity=(0.3, 0.1, 0), angular_velocity=spin)
        mech.add_contact(iso.BoxPlane("floor", "box", "ground", size=(1, 1, 1), restitution=e, mu=mu))
        sol = iso.integrate(mech, dt=dt, t_end=2.0)
        energy = np.sum(sol.energy(), axis=0)
        assert np.diff(energy).max() < 1e-14 * energy[0]
        assert sol.aux["contact_gap"].min() > -1e-13
        assert np.abs(sol.v[-1]).max() < 1e-12


def test_rod_between_two_close_stops():
    """More bounces than are located: steps are taken to their ends. Without losses the rod must
    not become faster, and hardly slower, although gravity pulls it through one of the stops."""
    mech = iso.Mechanism()
    mech.add_body("rod", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0), velocity=(0, 0, -1), angular_velocity=(0, 2, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_contact(iso.JointStop("stop", "pin", low=-1e-9, high=1e-9, restitution=1.0))
    with pytest.warns(AccuracyWarning, match="more than 20 impacts"):
        sol = iso.integrate(mech, dt=0.01, t_end=0.3)
    energy = np.sum(sol.energy(), axis=0)
    assert np.diff(energy).max() < 1e-14
    assert energy[-1] > 0.98 * energy[0]
    assert np.abs(sol.joint("pin").angle).max() < 1.001e-9

"""Balls on balls, boxes and capsules, cylinders, polygons, journals with friction: forces, rolling and
rest in closed form; small fast bodies do not fly through each other; steps without location."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.errors import InputError
from isodyn.models import model_from_text
from isodyn.models.writer import to_toml
from isodyn.report.scenes import scene_of
from isodyn.results.contact_forces import forces_of_contacts

G = 9.81


def test_ball_rolls_off_a_ball():
    """A ball rolls on a fixed one: N = m(g cos θ − v²/R) with v² = 2gR(1 − cos θ)/(1 + 0.4)."""
    mech = iso.Mechanism()
    r, R, th = 0.1, 0.5, 0.1
    place = (R + r) * np.array([np.sin(th), 0.0, np.cos(th)])
    mech.add_body("ball", 2.0, (0.4 * 2.0 * r * r,) * 3, place)
    centres = (place, (0.0, 0.0, 0.0))
    mech.add_contact(iso.SphereSphere("top", "ball", "ground", radii=(r, R), points=centres, mu=0.9))
    errors = []
    for dt in (0.02, 0.01):
        sol = iso.integrate(mech, dt=dt, t_end=0.6)
        x, top = sol.body("ball").position, sol.contact("top")
        c = x[:, 2] / np.hypot(x[:, 0], x[:, 2])
        force = 2.0 * (G * c - 2.0 * G * (np.cos(th) - c) / 1.4)
        assert (top.mode == 1).all()
        assert np.abs(np.hypot(*top.tangential.T) - 2.0 * G * np.sin(np.arccos(c)) * 2.0 / 7.0).max() < 0.02
        errors.append(np.abs(top.normal - force).max())
    assert errors[0] < 0.02
    assert errors[0] / errors[1] > 3.3


def test_disc_on_a_rectangle_in_the_plane():
    """A disc falls on the corner of a fixed box: the impulse is along the line to the corner."""
    mech = iso.Mechanism(gravity=(0, -G, 0))
    mech.add_body("disc", mass=1.0, inertia=0.02, kind="planar", position=(0.62, 1.0))
    box = {"size": (1.0, 0.4), "box_centre": (0.0, 0.0, 0.0)}
    mech.add_contact(iso.SphereBox("corner", "disc", "ground", radius=0.2, restitution=0.5, **box))
    sol = iso.integrate(mech, dt=0.01, t_end=0.45)
    hit = sol.contact("corner").impacts[0]
    n = np.array([0.12, np.sqrt(0.04 - 0.12**2)]) / 0.2
    fall = 1.0 - 0.2 - 0.2 * n[1]
    assert abs(hit.t - np.sqrt(2.0 * fall / G)) < 1e-12
    assert abs(hit.normal - 1.5 * n[1] * np.sqrt(2.0 * G * fall)) < 1e-11


def test_ball_lies_in_a_corner_of_boxes():
    """On the floor of one box and against the wall of another, pushed by weight on a slope."""
    mech = iso.Mechanism(gravity=(3.0, 0.0, -9.0))
    mech.add_body("ball", 2.0, (0.1,) * 3, (0.0, 0.0, 0.3))
    mech.add_contact(iso.SphereBox("floor", "ball", "ground", radius=0.2, size=(2, 2, 0.2)))
    wall = {"size": (0.2, 2, 2), "box_centre": (0.5, 0, 1.0)}
    mech.add_contact(iso.SphereBox("wall", "ball", "ground", radius=0.2, **wall))
    sol = iso.integrate(mech, dt=0.01, t_end=1.0)
    assert abs(sol.contact("floor").normal[-1] - 18.0) < 1e-9
    assert abs(sol.contact("wall").normal[-1] - 6.0) < 1e-9
    assert abs(sol.body("ball").position[-1, 0] - 0.2) < 1e-12


@pytest.mark.parametrize(("axis", "height"), [((1, 0, 0), 0.2), ((0, 0, 1), 0.5)], ids=["lies", "stands"])
def test_cylinder_at_rest(axis, height):
    """Its weight is carried, lying on a line and standing on its rim; nothing moves."""
    mech = iso.Mechanism()
    mech.add_body("roll", 3.0, (0.2, 0.2, 0.2), (0, 0, height + 0.01))
    mech.add_contact(iso.CylinderPlane("floor", "roll", "ground", radius=0.2, length=1.0, axis=axis, mu=0.3))
    sol = iso.integrate(mech, dt=0.01, t_end=0.3)
    forces = np.array([sol.contact(f"floor[{k}]").normal[-1] for k in range(10)])
    assert abs(forces.sum() - 3.0 * G) < 1e-10
    assert np.abs(sol.v[-1]).max() < 1e-12
    assert sol.aux["contact_gap"].min() > -1e-13
    assert abs(sol.body("roll").position[-1, 2] - height) < 1e-13


def test_cylinder_rolls_down_a_slope():
    """a = g sin α / (1 + J/mr²), with the lowest points of its rims passing the fixed ones."""
    slope, r = 0.2, 0.2
    mech = iso.Mechanism(gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    mech.add_body("roll", 3.0, (0.2, 0.5 * 3.0 * r * r, 0.2), (0, 0, r))
    mech.add_contact(iso.CylinderPlane("floor", "roll", "ground", radius=r, length=0.5, axis=(0, 1, 0), mu=0.5))
    sol = iso.integrate(mech, dt=0.01, t_end=1.0)
    a = G * np.sin(slope) / 1.5
    assert abs(sol.body("roll").position[-1, 0] - 0.5 * a) < 2e-4
    assert np.diff(np.sum(sol.energy(), axis=0)).max() < 1e-9
    assert sol.aux["contact_gap"].min() > -1e-13


def test_journal_with_friction_turns_slower():
    """A wheel on a journal at rest in its bearing: the torque is μ r m g/√(1 + μ²)."""
    mech = iso.Mechanism(gravity=(0, -G, 0))
    r, mu, clearance = 0.1, 0.2, 1e-3
    # where friction and weight are in balance: the line of contact leans by atan μ
    lean = np.arctan(mu)
    at = clearance * np.array([-np.sin(lean), -np.cos(lean)])
    mech.add_body("wheel", mass=2.0, inertia=0.5, kind="planar", position=at, angular_velocity=10.0)
    points = ((0, 0, 0), (*at, 0))
    mech.add_contact(iso.Journal("bearing", "ground", "wheel", clearance, points=points, radius=r, mu=mu))
    sol = iso.integrate(mech, dt=0.002, t_end=0.2)
    bearing = sol.contact("bearing")
    torque = mu * r * 2.0 * G / np.hypot(1.0, mu)
    assert np.abs(bearing.normal - 2.0 * G / np.hypot(1.0, mu)).max() < 1e-6
    assert abs(sol.body("wheel").angular_velocity[-1, 2] - (10.0 - torque / 0.5 * 0.2)) < 1e-10


@pytest.mark.parametrize("offset", [0.0, 0.015, 0.03])
def test_small_fast_bodies_do_not_fly_through_each_other(offset):
    """They meet in the middle of a step that is as long as 400 of their radii; or miss."""
    r = 0.01
    pair = iso.MechanicalSystem(
        np.eye(4),
        lambda q, v, t: np.zeros(4),
        [0.0, 0.0, 10.0, offset],
        [100.0, 0.0, -100.0, 0.0],
        gap=lambda q, t: np.array([np.hypot(q[2] - q[0], q[3] - q[1]) - 2 * r]),
        restitution=1.0,
    )
    impacts = iso.integrate(pair, dt=0.04, t_end=0.2).contact(0).impacts
    assert len(impacts) == (1 if offset < 2 * r else 0)
    if impacts:
        assert abs(impacts[0].t - (10.0 - np.sqrt(4 * r * r - offset**2)) / 200.0) < 1e-13


def pile(side, **friction):
    """A pyramid of balls a little above each other."""
    mech, n = iso.Mechanism(), 0
    for k in range(side):
        for i in range(side - k):
            for j in range(side - k):
                mass = 1.0 + 0.3 * np.sin(7.0 * n)
                place = (i + 0.5 * k, j + 0.5 * k, 0.51 + k * (np.sqrt(0.5) + 0.01))
                mech.add_body(f"b{n}", mass, (0.1 * mass,) * 3, place)
                mech.add_contact(iso.SpherePlane(f"f{n}", f"b{n}", "ground", radius=0.5, **friction))
                for m in range(n):
                    mech.add_contact(iso.SphereSphere(f"s{n}_{m}", f"b{n}", f"b{m}", radii=(0.5, 0.5), **friction))
                n += 1
    return mech


@pytest.mark.long
def test_pile_without_location():
    """Steps are taken to their ends: what they closed is pushed out and hit; energy only falls, and
    contacts that are far are not looked at, but their gaps are told."""
    sol = iso.integrate(pile(3, mu=0.3), dt=0.01, t_end=0.2, impacts=iso.Impacts(locate=False))
    energy = np.sum(sol.energy(), axis=0)
    assert np.diff(energy).max() < 1e-10 * energy[0]
    assert sol.aux["contact_gap"].min() > -1e-12
    assert (sol.aux["contact_mode"] > 0).sum(axis=1).max() >= 16
    x = [sol.body(f"b{k}").position[-1] for k in (8, 0)]
    assert abs(sol.contact("s8_0").gap[-1] - (np.linalg.norm(x[0] - x[1]) - 1.0)) < 1e-14


def test_contacts_that_throw_each_other_off_come_to_rest():
    """A ball on three others that slide apart: sequences of ever smaller impacts end, energy falls."""
    sol = iso.integrate(pile(2, mu=0.3), dt=0.02, t_end=0.1)
    energy = np.sum(sol.energy(), axis=0)
    assert np.diff(energy).max() < 1e-10 * energy[0]
    assert sol.aux["contact_gap"].min() > -1e-9


def test_energy_that_impacts_make_is_told():
    """Newton's law with friction."""
    L, J = 0.5, 1.0 / 12.0
    rod = iso.MechanicalSystem(
        np.array([1.0, 1.0, J]),
        lambda q, v, t: np.zeros(3),
        [0.0, L * np.sin(2.454) + 0.01, 2.454],
        [-0.171, -0.449, -0.322],
        gap=lambda q, t: np.array([q[1] - L * np.sin(q[2])]),
        slip=lambda q, v, t: np.array([v[0] + L * np.sin(q[2]) * v[2]]),
        mu=1.33,
        restitution=0.99,
        gap_names=["tip"],
    )
    with pytest.warns(iso.errors.AccuracyWarning, match="impacts made energy, most of them that of 'tip'"):
        iso.integrate(rod, dt=0.01, t_end=0.05, impacts=iso.Impacts(law="newton"))
    iso.integrate(rod, dt=0.01, t_end=0.05)


def test_many_impacts_in_a_step_are_told():
    """A ball between two walls that bounces five times in a step."""
    ball = iso.MechanicalSystem(
        1.0, lambda q, v, t: [0.0], [0.0], [1.0], gap=lambda q, t: np.append(1.0 - q, 1.0 + q), restitution=1.0
    )
    told = {"dt": 10.0, "t_end": 20.0}
    with pytest.warns(iso.errors.AccuracyWarning, match="steps had more than 3 impacts"):
        iso.integrate(ball, impacts=iso.Impacts(max_located=3), **told)
    sol = iso.integrate(ball, **told)
    assert abs(abs(sol.v[-1, 0]) - 1.0) < 1e-13
    assert abs(sol.q[-1, 0]) < 1e-12


def all_kinds():
    """Three bodies in the air and an arm on a pin, with a contact of every kind."""
    mech, rng = iso.Mechanism(), np.random.default_rng(1)
    for k, name in enumerate(("one", "two", "three")):
        turned = Rotation.from_rotvec(rng.normal(size=3))
        moves = {"velocity": rng.normal(size=3), "angular_velocity": rng.normal(size=3)}
        mech.add_body(name, 1.0 + k, (0.1, 0.2, 0.15), (4.0 * k, 0.3 * k, 6.0 + k), turned, **moves)
    mech.add_body("arm", 1.0, (0.1, 0.1, 0.1), (9.0, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(8.5, 0, 0), axis=(0, 1, 0)))
    stone, cube = rng.normal(size=(9, 3)), np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3), axis=-1).reshape(8, 3)
    own = {"mu": 0.2, "restitution": 0.4, "mu_static": 0.3}
    plane = {"plane_point": (0.1, 0.2, -3.0), "normal": (0.1, 0.2, 1.0), **own}
    for part in (
        iso.DryJoint("dry", "pin", mu=0.1, radius=0.2, mu_static=0.15),
        iso.JointStop("stop", "pin", low=-0.4, high=0.5, restitution=0.3),
        iso.DiscPlane("disc", "one", "ground", radius=0.2, axis=(0, 1, 1), centre=(0.1, 0, 6.0), **plane),
        iso.CylinderPlane("cylinder", "one", "ground", radius=0.2, length=0.5, axis=(1, 0.3, 0), **plane),
        iso.PolygonPlane("polygon", "two", "ground", corners=((3, 0, 5.5), (4.5, 0, 7.5), (4, 1, 6)), **plane),
        iso.PointPlane("points", "two", "ground", points=((4, 0, 6.1), (4, 0.2, 6.3)), **plane),
        iso.SpherePlane("ball", "three", "ground", radius=0.3, **plane),
        iso.BoxPlane("box", "one", "ground", size=(1, 0.5, 0.4), **plane),
        iso.CapsulePlane("capsule", "two", "ground", 0.2, 1.0, (1, 0.5, 0.2), **plane),
        iso.WheelProfile("road", "three", "ground", radius=0.1, profile=(0, 0.1, 0.05), plane_point=(0, 0, -3), **own),
        iso.SphereSphere("balls", "one", "two", radii=(0.3, 0.2), **own),
        iso.SphereBox("on box", "one", "three", radius=0.2, size=(1, 1, 1), rounding=0.1, **own),
        iso.SphereCapsule("on rod", "two", "three", radii=(0.2, 0.3), length=0.5, **own),
        iso.Journal("journal", "one", "two", clearance=9.0, radius=0.1, axis=(0, 0, 1), **own),
        iso.SphereMesh("on stone", "one", "two", 0.3, stone, **own),
        iso.CapsuleMesh("rod on stone", "one", "three", 0.2, 1.0, stone, (0, 0.2, 1), **own),
        iso.MeshContact("stones", "two", "three", stone, cube, **own),
    ):
        mech.add_contact(part)
    return mech


def test_every_kind_in_model_files():
    """What is written reads back the same, and runs the same through impacts."""
    mech = all_kinds()
    again = model_from_text(to_toml(mech, dt=0.02, t_end=0.5)).mechanism()
    one, two = (iso.integrate(x, dt=0.02, t_end=0.5) for x in (mech, again))
    assert one.system.contacts.names == two.system.contacts.names
    assert one.aux["impact_t"].size > 2
    assert np.abs(one.q - two.q).max() < 1e-12
    assert np.abs(one.aux["contact_gap"] - two.aux["contact_gap"]).max() < 1e-12


def test_what_shapes_refuse():
    mech = iso.Mechanism()
    mech.add_body("one", 1.0, (0.1,) * 3, (0, 0, 2.0))
    for part, said in (
        (iso.SphereBox("a", "one", "ground", radius=0.2, size=(1, 1)), "three positive lengths"),
        (iso.SphereSphere("a", "one", "ground", radii=(0.0, 0.0)), "radii must be two lengths"),
        (iso.SphereCapsule("a", "one", "ground", radii=(0.1, 0.1), length=-1.0), "length must be positive"),
        (iso.Journal("a", "one", "ground", clearance=0.1, mu=0.2), "friction needs the radius"),
        (iso.Journal("a", "one", "ground", clearance=0.1, mu=0.2, radius=0.1), "needs the axis"),
        (iso.PolygonPlane("a", "one", "ground", corners=((1, 2), (3, 4))), "points of 3 numbers"),
    ):
        mech.contacts.clear()
        mech.add_contact(part)
        with pytest.raises(InputError, match=said):
            mech.compile()


def test_elastic_bar_on_a_wall():
    """A bar of length 1 with ρA = EA = 1 at the speed 1: it touches for 2L/c = 2 with the force
    ρcAv = 1, and goes back as it came, up to what elements cannot carry."""
    n, m = 50, np.full(51, 0.02)
    m[[0, -1]] = 0.01
    K = n * (np.diag(2.0 - (np.arange(51) % 50 == 0)) - np.eye(51, k=1) - np.eye(51, k=-1))
    bar = iso.MechanicalSystem(
        m,
        lambda q, v, t: -K @ q,
        np.full(51, 0.1),
        np.full(51, -1.0),
        Q_q=lambda q, v, t: -K,
        gap=lambda q, t: q[:1],
        gap_q=lambda q, t: np.eye(51)[:1],
    )
    sol = iso.integrate(bar, dt=0.01, t_end=2.6)
    tip = sol.contact(0)
    assert abs(tip.impacts[0].t - 0.1) < 1e-14
    assert abs(sol.t[tip.mode > 0][-1] - 0.1 - 2.0) < 0.03
    inside = (sol.t > 0.4) & (sol.t < 1.8)
    assert abs(np.trapezoid(tip.normal[inside], sol.t[inside]) / np.ptp(sol.t[inside]) - 1.0) < 1e-3
    assert abs(m @ sol.v[-1] - 1.0) < 0.03
    assert abs(np.trapezoid(tip.normal, sol.t) + tip.impulse - (1.0 + m @ sol.v[-1])) < 2e-3


def test_contacts_are_drawn():
    """Shapes where nothing else gives them, forces where bodies touch, and impacts on the time line."""
    mech = iso.Mechanism()
    mech.add_body("ball", 1.0, (0.016,) * 3, (0, 0, 0.5))
    mech.add_contact(iso.SphereBox("table", "ball", "ground", radius=0.2, size=(1, 1, 0.2), mu=0.3))
    sol = iso.integrate(mech, dt=0.01, t_end=0.5)
    scene = scene_of(sol, arrows=True)
    (arrow,) = scene.arrows
    assert arrow.name == "table"
    assert np.abs(arrow.points[-1] - [0, 0, 0.1]).max() < 1e-12
    ((_, _, force),) = forces_of_contacts(sol)
    assert np.abs(force[-1] - [0, 0, G]).max() < 1e-9
    assert abs(scene.impacts[0] - np.sqrt(0.4 / G)) < 1e-12
    corners = scene.bodies[0].drawing.corners
    assert np.abs(np.linalg.norm(corners, axis=1).max() - 0.2) < 0.02

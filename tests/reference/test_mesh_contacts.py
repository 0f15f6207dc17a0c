"""Convex meshes that touch balls and each other."""

import itertools

import numpy as np
import pytest

import isodyn as iso
from isodyn.bodies.pose import Pose
from isodyn.bodies.rotations import matrix
from isodyn.errors import InputError
from isodyn.joints.hulls import Hull, PlacedHull, manifold, parted, touches
from isodyn.models import model_from_text, to_toml

SLAB = np.array([(x, y, z) for x in (-2, 2) for y in (-2, 2) for z in (-1, 0)])
CUBE = np.array([*itertools.product((-0.5, 0.5), repeat=3)])
TETRA = 0.5 * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])


def falling(contact, position=(2.1, 0.3, 0.9), gravity=9.81, inertia=(0.1, 0.1, 0.1), **given):
    mech = iso.Mechanism(gravity=(0, 0, -gravity))
    mech.add_body("body", 1.0, inertia, position, **given)
    mech.add_contact(contact)
    return mech


def pushes(sol, name="touch"):
    """Normal forces of all points of a contact, (rows, points)."""
    names = [one for one in sol.system.contacts.names if one.startswith(f"{name}[")]
    return np.column_stack([sol.contact(one).normal for one in names])


def turns(sol):
    """Rotations of the body, body → world."""
    return np.array([matrix(one) for one in sol.body("body").orientation])


def pose(position=(0, 0, 0), R=None):
    return Pose(np.array(position, dtype=float), np.eye(3) if R is None else R, np.zeros(3), np.zeros(3))


def turned(rng):
    """A random rotation."""
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


# ---- shapes


@pytest.mark.parametrize("corners", [[(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], [(0, 0)], [(0, 0, np.nan)] * 4])
def test_what_is_no_body(corners):
    with pytest.raises(InputError, match="corners must"):
        falling(iso.SphereMesh("touch", "body", "ground", 0.5, corners)).compile()
    with pytest.raises(InputError, match="others must"):
        falling(iso.MeshContact("touch", "body", "ground", CUBE, corners)).compile()


def test_bodies_in_the_plane_are_refused():
    mech = iso.Mechanism()
    mech.add_body("flat", 1.0, 1.0, (0, 2), kind="planar")
    mech.add_contact(iso.MeshContact("touch", "flat", "ground", CUBE, SLAB))
    with pytest.raises(InputError, match="'flat' must be a body in space"):
        mech.compile()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_faces_of_hulls(scale):
    """Coplanar triangles are one face, in any size; points inside are none."""
    R = turned(np.random.default_rng(1))
    hull = Hull.of("box", scale * np.concatenate([CUBE, 0.3 * CUBE]) @ R.T + scale)
    assert len(hull.corners) == 8
    assert [len(loop) for loop in hull.loops] == [4] * 6
    assert len(hull.sides[0]) == 12
    for n, loop, d in zip(hull.normals, hull.loops, hull.offsets, strict=True):
        a, b, c = hull.corners[loop[:3]]
        assert np.allclose(np.cross(b - a, c - b) / scale**2, n, atol=1e-12)
        assert np.allclose(hull.corners[loop] @ n, d, atol=1e-12 * scale)


def test_gaps_of_hulls_are_their_distance_where_they_are_near():
    """Random stones that touch: the smallest gap is what parts them best, in both orders, and gaps
    change as their rates say."""
    rng = np.random.default_rng(5)
    kinds = set()
    for _ in range(30):
        hulls = [Hull.of("stone", rng.normal(size=(9, 3))) for _ in range(2)]
        way, turns = rng.normal(size=3), [turned(rng) for _ in range(2)]
        low, high = 0.0, 10.0
        for _ in range(60):  # move the second one to where they touch
            x = 0.5 * (low + high)
            both = [PlacedHull(hulls[0], pose((0, 0, 0), turns[0])), PlacedHull(hulls[1], pose(x * way, turns[1]))]
            low, high = (x, high) if parted(*both).gap < 0.0 else (low, x)
        best = parted(*both)
        where = manifold(*both, best)
        kinds.add(tuple(len(part) > 0 for part in best.where))
        at, back = touches(*both, where), parted(both[1], both[0])
        assert abs(at.gap.min()) < 1e-12
        assert abs(back.gap - best.gap) < 1e-12
        assert np.abs(back.normal + best.normal).max() < 1e-6
        assert np.allclose(at.first - at.second, at.gap[:, None] * at.normal, atol=1e-9)
        spin, shift, h = rng.normal(size=3), rng.normal(size=3), 1e-5
        ends = []
        for s in (h, -h):
            moved = pose(x * way, turns[1]).moved(s * np.concatenate([shift, spin]))
            ends.append(touches(both[0], PlacedHull(hulls[1], moved), where).gap)
        rate = -(at.normal * (shift + np.cross(turns[1] @ spin, at.second - x * way))).sum(axis=1)
        assert np.abs((ends[0] - ends[1]) / (2.0 * h) - rate).max() < 1e-6 * (1.0 + np.abs(rate).max())
    assert len(kinds) == 3  # corners on faces of both, and edges


# ---- balls


def test_a_mesh_of_a_box_is_a_box():
    """Over its edge, with friction and restitution: the same run as with the compiled box, also from
    a file."""
    touch = {"mu": 0.2, "restitution": 0.3}
    mesh = falling(iso.SphereMesh("touch", "body", "ground", 0.5, SLAB, **touch))
    box = falling(iso.SphereBox("touch", "body", "ground", 0.5, (4, 4, 1), box_centre=(0, 0, -0.5), **touch))
    again = model_from_text(to_toml(mesh, dt=0.01, t_end=0.6)).mechanism()
    one, two, three = (iso.integrate(x, dt=0.01, t_end=0.6) for x in (mesh, box, again))
    assert len(one.contact("touch").impacts) > 1
    assert one.t.size == two.t.size
    assert np.abs(one.q - two.q).max() < 1e-9
    assert np.abs(one.v - two.v).max() < 1e-8
    assert one.contact("touch").gap.min() > -1e-12
    assert np.array_equal(one.q, three.q)


def test_a_ball_pushes_a_mesh_away():
    """Both move; momentum and, with e = 1, energy are kept."""
    points = np.random.default_rng(3).normal(size=(30, 3)) * 0.4
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("ball", 1.0, (0.1, 0.1, 0.1), (-2, 0.1, 0.2), velocity=(3, 0, 0))
    mech.add_body("stone", 2.0, (0.2, 0.3, 0.4), (0, 0, 0), angular_velocity=(0.1, 0.4, -0.3))
    mech.add_contact(iso.SphereMesh("touch", "ball", "stone", 0.3, points, restitution=1.0))
    sol = iso.integrate(mech, dt=0.02, t_end=1.0)
    assert len(sol.contact("touch").impacts) == 2
    momentum = sol.v[:, :3] + 2.0 * sol.v[:, 6:9]
    assert np.abs(momentum - momentum[0]).max() < 1e-12
    energy = np.sum(sol.energy(), axis=0)
    assert np.abs(energy - energy[0]).max() < 1e-4 * energy[0]
    assert abs(sol.contact("touch").lost) < 1e-10


# ---- mesh against mesh


@pytest.mark.parametrize("swapped", [False, True])
def test_a_box_falls_as_on_a_plane(swapped):
    """Turning, without friction, through thirteen impacts of its corners: the same run as with the
    compiled box above a plane, until all of the face hits at once and impulses are not unique."""
    given = {"position": (0, 0, 0.8), "velocity": (0.3, 0.1, 0), "angular_velocity": (0.5, 1.0, 0.3)}
    meshes = ("ground", "body", SLAB, CUBE) if swapped else ("body", "ground", CUBE, SLAB)
    mesh = falling(iso.MeshContact("touch", *meshes, restitution=0.2), **given)
    plane = falling(iso.BoxPlane("touch", "body", "ground", size=(1, 1, 1), restitution=0.2), **given)
    one, two = (iso.integrate(x, dt=0.02, t_end=0.35) for x in (mesh, plane))
    assert one.t.size == two.t.size
    assert one.aux["impact_t"].size == 13
    assert np.abs(one.t - two.t).max() < 1e-11
    assert np.abs(one.q - two.q).max() < 1e-10
    assert np.abs(one.v - two.v).max() < 1e-9


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_a_tetrahedron_comes_to_rest_on_a_face(scale):
    """On a corner first, then on a face, with friction and coarse steps; sizes do not matter."""
    start = {"position": (0, 0, 1.2 * scale), "velocity": (0.5 * scale, 0, 0), "angular_velocity": (1, 2, 0.5)}
    touch = iso.MeshContact("touch", "body", "ground", scale * TETRA, 4.0 * scale * SLAB, mu=0.4)
    mech = falling(touch, gravity=9.81 * scale, inertia=[x * scale**2 for x in (0.15, 0.2, 0.25)], **start)
    sol = iso.integrate(mech, dt=0.05, t_end=1.5)
    N = pushes(sol)[-1]
    assert np.count_nonzero(N / scale > 1e-3) == 3
    assert abs(N.sum() - 9.81 * scale) < 1e-9 * scale
    assert np.abs(sol.v[-1]).max() < 1e-9 * scale
    impacts = sol.aux["impact_t"]
    assert (impacts == impacts[0]).sum() == 1  # one corner
    heights = sol.body("body").position[-1, 2] + (turns(sol)[-1] @ (scale * TETRA).T)[2]
    assert np.abs(np.sort(heights)[:3]).max() < 1e-11 * scale


def test_a_box_slides_on_another_and_tips_over_its_edge():
    """As far as friction lets it; a faster one tips forward once its weight and friction, which act
    half a length above the ground, meet the ground beyond the edge, and not before."""
    mu, g, v = 0.25, 9.81, 1.5
    mech = falling(iso.MeshContact("touch", "body", "ground", CUBE, SLAB, mu=mu), (0, 0, 0.5), velocity=(v, 0, 0))
    sol = iso.integrate(mech, dt=0.05, t_end=0.8)
    assert abs(sol.body("body").position[-1, 0] - v**2 / (2.0 * mu * g)) < 1e-9
    assert abs(pushes(sol)[-1].sum() - g) < 1e-9
    mech = falling(iso.MeshContact("touch", "body", "ground", CUBE, SLAB, mu=mu), (1.7, 0.1, 0.5), velocity=(v, 0, 0))
    sol = iso.integrate(mech, dt=0.025, t_end=0.5)
    tilt, x = turns(sol)[:, 0, 2], sol.body("body").position[:, 0]
    assert np.abs(tilt[x < 2.0 - 0.5 * mu]).max() < 1e-10
    assert tilt[-1] > 0.02
    low = [sol.contact(name).gap.min() for name in sol.system.contacts.names]
    assert min(low) > -1e-9


def test_a_stack_of_meshes_carries_its_weight():
    """Three boxes of other sizes, one turned by an eighth so that only edges cross: each pair carries
    what is above it."""
    mech = iso.Mechanism()
    half = np.pi / 8.0
    mech.add_body("low", 3.0, (1, 1, 1), (0, 0, 0.5))
    mech.add_body("high", 2.0, (1, 1, 1), (0, 0, 1.5), orientation=(np.cos(half), 0, 0, np.sin(half)))
    mech.add_body("top", 1.0, (1, 1, 1), (0.1, 0.1, 2.25))
    mech.add_contact(iso.MeshContact("floor", "low", "ground", CUBE, SLAB, mu=0.3))
    mech.add_contact(iso.MeshContact("middle", "low", "high", CUBE, CUBE, mu=0.3))
    mech.add_contact(iso.MeshContact("up", "top", "high", 0.5 * CUBE, CUBE, mu=0.3))
    sol = iso.integrate(mech, dt=0.05, t_end=0.2)
    for name, mass in (("floor", 6.0), ("middle", 3.0), ("up", 1.0)):
        assert np.abs(pushes(sol, name).sum(axis=1) - 9.81 * mass).max() < 1e-9
    assert (pushes(sol, "middle")[-1] > 0.0).sum() == 8
    assert np.abs(sol.v).max() < 1e-12


def test_a_run_with_meshes_goes_on_from_a_file(tmp_path):
    """Bit for bit, from where meshes touch; also a model from a file."""
    start = {"position": (0, 0, 0.6), "velocity": (1, 0, 0), "angular_velocity": (0.5, 0.2, 0.1)}
    mech = falling(iso.MeshContact("touch", "body", "ground", CUBE, SLAB, mu=0.3, restitution=0.2), **start)
    whole = iso.integrate(mech, dt=0.02, t_end=0.24)
    again = model_from_text(to_toml(mech, dt=0.02, t_end=0.24)).mechanism()
    assert np.array_equal(iso.integrate(again, dt=0.02, t_end=0.24).q, whole.q)
    stepper = iso.Stepper(mech, dt=0.02)
    stepper.run_until(0.2)
    kept = stepper.save()
    stepper.run_until(0.24)
    stepper.restore(kept)
    stepper.run_until(0.24)
    assert np.array_equal(stepper.state.q, whole.q[-1])


def test_forces_of_meshes_are_drawn():
    """Arrows stand at the corners, and hold the weight."""
    from isodyn.results.contact_forces import forces_of_contacts

    mech = falling(iso.MeshContact("touch", "ground", "body", SLAB, CUBE, mu=0.3), (0.2, 0, 0.5))
    sol = iso.integrate(mech, dt=0.05, t_end=0.1)
    found = list(forces_of_contacts(sol))
    assert len(found) == 4
    assert np.allclose(sum(force[-1] for _, _, force in found), (0, 0, 9.81))
    assert np.allclose(sum(place[-1] for _, place, _ in found) / 4.0, (0.2, 0, 0))

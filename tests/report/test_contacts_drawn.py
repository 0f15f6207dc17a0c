"""What bodies touch is drawn with them: the ground, shapes that contacts tell, and arrows where they
push."""

import itertools

import numpy as np
import pytest

import isodyn as iso
from isodyn.report.scenes import frame_of, scene_of

CUBE = np.array([*itertools.product((-0.5, 0.5), repeat=3)])
SLAB = 1000.0 * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 0)])


def run(contact, position=(0, 0, 0.5), t_end=0.05, **given):
    flat = given.get("kind") == "planar"
    mech = iso.Mechanism(gravity=(0, -9.81, 0) if flat else (0, 0, -9.81))
    mech.add_body("body", 1.0, 0.1 if flat else (0.1, 0.1, 0.1), position, **given)
    mech.add_contact(contact)
    return iso.integrate(mech, dt=0.01, t_end=t_end)


def drawn(sol):
    """The scene with arrows, and its bodies by name."""
    scene = scene_of(sol, (), arrows=True)
    return scene, {body.name: body for body in scene.bodies}


def world(body):
    """Points of a drawing that never turns, in the world."""
    points = body.drawing.surface.points if not body.drawing.polygons else np.concatenate(body.drawing.polygons)
    return body.pose[0, : points.shape[1]] + points


ON_GROUND = [
    iso.PointPlane("touch", "body", "ground", points=(0, 0, 0)),
    iso.SpherePlane("touch", "body", "ground", radius=0.5),
    iso.CapsulePlane("touch", "body", "ground", 0.5, 1.0),
    iso.CylinderPlane("touch", "body", "ground", radius=0.5, length=1.0, axis=(1, 0, 0)),
    iso.DiscPlane("touch", "body", "ground", radius=0.5, axis=(0, 1, 0)),
    iso.BoxPlane("touch", "body", "ground", size=(1, 1, 1)),
    iso.PolygonPlane("touch", "body", "ground", corners=CUBE),
    iso.SphereBox("touch", "body", "ground", radius=0.5, size=(1, 1, 1), box_centre=(0, 0, -0.5)),
    iso.SphereMesh("touch", "body", "ground", 0.5, SLAB),
    iso.CapsuleMesh("touch", "body", "ground", 0.5, 1.0, SLAB),
    iso.MeshContact("touch", "body", "ground", CUBE, SLAB),
]


@pytest.mark.parametrize("contact", ON_GROUND, ids=lambda contact: type(contact).__name__)
def test_the_ground_lies_under_the_body(contact):
    """Its top is where bodies touch it, under their middle; it is no wider than the picture, and
    arrows hold the weight from there."""
    scene, bodies = drawn(run(contact))
    ground = world(bodies["ground"])
    assert abs(ground[:, 2].max()) < 1e-9
    assert (ground[:, :2].min(axis=0) < 0.0).all()
    assert (ground[:, :2].max(axis=0) > 0.0).all()
    assert scene.size < 12.0
    assert scene.low_with_arrows[2] > -5.0
    assert np.isfinite([scene.low_with_arrows, scene.high_with_arrows]).all()
    total = scene.newtons * sum(arrow.vectors[-1] for arrow in scene.arrows)
    assert np.allclose(total, (0, 0, 9.81), atol=1e-6)
    assert all(abs(arrow.points[-1, 2]) < 1e-6 for arrow in scene.arrows)


def test_places_where_nothing_pushes_yet_are_numbers():
    """A mesh that falls: arrows and their box are known in all frames; the impact is in the time
    line."""
    scene, bodies = drawn(run(iso.MeshContact("touch", "body", "ground", CUBE, SLAB, mu=0.3), (0, 0, 0.7), 0.4))
    assert len(scene.impacts) >= 1
    assert len(scene.arrows) == 4
    assert all(np.isfinite(arrow.points).all() for arrow in scene.arrows)
    assert scene.high_with_arrows[2] < 3.0
    assert np.ptp(bodies["ground"].pose, axis=0).max() == 0.0


def test_polygons_and_profiles_of_the_plane():
    """The outline of a polygon and that of the ground, a line or a profile."""
    corners = ((-0.5, -0.25), (0.5, -0.25), (0, 0.5))
    polygon = iso.PolygonPlane("touch", "body", "ground", corners=corners)
    scene, bodies = drawn(run(polygon, (0, 0.25), kind="planar"))
    assert scene.flat
    assert np.allclose(np.sort(bodies["body"].drawing.polygons[0], axis=0), np.sort(corners, axis=0))
    assert abs(world(bodies["ground"])[:, 1].max()) < 1e-9
    wheel = iso.WheelProfile("road", "body", "ground", radius=0.1, profile=(0, 0, 0.5))
    sol = run(wheel, (0.0, 0.1), 0.3, kind="planar", velocity=(1, 0))
    scene, bodies = drawn(sol)
    points = world(bodies["ground"])
    top = points[: len(points) // 2]
    assert np.ptp(top[:, 0]) > 0.2
    assert np.allclose(top[:, 1], 0.5 * top[:, 0] ** 2)
    poses, _, _ = frame_of(sol, scene)
    assert len(poses) == 2
    assert np.array_equal(poses[1], scene.bodies[1].pose)


def test_a_rod_reaches_to_its_bearing():
    """A body that only a journal holds is drawn as the rod that it is."""
    points = ((0, 0, 0), (0, 0, 0))
    journal = iso.Journal("bearing", "ground", "body", clearance=1e-2, points=points)
    _, bodies = drawn(run(journal, (0.5, 0), kind="planar"))
    ends = np.concatenate(bodies["body"].drawing.bars)
    assert np.abs(ends - (-0.5, 0)).sum(axis=1).min() < 1e-9

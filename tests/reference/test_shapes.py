"""Mass properties of shapes: textbook formulas, triangulated surfaces and sums of parts give the
same."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from isodyn.bodies import rotations, shapes
from isodyn.bodies.polyhedron import moments
from isodyn.errors import InputError
from isodyn.mechanism.mechanism import Mechanism

rng = np.random.default_rng(3)
ROUND: dict[str, shapes.Solid] = {
    "cylinder": shapes.Cylinder(0.3, 1.1, density=2.0),
    "sphere": shapes.Sphere(0.7, density=2.0),
    "ellipsoid": shapes.Ellipsoid(0.5, 0.8, 1.1, density=2.0),
    "tube": shapes.Tube(0.5, 0.3, 0.9, density=2.0),
    "cone": shapes.Cone(0.6, 1.3, density=2.0),
    "capsule": shapes.Capsule(0.4, 0.9, density=2.0),
}
TETRAHEDRON = (
    np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]),
    np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
)


@pytest.mark.parametrize("name", ROUND)
def test_formulas_and_triangles(name: str) -> None:
    """The polyhedron of n sides approaches the formula as 1/n²; its surface is closed and looks
    outwards."""
    shape = ROUND[name]
    errors = []
    for n in (32, 64, 128):
        mesh = shapes.Mesh(*shape.triangles(n), density=2.0)  # checks the surface
        gaps = mesh.mass / shape.mass - 1, np.abs(mesh.inertia - shape.inertia).max() / np.abs(shape.inertia).max()
        assert gaps[0] < 0
        np.testing.assert_allclose(mesh.centre, shape.centre, atol=0.02 / n)
        errors.append(np.abs(gaps))
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(slopes, 2.0, atol=0.05)
    assert errors[-1].max() < 3e-3


@pytest.mark.parametrize(
    ("shape", "moments_"),
    [
        (shapes.Box(1.0, 2.0, 3.0, mass=12.0), (13, 10, 5)),
        (shapes.Plate(2.0, 3.0, 0.01, mass=12.0), (9, 4, 13)),
        (shapes.Cylinder(2.0, 6.0, mass=12.0), (48, 48, 24)),
        (shapes.Disc(2.0, 0.1, mass=12.0), (12, 12, 24)),
        (shapes.Rod(length=6.0, radius=0.1, mass=12.0), (36, 36, 0.06)),
        (shapes.Sphere(2.0, mass=10.0), (16, 16, 16)),
        (shapes.Ellipsoid(1.0, 2.0, 3.0, mass=5.0), (13, 10, 5)),
        (shapes.Tube(2.0, 1.0, 6.0, mass=12.0), (51, 51, 30)),
        (shapes.Cone(2.0, 4.0, mass=20.0), (24, 24, 24)),
        (shapes.Capsule(1.0, 1e-12, mass=10.0), (4, 4, 4)),
    ],
    ids=lambda x: type(x).__name__,
)
def test_textbook_numbers(shape: Any, moments_: Any) -> None:
    """Principal moments worked out by hand."""
    np.testing.assert_allclose(shape.inertia, np.diag(moments_), rtol=1e-11, atol=1e-12)
    assert shape.density * shape.volume == pytest.approx(shape.mass)
    assert type(shape)(**{k: v for k, v in vars(shape).items() if k != "mass"}).mass == pytest.approx(shape.mass)


def test_box_as_mesh_is_exact() -> None:
    """Moved and turned anywhere: volume, centre and inertia of the polyhedron to rounding; a
    tetrahedron as by hand."""
    box = shapes.Placed(
        shapes.Box(0.4, 1.1, 2.3, density=700.0), (30.0, -20.0, 10.0), rotations.from_axis_angle([1, 2, 3], 0.8)
    )
    mesh = shapes.Mesh(*box.triangles(), density=700.0)
    assert mesh.mass == pytest.approx(box.mass, rel=1e-13)
    np.testing.assert_allclose(mesh.centre, box.centre, rtol=1e-13)
    np.testing.assert_allclose(mesh.inertia, box.inertia, atol=1e-11 * np.abs(box.inertia).max())
    volume, centre, inertia = moments(*TETRAHEDRON)
    assert volume == pytest.approx(1 / 6)
    np.testing.assert_allclose(centre, 0.25)
    # ∫xᵢxⱼ = (1 + δᵢⱼ)/120, less V c cᵀ
    second = (np.eye(3) + np.ones((3, 3))) / 120 - np.full((3, 3), 1 / 96)
    np.testing.assert_allclose(inertia, np.trace(second) * np.eye(3) - second, atol=1e-16)


def test_parts_add_up_by_parallel_axes() -> None:
    """A box cut in eight unequal blocks, the whole turned and nested: what the box has."""
    size, cut = np.array([1.0, 0.7, 0.4]), np.array([0.3, 0.25, 0.1])
    blocks = []
    for corner in np.ndindex(2, 2, 2):
        low = np.where(corner, cut, 0.0)
        high = np.where(corner, size, cut)
        blocks.append(shapes.Placed(shapes.Box(*(high - low), density=3.0), (low + high) / 2 - size / 2))
    e = rotations.from_axis_angle([0.3, -1.0, 0.2], 1.1)
    whole = shapes.Placed(shapes.Composite(blocks), (1, 2, 3), e)
    box = shapes.Placed(shapes.Box(*size, density=3.0), (1, 2, 3), e)
    for name in ("mass", "centre", "inertia"):
        np.testing.assert_allclose(getattr(whole, name), getattr(box, name), atol=1e-15)
    nested = shapes.Composite([whole, shapes.Placed(shapes.Sphere(0.2, mass=1.0), (0, 0, 5.0))])
    by_mesh = [shapes.Mesh(*box.triangles(), density=3.0), shapes.Placed(shapes.Sphere(0.2, mass=1.0), (0, 0, 5.0))]
    np.testing.assert_allclose(nested.inertia, shapes.Composite(by_mesh).inertia, rtol=1e-12)
    points, faces = nested.triangles(48)
    assert faces.max() == len(points) - 1
    assert moments(points, faces)[0] == pytest.approx(box.shape.volume + 4 / 3 * np.pi * 0.2**3, rel=5e-3)


def test_bodies_take_shapes() -> None:
    """Mass, inertia and mass centre arrive in the mechanism; the frame's origin stays where it was
    put."""
    mech = Mechanism()
    cone = shapes.Cone(0.6, 1.2, density=500.0)
    body = mech.add_body("cone", shape=cone, position=(1, 0, 0))
    assert body.mass == cone.mass
    np.testing.assert_allclose(body.position, [1, 0, 0.3])
    np.testing.assert_allclose(body.inertia, cone.inertia)
    dumbbell = shapes.Composite([shapes.Placed(shapes.Sphere(0.1, mass=2.0), (x, 0, 0)) for x in (-1, 1)])
    assert mech.add_body("dumbbell", shape=dumbbell).inertia[2, 2] == pytest.approx(4.016)


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_meshes_from_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scale: float) -> None:
    """A file goes through trimesh, with its unit; triangles that do not share vertices are
    joined."""
    vertices, faces = TETRAHEDRON
    loose = SimpleNamespace(vertices=vertices[faces].reshape(-1, 3), faces=np.arange(12).reshape(4, 3))
    reader = SimpleNamespace(load=lambda path, force: loose if (path.name, force) == ("part.stl", "mesh") else None)
    monkeypatch.setitem(sys.modules, "trimesh", reader)  # type: ignore[arg-type]
    file = tmp_path / "part.stl"
    with pytest.raises(InputError, match="there is no mesh file"):
        shapes.from_mesh(file, density=6.0)
    file.write_text("solid")
    mesh = shapes.from_mesh(str(file), density=6.0, scale=scale)
    assert mesh.mass == pytest.approx(scale**3)
    assert len(mesh.vertices) == 4


def test_missing_trimesh_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vertices and faces need no extra; files do."""
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(InputError, match=r"part.stl needs trimesh, which is not installed\n.*isodyn\[mesh\]"):
        shapes.from_mesh("part.stl", density=1.0)
    assert shapes.from_mesh(*TETRAHEDRON, mass=2.0).density == pytest.approx(12.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: shapes.Box(1, -2, 3, mass=1.0), "Box: y must be positive, received -2"),
        (lambda: shapes.Sphere(1.0), "Sphere needs either density= or mass=, received neither"),
        (lambda: shapes.Sphere(1.0, mass=1.0, density=2.0), "either density= or mass=, received {'density': 2.0"),
        (lambda: shapes.Box(1e200, 1.0, 1.0, mass=1.0), "Box: mass and inertia are beyond the range of numbers"),
        (lambda: shapes.Sphere(1.0, mass=-1.0), "mass must be positive, received -1.0"),
        (lambda: shapes.Sphere(float("nan"), mass=1.0), "radius must be positive, received nan"),
        (lambda: shapes.Tube(1.0, 1.0, 2.0, mass=1.0), "inner must be below radius"),
        (lambda: shapes.Composite([]), "at least one shape"),
        (lambda: shapes.Placed(3.0), "Placed takes a shape, received float"),
        (lambda: shapes.from_mesh(TETRAHEDRON[0], density=1.0), "needs faces with the vertices"),
        (lambda: shapes.from_mesh(*TETRAHEDRON, density=1.0, scale=0.0), "scale must be positive"),
        (lambda: shapes.Mesh(TETRAHEDRON[0], TETRAHEDRON[1][:3], density=1.0), "at least four faces"),
        (
            lambda: shapes.Mesh(TETRAHEDRON[0], TETRAHEDRON[1] + 1, density=1.0),
            "numbers of vertices from 0 to 3, received 1 to 4",
        ),
        (lambda: shapes.Mesh(TETRAHEDRON[0], TETRAHEDRON[1] * 1.5, density=1.0), "numbers of vertices"),
        (lambda: shapes.Mesh(TETRAHEDRON[0] * np.inf, TETRAHEDRON[1], density=1.0), "not finite"),
        (lambda: shapes.Mesh("a", "b", density=1.0), "received no such arrays"),
        (
            lambda: shapes.Mesh(TETRAHEDRON[0], TETRAHEDRON[1][:, ::-1], density=1.0),
            r"look inwards.*\n.*faces\[:, ::-1\]",
        ),
        (
            lambda: shapes.Mesh(TETRAHEDRON[0], [*TETRAHEDRON[1], (0, 0, 1)], density=1.0),
            "face 4 of the mesh has two corners",
        ),
        (lambda: open_box(), "not closed: 4 edges belong to one face only"),
        (lambda: flipped_face(), "disagree about their outer side at 3 edges"),
        (lambda: two_in_one(), "6 edges of the mesh belong to more than two faces"),
    ],
)
def test_words(call: Any, words: str) -> None:
    """What is wrong with a shape, in words."""
    with pytest.raises(InputError, match=words), np.errstate(invalid="ignore"):
        call()


def open_box() -> Any:
    vertices, faces = shapes.Box(1, 1, 1, mass=1.0).triangles()
    return shapes.Mesh(vertices, faces[2:], density=1.0)


def flipped_face() -> Any:
    vertices, faces = TETRAHEDRON
    return shapes.Mesh(vertices, [*faces[:3], faces[3][::-1]], density=1.0)


def two_in_one() -> Any:
    vertices, faces = TETRAHEDRON
    return shapes.Mesh(vertices, np.concatenate([faces, faces]), density=1.0)

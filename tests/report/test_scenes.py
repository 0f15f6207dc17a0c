"""Scenes hold what the solution says: poses, curves, joints and lines where the views of the
solution have them; bodies by their shape."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems, shapes
from isodyn.bodies.rotations import matrix
from isodyn.joints.part import Symbol
from isodyn.report import meshes
from isodyn.report.drawings import drawing, of_inertia
from isodyn.report.packing import for_script, packed, scene_data
from isodyn.report.paint import Moment, camera_of
from isodyn.report.scenes import scene_of


def run(name: str, t_end: float, **parameters: float) -> iso.Solution:
    """A ready problem for a short time."""
    problem = problems.get(name)
    return iso.integrate(problem.system(**parameters), problem.scheme, dt=problem.dt, t_end=t_end)


def test_joints_stay_at_the_points_of_both_bodies() -> None:
    """A mark fixed in the first body lies at the point of the second too, at any time between
    rows."""
    for name, t_end in (("slider_crank_3d", 0.5), ("four_bar", 0.5), ("flexible_slider_crank", 0.02)):
        sol = run(name, t_end)
        scene = scene_of(sol, frames=200)
        assert scene is not None
        number = {body.name: k for k, body in enumerate(scene.bodies)} | {"ground": -1}
        now = Moment(scene, 0.377 * t_end)
        checked = 0
        for mark in scene.marks:
            pair = sol.system.joints[mark.name].pair
            if mark.kind in (Symbol.HINGE, Symbol.BALL, Symbol.UNIVERSAL):
                other = now.place(number[pair.second.name], pair.s_j)
                assert np.abs(now.place(mark.body, mark.point) - other).max() < 2e-3 * scene.size, mark.name
                checked += 1
        assert checked >= 3


def test_poses_and_curves_are_those_of_the_views() -> None:
    """Bodies and beam of a flexible machine at a frame."""
    sol = run("beam_and_bodies", 0.4)
    scene = scene_of(sol, frames=50)
    assert scene is not None
    assert scene.flat
    row = int(np.flatnonzero(sol.t == scene.t[20])[0])
    arm = next(body for body in scene.bodies if body.name == "arm")
    assert np.allclose(arm.pose[20], [*sol.body("arm").position[row, :2], sol.body("arm").angle[row]], atol=1e-12)
    curve = scene.curves[0].points[20]
    assert np.allclose(curve[::5], sol.beam("beam").nodes[row], atol=1e-12)
    assert np.allclose(curve[1:5], sol.beam("beam").curve(6)[row, 0, 1:5], atol=1e-12)


def test_springs_and_rods_end_where_they_are_held() -> None:
    """Lines of a suspension: lengths by the scene against those of the solution."""
    sol = run("suspension", 0.05)
    scene = scene_of(sol)
    assert scene is not None
    now = Moment(scene, float(scene.t[-1]))
    kinds = sorted(line.kind for line in scene.lines)
    assert kinds == ["rod", "spring", "spring"]
    rod = next(line for line in scene.lines if line.kind == "rod")
    ends = [now.place(k, p) for k, p in zip((rod.first, rod.second), rod.points, strict=True)]
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(sol.joint("tie rod").length[-1], rel=1e-9)


def test_other_coordinates_give_the_same_scene() -> None:
    """A mechanism in Euler angles is drawn as in its default coordinates."""
    mech = iso.Mechanism()
    mech.add_body("rod", 1.0, (0.01, 0.09, 0.09), (0.3, 0.1, 0.2), velocity=(1, 0, 0), angular_velocity=(0.3, 1.0, 0.2))
    scheme = iso.Scheme.optimal(0.8)
    scenes = []
    for coordinates in ("rotation", "bryant-123"):
        sol = iso.integrate(mech.compile(coordinates), scheme, dt=0.005, t_end=0.2)  # type: ignore[call-overload]
        scenes.append(scene_of(sol))
    poses = [scene.bodies[0].pose[-1] for scene in scenes if scene is not None]
    assert np.abs(poses[0][:3] - poses[1][:3]).max() < 1e-9
    assert np.abs(matrix(poses[0][3:]) - matrix(poses[1][3:])).max() < 1e-4


def test_joint_coordinates_give_the_scene_of_their_mechanism(tmp_path: Path) -> None:
    """Bodies, joints and arrows of reactions; with some columns alone there is nothing to draw, and
    the page is made without."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("arm", 2.0, (0.01, 0.17, 0.17), (0.5, 0, 0))
    mech.add_body("tip", 1.0, (0.005, 0.04, 0.04), (1.25, 0, 0))
    mech.add_joint(iso.Hinge("shoulder", "ground", "arm", axis=(0, 1, 0)))
    mech.add_joint(iso.Hinge("elbow", "arm", "tip", point=(1, 0, 0), axis=(0, 0, 1)))
    system = iso.joint_coordinates(mech)
    sol = iso.integrate(system, dt=0.01, t_end=0.2)
    shown, lifted = scene_of(sol, arrows=True), scene_of(system.lift(sol), arrows=True)
    assert shown is not None
    assert lifted is not None
    assert [body.name for body in shown.bodies] == ["arm", "tip"]
    assert len(shown.arrows) == len(lifted.arrows) > 0
    for own, other in zip(shown.bodies, lifted.bodies, strict=True):
        assert np.array_equal(own.pose, other.pose)
    few = iso.integrate(system, dt=0.01, t_end=0.2, select={"q": [0, 1], "v": [0]})
    assert scene_of(few) is None
    assert iso.report.write_report(few, tmp_path / "few.html").exists()
    page = iso.report.write_report(sol, tmp_path / "whole.html").read_text(encoding="utf-8")
    assert "Position of mass centres" in page


@pytest.mark.parametrize("select", [{"v": [0]}, {"a": [1]}, {"q": [1], "v": [], "lam": []}])
def test_pages_of_some_columns_name_each_by_itself(select: Any, tmp_path: Path) -> None:
    """Other columns of v than of a ended in an error of Python."""
    problem = problems.get("pendulum")
    sol = iso.integrate(problem.system(), dt=0.01, t_end=0.1, select=select)
    assert iso.report.write_report(sol, tmp_path / "page.html").exists()


def test_systems_without_a_look_have_no_scene() -> None:
    """Nothing is made up."""
    assert scene_of(run("oscillator", 1.0)) is None
    sol = run("pleiades", 0.1)
    assert scene_of(sol) is None
    shown = scene_of(sol, problems.get("pleiades").plane)
    assert shown is not None
    assert shown.points is not None
    assert shown.points.shape[1:] == (7, 2)


def test_long_runs_and_many_bodies_are_thinned() -> None:
    """First and last row stay, frames stay within the budget."""
    sol = run("planar_chain", 1.0)
    scene = scene_of(sol, frames=64)
    assert scene is not None
    assert scene.t.size == 64
    assert (scene.t[0], scene.t[-1]) == (sol.t[0], sol.t[-1])


# ---- bodies


SHAPES = [
    shapes.Box(1, 2, 3, density=1.0),
    shapes.Cylinder(0.5, 2, density=1.0),
    shapes.Sphere(0.7, density=1.0),
    shapes.Cone(1.0, 2.0, density=1.0),
    shapes.Composite([shapes.Box(1, 1, 1, density=1.0), shapes.Placed(shapes.Sphere(0.5, density=1.0), (2, 0, 0))]),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_shapes_are_drawn_about_the_mass_centre(shape: Any) -> None:
    """The enclosed volume and its centroid, by the divergence theorem on the triangles: centroid at
    zero; normals point outwards."""
    mech = iso.Mechanism()
    body = mech.add_body("b", shape=shape)
    surface = drawing(body, [], 1.0, False, None).surface
    corners = surface.points.reshape(-1, 3, 3)
    volumes = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    centroid = (volumes[:, None] * corners.sum(axis=1) / 4).sum(axis=0) / volumes.sum()
    assert volumes.sum() > 0
    assert np.abs(centroid).max() < 0.05  # round shapes are inscribed polyhedra
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ikj->ik", face, surface.normals.reshape(-1, 3, 3)) > 0).all()
    assert np.allclose(np.linalg.norm(surface.normals, axis=1), 1.0)


@pytest.mark.parametrize("moments", [(0.4, 0.4, 0.4), (0.5, 0.5, 0.9), (0.02, 0.5, 0.5), (0.3, 0.4, 0.5)])
def test_solids_from_inertia_have_that_inertia(moments: tuple[float, float, float]) -> None:
    """Up to the scale that a scene allows: ratios of the moments are those of the body."""
    body = iso.Mechanism().add_body("b", 1.0, moments)
    solid = of_inertia(body, 100.0)
    found = np.linalg.eigvalsh(solid.inertia)
    assert np.allclose(found / found[-1], np.sort(moments) / max(moments), rtol=0.06, atol=0.01)


def test_outline_of_a_planar_body() -> None:
    """A box seen along z, about its mass centre."""
    body = iso.Mechanism().add_body("b", shape=shapes.Box(2.0, 1.0, 0.1, density=1.0), kind="planar")
    (outline,) = drawing(body, [], 1.0, True, None).polygons
    assert sorted(map(tuple, outline.tolist())) == [(-1.0, -0.5), (-1.0, 0.5), (1.0, -0.5), (1.0, 0.5)]
    assert len(meshes.hull(np.random.default_rng(1).normal(size=(200, 2)))) < 40


# ---- packing


def test_arrays_survive_packing() -> None:
    """Base64 of little-endian 32-bit floats, and JSON that cannot end the script that holds it."""
    x = np.random.default_rng(0).normal(size=(4, 3))
    data = packed(x)
    back = np.frombuffer(base64.b64decode(data["f32"]), dtype="<f4").reshape(data["shape"])
    assert np.allclose(back, x, rtol=1e-6)
    text = for_script({"name": "</script><b>", "bad": float("nan")})
    assert "</" not in text
    assert '"bad":null' in text
    scene = scene_of(run("four_bar", 0.1))
    assert scene is not None
    assert scene_data(scene)["bodies"][0]["pose"]["shape"][1] == 3


def test_camera_sees_the_scene() -> None:
    """All corners of the box are in front of the camera, upright."""
    scene = scene_of(run("slider_crank_3d", 0.1))
    assert scene is not None
    camera = camera_of(scene)
    box = np.array(np.meshgrid(*zip(scene.low, scene.high, strict=True))).reshape(3, 8).T
    _, depth = camera.screen(box)
    assert depth.min() > 0.2 * scene.size
    assert camera.above @ scene.up > 0.5


def test_assets_are_part_of_the_package() -> None:
    """What the pages are made of lies beside the modules, and cites what the documentation
    cites."""
    import json

    from isodyn.report.reasons import works

    docs = Path(__file__).resolve().parents[2] / "docs" / "references.json"
    known = json.loads(docs.read_text(encoding="utf-8"))
    assert {key: known[key] for key in works()} == works()
    cited = {problem.citation for problem in problems.ALL.values()} - {None}
    assert cited <= set(works())

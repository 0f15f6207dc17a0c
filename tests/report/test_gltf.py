"""glTF files hold the motion of the solution, and are what the format asks for."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.errors import InputError
from isodyn.report import write_animation, write_gltf


class File:
    """A .glb file, read by the words of the format."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        magic, version, size = struct.unpack_from("<4sII", data)
        assert (magic, version, size) == (b"glTF", 2, len(data))
        length, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        assert length % 4 == 0
        self.document = json.loads(data[20 : 20 + length])
        rest, kind = struct.unpack_from("<I4s", data, 20 + length)
        assert kind == b"BIN\0"
        self.data = data[28 + length :]
        assert len(self.data) == rest == self.document["buffers"][0]["byteLength"]
        self.nodes = {node["name"]: k for k, node in enumerate(self.document["nodes"])}

    def values(self, k: int) -> Any:
        found = self.document["accessors"][k]
        view = self.document["bufferViews"][found["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        wide = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[found["type"]]
        assert view["byteLength"] == 4 * wide * found["count"]
        part = self.data[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        return np.frombuffer(part, "<f4").reshape(-1, wide)

    def animated(self, name: str, path: str) -> tuple[Any, Any]:
        """Times and values of a node."""
        (animation,) = self.document["animations"]
        target = {"node": self.nodes[name], "path": path}
        (channel,) = [x for x in animation["channels"] if x["target"] == target]
        sampler = animation["samplers"][channel["sampler"]]
        return self.values(sampler["input"])[:, 0], self.values(sampler["output"])


def four_bar() -> iso.Solution:
    problem = problems.get("four_bar")
    return iso.integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=0.5)


def test_nodes_move_as_the_bodies_do(tmp_path: Path) -> None:
    problem = problems.get("slider_crank_3d")
    sol = iso.integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=0.5)
    file = File(write_gltf(sol, tmp_path / "crank.glb", frames=100))
    t, places = file.animated("rod", "translation")
    rows = np.abs(sol.t[None] - t[:, None]).argmin(axis=1)
    np.testing.assert_allclose(places, sol.body("rod").position[rows], atol=1e-6)
    _, turns = file.animated("rod", "rotation")
    wxyz = sol.body("rod").orientation[rows]
    np.testing.assert_allclose(np.abs(np.einsum("ki,ki->k", turns[:, [3, 0, 1, 2]], wxyz)), 1.0, atol=1e-6)
    assert (np.einsum("ki,ki->k", turns[1:], turns[:-1]) > 0).all()  # no turns the long way round
    for found in file.document["accessors"]:
        if "min" in found:
            values = file.values(file.document["accessors"].index(found))
            np.testing.assert_array_equal(values.min(axis=0), np.array(found["min"], dtype="f4"))


def test_up_is_y(tmp_path: Path) -> None:
    """The world node turns z, against gravity, into y."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("ball", 1.0, kind="particle", position=(0, 0, 5.0))
    file = File(write_gltf(iso.integrate(mech, dt=0.01, t_end=0.1), tmp_path / "ball.glb"))
    x, y, z, w = file.document["nodes"][file.nodes["world"]]["rotation"]
    up = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
    np.testing.assert_allclose(up, [0, 1, 0], atol=1e-12)


def test_springs_reach_from_end_to_end(tmp_path: Path) -> None:
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("ball", 1.0, kind="particle", position=(0.3, 0, -1.0))
    mech.add_load(iso.Spring("spring", "ground", "ball", stiffness=40.0))
    sol = iso.integrate(mech, dt=0.01, t_end=1.0)
    file = File(write_gltf(sol, tmp_path / "ball.glb"))
    _, scale = file.animated("spring 1", "scale")
    np.testing.assert_allclose(scale[:, 2], sol.load("spring").length, rtol=1e-6)
    _, turns = file.animated("spring 1", "rotation")
    x, y, z, w = turns.T
    end = scale[:, 2:] * np.column_stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    np.testing.assert_allclose(end, sol.body("ball").position, atol=1e-6)


@pytest.mark.parametrize("name", ["four_bar", "beam_and_bodies", "pleiades"])
def test_planar_scenes_beams_and_points_have_meshes(tmp_path: Path, name: str) -> None:
    problem = problems.get(name)
    sol = iso.integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=20 * problem.dt)
    path = write_animation(sol, tmp_path / "x.glb", problem=problem)
    file = File(path)
    assert len(file.document["meshes"]) >= 3
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.load(path)
    assert len(scene.geometry) >= 3
    assert np.isfinite(scene.bounds).all()


def test_what_is_no_glb_is_refused(tmp_path: Path) -> None:
    sol = four_bar()
    with pytest.raises(InputError, match=r"its ending must be .glb"):
        write_gltf(sol, tmp_path / "x.gltf")
    problem = problems.get("oscillator")
    plain = iso.integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=1.0)
    with pytest.raises(InputError, match=r"nothing is known about how"):
        write_gltf(plain, tmp_path / "x.glb")


def test_far_scenes_are_moved_to_the_origin(tmp_path: Path) -> None:
    mech = iso.Mechanism()
    mech.add_body("ball", 1.0, kind="particle", position=(1e7, 0, 0), velocity=(0.1, 0, 0))
    file = File(write_gltf(iso.integrate(mech, dt=0.01, t_end=0.1), tmp_path / "ball.glb"))
    _, places = file.animated("ball", "translation")
    assert np.ptp(places[:, 0]) == pytest.approx(0.01, rel=1e-3)
    assert file.document["asset"]["extras"]["origin"][0] == pytest.approx(1e7)

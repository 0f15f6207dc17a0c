"""Flexible bodies in model files and saved runs: what is written is read again, files lie beside the model,
and errors point to their lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io

import isodyn as iso
from flexible_solids import ENDS, L, bar, swinging
from isodyn.errors import InputError
from isodyn.models import load_model, model_from_text, to_toml

pytest.importorskip("skfem")
TEXT = """
[flexible_bodies.bar]
mesh = "parts/bar.vtu"
E = 4e8
nu = 0.0
rho = "1e3*1"
interface = { left = { x = [-1.0, 1e-9] }, right = { x = ["1 - 1e-9", 2.0], z = [-1, 1] } }
modes = 2
orientation = { axis = [0, 0, 1], angle = "30 deg" }
angular_velocity = [0, 0, 3.0]

[joints.ball]
type = "spherical"
between = ["ground", "bar.left"]
point = [0, 0, 0]

[run]
dt = 1e-3
t_end = 5e-3
"""


def folder_with_mesh(folder: Path) -> Path:
    meshio = pytest.importorskip("meshio")
    solid = bar(2).solid
    kind, cells = solid.cells
    (folder / "parts").mkdir()
    meshio.write(folder / "parts" / "bar.vtu", meshio.Mesh(solid.mesh.p.T, {kind: cells}))
    (folder / "arm.toml").write_text(TEXT, encoding="utf-8")
    return folder / "arm.toml"


def matrices() -> iso.Mechanism:
    body, mech = bar(2), iso.Mechanism()
    elements = iso.FiniteElements(body.points, body.stiffness, body.mass)
    mech.add_flexible_body(
        "a bar", elements, interface=ENDS, modes=1, position=(1, 2, 3), velocity=(1, 0, 0),
        orientation=(0.8, 0, 0.6, 0), angular_velocity=(1, 2, 3), damping=(0.1, 1e-5),
    )  # fmt: skip
    return mech


@pytest.mark.parametrize("build", [lambda: swinging(modes=2, damping=0.02, stiffening=True), matrices])
def test_what_is_written_is_read_again(build: object, tmp_path: Path) -> None:
    mech = build()  # type: ignore[operator]
    (tmp_path / "model.toml").write_text(to_toml(mech, dt=1e-3, t_end=3e-3, folder=tmp_path), encoding="utf-8")
    again = load_model(tmp_path / "model.toml").mechanism()
    one, other = (iso.integrate(m, dt=1e-3, t_end=3e-3) for m in (mech, again))
    for name in ("q", "v", "a", "lam"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("build", [lambda: swinging(modes=2), matrices])
def test_saved_runs_tell_displacements_stresses_and_reactions(build: object, tmp_path: Path) -> None:
    sol = iso.integrate(build(), dt=1e-3, t_end=4e-3)  # type: ignore[operator]
    again = iso.load(sol.save(tmp_path / "run.nc"))
    name = next(iter(sol.system.layout.flexible)).name
    one, other = sol.flexible_body(name), again.flexible_body(name)
    np.testing.assert_allclose(one.displacement(-1), other.displacement(-1), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(one.kinetic_energy, other.kinetic_energy, rtol=1e-12)
    if name == "bar":
        np.testing.assert_allclose(one.von_mises(-1), other.von_mises(-1), rtol=1e-8)
        np.testing.assert_allclose(sol.reaction("ball").force, again.reaction("ball").force, rtol=1e-9)
        assert iso.report.write_report(again, tmp_path / "run.html").exists()


def test_a_file_names_a_mesh_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path is that of the model file, from wherever it is read; results keep the mesh."""
    model = load_model(folder_with_mesh(tmp_path))
    monkeypatch.chdir(tmp_path / "parts")
    part = model.mechanism().flexible_bodies["bar"]
    assert part.reduced.mass == pytest.approx(1e3 * 0.06 * 0.04)
    assert part.interfaces[1].position == pytest.approx([L * np.cos(np.pi / 6), L * np.sin(np.pi / 6), 0])
    sol = iso.integrate(model.system(), **{k: v for k, v in model.options().items() if k in ("dt", "t_end")})
    sol.model = model.described({})
    path = sol.save(tmp_path / "run.nc")
    (tmp_path / "parts" / "bar.vtu").unlink()
    again = iso.load(path).flexible_body("bar")
    np.testing.assert_allclose(again.von_mises(-1), sol.flexible_body("bar").von_mises(-1), rtol=1e-8)


def test_matrix_market_files(tmp_path: Path) -> None:
    body = bar(2)
    np.save(tmp_path / "points.npy", body.points)
    scipy.io.mmwrite(tmp_path / "K.mtx", body.stiffness)
    scipy.io.mmwrite(tmp_path / "M.mtx", body.mass)
    text = TEXT.replace(
        'mesh = "parts/bar.vtu"\nE = 4e8\nnu = 0.0\nrho = "1e3*1"',
        'points = "points.npy"\nstiffness = "K.mtx"\nmass = "M.mtx"',
    )
    found = model_from_text(text, str(tmp_path / "model.toml")).mechanism().flexible_bodies["bar"].reduced
    mech = iso.Mechanism()
    expected = mech.add_flexible_body("bar", body, interface=ENDS, modes=2).reduced
    np.testing.assert_allclose(found.stiffness, expected.stiffness, rtol=1e-8, atol=1e-3)
    np.testing.assert_allclose(found.frequencies, expected.frequencies, rtol=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('mesh = "parts/bar.vtu"', 'mesh = "parts/rod.vtu"', "there is no file"),
        ("nu = 0.0\n", "", "nu is missing"),
        (
            "nu = 0.0\n",
            'nu = 0.0\nmass = "M.mtx"\n',
            "mesh with E, nu and rho, or points, stiffness and mass, not both",
        ),
        ("{ x = [-1.0, 1e-9] }", "{ x = [-1.0] }", "an array of two numbers"),
        ("{ x = [-1.0, 1e-9] }", "{ x = [-2.0, -1.0] }", "interface 'left' has no points"),
        ("{ x = [-1.0, 1e-9] }", "3", "points are needed, received 3"),
        ("{ x = [-1.0, 1e-9] }", '"root"', "the mesh has no boundary 'root'"),
        ("modes = 2", "modes = 20000", "modes must be a whole number from 0 to"),
        ('"bar.left"', '"bar.lefd"', "there is no body named 'bar.lefd'"),
    ],
)
def test_errors_point_to_their_lines(old: str, new: str, said: str, tmp_path: Path) -> None:
    path = folder_with_mesh(tmp_path)
    with pytest.raises(InputError, match=said) as found:
        model_from_text(TEXT.replace(old, new), str(path)).mechanism()
    assert ", line " in str(found.value)


def test_writing_needs_a_folder() -> None:
    with pytest.raises(InputError, match=r"'bar' needs files beside the model file\nhint: folder="):
        to_toml(swinging(modes=1), dt=1e-3, t_end=1.0)


def test_modes_do_not_depend_on_how_they_were_found() -> None:
    """A square bar has pairs of equal modes; turned unknowns and other algorithms find the same ones."""
    skfem = pytest.importorskip("skfem")
    side = np.linspace(-0.03, 0.03, 2)
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, L, 5), side, side)
    body = iso.FiniteElements.from_mesh(mesh, E=4e8, nu=0.0, rho=1e3)
    found = []
    for scale in (1.0, 1.0 + 1e-13):  # rounding differs
        other = iso.FiniteElements(body.points, scale * body.stiffness, body.mass)
        for dense in (0, 10_000):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("isodyn.flexible.craig_bampton.DENSE", dense)
                found.append(iso.Mechanism().add_flexible_body("bar", other, interface=ENDS, modes=3).reduced.basis)
    for basis in found[1:]:
        np.testing.assert_allclose(basis, found[0], atol=1e-7)

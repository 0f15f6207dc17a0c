"""Datasets, NetCDF and CSV: names, units, and the way back."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.errors import DamageError, InputError
from isodyn.models.build import load_model

xr = pytest.importorskip("xarray")
pytest.importorskip("h5netcdf")
MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"


@pytest.fixture(scope="module")
def spatial() -> iso.Solution:
    model = load_model(MODELS / "spatial.toml")
    sol = iso.integrate(model.system(), **{**model.options(), "t_end": 0.1})
    sol.model = model.described({})
    return sol


def test_names_and_units_of_a_mechanism(spatial: iso.Solution) -> None:
    """Coordinates by name, a unit for each, parts with their own."""
    data = spatial.to_xarray()
    assert data.q.sel(coordinate="slider.x").values == pytest.approx(spatial.body("slider").position[:, 0])
    assert data.time.attrs["units"] == "s"
    of = dict(zip(data.coordinate.values, data.q_units.values, strict=True))
    assert (of["crank.x"], of["crank.e0"]) == ("m", "1")
    of = dict(zip(data.velocity.values, data.v_units.values, strict=True))
    assert (of["crank.vx"], of["crank.ωx"]) == ("m/s", "rad/s")
    of = dict(zip(data.velocity.values, data.a_units.values, strict=True))
    assert (of["crank.vx"], of["crank.ωx"]) == ("m/s2", "rad/s2")
    of = dict(zip(data.row.values, data.lam_units.values, strict=True))
    assert (of["shaft: point x"], of["shaft: axis 1 ⟂ axis 3"], of["drive: drive"]) == ("N", "N m", "N m")
    assert data["shaft.angle"].attrs["units"] == "rad"
    assert data["guide.displacement"].attrs["units"] == "m"
    assert data["ball.force"].attrs["units"] == "N"
    assert data["shaft.torque"].sel(xyz="x").values == pytest.approx(spatial.reaction("shaft").torque[:, 0])
    assert data["kinetic_energy"].attrs["units"] == "J"


def test_units_of_planar_bodies_beams_and_others() -> None:
    model = load_model(MODELS / "flexible.toml")
    data = iso.integrate(model.system(), **{**model.options(), "t_end": 0.01}).to_xarray()
    of = dict(zip(data.coordinate.values, data.q_units.values, strict=True))
    assert (of["hub.θ"], of["arm[0].x"], of["arm[0].dx"]) == ("rad", "m", "1")
    of = dict(zip(data.velocity.values, data.v_units.values, strict=True))
    assert (of["hub.θ'"], of["arm[0].vx"], of["arm[0].dx'"]) == ("rad/s", "m/s", "1/s")
    problem = problems.get("kepler")
    data = iso.integrate(problem.system(), dt=problem.dt, t_end=5 * problem.dt).to_xarray()
    assert set(data.q_units.values) == {""}
    assert "units" not in data.time.attrs


def test_netcdf_opens_with_plain_xarray_and_comes_back(spatial: iso.Solution, tmp_path: Path) -> None:
    """Nothing of isodyn is needed to read it; with isodyn the whole solution is there again, with
    its system."""
    path = spatial.save(tmp_path / "run.nc")
    with xr.open_dataset(path) as data:
        assert data.time.dtype == np.float64
        assert np.array_equal(data.q.values, spatial.q)
        assert data["ball.force"].attrs["units"] == "N"
        assert list(data.xyz.values) == ["x", "y", "z"]
        assert data.attrs["scheme"] == str(spatial.scheme)
    again = iso.load(path)
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(again, name), getattr(spatial, name))
    assert again.scheme == spatial.scheme
    assert vars(again.stats) == vars(spatial.stats)
    assert np.array_equal(again.aux["mu"], spatial.aux["mu"])
    assert again.reaction("ball").force == pytest.approx(spatial.reaction("ball").force)
    assert again.at(0.0333).q == pytest.approx(spatial.at(0.0333).q)


def test_files_can_be_read_by_hdf5_alone(spatial: iso.Solution, tmp_path: Path) -> None:
    """Dimension scales and units as ncdump shows them."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(spatial.save(tmp_path / "run.nc")) as file:
        assert file["shaft.force"].attrs["units"] in ("N", b"N")
        assert file["time"].attrs["CLASS"] == b"DIMENSION_SCALE"
        assert file["shaft.force"].dims[0][0] == file["time"]


def test_systems_from_python_come_back_without_their_physics(tmp_path: Path) -> None:
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    sol = iso.integrate(system, dt=0.1, t_end=1.0)
    path = sol.save(tmp_path / "run.nc")
    again = iso.load(path)
    assert np.array_equal(again.q, sol.q)
    assert again.at(0.55).q == pytest.approx(sol.at(0.55).q)
    with pytest.raises(InputError, match="no energy"):
        again.energy()
    assert iso.load(path, system).system is system
    with pytest.raises(InputError, match="another system"):
        iso.load(path, iso.MechanicalSystem(M=2.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0]))
    with pytest.raises(InputError, match="there is no file"):
        iso.load(tmp_path / "nothing.nc")
    (tmp_path / "text.nc").write_text("text")
    with pytest.raises(DamageError, match="ends without a checksum"):
        iso.load(tmp_path / "text.nc")
    with pytest.raises(DamageError, match="cannot be read as NetCDF"):
        iso.load(tmp_path / "text.nc", unchecked=True)
    xr.Dataset({"x": 1}).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    with pytest.raises(InputError, match="not written by isodyn"):
        iso.load(tmp_path / "other.nc", unchecked=True)


@pytest.mark.parametrize("select", [None, {"q": [1, 0], "v": [], "a": [0], "lam": [2]}])
def test_csv_has_all_numbers_with_names_and_units(spatial: iso.Solution, select: Any, tmp_path: Path) -> None:
    """Every digit; selected columns keep their names."""
    sol = spatial
    if select is not None:
        sol = iso.integrate(spatial.system, dt=0.001, t_end=0.01, select=select)
    with sol.save(tmp_path / "run.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    values = np.array(rows, dtype=np.float64)
    assert np.array_equal(values[:, 0], sol.t)
    assert header[0] == "t [s]"
    name = header.index("q(crank.x) [m]")
    assert np.array_equal(values[:, name], sol.q[:, list(sol.columns["q"]).index(0)])
    if select is None:
        assert np.array_equal(values[:, header.index("guide.displacement [m]")], sol.joint("guide").displacement)
        assert np.array_equal(values[:, header.index("ball.force_z [N]")], sol.reaction("ball").force[:, 2])
    else:
        assert header[1:] == ["q(crank.y) [m]", "q(crank.x) [m]", "a(crank.vx) [m/s2]", "lam(shaft: point z) [N]"]


def test_other_systems_too(tmp_path: Path) -> None:
    """First-order systems, redundant rows, breakpoints."""
    for name in ("vdpol_dae", "bennett", "thermoelastic_bar"):
        problem = problems.ALL.get(name)
        if problem is None:
            continue
        sol = iso.integrate(
            problem.system(),
            dt=problem.dt,
            t_end=10 * problem.dt,
            scheme=problem.scheme,
            breakpoints=[2.5 * problem.dt],
        )
        again = iso.load(sol.save(tmp_path / f"{name}.nc"), problem.system())
        assert np.array_equal(again.lam, sol.lam)
        assert again.redundant == sol.redundant
        assert set(again.aux) == set(sol.aux)
        sol.save(tmp_path / f"{name}.csv")

"""Names with / and any Unicode survive every format: NetCDF, CSV, JSON, xarray, TOML, checkpoints,
the report, the terminal."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isodyn as iso
from isodyn.cli import main
from isodyn.errors import InputError
from isodyn.models import to_toml
from isodyn.models.build import model_from_text
from isodyn.report.html import write_report
from isodyn.results.netcdf import stored_name, stored_text

xr = pytest.importorskip("xarray")
pytest.importorskip("h5netcdf")
NAMES = (
    "a/b",
    "/",
    "..",
    "été 𝔘𝔫",
    "x\ny",
    "[bold]",
    "[/x]",
    "%2F",
    "a.b",
    " ",
    "\x00",
    "</script>",
    "'\"",
    "\x7f",
    "\u202e",
    ":bee:",
    "{0}",
)


def mechanism(body: str, joint: str) -> iso.Mechanism:
    mech = iso.Mechanism()
    mech.add_body(body, mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge(joint, "ground", body, point=(0, 0, 0), axis=(0, 1, 0)))
    return mech


@pytest.fixture(scope="module")
def runs() -> dict[str, iso.Solution]:
    found = {}
    for name in NAMES:
        text = to_toml(mechanism(name, f"{name}!"), dt=0.01, t_end=0.03)
        model = model_from_text(text)
        found[name] = iso.integrate(model.system(), **model.options())
        found[name].model = model.described({})
    return found


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_survives_every_format(runs: dict[str, iso.Solution], name: str, tmp_path: Path) -> None:
    """From TOML to the run, to files, and back."""
    sol = runs[name]
    assert sol.system.names[0] == f"{name}.x"
    again = iso.load(sol.save(tmp_path / "run.nc"))
    assert tuple(again.system.names) == tuple(sol.system.names)
    assert np.array_equal(again.reaction(f"{name}!").force, sol.reaction(f"{name}!").force)
    with xr.open_dataset(tmp_path / "run.nc") as data:
        forces = [x for x in data if json.loads(data[x].attrs.get("isodyn_name", json.dumps(x))) == f"{name}!.force"]
        assert len(forces) == 1
        assert np.array_equal(data[forces[0]].values, sol.reaction(f"{name}!").force)
        assert data.coordinate.values[0] == stored_text(f"{name}.x")
    assert f"{name}!.force" in sol.to_xarray()
    with sol.save(tmp_path / "run.csv").open(newline="", encoding="utf-8") as file:
        header = next(csv.reader(line.replace("\0", "\ufffe") for line in file))
    assert header[1].replace("\ufffe", "\0") == f"q({name}.x) [m]"
    page = write_report(sol, tmp_path / "report.html").read_text(encoding="utf-8")
    assert json.dumps(name, ensure_ascii=False).replace("<", "\\u003c") in page
    assert page.count("</script>") == page.count("<script")


def test_a_run_without_its_model_keeps_its_names(tmp_path: Path) -> None:
    """Names are read from the description, not from the texts of HDF5, which end at a byte 0."""
    system = iso.LinearSystem(np.eye(2), None, np.eye(2), None, [1.0, 0.0], [0.0, 0.0], names=["a/b\x00c", "é"])
    sol = iso.integrate(system, dt=0.1, t_end=1.0, checkpoint=tmp_path / "c/d é")
    assert tuple(iso.load(sol.save(tmp_path / "é %s.nc")).system.names) == ("a/b\x00c", "é")
    assert np.array_equal(iso.resume(tmp_path / "c/d é", system).q, sol.q)


def test_the_terminal_takes_names_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No markup, no emoji."""
    (tmp_path / "m.toml").write_text(to_toml(mechanism("[/red] :bee:", "a[bold]b"), dt=0.01, t_end=0.02))
    with pytest.raises(SystemExit) as leave:
        main(["run", str(tmp_path / "m.toml")])
    assert leave.value.code == 0
    out = capsys.readouterr().out
    assert "[/red] :bee:" in out
    assert "a[bold]b" in out


def test_names_that_no_file_can_hold_are_refused() -> None:
    with pytest.raises(InputError, match="no Unicode text"):
        mechanism("\ud800", "pin")
    with pytest.raises(InputError, match="no Unicode text"):
        mechanism("rod", "\udcff")


@settings(max_examples=200)
@given(st.text(max_size=20))
def test_stored_names_tell_all_names_apart(name: Any) -> None:
    """Percent signs, slashes, blanks and signs that cannot be printed are written as bytes; the way
    back is unique."""
    stored = stored_name(name)
    assert "/" not in stored
    assert stored.isprintable()
    assert stored == stored.strip()
    assert stored
    assert stored_name(name + "/") != stored

"""Tables of measured data are read with their units, or refused with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.design.measured import read_data, read_unit, to_unit, weights_at
from isodyn.errors import InputError
from isodyn.results.measured import read_csv


def test_units() -> None:
    assert to_unit("deg", "rad", "x") == pytest.approx(np.pi / 180)
    assert to_unit("mm/s2", "m/s2", "x") == pytest.approx(1e-3)
    assert to_unit("kN·m", "N m", "x") == pytest.approx(1e3)
    assert to_unit("rpm", "rad/s", "x") == pytest.approx(np.pi / 30)
    assert to_unit("", "rad", "x") == 1.0
    assert read_unit("kg m²/s²")[1] == read_unit("J")[1]
    assert read_unit("kg*m**2/s**2") == read_unit("kg m ^ 2 s^-2") == read_unit("J")
    assert read_unit("mm**-1")[1] == (-1, 0, 0, 0)
    with pytest.raises(InputError, match="measured in rad by the model, and in mm by the data"):
        to_unit("mm", "rad", "pin.angle")
    with pytest.raises(InputError, match="'furlong' is not known"):
        to_unit("furlong", "m", "x")
    with pytest.raises(InputError, match="has no unit in the model"):
        to_unit("m", "", "x")


def test_tables(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("# from the rig\ntime;a [mm];b\n0;1;2\n0.1;;3\n", encoding="utf-8")
    a, b = read_data(path, None)
    assert (a.name, a.unit, a.t.tolist(), a.values.tolist()) == ("a", "mm", [0.0], [1.0])
    assert b.values.tolist() == [2.0, 3.0]
    for text, match in (
        ("t,a\n0,1,2\n", "3 cells below 2 headings"),
        ("t,a\n0,one\n", "'a' is no number but 'one'"),
        ("t,a,a\n0,1,2\n", "'a' is there twice"),
        ("t,a\n", "has no table"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=match):
            read_csv(path)
    with pytest.raises(InputError, match="there is no file"):
        read_csv(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("data", "match"),
    [
        ({"a": [1.0]}, "one column of times"),
        ({"t": [0.0, -1.0], "a": [1.0, 2.0]}, "must be finite and ascend"),
        ({"t": [0.0, 1.0]}, "no channels beside the times"),
        ({"t": [0.0, 1.0], "a": [1.0]}, "has 1 values for 2 times"),
        ({"t": [0.0, 1.0], "a": [np.inf, 1.0]}, "no samples, or infinite ones"),
        ({"t": [0.0, 1.0], "a": ["x", "y"]}, "must be numbers"),
        ({"t": [0.0, 1.0], "a": [[1.0], [2.0]]}, "must have one dimension"),
        ({"t": [0.0], "a [deg]": [1.0], "a [rad]": [2.0]}, r"channel 'a' twice: \[deg\] and \[rad\]"),
        ({"t": [0.0], "a": [1.0], "a ": [2.0]}, "channel 'a' twice: 'a' and 'a '"),
        (5, "must be a CSV file, a mapping or a DataFrame"),
    ],
)
def test_bad_tables(data: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        read_data(data, None)
    with pytest.raises(InputError, match="no column 'b'"):
        read_data({"t": [0.0, 1.0], "a": [1.0, 2.0]}, ["b"])
    with pytest.raises(InputError, match="channel 'x' twice: a and b"):
        read_data({"t": [0.0], "a": [1.0], "b": [2.0]}, {"a": "x", "b": "x"})


def test_interpolation_is_cubic_and_stops_at_breakpoints() -> None:
    rows, times = np.linspace(0.0, 1.0, 11), np.array([0.0, 0.03, 0.5, 0.77, 1.0])
    places, weights = weights_at(rows, times, ())
    assert np.allclose((rows[places] ** 3 * weights).sum(axis=1), times**3, atol=1e-14)
    broken = np.where(rows < 0.5, rows, 7.0)
    places, weights = weights_at(rows, np.array([0.1, 0.47, 0.5, 0.52]), [0.5])
    assert np.allclose((broken[places] * weights).sum(axis=1), [0.1, 0.47, 7.0, 7.0], atol=1e-13)


def oscillator(k: float) -> iso.MechanicalSystem:
    return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -k * q, q0=[1.0], v0=[0.0], names=["x"])


GOOD = {"t": [0.1, 0.2], "x": [0.9, 0.8]}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"data": {"t": [-0.5, 0.2], "x": [0.9, 0.8]}}, "begins at t = -0.5, before the run"),
        ({"data": {"t": [0.1, 0.2], "y": [0.9, 0.8]}}, "no quantity named 'y'"),
        ({"dt": None}, "a fit needs dt="),
        ({"save_every": 2}, "does not take save_every="),
        ({"confidence": 1.0}, "confidence must be between 0 and 1"),
        ({"hold_out": 1.0}, "hold_out must be a share"),
        ({"hold_out": ["x"]}, "nothing is left to be fitted"),
        ({"hold_out": "y"}, "hold_out names 'y'"),
        ({"noise": {"x": 0.0}}, "noise must be above zero"),
        ({"noise": {"y": 1.0}}, "noise names 'y'"),
        ({"priors": {"k": (1.0, 0.0)}}, "standard deviation above zero"),
        ({"priors": {"m": (1.0, 1.0)}}, "priors name 'm'"),
        ({"bounds": {"k": 3}}, r"must be \(low, high\)"),
        ({"bounds": {"k": (3, 2)}}, "must ascend"),
        ({"bounds": {"k": (5.0, None)}}, "starts at 4, outside its bounds"),
        ({"bounds": {"m": (5.0, None)}}, "bounds name 'm'"),
        ({"start": {"k": "a"}}, "start of k must be a finite number"),
        ({"parameters": ["k", "k"]}, "named twice in parameters"),
        ({"parameters": ["m"]}, "no parameter named 'm'"),
    ],
)
def test_bad_calls(change: dict[str, Any], match: str) -> None:
    call = {"data": GOOD, "parameters": ["k"], "dt": 0.01, **change}
    with pytest.raises(InputError, match=match):
        iso.fit(iso.Parametrised(oscillator, k=4.0), call.pop("data"), call.pop("parameters"), **call)


def test_complex_samples_are_refused() -> None:
    """Their imaginary parts were left out."""
    with pytest.raises(InputError, match="x of data must be numbers"):
        read_data({"t": [0.0, 1.0], "x": np.array([1.0, 2.0j])}, None)

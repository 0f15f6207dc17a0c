"""The page of a sweep shows every point, what matters, and what failed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.report.reasons import works
from isodyn.report.sweeps import _rank_correlation


def found(folder: Path) -> iso.sweeps.Sweep:
    values = {"m": [1.0, 2.0, 3.0, 4.0]}
    outputs = ["peak = max(kinetic_energy)", "minus = -max(kinetic_energy)"]
    return iso.sweep("pendulum", values, outputs, workers=0, out=folder / "sweep.nc", t_end=0.5)


def test_page_has_a_dot_for_every_point_and_ranks(tmp_path: Path) -> None:
    page = iso.report.write_report(found(tmp_path), tmp_path / "sweep.html").read_text(encoding="utf-8")
    assert page.count("<circle") == 8  # two outputs over one parameter
    assert page.count('class="mean"') == 2
    assert "+1.00" in page
    assert "-1.00" in page
    assert "http" not in page.replace("http://www.w3.org", "")


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_an_output_that_is_never_a_number_is_named_and_not_drawn(tmp_path: Path) -> None:
    outputs = ["never = log(-max(kinetic_energy))", "peak = max(kinetic_energy)"]
    sweep = iso.sweep("pendulum", {"m": [1.0, 2.0]}, outputs, workers=0, out=tmp_path / "nan.nc", t_end=0.5)
    page = iso.report.write_report(sweep, tmp_path / "nan.html").read_text(encoding="utf-8")
    assert page.count("no number") == 1
    assert page.count("<h2>never") == 0
    assert page.count("<circle") == 2


def test_ranks_are_those_of_spearman() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(1)
    x = rng.integers(0, 5, 40).astype(float)
    y = x**2 + rng.normal(size=40)
    assert _rank_correlation(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


def test_sweep_without_points_is_refused(tmp_path: Path) -> None:
    sweep = found(tmp_path)
    sweep.__dict__["status"] = np.zeros(len(sweep), dtype=np.int64)
    with pytest.raises(InputError, match=r"no point of this sweep is done yet\nhint: found.errors"):
        iso.report.write_report(sweep, tmp_path / "none.html")


@pytest.mark.parametrize(
    ("scheme", "key"), [(iso.Scheme.hht(0.8), "Hilber1977"), (iso.DOP853(rtol=1e-6), "Hairer1993")]
)
def test_page_names_the_works_behind_the_scheme(scheme: object, key: str, tmp_path: Path) -> None:
    """Also of a file that is read again; a method that chooses its steps takes no dt from the problem."""
    outputs = ["peak = max(kinetic_energy)"]
    iso.sweep("pendulum", {"m": [1.0, 2.0]}, outputs, workers=0, t_end=0.1, scheme=scheme, out=tmp_path / "sweep.nc")
    again = iso.sweeps.load(tmp_path / "sweep.nc")
    assert again.ok.all()
    page = iso.report.write_report(again, tmp_path / "sweep.html").read_text(encoding="utf-8")
    assert page.count("<h3>Please cite</h3>") == 1
    assert works()[key]["title"] in page

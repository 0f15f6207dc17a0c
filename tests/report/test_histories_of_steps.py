"""Reports of adaptive runs show errors and sizes of their steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.report import write_report
from isodyn.report.histories import groups_of


def test_errors_and_sizes(tmp_path: Path) -> None:
    sol = iso.integrate(iso.problems.get("pendulum").system(), dt=iso.Adaptive(1e-3), t_end=1.0)
    _, groups = groups_of(sol)
    found = {group.id: group for group in groups}
    assert np.allclose(np.sum(found["step_size"].values[0][1:]), 1.0)
    assert 0.05 < np.max(found["step_error"].values) <= 1.0
    page = write_report(sol, tmp_path / "run.html").read_text()
    assert "largest error of a step" in page


def test_other_runs_have_none() -> None:
    sol = iso.integrate(iso.problems.get("pendulum").system(), dt=0.01, t_end=0.1)
    assert not {group.id for group in groups_of(sol)[1]} & {"step_size", "step_error"}

"""Reports of adaptive runs show errors and sizes of their steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.report import write_report
from isodyn.report.histories import groups_of
from isodyn.report.html import step_of


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


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"dt": 0.01}, "0.01"),
        ({"dt": 0.01, "breakpoints": [0.123]}, "0.003 to 0.01"),
        ({"dt": 0.01, "save": [0.0, 0.1, 0.5, 1.0]}, "0.01 on average"),
        ({"dt": iso.Adaptive(1e-2)}, " to "),
        ({"scheme": iso.Radau(1e-4)}, " to "),
        ({"scheme": iso.Radau(1e-4), "save": 5}, " on average"),
    ],
    ids=str,
)
def test_a_report_names_the_steps_that_were_taken(asked: dict[str, Any], told: str) -> None:
    """One size where there is one; not the mean as if it were, and not the distance of rows."""
    sol = iso.integrate(iso.problems.get("pendulum").system(), t_end=1.0, **asked)
    assert told in step_of(sol)
    if told[0] == "0":
        assert step_of(sol) == told

"""Forty runs are what they were when they were frozen: bit for bit where the same instructions run,
closely elsewhere."""

from __future__ import annotations

import json

import numpy as np
import pytest

from golden.cases import CASES
from golden.record import FROZEN, numbers, outcome, place

KEPT = json.loads(FROZEN.read_text(encoding="utf-8"))
SAME_PLACE = KEPT["place"] == place()
ELSEWHERE = 1e-8  # relative; iterations end at 1e-10 of the acceleration, give or take one of them


def test_there_are_forty_cases() -> None:
    assert len(CASES) == 40
    assert list(KEPT["cases"]) == list(CASES)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::isodyn.errors.IsodynWarning")
def test_run_is_as_frozen(name: str) -> None:
    found, kept = outcome(CASES[name]()), KEPT["cases"][name]
    for key in ("q", "lam"):
        now, then = numbers(found[key]), numbers(kept[key])
        assert now.shape == then.shape
        size = np.abs(then).max(initial=0.0)
        assert np.abs(now - then).max(initial=0.0) <= ELSEWHERE * size, key
    if SAME_PLACE:
        assert found["counters"] == kept["counters"]
        assert found["q"] == kept["q"]
        assert found["lam"] == kept["lam"]
        assert found["rows"] == kept["rows"]

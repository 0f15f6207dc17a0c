"""The environment of `examples/environment.py`, as Gymnasium would call it."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "environment.py"


@pytest.fixture(scope="module")
def environment() -> Any:
    return runpy.run_path(str(EXAMPLE))["CartPole"]()


def test_a_seed_decides_what_follows(environment: Any) -> None:
    ways = []
    for seed in (3, 3, 4):
        seen, told = environment.reset(seed=seed)
        ways.append([seen, *(environment.step(np.sin(k))[0] for k in range(5))])
        assert told == {}
    np.testing.assert_array_equal(ways[0], ways[1])
    assert not np.array_equal(ways[0], ways[2])


@pytest.mark.parametrize("action", [0.5, np.float32(0.5), np.array([0.5]), [0.5]])
def test_actions_are_numbers_or_arrays_of_one(environment: Any, action: Any) -> None:
    """A Box of one number gives arrays, which were refused."""
    environment.reset(seed=1)
    first = environment.step(action)[0]
    environment.reset(seed=1)
    np.testing.assert_array_equal(first, environment.step(0.5)[0])


def test_actions_have_limits(environment: Any) -> None:
    environment.reset(seed=1)
    seen = [environment.step(1e308)[0]]
    environment.reset(seed=1)
    seen.append(environment.step(10.0)[0])
    np.testing.assert_array_equal(*seen)

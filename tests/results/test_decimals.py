"""Numbers as text by the compiled pass: the same letters as Python's, and as fast files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.results import tables
from isodyn.results.decimals import as_lines

RNG = np.random.default_rng(5)
POWERS = np.ldexp(1.0, np.arange(-1074, 1024))
TENS = np.array([float(f"1e{k}") for k in range(-323, 309)])
CASES = {
    "edges": [0.0, -0.0, 1.0, 0.1, 1e15, 1e16, 9007199254740993.0, 1e22, 1e23, 1e-4, 1e-5, 9.999e-5, 2.0**63, 2.0**64],
    "ends": [5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308],
    "special": [np.nan, -np.nan, np.inf, -np.inf],
    "any bits": RNG.integers(0, 2**64, 50_000, dtype=np.uint64).view(np.float64),
    "ordinary": RNG.standard_normal(20_000),
    "grids": np.arange(20_000) * 1e-4,
    "whole": np.arange(-5_000.0, 5_000.0),
    "few digits": np.round(RNG.standard_normal(20_000), 5),
    "powers of two": np.concatenate([POWERS, np.nextafter(POWERS, np.inf), np.nextafter(POWERS, 0.0)]),
    "powers of ten": -np.concatenate([TENS, np.nextafter(TENS, np.inf), np.nextafter(TENS, 0.0)]),
    "subnormal": np.arange(1, 20_000) * 5e-324,
    "large whole": RNG.integers(0, 2**53, 20_000) * 2.0 ** RNG.integers(-60, 60, 20_000),
}


@pytest.mark.parametrize("values", CASES.values(), ids=CASES.keys())
def test_the_letters_of_python(values: Any) -> None:
    """Every number as repr writes it."""
    x = np.asarray(values, dtype=np.float64)
    assert bytes(as_lines(x[:, None])).decode().split("\n")[:-1] == [repr(value) for value in x.tolist()]


def test_lines_and_commas() -> None:
    """Rows in lines, columns between commas; columns that are not contiguous too."""
    x = RNG.standard_normal((4, 6))[:, ::2]
    lines = bytes(as_lines(x)).decode().splitlines()
    assert [[float(value) for value in line.split(",")] for line in lines] == x.tolist()
    assert bytes(as_lines(np.zeros((0, 3)))) == b""


@pytest.mark.parametrize("processors", [1, 2, 3])
def test_large_files_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processors: int) -> None:
    """What the kernel writes, on one thread and on several, and what Python's writer writes."""
    sol = iso.integrate(iso.problems.get("pendulum").system(), dt=0.01, t_end=2.0)
    small = sol.save(tmp_path / "small.csv").read_bytes()
    monkeypatch.setattr(tables, "FEW", 0)
    monkeypatch.setattr(tables, "CHUNK", 70)
    monkeypatch.setattr(tables, "processors", lambda: processors)
    assert sol.save(tmp_path / "large.csv").read_bytes() == small

"""Points of sweeps: grids, samples, seeds, texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats

from isodyn.errors import InputError
from isodyn.sweeps import LogNormal, LogUniform, Normal, Triangular, Uniform
from isodyn.sweeps.design import make_design
from isodyn.sweeps.values import read_values


def test_all_combinations_the_last_parameter_fastest() -> None:
    design = make_design({"a": [1.0, 2.0], "b": "0:1:3"})
    assert design.values.tolist() == [[1, 0], [1, 0.5], [1, 1], [2, 0], [2, 0.5], [2, 1]]


def test_every_combination_has_all_samples() -> None:
    design = make_design({"a": [1.0, 2.0], "b": Normal(0.0, 1.0)}, count=4, seed=5)
    assert design.values[:4, 1].tolist() == design.values[4:, 1].tolist()
    assert design.values[:, 0].tolist() == [1.0] * 4 + [2.0] * 4


@pytest.mark.parametrize("sampling", ["random", "latin", "sobol", "saltelli", "morris"])
def test_a_seed_gives_the_same_points(sampling: Any) -> None:
    given = {"a": "0:2", "b": "lognormal(3, 0.2)"}
    one, two, other = (make_design(given, sampling, 8, seed).values for seed in (3, 3, 4))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)
    assert ((one[:, 0] >= 0) & (one[:, 0] <= 2)).all()
    assert (one[:, 1] > 0).all()


def test_a_latin_hypercube_has_one_sample_in_each_stripe() -> None:
    values = make_design({"a": "0:1", "b": "0:1"}, "latin", 50, 1).values
    assert [sorted(np.floor(50 * column).astype(int)) for column in values.T] == [list(range(50))] * 2


def test_a_sobol_sequence_fills_the_square_more_evenly_than_chance() -> None:
    even, chance = (make_design({"a": "0:1", "b": "0:1"}, how, 256, 2).values for how in ("sobol", "random"))
    assert scipy.stats.qmc.discrepancy(even) < 0.1 * scipy.stats.qmc.discrepancy(chance)


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (Uniform(1.0, 3.0), scipy.stats.uniform(1.0, 2.0)),
        (LogUniform(1.0, 9.0), scipy.stats.loguniform(1.0, 9.0)),
        (Normal(2.0, 0.5), scipy.stats.norm(2.0, 0.5)),
        (LogNormal(2.0, 0.5), scipy.stats.lognorm(0.5, scale=2.0)),
        (Triangular(1.0, 4.0, 5.0), scipy.stats.triang(0.75, 1.0, 4.0)),
    ],
)
def test_distributions_are_those_of_scipy(own: Any, other: Any) -> None:
    u = np.linspace(0.01, 0.99, 33)
    assert np.allclose(own.ppf(u), other.ppf(u), rtol=1e-12)
    values = [make_design({"x": x}, "sobol", 16, 1).values for x in (own, other)]
    assert np.allclose(*values, rtol=1e-12)


def test_texts() -> None:
    assert np.allclose(read_values("x", "1:100:3:log"), [1, 10, 100])
    assert np.allclose(read_values("x", "30 deg, 2*pi"), [np.pi / 6, 2 * np.pi])
    assert read_values("x", "0.5:2") == Uniform(0.5, 2.0)
    assert read_values("x", "triangular(0, 1, 3)") == Triangular(0, 1, 3)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("1:2:0", "needs a whole number of values, received '0'"),
        ("1:2:3:4", "is no range"),
        ("-1:2:3:log", "ratios need positive ends"),
        ("2:1", "Uniform needs low < high"),
        ("normal(1)", "normal takes mean, deviation; received 1 numbers"),
        ("norml(1, 2)", "there is no distribution 'norml'\nhint: did you mean normal"),
        ("lognormal(-1, 2)", "median of LogNormal must be positive"),
        ("1, 1", "x takes a value twice"),
        ("1, y", "cannot be read"),
        ("", "cannot be read"),
    ],
)
def test_texts_that_mean_nothing(text: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        read_values("x", text)


@pytest.mark.parametrize(
    ("parameters", "more", "match"),
    [
        ({}, {}, "a sweep needs parameters"),
        ({"a": "0:1"}, {}, "distributions need count="),
        ({"a": "0:1"}, {"sampling": "grid"}, "a has a distribution, which a grid cannot hold"),
        ({"a": [1, 2]}, {"sampling": "sobol", "count": 4}, "needs a parameter with a distribution"),
        ({"a": [1, 2]}, {"count": 4}, "a grid has as many points as its values make"),
        ({"a": "0:1"}, {"sampling": "sobol", "count": 12}, "powers of two, received count = 12\nhint: take 16"),
        ({"a": "0:1", "b": [1]}, {"sampling": "morris", "count": 4}, "b takes given values"),
        ({"a": "0:1"}, {"sampling": "sobel", "count": 4}, "sampling must be one of"),
        ({"a": "0:1"}, {"count": 4, "seed": -1}, "seed must be a whole number"),
        ({"a": [1.0, float("nan")]}, {}, "values of a must be finite"),
        ({"a": "0:1:9999999", "b": "0:1:9999999"}, {}, "of memory are needed"),
    ],
)
def test_designs_that_are_refused(parameters: Any, more: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        make_design(parameters, **more)

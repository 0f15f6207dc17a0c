"""Fits find the parameters that data were made with, and tell how well data know them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.fits import NOISE, START, TRUTH, four_bar
from click.testing import CliRunner
from scipy import stats
from scipy.optimize import minimize

import isodyn as iso
from isodyn.cli import cli
from isodyn.design.measured import weights_at
from isodyn.errors import AccuracyWarning, ConvergenceError, InputError
from isodyn.sensitivities.parameters import family_of

RUN: dict[str, Any] = {"dt": 0.01}


def measured(seed: int, t_end: float = 0.8, many: int = 60, **run: Any) -> dict[str, Any]:
    """Samples of a run with noise, at times that are no ends of steps."""
    sol = iso.integrate(four_bar(), t_end=t_end, sensitivities=["coupler.mass"], **{**RUN, **run})
    rng, t = np.random.default_rng(seed), np.linspace(0.013, t_end, many)
    places = {name: np.interp(t, sol.t, sol.t) for name in NOISE}
    found: dict[str, Any] = {"t": t}
    for name, size in NOISE.items():
        values = sol.quantity(name).values
        exact = np.array(
            [np.polyval(np.polyfit(sol.t[k] - x, values[k], 5), 0.0) for k, x in _near(sol.t, places[name])]
        )
        found[name] = exact + size * rng.standard_normal(many)
    return found


def _near(rows: Any, times: Any) -> Any:
    for x in times:
        first = int(np.clip(np.searchsorted(rows, x) - 3, 0, rows.size - 6))
        yield slice(first, first + 6), x


def inside(found: iso.Fit, confidence: float) -> list[bool]:
    return [low <= TRUTH[n] <= high for n in TRUTH for low, high in [found.interval(n, confidence)]]


@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_parameters_of_a_four_bar_come_back() -> None:
    hits = []
    for seed in range(2):
        found = iso.fit(four_bar(), measured(seed), list(TRUTH), start=START, **RUN)
        hits += inside(found, 0.99)
        assert found.runs <= 15
        for name, channel in zip(NOISE, found.channels, strict=True):
            assert abs(channel.noise / NOISE[name] - 1.0) < 0.3
            assert abs(channel.likeness) < 0.3
    assert sum(hits) >= 5


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_confidence_is_what_it_says() -> None:
    """In 100 seeds: 95 % intervals hold the truth in 95 % of all cases (300, ± 2.5 standard deviations),
    99 % intervals of all three parameters at once in at least 95."""
    each, together = [], 0
    for seed in range(100):
        found = iso.fit(four_bar(), measured(seed), list(TRUTH), start=START, **RUN)
        each += inside(found, 0.95)
        together += all(inside(found, 0.99))
    print(f"95 % intervals: {np.mean(each):.3f}; all at once in 99 % intervals: {together}")
    assert 0.918 <= np.mean(each) <= 0.982
    assert together >= 95


@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_fewer_runs_than_without_derivatives() -> None:
    names, data = list(TRUTH), measured(3, 0.4, 20)
    found = iso.fit(four_bar(), data, names, start=START, noise=NOISE, profile=False, **RUN)
    family, runs = family_of(four_bar()), []

    def squares(x: Any) -> float:
        runs.append(x)
        sol = iso.integrate(family.at(dict(zip(names, map(float, x), strict=True))), t_end=0.4, **RUN)
        gaps = [(np.interp(data["t"], sol.t, sol.quantity(n).values) - data[n]) / NOISE[n] for n in NOISE]
        return float(np.sum(np.square(gaps)))

    best = minimize(squares, [START[n] for n in names], method="Nelder-Mead", options={"fatol": 1e-4, "xatol": 1e-5})
    assert squares(found.values) <= best.fun + 0.1  # of about 40 squares
    assert len(runs) >= 10 * found.runs


CRANK = {"EI": 6.0, "mass": 0.8, "stiffness": 30.0}
CRANK_START = {"EI": 8.0, "mass": 1.0, "stiffness": 24.0}
CRANK_NOISE = {"slider.x": 2e-4, "pin.angle": 1e-4}  # an angle at the pin sees the crank bend


def flexible_crank(EI: float, mass: float, stiffness: float, damping: float = 2e-3) -> iso.Mechanism:
    """A slider-crank in the plane whose crank bends, thrown by a spring."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    section = iso.Section(EA=2e4, EI=EI, rhoA=0.6, damping=damping)
    mech.add_beam("crank", (0, 0), (0.24, 0.18), elements=2, section=section)
    mech.add_body("rod", 0.4, 0.01, (0.49, 0.09), float(np.arctan2(-0.18, 0.5)), kind="planar")
    mech.add_body("slider", mass, 0.01, (0.74, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "crank.start", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("elbow", "crank.end", "rod", point=(0.24, 0.18, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("wrist", "rod", "slider", point=(0.74, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Prismatic("slide", "ground", "slider", axis=(1, 0, 0)))
    ends = [(1.2, 0, 0), (0.74, 0, 0)]
    mech.add_load(iso.Spring("spring", "ground", "slider", points=ends, rest=0.3, stiffness=stiffness, damping=0.4))
    return mech


def crank_data(seed: int, many: int = 60, noise: dict[str, float] = CRANK_NOISE, **other: float) -> dict[str, Any]:
    """Samples at ends of steps, with noise."""
    family = iso.Parametrised(flexible_crank, **{**CRANK, **other})
    sol = iso.integrate(family, dt=2e-3, t_end=0.24, sensitivities=["mass"])
    rng = np.random.default_rng(seed)
    data = {n: sol.quantity(n).values[1::2] + s * rng.standard_normal(many) for n, s in noise.items()}
    return {"t": sol.t[1::2], **data}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_parameters_of_a_flexible_crank_come_back() -> None:
    family = iso.Parametrised(flexible_crank, **CRANK_START)
    found = iso.fit(family, crank_data(1), list(CRANK), dt=2e-3)
    for name, x in CRANK.items():
        low, high = found.interval(name, 0.99)
        assert low <= x <= high, name
        assert high - low < 0.2 * x, name


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning", "ignore::isodyn.errors.CoarseStepWarning")
def test_intervals_reach_over_all_minima() -> None:
    """Slider and rod hardly see the crank bend, and its vibration gives the sum of squares many
    shallow minima. The linearised model knows one of them only."""
    data = crank_data(1, noise={"slider.x": 2e-4, "rod.angle": 1e-3}, EI=1.0, damping=0.0)
    family = iso.Parametrised(flexible_crank, **{**CRANK_START, "EI": 6.0}, damping=0.0)
    found = iso.fit(family, data, list(CRANK), dt=2e-3)
    low, high = found.interval("EI", 0.99)
    assert found["EI"] - 4.0 * found.standard_errors[0] > 1.0
    assert low < 1.0
    assert high == np.inf
    assert any(remark.startswith("EI may lie anywhere between") for remark in found.remarks)
    for name in ("mass", "stiffness"):
        low, high = found.interval(name, 0.99)
        assert low < CRANK[name] < high
        assert high - low < 0.1 * CRANK[name]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_confidence_in_a_flexible_crank_is_what_it_says() -> None:
    """As for the four-bar: 100 seeds, three parameters."""
    each, together = [], 0
    for seed in range(100):
        family = iso.Parametrised(flexible_crank, **CRANK_START)
        found = iso.fit(family, crank_data(seed), list(CRANK), dt=2e-3)
        each += [low <= x <= high for n, x in CRANK.items() for low, high in [found.interval(n, 0.95)]]
        together += all(low <= x <= high for n, x in CRANK.items() for low, high in [found.interval(n, 0.99)])
    print(f"95 % intervals: {np.mean(each):.3f}; all at once in 99 % intervals: {together}")
    assert 0.918 <= np.mean(each) <= 0.982
    assert together >= 95


def test_intervals_end_where_the_sum_of_squares_says() -> None:
    """Two parameters in large noise: the ends are within 1 % of half the interval of those that a
    search along the other parameter finds, where the linearised model is off by 15 %, at three
    confidences, and with less than three runs an end."""
    t, x = vibration(many=41)
    x = x + 0.3 * np.random.default_rng(1).standard_normal(t.size)
    family = iso.Parametrised(oscillator, m=1.0, k=4.4, c=0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        found = iso.fit(family, {"t": t, "x": x}, ["k", "c"], dt=0.05, noise={"x": 0.3})
        plain = iso.fit(family, {"t": t, "x": x}, ["k", "c"], dt=0.05, noise={"x": 0.3}, profile=False)
    assert found.runs - plain.runs <= 2 * 4
    weights = weights_at(np.linspace(0.0, 4.0, 81), t, ())

    def squares(k: float, c: float) -> float:
        sol = iso.integrate(iso.Parametrised(oscillator, m=1.0, k=k, c=c), dt=0.05, t_end=4.0)
        said = (sol.q[weights[0], 0] * weights[1]).sum(axis=1)
        return float((((said - x) / 0.3) ** 2).sum())

    (k, c), least = found.values, squares(*found.values)

    def tau(other: float) -> float:
        """Of the damping, the stiffness free: three points of a parabola, twice."""
        at, h = k, 0.1
        for _ in range(2):
            low, here, high = (squares(at + e, other) for e in (-h, 0.0, h))
            slope, bend = (high - low) / (2 * h), (high - 2 * here + low) / h**2
            at, h = at - slope / bend, 0.3 * h
        return float(np.sqrt(squares(at, other) - least))

    for share in (0.8, 0.95, 0.99):
        level, ends = stats.norm.ppf(0.5 + 0.5 * share), found.interval("c", share)
        half = level * found.standard_errors[1]
        for end, sign in zip(ends, (-1.0, 1.0), strict=True):
            slope = (tau(end + 0.02 * half) - tau(end - 0.02 * half)) / (0.04 * half)
            assert abs(tau(end) - level) / abs(slope) < 0.01 * half, (share, sign)
    assert abs(ends[1] - c - half) > 0.15 * half


def test_noise_that_does_not_fit_is_told() -> None:
    """A frequency has a minimum for every period more: there residuals are far above the noise."""
    t = np.linspace(0.0, 4.0, 41)
    data = {"t": t, "x": np.cos(2.0 * t) + 0.1 * np.random.default_rng(3).standard_normal(t.size)}
    family = iso.Parametrised(oscillator, m=1.0, k=15.0, c=0.0)
    with pytest.warns(AccuracyWarning, match=r"explains little of x .* look at units"):
        wrong = iso.fit(family, data, ["k"], dt=0.02, noise={"x": 0.1}, profile=False)
    assert wrong["k"] > 10.0
    assert any("times the given noise" in remark for remark in wrong.remarks)
    right = iso.fit(family, data, ["k"], dt=0.02, noise={"x": 0.1}, stages=4)
    assert right["k"] == pytest.approx(4.0, abs=0.1)
    assert not right.remarks
    low, high = right.interval("k", 0.99)
    assert low < 4.0 < high
    with pytest.raises(InputError, match="stages must be from 1 to 100, received 0"):
        iso.fit(family, data, ["k"], dt=0.02, stages=0)


def test_a_minimum_behind_a_ridge_is_found_from_other_starts() -> None:
    """One search that begins a period away ends there. It says that something is wrong; more starts
    find the truth, and where the other minima were."""
    t = np.linspace(0.0, 4.0, 41)
    data = {"t": t, "x": np.cos(2.0 * t) + 0.1 * np.random.default_rng(3).standard_normal(t.size)}
    family = iso.Parametrised(oscillator, m=1.0, k=15.0, c=0.0)
    run: dict[str, Any] = {"dt": 0.05, "bounds": {"k": (0.5, 40.0)}, "profile": False}
    with pytest.warns(AccuracyWarning, match=r"residuals of x are not noise .* starts=8 looks for it"):
        wrong = iso.fit(family, data, ["k"], **run)
    assert wrong["k"] > 10.0
    right = iso.fit(family, data, ["k"], starts=4, **run)
    low, high = right.interval("k", 0.99)
    assert low < 4.0 < high
    assert not right.remarks
    assert right.minima[0].values[0] == pytest.approx(wrong["k"], rel=0.02)
    assert right.minima[0].excess > 1000.0
    assert not any(one.as_good for one in right.minima)
    assert right.summary()["minima"][0]["searches"] >= 1
    with pytest.raises(InputError, match="starts must be from 1 to 1000, received 0"):
        iso.fit(family, data, ["k"], starts=0, **run)
    with pytest.raises(InputError, match="seed must be a whole number, zero or more, received 'a'"):
        iso.fit(family, data, ["k"], starts=2, seed="a", **run)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"starts= does not know where to look for c: it begins at zero"):
        iso.fit(family, data, ["k", "c"], starts=4, dt=0.02)


@pytest.mark.filterwarnings("ignore:another minimum explains the data as well")
@pytest.mark.parametrize(
    ("bounds", "told"), [({"k": (10.0, 40.0)}, "residuals of x are"), (None, "explains little of x")]
)
def test_several_starts_that_all_end_wrong_are_told(bounds: Any, told: str) -> None:
    """However many searches were begun: residuals that are no noise are said aloud."""
    t = np.linspace(0.0, 4.0, 41)
    data = {"t": t, "x": np.cos(2.0 * t) + 0.05 * np.random.default_rng(3).standard_normal(t.size)}
    family = iso.Parametrised(oscillator, m=1.0, k=30.0, c=0.0)
    match = rf"{told}.*\. None of 3 searches ended lower; starts=12 or closer bounds may find one"
    with pytest.warns(AccuracyWarning, match=match):
        found = iso.fit(family, data, ["k"], dt=0.05, bounds=bounds, starts=3, profile=False)
    assert found["k"] > 10.0
    assert sum(one.taken for one in found.searches) == 1
    assert len(found.summary()["searches"]) == found.starts == 3


def test_a_model_that_misses_something_is_told_without_bounds() -> None:
    """A cubic spring, fitted by a linear one: residuals are small, and no noise."""
    t, x = vibration()
    x = x + 0.03 * x**3
    with pytest.warns(AccuracyWarning, match=r"residuals of x are not noise .* starts=8 looks for it$"):
        iso.fit(iso.Parametrised(oscillator, m=1.0, k=3.9, c=0.3), {"t": t, "x": x}, ["k", "c"], dt=0.01)


def test_the_report_says_which_start_was_taken(tmp_path: Path) -> None:
    t = np.linspace(0.0, 4.0, 41)
    data = {"t": t, "x": np.cos(2.0 * t) + 0.1 * np.random.default_rng(3).standard_normal(t.size)}
    family = iso.Parametrised(oscillator, m=1.0, k=15.0, c=0.0)
    found = iso.fit(family, data, ["k"], dt=0.05, bounds={"k": (0.5, 40.0)}, profile=False, starts=4)
    (k,) = (k for k, one in enumerate(found.searches) if one.taken)
    assert k > 0  # the given start leads elsewhere
    text = iso.report.write_report(found, tmp_path / "fit.html").read_text(encoding="utf-8")
    began = f"k = {found.searches[k].start[0]:.6g}"
    assert f"Search {k + 1} of 4 was taken; it began at a point of its own: {began}" in text


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"bounds": {"k": ("a", 6.0)}}, r"the bounds of k must be numbers, received \('a', 6.0\)"),
        ({"bounds": [(0.0, 1.0)]}, "bounds must be given by name, received list"),
        ({"priors": {"k": (np.nan, 1.0)}}, r"the prior of k must be \(mean, standard deviation above zero\)"),
        ({"priors": {"k": (4.0, np.inf)}}, "the prior of k must be"),
        ({"priors": {"k": ("a", "b")}}, "the prior of k must be"),
        ({"priors": [1.0]}, "priors must be given by name"),
        ({"noise": [1.0]}, "noise must be given by name"),
        ({"start": [1.0]}, "start must be given by name"),
        ({"hold_out": None}, "hold_out must be a share or names of channels, received None"),
        ({"max_runs": 0}, "max_runs must be a whole number above zero, received 0"),
        ({"max_runs": "a"}, "max_runs must be a whole number above zero, received 'a'"),
        ({"confidence": "a"}, "confidence must be between 0 and 1, received 'a'"),
    ],
)
def test_what_is_asked_wrongly_is_refused(given: dict[str, Any], match: str) -> None:
    t, x = vibration(many=9)
    with pytest.raises(InputError, match=match):
        iso.fit(iso.Parametrised(oscillator, m=1.0, k=4.0, c=0.3), {"t": t, "x": x}, ["k"], **{"dt": 0.1, **given})


@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_columns_that_do_not_vary_are_told() -> None:
    family = iso.Parametrised(oscillator, m=1.0, k=1.0, c=1.0)
    with pytest.warns(AccuracyWarning, match=r"all 5 samples of x are 1: is this the right column\?") as told:
        iso.fit(family, {"t": np.linspace(0.1, 0.5, 5), "x": np.ones(5)}, ["k"], dt=0.05, profile=False)
    assert sum("steps are coarse" in str(one.message) for one in told) <= 1  # each run had said so


def test_columns_that_are_no_quantities_name_the_option() -> None:
    family = iso.Parametrised(oscillator, m=1.0, k=4.0, c=0.0)
    with pytest.raises(
        InputError, match=r"the column 'encoder' of the data is no quantity .* named 'encoder'"
    ) as error:
        iso.fit(family, {"t": [0.1, 0.2], "encoder": [1.0, 0.9]}, ["k"], dt=0.05)
    assert "channels={'encoder': QUANTITY}" in str(error.value.hint)
    assert "-c 'encoder=QUANTITY'" in str(error.value.hint)


def test_minima_that_explain_data_equally_well_are_told() -> None:
    """Two samples a second do not tell ω from 4π − ω."""
    t = np.arange(12) * 0.5
    data = {"t": t, "x": np.cos(2.0 * t) + 0.05 * np.random.default_rng(1).standard_normal(t.size)}
    family = iso.Parametrised(oscillator, m=1.0, k=105.0, c=0.0)
    run: dict[str, Any] = {"dt": 0.05, "bounds": {"k": (2.0, 130.0)}, "profile": False}
    with pytest.warns(AccuracyWarning, match="take smaller steps"):
        alone = iso.fit(family, data, ["k"], **run)
    assert alone["k"] == pytest.approx((4 * np.pi - 2.0) ** 2, rel=0.06)  # residuals are noise
    with pytest.warns(AccuracyWarning, match="another minimum explains the data as well: k = "):
        both = iso.fit(family, data, ["k"], starts=4, **run)
    (other,) = (one for one in both.minima if one.as_good)
    found = sorted([both["k"], float(other.values[0])])
    assert found[0] == pytest.approx(4.0, rel=0.02)
    assert found[1] == pytest.approx(alone["k"], rel=1e-3)


def oscillator(m: float, k: float, c: float) -> iso.LinearSystem:
    return iso.LinearSystem(m, c, k, None, [1.0], [0.0], names=["x"])


def vibration(k: float = 4.0, c: float = 0.3, many: int = 81) -> tuple[Any, Any]:
    t = np.linspace(0.0, 4.0, many)
    w = np.sqrt(k - c * c / 4)
    return t, np.exp(-c * t / 2) * (np.cos(w * t) + c / (2 * w) * np.sin(w * t))


def test_what_data_do_not_see_is_told() -> None:
    t, x = vibration()
    x = x + 1e-3 * np.random.default_rng(0).standard_normal(t.size)
    family = iso.Parametrised(oscillator, m=1.0, k=3.0, c=0.2)
    found = iso.fit(family, {"t": t, "x": x}, ["m", "k", "c"], dt=0.025)
    (unseen,) = found.unseen
    scaled = {name: x / unseen.changes["m"] for name, x in unseen.changes.items()}
    assert scaled == pytest.approx({"m": 1.0, "k": 1.0, "c": 1.0}, rel=1e-5)  # all of them together
    assert np.isinf(found.standard_errors).all()
    assert found["k"] / found["m"] == pytest.approx(4.0, rel=1e-2)
    assert any("do not determine" in remark for remark in found.remarks)
    known = iso.fit(family, {"t": t, "x": x}, ["m", "k", "c"], dt=0.025, priors={"m": (1.0, 0.01)})
    assert not known.unseen
    assert known.standard_errors[1] == pytest.approx(0.04, rel=0.1)


@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_as_many_samples_as_parameters_tell_no_errors() -> None:
    family, data = iso.Parametrised(oscillator, m=1.0, k=3.0, c=0.0), {"t": [1.0], "x": [np.cos(2.0)]}
    found = iso.fit(family, data, ["k"], dt=0.05)
    assert found["k"] == pytest.approx(4.0, rel=1e-2)
    assert found.interval("k") == (-np.inf, np.inf)  # it was ± 2e-13
    assert any("as many parameters as samples" in remark for remark in found.remarks)
    known = iso.fit(family, data, ["k"], dt=0.05, noise={"x": 0.01})
    assert 0.01 < known.standard_errors[0] < 0.1


@pytest.mark.filterwarnings("ignore:residuals of x are not noise")  # nor are they: they follow the error of the steps
def test_steps_that_are_too_large_are_told() -> None:
    t, x = vibration()
    x = x + 1e-4 * np.random.default_rng(1).standard_normal(t.size)
    family = iso.Parametrised(oscillator, m=1.0, k=3.0, c=0.2)
    with pytest.warns(AccuracyWarning, match="the step moves k by about"):
        found = iso.fit(family, {"t": t, "x": x}, ["k", "c"], dt=0.1)
    low, high = found.interval("k")
    assert not low <= 4.0 <= high  # it is wrong …
    assert found["k"] - found.bias[0] == pytest.approx(4.0, abs=0.1 * abs(found.bias[0]))  # … and says by how much


def test_held_out_samples_bounds_and_units() -> None:
    t, x = vibration()
    table = {"time [ms]": 1e3 * t, "x": x + 1e-3 * np.random.default_rng(2).standard_normal(t.size), "other": x}
    family = iso.Parametrised(oscillator, m=1.0, k=3.0, c=0.2)
    with pytest.warns(AccuracyWarning, match="starts=8 looks for it within the bounds"):  # the bound is above the truth
        found = iso.fit(
            family,
            table,
            ["k", "c"],
            channels=["x"],
            dt=0.01,
            hold_out=0.5,
            bounds={"c": (0.35, None)},
            start={"c": 0.4},
        )
    (channel,) = found.channels
    assert channel.held.sum() == 40
    assert channel.rms(True) > 1.5 * channel.rms(False)
    assert found.at_bound == ("c",)
    assert np.isnan(found.standard_errors[1])
    assert np.isnan(found.interval("c")).all()
    assert np.isfinite(found.interval("k")).all()
    assert "c = 0.35 at its bound" in repr(found)
    assert found.summary()["parameters"]["c"]["at_bound"]
    assert any("held-out samples are" in remark for remark in found.remarks)
    assert json.dumps(found.summary())
    assert "k = " in repr(found)
    with pytest.raises(ConvergenceError, match="did not end after 2 runs"):
        iso.fit(family, table, ["k", "c"], channels={"x": "x"}, dt=0.01, max_runs=2)


def test_data_that_go_on_long_after_the_run_of_a_model_are_told(tmp_path: Path) -> None:
    """Milliseconds without their unit are a thousand times too many steps."""
    path = tmp_path / "m.toml"
    path.write_text(MODEL.replace("t_end = 1.0", "t_end = 0.01"), encoding="utf-8")
    data = {"t": [0.0, 0.5, 1.0], "pin.angle": [0.0, 0.1, 0.2]}
    with (
        pytest.warns(AccuracyWarning, match=r"data end at t = 1, 100 times as late as the run of the model, 0.01"),
        pytest.raises(InputError, match="2 parameters need as many samples, received 1"),
    ):
        iso.fit(path, {name: x[2:] for name, x in data.items()}, ["spring.stiffness", "c"])


MODEL = """
title = "damped pendulum"
[parameters]
c = 0.05
[bodies.rod]
mass = 1.0
inertia = [0.01, 0.09, 0.09]
position = [0.5, 0.0, 0.0]
[joints.pin]
type = "hinge"
between = ["ground", "rod"]
axis = [0.0, 1.0, 0.0]
[loads.spring]
type = "joint_spring"
joint = "pin"
stiffness = 2.0
damping = "c"
[run]
dt = 0.01
t_end = 1.0
"""


@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_command_line(tmp_path: Path) -> None:
    model, data, page = tmp_path / "m.toml", tmp_path / "d.csv", tmp_path / "fit.html"
    model.write_text(MODEL, encoding="utf-8")
    runner = CliRunner()
    made = model.read_text().replace("stiffness = 2.0", "stiffness = 3.0").replace("c = 0.05", "c = 0.2")
    (tmp_path / "made.toml").write_text(made, encoding="utf-8")
    sol = iso.integrate(iso.load_model(tmp_path / "made.toml").system(), dt=0.01, t_end=1.0)
    rng = np.random.default_rng(0)
    angle = np.degrees(sol.quantity("pin.angle").values + 1e-3 * rng.standard_normal(sol.t.size))
    rows = "\n".join(f"{t:.17g},{x:.17g}" for t, x in zip(sol.t, angle, strict=True))
    data.write_text(f"t [s],encoder [deg]\n{rows}\n", encoding="utf-8")
    call = ["fit", str(model), str(data), "-p", "spring.stiffness=0:", "-p", "c", "-c", "encoder=pin.angle"]
    done = runner.invoke(cli, [*call, "--report", str(page), "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["parameters"]
    assert found["spring.stiffness"]["interval"][0] < 3.0 < found["spring.stiffness"]["interval"][1]
    assert found["c"]["value"] == pytest.approx(0.2, abs=0.02)
    text = page.read_text(encoding="utf-8")
    assert "spring.stiffness" in text
    assert text.count("<svg") == 3
    shown = runner.invoke(cli, [*call, "--prior", "c=normal(0.2, 0.001)", "--noise", "pin.angle=0.001"])
    assert shown.exit_code == 0
    assert "95 % interval" in shown.output
    wrong = runner.invoke(cli, [*call, "--prior", "c=0.2"])
    assert "must be normal(mean, sd)" in str(wrong.exception)

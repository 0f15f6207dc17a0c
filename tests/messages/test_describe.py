"""`describe`: a page of text and plain numbers that say the same, and say plainly what is wrong
with a scheme."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from isodyn.analysis import describe
from isodyn.errors import InputError, IsodynError
from isodyn.report import figures
from isodyn.report.scheme_figures import plot_scheme, stiff_energy
from isodyn.schemes import FirstOrderScheme, Scheme

MEMBERS = [
    Scheme.optimal(0.8),
    Scheme.central_difference(),
    Scheme.newmark(),
    Scheme.U0(0.5, 0.5, 0.5, explicit=True),
    Scheme.V0(1 / 3, 1 / 3, 0.3, explicit=True),
    FirstOrderScheme.gear(),
    FirstOrderScheme.GS4_1(0.5, 0.5, explicit=True),
]


@pytest.mark.parametrize("s", MEMBERS, ids=str)
def test_text_fits_a_page_and_names_the_scheme(s: Scheme | FirstOrderScheme) -> None:
    lines = str(describe(s)).splitlines()
    assert lines[0] == s.name
    assert max(len(line) for line in lines) <= 100
    assert not any(line != line.rstrip() for line in lines)


@pytest.mark.parametrize("s", MEMBERS, ids=str)
def test_numbers_survive_json(s: Scheme | FirstOrderScheme) -> None:
    """Strict JSON: no NaN, no Infinity, nothing that is not plain."""
    numbers = describe(s).to_dict()
    assert json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    assert numbers["coefficients"]["W1"] == s.W1


def test_damping_ratio_of_the_limit_is_chosen() -> None:
    """Ω_crit of central difference falls with ξ, since forces of v are taken from the predictor."""
    free, damped = (describe(Scheme.central_difference(), xi=xi) for xi in (0.0, 0.3))
    assert free.critical_frequency_damped == pytest.approx(2.0)
    assert damped.xi == 0.3
    assert damped.critical_frequency_damped < 1.3
    with pytest.raises(InputError, match=r"xi must be finite and not negative, received nan\nhint: 1 is critical"):
        describe(Scheme.newmark(), xi=float("nan"))


def test_usual_parameters() -> None:
    """Generalised-alpha form where there is one, else the V0 form, else none."""
    assert describe(Scheme.newmark()).parameters == {"alpha_m": 0.0, "alpha_f": 0.0, "beta": 0.25, "gamma": 0.5}
    assert set(describe(Scheme.V0(0.5, 0.5, 0.5)).parameters or {}) >= {"alpha_k", "kappa"}
    assert describe(Scheme.central_difference()).parameters is None
    assert "alpha_m=-0.333333  alpha_f=0  beta=0.444444  gamma=0.833333" in str(describe(Scheme.wbz(0.5)))


def test_values_of_a_known_member() -> None:
    d = describe(Scheme.newmark())
    assert d.overshoot_class == "U0V0"
    assert d.critical_frequency == float("inf")
    assert d.to_dict()["critical_frequency"] == "inf"
    assert d.period_error[0] == pytest.approx(0.1**2 / 12, rel=1e-3)
    assert d.damping_ratio == pytest.approx((0, 0, 0), abs=1e-12)
    assert d.to_dict()["symplectic"]["verdict"] == "energy bounded"
    assert d.to_dict()["three_step_form"]["alpha"] == [1.0, -2.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("s", "text"),
    [
        (Scheme.U0(0.5, 0.5, 0.5, explicit=True), "UNSTABLE: the spectral radius exceeds 1 for every step"),
        (Scheme.U0(1, 1, 1, explicit=True), "UNSTABLE with damping: for xi = 0.1"),
        (
            Scheme.V0(1 / 3, 1 / 3, 0.3, explicit=True),
            "condition holds, the computed map is not symplectic; energy drifts",
        ),
        (Scheme.U0(0.5, 0.5, 0, explicit=True), "is not symplectic; energy stays bounded nevertheless"),
        (Scheme.newmark(), "fails the printed symplectic condition, and is not symplectic, yet keeps energy bounded"),
        (Scheme.central_difference(), "Omega_crit = 2 without damping, 1.63961 with xi = 0.1"),
        (Scheme.optimal(0.5), "none: unconditionally stable"),
        (FirstOrderScheme.GS4_1(0.5, 0.5, explicit=True), "z = 0.8 for decay"),
    ],
    ids=lambda x: str(x)[:30],
)
def test_text_says_what_matters(s: Scheme | FirstOrderScheme, text: str) -> None:
    assert text in str(describe(s))


def test_members_that_agree_with_theory_have_no_notes() -> None:
    assert describe(Scheme.midpoint_mpa()).notes == ()
    assert "note:" not in str(describe(Scheme.optimal(0.8)))


@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_first_order_coefficients_are_named() -> None:
    assert "only first order" in str(describe(Scheme.newmark(0.36, 0.7)))


def test_something_else_is_refused() -> None:
    with pytest.raises(InputError, match=r"describe takes a scheme, received 'optimal'"):
        describe("optimal")  # type: ignore[call-overload]


# ---- figures


@pytest.mark.slow
def test_figures_of_schemes(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    second = plot_scheme([Scheme.optimal(0.8), Scheme.central_difference()], tmp_path / "new" / "second.png", xi=0.05)
    plot_scheme([Scheme.central_difference(), Scheme.U0(0.5, 0.5, 0.5, explicit=True)], tmp_path / "explicit.pdf")
    first = plot_scheme(FirstOrderScheme.gear(), tmp_path / "first.svg")
    assert second.read_bytes()[:4] == b"\x89PNG"
    assert "<svg" in first.read_text(encoding="utf-8")


def test_figure_of_mixed_kinds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="schemes of one kind, received 1 of second order and 1 of first order"):
        plot_scheme([Scheme.newmark(), FirstOrderScheme.gear()], tmp_path / "x.png")  # type: ignore[list-item]


def test_missing_matplotlib_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(IsodynError, match=r"pip install 'isodyn\[plot\]'"):
        plot_scheme(Scheme.newmark(), tmp_path / "x.png")
    assert figures.COLOURS


def test_curves_stop_at_the_stability_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond Ω = 2 the pair of central difference is real and a root grows: nothing is drawn
    there."""
    pytest.importorskip("matplotlib")
    kept = []
    monkeypatch.setattr("isodyn.report.scheme_figures.save", lambda figure, path: kept.append(figure) or path)
    plot_scheme([Scheme.central_difference(), Scheme.newmark()], tmp_path / "x.png", xi=0.1)
    damping, period = kept[0].axes[1], kept[0].axes[2]
    for axes in (damping, period):
        x, y = axes.lines[0].get_data()
        last = x[np.isfinite(y)].max()
        assert 1.55 < last <= 1.63961
    assert np.isfinite(damping.lines[-1].get_ydata()).all()


def test_rare_peaks_do_not_flatten_the_rest(tmp_path: Path) -> None:
    """A scale linear around zero and logarithmic beyond where peaks are a hundred times the usual
    size; else linear."""
    pytest.importorskip("matplotlib")
    t = np.linspace(0.0, 1.0, 400)
    calm = np.stack([np.sin(9 * t), np.cos(9 * t)], axis=1)
    for values, scale in ((calm, "linear"), (calm * (1 + 1e3 * (t > 0.97))[:, None], "asinh"), (0 * calm, "linear")):
        with figures.canvas() as (_, axes):
            figures.histories(axes, t, values, ["x", "y"])
            assert axes.get_yscale() == scale


def test_energy_of_the_stiff_mode_in_the_figure() -> None:
    assert stiff_energy(Scheme.newmark()) == pytest.approx([1.0] * 21, abs=1e-9)
    assert stiff_energy(Scheme.U0(0.8, 0.8, 0.8)).max() > 100.0

"""The scheme explorer in a real browser: its numbers are those of the analysis, and sliders move
its curves."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.analysis.behaviour import unstable_allowed
from isodyn.report.explorer import explorer_page, write_explorer
from isodyn.schemes import bifurcation_frequency, critical_frequency, damping_ratio, period_error, spectral_radius
from pages_in_browser import OUT, Page, opened_browser

RADII = sorted({(low, high, s) for low, high, s in product((0.0, 0.3, 0.8, 1.0), repeat=3) if s <= low <= high})
MEMBERS = [iso.Scheme.U0(*r) for r in RADII] + [iso.Scheme.V0(*r) for r in RADII]
MEMBERS += [
    make(*r, explicit=True)
    for make in (iso.Scheme.U0, iso.Scheme.V0)
    for r in [(1, 1, 0), (1, 1, 0.5), (0.4, 0.7, 0.0), (0.5, 0.5, 0.5), (0.3, 1, 0.3)]
]
OMEGAS = [0.01, 0.1, 0.5, 1.0, 1.9, 3.0, 10.0, 100.0, 1e4]


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """One page for all numbers."""
    with opened_browser() as context:
        opened = Page(context, write_explorer(OUT / "explorer.html"))
        yield opened
        opened.close()


def called(page: Page, s: iso.Scheme, expression: str) -> Any:
    """An expression of gs4.js with the scheme s made by gs4.js itself."""
    explicit = json.dumps(s.explicit)
    made = f"gs4.scheme({s.family!r}, {list(s.radii or ())}, {explicit})"
    text = page.ask(
        f"JSON.stringify((s => {expression})({made}), (k, v) => Number.isFinite(v) || typeof v !== 'number' ? v : String(v))"
    )
    return json.loads(text)


def numbers(values: Any) -> np.ndarray:
    """Numbers of which the infinite and undefined ones came as words."""
    return np.array([float(str(v).replace("Infinity", "inf")) for v in values])


@pytest.mark.slow
@pytest.mark.parametrize("s", MEMBERS, ids=str)
def test_numbers_of_the_page_are_those_of_the_analysis(page: Page, s: iso.Scheme) -> None:
    """Coefficients to rounding; roots, damping, period, limits as isodyn.analysis has them, for two
    physical dampings."""
    coefficients = called(page, s, "s")
    for key, value in {**s.coefficients, "phi": s.phi}.items():
        assert coefficients[key] == pytest.approx(value, rel=1e-14, abs=1e-15)
    for xi in (0.0, 0.07):
        limits = numbers(called(page, s, f"[gs4.critical(s, {xi}), gs4.bifurcation(s, {xi})]"))
        for found, expected in zip(limits, (critical_frequency(s, xi), bifurcation_frequency(s, xi)), strict=True):
            assert found == pytest.approx(expected, rel=1e-5) or (found > 1e8 and expected > 1e8)
        # roots that coincide at infinity are good to the cube root of rounding in both
        radius = numbers(called(page, s, f"{OMEGAS}.map(O => gs4.radius(s, O, {xi}))"))
        assert np.allclose(radius, spectral_radius(s, np.array(OMEGAS), xi), rtol=3e-5, atol=1e-9)
        end = 0.98 * (limits.min() if limits[0] > 0 else min(1.0, limits[1]))
        inside = [Omega for Omega in OMEGAS if Omega < end]
        # where the page draws them: up to the stability limit, or where there is none, up to 1
        if inside:
            for name, known in (("damping", damping_ratio), ("period", period_error)):
                here = numbers(called(page, s, f"gs4.{name}(s, {inside}, {xi})"))
                assert np.allclose(here, known(s, np.array(inside), xi), rtol=1e-6, atol=1e-8), name


@pytest.mark.parametrize("s", MEMBERS[::5], ids=str)
def test_runs_of_the_page_are_those_of_integrate(page: Page, s: iso.Scheme) -> None:
    """Damped and loaded by a constant, started as `integrate` starts."""
    w, xi, dt, steps = 2.0, 0.1, 0.3, 25
    system = iso.LinearSystem(1.0, 2 * xi * w, w**2, lambda t: np.array([0.7]), [1.0], [-0.5])
    with unstable_allowed():
        sol = iso.integrate(system, s, dt=dt, t_end=steps * dt)
    run = called(
        page, s, f"gs4.run(s, {{omega: {w}, xi: {xi}, dt: {dt}, q0: 1, v0: -0.5, steps: {steps}, load: () => 0.7}})"
    )
    scale = max(1.0, float(np.abs(sol.q).max()))
    assert np.abs(numbers(run["q"]) - sol.q[:, 0]).max() < 1e-11 * scale
    assert np.abs(numbers(run["v"]) - sol.v[:, 0]).max() < 1e-11 * scale * 10


def test_sliders_change_the_curves(page: Page) -> None:
    """Moving ρmax changes every curve; the others follow so that the order of the radii holds."""
    view = page.page
    view.get_by_role("button", name="generalised-α(0.8)").click()
    curves = [f"#curves .card:nth-child({k}) canvas" for k in range(1, 5)]
    curves += [f"#response .card:nth-child({k}) canvas" for k in (1, 2)]
    before = [page.look(curve) for curve in curves]
    page.picture("explorer_start", full=True)
    view.locator("#rho1").fill("0.3")
    assert page.ask("isodynExplorer.state.radii") == [0.3, 0.3, 0.3]
    after = [page.look(curve) for curve in curves]
    assert min(page.changed(b, a) for b, a in zip(before, after, strict=True)) > 100
    assert "U0(0.3, 0.3, 0.3)" in view.locator("#verdict").inner_text()
    view.locator("#rho2").fill("0.9")
    assert page.ask("isodynExplorer.state.radii") == [0.9, 0.9, 0.9]
    view.get_by_role("button", name="V0", exact=True).click()
    view.locator("#steps").fill("5")
    other = [page.look(curve) for curve in curves]
    assert page.changed(other[3], after[3]) > 100
    assert page.changed(other[4], after[4]) > 100
    view.get_by_role("button", name="central difference").click()
    assert "stable up to Ω = 2" in view.locator("#verdict").inner_text()
    page.picture("explorer_moved")


def test_overshoot_grows_where_the_class_says(page: Page) -> None:
    """V0(½, ½, ½) overshoots in the displacement, U0 in the velocity, `optimal` in neither."""
    for s, (q_grows, v_grows) in (
        (iso.Scheme.V0(0.5, 0.5, 0.5), (True, False)),
        (iso.Scheme.U0(0.5, 0.5, 0.5), (False, True)),
        (iso.Scheme.optimal(0.5), (False, False)),
    ):
        near, far = (numbers(called(page, s, f"gs4.overshoot(s, {Omega})")) for Omega in (1e4, 1e5))
        exponents = np.log10(far / near)
        assert [bool(x > 0.9) for x in exponents] == [q_grows, v_grows], s
        assert math.isclose(min(exponents, key=abs), 0.0, abs_tol=0.05)


def test_start_of_the_page() -> None:
    """The page starts at the scheme that is given."""
    assert '"family":"V0","radii":[0.2,0.6,0.1],"explicit":false' in explorer_page(iso.Scheme.V0(0.2, 0.6, 0.1))
    with pytest.raises(iso.errors.InputError, match="family and radii"):
        explorer_page(iso.Scheme.newmark())
    with pytest.raises(iso.errors.InputError, match="implicit and explicit"):
        explorer_page(iso.Scheme.U0(1, 1, 0, eta=(0, 1, 0)))

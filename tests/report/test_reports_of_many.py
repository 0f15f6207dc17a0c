"""Reports of ensembles, subdomains and runs with friction: what they plot are the numbers of the
runs."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import friction_systems
import isodyn as iso
from isodyn.errors import InputError
from isodyn.report import write_report


def groups(path: Path) -> dict[str, dict[str, Any]]:
    """Curves of a page by group and name."""
    found = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.S
    )
    assert found is not None
    data = json.loads(found[1])
    return {
        group["id"]: dict(
            zip(
                group["names"],
                np.frombuffer(base64.b64decode(group["values"]["f32"]), "<f4").reshape(group["values"]["shape"]),
                strict=True,
            )
        )
        for group in data["groups"]
    }


def test_an_ensemble_is_a_fan(tmp_path: Path) -> None:
    system = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
    starts = np.linspace(0.5, 1.5, 11)[:, None]
    runs = iso.ensemble(system, q0=starts, dt=0.05, t_end=1.0)
    shown = groups(write_report(runs, tmp_path / "fan.html", title="Fan"))["plot-q-0"]
    np.testing.assert_allclose(shown["median"], np.median(runs.q[:, :, 0], axis=0), atol=1e-6)
    np.testing.assert_allclose(shown["largest"], runs.q[:, :, 0].max(axis=0), atol=1e-6)
    np.testing.assert_allclose(shown["member 0"], runs.q[0, :, 0], atol=1e-6)
    assert "11, 11 came to the end" in (tmp_path / "fan.html").read_text(encoding="utf-8")


def test_subdomains_show_their_interface(tmp_path: Path) -> None:
    one, other = (iso.LinearSystem(m, None, k, None, [0.1], [0.0]) for m, k in ((1.0, 4.0), (2.0, 30.0)))
    sub = iso.Subdomains({"soft": one, "stiff": other}, ties=[("soft", [0], "stiff", [0])])
    sol = iso.integrate(sub, dt=0.01, t_end=0.5)
    shown = groups(write_report(sol, tmp_path / "sub.html"))
    np.testing.assert_allclose(shown["plot-lam"]["tie 1"], sol.lam[:, 0], rtol=1e-6)
    np.testing.assert_allclose(next(iter(shown["plot-part-stiff"].values())), sol["stiff"].q[:, 0], rtol=1e-6)
    assert set(shown["plot-drift"]) == {"position", "velocity", "acceleration"}
    assert set(shown["plot-power"]) == {"soft", "stiff"}


def test_friction_shows_modes_and_forces(tmp_path: Path) -> None:
    """A block that slides uphill, stops and sticks: μ = 0.8 on a slope of 0.3."""
    system, contact, _ = friction_systems.incline(0.3, -1.0, 0.8)
    sol = iso.integrate(iso.with_friction(system, replace(contact, unilateral=False)), dt=0.005, t_end=0.5)
    slope = sol.contact("slope")
    assert set(np.unique(slope.mode)) == {1, 2}
    np.testing.assert_array_equal(sol.quantity("slope.normal").values, slope.normal)
    assert slope.tangential.shape == slope.slip.shape == slope.power.shape == sol.t.shape
    with pytest.raises(InputError, match=r"no contact 'floor'; there are 'slope'"):
        sol.contact("floor")
    shown = groups(write_report(sol, tmp_path / "friction.html"))
    np.testing.assert_array_equal(shown["plot-contact-mode"]["slope"], slope.mode)
    np.testing.assert_allclose(shown["plot-contact-friction"]["slope"], slope.tangential, rtol=1e-6)
    assert np.abs(shown["plot-energy"]["total"] - shown["plot-energy"]["total"][0]).max() > 0.5
    assert np.abs(shown["plot-balance"]["error of the balance"]).max() < 1e-2  # friction is among the works


def test_members_with_times_of_their_own(tmp_path: Path) -> None:
    """Those that end early are not drawn beyond their ends."""
    system = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
    starts = np.array([[0.5], [1.0], [3.0]])
    down = iso.Event(lambda t, q, v: q[0] - 0.4, direction=-1, terminal=True)
    runs = iso.ensemble(system, q0=starts, dt=0.01, t_end=1.0, events=[down])
    assert runs.t.ndim == 2
    page = write_report(runs, tmp_path / "fan.html")
    shown = groups(page)["plot-q-0"]
    for k in range(3):
        line = shown[f"member {k}"]
        end = line[np.isfinite(line)][-1]
        assert abs(end - 0.4) < 0.05
    assert np.isfinite(shown["median"]).all()
    assert "Please cite" in page.read_text(encoding="utf-8")


def test_axes_of_mechanisms_have_units(tmp_path: Path) -> None:
    mech = iso.Mechanism()
    mech.add_body("rod", 1.0, (0.01, 0.09, 0.08), (0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    runs = iso.ensemble([mech.compile()] * 2, dt=0.02, t_end=0.1)
    text = write_report(runs, tmp_path / "fan.html").read_text(encoding="utf-8")
    for label in ('"xLabel":"t [s]"', '"label":"[m]"', '"label":"[rad/s]"'):
        assert label in text.replace(": ", ":"), label


def test_what_events_switched_off_is_off_in_the_report(tmp_path: Path) -> None:
    """A motor that an event switches off, and a joint that one releases."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("rod", 1.0, (0.01, 0.09, 0.08), (0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    mech.add_load(iso.Motor("motor", "pin", torque=2.0))
    events = [
        iso.Event("t - 0.1", action=iso.SwitchLoad("motor", on=False)),
        iso.Event("t - 0.2", action=iso.Release("pin")),
    ]
    sol = iso.integrate(mech, dt=0.01, t_end=0.4, events=events)
    shown = groups(write_report(sol, tmp_path / "off.html"))
    np.testing.assert_allclose(shown["plot-along"]["motor"][sol.t < 0.1 - 1e-9], 2.0)
    assert not shown["plot-along"]["motor"][sol.t > 0.1 + 1e-9].any()
    assert not shown["plot-power"]["motor"][sol.t > 0.1 + 1e-9].any()
    assert max(shown["plot-drift"][level].max() for level in ("position", "velocity")) < 1e-9


def test_other_things_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a report needs a Solution, received int"):
        write_report(7, tmp_path / "x.html")  # type: ignore[arg-type]

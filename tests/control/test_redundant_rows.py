"""Multipliers of redundant rows are those of results for everybody who sees them during a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

import isodyn as iso

SYSTEM = iso.problems.get("planar_loop_in_space").system()
DT, STEPS = 0.01, 12
RUN = iso.integrate(SYSTEM, dt=DT, t_end=STEPS * DT)
ROW = int(np.argmax(np.abs(RUN.lam[-1])))
LEVEL = float(RUN.lam[STEPS // 2, ROW])


def of_sample(s: iso.Sample) -> float:
    return float(s.lam[ROW]) - LEVEL


@njit
def compiled(t: float, q: Any, v: Any, a: Any, lam: Any) -> float:
    return lam[ROW] - LEVEL


@pytest.mark.parametrize("formulation", [None, iso.AccelerationLevel()])
def test_a_stepper_shows_the_multipliers_of_integrate(formulation: Any) -> None:
    """They were those of the rows that happened to be enforced."""
    sol = iso.integrate(SYSTEM, formulation=formulation, dt=DT, t_end=STEPS * DT)
    assert sol.redundant
    stepper = iso.Stepper(SYSTEM, formulation=formulation, dt=DT)
    for k in range(STEPS + 1):
        np.testing.assert_allclose(stepper.state.lam, sol.lam[k], atol=1e-11 * np.abs(sol.lam).max())
        stepper.step()


@pytest.mark.parametrize("g", [of_sample, compiled])
@pytest.mark.parametrize(
    "given",
    [{"dt": DT}, {"dt": DT, "formulation": iso.AccelerationLevel()}, {"scheme": iso.Radau(1e-6)}],
    ids=["stabilised", "acceleration level", "Radau"],
)
def test_events_of_multipliers_are_where_results_have_them(given: dict[str, Any], g: Any) -> None:
    """No event was found."""
    sol = iso.integrate(SYSTEM, **given, t_end=STEPS * DT, events=[iso.Event(g)])
    assert [event.t for event in sol.events] == pytest.approx([STEPS // 2 * DT], abs=2e-4)
    assert sol.events[0].before.lam[ROW] == pytest.approx(LEVEL, rel=1e-4)


def test_events_of_multipliers_go_on_from_a_checkpoint(tmp_path: Path) -> None:
    given: dict[str, Any] = {"dt": DT, "t_end": STEPS * DT, "checkpoint": tmp_path / "run"}
    iso.integrate(SYSTEM, **given, events=[iso.Event(compiled)], observe=lambda s: s.t > 2.5 * DT)
    sol = iso.resume(tmp_path / "run", SYSTEM, events=[iso.Event(compiled)])
    assert [event.t for event in sol.events] == pytest.approx([STEPS // 2 * DT], abs=1e-9)


def four_bar(law: Any) -> iso.Mechanism:
    """A planar loop of hinges in space, with a motor that reads a force."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    places = {"crank": (0, 0, 0.5), "rod": (1.0, 0, 1.0), "rocker": (2.0, 0, 0.5)}
    for name, place in places.items():
        mech.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=place)
    pairs = {"A": ("ground", "crank", 0, 0), "B": ("crank", "rod", 0, 1), "C": ("rod", "rocker", 2, 1)}
    for name, (one, two, x, z) in {**pairs, "D": ("ground", "rocker", 2, 0)}.items():
        mech.add_joint(iso.Hinge(name, one, two, point=(x, 0, z), axis=(0, 1, 0)))
    mech.add_load(iso.Force("push", "rod", (3.0, 2.0, 0.0)))
    mech.add_load(iso.Motor("motor", "A", torque=0.0))
    mech.add_controller("reads", every=DT, reads=["B.force_y", "B.torque_x"], writes="motor", law=law)
    return mech


def test_controllers_read_the_forces_of_results() -> None:
    seen: list[list[float]] = []

    def law(t: float, force: float, torque: float) -> float:
        seen.append([force, torque])
        return 1.0 + np.sin(40.0 * t)  # another one at each sample

    sol = iso.integrate(four_bar(law), dt=DT, t_end=STEPS * DT)
    assert sol.redundant
    found = np.stack([sol.quantity(name).values for name in ("B.force_y", "B.torque_x")], axis=1)
    assert np.abs(found[:, 0]).min() > 0.5
    # what is read at a sample is the limit before it; these rows have what comes after it
    np.testing.assert_allclose(np.array(seen)[1:, 0], found[1:STEPS, 0], rtol=1e-3)


def test_rows_at_samples_have_least_norm() -> None:
    """They had the multipliers of the enforced rows, in which B holds no force out of the plane."""
    mech = four_bar(lambda t, force, torque: 1.0 + np.sin(40.0 * t))
    sol = iso.integrate(mech, dt=DT, t_end=STEPS * DT)
    other = iso.integrate(mech, iso.Radau(1e-6), t_end=STEPS * DT, save=sol.t)
    np.testing.assert_allclose(sol.lam, other.lam, atol=1e-3 * np.abs(other.lam).max())


@pytest.mark.parametrize("terminal", [False, True])
def test_rows_at_events_have_least_norm(terminal: bool) -> None:
    """Both limits of an event, and the last row of a run that ends there, were without it."""
    t = 5.5 * DT
    event = iso.Event(lambda s: s.t - t, action=None if terminal else lambda s: None, terminal=terminal)
    sol = iso.integrate(SYSTEM, dt=DT, t_end=STEPS * DT, events=[event])
    row = int(np.argmin(np.abs(sol.t - t)))
    wanted, near = 0.5 * (RUN.lam[5] + RUN.lam[6]), 1e-3 * np.abs(RUN.lam).max()
    np.testing.assert_allclose(sol.lam[row], wanted, atol=near)
    np.testing.assert_allclose(sol.events[0].before.lam, wanted, atol=near)
    if not terminal:
        np.testing.assert_allclose(sol.aux["lam_left"][0], wanted, atol=near)

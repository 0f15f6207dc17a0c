"""With `save=` rows are at the times that were named, with every method; and where an event, an
observer or a failure ends the run, its last state is a row too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn.results.checkpoint import Checkpoint

TIMES = np.array([0.0, 0.25, 0.5, 0.9])
END = np.sqrt(0.4)  # of a fall of 2 m at 10 m/s²
METHODS: dict[str, dict[str, Any]] = {
    "fixed": {"dt": 0.01},
    "adaptive": {"dt": iso.Adaptive(1e-4, largest=0.05)},
    "Radau": {"scheme": iso.Radau(1e-8, max_step=0.05)},
    "DOP853": {"scheme": iso.DOP853(1e-8, max_step=0.05)},
    "Auto": {"scheme": iso.Auto(1e-8, max_step=0.05)},
}


# compiled once for all runs
@numba.njit
def weight(q: Any, v: Any, t: float) -> Any:
    return np.array([-10.0])


@numba.njit
def height(t: float, q: Any, v: Any) -> Any:
    return q[0]


@numba.njit
def weight_below(q: Any, v: Any, t: float) -> Any:
    if q[0] > 2.5:
        raise ValueError("too high")
    return np.array([-10.0])


def falling() -> iso.MechanicalSystem:
    return iso.MechanicalSystem(M=1.0, Q=weight, q0=[2.0], v0=[0.0])


def floor(**given: Any) -> iso.Event:
    return iso.Event(height, direction=-1, name="floor", **given)


@pytest.mark.parametrize("method", METHODS)
def test_a_terminal_event_leaves_its_row(method: str) -> None:
    """Once a scheme had none, and its last row was that of the time named before."""
    sol = iso.integrate(falling(), t_end=1.0, save=TIMES, events=[floor(terminal=True)], **METHODS[method])
    assert sol.t[:-1].tolist() == [0.0, 0.25, 0.5]
    assert sol.t[-1] == sol.events[0].t == pytest.approx(END, abs=1e-6)
    assert sol.q[-1] == pytest.approx(sol.events[0].q, abs=1e-14)
    assert sol.v[-1, 0] == pytest.approx(-10.0 * END, abs=1e-4)
    assert sol.a[-1, 0] == pytest.approx(-10.0, abs=1e-9)
    assert sol.stats.stopped.startswith("stopped by floor")


@pytest.mark.parametrize("method", METHODS)
def test_columns_are_chosen_in_that_row_too(method: str) -> None:
    """Also where the event comes before the first time that was named."""
    given = {"save": [0.8, 0.9], "select": {"q": [], "v": [0], "a": [], "lam": []}, "events": [floor(terminal=True)]}
    sol = iso.integrate(falling(), t_end=1.0, **given, **METHODS[method])
    assert (sol.t.size, sol.q.shape, sol.v.shape) == (1, (1, 0), (1, 1))
    assert sol.v[0, 0] == pytest.approx(-10.0 * END, abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_events_that_act_leave_the_times_as_they_were_named(method: str) -> None:
    """A ball that bounces at 0.632 s; methods of high order once had a row there, and schemes not."""
    bounce = floor(action=lambda s: s._replace(v=-0.5 * s.v))
    sol = iso.integrate(falling(), t_end=1.0, save=TIMES, events=[bounce], **METHODS[method])
    assert sol.t.tolist() == TIMES.tolist()
    rest = 0.9 - END
    assert sol.q[-1, 0] == pytest.approx(5.0 * END * rest - 5.0 * rest**2, abs=1e-4)
    assert len(sol.events) == 1


@pytest.mark.parametrize("method", METHODS)
def test_a_failure_leaves_its_row(method: str) -> None:
    def force(q: Any, v: Any, t: float) -> Any:
        if t > 0.6:
            raise ValueError("enough")
        return [-10.0]

    system = iso.MechanicalSystem(M=1.0, Q=force, q0=[2.0], v0=[0.0])
    with pytest.raises(ValueError, match="enough") as raised:
        iso.integrate(system, t_end=1.0, save=TIMES, **METHODS[method])
    partial: Any = raised.value.partial  # type: ignore[attr-defined]
    assert partial.t[:2].tolist() == [0.0, 0.25]
    assert 0.25 < partial.t[-1] <= 0.6
    assert partial.q[-1, 0] == pytest.approx(2.0 - 5.0 * partial.t[-1] ** 2, abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_observers_leave_their_row(method: str) -> None:
    sol = iso.integrate(falling(), t_end=1.0, save=TIMES, observe=lambda s: s.t > 0.3, **METHODS[method])
    assert sol.stats.stopped.startswith("stopped by observe")
    assert sol.t[:2].tolist() == [0.0, 0.25]
    assert 0.3 < sol.t[-1] < 0.9
    assert sol.q[-1, 0] == pytest.approx(2.0 - 5.0 * sol.t[-1] ** 2, abs=1e-4)


@pytest.mark.parametrize("scheme", [iso.Radau(1e-8), iso.DOP853(1e-8), iso.Auto(1e-8)], ids=str)
def test_observers_and_events_in_one_step(scheme: Any) -> None:
    """A run that ends at a row which is followed, in the same step, by an event that acts: an IndexError. Of
    one whose observer raised there, nothing was left."""

    def look(s: Any) -> bool:
        if raises and s.t > 0.5:
            raise ValueError("enough")
        return bool(s.t > 0.5)

    bounce = floor(action=lambda s: s._replace(v=-0.5 * s.v))
    given: Any = {"t_end": 1.0, "save": 41, "events": [bounce], "observe": look, "scheme": scheme}
    raises = False
    ended = iso.integrate(falling(), **given)
    raises = True
    with pytest.raises(ValueError, match="enough") as raised:
        iso.integrate(falling(), **given)
    for sol in (ended, raised.value.partial):  # type: ignore[attr-defined]
        assert 0.5 < sol.t[-1] < 0.7
        assert (np.diff(sol.t) > 0.0).all()
        before = sol.t < END - 1e-6
        assert sol.q[before, 0] == pytest.approx(2.0 - 5.0 * sol.t[before] ** 2, abs=1e-9)


@pytest.mark.parametrize("method", ["fixed", "adaptive", "DOP853"])
def test_members_of_ensembles_end_with_their_rows(method: str) -> None:
    ens = iso.ensemble(
        falling(), t_end=1.0, save=TIMES, v0=[[0.0], [9.0]], events=[floor(terminal=True)], **METHODS[method]
    )
    assert ens.t.shape == (2, 4)
    assert ens.t[0, -1] == pytest.approx(END, abs=1e-6)
    assert ens.q[0, -1] == pytest.approx(0.0, abs=1e-12)
    assert ens.t[1].tolist() == TIMES.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_resumed_runs_end_with_the_same_rows(method: str, tmp_path: Path) -> None:
    """Stopped on the way, and resumed."""
    given: Any = {"t_end": 1.0, "save": TIMES, "events": [floor(terminal=True)], **METHODS[method]}
    whole = iso.integrate(falling(), checkpoint=Checkpoint(tmp_path / "whole", every=2), **given)
    kept = Checkpoint(tmp_path / "part", every=2)
    part = iso.integrate(falling(), checkpoint=kept, observe=lambda s: s.t > 0.2, **given)
    assert part.t[-1] < 0.6
    sol = iso.resume(tmp_path / "part", falling(), events=[floor(terminal=True)])
    assert sol.t.tolist() == whole.t.tolist()
    assert sol.t.size == 4
    assert np.array_equal(sol.q, whole.q)


@pytest.mark.parametrize("method", ["fixed", "adaptive", "DOP853"])
def test_members_that_fail_leave_the_times_of_the_others(method: str) -> None:
    """Where a member failed is no time of the ensemble; its error keeps that row."""
    system = iso.MechanicalSystem(M=1.0, Q=weight_below, q0=[2.0], v0=[0.0])
    ens = iso.ensemble(system, t_end=1.0, save=TIMES, v0=[[0.0], [3.5]], threads=1, **METHODS[method])
    assert ens.t.tolist() == TIMES.tolist()
    assert ens.ok.tolist() == [True, False]
    assert np.isfinite(ens.q[1, :1]).all()
    assert np.isnan(ens.q[1, 1:]).all()
    assert 0.1 < ens.errors[1].partial.t[-1] < 0.25
    late = iso.ensemble(system, t_end=1.0, save=[0.0, 0.1], v0=[[0.0], [3.5]], threads=1, **METHODS[method])
    assert late.q.shape == (2, 2, 1)
    assert np.isfinite(late.q).all()


def test_an_error_at_the_start_stays_what_it_is() -> None:
    """No row was made that could be shown at the times that were named."""
    system = iso.MechanicalSystem(
        np.eye(2), lambda q, v, t: 0.0 * q, [0.0, 1.0], [0.0, 0.0], phi=lambda q, t: np.array([q[0], q[0] - t])
    )
    for method in ({"scheme": iso.Radau()}, {"scheme": iso.DOP853()}, {"dt": iso.Adaptive()}, {"dt": 0.1}):
        with pytest.raises(iso.errors.IsodynError, match="conflict"):
            iso.integrate(system, t_end=1.0, save=[0.0, 0.5, 1.0], **method)

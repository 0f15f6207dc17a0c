"""The memory of a run is free as soon as the run is over, without the garbage collector."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels import calls
from isodyn.marching.run import Run


class Asked(iso.StepPolicy):
    """Steps of a hundredth, judged in Python."""

    first_step = 0.01

    def accept(self, step: Any) -> float:
        return 1.0


RUNS: dict[str, dict[str, Any]] = {
    "constant steps": {"dt": 0.01},
    "adaptive": {"dt": iso.Adaptive(1e-3)},
    "a policy": {"dt": Asked()},
    "Radau": {"scheme": iso.Radau(1e-6)},
    "DOP853": {"scheme": iso.DOP853(1e-6)},
    "Auto": {"scheme": iso.Auto(1e-6)},
}


def halved(sample: iso.Sample) -> iso.Sample:
    return sample._replace(v=0.5 * np.asarray(sample.v))


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", RUNS)
def test_runs_with_events(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ref[Run]] = []
    begin = Run.__init__

    def counted(self: Run, *given: Any, **more: Any) -> None:
        begin(self, *given, **more)
        made.append(weakref.ref(self))

    monkeypatch.setattr(Run, "__init__", counted)
    system = iso.problems.get("pendulum").system()
    iso.integrate(system, **RUNS[name], t_end=0.1)  # what is compiled on the way keeps frames
    known = len(calls._functions)
    made.clear()
    x = float(system.q0[0])
    events = [
        iso.Event(lambda s: s.q[0] - x - 0.01, name="noted"),
        iso.Event(lambda s: s.q[0] - x - 0.02, action=halved),
        iso.Event(lambda s: s.q[0] - x - 0.03, terminal=True),
    ]
    sol = iso.integrate(system, **RUNS[name], t_end=1.0, events=events)
    assert len(sol.events) == 3
    assert made
    assert all(one() is None for one in made)
    gc.collect()  # ctypes leaves a cycle, of no more than the function that is called
    assert len(calls._functions) <= known

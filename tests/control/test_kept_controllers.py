"""Runs with controllers that are stopped and resumed are those that were not, bit for bit; laws
remember what they did, or are refused."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

import isodyn as iso
from control_systems import arm
from isodyn.errors import InputError
from isodyn.results import Checkpoint

DT = 2.0**-8
STOP = 100.5 * DT


class Filter:
    """A law with a filter, an array, a list that grows, and noise; it knows nothing of isodyn."""

    gain = 30.0

    def __init__(self) -> None:
        self.past = np.zeros(2)
        self.seen: list[float] = []
        self.rng = np.random.default_rng(3)

    def __call__(self, t: float, angle: float, rate: float) -> float:
        self.past[:] = 0.5 * self.past + 0.5 * np.array([angle, rate])
        self.seen.append(float(self.past[0]))
        self.newest = t  # an attribute that comes into being on the way
        return float(-self.gain * (self.past[0] - 0.4) - 4.0 * self.past[1] + 0.3 * self.rng.normal())


class Slotted:
    """A law that says itself what it remembers."""

    __slots__ = ("hidden",)

    def __init__(self) -> None:
        self.hidden = iter([0.0])

    def __call__(self, t: float, angle: float, rate: float) -> float:
        total = next(self.hidden) + angle
        self.hidden = iter([total])
        return -20.0 * angle - total

    def save(self) -> dict[str, Any]:
        """The total."""
        total = next(self.hidden)
        self.hidden = iter([total])
        return {"total": total}

    def restore(self, saved: dict[str, Any]) -> None:
        """The total, from a file."""
        self.hidden = iter([saved["total"]])


def counting() -> Callable[..., float]:
    """A function that counts its calls and remembers in a dict."""
    calls, memory = 0, {"sum": 0.0}

    def law(t: float, angle: float, rate: float, last: list[float] = []) -> float:  # noqa: B006
        nonlocal calls
        calls += 1
        memory["sum"] += angle
        last[:] = [angle]
        return -20.0 * angle - 0.2 * memory["sum"] - 0.1 * calls + 0.01 * last[0]

    law.__defaults__ = ([],)
    return law


TOTAL = 0.0


def with_global(t: float, angle: float, rate: float) -> float:
    """A function with a global variable."""
    global TOTAL
    TOTAL = 0.0 if t == 0.0 else TOTAL + angle
    return -20.0 * angle - TOTAL


pd = njit(lambda t, angle, rate: -30.0 * (angle - 0.4) - 4.0 * rate)
LAWS: dict[str, Callable[[], Any]] = {
    "formula": lambda: "-30*(pin.angle - 0.4) - 4*pin.angle_rate",
    "PID": lambda: iso.PID(kp=30.0, ki=20.0, kd=4.0, target=lambda t: 0.4 + 0.1 * np.sin(t)),
    "compiled": lambda: pd,
    "object": Filter,
    "method": lambda: Filter().__call__,
    "own": Slotted,
    "nested": counting,
    "global": lambda: with_global,
}


def controlled(law: Any) -> iso.Mechanism:
    mech = arm()
    reads = () if isinstance(law, str) else ["pin.angle", "pin.angle_rate"]
    mech.add_controller("pd", every=8 * DT, reads=reads, writes="motor", law=law, delay=1, low=-50.0, high=50.0)
    return mech


STEPS: dict[str, dict[str, Any]] = {
    "constant": {"dt": DT},
    "adaptive": {"dt": iso.Adaptive(1e-3)},
    "Radau": {"scheme": iso.Radau(1e-6)},
    "DOP853": {"scheme": iso.DOP853(1e-8)},
    "Auto": {"scheme": iso.Auto(1e-6)},
}
CASES = [*((law, "constant") for law in LAWS), *(("object", how) for how in STEPS if how != "constant")]


@pytest.mark.parametrize(("law", "how"), CASES)
def test_a_run_that_was_stopped_is_resumed_bit_for_bit(law: str, how: str, tmp_path: Path) -> None:
    global TOTAL
    TOTAL = 0.0
    options = {"t_end": 160 * DT, **STEPS[how]}

    def run(name: str, stop: float) -> iso.Solution:
        kept = Checkpoint(tmp_path / name, every=7)
        return iso.integrate(controlled(LAWS[law]()), **options, checkpoint=kept, observe=lambda s: bool(s.t > stop))

    whole = run("whole", np.inf)
    half = run("half", STOP)
    assert half.t[-1] < 120 * DT
    TOTAL = -123.0
    sol = iso.resume(tmp_path / "half", controlled(LAWS[law]()))
    for name in ("t", "q", "v", "a", "lam"):
        np.testing.assert_array_equal(getattr(sol, name), getattr(whole, name))
    torques = [x.system.description.parts.loads["motor"].torque for x in (sol, whole)]
    np.testing.assert_array_equal(torques[0].times, torques[1].times)
    np.testing.assert_array_equal(torques[0].values, torques[1].values)
    assert len(set(torques[0].values)) > 10


@pytest.mark.parametrize("law", LAWS)
def test_steppers_go_back_with_every_kind_of_law(law: str) -> None:
    stepper = iso.Stepper(controlled(LAWS[law]()), dt=DT)
    stepper.run_until(50 * DT)
    saved = stepper.save()
    found = []
    for _ in range(2):
        stepper.run_until(120 * DT)
        found.append(stepper.state.q)
        stepper.restore(saved)
    np.testing.assert_array_equal(*found)


def guarded() -> Any:
    """A law that holds a lock."""
    lock = threading.Lock()
    return lambda t, angle, rate: float(lock.locked())


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (guarded, "the law of controller 'pd' remembers a lock in 'around lock'"),
        (lambda: lambda t, angle, rate: float(random.random()), "random numbers that the whole program shares"),
        (lambda: lambda t, angle, rate: np.random.random(), "random numbers that the whole program"),  # noqa: NPY002
        (lambda: type("Law", (), {"__call__": lambda self, *x: 0.0, "log": iter([1])})(), "remembers a list_iterator"),
    ],
)
def test_what_cannot_be_kept_is_refused_before_the_run(law: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{words}(.|\n)*hint: "):
        iso.integrate(controlled(law()), dt=DT, t_end=1.0, checkpoint=tmp_path / "run")


def test_another_controller_is_another_system(tmp_path: Path) -> None:
    def started(law: Any) -> iso.Mechanism:
        return controlled(law)

    stop = {"observe": lambda s: bool(s.t > STOP)}
    one = started("-30*(pin.angle - 0.4) - 4*pin.angle_rate")
    iso.integrate(one, dt=DT, t_end=1.0, checkpoint=Checkpoint(tmp_path / "run", every=7), **stop)
    for other in ("-30*(pin.angle - 0.5) - 4*pin.angle_rate", lambda t, angle, rate: 0.0):
        with pytest.raises(InputError, match="belongs to another system"):
            iso.resume(tmp_path / "run", started(other))


def test_variables_that_actions_set_are_kept(tmp_path: Path) -> None:
    """A force that an event switches on, by a variable that it reads: resumed with fresh functions
    whose variable is as it was at the start."""

    def made() -> tuple[iso.MechanicalSystem, iso.Event]:
        on = {"pushes": 0.0}

        def push(s: Any) -> None:
            on["pushes"] += 1.0

        system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q + on["pushes"], q0=[1.0], v0=[0.0])
        return system, iso.Event(lambda t, q, v: q[0] - 0.5, direction=-1, action=push)

    def run(name: str, stop: float) -> iso.Solution:
        system, event = made()
        kept = Checkpoint(tmp_path / name, every=7)
        return iso.integrate(
            system, dt=0.02, t_end=4.0, events=[event], checkpoint=kept, observe=lambda s: bool(s.t > stop)
        )

    whole, half = run("whole", np.inf), run("half", 2.0)
    assert len(half.events) == 1
    system, event = made()
    sol = iso.resume(tmp_path / "half", system, events=[event])
    np.testing.assert_array_equal(sol.q, whole.q)
    np.testing.assert_array_equal(sol.a, whole.a)

"""Events and actions of the wrong kind, which ended in errors of Python, in the middle of a run, or
were taken for something else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import CallableError, InputError


def ball() -> iso.MechanicalSystem:
    return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: [-10.0], q0=[5.0], v0=[0.0])


def height(t: float, q: Any, v: Any) -> float:
    return float(q[0])


def with_attributes(**attributes: object) -> Any:
    def g(t: float, q: Any, v: Any) -> float:
        return float(q[0])

    g.__dict__.update(attributes)
    return g


def run(events: Any, **options: Any) -> iso.Solution:
    return iso.integrate(ball(), events=events, **{"dt": 0.1, "t_end": 0.5, **options})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: iso.Event(height, direction=np.array([1, 0])), "direction of an event must be −1, 0 or 1"),
        (lambda: run([with_attributes(direction="down")]), "direction of an event must be −1, 0 or 1, received 'down'"),
        (lambda: run([with_attributes(direction=None)]), "direction of an event must be −1, 0 or 1, received None"),
        (lambda: run([with_attributes(terminal="yes")]), "terminal of an event must be True, False or a number"),
        (lambda: iso.Event(height, action=iso.Release), "action of an event must be a function of a sample"),
        (lambda: run({"floor": height}), 'in a list, received a dict(.|\n)*name="floor"'),
        (lambda: run(["t - 1"]), r"received 't - 1'(.|\n)*iso.Event\('t - 1'\) is one"),
        (lambda: iso.Release(["hook"]), r"a joint or a row is named by a text, received \['hook'\]"),  # type: ignore[arg-type]
        (lambda: iso.Lock(None), "a joint or a row is named by a text, received None"),  # type: ignore[arg-type]
        (lambda: iso.SwitchLoad(["motor"]), "a load is named by a text"),  # type: ignore[arg-type]
        (lambda: iso.SwitchLoad("motor", on="off"), "switched on or off by True or False, received on='off'"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_event(make: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()


def test_a_text_is_no_number() -> None:
    with pytest.raises(CallableError, match=r"must return a number: received '1\.0', which is a text"):
        run([lambda t, q, v: "1.0"])


def test_numpy_has_a_true_of_its_own() -> None:
    assert run([with_attributes(terminal=np.True_)], t_end=2.0).t[-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (iso.Release("hook"), "no joint and no row named 'hook'"),
        (iso.Lock("hook"), "no joint and no row named 'hook'"),
        (iso.SwitchLoad("motor"), "loads are switched in mechanisms"),
    ],
)
def test_names_are_looked_up_before_the_run(action: Any, words: str) -> None:
    """Of an event that never happens, too."""
    with pytest.raises(InputError, match=words):
        run([iso.Event(lambda t, q, v: t - 9.0, action=action)])

"""The state is all that a run needs to go on: single steps, one call of the march, and a copy of
the state that is resumed in fresh memory agree to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.marching.method import settle
from isodyn.marching.run import Run
from isodyn.marching.schedule import plan

STEPS = 60
CASES = {
    "pendulum": iso.Stabilised(),
    "pendulum, GGL": iso.GGL(),
    "pendulum, null space": iso.NullSpace("qr"),
    "pendulum, acceleration": iso.AccelerationLevel(),
    "planar_chain": iso.Stabilised(),
    "pleiades": None,
    "chain": None,
}


def prepared(name: str) -> Run:
    problem = problems.get(name.split(",")[0])
    system = problem.system()
    method = settle(system, iso.Scheme.V0(0.3, 0.7, 0.1), CASES[name], problem.dt)
    return Run(system, method, plan(0.0, STEPS * problem.dt, problem.dt, [30.5 * problem.dt], 1))


def follow(run: Run, length: int, upto: int = STEPS + 1) -> Run:
    """March in pieces of this length."""
    while not run.finished and run.state.step < upto:
        run.go_on(min(int(run.state.step) + length, upto))
    return run


def same(one: Any, two: Any, first: int = 0) -> bool:
    rows = all(np.array_equal(a[first:], b[first:]) for a, b in zip(one.rows, two.rows, strict=True))
    return rows and np.array_equal(one.state.words, two.state.words)


@pytest.mark.parametrize("name", CASES)
def test_single_steps_one_call_and_a_copy(name: str) -> None:
    whole, single = prepared(name), prepared(name)
    for run, length in ((whole, STEPS), (single, 1)):
        run.begin()
        follow(run, length)
    assert same(whole, single)
    for stop in (1, 17, 45):
        half, fresh = prepared(name), prepared(name)
        half.begin()
        follow(half, STEPS, stop)
        fresh.begin()
        follow(fresh, STEPS, stop)  # for rows and pivots; then memory is made anew
        fresh.renew_memory()
        fresh.state.copy_from(half.state)
        fresh.return_to_state()
        follow(fresh, STEPS)
        assert same(whole, fresh), stop

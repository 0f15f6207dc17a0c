"""`Auto` and events that look at accelerations; and what is left of its run."""

import gc
import math
import weakref

import numpy as np
import pytest

import isodyn as iso
from isodyn.marching.method_run import MethodRun

STIFF = 1e10


def swing():
    """A pendulum on a spring so stiff that its length is one: a_x = −3/2 g² t² at first."""

    def force(q, v, t):
        r = math.hypot(*q)
        return -(STIFF * (r - 1.0) + math.sqrt(STIFF) * (q @ v) / r) / r * q - np.array([0.0, 9.81])

    return iso.MechanicalSystem(M=np.eye(2), Q=force, q0=[1.0, 0.0], v0=[0.0, 0.0])


@pytest.mark.parametrize(
    "g",
    [lambda s: s.a[0] + 0.03, lambda t, q, v, a, lam: a[0] + 0.03, lambda s: 1.0 if s.a[0] > -0.03 else -1.0],
    ids=("sample", "whole", "sign"),
)
def test_accelerations_pass_a_value_once(g):
    rtol = 1e-4
    sol = iso.integrate(swing(), iso.Auto(rtol=rtol), t_end=0.03, events=[iso.Event(g)])
    assert len(sol.events) == 1
    # as accurate as accelerations beside the largest one: 0.2 rtol where steps are a sixth of this time
    assert abs(1.5 * (9.81 * sol.events[0].t) ** 2 - 0.03) < 0.3 * rtol * 9.81
    assert sol.stats.methods == "Radau"


def test_events_of_positions_leave_the_choice_to_auto():
    sol = iso.integrate(swing(), iso.Auto(rtol=1e-4), t_end=0.03, events=[iso.Event(lambda s: s.q[1] + 1e-3)])
    assert len(sol.events) == 1
    assert sol.stats.methods.startswith("DOP853")


@pytest.mark.parametrize("method", [iso.DOP853(), iso.Radau(), iso.Auto()], ids=str)
def test_runs_end_with_their_last_reference(method, monkeypatch):
    """No cycle of references holds the memory of a run until the garbage collector finds it."""
    alive, first = [], MethodRun.__init__

    def noted(self, *given, **options):
        first(self, *given, **options)
        alive.append(weakref.ref(self))

    monkeypatch.setattr(MethodRun, "__init__", noted)
    gc.collect()
    gc.disable()
    try:
        iso.integrate(swing(), method, t_end=1e-4)
        assert alive[-1]() is None
    finally:
        gc.enable()

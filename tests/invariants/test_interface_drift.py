"""What the interface does when it starts apart, and which explicit members grow."""

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import StabilityWarning
from isodyn.marching.schedule import plan
from isodyn.subdomains.coupled import CoupledRun
from isodyn.subdomains.system_step import SystemStep
from subdomain_systems import THREE, chain, split_oscillator

S = iso.Scheme
MEMBERS = [
    S.U0(0.5, 0.5, 0.5),
    S.U0(0, 0, 0),
    S.U0(0.2, 0.9, 0.1),
    S.V0(0.3, 0.7, 0.1),
    S.V0(1, 1, 0.5),
    S.optimal(0.3),
    S.U0(1, 1, 0.5, explicit=True),
    S.U0(0.5, 0.5, 0, explicit=True),
]


@pytest.mark.parametrize("scheme", MEMBERS, ids=lambda s: s.name)
def test_drift_follows_the_theorem(scheme):
    """A jump of acceleration seeded at the interface: (4.28) and (4.29) over the whole sequence, to
    1e-10."""
    dt = 0.01
    sub = iso.partition(chain(damping=0.0), THREE)
    run = CoupledRun(
        sub, dict.fromkeys(THREE, scheme), dict.fromkeys(THREE, 1), plan(0, 1, dt, (), 1), iso.Newton(), False, False, 1
    )
    run.start(0.0, first=True)
    run.parts[1].state.a[0] += 3.0
    for part in run.parts:
        part.state.lag = scheme.phi
    q, a = run.gap("q"), run.gap("a")
    for n in range(60):
        run.step(SystemStep(n * dt, (n + 1) * dt, dt, False, False, np.inf))
        q = q + dt**2 * (0.5 - scheme.l3 / scheme.l5) * a
        a = (scheme.l5 - 1.0) / scheme.l5 * a
        assert run.gap("q") == pytest.approx(q, abs=1e-10 * 3.0 * dt**2)
        assert run.gap("a") == pytest.approx(a, abs=1e-10 * 3.0)


@pytest.mark.parametrize("scheme", [S.U0(0.5, 0.5, 0.5, explicit=True), S.V0(0.5, 1, 0.5, explicit=True)], ids=str)
def test_explicit_members_of_the_thesis_grow_and_are_warned_about(scheme):
    sub = split_oscillator(load=False, v0=0.0)
    with pytest.warns(StabilityWarning, match="unstable"):
        sol = iso.integrate(sub, {"1": S.U0(1, 1, 0.5, explicit=True), "2": scheme}, dt=0.02, t_end=20.0)
    T, V = sol.energy()
    assert (T + V)[-1] > 4 * (T + V)[0]


def test_stable_explicit_members_do_not():
    sub = split_oscillator(load=False, v0=0.0)
    sol = iso.integrate(sub, {"1": S.U0(1, 1, 0.5, explicit=True), "2": S.central_difference()}, dt=0.02, t_end=20.0)
    T, V = sol.energy()
    assert (T + V).max() < 1.2 * (T + V)[0]


def test_power_across_the_interface_adds_to_nothing():
    sol = iso.integrate(
        iso.partition(chain(), THREE),
        S.optimal(0.5),
        substeps=dict(zip(THREE, (1, 2, 4), strict=True)),
        dt=0.01,
        t_end=1.0,
    )
    power = sol.interface_power()
    assert max(abs(p).max() for p in power.values()) > 1e-2
    assert abs(sum(power.values())).max() < 1e-12

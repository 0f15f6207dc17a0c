"""Steps that are composed are symmetric: forth with Δt and back with −Δt they return to their
start, to rounding."""

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.kernels.compiled import OK
from isodyn.marching.method import settle
from isodyn.marching.plan import lay_legs, new_plan
from isodyn.marching.run import Run
from isodyn.marching.schedule import plan
from isodyn.stepping import initial

CENTRAL, MIDPOINT = iso.Scheme.central_difference(), iso.Scheme.V0(1, 1, 0)
STEPS = 5


def prepared(system, scheme, dt, composition=None):
    """A run at its start, with a plan for given times without rows."""
    method = settle(system, scheme, None, dt, composition)
    newton = iso.Newton(rtol=1e-14, max_halvings=0)
    run = Run(system, method, plan(0.0, STEPS * dt, dt, (), 1), newton=newton, assemble=True)
    run.enter(0)
    stages = len(run.plan.stages)
    own = new_plan(run.model, system.m_phi, method.starting, method.main, newton.controls(), times=STEPS, stages=stages)
    own.stages, own.central, own.save_every, own.t_first = run.plan.stages, run.plan.central, 0, -np.inf
    run.plan = own
    return run


def there_and_back(run, dt):
    """How far q and v are from where they were, relative."""
    state = run.state
    q, v = state.q.copy(), state.v.copy()
    forth = dt * np.arange(1, STEPS + 1)
    back = np.append(forth[-2::-1], 0.0)
    for times in (forth, back):
        run.plan.times, run.plan.t_stop, state.step = times, times[-1], 0
        lay_legs(run.plan, 0, STEPS, start=False, stop=False)
        assert run.march(STEPS) == OK
        run.check(
            initial.initial_acceleration(*run.physics(run.closure), state.t, state, run.memory, run.counters),
            state.t,
            state.t,
        )
        state.lag = 0.0
    return max(np.abs(state.q - q).max() / np.abs(q).max(), np.abs(state.v - v).max() / max(1.0, np.abs(v).max()))


@pytest.mark.parametrize("order", [4, 6])
@pytest.mark.parametrize(
    ("name", "base", "dt"),
    [
        ("pendulum", CENTRAL, 0.1),
        ("spherical_pendulum", CENTRAL, 0.1),
        ("andrews", CENTRAL, 1e-4),
        ("rheonomic_crank", CENTRAL, 0.05),
        ("double_pendulum_doubled", CENTRAL, 0.02),
        ("spinning_top", CENTRAL, 0.004),
        ("gyroscope", CENTRAL, 0.002),
        ("slider_crank_3d", CENTRAL, 0.01),
        ("free_body", CENTRAL, 0.05),  # by Cayley's map
        ("oscillator_damped", CENTRAL, 0.1),
        ("manufactured", CENTRAL, 0.05),
        ("kepler", CENTRAL, 0.05),
        ("kepler", MIDPOINT, 0.05),
        ("manufactured", MIDPOINT, 0.05),
        ("pleiades", MIDPOINT, 0.005),
    ],
    ids=str,
)
def test_there_and_back(name, base, dt, order):
    system = problems.get(name).system()
    run = prepared(system, base, dt, iso.Composition(base, order))
    assert there_and_back(run, dt) < 1e-12


@pytest.mark.parametrize(("name", "dt"), [("spherical_pendulum", 0.1), ("spinning_top", 0.004)])
def test_the_stabilised_step_is_not_symmetric(name, dt):
    """Second order, but not its own inverse: the reason why compositions have a step of their
    own."""
    system = problems.get(name).system()
    gaps = [there_and_back(prepared(system, CENTRAL, h), h) for h in (dt, dt / 2, dt / 4)]
    assert gaps[-1] > 1e-9
    assert np.log2(gaps[-2] / gaps[-1]) == pytest.approx(3.0, abs=1.2)


def test_energy_and_momentum_stay():
    """Over 100 turns of Kepler's ellipse energy does not drift, and angular momentum is kept to
    rounding."""
    problem = problems.get("kepler")
    sol = iso.integrate(problem.system(), iso.Composition(CENTRAL, 6), dt=0.1, t_end=200 * np.pi, save_every=10)
    kept = problem.conserved(sol)
    gap = np.abs(kept["energy"] - kept["energy"][0])
    assert gap.max() < 1e-4
    assert gap[sol.t > 100 * np.pi].max() < 1.5 * gap[sol.t <= 100 * np.pi].max()
    assert np.ptp(kept["angular momentum"]) < 1e-11

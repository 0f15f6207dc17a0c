"""Without constraints, the adaptive route takes the steps that SciPy's DOP853 takes where that
aims at as small a part of the allowed error, and has its dense output."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.integrate._ivp import rk

import isodyn as iso
import rotating_bodies as rotating
from isodyn import problems
from isodyn.marching.steppers import OrderEight
from isodyn.problems import andrews


@pytest.mark.parametrize("name", ["kepler", "manufactured", "pleiades"])
def test_steps_and_dense_output(name, monkeypatch):
    monkeypatch.setattr(rk, "SAFETY", OrderEight.safety)
    problem = problems.get(name)
    system, n = problem.system(), problem.system().nv
    ask = iso.systems.questions.Questions(system)

    def rate(t, y):
        q, v = y[:n].copy(), y[n:].copy()
        return np.concatenate([v, np.linalg.solve(ask.mass(t, q, v), -ask.balance(t, q, v, np.zeros(n)))])

    # the estimate of every step is well above rounding, so that both decide alike
    settings = {"rtol": 1e-6, "atol": 1e-8, "first_step": 0.1}
    y0, t_end = np.concatenate([system.q0, system.v0]), min(problem.t_end, 3.0)
    theirs = solve_ivp(rate, (0.0, t_end), y0, method="DOP853", dense_output=True, **settings)
    ours = iso.integrate_adaptive(system, t_end=t_end, **settings)
    # the last steps are stretched to t_end
    assert ours.t[:-2] == pytest.approx(theirs.t[: ours.t.size - 2], rel=1e-7)
    times = np.linspace(0.0, ours.t[-3], 50)
    between = iso.integrate_adaptive(system, t_end=t_end, save=times, **settings)
    y = theirs.sol(times).T
    assert np.abs(np.hstack([between.q, between.v]) - y).max() < 1e-9 * np.abs(y).max()


def test_plain_and_compiled_callables():
    """The same numbers from Andrews' mechanism in plain Python."""
    compiled, plain = (
        iso.integrate_adaptive(system, t_end=0.01, rtol=1e-6, atol=1e-8, first_step=1e-3, save=5)
        for system in (problems.get("andrews").system(), andrews.plain_system())
    )
    assert np.abs(compiled.q - plain.q).max() < 1e-12
    assert compiled.stats.steps == plain.stats.steps


def test_rate_of_q_by_differences_of_the_retraction():
    """d(q ⊕ εv)/dε of the pair (position, quaternion) against its formula, to rounding."""
    system = rotating.top_system()
    sol = iso.integrate_adaptive(system, t_end=1e-3, first_step=1e-3, save=[0.0])
    from isodyn.formulations.closure import OPEN
    from isodyn.marching.at_rest import AtRest
    from isodyn.stepping.rate import rate

    run = AtRest(system)
    run.state.q[:], run.state.v[:] = sol.q[0], sol.v[0]
    run.make_consistent(0.0, True)
    out = np.zeros(13)
    physics = run.physics(OPEN)
    assert rate(*physics, 0.0, run.state, run.memory, out, run.counters) == 0
    q, v = run.state.q, run.state.v
    exact = np.concatenate([v[:3], 0.5 * rotating.product(q[3:], np.concatenate([[0.0], v[3:]]))])
    assert np.abs(out[:7] - exact).max() < 1e-13 * np.abs(v).max()
    assert (out[7:] == run.state.a).all()

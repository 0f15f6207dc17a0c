"""`Radau` against exact motions, published digits and closed forms, with both levels of the
constraints at rounding.

Measured at rows between steps, relative to rtol: at most 0.1 in q, 0.2 in v, a and λ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import solve_ivp

import isodyn as iso
from isodyn import problems
from isodyn.errors import InputError, NonFiniteError, SingularError
from isodyn.problems.van_der_pol import build as van_der_pol
from isodyn.results.checkpoint import Checkpoint

EXACT = ["manufactured", "oscillator_forced", "pendulum", "planar_loop_in_space", "moving_guide", "rolling_disc"]


def relative(found, exact):
    return np.abs(found - exact).max() / np.abs(exact).max()


@pytest.mark.parametrize("name", EXACT)
def test_exact_motions(name):
    """q, v, a and λ at output times between the steps; M(q), loads in time, moving, nonholonomic and
    redundant rows."""
    problem, rtol = problems.get(name), 1e-7
    sol = iso.integrate(
        problem.system(), iso.Radau(rtol=rtol, atol=1e-2 * rtol), t_end=min(problem.t_end, 2.0), save=21
    )
    exact = problem.exact(sol.t)
    for part in ("q", "v", "a", "lam"):
        if getattr(sol, part).size:
            assert relative(getattr(sol, part), getattr(exact, part)) < rtol, part
    if sol.system.m:
        assert max(sol.drift().largest) < 1e-13


def test_andrews():
    """The mechanism of the test set at t = 0.03, reference in extended precision."""
    problem = problems.get("andrews")
    known = problem.reference
    sol = iso.integrate(problem.system(), iso.Radau(rtol=1e-8), t_end=0.03)
    for part, bound in (("q", 1e-9), ("v", 1e-8), ("a", 1e-7), ("lam", 1e-8)):
        assert relative(getattr(sol, part)[-1], getattr(known, part)[5]) < bound, part
    assert max(sol.drift().largest) < 1e-13


def test_van_der_pol():
    """μ = 1000 at t = 2000, digits of the test set; a step is as long as the motion allows, not as
    the fastest component."""
    sol = iso.integrate(van_der_pol(1000.0), iso.Radau(rtol=1e-7), t_end=2000.0)
    assert sol.q[-1, 0] == pytest.approx(1.706167732170469, rel=1e-8)
    assert sol.v[-1, 0] == pytest.approx(-8.928097010248125e-4, rel=1e-6)
    assert sol.stats.steps < 3000  # held to 1e-8 inside, where SciPy's takes 2712


def stretching(q: Any, v: Any, t: float) -> Any:
    pull = -1e4 * (1.0 - 1.0 / np.sqrt(q[0] ** 2 + q[1] ** 2))
    return np.array([pull * q[0], pull * q[1] - 9.81])


def swinging(q: Any, v: Any, t: float) -> Any:
    return (1.0 - q**2) * v - q


@pytest.mark.parametrize("rtol", [1e-3, 1e-5])
@pytest.mark.parametrize(
    ("force", "q0", "t_end"), [(swinging, [2.0], 10.0), (stretching, [1.0, 0.0], 1.0)], ids=["van der Pol", "spring"]
)
def test_not_worse_than_scipy(force: Any, q0: list[float], t_end: float, rtol: float) -> None:
    """At the same tolerance no error over all of time is larger than that of SciPy's Radau."""
    n = len(q0)
    system = iso.MechanicalSystem(M=np.eye(n), Q=force, q0=q0, v0=[0.0] * n)
    times = np.linspace(0.0, t_end, 41)
    found, exact = (iso.integrate(system, iso.Radau(rtol=tol), t_end=t_end, save=times) for tol in (rtol, 1e-9))
    other = solve_ivp(
        lambda t, y: np.concatenate([y[n:], force(y[:n], y[n:], t)]),
        (0.0, t_end), np.concatenate([system.q0, system.v0]), "Radau", times, rtol=rtol, atol=1e-3 * rtol,
    ).y.T  # fmt: skip
    for mine, theirs, true in ((found.q, other[:, :n], exact.q), (found.v, other[:, n:], exact.v)):
        assert np.abs(mine - true).max() < np.abs(theirs - true).max()


@pytest.mark.parametrize("rate", [1e4, 1e8])
def test_rows_between_steps_of_a_stiff_motion(rate: float) -> None:
    """A state that is pulled to sin t: ends of steps are good however long they are, and rows between
    them are as good as the tolerance, too. They were off by half with steps of three seconds."""
    system = iso.FirstOrderSystem(lambda s, t: np.array([np.cos(t) - rate * (s[0] - np.sin(t))]), s0=[0.0])
    for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
        sol = iso.integrate(system, iso.Radau(rtol=rtol), t_end=10.0, save=101)
        assert np.abs(sol.v[:, 0] - np.sin(sol.t)).max() < 5.0 * rtol
        assert sol.stats.steps < 30.0 * (1e-4 / rtol) ** 0.25


def robertson() -> iso.FirstOrderSystem:
    def h(s, t):
        slow, back, fast = 0.04 * s[0], 1e4 * s[1] * s[2], 3e7 * s[1] ** 2
        return np.array([back - slow, slow - back - fast, fast])

    return iso.FirstOrderSystem(h, s0=[1.0, 0.0, 0.0])


@pytest.mark.parametrize("eps", [1e-6, 1e-8, 1e-10])
def test_rates_on_a_curve_that_attracts_strongly(eps: float) -> None:
    """Kaps' problem: y₁ is pulled to y₂² at a rate of 1/eps, which magnifies in its rate what the
    iteration of a step leaves. Matrices of the step before contract it less than the last
    correction of that step did."""

    def h(s, t):
        return np.array([-(2.0 + 1.0 / eps) * s[0] + s[1] ** 2 / eps, s[0] - s[1] * (1.0 + s[1])])

    sol = iso.integrate(iso.FirstOrderSystem(h, s0=[1.0, 1.0]), iso.Radau(rtol=1e-4), t_end=2.0)
    assert np.abs(sol.s - np.exp(np.outer(-sol.t, [2.0, 1.0]))).max() < 1e-7
    assert np.abs(sol.a[:, 0] + 2.0 * np.exp(-2.0 * sol.t)).max() < 2e-3
    assert sol.stats.rejected <= 2


def test_robertson():
    """Three reactions of very different speed at t = 1e11, published digits; mass stays."""
    sol = iso.integrate(robertson(), iso.Radau(rtol=1e-7, atol=1e-17), t_end=1e11)
    assert sol.v[-1] == pytest.approx([2.083340149701255e-8, 8.333360770334713e-14, 0.9999999791665050], rel=1e-9)
    assert sol.v.sum(axis=1) == pytest.approx(np.ones(sol.t.size), abs=1e-10)
    assert sol.stats.steps < 1800  # held to 1e-8 inside, where SciPy's takes 1655


def test_algebraic_unknowns_of_index_1():
    """s' = −z with z = s³, rows between steps."""
    system = iso.FirstOrderSystem(lambda s, z, t: -z, s0=[1.0], z0=[0.5], c=lambda s, z, t: z - s**3)
    sol = iso.integrate(system, iso.Radau(rtol=1e-8), t_end=1.0, save=5)
    exact = (1.0 + 2.0 * sol.t) ** -0.5
    assert sol.v[:, 0] == pytest.approx(exact, abs=1e-9)
    assert sol.lam[:, 0] == pytest.approx(exact**3, abs=1e-8)
    assert sol.a[:, 0] == pytest.approx(-(exact**3), abs=1e-8)


def test_algebraic_unknowns_of_index_2():
    """A spiral: c fixes the radius e^(−t), z is −1/2; of full order at the ends of steps."""

    def h(s, z, t):
        return np.array([-s[1], s[0]]) * (1.0 + t) + 2.0 * s * z

    system = iso.FirstOrderSystem(h, s0=[1.0, 0.0], z0=[0.0], c=lambda s, z, t: np.array([s @ s - np.exp(-2.0 * t)]))
    sol = iso.integrate(system, iso.Radau(rtol=1e-8), t_end=1.0)
    angle, radius = sol.t + 0.5 * sol.t**2, np.exp(-sol.t)
    assert sol.v == pytest.approx(np.array([radius * np.cos(angle), radius * np.sin(angle)]).T, abs=1e-9)
    assert sol.lam[:, 0] == pytest.approx(-0.5 * np.ones(sol.t.size), abs=1e-9)


def test_implicit_system():
    """x'³ = x through F(t, x, x') = 0 with an algebraic equation."""

    def F(t, x, xdot):
        return np.array([xdot[0] ** 3 + x[0] - x[1], x[1] - 2.0 * x[0]])

    sol = iso.integrate(iso.ImplicitSystem(F, x0=[1.0, 0.0], xdot0=[1.0, 0.0]), iso.Radau(rtol=1e-8), t_end=1.0)
    assert sol.x[-1, 0] == pytest.approx((5 / 3) ** 1.5, abs=1e-9)


def test_sparse_linear_system():
    """A chain that is stiff, with sparse matrices: the static answer to a slow load."""
    n, k = 70, 1e8
    K = sparse.diags_array([2.0 * np.ones(n), -np.ones(n - 1), -np.ones(n - 1)], offsets=[0, 1, -1])
    M = sparse.eye_array(n).tocsr()
    load = np.linspace(1.0, 2.0, n)
    system = iso.LinearSystem(M, (1e5 * K).tocsr(), (k * K).tocsr(), lambda t: t * load, np.zeros(n), np.zeros(n))
    sol = iso.integrate(system, iso.Radau(rtol=1e-6, atol=1e-14), t_end=1.0)
    still = np.linalg.solve(k * K.toarray(), load)
    assert sol.q[-1] == pytest.approx(still - 1e5 / k * still, rel=1e-5)
    assert sol.stats.steps < 400  # SciPy's takes 187 and, at the 6e-8 that steps are held to, about 370


def test_checkpoints_go_on_bit_for_bit(tmp_path):
    """Matrices and guesses are forgotten where a checkpoint is written, so that a run that is
    stopped and resumed is the same as one that is not."""
    system, method = problems.get("pendulum").system(), iso.Radau(rtol=1e-6)
    whole = iso.integrate(system, method, t_end=2.0, checkpoint=Checkpoint(tmp_path / "whole", 20))
    stopped = iso.integrate(
        system, method, t_end=2.0, checkpoint=Checkpoint(tmp_path / "part", 20), observe=lambda s: s.t > 1.0
    )
    assert stopped.t[-1] < whole.t[-1]
    again = iso.resume(tmp_path / "part", system)
    assert np.array_equal(whole.q, again.q)


def relaxing():
    """A component that follows cos t, stiff before t = 1 and not after it."""

    def h(s, t):
        return np.array([-1e4 / (1.0 + np.exp(20.0 * (t - 1.0))) * (s[0] - np.cos(t)), -s[0]])

    return iso.FirstOrderSystem(h, s0=[1.0, 0.0])


def test_auto_changes_and_says_so():
    """Explicit, implicit where it is stiff, explicit again; a smooth motion stays explicit, and
    algebraic unknowns are implicit throughout."""
    sol, system = iso.integrate(relaxing(), iso.Auto(rtol=1e-7), t_end=4.0), relaxing()
    words = sol.stats.methods.split(", ")
    assert [word.split()[0] for word in words] == ["DOP853", "Radau", "DOP853"]
    assert sol.stats.methods in str(sol.stats)
    exact = iso.integrate(system, iso.Radau(rtol=1e-10), t_end=4.0)
    assert sol.v[-1] == pytest.approx(exact.v[-1], abs=1e-6)
    smooth = iso.integrate(problems.get("pendulum").system(), iso.Auto(rtol=1e-7), t_end=2.0)
    assert smooth.stats.methods == "DOP853"
    algebraic = iso.FirstOrderSystem(lambda s, z, t: -z, s0=[1.0], z0=[0.5], c=lambda s, z, t: z - s**3)
    assert iso.integrate(algebraic, iso.Auto(rtol=1e-6), t_end=1.0).stats.methods == "Radau"


def test_auto_on_a_sparse_model():
    """A beam of 132 coordinates is stiff at once; Radau with sparse matrices was asked after 40 steps
    whether it is still needed, and that ended in an error of NumPy."""
    sol = iso.integrate(problems.get("roll_up").system(), iso.Auto(1e-3, max_step=1e-4), t_end=6e-3)
    assert "Radau from" in sol.stats.methods
    assert sol.stats.steps > 60
    assert sol.t[-1] == 6e-3


def test_auto_goes_on_from_checkpoints(tmp_path):
    """Which method takes the steps is part of a checkpoint."""
    method, options = iso.Auto(rtol=1e-6), {"t_end": 4.0}
    whole = iso.integrate(relaxing(), method, checkpoint=Checkpoint(tmp_path / "whole", 30), **options)
    kept, system = Checkpoint(tmp_path / "part", 30), relaxing()
    iso.integrate(system, method, checkpoint=kept, observe=lambda s: s.t > 1.0, **options)
    again = iso.resume(tmp_path / "part", system)
    assert again.stats.methods == whole.stats.methods
    assert np.array_equal(whole.v, again.v)


def test_events_and_breakpoints():
    """A ball that falls onto a stiff floor: the time of contact, and a force that jumps."""
    ball = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: np.array([-9.81]), q0=[1.0], v0=[0.0])
    sol = iso.integrate(ball, iso.Radau(), t_end=1.0, events=[iso.Event(lambda t, q, v: q[0], terminal=True)])
    assert sol.t[-1] == pytest.approx(np.sqrt(2.0 / 9.81), abs=1e-12)
    pushed = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: np.array([1.0 if t > 0.5 else 0.0]), q0=[0.0], v0=[0.0])
    sol = iso.integrate(pushed, iso.Radau(), t_end=1.0, breakpoints=[0.5])
    assert sol.q[-1, 0] == pytest.approx(0.125, abs=1e-12)


def test_governor():
    """Two arms on a shaft with a spring of 1e7 N/m between them, spun up: q to 1e-11 between two
    tolerances, constraints at rounding."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("shaft", 1.0, (0.1, 0.2, 0.3), angular_velocity=(0, 0, 6.0))
    mech.add_joint(iso.Hinge("pin", "ground", "shaft", axis=(0, 0, 1)))
    for name, side in (("one", 1.0), ("two", -1.0)):
        at = np.array([side * 0.4, 0.0, -0.6])
        mech.add_body(name, 1.0, (1e-2, 1.1e-2, 1.2e-2), at, velocity=(0, 6.0 * at[0], 0), angular_velocity=(0, 0, 6.0))
        mech.add_joint(iso.Hinge(f"arm {name}", "shaft", name, point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.Spring("spring", "one", "two", stiffness=1e7, damping=1e4, rest=0.8))
    system = mech.compile()
    fine, coarse = (iso.integrate(system, iso.Radau(rtol=rtol), t_end=0.1) for rtol in (1e-12, 1e-10))
    assert np.abs(fine.q[-1] - coarse.q[-1]).max() < 1e-11
    assert max(fine.drift().largest) < 1e-13
    assert coarse.stats.steps < 2000


def test_refusals():
    """A formulation beside it, a tolerance below rounding, a matrix without an inverse."""
    pendulum = problems.get("pendulum").system()
    with pytest.raises(InputError, match="Radau closes its steps in a way of its own"):
        iso.integrate(pendulum, iso.Radau(), iso.Stabilised(), t_end=1.0)
    with pytest.raises(InputError, match="rtol must lie between 1e-13 and 1"):
        iso.Radau(rtol=1e-17)
    massless = iso.MechanicalSystem(M=np.diag([1.0, 0.0]), Q=lambda q, v, t: -q, q0=[1.0, 1.0], v0=[0.0, 0.0])
    with pytest.raises(SingularError, match="singular"):
        iso.integrate(massless, iso.Radau(), t_end=1.0)


@pytest.mark.parametrize("method", [iso.Radau, iso.DOP853, iso.Auto])
def test_a_force_that_is_no_number(method):
    """The run ends where the force does, with the word that says so; what was done is kept."""

    def force(q, v, t):
        return -q if q[0] > 0 else np.full_like(q, np.nan)

    system = iso.MechanicalSystem(M=1.0, Q=force, q0=[1.0], v0=[0.0])
    with pytest.raises(NonFiniteError, match=r"a NaN or an infinity appeared at t = 1.57") as caught:
        iso.integrate(system, method(rtol=1e-6), t_end=3.0)
    assert "the correction" not in str(caught.value)
    partial = caught.value.partial
    assert partial.t[-1] == pytest.approx(np.pi / 2, abs=1e-6)
    assert np.abs(partial.q[:, 0] - np.cos(partial.t)).max() < 1e-5

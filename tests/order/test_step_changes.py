"""Order two survives breakpoints, load jumps and steps of changing size, in q, v and a and in the
maximum norm.

An oscillator under a load that jumps; its exact motion is pieced together from the two closed
forms.
"""

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels.compiled import OK
from isodyn.marching.method import settle
from isodyn.marching.plan import lay_legs, new_plan
from isodyn.marching.run import Run
from isodyn.marching.schedule import plan

T_JUMP = 0.7331  # on no grid used here
OMEGA = 3.0
S = iso.Scheme
MEMBERS = [
    S.midpoint_epa(),
    S.U0(0.5, 0.5, 0.5),
    S.U0(0, 0, 0),
    S.V0(0.3, 0.7, 0.1),
    S.V0(0, 0, 0),
    S.optimal(0.2),
    S.implicit_newmark(),
]


def load(t):
    return np.array([1.0 if t < T_JUMP else -2.0])


def exact(t, right=True):
    """q, v, a; at the jump itself the right- or left-hand limit."""
    w2 = OMEGA**2

    def free(f, q0, v0, tau):
        x = q0 - f / w2
        q = f / w2 + x * np.cos(OMEGA * tau) + v0 / OMEGA * np.sin(OMEGA * tau)
        v = -x * OMEGA * np.sin(OMEGA * tau) + v0 * np.cos(OMEGA * tau)
        return np.array([q, v, f - w2 * q])

    q_j, v_j, _ = free(1.0, 1.0, 0.5, T_JUMP)
    after = t >= T_JUMP if right else t > T_JUMP
    return np.where(after, free(-2.0, q_j, v_j, t - T_JUMP), free(1.0, 1.0, 0.5, t))


def system():
    return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: load(t) - OMEGA**2 * q, q0=[1.0], v0=[0.5])


@pytest.mark.parametrize("scheme", MEMBERS, ids=lambda s: s.name)
def test_load_jump_at_a_breakpoint(scheme):
    errors = []
    for dt in (0.02, 0.01, 0.005):
        sol = iso.integrate(system(), scheme, dt=dt, t_end=2.0, breakpoints=[T_JUMP])
        reference = exact(sol.t)
        numbers = np.array([sol.q[:, 0], sol.v[:, 0], sol.a[:, 0]])
        (row,) = sol.aux["breakpoint_rows"]
        assert sol.t[row] == T_JUMP
        left = abs(sol.aux["a_left"][0, 0] - exact(np.array(T_JUMP), right=False)[2])
        errors.append([*np.abs(numbers - reference).max(axis=1), left])
        assert abs(sol.a[row, 0] - sol.aux["a_left"][0, 0]) == pytest.approx(3.0, abs=0.1)
    slopes = np.log2(np.array(errors)[1] / np.array(errors)[2])
    assert slopes[:3] == pytest.approx([2.0, 2.0, 2.0], abs=0.1)
    assert slopes[3] > 1.5  # the left-hand limit


def test_a_load_that_jumps_after_its_breakpoint_is_taken_from_the_right():
    """The value of the load at the jump itself does not matter: the row holds the right-hand limit,
    a_left the other one."""
    late = iso.MechanicalSystem(
        M=1.0, Q=lambda q, v, t: (1.0 if t <= T_JUMP else -2.0) - OMEGA**2 * q, q0=[1.0], v0=[0.5]
    )
    options = {"dt": 0.01, "t_end": 2.0, "breakpoints": [T_JUMP]}
    sol, usual = (iso.integrate(s, S.U0(0, 0, 0), **options) for s in (late, system()))
    (row,) = sol.aux["breakpoint_rows"]
    assert sol.a[row, 0] == pytest.approx(-2.0 - OMEGA**2 * sol.q[row, 0], abs=1e-12)
    assert np.array_equal(sol.a, usual.a)
    assert np.array_equal(sol.aux["a_left"], usual.aux["a_left"])


@pytest.mark.parametrize("scheme", [S.V0(0, 0, 0), S.V0(0.3, 0.7, 0.1), S.U0(0, 0, 0)], ids=lambda s: s.name)
def test_a_load_that_varies_up_to_its_jump(scheme):
    """Members with W₁ > 1 would look past the jump in the step before it; the left-hand limit is
    second order all the same."""

    def force(q, v, t):
        return (np.cos(5.0 * t) if t < T_JUMP else -2.0) - OMEGA**2 * q

    def left(dt):
        varying = iso.MechanicalSystem(M=1.0, Q=force, q0=[1.0], v0=[0.5])
        return iso.integrate(varying, scheme, dt=dt, t_end=1.0, breakpoints=[T_JUMP]).aux["a_left"][0, 0]

    reference = left(T_JUMP / 6400)
    errors = [abs(left(T_JUMP / n) - reference) for n in (50, 100, 200)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.15)


def test_without_the_breakpoint_order_is_lost():
    errors = []
    for dt in (0.02, 0.01, 0.005):
        sol = iso.integrate(system(), S.U0(0.5, 0.5, 0.5), dt=dt, t_end=2.0)
        errors.append(np.abs(sol.v[:, 0] - exact(sol.t)[1]).max())
    assert np.log2(errors[0] / errors[2]) / 2 < 1.5


def walk(scheme, times):
    """q, v, a of an oscillator under a constant load at the given times, with the first step as
    `integrate` takes it."""
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: 1.0 - OMEGA**2 * q, q0=[1.0], v0=[0.5])
    n, method = times.size, settle(system, scheme, None, 1.0)
    run = Run(system, method, plan(0.0, 1.0, 1.0 / n, (), 1), newton=iso.Newton(rtol=1e-12))
    run.enter(0)
    own = new_plan(run.model, 0, method.starting, method.main, run.newton.controls(), times=n)
    own.times, own.t_stop = times, times[-1]
    lay_legs(own, 0, n, start=True, stop=False)
    run.plan = own
    assert run.march(n) == OK
    rows = run.rows
    return np.array([rows.q[1:, 0], rows.v[1:, 0], rows.a[1:, 0]])


@pytest.mark.parametrize("scheme", MEMBERS, ids=lambda s: s.name)
def test_varying_steps(scheme):
    """Steps whose size changes all the time by up to a factor of four: the acceleration is re-timed
    before each."""
    errors = []
    for n in (100, 200, 400):
        sizes = 1.0 + 0.6 * np.sin(1.7 * np.arange(n))
        times = 0.7 * np.cumsum(sizes) / sizes.sum()  # before the jump, where the load is 1
        errors.append(np.abs(walk(scheme, times) - exact(times)).max(axis=1))
    slopes = np.log2(np.array(errors)[1] / np.array(errors)[2])
    assert slopes == pytest.approx([2.0, 2.0, 2.0], abs=0.12)


def test_last_step_shorter_keeps_the_order():
    errors = []
    for dt in (0.03, 0.015, 0.0075):
        sol = iso.integrate(
            iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0]), S.U0(0, 0, 0), dt=dt, t_end=1.0
        )
        errors.append(abs(sol.a[-1, 0] + np.cos(1.0)))
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.15)

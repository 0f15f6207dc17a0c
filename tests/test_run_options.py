"""What a user can ask of a run besides the motion."""

import numpy as np
import pytest

import isodyn as iso

SCHEME = iso.Scheme.U0(0.8, 0.8, 0.8)


def two_masses():
    K = np.array([[2.0, -1.0], [-1.0, 2.0]])
    return iso.MechanicalSystem(M=np.eye(2), Q=lambda q, v, t: -K @ q, q0=[1.0, 0.5], v0=[0.0, -0.2])


def test_save_every_keeps_first_last_and_every_third():
    whole = iso.integrate(two_masses(), SCHEME, dt=0.1, t_end=1.0)
    sparse = iso.integrate(two_masses(), SCHEME, dt=0.1, t_end=1.0, save_every=3)
    rows = [0, 3, 6, 9, 10]
    for name in ("t", "q", "v", "a"):
        assert np.array_equal(getattr(sparse, name), getattr(whole, name)[rows])


def test_select_columns():
    whole = iso.integrate(two_masses(), SCHEME, dt=0.1, t_end=1.0)
    part = iso.integrate(two_masses(), SCHEME, dt=0.1, t_end=1.0, select={"q": [1], "v": [], "a": [-1, 0]})
    assert np.array_equal(part.q, whole.q[:, [1]])
    assert part.v.shape == (11, 0)
    assert np.array_equal(part.a, whole.a[:, [1, 0]])


def test_observe_sees_saved_rows_and_can_stop():
    seen = []

    def watch(sample):
        seen.append((float(sample.t), sample.q.copy()))
        return sample.t > 0.55

    sol = iso.integrate(two_masses(), SCHEME, dt=0.1, t_end=1.0, save_every=2, observe=watch)
    assert [t for t, _ in seen] == pytest.approx([0.0, 0.2, 0.4, 0.6])
    assert np.array_equal(sol.q, [q for _, q in seen])
    assert sol.stats.stopped.startswith("stopped by observe at t = 0.6 after 6 of 10 steps")


def test_observing_changes_nothing():
    plain = iso.integrate(two_masses(), SCHEME, dt=0.1, t_end=1.0)
    observed = iso.integrate(two_masses(), SCHEME, dt=0.1, t_end=1.0, observe=lambda sample: None)
    assert np.array_equal(plain.a, observed.a)


def test_last_step_is_shorter_when_dt_does_not_divide():
    sol = iso.integrate(two_masses(), SCHEME, dt=0.3, t_end=1.0)
    assert sol.t == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.0])
    assert sol.t[-1] == 1.0


def test_t0_shifts_time():
    here = iso.integrate(two_masses(), SCHEME, dt=0.1, t_end=1.0)
    there = iso.integrate(two_masses(), SCHEME, dt=0.1, t0=5.0, t_end=6.0)
    assert np.allclose(here.q, there.q, atol=1e-13)
    assert there.t[0] == 5.0


def test_progress_goes_to_standard_error(capsys):
    iso.integrate(two_masses(), SCHEME, dt=0.1, t_end=1.0, progress=True)
    assert capsys.readouterr().out == ""


def test_default_scheme_and_repr():
    sol = iso.integrate(two_masses(), dt=0.1, t_end=1.0)
    assert sol.scheme == iso.Scheme.default() == iso.Scheme.U0(0.9, 1, 0)
    assert "11 rows from t = 0 to 1; 10 steps" in repr(sol)


def test_constant_acceleration_is_exact_in_one_step():
    """A body that falls: every member is exact from the first step on, in q, v and a."""
    fall = iso.MechanicalSystem(M=2.0, Q=lambda q, v, t: np.array([-19.62]), q0=[3.0], v0=[1.0])
    for scheme in (SCHEME, iso.Scheme.V0(0.3, 0.7, 0.1), iso.Scheme.optimal(0.0), iso.Scheme.central_difference()):
        sol = iso.integrate(fall, scheme, dt=0.5, t_end=1.5)
        t = sol.t[:, None]
        assert np.allclose(sol.q, 3 + t - 4.905 * t**2, rtol=0, atol=1e-13)
        assert np.allclose(sol.v, 1 - 9.81 * t, rtol=0, atol=1e-13)
        assert np.allclose(sol.a, -9.81, rtol=0, atol=1e-12)


def test_linear_system_is_factorised_once_per_matrix():
    """Three matrices: mass for the start, the first step, all other steps."""
    system = iso.LinearSystem(np.eye(2), None, np.diag([1.0, 4.0]), None, [1.0, 1.0], [0.0, 0.0])
    sol = iso.integrate(system, SCHEME, dt=0.01, t_end=10.0)
    assert sol.stats.factorisations == 3
    assert sol.stats.iterations == 1001


def test_explicit_members_need_no_iteration():
    sol = iso.integrate(two_masses(), iso.Scheme.central_difference(), dt=0.01, t_end=1.0)
    assert sol.stats.evaluations == 101
    assert sol.stats.factorisations == 1  # the mass matrix, for the start and for every step


def test_energy_history():
    system = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
    kinetic, potential = iso.integrate(system, iso.Scheme.midpoint_epa(), dt=0.01, t_end=2.0).energy()
    assert kinetic + potential == pytest.approx(np.full(201, 2.0), rel=1e-12)

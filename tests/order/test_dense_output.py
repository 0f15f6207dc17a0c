"""Between rows: values of a motion that is a polynomial are exact, and others keep the order of the
run."""

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems


def test_quintic_motion_is_reproduced():
    """With exact rows of q = t⁵ the quintic is the motion itself, and v its derivative."""
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: np.array([20 * t**3]), q0=[0.0], v0=[0.0])
    sol = iso.integrate(system, dt=0.5, t_end=2.0)
    t = sol.t[:, None]
    sol.q, sol.v, sol.a = t**5, 5 * t**4, 20 * t**3
    fine = np.linspace(0, 2, 41)
    assert sol.at(fine).q[:, 0] == pytest.approx(fine**5, abs=1e-12)
    assert sol.at(fine).v[:, 0] == pytest.approx(5 * fine**4, abs=1e-11)
    assert sol.at(1.0).a[0] == 20.0


def test_rows_are_hit_and_order_is_kept_between_them():
    problem = problems.get("manufactured")
    errors = []
    for dt in (0.02, 0.01):
        sol = iso.integrate(problem.system(), iso.Scheme.U0(0.5, 0.5, 0.5), dt=dt, t_end=1.0)
        assert np.allclose(sol.at(sol.t).q, sol.q, rtol=0, atol=1e-14)
        t = np.linspace(0, 1, 333)
        sample, exact = sol.at(t), problem.exact(t)
        errors.append([abs(getattr(sample, x) - getattr(exact, x)).max() for x in "qva"])
    slopes = np.log2(np.array(errors)[0] / np.array(errors)[1])
    assert slopes == pytest.approx([2, 2, 2], abs=0.15)


def test_first_order_systems_too():
    sol = iso.integrate(iso.FirstOrderSystem(lambda s, t: -s, s0=[1.0]), iso.Scheme.optimal(0.5), dt=0.01, t_end=1.0)
    t = np.linspace(0, 1, 77)
    assert sol.at(t).v[:, 0] == pytest.approx(np.exp(-t), abs=2e-5)
    assert sol.s.shape == sol.sdot.shape == (101, 1)


def test_the_step_before_a_breakpoint_uses_the_left_hand_limit():
    def force(q, v, t):
        return np.array([0.0 if t < 0.5 else 6.0])

    system = iso.MechanicalSystem(M=1.0, Q=force, q0=[0.0], v0=[1.0])
    sol = iso.integrate(system, dt=0.25, t_end=1.0, breakpoints=[0.5])
    t = np.linspace(0, 1, 41)
    exact = t + 3 * np.maximum(t - 0.5, 0) ** 2
    assert sol.at(t).q[:, 0] == pytest.approx(exact, abs=1e-13)
    assert sol.at(0.49).a[0] == pytest.approx(0.0, abs=1e-12)

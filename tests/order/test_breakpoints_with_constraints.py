"""A load that jumps on a constrained system: right-hand limits of a and λ at the breakpoint,
least-norm ones with redundant rows."""

import numpy as np
import pytest

import isodyn as iso

T_JUMP = 0.505


def pendulum(copies):
    """A rod entered once or several times, under a side load that jumps."""

    def load(q, v, t):
        return np.array([4.0 if t < T_JUMP else -3.0, -9.81])

    weights = np.arange(1.0, copies + 1.0)
    return iso.MechanicalSystem(
        M=np.ones(2),
        Q=load,
        q0=[0.6, -0.8],
        v0=[0.8, 0.6],
        phi=lambda q, t: weights * (q @ q - 1.0) / 2,
        G=lambda q, t: np.outer(weights, q),
        b=lambda q, v, t: -weights * (v @ v),
        phi_t=lambda q, t: np.zeros(copies),
    )


@pytest.mark.parametrize("copies", [1, 2])
def test_limits_at_the_jump(copies):
    sol = iso.integrate(pendulum(copies), iso.Scheme.U0(0.5, 0.5, 0.5), dt=0.01, t_end=1.0, breakpoints=[T_JUMP])
    (row,) = sol.aux["breakpoint_rows"]
    q, v = sol.q[row], sol.v[row]
    weights = np.arange(1.0, copies + 1.0)

    def multiplier(side_load):  # λ (q·q) = q·Q + v·v, shared in least norm
        return (q @ [side_load, -9.81] + v @ v) * weights / (weights @ weights)

    assert sol.lam[row] == pytest.approx(multiplier(-3.0), rel=1e-10)
    assert sol.aux["lam_left"][0] == pytest.approx(multiplier(4.0), rel=2e-3)
    assert max(sol.drift().largest[:2]) < 1e-12


def test_a_pendulum_that_hangs_still_stays_so():
    """Nothing moves, so there is no acceleration to compare corrections with; the reaction is the
    weight."""
    system = iso.MechanicalSystem(
        M=np.ones(2),
        Q=lambda q, v, t: np.array([0.0, -9.81]),
        q0=[0.0, -1.0],
        v0=[0.0, 0.0],
        phi=lambda q, t: np.array([(q @ q - 1) / 2]),
    )
    for scheme in (iso.Scheme.optimal(0.5), iso.Scheme.V0(1, 1, 0), iso.Scheme.central_difference()):
        sol = iso.integrate(system, scheme, dt=0.01, t_end=1.0)
        assert sol.stats.halvings == 0
        assert np.abs(sol.q - system.q0).max() < 1e-12
        assert sol.lam[:, 0] == pytest.approx(np.full(101, 9.81), rel=1e-6)


@pytest.mark.parametrize("formulation", [iso.Penalty(p=1e-7, omega=50.0), iso.UdwadiaKalaba(), iso.NullSpace()])
def test_formulations_that_change_the_system_know_both_limits(formulation):
    """Multipliers on both sides of the jump, and dense output across it."""
    sol = iso.integrate(
        pendulum(1), iso.Scheme.U0(0.5, 0.5, 0.5), formulation, dt=0.002, t_end=1.0, breakpoints=[T_JUMP]
    )
    (row,) = sol.aux["breakpoint_rows"]
    q, v = sol.q[row], sol.v[row]
    for lam, side_load in ((sol.lam[row, 0], -3.0), (sol.aux["lam_left"][0, 0], 4.0)):
        assert lam == pytest.approx(q @ [side_load, -9.81] + v @ v, rel=2e-2)
    assert sol.at(T_JUMP - 1e-3).lam.shape == (1,)

"""Every member is second order in q, v and a at t_n: in the maximum norm over all of time, and at
n = 1 alone.

The problem has M(q), forces that depend on velocity and time, and a nonzero initial jerk; its
motion is known exactly. Many of the members have φ ≠ 0 (a_n belongs to t_n − φΔt) and W₁ ≠ ½
(balance away from the middle of the step).
"""

import pytest

import isodyn as iso
from isodyn import problems
from isodyn.studies import order_study

RATE, EPS = 2.0, 0.1
DTS = [0.02, 0.01, 0.005]
S = iso.Scheme
MEMBERS = [
    S.midpoint_epa(),
    S.midpoint_mpa(),
    S.V0(1, 1, 0.5),
    S.implicit_newmark(),
    S.U0(1, 1, 0.5),
    S.U0(0.5, 0.5, 0.5),
    S.U0(0, 0, 0),
    S.U0(0.2, 0.9, 0.1),
    S.V0(0.3, 0.7, 0.1),
    S.V0(0, 0, 0),
    S.generalised_alpha(0.8),
    S.generalised_alpha(0.8, v0=True),
    S.hht(0.7),
    S.hht(0.7, v0=True),
    S.wbz(0.6),
    S.wbz(0.6, v0=True),
    S.optimal(0.0),
    S.optimal(0.5),
    S.central_difference(),
    S.U0(0.5, 0.5, 0, explicit=True),
    S.U0(1, 1, 0, eta=(0, 1, 0)),
    S.V0(0.5, 1, 1, eta=(0, 1, 0)),
    S.V0(0, 1, 0.5, explicit=True),
]


@pytest.mark.parametrize("scheme", MEMBERS, ids=lambda s: s.name)
def test_second_order_in_q_v_a(scheme):
    case = order_study(problems.get("manufactured"), scheme, DTS).cases[0]
    for quantity in ("q", "v", "a"):
        assert case.order(quantity) == pytest.approx(RATE, abs=EPS), quantity
        assert case.order(f"{quantity}_1") > RATE - EPS, f"{quantity} at n = 1"


def test_the_sample_of_members_is_hard_enough():
    assert sum(s.phi > 0.05 for s in MEMBERS) >= 8
    assert sum(abs(s.W1 - 0.5) > 0.05 for s in MEMBERS) >= 8
    assert any(s.W1 > 1 for s in MEMBERS)
    assert sum(s.explicit for s in MEMBERS) >= 3


def test_without_the_shifted_level_the_acceleration_is_first_order():
    """The study can tell: a_n read as the acceleration at t_n is off by φΔt times the jerk."""
    problem = problems.get("manufactured")
    errors = []
    for dt in DTS:
        sol = iso.integrate(problem.system(), S.U0(0, 0, 0), dt=dt, t_end=1.0)
        a = sol.a.copy()
        a[2:] = sol.a[2:] - sol.scheme.phi * (sol.a[2:] - sol.a[1:-1])
        errors.append(abs(a - problem.exact(sol.t).a).max())
    assert errors[1] / errors[2] == pytest.approx(2.0, abs=0.2)

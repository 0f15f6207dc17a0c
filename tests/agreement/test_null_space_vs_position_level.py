"""The discrete null space, N(q̃)ᵀ·balance = 0 with φ = 0 at t_{n+1}, is position level without
multipliers: equal to near rounding."""

from __future__ import annotations

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso

S = iso.Scheme
pytestmark = pytest.mark.filterwarnings("ignore:multipliers and accelerations of position level")
SYSTEMS = {
    "pendulum": known.pendulum_system,
    "rheonomic, M(q)": known.manufactured_system,
    "double pendulum": known.double_pendulum_system,
    "double pendulum, joint doubled": lambda: known.double_pendulum_system(2),
    "three bars": lambda: known.three_bars_system(redundant=False),
}


@pytest.mark.parametrize(
    "scheme", [S.optimal(0.5), S.U0(0, 0, 0), S.V0(0.3, 0.7, 0.1), S.U0(1, 1, 1)], ids=lambda s: s.name
)
@pytest.mark.parametrize("name", SYSTEMS)
def test_same_motion_and_multipliers(name, scheme):
    """q to 1e-12, v to 1e-10; a and λ, which feel rounding of q as eps/Δt², to 1e-8. Multipliers
    are recovered from the balance."""
    newton = iso.Newton(rtol=1e-13)
    with_multipliers, without = (
        iso.integrate(SYSTEMS[name](), scheme, formulation, dt=0.01, t_end=0.3, newton=newton)
        for formulation in (iso.PositionLevel(), iso.NullSpace(discrete=True))
    )
    for quantity, tolerance in (("q", 1e-12), ("v", 1e-10), ("a", 1e-8), ("lam", 1e-8)):
        one, other = getattr(with_multipliers, quantity), getattr(without, quantity)
        np.testing.assert_allclose(other, one, rtol=0, atol=tolerance * max(1.0, np.abs(one).max()), err_msg=quantity)


def test_stabilised_is_something_else():
    """The comparison can tell formulations apart."""
    null_space, stabilised = (
        iso.integrate(known.pendulum_system(), S.optimal(0.5), formulation, dt=0.01, t_end=0.5)
        for formulation in (iso.NullSpace(discrete=True), iso.Stabilised())
    )
    assert np.abs(null_space.q - stabilised.q).max() > 1e-7

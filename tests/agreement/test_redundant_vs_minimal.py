"""Rows entered again, or implied by others only where the constraints hold, change neither motion
nor forces.

Motion equal to that of the minimal model to 1e-10, multipliers equal to the pseudo-inverse answer
at every t_n to 1e-8, dropped rows at rounding.
"""

from __future__ import annotations

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso
from isodyn.linear_solvers.rows import choose
from isodyn.systems.questions import Questions

S = iso.Scheme
FORMULATIONS = [
    iso.Stabilised(),
    iso.GGL(),
    iso.Projection(),
    iso.Overdetermined(),
    iso.VelocityLevel(),
    iso.AccelerationLevel(),
    iso.PositionLevel(),
    iso.Baumgarte(3.0, 4.0),
]
MODELS = {
    "joint doubled": (lambda: known.double_pendulum_system(2), known.double_pendulum_system),
    "joint tripled": (lambda: known.double_pendulum_system(3), known.double_pendulum_system),
    "third parallel bar": (known.three_bars_system, lambda: known.three_bars_system(redundant=False)),
}
KEEPS = (iso.Stabilised, iso.GGL, iso.Projection, iso.Overdetermined)
pytestmark = pytest.mark.filterwarnings("ignore:multipliers and accelerations of position level")


def pair(name, formulation, scheme, t_end=0.3):
    newton = iso.Newton(rtol=1e-13)
    return [iso.integrate(make(), scheme, formulation, dt=0.01, t_end=t_end, newton=newton) for make in MODELS[name]]


def assert_same_motion(redundant, minimal):
    weak = {"q": 1e-10, "v": 1e-10, "a": 1e-8}  # a of position level feels rounding of q as eps/Δt²
    for quantity, tolerance in weak.items():
        one, other = getattr(minimal, quantity), getattr(redundant, quantity)
        np.testing.assert_allclose(other, one, rtol=0, atol=tolerance * max(1.0, np.abs(one).max()), err_msg=quantity)


@pytest.mark.parametrize("scheme", [S.optimal(0.5), S.V0(1, 1, 0)], ids=lambda s: s.name)
@pytest.mark.parametrize(
    "formulation",
    [pytest.param(f, id=repr(f)) for f in FORMULATIONS],
)
@pytest.mark.parametrize("name", ["joint doubled", "joint tripled"])
def test_copied_rows(name, formulation, scheme):
    redundant, minimal = pair(name, formulation, scheme)
    assert_same_motion(redundant, minimal)
    assert_least_multipliers(redundant, minimal)


@pytest.mark.parametrize("scheme", [S.optimal(0.5), S.central_difference()], ids=lambda s: s.name)
@pytest.mark.parametrize("formulation", [f for f in FORMULATIONS if isinstance(f, KEEPS)], ids=repr)
def test_rows_dependent_only_on_the_manifold(formulation, scheme):
    """Which rows are enforced is a choice; where φ = 0 and φ̇ = 0 hold at every t_n the motion is
    the same."""
    redundant, minimal = pair("third parallel bar", formulation, scheme)
    assert_same_motion(redundant, minimal)
    assert_least_multipliers(redundant, minimal)


def assert_least_multipliers(redundant, minimal):
    """λ is what the pseudo-inverse makes of the constraint force of the minimal model at t_n."""
    ask, few = Questions(redundant.system), Questions(minimal.system)
    for t, q, v, lam, known_lam in zip(redundant.t, redundant.q, redundant.v, redundant.lam, minimal.lam, strict=True):
        force = few.G(t, q, v).T @ known_lam
        expected = np.linalg.pinv(ask.G(t, q, v).T, rcond=1e-9) @ force
        np.testing.assert_allclose(lam, expected, rtol=0, atol=1e-8 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("name", MODELS)
def test_multipliers_balance_the_forces_at_the_start(name):
    """At t₀, where a is exact: λ = pinv(Gᵀ)(Q − M a)."""
    sol = iso.integrate(MODELS[name][0](), S.optimal(0.5), dt=0.01, t_end=0.01)
    ask = Questions(sol.system)
    unbalanced = -ask.balance(0.0, sol.q[0], sol.v[0], sol.a[0])
    expected = np.linalg.pinv(ask.G(0.0, sol.q[0], sol.v[0]).T, rcond=1e-9) @ unbalanced
    np.testing.assert_allclose(sol.lam[0], expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", MODELS)
def test_multipliers_balance_the_forces_later_to_second_order(name):
    """λ_n − pinv(Gᵀ)(Q − M a) at t_n shrinks as Δt²: both are second order, the balance holds
    inside the step."""
    sizes = []
    for dt in (0.01, 0.005):
        sol = iso.integrate(MODELS[name][0](), S.optimal(0.5), dt=dt, t_end=0.3)
        ask = Questions(sol.system)
        gaps = [
            lam - np.linalg.pinv(ask.G(t, q, v).T, rcond=1e-9) @ -ask.balance(t, q, v, a)
            for t, q, v, a, lam in zip(sol.t, sol.q, sol.v, sol.a, sol.lam, strict=True)
        ]
        sizes.append(np.abs(gaps).max())
    assert np.log2(sizes[0] / sizes[1]) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("formulation", [f for f in FORMULATIONS if isinstance(f, KEEPS)], ids=repr)
@pytest.mark.parametrize("name", MODELS)
def test_all_rows_stay_at_rounding(name, formulation):
    """Those that were dropped included."""
    sol = iso.integrate(MODELS[name][0](), S.optimal(0.5), formulation, dt=0.01, t_end=0.3)
    G = Questions(sol.system).G(0.0, sol.q[0], sol.v[0])
    assert choose(G).dropped.size > 0
    assert max(sol.drift().largest[:2]) < 1e-12


def test_the_loop_depends_on_the_manifold_only():
    """On it the rank is 5 of 8, a little off it is not."""
    system = known.three_bars_system()
    ask = Questions(system)
    assert choose(ask.G(0.0, system.q0, system.v0)).rank == 5
    off = system.q0 + 0.01 * np.array([1.0, -1.0, 1.0, 1.0, 1.0, -1.0])
    assert choose(ask.G(0.0, off, system.v0)).rank > 5


def test_copies_share_the_force():
    """Of a joint entered with factors 1, 2, −3 the multipliers have least norm: shares 1, 2, −3 of
    λ/14."""
    redundant, minimal = pair("joint tripled", iso.Stabilised(), S.optimal(0.5))
    for k, factor in enumerate((1.0, 2.0, -3.0)):
        share = minimal.lam[:, 2:4] * factor / 14.0
        np.testing.assert_allclose(redundant.lam[:, 2 + 2 * k : 4 + 2 * k], share, rtol=0, atol=1e-8)

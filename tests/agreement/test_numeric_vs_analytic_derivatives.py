"""G, b, phi_t, psi_v and psi_rest left out come from differences: the same motion within their
accuracy.

Differences of sixth order give G, φ_t, ψ_v and ψ_rest to about 1e-13; b is a second difference, good
to 1e-11. Digits are tested in test_compiled_differences.py.
"""

from __future__ import annotations

import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso

S = iso.Scheme
MODELS = {
    "pendulum": known.pendulum_system,
    "rheonomic, M(q)": known.manufactured_system,
    "mixed": lambda **derivatives: known.manufactured_system(rolling=True, **derivatives),
    "knife edge": known.knife_edge_system,
    "three bars, redundant": known.three_bars_system,
}


FORMULATIONS = [
    iso.Stabilised(),
    iso.GGL(),
    iso.VelocityLevel(),
    iso.AccelerationLevel(),
    iso.Projection(),
    iso.Overdetermined(),
    iso.Baumgarte(3.0, 4.0),
]
DRIFTING = (iso.VelocityLevel, iso.AccelerationLevel, iso.Baumgarte)


def pair(name, formulation, rtol, t_end=0.2):
    return [
        iso.integrate(
            MODELS[name](derivatives=given),
            S.optimal(0.5),
            formulation,
            dt=0.01,
            t_end=t_end,
            newton=iso.Newton(rtol=rtol),
        )
        for given in (True, False)
    ]


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
@pytest.mark.parametrize("name", MODELS)
def test_same_motion(name, formulation):
    """Newton stops at 1e-8, which differences allow; b enters q and v of acceleration level through
    a, of others not at all."""
    analytic, numeric = pair(name, formulation, 1e-8)
    for quantity, tolerance in (("q", 1e-9), ("v", 1e-8), ("a", 1e-6), ("lam", 1e-6)):
        one, other = getattr(analytic, quantity), getattr(numeric, quantity)
        np.testing.assert_allclose(other, one, rtol=0, atol=tolerance * max(1.0, np.abs(one).max()), err_msg=quantity)
    assert numeric.stats.halvings == 0


@pytest.mark.parametrize(
    ("name", "formulation"),
    [
        ("pendulum", iso.Stabilised()),
        ("pendulum", iso.AccelerationLevel()),
        ("knife edge", iso.Stabilised()),
        ("rheonomic, M(q)", iso.Stabilised()),
        ("rheonomic, M(q)", iso.AccelerationLevel()),
        ("mixed", iso.Stabilised()),
        ("three bars, redundant", iso.Overdetermined()),
    ],
)
def test_no_halvings_with_the_default_tolerance(name, formulation):
    """The motion asks for none with analytic derivatives."""
    analytic, numeric = pair(name, formulation, iso.Newton().rtol, 0.5)
    assert (analytic.stats.halvings, numeric.stats.halvings) == (0, 0)


@pytest.mark.parametrize("missing", ["G", "b", "phi_t"])
def test_one_missing_at_a_time(missing):
    """Each of them, with the other two given."""
    newton = iso.Newton(rtol=1e-8)
    complete = known.manufactured_system()
    partial = known.manufactured_system()
    setattr(partial.constraints, f"{missing}_", None)
    one, other = (
        iso.integrate(system, S.optimal(0.5), iso.Overdetermined(), dt=0.01, t_end=0.2, newton=newton)
        for system in (complete, partial)
    )
    np.testing.assert_allclose(other.q, one.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(other.lam, one.lam, rtol=0, atol=1e-6)


def test_differences_keep_the_order():
    """Second order in all variables without any derivative given."""
    case = known.Case("mixed", lambda: MODELS["mixed"](derivatives=False), known.MIXED.exact, 0.3)
    for rate in known.slope(case, S.optimal(0.5), iso.Stabilised(), (0.02, 0.01)).values():
        assert rate == pytest.approx(2.0, abs=0.1)


def swinging(length, time, **derivatives):
    """A pendulum that is let go."""
    return iso.MechanicalSystem(
        M=np.eye(2),
        Q=lambda q, v, t: np.array([0.0, -9.81 * length / time**2]),
        phi=lambda q, t: 0.5 * (q @ q - length**2).reshape(1) / length,
        q0=[0.6 * length, -0.8 * length],
        v0=[0.0, 0.0],
        **derivatives,
    )


@pytest.mark.parametrize(
    ("length", "time", "rtol"), [(1.0, 1.0, 1e-8), (1.0, 1.0, 1e-11), (0.07, 80.0, 1e-8), (1e3, 50.0, 1e-8)]
)
def test_radau_with_rows_of_which_only_phi_is_known(length, time, rtol):
    """φ̇ from differences carries 1e-13 of the speed and more, which no iteration takes away: not where a
    component of the velocity passes zero either."""
    given = {"G": lambda q, t: q[None, :] / length, "phi_t": lambda q, t: np.zeros(1)}
    analytic = iso.integrate(swinging(length, time, **given), iso.Radau(rtol), t_end=time)
    numeric = iso.integrate(swinging(length, time), iso.Radau(rtol), t_end=time)
    assert numeric.stats.steps < 1.1 * analytic.stats.steps
    assert numeric.stats.rejected < 0.1 * numeric.stats.steps
    for part in ("q", "v"):
        one, other = getattr(analytic, part), getattr(numeric, part)
        assert np.abs(other[-1] - one[-1]).max() < rtol * np.abs(one).max()


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
def test_radau_with_moving_rows_of_which_only_phi_is_known(rtol):
    """At starts where all terms of φ vanish, differences leave less than later: a bead on a wire that
    turns, whose way grows twenty times, and a coordinate that is led. Steps shrank to nothing."""
    wire = iso.MechanicalSystem(
        M=np.eye(2),
        Q=lambda q, v, t: np.zeros(2),
        phi=lambda q, t: np.array([q[1] * np.cos(1.3 * t) - q[0] * np.sin(1.3 * t)]),
        q0=[1.0, 0.0],
        v0=[0.0, 1.3],
    )
    led = iso.MechanicalSystem(
        M=1.0, Q=lambda q, v, t: 0.0 * q, phi=lambda q, t: q - np.sin(2.0 * t), q0=[0.0], v0=[2.0]
    )
    sol = iso.integrate(wire, iso.Radau(rtol), t_end=3.0)
    assert np.hypot(*sol.q[-1]) == pytest.approx(np.cosh(3.9), rel=rtol)
    assert iso.integrate(led, iso.Radau(rtol), t_end=4.0).q[-1, 0] == pytest.approx(np.sin(8.0), rel=1e-12)


def test_radau_with_micrometres_of_which_only_phi_is_known():
    """What differences leave at the start lies near what counts as rounding of formulas, and is four
    times as much at the bottom. Steps shrank to nothing."""
    length = 1e-6
    system = iso.MechanicalSystem(
        M=np.eye(2),
        Q=lambda q, v, t: np.array([0.0, -9.81]),
        phi=lambda q, t: np.array([q[0] * q[0] + q[1] * q[1] - length**2]),
        q0=length * np.array([np.sin(0.7), -np.cos(0.7)]),
        v0=2e-3 * np.array([np.cos(0.7), np.sin(0.7)]),
    )
    sol = iso.integrate(system, iso.Radau(1e-8), t_end=3e-3)
    assert sol.stats.rejected < 0.1 * sol.stats.steps


def test_radau_tells_of_rows_that_are_too_coarse():
    """Steps of differences are those of sizes of one, beside which a kilometre has lost three digits."""
    with pytest.warns(
        iso.errors.AccuracyWarning, match=r"derivatives of constraints by differences carry [\s\S]*\nhint: pass G="
    ):
        iso.integrate(swinging(1e3, 50.0), iso.Radau(1e-12), t_end=1.0)

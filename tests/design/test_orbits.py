"""Periodic motions, Floquet multipliers and Lyapunov exponents against closed forms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipk, mathieu_a, mathieu_b

import isodyn as iso
from isodyn.design import Orbit
from isodyn.errors import AccuracyWarning, ConvergenceError, InputError


def mathieu(a: float, q: float, c: float = 0.0, q0: float = 0.0) -> iso.MechanicalSystem:
    def Q(y: Any, v: Any, t: float) -> Any:
        return -(a - 2.0 * q * np.cos(2.0 * t)) * y - c * v

    return iso.MechanicalSystem(M=1.0, Q=Q, q0=[q0], v0=[0.0])


@pytest.mark.parametrize(("a", "trace"), [(float(mathieu_a(1, 0.5)), -2.0), (float(mathieu_b(2, 0.5)), 2.0)])
def test_borders_of_stability_of_mathieu(a: float, trace: float) -> None:
    """On its characteristic curves both multipliers are 1, or −1: the trace is ±2, with second order."""
    gaps = [
        abs(np.trace(iso.floquet(mathieu(a, 0.5), period=np.pi, dt=np.pi / n).monodromy) - trace) for n in (100, 200)
    ]
    assert abs(np.log2(gaps[0] / gaps[1]) - 2.0) < 0.1


def test_damped_vibration() -> None:
    orbit = iso.floquet(mathieu(2.0, 0.0, 0.3), period=np.pi, dt=0.01)
    exact = np.exp(np.pi * np.roots([1.0, 0.3, 2.0]))
    assert np.abs(np.sort_complex(orbit.multipliers) - np.sort_complex(exact)).max() < 1e-4
    assert orbit.stable
    assert np.abs(orbit.exponents.real + 0.15).max() < 1e-4
    assert "period 3.14" in repr(orbit)


def test_driven_pendulum() -> None:
    """The product of the multipliers is exp(−cT), with all sizes of the motion."""
    system = iso.MechanicalSystem(
        M=1.0, Q=lambda q, v, t: -np.sin(q) - 0.2 * v + 0.3 * np.cos(0.8 * t), q0=[0.0], v0=[0.0]
    )
    period = 2.0 * np.pi / 0.8
    orbit = iso.periodic_orbit(system, period=period, dt=0.05)
    assert orbit.gap < 1e-9
    assert orbit.stable
    assert np.linalg.det(orbit.monodromy) == pytest.approx(np.exp(-0.2 * period), rel=2e-3)


def hinged(c: float = 0.3, force: float = 0.8, omega: float = 2.0) -> iso.Mechanism:
    """A driven pendulum on a hinge, with multipliers: 0.35 θ'' = −g/2 sin θ − c θ' + f cos ωt."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("rod", 1.0, (0.01, 0.1, 0.1), (0, 0, -0.5))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.JointSpring("damper", "pin", stiffness=0.0, damping=c))
    mech.add_load(iso.Motor("motor", "pin", torque=iso.Sine(force, omega, np.pi / 2)))
    return mech


def test_multipliers_with_constraints_converge_to_those_of_free_coordinates() -> None:
    """The references come from the linearised equation in θ alone, with 1e-12 of relative error."""
    exact = 0.149357259 + 0.213035150j
    gaps = []
    for n in (50, 100):
        orbit = iso.periodic_orbit(hinged(), period=np.pi, dt=np.pi / n)
        assert orbit.multipliers.size == 2
        gaps.append(min(abs(orbit.multipliers - exact)))
    assert gaps[1] < 4e-3
    assert 3.8 < gaps[0] / gaps[1] < 4.3
    again = iso.floquet(orbit.system, period=np.pi, dt=np.pi / 100)
    assert np.abs(again.multipliers - orbit.multipliers).max() < 1e-8


def test_lyapunov_exponents_with_constraints() -> None:
    """At rest their sum is the divergence, −c/0.35, in any time."""
    found = iso.lyapunov_exponents(hinged(force=0.0), dt=0.01, t_end=0.4, every=0.2)
    assert found.size == 2
    assert found.sum() == pytest.approx(-0.3 / 0.35, rel=1e-3)


def test_limit_cycle_of_unknown_period() -> None:
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: (1 - q**2) * v - q, q0=[2.0], v0=[0.1])
    orbit = iso.periodic_orbit(system, period=6.5, dt=0.02, free_period=True)
    assert orbit.period == pytest.approx(6.6632868593, rel=1e-4)
    assert orbit.multipliers[0] == pytest.approx(1.0, abs=1e-5)
    assert orbit.multipliers[1] == pytest.approx(8.6e-4, rel=2e-2)


def test_lyapunov_exponents_of_lorenz() -> None:
    def h(s: Any, t: float) -> Any:
        return np.array([10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8 / 3 * s[2]])

    found = iso.lyapunov_exponents(
        iso.FirstOrderSystem(h, s0=[1.0, 1.0, 20.0]), dt=0.01, t_end=4.0, every=0.5, skip=1.0
    )
    assert found.sum() == pytest.approx(-(10 + 1 + 8 / 3), rel=5e-3)  # the trace of the equations
    assert found[0] > 0.3


def test_refusals() -> None:
    with pytest.raises(InputError, match="the motion is not periodic"):
        iso.floquet(mathieu(2.0, 0.0, 0.3, 1.0), period=np.pi, dt=0.05)
    with pytest.raises(InputError, match="period must be a number above zero"):
        iso.floquet(mathieu(2.0, 0.0), period=0.0, dt=0.05)
    with pytest.raises(ConvergenceError, match="no periodic motion of period 3"):
        iso.periodic_orbit(mathieu(2.0, 0.0, 0.3, 1.0), period=3.0, dt=0.1, max_runs=1)
    with pytest.raises(InputError, match="max_runs must be a whole number above zero, received 0"):
        iso.periodic_orbit(mathieu(2.0, 0.0), period=3.0, dt=0.1, max_runs=0)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        ({"t_end": 0.1}, "must be a multiple of every = 1.0, received 0.1\nhint: such as t_end=1"),
        ({"t_end": 2.5}, "must be a multiple of every"),
        ({"t_end": 2.0, "skip": 1.5}, "leave one interval of 1.0, received 1.5\nhint: at most 1"),
        ({"t_end": 2.0, "skip": -0.5}, "skip must be zero or more"),
    ],
)
def test_times_of_lyapunov_exponents(call: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        iso.lyapunov_exponents(mathieu(2.0, 0.0), dt=0.1, every=1.0, **call)


def test_time_that_is_skipped_does_not_count() -> None:
    """s' = −s/(1 + t)² has the exponent −∫ over what counts."""
    system = iso.FirstOrderSystem(lambda s, t: -s / (1 + t) ** 2, s0=[1.0])
    (found,) = iso.lyapunov_exponents(system, dt=0.01, t_end=3.0, every=1.0, skip=2.0)
    assert found == pytest.approx(-(1 / 3 - 1 / 4), rel=1e-4)


def test_a_shift_in_time_does_not_decide_stability() -> None:
    """Coarse steps move the multiplier 1 of a stable cycle outside of the unit circle."""
    orbit = Orbit(None, 1.0, np.diag([1.0 + 1e-4, 0.5]), 0.0, 1, None, True)  # type: ignore[arg-type]
    assert orbit.stable
    assert not replace(orbit, free_period=False).stable
    assert not replace(orbit, monodromy=np.diag([1.0, 1.1])).stable


def test_rest_is_no_periodic_motion() -> None:
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: (1 - q**2) * v - q, q0=[1e-3], v0=[0.0])
    with pytest.raises(ConvergenceError, match="the search ended at rest"):
        iso.periodic_orbit(system, period=6.5, dt=0.1, free_period=True)


def test_periods_that_the_equations_do_not_have_are_refused() -> None:
    """The state may return after any time; the motion repeats only if what drives it does."""
    z, w0, W = 0.1, 1.7, 2.3
    T = 2 * np.pi / W
    driven = iso.MechanicalSystem(
        M=2.0, Q=lambda q, v, t: 2.0 * (-(w0**2) * q - 2 * z * w0 * v + 0.7 * np.sin(W * t)), q0=[0.3], v0=[0.1]
    )
    orbit = iso.periodic_orbit(driven, period=T, dt=T / 60)
    exact = np.exp((-z * w0 + 1j * w0 * np.sqrt(1 - z * z)) * T)
    assert min(abs(orbit.multipliers - exact)) < 3e-3
    for part in (1.3, 0.5, 1.002):  # half a sine ends as it began, but turns the other way
        with pytest.raises(InputError, match="the equations do not repeat after"):
            iso.periodic_orbit(driven, period=part * T, dt=T / 40)
    with pytest.raises(InputError, match="time stands in the equations, so that the period is not free"):
        iso.periodic_orbit(driven, period=T, dt=T / 40, free_period=True)
    still = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q * np.cos(t), q0=[0.0], v0=[0.0])
    assert iso.floquet(still, period=2 * np.pi, dt=0.1).period == 2 * np.pi  # at rest nothing is seen to act
    square = iso.MechanicalSystem(
        M=1.0, Q=lambda q, v, t: -q - v + (1.0 if t % 2.0 < 1.0 else -1.0), q0=[0.0], v0=[0.0]
    )
    assert iso.periodic_orbit(square, period=2.0, dt=0.05).stable


def forced(w: float, c: float, force: float = 0.5) -> iso.MechanicalSystem:
    """q'' + c q' + w² q = f cos 2t."""
    return iso.MechanicalSystem(
        M=1.0, Q=lambda q, v, t: -w * w * q - c * v + force * np.cos(2.0 * t), q0=[0.1], v0=[0.0]
    )


def test_an_orbit_in_resonance_is_told() -> None:
    """An undamped vibration in resonance has no periodic motion; the error of the steps moves it off
    the resonance, and an orbit is found."""
    with pytest.warns(AccuracyWarning, match="a Floquet multiplier is 1 within the error of the steps"):
        orbit = iso.periodic_orbit(forced(2.0, 0.0), period=np.pi, dt=np.pi / 60)
    assert orbit.neutral
    assert "not alone" in repr(orbit)


KEPT = "the equations keep an energy, so that orbits form a family: this is the one nearest to the start"


def pendulum(angle: float) -> iso.MechanicalSystem:
    return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -np.sin(q), q0=[angle], v0=[0.0])


@pytest.mark.parametrize(("angle", "guess"), [(1.0, 6.5), (2.0, 7.6)])
def test_an_undamped_pendulum_keeps_its_angle_and_tells_its_period(angle: float, guess: float) -> None:
    """T = 4 K(sin²(angle/2)), with second order; the search had ended at rest."""
    exact, gaps = 4.0 * float(ellipk(np.sin(angle / 2) ** 2)), []
    for dt in (0.08, 0.04):
        with pytest.warns(AccuracyWarning, match=KEPT):
            orbit = iso.periodic_orbit(pendulum(angle), period=guess, dt=dt, free_period=True)
        assert np.abs(orbit.solution.q).max() == pytest.approx(angle, rel=1e-4)
        assert orbit.stable
        assert orbit.neutral
        assert orbit.family == 1
        assert orbit.gap < 1e-3 * dt
        gaps.append(orbit.period - exact)
    assert 3.5 < gaps[0] / gaps[1] < 4.5


def test_an_undamped_pendulum_of_given_period_finds_its_angle() -> None:
    with pytest.warns(AccuracyWarning, match="the motion has a period near 7, within the error of the steps"):
        orbit = iso.periodic_orbit(pendulum(1.0), period=7.0, dt=0.02)
    angle = float(np.abs(orbit.solution.q).max())
    assert 4.0 * float(ellipk(np.sin(angle / 2) ** 2)) == pytest.approx(7.0, abs=1e-3)
    with pytest.warns(AccuracyWarning, match=KEPT):  # any angle has the period of a linear vibration
        orbit = iso.periodic_orbit(forced(2.0, 0.0, 0.0), period=np.pi, dt=np.pi / 60)
    assert np.abs(orbit.solution.q).max() == pytest.approx(0.1, rel=1e-3)


def test_a_motion_that_is_damped_has_no_period() -> None:
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -np.sin(q) - 3e-3 * v, q0=[1.0], v0=[0.0])
    with pytest.raises(ConvergenceError, match="the search ended at rest"):
        iso.periodic_orbit(system, period=6.6, dt=0.1, free_period=True)


def test_a_cycle_of_another_period_is_refused() -> None:
    """A free cycle has its own period. One within the error of the steps is told."""
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: (1 - q**2) * v - q, q0=[2.0], v0=[0.1])
    with pytest.raises(
        ConvergenceError, match=r"misses its start by 0\.06\d* typical sizes, with half the step by 0\.06"
    ):
        iso.periodic_orbit(system, period=6.5, dt=0.05)
    with pytest.warns(AccuracyWarning, match="the motion has a period near 6.66329, within the error of the steps"):
        orbit = iso.periodic_orbit(system, period=6.6632868593, dt=0.05)
    assert orbit.stable
    assert orbit.family == 0


@pytest.mark.parametrize("call", [iso.periodic_orbit, iso.floquet])
def test_a_period_has_eight_steps(call: Any) -> None:
    with pytest.raises(InputError, match=r"a period of 3.14159 has no 8 steps of dt = 10\nhint: such as dt=0.031"):
        call(forced(2.0, 0.1), period=np.pi, dt=10)


def test_steps_follow_a_period_that_is_found_longer() -> None:
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: (1 - q**2) * v - q, q0=[2.0], v0=[0.1])
    orbit = iso.periodic_orbit(system, period=5.5, dt=0.05, free_period=True)
    assert np.diff(orbit.solution.t).max() <= 1.06 * 0.05


@pytest.mark.parametrize(("w", "c"), [(2.0, 0.02), (2.02, 0.0)])
def test_orbits_near_resonance_are_alone(w: float, c: float) -> None:
    """A little damping, or a frequency a little off, and the motion is known."""
    orbit = iso.periodic_orbit(forced(w, c), period=np.pi, dt=np.pi / 200)
    assert np.abs(orbit.multipliers - 1.0).min() < 0.1
    assert not orbit.neutral
    exact = 0.5 / abs(w * w - 4.0 + 2j * c)
    assert np.abs(orbit.solution.q).max() == pytest.approx(exact, rel=0.02)


def test_a_pendulum_with_constraints_keeps_its_angle() -> None:
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("rod", 1.0, (0.01, 0.1, 0.1), (0.5 * np.sin(1.0), 0, -0.5 * np.cos(1.0)))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    exact = 4.0 * float(ellipk(np.sin(0.5) ** 2)) / np.sqrt(0.5 * 9.81 / 0.35)
    with pytest.warns(AccuracyWarning, match=KEPT):
        orbit = iso.periodic_orbit(mech, period=1.6, dt=0.02, free_period=True)
    assert orbit.period == pytest.approx(exact, rel=1e-3)
    assert np.abs(orbit.solution.q[:, 0]).max() == pytest.approx(0.5 * np.sin(1.0), rel=1e-5)
    assert orbit.stable

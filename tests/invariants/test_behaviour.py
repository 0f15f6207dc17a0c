"""What schemes do when they run: overshoot, symplecticity, momentum, drift of energy, order."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest

from isodyn import Newton, integrate
from isodyn.analysis import (
    OrbitBehaviour,
    amplification_matrix,
    conserves_angular_momentum,
    energy_drift,
    is_symplectic,
    measured_order,
    momentum_error,
    one_step_map,
    overshoot_class,
    overshoot_exponents,
    satisfies_symplectic_condition,
    symplecticity,
)
from isodyn.analysis.behaviour import smooth_average
from isodyn.analysis.one_step_map import _step, steps
from isodyn.problems import kepler
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.systems import LinearSystem

CLASSES = [
    (Scheme.newmark(), "U0V0"),
    (Scheme.U0(1, 1, 0.5), "U0V0"),
    (Scheme.midpoint_epa(), "U0V0"),
    (Scheme.midpoint_mpa(), "V0U0"),
    (Scheme.V0(1, 1, 0.5), "V0U0"),
    (Scheme.optimal(0.0), "U0V0"),
    (Scheme.optimal(0.8), "U0V0"),
    (Scheme.U0(0.5, 1, 0.2), "U0V0"),
    (Scheme.V0(0.3, 1, 0), "V0U0"),
    (Scheme.U0(0.8, 0.8, 0.8), "U0V1"),
    (Scheme.hht(0.7), "U0V1"),
    (Scheme.wbz(0.5), "U0V1"),
    (Scheme.U0(0.3, 0.7, 0.1), "U0V1"),
    (Scheme.V0(0.8, 0.8, 0.8), "V0U1"),
    (Scheme.V0(0, 0, 0), "V0U1"),
    (Scheme.wbz(0.5, v0=True), "V0U1"),
]
WITHOUT_OVERSHOOT = [s for s, name in CLASSES if "1" not in name]


@pytest.mark.parametrize(("s", "expected"), CLASSES, ids=lambda x: str(x))
def test_overshoot_class_with_the_start_of_the_loop(s: Scheme, expected: str) -> None:
    assert overshoot_class(s) == expected


@pytest.mark.parametrize(("s", "expected"), CLASSES, ids=lambda x: str(x))
def test_overshoot_class_with_the_textbook_start(s: Scheme, expected: str) -> None:
    """Powers of the amplification matrix from (q0, v0, −w² q0) grow with the same exponents."""
    most = []
    for Omega in (1e5, 1e6):
        A, q, v = amplification_matrix(s, Omega), 0.0, 0.0
        for y in (np.array([1.0, 0.0, -(Omega**2)]), np.array([0.0, Omega, 0.0])):
            for _ in range(20):
                y = A @ y
                q, v = max(q, abs(y[0])), max(v, abs(y[1]) / Omega)
        most.append((q, v))
    textbook = [max(0.0, math.log10(fine / coarse)) for coarse, fine in zip(*most, strict=True)]
    assert textbook == pytest.approx(overshoot_exponents(s), abs=0.05)


def test_members_with_a_stability_limit_have_no_class() -> None:
    assert overshoot_class(Scheme.central_difference()) is None
    assert overshoot_class(Scheme.newmark(1 / 6, 0.5)) is None


@pytest.mark.parametrize("s", WITHOUT_OVERSHOOT, ids=str)
@pytest.mark.parametrize("start", [(1.0, 0.0), (0.0, 1e4)], ids=["q0", "v0"])
def test_energy_of_a_stiff_mode_does_not_overshoot(s: Scheme, start: tuple[float, float]) -> None:
    """Omega = 1e4: E/E0 = 1 without damping, and never above 1 with it."""
    w = 1e4
    sol = integrate(LinearSystem(1.0, None, w**2, None, [start[0]], [start[1]]), s, dt=1.0, t_end=50.0)
    E = sum(sol.energy()) / (0.5 * w**2)
    assert E[0] == pytest.approx(1.0, abs=1e-14)
    assert E.max() < 1.0 + 1e-7
    if s.radii is not None and s.radii[0] == 1.0:
        np.testing.assert_allclose(E, 1.0, atol=1e-7)


SYMPLECTIC = [
    Scheme.midpoint_epa(),
    Scheme.midpoint_mpa(),
    Scheme.V0(1, 1, 0.5),
    Scheme.central_difference(),
    Scheme.newmark(0.0, 0.5),
]
BOUNDED = [
    Scheme.U0(1, 1, 0),
    Scheme.U0(1, 1, 0.5),
    Scheme.newmark(1 / 6, 0.5),
    Scheme.U0(0.5, 0.5, 0, explicit=True),
    Scheme.U0(1, 1, 0.5, explicit=True),
]
NOT = [
    Scheme.U0(0.8, 0.8, 0.8),
    Scheme.V0(0.8, 0.8, 0.8),
    Scheme.optimal(0.8),
    Scheme.optimal(0.999),
    Scheme.V0(1 / 3, 1 / 3, 0.3, explicit=True),
    Scheme.U0(0.5, 0.5, 0.5, explicit=True),
]


@pytest.mark.parametrize("s", SYMPLECTIC, ids=str)
def test_symplectic_members(s: Scheme) -> None:
    """The form is kept to rounding, energy does not drift, angular momentum stays."""
    found = symplecticity(s)
    assert is_symplectic(s)
    assert found.defect < 1e-13
    assert abs(found.energy_drift) < 1e-11
    assert conserves_angular_momentum(s)


@pytest.mark.parametrize("s", BOUNDED, ids=str)
def test_members_that_only_keep_energy_bounded(s: Scheme) -> None:
    found = symplecticity(s)
    assert found.verdict == "energy bounded"
    assert found.defect > 1e-6
    assert abs(found.energy_drift) < 1e-10
    assert not conserves_angular_momentum(s)


@pytest.mark.parametrize("s", NOT, ids=str)
def test_members_that_are_not_symplectic(s: Scheme) -> None:
    assert symplecticity(s).verdict == "not"


def test_a_drift_of_energy_is_enough_for_no(monkeypatch: pytest.MonkeyPatch) -> None:
    """No member without linear damping drifts on this orbit, so one is made to."""
    monkeypatch.setattr(one_step_map, "orbit_behaviour", lambda s: OrbitBehaviour(0.0, 1e-6, 1e-3))
    assert symplecticity.__wrapped__(Scheme.U0(1, 1, 0.5)).verdict == "not"


def test_the_printed_condition_is_neither_necessary_nor_sufficient_for_bounded_energy() -> None:
    """(2.172b) holds for a member that dissipates, and fails for the trapezoidal rule, which does
    not."""
    printed = Scheme.V0(1 / 3, 1 / 3, 0.3, explicit=True)
    assert satisfies_symplectic_condition(printed)
    assert energy_drift(printed) == pytest.approx(-4.1e-4, rel=0.1)
    assert not satisfies_symplectic_condition(Scheme.newmark())
    assert abs(energy_drift(Scheme.newmark())) < 1e-11


def test_drift_of_a_dissipative_member_has_its_known_size() -> None:
    assert energy_drift(Scheme.U0(0.8, 0.8, 0.8)) == pytest.approx(-7.0e-6, rel=0.05)
    assert momentum_error(Scheme.newmark()) == pytest.approx(1.5e-3, rel=0.1)


def test_smooth_average_removes_oscillation_and_keeps_the_mean() -> None:
    t = np.arange(4000) * 0.05
    assert smooth_average(3.0 + np.sin(1.1 * t) + np.cos(np.sqrt(7) * t)) == pytest.approx(3.0, abs=1e-9)


@pytest.mark.parametrize(
    "s", [Scheme.U0(0.8, 0.8, 0.8), Scheme.V0(0.3, 0.7, 0.1), Scheme.U0(0.5, 0.5, 0, explicit=True)], ids=str
)
def test_the_map_that_is_differentiated_is_the_map_that_is_run(s: Scheme) -> None:
    """The steps with tangents follow `integrate` from its own start, and T is their derivative."""
    rows = list(islice(steps(s), 100))
    sol = integrate(kepler.build(0.3), s, dt=0.05, t_end=5.0, newton=Newton(rtol=1e-14))
    np.testing.assert_allclose([row.q for row in rows], sol.q[1:], atol=1e-12)
    np.testing.assert_allclose([row.v for row in rows], sol.v[1:], atol=1e-12)


def test_the_tangent_of_a_step_is_its_derivative() -> None:
    s, y, h = Scheme.V0(0.3, 0.7, 0.1), np.array([0.7, 0.1, -0.2, 1.2, -1.5, 0.3]), 1e-6

    def image(z: np.ndarray) -> np.ndarray:
        return np.concatenate(_step(s, 0.2, z[:2], z[2:4], z[4:])[:3])

    differences = np.column_stack([(image(y + h * e) - image(y - h * e)) / (2 * h) for e in np.eye(6)])
    np.testing.assert_allclose(_step(s, 0.2, y[:2], y[2:4], y[4:]).T, differences, atol=1e-8)


@pytest.mark.parametrize("s", [Scheme.optimal(0.5), Scheme.V0(0.3, 0.7, 0.1), Scheme.central_difference()], ids=str)
def test_measured_order_is_two(s: Scheme) -> None:
    assert measured_order(s) == pytest.approx((2.0, 2.0, 2.0), abs=0.05)


@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_measured_order_of_a_first_order_member_is_one() -> None:
    order = measured_order(Scheme.newmark(0.36, 0.7))
    assert order.v == pytest.approx(1.0, abs=0.1)


def test_measured_order_of_a_scheme_for_first_order_systems() -> None:
    order = measured_order(FirstOrderScheme.gear())
    assert math.isnan(order.q)
    assert order[1:] == pytest.approx((2.0, 2.0), abs=0.05)

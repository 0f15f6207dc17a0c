"""Where rigid friction has no answer, several, or loses its contact; and what bad contacts are
told."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import isodyn as iso
from friction_systems import GRAVITY, hoop, incline
from isodyn.errors import (
    CallableError,
    ConflictError,
    InputError,
    PainleveError,
    SeparationError,
    SingularError,
)
from isodyn.gauss import Contact, Sliding, Sticking, solve_with_friction


def rod(theta: float, rate: float, mu: float, unilateral: bool = True) -> Any:
    """Painlevé's rod: one end slides on rough ground towards −x, leaning at the angle theta."""
    A, tangent = np.array([[0.0, 1.0, -math.cos(theta)]]), np.array([1.0, 0.0, math.sin(theta)])
    contact = Contact(0, tangent, mu, unilateral=unilateral, name="tip")
    M, Q, b = np.diag([1.0, 1.0, 1.0 / 3.0]), [0.0, -GRAVITY, 0.0], [-math.sin(theta) * rate**2]
    return solve_with_friction(M, Q, A, b, [contact], [Sliding((-1.0,))])


def test_the_painleve_rod_below_the_critical_friction() -> None:
    """N = m (g − lθ'² sin θ)/(1 + 3 cos²θ − 3μ sin θ cos θ)."""
    theta, rate, mu = 1.1, 1.5, 0.9
    expected = (GRAVITY - rate**2 * math.sin(theta)) / (
        1 + 3 * math.cos(theta) * (math.cos(theta) - mu * math.sin(theta))
    )
    assert abs(rod(theta, rate, mu).normal[0][0] - expected) < 1e-12 * expected


def test_the_painleve_rod_above_it() -> None:
    """μ > 4/3: no solution while it would press, several while it would lift; the second also for a
    rod in a guide."""
    with pytest.raises(PainleveError, match=r"'tip' admits no acceleration \(Painlevé: no solution\)"):
        rod(1.1, 0.0, 2.0)
    with pytest.raises(PainleveError, match=r"'tip' admits 2 accelerations \(Painlevé: several solutions\)"):
        rod(1.1, 10.0, 2.0)
    with pytest.raises(PainleveError, match="no solution"):
        rod(1.1, 0.0, 2.0, unilateral=False)
    with pytest.raises(PainleveError, match="several solutions"):
        rod(1.1, 10.0, 2.0, unilateral=False)


def test_a_contact_that_would_have_to_pull_opens() -> None:
    """Typed, with the number of the contact; a guide pulls instead."""
    with pytest.raises(SeparationError, match="contact 'tip' opens") as caught:
        rod(0.3, 10.0, 0.5)
    assert caught.value.opening == (0,)
    assert rod(0.3, 10.0, 0.5, unilateral=False).normal[0][0] < 0.0


def test_a_crate_that_is_high_enough_tips() -> None:
    """μ h > l: the rear foot opens."""
    feet = [Contact(row, [1.0, 0.0, 0.9], 0.6, unilateral=True, name=f"foot {row}") for row in (0, 1)]
    A = np.array([[0.0, 1.0, -0.4], [0.0, 1.0, 0.4]])
    with pytest.raises(SeparationError, match="'foot 0' opens"):
        solve_with_friction(
            np.diag([3.0, 3.0, 0.3]), [0.0, -3 * GRAVITY, 0.0], A, np.zeros(2), feet, [Sliding((1.0,))] * 2
        )


def test_a_run_that_jams_ends_with_a_named_error() -> None:
    """The rod is turned towards 1 + 3 cos²θ = 3μ sin θ cos θ: typed error with the time and the
    motion up to there."""
    theta, slide, mu = 0.35, -30.0, 2.0
    system = iso.MechanicalSystem(
        np.diag([1.0, 1.0, 1.0 / 3.0]),
        lambda q, v, t: np.array([0.0, -GRAVITY, 6.0]),
        [0.0, math.sin(theta), theta],
        [slide, 0.0, 0.0],
        phi=lambda q, t: np.array([q[1] - math.sin(q[2])]),
        G=lambda q, t: np.array([[0.0, 1.0, -math.cos(q[2])]]),
        b=lambda q, v, t: np.array([-math.sin(q[2]) * v[2] ** 2]),
    )
    contact = Contact(0, lambda q, t: np.array([1.0, 0.0, math.sin(q[2])]), mu, name="tip")
    jam = brentq(lambda x: 1 + 3 * math.cos(x) * (math.cos(x) - mu * math.sin(x)), 0.5, 0.8)
    with pytest.raises(PainleveError, match=r"no forces of the contacts 'tip' were found") as caught:
        iso.integrate(iso.with_friction(system, contact), dt=0.001, t_end=2.0)
    assert caught.value.partial is not None
    assert abs(caught.value.partial.q[-1, 2] - jam) < 0.01


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mu": -0.1}, "mu of 'contact' must be a number ≥ 0"),
        ({"mu": float("nan")}, "mu of 'contact' must be a number ≥ 0"),
        ({"mu": 0.4, "mu_static": 0.3}, "mu_static of 'contact' must not be less than mu"),
        ({"mu": 0.4, "tangent": np.zeros((3, 2))}, "one or two rows"),
        ({"mu": 0.4, "rows": (0, 1), "unilateral": True}, "a unilateral contact has one row"),
    ],
)
def test_bad_contacts(options: dict[str, Any], message: str) -> None:
    """Refused where they are made."""
    with pytest.raises(InputError, match=message):
        Contact(**{"rows": 0, "tangent": [1.0, 0.0], **options})


def test_contacts_that_do_not_fit_the_system() -> None:
    """Rows, columns, names, modes."""
    system, contact, down = incline(0.3, 1.0, 0.2)
    for bad, message in (
        (Contact(1, down, 0.2), "row 1 does not exist, there are 1 rows"),
        (Contact("floor", down, 0.2), "there is no row 'floor'"),
        (Contact(0, [1.0, 0.0, 0.0], 0.2), "must have 2 columns"),
        (Contact((0, 0), down, 0.2), "one or more different rows"),
        (Contact(0, down, 0.2, surface=[1.0, 2.0]), "surface of 'contact' must give 1 velocities"),
    ):
        with pytest.raises(InputError, match=message):
            iso.with_friction(system, bad)
    with pytest.raises(InputError, match="needs one or more Contact objects"):
        iso.with_friction(system, [])
    with pytest.raises(InputError, match="needs one or more Contact objects"):
        iso.with_friction(system, ["floor"])  # type: ignore[list-item]
    with pytest.raises(InputError, match="needs a mechanical system with constraints"):
        iso.with_friction(iso.MechanicalSystem(1.0, lambda q, v, t: -q, [1.0], [0.0]), contact)
    arrays = (np.eye(2), [0.0, -1.0], [[0.0, 1.0]], [0.0])
    flat = Contact(0, [1.0, 0.0], 0.2)
    with pytest.raises(InputError, match="every contact needs a mode"):
        solve_with_friction(*arrays, [flat], [])
    with pytest.raises(InputError, match="must be a unit vector of 1 numbers"):
        solve_with_friction(*arrays, [flat], [Sliding((2.0,))])
    with pytest.raises(InputError, match="must be Sliding or Sticking"):
        solve_with_friction(*arrays, [flat], ["slides"])  # type: ignore[list-item]
    with pytest.raises(InputError, match="direction of slip must not be zero"):
        Sliding.along([0.0, 0.0])
    with pytest.raises(InputError, match=r"M must have shape \(2, 2\), received \(3, 3\)"):
        solve_with_friction(np.eye(3), *arrays[1:], [flat], [Sticking()])
    with pytest.raises(InputError, match="Q must be finite"):
        solve_with_friction(np.eye(2), [np.nan, 0.0], *arrays[2:], [flat], [Sticking()])


def test_a_tangent_that_is_not_finite_is_named() -> None:
    """With the contact and the time."""
    system, _ = hoop(3.0, 0.1, 0.5)
    contact = Contact(0, lambda q, t: np.array([np.nan, 0.0]), 0.1, name="wire")
    with pytest.raises(CallableError, match="tangent of contact 'wire' is not finite"):
        iso.integrate(iso.with_friction(system, contact), dt=0.01, t_end=1.0)


def test_a_reaction_shared_with_a_redundant_row_is_refused() -> None:
    """The floor written twice: each row could carry anything between nothing and the whole
    weight."""
    arrays = (np.eye(2), [0.5, -1.0], [[0.0, 1.0], [0.0, 2.0]], [0.0, 0.0])
    for row in (0, 1):
        with pytest.raises(SingularError, match=rf"reaction of 'contact' is not determined: row {row} depends on"):
            solve_with_friction(*arrays, [Contact(row, [1.0, 0.0], 0.2)], [Sliding((1.0,))])
    assert solve_with_friction(*arrays, [Contact(0, [1.0, 0.0], 0.0)], [Sliding((1.0,))]).a[0] == 0.5


def test_rows_that_cannot_hold_together_with_friction() -> None:
    """A wall written twice with two accelerations, and a contact that sticks to something the rows
    move away."""
    flat = Contact(0, [1.0, 0.0, 0.0], 0.2)
    rows = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    with pytest.raises(ConflictError, match=r"misses row 1 by 0\.5, row 2 by -0\.5"):
        solve_with_friction(np.eye(3), np.ones(3), rows, [0.0, 1.0, 2.0], [flat], [Sliding((1.0,))])
    with pytest.raises(ConflictError, match="contact sticks"):
        solve_with_friction(np.eye(2), np.ones(2), np.eye(2), [1.0, 0.0], [Contact(1, [1.0, 0.0], 0.2)], [Sticking()])


@pytest.mark.parametrize(
    ("M", "message"),
    [
        ([[2.0, 1.0], [0.0, 2.0]], "M must be symmetric"),
        ([[1.0, 2.0], [2.0, 1.0]], "M must be positive definite"),
        (np.diag([1.0, -1.0]), "M must be positive definite"),
        (np.diag([1.0, np.nan]), "M must be finite"),
        ("mass", "M must be a matrix"),
    ],
)
def test_bad_masses_with_friction(M: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve_with_friction(M, [0.0, -1.0], [[0.0, 1.0]], [0.0], [Contact(0, [1.0, 0.0], 0.2)], [Sliding((1.0,))])

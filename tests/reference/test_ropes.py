"""A ball on a rope, thrown so hard from its lowest place that the rope goes slack on the way up:
circle, parabola, circle. The rope is held at first, and its gap is zero but for rounding; that counted
as events, and locked the rope again where it had been released."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import isodyn as iso

GRAVITY, SPEED = 9.81, 6.0
WAYS: dict[str, dict[str, Any]] = {
    "fixed": {"dt": 0.01},
    "V0": {"scheme": iso.Scheme.V0(1.0, 1.0, 0.0), "dt": 0.01},
    "projection": {"formulation": iso.Projection(), "dt": 0.01},
    "acceleration level": {"formulation": iso.AccelerationLevel(), "dt": 0.005},
    "Baumgarte": {"formulation": iso.Baumgarte(20.0, 20.0), "dt": 0.005},
    "null space": {"formulation": iso.NullSpace(), "dt": 0.005},
    "null space by SVD": {"formulation": iso.NullSpace("svd"), "dt": 0.005},
    "Udwadia-Kalaba": {"formulation": iso.UdwadiaKalaba(), "dt": 0.005},
    "adaptive": {"dt": iso.Adaptive(1e-4)},
    "Radau": {"scheme": iso.Radau(1e-9)},
    "order 8": {"scheme": iso.DOP853(1e-10)},
}


def exact() -> tuple[list[float], Any]:
    """When the rope goes slack and is taut again, and the velocity after that: its radial part is lost."""
    cosine = (2.0 * GRAVITY - SPEED**2) / (3.0 * GRAVITY)  # v² + g cos ϑ = 0 with v² = SPEED² − 2g(1 − cos ϑ)
    angle, v = np.arccos(cosine), np.sqrt(SPEED**2 - 2.0 * GRAVITY * (1.0 - cosine))
    r, u = np.array([np.sin(angle), -cosine]), v * np.array([cosine, np.sin(angle)])

    def pace(s: float) -> float:
        return 2.0 * s / np.sqrt(SPEED**2 - 2.0 * GRAVITY * (1.0 - np.cos(angle - s * s)))

    slack, down = quad(pace, 0.0, np.sqrt(angle))[0], np.array([0.0, -GRAVITY])
    flight = -4.0 * (u @ down) / GRAVITY**2  # |r + u t + g t²/2|² = 1 has a threefold root at 0
    r, u = r + flight * (u + 0.5 * flight * down), u + flight * down
    return [slack, slack + flight], u - (u @ r) * r


def system() -> iso.MechanicalSystem:
    return iso.MechanicalSystem(
        2.0,
        lambda q, v, t: np.array([0.0, -2.0 * GRAVITY]),
        [0.0, -1.0],
        [SPEED, 0.0],
        phi=lambda q, t: np.array([0.5 * (q @ q - 1.0)]),
        G=lambda q, t: q[None, :],
        b=lambda q, v, t: np.array([-v @ v]),
        row_names=["rope"],
    )


def mechanism() -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, -GRAVITY))
    mech.add_body("ball", mass=2.0, kind="particle", position=(0, 0, -1), velocity=(SPEED, 0, 0))
    mech.add_joint(iso.Distance("rope", "ground", "ball", points=((0, 0, 0), (0, 0, -1))))
    return mech


EVENTS = {
    "functions": [
        iso.Event(lambda t, q, v, a, lam: lam[0], -1, action=iso.Release("rope"), name="slack"),
        iso.Event(lambda t, q, v: q @ q - 1.0, 1, action=iso.Lock("rope"), name="taut"),
    ],
    "expressions": [
        iso.Event("rope.force_x*ball.x + rope.force_z*ball.z", 1, action=iso.Release("rope"), name="slack"),
        iso.Event("ball.x^2 + ball.z^2 - 1", 1, action=iso.Lock("rope"), name="taut"),
    ],
}


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("what", EVENTS)
def test_slack_and_taut(what: str, how: str) -> None:
    model = system() if what == "functions" else mechanism()
    sol = iso.integrate(model, t_end=1.45, events=EVENTS[what], **WAYS[how])
    assert [event.name for event in sol.events] == ["slack", "taut"]
    times, after = exact()
    near = 1e-8 if how in ("Radau", "order 8") else 1e-3
    assert [event.t for event in sol.events] == pytest.approx(times, abs=near)
    assert sol.events[1].after.v[[0, -1]] == pytest.approx(after, abs=30.0 * near)
    flying = (sol.t > times[0] + near) & (sol.t < times[1] - near)
    assert np.abs(sol.lam[flying]).max() == 0.0
    assert np.abs(sol.a[flying, -1] + GRAVITY).max() < 1e-9


@pytest.mark.parametrize("how", ["fixed", "adaptive", "acceleration level"])
def test_what_is_locked_stays_so_where_another_event_is(how: str) -> None:
    """The interpolant of a step leaves the circle by more than rounding, which counted as an event
    where the step was looked into."""
    marks = [iso.Event(lambda t, q, v, x=x: t - x, action=lambda s: None) for x in (0.1234, 0.2321, 0.3333)]
    sol = iso.integrate(system(), t_end=0.4, events=[*marks, EVENTS["functions"][1]], **WAYS[how])
    assert [event.index for event in sol.events] == [0, 1, 2]


def test_a_lock_of_what_is_held_does_nothing() -> None:
    """Its drift was refused as a gap that is open."""
    again = iso.Event(lambda t, q, v: t - 0.3, action=iso.Lock("rope"))
    sol = iso.integrate(system(), t_end=0.4, events=[again], **WAYS["Baumgarte"])
    assert np.linalg.norm(sol.q[-1]) == pytest.approx(1.0, abs=1e-3)


def latch() -> Any:
    """An arm that falls, and a bob on a hinge at its end that can be held in line with it."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("arm", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_body("bob", mass=0.3, inertia=(1e-3, 1e-3, 1e-3), position=(1.5, 0, 0))
    mech.add_joint(iso.Hinge("hook", "arm", "bob", point=(1, 0, 0), axis=(0, 1, 0)))
    mech.add_joint(iso.Drive("hold", "hook", iso.Polynomial(0.0)))
    return mech


@pytest.mark.parametrize(
    "steps",
    [{"dt": 1e-3}, {"dt": iso.Adaptive(1e-3)}, {"scheme": iso.Radau(1e-8)}, {"scheme": iso.DOP853(1e-9)}],
    ids=str,
)
def test_what_is_released_is_locked_when_it_is_back_and_not_at_once(steps: Any) -> None:
    """The angle of a latch is zero when it opens, and so is its rate but for rounding: that had a sign, and
    the angle passed zero after 60 ps."""
    shut = iso.Event("hook.angle", action=iso.Lock("hold"), name="shut")
    opened = iso.Event(lambda t, q, v: t - 1.6, action=iso.Release("hold"), name="open")
    sol = iso.integrate(latch(), t_end=2.0, released=["hold"], events=[shut, opened], **steps)
    assert [event.name for event in sol.events] == ["shut", "open", "shut"]
    assert [event.t for event in sol.events] == pytest.approx([0.567776, 1.6, 1.915053], abs=5e-4)

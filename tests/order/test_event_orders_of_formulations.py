"""Releases, resets and events of multipliers keep the order with formulations that let constraints
drift: these start on the constraints after an event, as all do, without the rows that were released."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso

FORMULATIONS = [
    iso.NullSpace(),
    iso.UdwadiaKalaba(),
    iso.AccelerationLevel(),
    iso.VelocityLevel(),
    iso.Baumgarte(20.0, 20.0),
]
ACCURATE = iso.DOP853(1e-11, 1e-13, max_step=0.05)
NAMES = ("q", "v", "a", "lam")


def two_masses() -> iso.MechanicalSystem:
    """On two rods below each other, from the side."""

    def phi(q: Any, t: float) -> Any:
        return np.array([0.5 * (q[:2] @ q[:2] - 1.0), 0.5 * ((q[2:] - q[:2]) @ (q[2:] - q[:2]) - 1.0)])

    def G(q: Any, t: float) -> Any:
        d = q[2:] - q[:2]
        return np.array([[*q[:2], 0.0, 0.0], [*(-d), *d]])

    def b(q: Any, v: Any, t: float) -> Any:
        return np.array([-v[:2] @ v[:2], -(v[2:] - v[:2]) @ (v[2:] - v[:2])])

    def Q(q: Any, v: Any, t: float) -> Any:
        return np.array([0.0, -9.81, 0.0, -19.62]) - 0.1 * v * np.linalg.norm(v)

    mass = np.diag([1.0, 1.0, 2.0, 2.0])
    names = ["upper", "lower"]
    return iso.MechanicalSystem(mass, Q, [1.0, 0.0, 2.0, 0.0], np.zeros(4), phi=phi, G=G, b=b, row_names=names)


EVENTS = {
    "release": iso.Event(lambda t, q, v: q[1] + 0.6, -1, action=iso.Release("lower")),
    "reset": iso.Event(lambda t, q, v: q[1] + 0.6, -1, action=lambda s: s._replace(v=0.3 * s.v)),
    "one mass is stopped": iso.Event(
        lambda t, q, v: q[1] + 0.6, -1, action=lambda s: s._replace(v=s.v * [0.0, 0.0, 1.0, 1.0])
    ),
    "release by a force": iso.Event(lambda t, q, v, a, lam: lam[0] - 12.0, 1, action=iso.Release("lower")),
}


@pytest.fixture(scope="module", params=EVENTS)
def accurate(request: pytest.FixtureRequest) -> tuple[str, iso.Solution]:
    case = str(request.param)
    return case, iso.integrate(two_masses(), ACCURATE, t_end=0.6, events=[EVENTS[case]])


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda one: type(one).__name__)
def test_order_two_at_events_and_at_the_end(accurate: tuple[str, iso.Solution], formulation: Any) -> None:
    case, exact = accurate
    errors = []
    for dt in (0.01, 0.005, 0.0025):
        sol = iso.integrate(two_masses(), formulation=formulation, dt=dt, t_end=0.6, events=[EVENTS[case]])
        assert len(sol.events) == len(exact.events)
        found = [max(abs(a.t - b.t) for a, b in zip(sol.events, exact.events, strict=True))]
        for name in NAMES:
            pairs = [(getattr(sol, name)[-1], getattr(exact, name)[-1])]
            for a, b in zip(sol.events, exact.events, strict=True):
                pairs += [(getattr(x, name), getattr(y, name)) for x, y in ((a.before, b.before), (a.after, b.after))]
            found.append(max(float(np.abs(x - y).max()) for x, y in pairs))
        errors.append(found)
    slopes = np.log2(np.array(errors[:-1]) / np.maximum(errors[1:], 1e-15))
    # the part of a step before an event is another part at every dt
    assert (slopes.mean(axis=0)[np.array(errors[-1]) > 1e-8] > 1.75).all(), (slopes, errors[-1])


@pytest.mark.parametrize("action", [lambda s: None, iso.Release("upper")], ids=["nothing", "release"])
@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda one: type(one).__name__)
def test_what_a_start_moves_is_no_event(formulation: Any, action: Any) -> None:
    """A start moves q and v back onto the constraints, by some 1e-4, and a function of them past its
    zero once more: each passage had counted twice. Beside a row that is released, too."""
    for g in (lambda t, q, v: q[1] + 0.3, lambda t, q, v: v @ v - 3.0, lambda t, q, v: q[2] + q[3] - 1.0):
        passed = iso.Event(g, action=action)
        counts = []
        for dt, given in ((0.01, formulation), (0.002, None)):
            sol = iso.integrate(two_masses(), formulation=given, dt=dt, t_end=0.5, events=[passed])
            counts.append([event.t for event in sol.events])
        assert counts[0] == pytest.approx(counts[1], abs=5e-3)


def driven() -> iso.Mechanism:
    """A rod whose angle is sin 2t, as long as its drive holds."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    at = {"position": (0.5, 0, 0), "velocity": (0, 0, -1), "angular_velocity": (0, 2, 0)}
    mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), **at)
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    mech.add_joint(iso.Drive("motor", "pin", iso.Formula("sin(2*t)")))
    return mech


@pytest.mark.parametrize("direction", [0, -1])
@pytest.mark.parametrize("formulation", [None, *FORMULATIONS], ids=lambda one: type(one).__name__)
def test_what_is_held_but_for_drift_is_no_event(formulation: Any, direction: int) -> None:
    """The rod coasts from 0.3 s on, is turned round at 0.6 s, and taken hold of where it meets the
    drive. Its gap is not zero while it is held, as it drifts: that had counted, up to "events
    accumulate" and "cannot be locked"."""
    gap = "pin.angle - sin(2*t)"
    events = [
        iso.Event("t - 0.3", action=iso.Release("motor"), name="release"),
        iso.Event("t - 0.6", action=lambda s: s._replace(v=-s.v), name="turn"),
        iso.Event(gap, direction=direction, action=iso.Lock("motor"), name="lock"),
    ]
    sol = iso.integrate(driven(), formulation=formulation, dt=0.01, t_end=1.0, events=events)
    assert [event.name for event in sol.events] == ["release", "turn", "lock"]
    assert sol.events[-1].t == pytest.approx(0.65632714, abs=1e-5)
    assert sol.joint("pin").angle[-1] == pytest.approx(np.sin(2.0), abs=1e-4)
    watched, alone = (
        iso.integrate(driven(), formulation=formulation, dt=0.01, t_end=0.5, events=given)
        for given in ([iso.Event(gap)], ())
    )
    assert not watched.events
    for name in ("q", "v", "a", "lam"):
        assert np.array_equal(getattr(watched, name), getattr(alone, name))

"""Derivatives of runs whose course depends on the motion: adaptive steps, events, breakpoints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import SensitivityError
from isodyn.sensitivities.checkpoints import kept_at_first, whole_way_back
from isodyn.sensitivities.parameters import family_of
from varied_mechanisms import slider_crank

pytestmark = pytest.mark.filterwarnings("ignore")


def ball(g: float, h: float, w: float = 0.0) -> iso.MechanicalSystem:
    return iso.MechanicalSystem(
        M=np.eye(2), Q=lambda q, v, t: np.array([0.0, -g]), q0=[0.0, h], v0=[w, 0.0], names=["x", "y"]
    )


FLOOR = iso.Event(lambda t, q, v: q[1], direction=-1, action=lambda s: s._replace(v=s.v * np.array([1.0, -0.5])))


@pytest.mark.parametrize("dt", [0.03, iso.Adaptive(rtol=1e-4)])
def test_a_bouncing_ball(dt: Any) -> None:
    """t₁ = √(2h/g), y = t₁g/2 (t − t₁) − g/2 (t − t₁)² after it; steps of free fall are exact."""
    sol = iso.integrate(
        iso.Parametrised(ball, g=10.0, h=5.0, w=1.0), dt=dt, t_end=1.5, events=[FLOOR], sensitivities=["g", "h", "w"]
    )
    by_g, by_h, by_w = (sol.sensitivity(name) for name in ("g", "h", "w"))
    assert [one.t for one in sol.events] == pytest.approx([1.0])
    assert by_h.events == pytest.approx([0.1], rel=1e-9)
    assert by_g.events == pytest.approx([-0.05], rel=1e-9)
    assert by_w.events == pytest.approx([0.0], abs=1e-12)
    # y(1.5; g, h), differentiated by hand: t − t₁ = ½
    assert by_h.q[-1, 1] == pytest.approx(0.1 * 10 / 2 * 0.5 - 0.1 * 10 / 2 + 0.1 * 10 * 0.5, rel=1e-8)
    assert by_h.v[-1, 1] == pytest.approx(0.1 * 10 / 2 + 0.1 * 10, rel=1e-8)
    assert by_g.q[-1, 1] == pytest.approx((0.5 - 0.25) * 0.5 + 0.05 * 5 - 0.125 - 0.05 * 5, rel=1e-8)
    assert by_w.q[-1, 0] == pytest.approx(1.5, rel=1e-9)


@pytest.mark.parametrize("terminal", [True, False])
def test_times_of_events(terminal: bool) -> None:
    event = iso.Event("y - 1", terminal=terminal)
    family = iso.Parametrised(ball, g=10.0, h=5.0)
    sol = iso.integrate(family, dt=0.03, t_end=0.95, events=[event], sensitivities=["g", "h"])
    t = np.sqrt(0.8)
    assert sol.t[-1] == pytest.approx(t if terminal else 0.95, rel=1e-12)
    assert sol.events[0].t == pytest.approx(t, rel=1e-9)
    assert sol.sensitivity("h").events[0] == pytest.approx(1 / (10 * t), rel=1e-9)
    assert sol.sensitivity("g").events[0] == pytest.approx(-t / 20, rel=1e-9)


def swing() -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("rod", 1.0, (0.01, 0.1, 0.1), (0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.JointSpring("spring", "pin", stiffness=1.0))
    return mech


def test_a_stop_of_a_mechanism_converges_with_the_steps() -> None:
    """Saltation takes rates of the motion: of second order, as differences of runs show."""
    stop = iso.Event("pin.angle - 1", direction=1, action=lambda s: s._replace(v=-0.6 * s.v))
    run: Any = {"t_end": 0.8, "events": [stop]}

    def angle(stiffness: float, dt: float) -> float:
        mech = swing()
        mech.loads["spring"] = iso.JointSpring("spring", "pin", stiffness=stiffness)
        return float(iso.integrate(mech, dt=dt, **run).quantity("pin.angle").values[-1])

    exact = (angle(1.001, 5e-4) - angle(0.999, 5e-4)) / 0.002
    gaps = []
    for dt in (0.02, 0.01):
        sol = iso.integrate(swing(), dt=dt, sensitivities=["spring.stiffness"], **run)
        assert len(sol.events) == 1
        gaps.append(abs(sol.sensitivity("spring.stiffness").of("pin.angle")[-1] - exact))
    assert gaps[1] < 2e-3 * abs(exact)
    assert gaps[0] / gaps[1] > 2.5


def test_a_short_step_before_an_event() -> None:
    """Gaps of constraints close to rounding of positions, and in a step of 1e-8 s that is much in
    accelerations: derivatives "did not converge" wherever an event came soon after the end of a step."""
    names, found = ["spring.stiffness", "rod.mass"], []
    for after in (0.0, 1e-6, 1e-8, 1e-10):
        half = iso.Event(lambda t, q, v, after=after: t - 0.4 - after, action=lambda s: s._replace(v=0.5 * s.v))
        sol = iso.integrate(swing(), dt=0.02, t_end=0.6, events=[half], sensitivities=names)
        assert np.diff(sol.t).min() == pytest.approx(after or 0.02, rel=1e-4)
        found.append([sol.sensitivity(name).of("pin.angle")[-1] for name in names])
    assert np.abs(np.array(found[1:]) / found[0] - 1.0).max() < 1e-5


def test_adjoints_go_back_over_events() -> None:
    """As tangents do, through times that depend on the state and on numbers in the event itself."""
    family, names = iso.Parametrised(ball, g=10.0, h=5.0, w=1.0), ["g", "h", "w"]
    run: Any = {"dt": 0.03, "t_end": 1.5, "events": [FLOOR]}
    sol = iso.integrate(family, sensitivities=names, **run)
    output = lambda sol: sol.q[:, 1] * sol.v[:, 1] + sol.q[:, 0]  # noqa: E731
    for checkpoints in (None, 3):
        found = iso.gradient(family, objective=output, parameters=names, checkpoints=checkpoints, **run)
        for name in names:
            assert found[name] == pytest.approx(sol.sensitivity(name).of(output)[-1], rel=1e-10)
    stop = iso.Event("pin.angle - 1", direction=1, action=lambda s: s._replace(v=-0.6 * s.v))
    run, names = {"dt": 0.02, "t_end": 0.8, "events": [stop]}, ["spring.stiffness", "rod.mass", "pin.axis.x"]
    sol = iso.integrate(swing(), sensitivities=names, **run)
    at = float(sol.t[-4])
    goal = iso.Objective(end="pin.force_x", at=[(at, "pin.angle"), (float(sol.t[3]), "pin.angle_rate")])
    found = iso.gradient(swing(), objective=goal, parameters=names, **run)
    for name in names:
        by = sol.sensitivity(name)
        exact = by.of("pin.force_x")[-1] + by.of("pin.angle")[-4] + by.of("pin.angle_rate")[3]
        assert found[name] == pytest.approx(exact, rel=1e-9), name
    end = [iso.Event("pin.angle - 1", terminal=True)]
    with pytest.raises(SensitivityError, match="when it ends depends on parameters"):
        iso.gradient(swing(), objective="pin.angle", parameters=names, **{**run, "events": end})


def driven(h: float, omega: float) -> iso.MechanicalSystem:
    """A slide that is driven, and a ball that falls beside it from h and is thrown up again."""

    def place(t: Any) -> Any:
        return 0.3 * np.sin(omega * t)

    def row(q: Any, t: float) -> Any:
        return np.array([q[0] - place(t)])

    def given(q: Any, t: float) -> Any:
        return np.array([-0.3 * omega * np.cos(omega * t)])

    def b(q: Any, v: Any, t: float) -> Any:
        return np.array([-0.3 * omega**2 * np.sin(omega * t)])

    G = np.array([[1.0, 0.0]])
    known: Any = {"phi": row, "G": lambda q, t: G, "phi_t": given, "b": b}
    return iso.MechanicalSystem(1.0, lambda q, v, t: [0.0, -9.81], [0.0, h], [0.3 * omega, 0.0], **known)


@pytest.mark.parametrize("omega", [3.0, 300.0])
def test_an_event_beside_a_row_that_depends_on_time(omega: float) -> None:
    """When the ball is thrown up depends on its height; where the slide is then, does not."""
    bounce = iso.Event(lambda t, q, v: q[1], direction=-1, action=lambda s: s._replace(v=s.v * [1.0, -0.6]))
    run: Any = {"dt": 0.04 if omega < 10.0 else 1e-3, "t_end": 0.6, "events": [bounce]}
    family = iso.Parametrised(driven, h=1.0, omega=omega)
    by = iso.integrate(family, sensitivities=["h"], **run).sensitivity("h")
    assert by.events[0] == pytest.approx(0.5 / np.sqrt(0.5 * 9.81), rel=1e-9)
    for found, size in ((by.q, 1.0), (by.v, omega), (by.a, omega**2), (by.lam, omega**2)):
        assert np.abs(found[:, 0]).max() <= 1e-9 * size
    found = iso.gradient(family, objective=lambda sol: sol.q[:, 0] + sol.q[:, 1], parameters=["h"], **run)
    assert found["h"] == pytest.approx(by.q[-1].sum(), rel=1e-10)


def test_what_events_are_refused() -> None:
    run: Any = {"dt": 0.02, "t_end": 1.5, "sensitivities": ["h"]}
    family = iso.Parametrised(ball, g=10.0, h=5.0)
    with pytest.raises(SensitivityError, match="depends on accelerations or multipliers"):
        iso.integrate(family, events=[iso.Event(lambda t, q, v, a, lam: q[1] + 0.1 * a[1], terminal=True)], **run)
    with pytest.raises(SensitivityError, match="changes the rows of the constraints"):
        iso.integrate(
            swing(),
            events=[iso.Event("pin.angle - 1", action=iso.Release("pin"))],
            **{**run, "sensitivities": ["rod.mass"]},
        )
    with pytest.raises(SensitivityError, match="changes what loads do"):
        iso.integrate(
            swing(),
            events=[iso.Event("pin.angle - 1", action=iso.SwitchLoad("spring"))],
            **{**run, "sensitivities": ["rod.mass"]},
        )


def test_adaptive_steps_are_frozen() -> None:
    """The run with the times of its steps kept, against differences of that run."""
    names = ["rod.mass", "spring.stiffness"]
    run: Any = {"dt": iso.Adaptive(rtol=1e-3), "t_end": 0.2, "assemble": True}
    sol = iso.integrate(slider_crank(), sensitivities=names, **run)
    assert np.ptp(np.diff(sol.t)) > 1e-4
    kept: Any = {"dt": iso.StepTimes(sol.t[1:]), "t_end": 0.2, "scheme": iso.Scheme.U0(0.0, 0.5, 0.0), "assemble": True}
    same = iso.integrate(slider_crank(), sensitivities=names, **kept)
    assert np.array_equal(sol.q, same.q)
    found = iso.gradient(slider_crank(), objective="pin.force_x", parameters=names, **run)
    for name in names:
        by = sol.sensitivity(name)
        assert np.array_equal(by.dq, same.sensitivity(name).dq)
        each = by.of("pin.force_x")
        assert abs(found[name] - each[-1]) <= 1e-9 * np.abs(each).max()


def pushed() -> iso.Mechanism:
    mech = swing()
    mech.add_load(iso.Motor("push", "pin", torque=iso.Staircase([0.0, 0.11], [2.0, -3.0])))
    return mech


def test_adjoints_go_back_over_breakpoints() -> None:
    names = ["rod.mass", "spring.stiffness", "pin.point.x", "rod.angular_velocity.y"]
    run: Any = {"dt": 0.02, "t_end": 0.3, "breakpoints": [0.11]}
    output = "pin.force_x"
    goal, family = iso.Objective(end="pin.angle", integral=output), family_of(pushed())
    for checkpoints in (2, 20):
        given: Any = {"objective": goal, "assemble": True, "checkpoints": checkpoints, **run}
        found = iso.gradient(pushed(), parameters=names, **given)
        for name in names[:3] if checkpoints == 20 else names[:1]:
            value, total = family.value(name), 0.0
            h = 3e-3 * max(abs(value), 0.1)
            for k, weight in ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0)):
                other = iso.gradient(family.at({name: value + k * h}), parameters=["gravity.z"], **given)
                total += weight / (12.0 * h) * other.value
            assert found[name] == pytest.approx(total, rel=1e-8), name


def test_binomial_checkpoints() -> None:
    """10⁵ steps with 50 states: 3.75 runs more; every step is gone back over once, from the last."""
    for steps, states, most in ((100_000, 50, 3.76), (2000, 50, 2.4), (50, 50, 1.0), (37, 1, 19.0), (1, 1, 1.0)):
        taken, kept = 0, set(kept_at_first(0, steps, states))
        order: list[int] = []
        for begin, end, keep in whole_way_back(0, steps, states):
            kept = {k for k in kept if k <= begin}
            assert begin in kept
            taken += end - begin + (not keep)
            if keep:
                kept.add(end)
            else:
                order.append(end)
            assert len(kept) <= states
        assert order == list(range(steps - 1, -1, -1))
        assert taken <= most * steps

"""Contacts: second order in q, v, a, λ and contact forces through impacts, openings, stick and slip,
against piecewise references; gaps and constraints at rounding."""

import numpy as np
import pytest

import isodyn as iso
from contact_references import G, Pieces, assert_second_order, slopes

SCHEMES = {"default": None, "optimal": iso.Scheme.optimal(0.5), "midpoint": iso.Scheme.midpoint_epa()}


def pendulum(e=0.7, wall=0.25):
    return iso.MechanicalSystem(
        np.eye(2),
        lambda q, v, t: np.array([0.0, -G]),
        [np.sin(1.0), -np.cos(1.0)],
        [0.0, 0.0],
        phi=lambda q, t: np.array([0.5 * (q @ q - 1.0)]),
        G=lambda q, t: q[None, :],
        b=lambda q, v, t: np.array([-v @ v]),
        gap=lambda q, t: np.array([q[0] + wall]),
        gap_q=lambda q, t: np.array([[1.0, 0.0]]),
        restitution=e,
    )


def pendulum_reference(e=0.7, wall=0.25, t_end=2.0):
    f = lambda t, y: [y[1], -G * np.sin(y[0])]  # noqa: E731
    hit = lambda t, y: np.sin(y[0]) + wall if y[1] < 0 else 1.0  # noqa: E731
    path = Pieces({"first": (f, hit, "first", lambda y: [y[0], -e * y[1]])}, [1.0, 0.0], t_end)

    def exact(t):
        (th, w), _ = path(t)
        q, v = np.array([np.sin(th), -np.cos(th)]), w * np.array([np.cos(th), np.sin(th)])
        a = -G * np.sin(th) * np.array([np.cos(th), np.sin(th)]) - w * w * q
        return {"q": q, "v": v, "a": a, "lam": [w * w + G * np.cos(th)]}

    return path, exact


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pendulum_against_a_wall(scheme):
    """Impacts with a constraint: second order in q, v, a, λ; times of impacts; gaps at rounding."""
    path, exact = pendulum_reference()
    times = []

    def run(dt):
        sol = iso.integrate(pendulum(), SCHEMES[scheme], dt=dt, t_end=2.0)
        impacts = sol.contact(0).impacts
        assert len(impacts) == len(path.times) == 2
        times.append(max(abs(one.t - t) for one, t in zip(impacts, path.times, strict=True)))
        assert sol.contact(0).gap.min() > -1e-13
        assert sol.drift().position.max() < 1e-14
        assert sol.drift().velocity.max() < 1e-14
        return sol

    assert_second_order(run, exact, (0.02, 0.01, 0.005, 0.0025), times=path.times)
    assert slopes(times).min() > 1.9


def oscillator():
    """m = k = 1, μN = 1."""
    return iso.MechanicalSystem(
        np.eye(2),
        lambda q, v, t: np.array([-q[0], -1.0]),
        [12.0, 0.0],
        [6.0, 0.0],
        gap=lambda q, t: q[1:],
        gap_q=lambda q, t: np.array([[0.0, 1.0]]),
        slip=lambda q, v, t: v[:1],
        slip_v=lambda q, v, t: np.array([[1.0, 0.0]]),
        mu=1.0,
    )


def test_oscillator_with_friction_comes_to_rest():
    """Reversals of slip are located: second order in all of time, to the place of rest."""
    way = lambda s: (  # noqa: E731
        lambda t, y: [y[1], -y[0] - s],
        lambda t, y: s * y[1],
        "left" if s > 0 else "right",
        lambda y: [y[0], 0.0],
    )
    phases = {"first": way(1.0), "right": way(1.0), "left": way(-1.0)}
    turns, amplitude = 0, np.hypot(13.0, 6.0) - 1.0
    while amplitude > 1.0:
        turns, amplitude = turns + 1, amplitude - 2.0
    t_rest = np.arctan2(6.0, 13.0) + turns * np.pi
    path, x_rest = Pieces(phases, [12.0, 6.0], t_rest), 0.682178936723646846

    def exact(t):
        if t >= t_rest:
            return {"q": [x_rest, 0.0], "v": [0.0, 0.0], "a": [0.0, 0.0], "N": [1.0]}
        (x, v), name = path(t)
        s = -1.0 if name == "left" else 1.0
        return {"q": [x, 0.0], "v": [v, 0.0], "a": [-x - s, 0.0], "N": [1.0]}

    run = lambda dt: iso.integrate(oscillator(), dt=dt, t_end=25.0)  # noqa: E731
    dts = (0.2, 0.1, 0.05, 0.025)
    assert_second_order(run, exact, dts, names=("q", "v", "a", "N"), times=[*path.times, t_rest])
    sol = run(0.1)
    assert abs(abs(sol.q[-1, 0]) - 0.682178936723646846) < 1e-3
    assert sol.contact(0).mode[-1] == 1


def test_bead_leaves_a_sphere():
    """Opening needs no location: second order in q, v, a and the force."""
    bead = iso.MechanicalSystem(
        np.eye(2),
        lambda q, v, t: np.array([0.0, -G]),
        [0.0, 1.0],
        [1.0, 0.0],
        gap=lambda q, t: np.array([np.sqrt(q @ q) - 1.0]),
        gap_q=lambda q, t: q[None, :] / np.sqrt(q @ q),
    )
    f = lambda t, y: [y[1], G * np.sin(y[0])]  # noqa: E731
    leaves = lambda t, y: G * np.cos(y[0]) - y[1] ** 2  # noqa: E731
    fly = lambda t, y: [y[2], y[3], 0.0, -G]  # noqa: E731
    never = lambda t, y: 1.0  # noqa: E731

    def off(y):
        th, w = y
        return [np.sin(th), np.cos(th), w * np.cos(th), -w * np.sin(th)]

    path = Pieces({"first": (f, leaves, "flight", off), "flight": (fly, never, "", None)}, [0.0, 1.0], 0.8)

    def exact(t):
        y, name = path(t)
        if name == "flight":
            return {"q": y[:2], "v": y[2:], "a": [0.0, -G], "N": [0.0]}
        th, w = y
        n, s = np.array([np.sin(th), np.cos(th)]), np.array([np.cos(th), -np.sin(th)])
        return {"q": n, "v": w * s, "a": G * np.sin(th) * s - w * w * n, "N": [G * np.cos(th) - w * w]}

    run = lambda dt: iso.integrate(bead, dt=dt, t_end=0.8)  # noqa: E731
    assert_second_order(run, exact, (0.02, 0.01, 0.005, 0.0025), names=("q", "v", "a", "N"), over_all=True)


@pytest.mark.parametrize("ratio", [1.5, 2.943])
def test_puck_with_a_cone_in_space(ratio):
    """Friction in space turns with the slip, and ends in rest. Towards rest the angle of the slip
    goes like the speed to the power 1/(κ − 1), κ = μg/pull: for κ = 1.5 all is of second order
    through rest; for κ = 2.943 accelerations have the slope of a root there, and q is."""
    mu, pull = 0.3, 0.3 * G / ratio
    puck = iso.MechanicalSystem(
        2.0 * np.eye(3),
        lambda q, v, t: np.array([0.0, 2.0 * pull, -2.0 * G]),
        [0.0, 0.0, 0.0],
        [2.0, -0.5, 0.0],
        gap=lambda q, t: q[2:],
        gap_q=lambda q, t: np.array([[0.0, 0.0, 1.0]]),
        slip=lambda q, v, t: v[:2],
        slip_v=lambda q, v, t: np.eye(3)[:2],
        mu=mu,
    )

    def f(t, y):
        u = y[2:]
        return [*u, *(np.array([0.0, pull]) - mu * G * u / np.linalg.norm(u))]

    stop = lambda t, y: np.linalg.norm(y[2:]) - 1e-7  # noqa: E731
    t_end = 1.2 if ratio > 2 else 1.6
    rest = lambda t, y: np.zeros(4)  # noqa: E731
    path = Pieces(
        {"first": (f, stop, "rest", lambda y: [*y[:2], 0, 0]), "rest": (rest, lambda t, y: 1.0, "", None)},
        [0.0, 0.0, 2.0, -0.5],
        t_end,
    )

    def exact(t):
        y, name = path(t)
        a = np.zeros(2) if name == "rest" else f(t, y)[2:]
        return {"q": [*y[:2], 0.0], "v": [*y[2:], 0.0], "a": [*a, 0.0], "N": [2.0 * G]}

    run = lambda dt: iso.integrate(puck, dt=dt, t_end=t_end)  # noqa: E731
    t_rest = path.times[0]
    early = lambda dt: iso.integrate(puck, dt=dt, t_end=0.48)  # noqa: E731
    dts = (0.08, 0.04, 0.02, 0.01)
    assert_second_order(early, exact, dts, names=("q", "v", "a", "N"))
    assert t_rest > 0.5
    names = ("q",) if ratio > 2 else ("q", "v", "a", "N")
    found = assert_second_order(run, exact, dts, names=names, times=[t_rest])
    assert found["q"][-1] < 1e-4
    sol = run(0.01)
    assert np.abs(sol.v[-1]).max() < 1e-15
    assert sol.contact(0).mode[-1] == 1


def test_block_on_an_incline_comes_to_rest():
    """Sliding up an incline to rest, or back down again, by the coefficient of friction."""
    angle = 0.5

    def block(mu):
        return iso.MechanicalSystem(
            np.eye(2),
            lambda q, v, t: G * np.array([-np.sin(angle), -np.cos(angle)]),
            [0.0, 0.0],
            [3.0, 0.0],
            gap=lambda q, t: q[1:],
            slip=lambda q, v, t: v[:1],
            mu=mu,
        )

    for mu, rests in ((0.7, True), (0.3, False)):
        up = G * (np.sin(angle) + mu * np.cos(angle))
        down = 0.0 if rests else G * (np.sin(angle) - mu * np.cos(angle))
        t_stop, x_stop = 3.0 / up, 4.5 / up
        sol = iso.integrate(block(mu), dt=0.03, t_end=1.0)
        late = sol.t > t_stop
        x = np.where(late, x_stop - 0.5 * down * (sol.t - t_stop) ** 2, 3.0 * sol.t - 0.5 * up * sol.t**2)
        assert np.abs(sol.q[:, 0] - x).max() < 1e-12
        a = np.where(sol.t >= t_stop - 1e-12, -down, -up)
        assert np.abs(sol.a[:, 0] - a).max() < 1e-9
        assert np.abs(sol.contact(0).normal - G * np.cos(angle)).max() < 1e-9
        assert sol.contact(0).mode[-1] == (1 if rests else 2)

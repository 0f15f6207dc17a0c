"""Impacts of mechanisms: second order in q, v, a, λ, contact forces and times of impacts, gaps and
constraints at rounding; against piecewise references. Orders are over three halvings."""

from types import SimpleNamespace

import numpy as np
import pytest

import isodyn as iso
from contact_references import G, Pieces, assert_second_order, slopes

DTS = (0.02, 0.01, 0.005, 0.0025)


def assert_impacts(run, exact, path, names, dts=DTS):
    """… in all of time, and of the times of impacts."""
    times = []

    def watched(dt):
        sol = run(dt)
        hits = np.unique(sol.aux["impact_t"])
        assert hits.size == len(path.times) > 1
        times.append(np.abs(hits - path.times).max())
        assert sol.aux["contact_gap"].min() > -1e-13
        if sol.system.m:
            assert max(sol.drift().largest[:2]) < 1e-14
        return sol

    assert_second_order(watched, exact, dts, names, times=path.times, over_all=True)
    assert slopes(times).mean() > 1.9, times


def test_rocking_block():
    """Housner's block: it turns about one corner, hits with the other, and goes on about that one."""
    b, h, start = 0.2, 0.6, 0.12
    J = (b * b + h * h) / 3.0
    about = J + b * b + h * h
    kept = (J + h * h - b * b) / about
    turned = lambda th, x: np.array([[np.cos(th), -np.sin(th)], [np.sin(th), np.cos(th)]]) @ x  # noqa: E731
    across = lambda th, x: turned(th, np.array([-x[1], x[0]]))  # noqa: E731
    centre = lambda th, side: turned(th, np.array([side * b, h])) - [side * b, 0.0]  # noqa: E731
    mech = iso.Mechanism(gravity=(0, -G, 0))
    mech.add_body("block", 1.0, J, centre(start, 1.0), start, kind="planar")
    mech.add_contact(iso.BoxPlane("floor", "block", "ground", size=(2 * b, 2 * h), mu=0.8))
    falls = lambda s: lambda t, y: [y[1], -G * (s * b * np.cos(y[0]) - h * np.sin(y[0])) / about]  # noqa: E731
    lands = lambda s: lambda t, y: s * y[0]  # noqa: E731
    loses = lambda y: [0.0, kept * y[1]]  # noqa: E731
    phases = {"first": (falls(1.0), lands(1.0), "other", loses), "other": (falls(-1.0), lands(-1.0), "first", loses)}
    path = Pieces(phases, [start, 0.0], 1.6)

    def exact(t):
        (th, w), name = path(t)
        s = 1.0 if name == "first" else -1.0
        turn, arm = falls(s)(t, [th, w])[1], np.array([s * b, h])
        v, a = w * across(th, arm), turn * across(th, arm) - w * w * turned(th, arm)
        N = [a[1] + G, 0.0, 0.0, 0.0] if s > 0 else [0.0, 0.0, a[1] + G, 0.0]
        return {"q": [*centre(th, s), th], "v": [*v, w], "a": [*a, turn], "N": N}

    assert_impacts(lambda dt: iso.integrate(mech, dt=dt, t_end=1.6), exact, path, ("q", "v", "a", "N"))


def test_double_pendulum_against_a_wall():
    """Two constraints, an impact of the tip."""
    wall, e = 0.1, 0.7

    def phi_q(q):
        x, d = q[:2], q[2:] - q[:2]
        return np.array([[*x, 0.0, 0.0], [*-d, *d]])

    def b(q, v):
        d = v[2:] - v[:2]
        return -np.array([v[:2] @ v[:2], d @ d])

    Q = np.array([0.0, -G, 0.0, -G])
    place = lambda y: np.array([np.sin(y[0]), -np.cos(y[0]), np.sin(y[0]) + np.sin(y[1]), -np.cos(y[0]) - np.cos(y[1])])  # noqa: E731
    first, second = 1.0, 1.2
    pendulum = iso.MechanicalSystem(
        np.eye(4),
        lambda q, v, t: Q,
        place([first, second]),
        np.zeros(4),
        phi=lambda q, t: 0.5 * np.array([q[:2] @ q[:2] - 1.0, (q[2:] - q[:2]) @ (q[2:] - q[:2]) - 1.0]),
        G=lambda q, t: phi_q(q),
        b=lambda q, v, t: b(q, v),
        gap=lambda q, t: np.array([q[2] + wall]),
        gap_q=lambda q, t: np.array([[0.0, 0.0, 1.0, 0.0]]),
        restitution=e,
    )

    def mass(y):
        c = np.cos(y[0] - y[1])
        return np.array([[2.0, c], [c, 1.0]])

    def f(t, y):
        s = np.sin(y[0] - y[1])
        turn = np.linalg.solve(mass(y), [-2 * G * np.sin(y[0]) - y[3] ** 2 * s, -G * np.sin(y[1]) + y[2] ** 2 * s])
        return [y[2], y[3], *turn]

    def hit(t, y):
        approaches = np.cos(y[0]) * y[2] + np.cos(y[1]) * y[3] < 0.0
        return np.sin(y[0]) + np.sin(y[1]) + wall if approaches else 1.0

    def jump(y):
        D = np.cos(y[:2])
        X = np.linalg.solve(mass(y), D)
        return [*y[:2], *(y[2:] - (1.0 + e) * (D @ y[2:]) / (D @ X) * X)]

    path = Pieces({"first": (f, hit, "first", jump)}, [first, second, 0.0, 0.0], 2.4)

    def exact(t):
        y, _ = path(t)
        turn = f(t, y)[2:]
        s, c = np.sin(y[:2]), np.cos(y[:2])
        along, inward = np.array([c, s]).T, np.array([-s, c]).T
        v, a = y[2:, None] * along, np.array(turn)[:, None] * along + y[2:, None] ** 2 * inward
        q, v, a = place(y), np.cumsum(v, axis=0).ravel(), np.cumsum(a, axis=0).ravel()
        return {"q": q, "v": v, "a": a, "lam": np.linalg.lstsq(phi_q(q).T, Q - a, rcond=None)[0]}

    run = lambda dt: iso.integrate(pendulum, dt=dt, t_end=2.4)  # noqa: E731
    assert_impacts(run, exact, path, ("q", "v", "a", "lam"), (0.04, 0.02, 0.01, 0.005))


POINTS = {"A": (0.0, 0.0), "B": (0.0, 0.4), "C": (1.0, 0.8), "D": (1.3, 0.0)}  # pins of a four-bar
LINKS = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
STOP = 0.15  # either way from the start


def four_bar(spatial):
    """A crank that falls against the stops of its bearing; in space its rows are redundant."""
    mech = iso.Mechanism(gravity=(0, 0, -G) if spatial else (0, -G, 0))
    where = {name: (x, 0.0, z) if spatial else (x, z) for name, (x, z) in POINTS.items()}
    for name, (one, two) in LINKS.items():
        middle = 0.5 * (np.array(where[one]) + np.array(where[two]))
        inertia = {"inertia": (0.05, 0.05, 0.05)} if spatial else {"inertia": 0.05, "kind": "planar"}
        mech.add_body(name, 1.0, position=middle, **inertia)
    pairs = {"A": ("ground", "crank"), "B": ("crank", "coupler"), "C": ("coupler", "rocker"), "D": ("ground", "rocker")}
    for name, bodies in pairs.items():
        point = where[name] if spatial else (*where[name], 0.0)
        mech.add_joint(iso.Hinge(name, *bodies, point=point, axis=(0, 1, 0) if spatial else (0, 0, 1)))
    mech.add_contact(iso.JointStop("stop", "A", low=-STOP, high=STOP, restitution=0.6))
    return mech


class FourBar:
    """The same in the plane by its own equations: nine coordinates, accelerations and forces of the
    pins on the links that they carry, and the jump at the stops of the crank."""

    M, Q = np.diag([1.0, 1.0, 0.05] * 3), np.array([0.0, -G, 0.0] * 3)

    def __init__(self):
        names = list(LINKS.values())
        self.middles = [0.5 * (np.array(POINTS[one]) + np.array(POINTS[two])) for one, two in names]
        # of every pin: links that end there, the one that is carried first, each with its arm
        self.pins = [
            [(k, np.array(POINTS[pin]) - self.middles[k]) for k in (2, 1, 0) if pin in names[k]] for pin in POINTS
        ]

    def start(self):
        return np.concatenate([*([*middle, 0.0] for middle in self.middles), np.zeros(9)])

    def rows(self, y):
        """G, and b of G a = b."""
        G_, b = np.zeros((8, 9)), np.zeros(8)
        for row, ends in enumerate(self.pins):
            for sign, (k, arm) in zip((1.0, -1.0), ends, strict=False):
                c, s = np.cos(y[3 * k + 2]), np.sin(y[3 * k + 2])
                r, at = np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]]), slice(2 * row, 2 * row + 2)
                G_[at, 3 * k : 3 * k + 2] += sign * np.eye(2)
                G_[at, 3 * k + 2] += sign * np.array([-r[1], r[0]])
                b[at] += sign * y[9 + 3 * k + 2] ** 2 * r
        return G_, b

    def solved(self, y, force, b):
        """M a + Gᵀλ = force, G a = b."""
        rows = self.rows(y)[0]
        return np.linalg.solve(np.block([[self.M, rows.T], [rows, np.zeros((8, 8))]]), [*force, *b])

    def moved(self, y):
        """Accelerations, and forces on the links that the pins carry."""
        found = self.solved(y, self.Q, self.rows(y)[1])
        return found[:9], -found[9:]

    def jump(self, y):
        X = self.solved(y, np.eye(9)[2], np.zeros(8))[:9]
        return [*y[:9], *(y[9:] - 1.6 * y[11] / X[2] * X)]

    def path(self, t_end):
        gap = lambda t, y: STOP - abs(y[2])  # noqa: E731
        f = lambda t, y: [*y[9:], *self.moved(y)[0]]  # noqa: E731
        return Pieces({"first": (f, gap, "first", self.jump)}, self.start(), t_end)


def in_its_plane(sol, spatial):
    """Places, velocities and accelerations of the links, and forces of the pins, in the plane."""
    axes = [0, 2] if spatial else [0, 1]
    views = [sol.body(name) for name in LINKS]
    told = {"q": "position", "v": "velocity", "a": "acceleration"}
    found = {key: np.hstack([getattr(view, what)[:, axes] for view in views]) for key, what in told.items()}
    forces = np.hstack([sol.reaction(pin).force[:, axes] for pin in POINTS])
    return SimpleNamespace(t=sol.t, lam=forces, aux=sol.aux, system=sol.system, drift=sol.drift, **found)


@pytest.mark.parametrize("spatial", [False, True], ids=["planar", "redundant"])
def test_four_bar_with_a_stop(spatial):
    """A closed loop with impacts at its stop; in space with redundant rows."""
    mech, reference = four_bar(spatial), FourBar()
    path, places = reference.path(0.7), [0, 1, 3, 4, 6, 7]

    def exact(t):
        y = path(t)[0]
        a, forces = reference.moved(y)
        return {"q": y[places], "v": y[9:][places], "a": a[places], "lam": forces}

    def run(dt):
        sol = iso.integrate(mech, dt=dt, t_end=0.7)
        assert bool(sol.redundant) == spatial
        return in_its_plane(sol, spatial)

    assert_impacts(run, exact, path, ("q", "v", "a", "lam"))


def pin_in_a_ring(c, t_end):
    """A rod (mass 1, inertia 0.1) whose end falls in a ring of radius c, hits it, and slides along it:
    the motion in pieces, with y = (x, y, θ) and rates, and accelerations with the force N."""
    M, Q = np.diag([1.0, 1.0, 0.1]), np.array([0.0, -G, 0.0])

    arm = lambda y: -0.5 * np.array([np.cos(y[2]), np.sin(y[2])])  # from the centre of the rod to the pin  # noqa: E731

    def touched(y):
        r = arm(y)
        n = (y[:2] + r) / np.linalg.norm(y[:2] + r)
        return r, n, -np.array([*n, n[1] * r[0] - n[0] * r[1]])  # the last one is D, the gap's rate is D v

    def held(y):
        r, n, D = touched(y)
        pin = y[:2] + r
        rate = y[3:5] + y[5] * np.array([-r[1], r[0]])
        gamma = (rate @ rate - (n @ rate) ** 2) / np.linalg.norm(pin) - y[5] ** 2 * n @ r
        A = np.block([[M, -D[:, None]], [D[None, :], np.zeros((1, 1))]])
        return np.linalg.solve(A, [*Q, gamma])

    def stopped(y):
        D = touched(y)[2]
        return [*y[:3], *(y[3:] - np.linalg.solve(M, D) * (D @ y[3:]) / (D @ np.linalg.solve(M, D)))]

    fall = lambda t, y: [*y[3:], *Q]  # noqa: E731
    slide = lambda t, y: [*y[3:], *held(y)[:3]]  # noqa: E731
    closes = lambda t, y: c - np.linalg.norm(y[:2] + arm(y))  # noqa: E731
    lets_go = lambda t, y: held(y)[3]  # noqa: E731
    phases = {"first": (fall, closes, "slide", stopped), "slide": (slide, lets_go, "", None)}
    return Pieces(phases, [0.5, 0.0, 0.0, 0.0, 0.0, 0.0], t_end), held


def test_pendulum_in_a_bearing():
    """A clearance of one millimetre: free fall, an impact, and the pin slides along the bearing."""
    mech = iso.Mechanism(gravity=(0, -G, 0))
    mech.add_body("rod", mass=1.0, inertia=0.1, kind="planar", position=(0.5, 0.0))
    where = ((0, 0, 0), (0, 0, 0))
    mech.add_contact(iso.Journal("bearing", "ground", "rod", clearance=1e-3, points=where))
    path, held = pin_in_a_ring(1e-3, 0.1)

    def exact(t):
        y, name = path(t)
        a = [0.0, -G, 0.0, 0.0] if name == "first" else held(y)
        return {"q": y[:3], "v": y[3:], "a": a[:3], "N": a[3:]}

    def run(dt):
        sol = iso.integrate(mech, dt=dt, t_end=0.1)
        (hit,) = sol.contact(0).impacts
        assert abs(hit.t - np.sqrt(2e-3 / G)) < 1e-14
        assert sol.contact(0).gap.min() > -1e-13
        assert sol.contact(0).normal.max() > 1.0
        return sol

    assert len(path.times) == 1
    dts = (0.002, 0.001, 0.0005, 0.00025)
    assert_second_order(run, exact, dts, ("q", "v", "a", "N"), times=path.times, over_all=True)

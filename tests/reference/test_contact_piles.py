"""Many contacts: boxes and tables at rest share their weight alike, piles of balls are solved, energy
goes where contacts take it."""

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import AccuracyWarning
from isodyn.kernels.compiled import OK
from isodyn.linear_solvers.contact_islands import solve_contacts
from isodyn.linear_solvers.contact_laws import one_sided_laws
from isodyn.linear_solvers.contact_ways import ADMISSIBLE
from isodyn.marching.near_contacts import NearContacts

G = 9.81


def test_ten_boxes_dropped():
    """Forty corners with friction; each box is an island, and its corners carry alike."""
    mech = iso.Mechanism()
    for k in range(10):
        mech.add_body(f"box{k}", 1.0 + k, (0.1, 0.1, 0.1), (2.0 * k, 0, 0.5 + 0.01 * k))
        mech.add_contact(iso.BoxPlane(f"floor{k}", f"box{k}", "ground", size=(1, 1, 1), mu=0.3))
    sol = iso.integrate(mech, dt=0.02, t_end=0.2)
    for k in range(10):
        forces = [sol.contact(f"floor{k}[{i}]").normal[-1] for i in (0, 2, 4, 6)]
        assert np.abs(np.array(forces) - (1.0 + k) * G / 4).max() < 1e-12 * (1.0 + k) * G
    assert sol.aux["contact_gap"].min() > -1e-13
    assert np.abs(sol.v[-1]).max() < 1e-12


def test_table_with_four_legs():
    """One leg too many: the forces of least norm, with the load off the middle."""
    mech = iso.Mechanism()
    mech.add_body("table", 10.0, (1.0, 1.0, 1.0), (0, 0, 0.8))
    feet = np.array([(x, y, 0.0) for x in (-0.8, 1.2) for y in (-0.4, 0.6)])
    mech.add_contact(iso.PointPlane("floor", "table", "ground", points=feet))
    sol = iso.integrate(mech, dt=0.02, t_end=0.2)
    rows = np.array([np.ones(4), feet[:, 0], feet[:, 1]])
    least = np.linalg.lstsq(rows, [10.0 * G, 0.0, 0.0], rcond=None)[0]
    found = [sol.contact(f"floor[{k}]").normal[-1] for k in range(4)]
    assert np.abs(np.array(found) - least).max() < 1e-12 * 10.0 * G


def pile(rng, wanted):
    """A pyramid of balls of different masses on the floor, with friction: rates after a moment of
    gravity and random motion."""
    side, pairs, centres = 1, [], np.zeros((0, 3))
    while len(pairs) < wanted:
        side += 1
        places = [(k, i, j) for k in range(side) for i in range(side - k) for j in range(side - k)]
        layers = [(i + 0.5 * k, j + 0.5 * k, 0.5 + k * np.sqrt(0.5)) for k, i, j in places]
        centres = np.array(layers)
        near = np.argwhere(np.triu(np.linalg.norm(centres[:, None] - centres, axis=2) < 1.001, 1))
        pairs = [(-1, int(i)) for i in np.flatnonzero(centres[:, 2] < 0.51)] + [(int(i), int(j)) for i, j in near]
    J = np.zeros((3 * wanted, 6 * len(centres)))
    for k, (i, j) in enumerate(pairs[:wanted]):
        n = np.array([0.0, 0.0, 1.0]) if i < 0 else centres[j] - centres[i]
        t = np.cross(n, [0.3, 0.5, 0.8]) / np.linalg.norm(np.cross(n, [0.3, 0.5, 0.8]))
        for row, w in enumerate((n, t, np.cross(n, t))):
            J[3 * k + row, 6 * j : 6 * j + 6] = [*w, *np.cross(-0.5 * n, w)]
            if i >= 0:
                J[3 * k + row, 6 * i : 6 * i + 6] = [*-w, *np.cross(-0.5 * n, w)]
    masses = rng.uniform(0.5, 2.0, len(centres))[:, None] * [1, 1, 1, 0.1, 0.1, 0.1]
    v = 0.05 * rng.normal(size=masses.shape) - [0, 0, 0.01 * G, 0, 0, 0]
    return np.ascontiguousarray(J / masses.ravel() @ J.T), J @ v.ravel(), np.arange(0, 3 * wanted + 1, 3)


def assert_solved(wanted, mu, seed):
    W, b, first = pile(np.random.default_rng(seed), wanted)
    p = np.zeros(b.size)
    assert solve_contacts(W, b, one_sided_laws(first, np.full(wanted, mu)), 1e-13, p) == OK
    push, slip = p.reshape(-1, 3), (W @ p + b).reshape(-1, 3)
    size = np.abs(b).max()
    rub, speed = np.linalg.norm(push[:, 1:], axis=1), np.linalg.norm(slip[:, 1:], axis=1)
    assert min(push[:, 0].min(), slip[:, 0].min()) > -1e-8 * size
    assert np.abs(push[:, 0] * slip[:, 0]).max() < 1e-8 * size**2
    assert (rub - mu * push[:, 0]).max() < 1e-8 * size
    assert np.abs(push[:, 1:] * speed[:, None] + mu * push[:, :1] * slip[:, 1:]).max() < 1e-8 * size**2


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("wanted", [16, 32])
def test_piles_are_solved(wanted, mu):
    """Contact problems of piles in space, as they are in every iteration of a step."""
    for seed in range(5):
        assert_solved(wanted, mu, seed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "mu"), [(200, 0.0), (200, 0.3), pytest.param(200, 0.8, marks=pytest.mark.long), (251, 0.8), (400, 0.3)]
)
def test_large_piles_are_solved(wanted, mu):
    """The same with 200 contacts and more. With much friction forces that balance each other drift in
    thousands of sweeps: leaps along the drift find the end (251 contacts were not solved without)."""
    assert_solved(wanted, mu, 0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("wanted", "mu"), [(200, 0.0), (320, 0.0), (400, 0.0), (200, 0.3), (320, 0.3), (400, 0.3), (200, 0.8)]
)
def test_more_large_piles_are_solved(wanted, mu):
    """The same, more often."""
    for seed in range(1, 3):
        assert_solved(wanted, mu, seed)


@pytest.mark.long
def test_what_is_not_solved_is_admissible():
    """Of 300 contacts with much friction no way leads to the solution: impulses in their cones that
    let nothing approach and take energy."""
    W, b, first = pile(np.random.default_rng(1), 300)
    p = np.zeros(b.size)
    assert solve_contacts(W, b, one_sided_laws(first, np.full(300, 0.8)), 1e-13, p) == ADMISSIBLE
    push, u = p.reshape(-1, 3), W @ p + b
    size = np.abs(b).max()
    assert push[:, 0].min() >= 0.0
    assert u[::3].min() > -1e-11 * size
    assert (np.linalg.norm(push[:, 1:], axis=1) - 0.8 * push[:, 0]).max() < 1e-12 * push.max()
    assert p @ (b + u) < 0.0
    assert np.abs(push[:, 0] * u[::3]).max() < 1e-2 * size * push.max()


def balls(seed, mu, e):
    """Eight balls in the air over a floor, in random places."""
    rng, places, mech = np.random.default_rng(seed), [], iso.Mechanism()
    while len(places) < 8:
        x = rng.uniform([-0.8, -0.8, 0.52], [0.8, 0.8, 1.4])
        if all(np.linalg.norm(x - y) > 0.606 for y in places):
            places.append(x)
    for k, x in enumerate(places):
        m = rng.uniform(0.5, 2.0)
        mech.add_body(f"b{k}", m, (0.03 * m,) * 3, x, velocity=0.5 * rng.normal(size=3))
        mech.add_contact(iso.SpherePlane(f"f{k}", f"b{k}", "ground", radius=0.3, mu=mu, restitution=e))
        for j in range(k):
            pair = iso.SphereSphere(f"s{k}_{j}", f"b{k}", f"b{j}", radii=(0.3, 0.3), mu=mu, restitution=e)
            mech.add_contact(pair)
    return mech


@pytest.mark.parametrize(
    ("seed", "mu", "e", "dt"),
    [(0, 0.0, 1.0, 0.04), (1, 0.4, 1.0, 0.04), (4, 0.4, 0.0, 0.01), (5, 0.4, 0.6, 0.04), (2, 0.4, 0.0, 0.01)],
)
def test_steps_to_their_ends_make_no_energy(seed, mu, e, dt):
    """Moving balls out of each other lifts them: kinetic energy pays for it. Where slip comes to rest
    in such a step, friction would act along it (the last case gained 4e-6 by that): the step is cut
    there. Without friction and losses energy is kept to rounding, although nothing is located."""
    sol = iso.integrate(balls(seed, mu, e), dt=dt, t_end=0.8, impacts=iso.Impacts(locate=False))
    energy = np.sum(sol.energy(), axis=0)
    assert np.diff(energy).max() < 1e-13 * energy[0]
    assert sol.aux["contact_gap"].min() > -1e-13
    if e == 1.0 and mu == 0.0:
        assert abs(energy[-1] - energy[0]) < 1e-12 * energy[0]
    else:
        assert energy[-1] < 0.95 * energy[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Coulomb's law of many contacts was obeyed only roughly")
def test_slow_slip_in_a_wedge_makes_no_energy():
    """A pyramid of 30 balls, μ = 0.7: balls that hardly slip, between the floor and others, would have
    tens of times their weight as forces for a microsecond; a step of 10 ms that began with these
    gained 4.6 % of the energy, and 0.02 % where impacts before it were solved to rounding."""
    from benchmarks import contacts

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contacts, "MU", 0.7)
        mech = contacts.mechanism(4)
    sol = iso.integrate(mech, dt=0.01, t_end=0.3, impacts=iso.Impacts(locate=False))
    energy = np.sum(sol.energy(), axis=0)
    assert np.diff(energy).max() < 1e-13 * energy[0]
    assert sol.aux["contact_gap"].min() > -1e-13


def test_steps_with_too_many_impacts_make_no_energy():
    """The same where the first impacts of a step are located (1.4e-5 of the energy was made, where
    slip came to rest)."""
    with pytest.warns(AccuracyWarning, match="steps had more than 2 impacts"):
        sol = iso.integrate(balls(2, 0.4, 0.0), dt=0.04, t_end=0.8, impacts=iso.Impacts(max_located=2))
    energy = np.sum(sol.energy(), axis=0)
    assert np.diff(energy).max() < 1e-13 * energy[0]


@pytest.mark.long
def test_pile_of_140_balls_with_friction():
    """9870 pairs, impacts of up to 417 contacts: no failure, no warning of forces that are found
    only roughly, no energy, no gap below zero."""
    from benchmarks.contacts import mechanism

    sol = iso.integrate(mechanism(7), dt=0.01, t_end=0.12, impacts=iso.Impacts(locate=False))
    energy = np.sum(sol.energy(), axis=0)
    assert np.diff(energy).max() < 1e-13 * energy[0]
    assert sol.aux["contact_gap"].min() > -1e-13
    assert (sol.aux["contact_mode"] > 0).sum(axis=1).max() > 200


def test_sweep_and_prune_finds_all_near_pairs():
    """Against all distances, in clouds of balls of different sizes; a third of the pairs has no
    contact, some have two."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        n = int(rng.integers(8, 20))
        radii, places = rng.uniform(0.05, 0.4, n), rng.uniform(-1.5, 1.5, (n, 3)) * rng.uniform(0.1, 2.0, 3)
        mech = iso.Mechanism()
        for k in range(n):
            mech.add_body(f"b{k}", 1.0, (0.1, 0.1, 0.1), places[k])
        chosen = [(i, j) for i in range(n) for j in range(i) if rng.uniform() < 2 / 3]
        chosen += [(j, i) for i, j in chosen[:3]]
        for number, (i, j) in enumerate(chosen):
            mech.add_contact(iso.SphereSphere(f"c{number}", f"b{i}", f"b{j}", radii=radii[[i, j]]))
        known = mech.compile().contacts
        near = NearContacts(known, known.twin.model())
        room = 2.0 * np.sqrt(3.0) * near.margin
        ends = np.array(chosen)
        apart = np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1) - radii[ends].sum(axis=1)
        found = near.candidates(np.concatenate([places, np.zeros((1, 3))]), room)
        assert len(set(found.tolist())) == found.size
        assert set(np.flatnonzero(apart <= room)) <= set(found.tolist())


def test_energy_goes_to_friction_and_impacts():
    """What is missing is what contacts took: the energy balance is of second order over three
    halvings."""
    mech = iso.Mechanism()
    mech.add_body("stone", mass=2.0, kind="particle", position=(0, 0, 0.2), velocity=(2, 0, 0))
    mech.add_contact(iso.PointPlane("floor", "stone", "ground", restitution=0.4, mu=0.25))
    missed = []
    for dt in (0.02, 0.01, 0.005, 0.0025):
        sol = iso.integrate(mech, dt=dt, t_end=1.5)
        floor = sol.contact("floor")
        energy = np.sum(sol.energy(), axis=0)
        assert energy[0] - energy[-1] == pytest.approx(2.0 * G * 0.2 + 4.0, rel=1e-9)
        assert 0.0 < floor.lost < energy[0]
        assert floor.power.max() < 1e-12
        assert np.abs(floor.slip[0] - [2.0, 0.0]).max() < 1e-15
        missed.append(np.abs(sol.energy_balance()).max())
    assert missed[-1] < 1e-5 * energy[0]
    assert np.log2(missed[0] / missed[-1]) / 3 > 1.9
    assert sol.quantity("floor.normal").values[-1] == pytest.approx(2.0 * G)

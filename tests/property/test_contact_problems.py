"""Contact problems and impacts: statements that hold for all inputs of a kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isodyn as iso
from isodyn.kernels.compiled import NOT_CONVERGED, OK
from isodyn.linear_solvers.contact_islands import solve_contacts
from isodyn.linear_solvers.contact_laws import one_sided_laws
from isodyn.linear_solvers.lemke import lemke
from isodyn.marching.contact_run import run_with
from isodyn.marching.method import settle
from isodyn.marching.schedule import plan


def random_problem(rng, tangents):
    """Contacts on a body with few freedoms, so that they depend on each other as often as not."""
    nc, n = int(rng.integers(1, 8)), int(rng.integers(1, 10))
    N = nc * (1 + tangents)
    J = rng.normal(size=(N, n))
    W = np.ascontiguousarray(J @ np.diag(rng.uniform(0.5, 2.0, n)) @ J.T)
    return W, J @ rng.normal(size=n), np.arange(0, N + 1, 1 + tangents), rng.uniform(0.0, 1.0, nc)


def solved(W, b, first, mu, p=None):
    p = np.zeros(b.size) if p is None else p
    return solve_contacts(W, b, one_sided_laws(first, mu), 1e-13, p), p


def violation(W, b, first, mu, p):
    """How far Coulomb's law and the complementarity are off."""
    u, worst = W @ p + b, 0.0
    for k, m in enumerate(mu):
        i, end = first[k], first[k + 1]
        off = max(0.0, -p[i], -u[i]) + abs(p[i] * u[i])
        push, slip, radius = p[i + 1 : end], u[i + 1 : end], m * p[i]
        off += max(0.0, np.linalg.norm(push) - radius)
        off += np.abs(push * np.linalg.norm(slip) + radius * slip).max(initial=0.0)
        worst = max(worst, off)
    return worst


@pytest.mark.parametrize("tangents", [0, 1, 2])
def test_contact_problems_are_solved(tangents):
    """Redundant contacts too: no failure in 500, complementarity and cones to 1e-10."""
    rng = np.random.default_rng(7 + tangents)
    for _ in range(500):
        W, b, first, mu = random_problem(rng, tangents)
        status, p = solved(W, b, first, mu)
        assert status == OK
        assert violation(W, b, first, mu, p) < 1e-10


def test_many_contacts_that_all_let_go():
    """From a guess in which all push: no unknowns are left, which ended in NumPy's LinAlgError."""
    many = 45
    W, b = np.eye(many) + 0.01, np.ones(many)
    status, p = solved(W, b, np.arange(many + 1), np.zeros(many), np.full(many, 0.1))
    assert status == OK
    assert (p == 0.0).all()


def chained_problem(rng, many):
    """Contacts between neighbours of a row of bodies, some without friction, some in a plane, some in
    space, two at some places: sparse W, which may be singular."""
    sizes = rng.integers(1, 4, many)
    first = np.concatenate([[0], np.cumsum(sizes)])
    J = np.zeros((first[-1], 3 * (many + 1)))
    for k in range(many):
        body = 3 * (k if rng.uniform() < 0.8 else max(k - 1, 0))
        J[first[k] : first[k + 1], body : body + 6] = rng.normal(size=(sizes[k], 6))
    W = J * rng.uniform(0.5, 2.0, J.shape[1]) @ J.T
    return np.ascontiguousarray(W), J @ rng.normal(size=J.shape[1]), first, rng.uniform(0.0, 0.5, many)


@pytest.mark.parametrize("seed", range(4))
def test_many_contacts_of_all_kinds_are_solved(seed):
    """By sparse factors of blocks of one, two and three components, however the contacts are
    numbered."""
    rng = np.random.default_rng(seed)
    W, b, first, mu = chained_problem(rng, 120)
    order = rng.permutation(120)
    rows = np.concatenate([np.arange(first[k], first[k + 1]) for k in order])
    begins = np.concatenate([[0], np.cumsum(np.diff(first)[order])])
    mixed = np.ascontiguousarray(W[np.ix_(rows, rows)]), b[rows], begins, mu[order]
    for problem in ((W, b, first, mu), mixed):
        status, p = solved(*problem)
        assert status == OK
        assert violation(*problem, p) < 1e-10 * max(1.0, np.abs(p).max())


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-8, 1.0, 1e8]))
def test_forces_scale_with_the_problem(seed, scale):
    """Units do not matter."""
    W, b, first, mu = random_problem(np.random.default_rng(seed), 1)
    one, two = solved(W, b, first, mu), solved(W * scale, b, first, mu)
    assert one[0] == two[0] == OK
    assert violation(W, b, first, mu, scale * two[1]) < 1e-8


def test_lemke_agrees_and_tells_a_ray():
    """Without friction W p is unique, also where contacts depend on each other, all of them at worst;
    a problem without a solution is told."""
    rng = np.random.default_rng(3)
    for scale in (1e-12, 1.0, 1e12):
        for _ in range(100):
            d, p = rng.normal(size=int(rng.integers(2, 7))), np.zeros(6)
            W, b = scale * np.outer(d, d), d * rng.normal()
            assert lemke(W, b, p[: d.size]) == OK
            u = W @ p[: d.size] + b
            assert min(u.min(), p.min()) > -1e-12
            assert np.abs(p[: d.size] * scale * u).max() < 1e-11
    for _ in range(200):
        W, b, first, mu = random_problem(rng, 0)
        status, p = solved(W, b, first, 0 * mu)
        other = np.zeros(b.size)
        assert status == OK
        assert lemke(W, b, other) == OK
        assert np.abs(W @ (p - other)).max() < 1e-9
    p = np.zeros(1)
    assert lemke(np.array([[0.0]]), np.array([-1.0]), p) == NOT_CONVERGED
    assert solved(np.array([[0.0]]), np.array([-1.0]), np.array([0, 1]), np.zeros(1))[0] == NOT_CONVERGED


def test_equal_legs_share_alike():
    """Four legs on three freedoms: forces of least norm, whatever the guess is."""
    legs = np.array([[1.0, x, y] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    W = np.ascontiguousarray(legs @ legs.T)
    for guess in (np.zeros(4), np.array([3.0, 0.0, 0.0, 3.0])):
        status, p = solved(W, -np.ones(4), np.arange(5), np.zeros(4), guess.copy())
        assert status == OK
        assert np.abs(p - p[0]).max() < 1e-14


def rod_run(law):
    """A rod that falls on a plane with one end: jumps of its run, without running."""
    L, J = 0.5, 1.0 / 12.0
    rod = iso.MechanicalSystem(
        np.array([1.0, 1.0, J]),
        lambda q, v, t: np.zeros(3),
        [0.0, 1.0, 0.3],
        [0.0, 0.0, 0.0],
        gap=lambda q, t: np.array([q[1] - L * np.sin(q[2])]),
        gap_q=lambda q, t: np.array([[0.0, 1.0, -L * np.cos(q[2])]]),
        slip=lambda q, v, t: np.array([v[0] + L * np.sin(q[2]) * v[2]]),
        slip_v=lambda q, v, t: np.array([[1.0, 0.0, L * np.sin(q[2])]]),
        mu=0.5,
    )
    run = run_with(rod, iso.Impacts(law=law))(rod, settle(rod, None, None, 0.01), plan(0.0, 1.0, 0.01, (), 1))
    return run, np.array([1.0, 1.0, J])


def jumps(law, many, mu_scale=1.0):
    """Kinetic energies before and after random impacts, and the velocities after."""
    run, mass = rod_run(law)
    rng, found = np.random.default_rng(11), []
    while len(found) < many:
        state = run.state.copy()
        state.q[2], state.v[:] = rng.uniform(0.05, np.pi - 0.05), rng.normal(size=3)
        run.contacts.mu[:] = mu_scale * rng.uniform(0.0, 1.5)
        e = rng.uniform(0.0, 1.0, 1)
        if state.v[1] - 0.5 * np.cos(state.q[2]) * state.v[2] > -0.05:
            continue
        after, _impulse, lost = run.jumped(state, np.array([True]), e)
        before, energy = 0.5 * mass @ state.v**2, 0.5 * mass @ after.v**2
        assert abs(before - energy - lost.sum()) < 1e-12 * before
        found.append((energy / before, after.v.copy()))
    return found


def test_poisson_never_makes_energy_and_newton_does():
    """Random impacts of a rod with friction; the energy that contacts took is what is missing."""
    assert max(ratio for ratio, _ in jumps("poisson", 1500)) <= 1.0 + 1e-12
    newton = np.array([ratio for ratio, _ in jumps("newton", 1500)])
    assert 0.01 < (newton > 1.0 + 1e-9).mean() < 0.2


@pytest.mark.long
def test_ten_thousand_impacts_by_poisson():
    """The same, more often."""
    assert max(ratio for ratio, _ in jumps("poisson", 10_000)) <= 1.0 + 1e-12


def test_both_laws_are_one_without_friction():
    """Newton's and Poisson's restitution agree."""
    pairs = zip(jumps("poisson", 200, 0.0), jumps("newton", 200, 0.0), strict=True)
    assert max(np.abs(one[1] - two[1]).max() for one, two in pairs) < 1e-13

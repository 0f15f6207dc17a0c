"""What single runs can do, ensembles can: members equal `integrate` bit for bit, rows at times of
their own included."""

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.systems import as_system
from linkages import four_bar

ROWS = ("t", "q", "v", "a", "lam")


@numba.njit
def rising(t, q, v):
    """Passes through zero on the way of a pendulum."""
    return q[0] - 0.3


def assert_same(ens, **options):
    """Every member against its single run: rows, events, counts, names of redundant rows."""
    for i in range(len(ens)):
        alone, sol = iso.integrate(ens.system(i), **options), ens[i]
        for name in ROWS:
            assert np.array_equal(getattr(sol, name), getattr(alone, name)), (i, name)
        assert sol.redundant == alone.redundant
        assert [event.t for event in sol.events] == [event.t for event in alone.events]
        assert [getattr(sol.stats, name) for name in ens.counts] == [getattr(alone.stats, name) for name in ens.counts]
        k = sol.t.size
        assert np.array_equal(ens.q[i, :k], sol.q)
        assert np.isnan(ens.q[i, k:]).all()


OWN = {
    "adaptive": {"dt": iso.Adaptive(rtol=1e-3)},
    "adaptive, saved": {"dt": iso.Adaptive(rtol=1e-3), "save": 7},
    "given times": {"dt": iso.StepTimes(np.linspace(0.0, 0.5, 41)[1:])},
    "fixed object": {"dt": iso.FixedSteps(0.01)},
    "order 8": {"scheme": iso.DOP853(rtol=1e-8)},
    "saved": {"dt": 0.01, "save": [0.1, 0.123, 0.5]},
    "events": {"dt": 0.01, "events": iso.Event(rising)},
    "ended by an event": {"dt": 0.01, "events": iso.Event(rising, terminal=True)},
    "breakpoints": {"dt": 0.01, "breakpoints": [0.123]},
}


@pytest.mark.parametrize("kind", OWN)
def test_kinds_of_runs(kind):
    options = {"t_end": 0.5, **OWN[kind]}
    system = problems.get("pendulum").system()
    ens = iso.ensemble(system, v0=np.outer([1.0, 0.3, 2.5], system.v0), threads=2, **options)
    assert ens.ok.all()
    assert_same(ens, **options)


def test_times_of_their_own():
    """`t` has a line for each member then, and tables leave out what is behind the end."""
    system = problems.get("pendulum").system()
    v0 = np.outer([1.0, 3.0], system.v0)
    ens = iso.ensemble(system, v0=v0, t_end=0.5, dt=iso.Adaptive(rtol=1e-3))
    rows = [sol.t.size for sol in ens]
    assert rows[0] != rows[1]
    assert ens.t.shape == (2, max(rows))
    assert f"up to {max(rows)} rows from t = 0 to 0.5" in repr(ens)
    table = ens.table()
    assert table["member"].tolist() == [0] * rows[0] + [1] * rows[1]
    assert np.array_equal(table["t"], np.concatenate([sol.t for sol in ens]))


def test_failures_with_times_of_their_own():
    """A member that fails keeps its rows; arguments that nobody can have are refused at once."""
    system = problems.get("pendulum").system()
    q0 = np.array([system.q0, 1.5 * system.q0])
    ens = iso.ensemble(system, q0=q0, t_end=0.2, dt=iso.Adaptive(rtol=1e-3), threads=2)
    assert ens.ok.tolist() == [True, False]
    with pytest.raises(iso.errors.InputError, match="the start violates constraint 'rod'"):
        ens[1]
    with pytest.raises(iso.errors.InputError, match="save must hold ascending times"):
        iso.ensemble(system, t_end=0.2, dt=0.1, save=[0.2, 0.1])
    with pytest.raises(iso.errors.InputError, match="dt is missing"):
        iso.ensemble(system, t_end=0.2)


def closed_loops(count):
    """Four-bars in space with random links: two rows follow from others, or more in flat positions."""
    rng = np.random.default_rng(3)
    return [
        four_bar(points=((0, 0, 0), (0, 0.3 * x, 0), (0.8, 0.5 * y, 0), (0.9, 0, 0)))
        for x, y in rng.uniform(0.8, 1.2, (count, 2))
    ]


@pytest.mark.parametrize("save_every", [1, 300])
def test_redundant_rows(save_every):
    """Links differ, so do the rows that are enforced; where others have to be chosen on the way, members
    run alone."""
    options = {"dt": 2e-3, "t_end": 0.6, "save_every": save_every}
    ens = iso.ensemble(closed_loops(6), threads=2, **options)
    assert len(ens.single) < 4
    assert_same(ens, **options)


def test_choices_of_rows_by_turns():
    """Members of one thread that enforce other rows than those before them, all in the compiled loop."""
    system = as_system(four_bar())
    turned = as_system(four_bar(points=((0, 0, 0), (-0.3, 0.04, 0), (0.8, 0.5, 0), (0.9, 0, 0))))
    options = {"dt": 1e-3, "t_end": 0.02}
    ens = iso.ensemble([system, turned, system, turned, turned], threads=1, **options)
    assert not ens.single
    assert len({ens[i].redundant for i in range(5)}) == 2
    assert_same(ens, **options)


def test_a_user_s_rows_without_known_sizes():
    """Equations of a user: a rod that is told twice, once as thousands of itself."""
    system = iso.MechanicalSystem(
        M=[1.0, 2.0],
        Q=numba.njit(lambda q, v, t: np.array([0.0, -9.81]) - 0.1 * v),
        phi=numba.njit(lambda q, t: np.array([1.0, 3e3]) * (q @ q - 1.0)),
        G=numba.njit(lambda q, t: np.outer(np.array([2.0, 6e3]), q)),
        b=numba.njit(lambda q, v, t: np.array([-2.0, -6e3]) * (v @ v)),
        q0=[1.0, 0.0],
        v0=[0.0, 1.0],
    )
    options = {"dt": 1e-2, "t_end": 0.3}
    ens = iso.ensemble(system, v0=np.outer([0.5, 1.0, -2.0], system.v0), threads=2, **options)
    assert not ens.single
    assert all(len(ens[i].redundant) == 1 for i in range(3))
    assert_same(ens, **options)


def test_singular_positions_among_redundant_rows():
    """Parallelograms that begin in, beside and far from the position in which they are flat."""

    def parallelogram(angle):
        x, y = 0.3 * np.cos(angle), 0.3 * np.sin(angle)
        return four_bar(points=((0, 0, 0), (x, y, 0), (x + 0.9, y, 0), (0.9, 0, 0)))

    options = {"dt": 2e-3, "t_end": 0.3, "save_every": 150}
    ens = iso.ensemble([parallelogram(angle) for angle in (1.0, 1e-3, 0.0, -1.0)], threads=2, **options)
    assert 2 in ens.single
    assert_same(ens, **options)


@pytest.mark.parametrize("assemble", [False, True])
def test_rough_starts_among_redundant_rows(assemble):
    """Velocities out of the plane, off the constraints, and a position beside them."""
    system = as_system(four_bar())
    q0, v0 = np.tile(system.q0, (4, 1)), np.tile(system.v0, (4, 1))
    v0[1, 2], v0[2, 0], q0[3, 0] = 1e-3, 1.0, q0[3, 0] + 1e-7
    options = {"dt": 2e-3, "t_end": 0.1, "assemble": assemble}
    ens = iso.ensemble(system, q0=q0, v0=v0, threads=2, **options)
    assert sorted(ens.errors) == ([] if assemble else [1, 2])
    for i, error in ens.errors.items():
        with pytest.raises(type(error), match="violates constraint"):
            iso.integrate(ens.system(i), **options)
    for i in np.flatnonzero(ens.ok):
        alone = iso.integrate(ens.system(i), **options)
        assert all(np.array_equal(getattr(ens[i], name), getattr(alone, name)) for name in ROWS)

"""A system that is changed between two runs runs as one that was made so, to the last bit, or the
change is refused: systems keep what they made of functions, starts and rows."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest
import scipy.sparse as sp
from numba import njit

import isodyn as iso
from first_order_daes import pendulum
from isodyn.errors import InputError


@njit
def soft(q, v, t):
    return -4.0 * q


@njit
def stiff(q, v, t):
    return -25.0 * q


def end(system):
    return iso.integrate(system, dt=1e-3, t_end=0.5).q[-1, 0]


def test_another_force_and_another_mass_count():
    system = iso.MechanicalSystem(M=np.eye(1), Q=soft, q0=[1.0], v0=[0.0])
    assert [end(system) for _ in range(2)] == [pytest.approx(np.cos(1.0), abs=1e-5)] * 2
    system.Q = stiff
    assert end(system) == pytest.approx(np.cos(2.5), abs=1e-4)
    system.M[:] = 4.0
    assert end(system) == pytest.approx(np.cos(1.25), abs=1e-4)


@njit
def circle(q, t):
    return np.array([q[0] ** 2 + q[1] ** 2 - 1.0])


@njit
def pull(q, v, t):
    return -4.0 * q - 0.1 * v


def push(q, v, t):
    return -90.0 * q - 0.3 * v


def in_plane(**other):
    given = {"M": np.eye(2), "Q": pull, "q0": [1.0, 0.0], "v0": [0.0, 0.5], "phi": circle}
    return iso.MechanicalSystem(**(given | other))


def linear(**other):
    given = {
        "M": np.eye(2),
        "C": 0.1,
        "K": 4.0,
        "f": [1.0, 1.0],
        "q0": [1.0, 1.0],
        "v0": [0.5, 0.5],
        "G": [[1.0, -1.0]],
    }
    return iso.LinearSystem(**(given | other))


def rates(**other):
    return iso.LinearFirstOrderSystem(**({"Q": 1.0, "P": [1.0, 3.0], "r": None, "s0": [1.0, 0.5]} | other))


def algebraic(**other):
    given = {"h": lambda s, z, t: z - s, "s0": [1.0], "z0": [0.3], "c": lambda s, z, t: z - 0.2 * s}
    return iso.FirstOrderSystem(**(given | other))


CHANGES = [
    (in_plane, "M", 2.0),
    (in_plane, "M", [2.0, 3.0]),
    (in_plane, "Q", push),
    (in_plane, "q0", [0.0, 1.0]),
    (in_plane, "v0", [0.0, 40.0]),
    (linear, "M", 3.0),
    (linear, "K", [9.0, 4.0]),
    (linear, "C", None),
    (linear, "f", lambda t: [2.0, t]),
    (linear, "G", [[2.0, -2.0]]),
    (rates, "P", 2.0),
    (rates, "r", [1.0, 2.0]),
    (algebraic, "c", lambda s, z, t: z - 0.4 * s),
    (algebraic, "h", lambda s, z, t: 2.0 * z - s),
]


@pytest.mark.parametrize(("make", "name", "value"), CHANGES)
def test_a_changed_system_is_one_that_was_made_so(make, name, value):
    """Numbers in the place of matrices were taken as they are, and rows looked at the old start."""
    options = {"dt": 0.01, "t_end": 0.1, "assemble": True}
    system = make()
    for _ in range(2):
        before = iso.integrate(system, **options)
    setattr(system, name, value)
    after, fresh = iso.integrate(system, **options), iso.integrate(make(**{name: value}), **options)
    for symbol in ("q", "v", "a", "lam"):
        assert np.array_equal(getattr(after, symbol), getattr(fresh, symbol)), symbol
    assert any(not np.array_equal(getattr(after, s), getattr(before, s)) for s in ("q", "v", "a", "lam"))


REFUSED = [
    (in_plane, "phi", circle, "phi of a MechanicalSystem cannot be changed: only the constructor reads it"),
    (in_plane, "restitution", 0.5, "restitution of a MechanicalSystem cannot be changed"),
    (in_plane, "M", -1.0, "M is indefinite"),
    (in_plane, "Q", None, "Q must be a function, received None"),
    (in_plane, "Q", lambda q, v: -q, r"Q is called as Q\(q, v, t\)"),
    (in_plane, "v0", [0.0], "v0 must keep its 2 numbers, received 1"),
    (linear, "K", -1.0, "K is indefinite"),
    (linear, "G", None, "G must keep its 1 rows"),
    (linear, "M", np.eye(3), r"M must have shape \(2, 2\)"),
    (rates, "s0", [1.0, 2.0], "s0 of a LinearFirstOrderSystem cannot be changed"),
    (algebraic, "s0", [2.0], "s0 of a FirstOrderSystem cannot be changed"),
    (algebraic, "c", None, "c must be a function, received None"),
    (lambda: iso.FirstOrderSystem(lambda s, t: -s, [1.0]), "c", circle, "c needs algebraic unknowns"),
]


@pytest.mark.parametrize(("make", "name", "value", "match"), REFUSED)
def test_changes_that_would_be_ignored_or_wrong_are_refused(make, name, value, match):
    system = make()
    with pytest.raises(InputError, match=match):
        setattr(system, name, value)


def test_a_change_that_fails_leaves_the_system_as_it_was():
    def phi(q, t):
        if q[0] > 5.0:
            raise ValueError("too far")
        return q[:1] * q[1:] - 1.0

    def make():
        return iso.MechanicalSystem(np.eye(2), lambda q, v, t: -q, [1.0, 1.0], [0.0, 0.0], phi=phi)

    system = make()
    with pytest.raises(Exception, match="too far"):
        system.q0 = [6.0, 1 / 6.0]
    with pytest.raises(InputError, match="cannot be changed"):
        system.phi = phi
    assert system.q0.tolist() == [1.0, 1.0]
    one, other = (iso.integrate(x, dt=0.1, t_end=0.5) for x in (system, make()))
    assert np.array_equal(one.q, other.q)


def hyperbola(q, t):
    return q[:1] * q[1:] - 1.0


def apart(q, t):
    return q[:1] + 2.0


def on_a_hyperbola(q0=(1.0, 1.0), v0=(0.0, 0.0), **other):
    gap = {"gap": apart, "restitution": 0.5}
    return iso.MechanicalSystem(np.eye(2), lambda q, v, t: -q, q0, v0, phi=hyperbola, **gap, **other)


def same_runs(one, other):
    runs = [iso.integrate(system, dt=0.01, t_end=0.1) for system in (one, other)]
    return all(np.array_equal(getattr(runs[0], s), getattr(runs[1], s)) for s in ("q", "v", "a", "lam"))


def test_numbers_of_a_start_that_are_changed_in_place_count():
    """Typical sizes, steps of differences and gaps were those of the old start."""
    far, fast = [2.0**20, 2.0**-20], [2.0**20, -(2.0**-20)]
    system, fresh = on_a_hyperbola(), on_a_hyperbola(far, fast)
    assert same_runs(system, on_a_hyperbola())
    system.q0[:], system.v0[:] = far, fast
    assert np.array_equal(system.scales.v, fresh.scales.v)
    assert np.array_equal(system.contacts.sizes, fresh.contacts.sizes)
    assert same_runs(system, fresh)
    system.q0[0] = np.nan
    with pytest.raises(InputError, match="q0"):
        iso.integrate(system, dt=0.01, t_end=0.1)


def test_other_typical_sizes_count():
    system = on_a_hyperbola()
    system.scales = [2.0**-7, 2.0**-7]
    assert same_runs(system, on_a_hyperbola(scales=[2.0**-7, 2.0**-7]))
    system.q0 = [2.0, 0.5]
    assert same_runs(system, on_a_hyperbola([2.0, 0.5], scales=[2.0**-7, 2.0**-7]))


def test_a_solution_knows_that_its_system_was_changed():
    """Energies of the old motion were those of the new stiffness."""
    system = linear()
    sol = iso.integrate(system, dt=0.01, t_end=0.1)
    system.q0, system.v0 = [2.0, 2.0], [0.0, 0.0]  # another start for another run
    assert sol.quality().good
    later = iso.integrate(system, dt=0.01, t_end=0.1)
    system.K = 9.0
    for ask in (sol.energy, sol.drift, sol.energy_balance, sol.quality, later.energy):
        with pytest.raises(InputError, match="but K of it was changed after the run"):
            ask()
    assert iso.integrate(system, dt=0.01, t_end=0.1).quality().good


def sparse_linear():
    K = sp.csr_array(sp.diags_array(np.linspace(1.0, 2.0, 9000)))
    return iso.LinearSystem(1.0, None, K, None, np.ones(9000), np.zeros(9000))


def exchanged(K):
    """Two entries of a large matrix, which has no other sum then."""
    K.data[[17, 8017]] = K.data[[8017, 17]]


def scaled(array):
    array *= 2.0


@pytest.mark.parametrize(
    ("make", "name", "change"),
    [
        (lambda: linear(), "M", scaled),
        (lambda: linear(), "K", scaled),
        (lambda: linear(), "C", scaled),
        (lambda: in_plane(energy=lambda q, v, t: (0.5 * v @ v, 2.0 * q @ q)), "M", scaled),
        (sparse_linear, "K", exchanged),
        (sparse_linear, "K", lambda K: scaled(K.data)),
        (sparse_linear, "M", lambda M: scaled(M.data)),
    ],
)
def test_numbers_of_matrices_that_are_changed_in_place_count(make, name, change):
    """Energies of the old motion were those of the new matrices."""
    system = make()
    sol = iso.integrate(system, dt=0.01, t_end=0.1)
    sol.energy()
    change(getattr(system, name))
    for ask in (sol.energy, sol.drift, sol.energy_balance, sol.quality):
        with pytest.raises(InputError, match=f"but {name} of it was changed after the run"):
            ask()
    later = iso.integrate(system, dt=0.01, t_end=0.1)
    later.energy()
    fresh = make()
    setattr(fresh, name, getattr(system, name))
    assert np.array_equal(later.q, iso.integrate(fresh, dt=0.01, t_end=0.1).q)


def test_a_change_in_place_before_the_run_is_none_after_it():
    """Also for copies, which share the arrays."""
    system = linear()
    other = copy(system)
    system.K[0, 0] = 9.0
    for one in (system, other):
        sol = iso.integrate(one, dt=0.01, t_end=0.1)
        assert sol.energy()[1][0] == pytest.approx(0.5 * one.q0 @ one.K @ one.q0)
    system.K[0, 0] = 16.0
    with pytest.raises(InputError, match="but K of it was changed"):
        sol.energy()


def test_numbers_in_place_that_a_constructor_refuses_are_refused():
    """A negative mass ran."""
    for name, bad, match in (("M", -1.0, "M is indefinite"), ("K", np.nan, "K must be finite"), ("q0", np.inf, "q0")):
        system = linear()
        getattr(system, name).flat[0] = bad
        for _ in range(2):
            with pytest.raises(InputError, match=match):
                iso.integrate(system, dt=0.01, t_end=0.1)


FORMULATIONS = [
    iso.Hamiltonian(),
    iso.AugmentedMultipliers(),
    iso.Partitioning(),
    iso.NullSpace(),
    iso.UdwadiaKalaba(),
]


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda one: type(one).__name__)
def test_solutions_of_every_formulation_tell_what_was_run(formulation):
    """Those that solve another system and come back to the given one took its new numbers."""
    system = in_plane(energy=lambda q, v, t: (0.5 * v @ v, 2.0 * q @ q))
    sol = iso.integrate(system, dt=0.01, t_end=0.05, formulation=formulation)
    told = sol.energy_balance()
    system.Q = push
    if sol.system is system:
        with pytest.raises(InputError, match="but Q of it was changed after the run"):
            sol.energy_balance()
    else:  # a copy, with a consistent start
        assert np.array_equal(sol.energy_balance(), told)
    system.M[...] *= 2.0  # copies share the array
    for ask in (sol.energy, sol.drift, sol.energy_balance):
        with pytest.raises(InputError, match="but M of it was changed after the run"):
            ask()


def test_solutions_of_index_three_know_that_their_system_was_changed():
    system, _ = pendulum(3)
    sol = iso.integrate(system, dt=0.01, t_end=0.05)
    sol.drift()
    system.h = lambda s, z, t: -s
    with pytest.raises(InputError, match="but h of it was changed after the run"):
        sol.drift()


def test_friction_stays_after_a_change_of_the_start():
    """A block that was given another start rubs as one that was made with it."""

    def block(speed):
        given = {"phi": lambda q, t: q[1:], "G": lambda q, t: np.array([[0.0, 1.0]]), "b": lambda q, v, t: np.zeros(1)}
        system = iso.MechanicalSystem(1.0, lambda q, v, t: np.array([0.0, -10.0]), [0.0, 0.0], [speed, 0.0], **given)
        return iso.with_friction(system, iso.gauss.Contact(rows=0, tangent=[1.0, 0.0], mu=0.5, name="floor"))

    made, changed, in_place = block(2.0), block(1.0), block(1.0)
    changed.v0 = [2.0, 0.0]
    in_place.v0[0] = 2.0
    ends = [iso.integrate(system, dt=0.03, t_end=1.0).q[-1] for system in (made, changed, in_place)]
    assert abs(ends[0][0] - 0.4) < 1e-9
    assert np.array_equal(ends[0], ends[1])
    assert np.array_equal(ends[0], ends[2])

"""Every member of an ensemble equals the single run of `integrate` bit for bit: states,
multipliers, counts, errors."""

import subprocess
import sys

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.marching.ensemble_run import apart
from isodyn.problems import pendulum
from isodyn.stepping.memory import new_state

ROWS = ("t", "q", "v", "a", "lam")


def single(ens, i, scheme=None, formulation=None, **options):
    """The same member by itself: its solution, or the error that ended it."""
    try:
        return iso.integrate(ens.system(i), scheme, formulation, **options)
    except (iso.IsodynError, ArithmeticError) as error:  # the latter from functions of problems
        return error


def assert_same(ens, *arguments, **options):
    """Each member against its single run."""
    for i in range(len(ens)):
        alone = single(ens, i, *arguments, **options)
        if isinstance(alone, Exception):
            assert type(ens.errors[i]) is type(alone)
            assert str(ens.errors[i]) == str(alone)
            continue
        sol = ens[i]
        for name in ROWS:
            assert np.array_equal(getattr(sol, name), getattr(alone, name)), (i, name)
        for name in ROWS[1:]:
            assert np.array_equal(getattr(ens, name)[i], getattr(alone, name)), (i, name)
        assert sol.aux.keys() == alone.aux.keys()
        assert all(np.array_equal(sol.aux[name], rows) for name, rows in alone.aux.items())
        assert [getattr(sol.stats, name) for name in ens.counts] == [getattr(alone.stats, name) for name in ens.counts]
        assert sol.redundant == alone.redundant


ALONE = {  # algebraic unknowns, models in Python
    "vdpol_dae",
    "circle_index2",
    "thermoelastic_bar",
    "plate",
    "transistor_amplifier",
    "robertson",
}


@pytest.mark.parametrize("name", problems.ALL)
def test_every_problem(name):
    """Faster and slower starts; where constraints move they do not fit, and are refused as a single
    run refuses them."""
    problem = problems.ALL[name]
    system = problem.system()
    scheme = problem.scheme
    options = {"dt": problem.dt, "t_end": 12.5 * problem.dt, "save_every": 5}
    ens = iso.ensemble(system, scheme, v0=np.outer([1.0, 0.8, 1.1], system.v0), threads=2, **options)
    assert_same(ens, scheme, **options)
    together = len(ens) - len(ens.single) - len(ens.errors)
    assert 0 in ens.single if name in ALONE else together > 0


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_results_do_not_depend_on_threads(threads):
    system = problems.get("pendulum").system()
    options = {"dt": 0.01, "t_end": 0.5, "select": {"q": [1], "v": [0, 1]}}
    v0 = np.outer(np.linspace(-2.0, 2.0, 101), system.v0)
    ens = iso.ensemble(system, v0=v0, threads=threads, **options)
    assert len(ens.single) == 0
    assert ens.lam.shape == (101, 51, 1)
    assert ens.q.shape == (101, 51, 1)
    again = iso.ensemble(system, v0=v0, threads=4 - threads, **options)
    assert all(np.array_equal(getattr(ens, name), getattr(again, name)) for name in ROWS)
    assert ens[7].columns["q"].tolist() == [1]


SCHEMES = [
    iso.Scheme.U0(0.5, 0.9, 0.2),
    iso.Scheme.V0(0.3, 1.0, 0.1),
    iso.Scheme.central_difference(),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: s.name)
@pytest.mark.parametrize(
    "formulation",
    [
        iso.Stabilised(),
        iso.VelocityLevel(),
        iso.Projection(),
        iso.Overdetermined(),
        iso.GGL(),
        iso.GGL(S=np.diag([2.0, 1.0])),
        iso.NullSpace(discrete=True),
        iso.Baumgarte(),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_parameters_and_formulations(scheme, formulation):
    """Masses, lengths and starts differ; all closures of a step."""
    systems = [pendulum.planar(1.0 + 0.1 * i, 1.0 + 0.2 * i, 0.3 * i, 1.0) for i in range(4)]
    options = {"dt": 0.01, "t_end": 0.3}
    try:
        iso.integrate(systems[0], scheme, formulation, **options)
    except iso.IsodynError as error:
        with pytest.raises(type(error)):
            iso.ensemble(systems, scheme, formulation, **options)
        return
    ens = iso.ensemble(systems, scheme, formulation, threads=2, **options)
    assert len(ens.single) == 0
    assert_same(ens, scheme, formulation, **options)
    assert ens[3].system.tables.masses[0] == pytest.approx(1.3)


@pytest.mark.parametrize(
    ("formulation", "alone"),
    [(iso.Penalty(1e6), 0), (iso.NullSpace("svd"), 2), (iso.NullSpace("schur"), 2), (iso.Hamiltonian(), 2)],
    ids=repr,
)
def test_transforms_run_alone(formulation, alone):
    """So do formulations whose rows are watched from Python; a penalty runs in the loop."""
    system = problems.get("pendulum").system()
    options = {"dt": 0.005, "t_end": 0.05}
    ens = iso.ensemble(system, None, formulation, v0=np.outer([1.0, 0.5], system.v0), **options)
    assert len(ens.single) == alone
    assert_same(ens, None, formulation, **options)


def test_users_functions():
    """Compiled ones run together, plain ones and others than the first alone; M may differ, it is a
    number of the model."""

    def force(q, v, t):
        return -np.sin(q) - 0.1 * v + 0.2 * np.cos(t)

    compiled, other = numba.njit(force), numba.njit(lambda q, v, t: -q)
    options = {"dt": 0.05, "t_end": 2.0}

    def system(Q, mass):
        return iso.MechanicalSystem(M=mass, Q=Q, q0=[0.7], v0=[0.1])

    ens = iso.ensemble([system(compiled, 1.0), system(compiled, 2.0), system(other, 1.0)], threads=2, **options)
    assert list(ens.single) == [2]
    assert_same(ens, **options)
    plain = iso.ensemble(system(force, 1.0), q0=[[0.7], [0.9]], **options)
    assert len(plain.single) == 2
    assert_same(plain, **options)
    assert np.abs(plain.q[0] - ens.q[0]).max() < 1e-13


def test_breakpoints_and_assembly():
    """Restarts and rough starts are a matter of single runs."""
    system = problems.get("pendulum").system()
    v0 = np.outer([1.0, 0.5], system.v0)
    options = {"dt": 0.01, "t_end": 0.2, "breakpoints": [0.105]}
    ens = iso.ensemble(system, v0=v0, **options)
    assert "a_left" in ens[1].aux
    assert_same(ens, **options)
    options = {"dt": 0.01, "t_end": 0.2, "assemble": True}
    rough = iso.ensemble(system, q0=[system.q0, 1.1 * system.q0], v0=v0, **options)
    assert list(rough.single) == [1]
    assert_same(rough, **options)


def test_failures_stay_with_their_members():
    system = problems.get("pendulum").system()
    q0 = np.tile(system.q0, (5, 1))
    v0 = np.tile(system.v0, (5, 1))
    q0[1] *= 1.5  # off the circle
    v0[3, 0] = np.nan
    ens = iso.ensemble(system, dt=0.01, t_end=0.1, q0=q0, v0=v0, threads=2)
    assert_same(ens, dt=0.01, t_end=0.1)
    assert {i: type(error) for i, error in ens.errors.items()} == {
        1: iso.errors.InputError,
        3: iso.errors.NonFiniteError,
    }
    assert ens.ok.tolist() == [True, False, True, False, True]
    assert np.isnan(ens.q[[1, 3]]).all()
    assert np.isfinite(ens.q[ens.ok]).all()
    assert "2 failed" in repr(ens)
    with pytest.raises(iso.errors.InputError, match="the start violates constraint 'rod'"):
        ens[1]


def test_failures_on_the_way():
    """An explicit run that blows up, and a user's function that raises: the rows before are there,
    the rest is NaN."""

    @numba.njit
    def force(q, v, t):
        if q[0] > 3.0:
            raise ValueError("spring broken")
        return -(q**3)

    system = iso.MechanicalSystem(M=1.0, Q=force, q0=[0.0], v0=[0.0])
    options = {"dt": 0.1, "t_end": 8.0}
    ens = iso.ensemble(system, iso.Scheme.central_difference(), v0=[[0.5], [40.0], [1.0]], threads=1, **options)
    assert list(ens.errors) == [1]
    assert str(ens.errors[1]) == "spring broken"
    assert ens.errors[1].__notes__[-1] == "in member 1 of the ensemble"
    k = ens.errors[1].partial.t.size
    assert 0 < k < 81
    assert np.isfinite(ens.q[1, :k]).all()
    assert np.isnan(ens.q[1, k:]).all()
    assert all(np.array_equal(ens.q[i], iso.integrate(ens.system(i), ens.scheme, **options).q) for i in (0, 2))


@pytest.mark.parametrize("dt", [0.01, iso.Adaptive(rtol=1e-3)])
def test_rows_of_members_that_fail_are_at_their_times(dt):
    """The last row of a member that failed is where it failed, which is no time of the others."""

    @numba.njit
    def force(q, v, t):
        return np.array([-4.0 * q[0] if q[0] < 1.2 else np.nan])

    system = iso.MechanicalSystem(M=[1.0], Q=force, q0=[1.0], v0=[0.0])
    ens = iso.ensemble(system, v0=[[0.5], [3.0]], dt=dt, t_end=0.5, save_every=10 if dt == 0.01 else 1)
    assert ens.ok.tolist() == [True, False]
    partial = ens.errors[1].partial
    assert partial.t[-1] not in ens[0].t
    t = np.broadcast_to(ens.t, (2, ens.t.shape[-1]))[1]
    there = np.isfinite(ens.q[1, :, 0])
    assert there.any()
    at = np.searchsorted(partial.t, t[there])
    assert np.array_equal(partial.t[at], t[there])
    assert np.array_equal(partial.q[at], ens.q[1, there])


def test_memory_of_threads_shares_no_cache_line():
    """The same values, every array and every struct in lines of its own."""
    before = [np.arange(k, k + 3.0) for k in range(6)]
    numbers = [apart(x) for x in before]
    assert all(np.array_equal(x, y) for x, y in zip(numbers, before, strict=True))
    blocks = [*numbers, *(new_state(1, 1, 0).words for _ in range(4))]
    lines = [set(range(x.ctypes.data // 64, (x.ctypes.data + x.nbytes - 1) // 64 + 1)) for x in blocks]
    assert sum(map(len, lines)) == len(set.union(*lines))


UNKNOWN = """
import threading
from numba.core.typing.typeof import typeof_impl
noted, register = [], typeof_impl.register
def watched(kind, function=None):
    noted.append((kind.__name__, threading.current_thread() is threading.main_thread()))
    return register(kind, function)
typeof_impl.register = watched
import numpy as np
import isodyn as iso
pendulum = iso.problems.get("pendulum").system()
ens = iso.ensemble(pendulum, dt=0.01, t_end=0.05, threads=2, v0=np.outer(np.arange(8.0), pendulum.v0))
assert ens.ok.all()
assert any(name == "WrapperAddressProtocol" for name, _ in noted), "Numba notes its types elsewhere now"
print([name for name, first in noted if not first])
"""


def test_threads_of_a_fresh_process_note_no_types():
    """Numba notes types while it is loaded; a thread that looks for one at that moment failed with
    "dictionary changed size during iteration"."""
    done = subprocess.run([sys.executable, "-c", UNKNOWN], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
